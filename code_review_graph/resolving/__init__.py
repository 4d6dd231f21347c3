"""Facts of all files -> the graph. One engine for every language; languages supply rules only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from code_review_graph.facts import Site, unpack
from code_review_graph.languages import BY_NAME
from code_review_graph.model import Graph
from code_review_graph.program import Program
from code_review_graph.progress import Progress, silent
from code_review_graph.recursion import deep_recursion
from code_review_graph.resolving.attaching import attach_members
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.context import RepositoryContext
from code_review_graph.resolving.coverage import draw_coverage
from code_review_graph.resolving.drawing import Drawer
from code_review_graph.resolving.evaluator import Evaluator
from code_review_graph.resolving.guessing import draw_guesses
from code_review_graph.resolving.nodes import Nodes
from code_review_graph.resolving.partial.keeping import Keeper, Kept
from code_review_graph.resolving.structure import (
    draw_containment,
    draw_fixtures,
    draw_hierarchy,
    draw_implementers,
    draw_imports,
)
from code_review_graph.resolving.tables import LinkKind
from code_review_graph.semantics import Semantics

__all__ = ["Kept", "RepositoryContext", "resolve", "resolve_all"]

# Steps over which arguments are followed that are passed on and on; a fourth adds next to nothing.
LEVELS: Final = 3
STAGE: Final = "resolve"


def resolve(
    files: Iterable[tuple[str, bytes]], context: RepositoryContext | None = None, progress: Progress = silent
) -> Graph:
    """Resolve the packed facts of all files of a repository, as ``(path, facts)``."""
    return resolve_all(files, context, progress)[0]


def resolve_all(
    files: Iterable[tuple[str, bytes]],
    context: RepositoryContext | None = None,
    progress: Progress = silent,
    ids: Mapping[str, int] | None = None,
) -> tuple[Graph, Kept]:
    """As ``resolve``; with what to keep for ``resolve_part`` under the files' ``ids``, nothing without them."""
    with deep_recursion():
        return _resolve(files, context, progress, ids)


def _resolve(
    files: Iterable[tuple[str, bytes]],
    context: RepositoryContext | None,
    progress: Progress,
    ids: Mapping[str, int] | None,
) -> tuple[Graph, Kept]:
    program = Program(unpack(facts) for _, facts in files)
    config_files = {} if context is None else context.config_files
    rules = _rules(program, config_files)
    engine = Evaluator(program, [rules[language] for language in program.languages])
    keeper = None if ids is None else Keeper(program, [ids[path] for path in program.paths])
    attach_members(engine)
    _collect(engine, keeper)
    nodes = Nodes(engine)
    collector = Collector()
    draw_containment(nodes, collector)
    numbers = range(len(program.files))
    draw_imports(engine, nodes, collector, numbers)
    draw_hierarchy(engine, nodes, collector, numbers)
    draw_implementers(engine, nodes, collector)
    _draw_sites(engine, nodes, collector, progress, keeper)
    engine.restart()  # what was remembered for the sites is the most of the memory
    draw_fixtures(engine, nodes, collector, numbers)
    draw_guesses(nodes, collector)
    draw_coverage(engine, nodes, collector)
    graph = Graph(nodes.nodes, collector.edges(), collector.references())
    if keeper is not None:
        keeper.finish(nodes)
    # Its parts refer to each other: a collector that had to find that out would walk through all facts.
    vars(engine).clear()
    return graph, Kept() if keeper is None else keeper.kept


def _collect(engine: Evaluator, keeper: Keeper | None) -> None:
    """Fill the tables of heirs, attributes and elements."""
    writes = engine.members_of.writes
    found = [*engine.members_of.classes.find_heirs(), *writes.collect()]
    # A container inside a container is found by what the first pass found.
    for kind in (LinkKind.FIRST_ITEM, LinkKind.ITEM):
        found += writes.collect_items(kind)
    if keeper is not None:
        keeper.links(found)


def _rules(program: Program, config_files: Mapping[str, bytes]) -> dict[str, Semantics]:
    """Semantics by language; languages of one family share theirs."""
    families: dict[str, Semantics] = {}
    rules: dict[str, Semantics] = {}
    for name in sorted(set(program.languages)):
        language = BY_NAME[name]
        family = language.family or name
        if family not in families:
            families[family] = language.new_semantics(program, config_files)
        rules[name] = families[family]
    return rules


def _draw_sites(
    engine: Evaluator, nodes: Nodes, collector: Collector, progress: Progress, keeper: Keeper | None
) -> None:
    drawer = Drawer(engine, nodes, collector)
    program = engine.program
    total = len(program.files)
    waiting: list[tuple[int, Site]] = []
    for file, facts in enumerate(program.files):
        progress(STAGE, file, total)
        waiting += drawer.draw_file(file)
        # What need not wait is not looked at again, and of a large repository it is a good part of the memory.
        facts.sites.clear()
        facts.loads.clear()
    drawer.is_again = True
    progress(STAGE, total, total)
    for level in range(1, LEVELS + 1):
        engine.passing.advance()
        if level == 1:
            for item in drawer.open_calls:
                drawer.pass_on(*item)
        if keeper is not None:
            keeper.passed(level, engine.passing.known)
    if keeper is not None:
        keeper.links(engine.passing.links())
    for item in waiting:
        drawer.draw(*item)
    drawer.finish()
