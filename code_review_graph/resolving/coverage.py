"""TESTED_BY: from a test through its own helpers and fixtures to the definitions that it exercises.

The walk goes on through code of the tests only. The first definition of the product on each path is what is tested;
what that definition calls in turn is its own business, or every test would cover everything.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from code_review_graph.facts import BindingKind
from code_review_graph.model import EdgeKind, NodeKind, Resolution
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.evaluator import Evaluator
from code_review_graph.resolving.nodes import Nodes

# Helpers between a test and what it tests; longer chains are frameworks.
MAX_DISTANCE: Final = 4
_CERTAIN: Final = (Resolution.EXACT, Resolution.INFERRED)

Step = tuple[int, int, Resolution]  # target node, line, resolution


def draw_coverage(engine: Evaluator, nodes: Nodes, collector: Collector) -> None:
    """Draw TESTED_BY edges (definition to test) with their distance."""
    calls: dict[int, list[Step]] = defaultdict(list)
    helpers: dict[int, list[Step]] = defaultdict(list)
    for source, target, line, resolution, _ in collector.sites(EdgeKind.CALLS):
        if resolution in _CERTAIN:
            calls[source].append((target, line, resolution))
    for source, target, _, resolution, via in collector.sites(EdgeKind.REFERENCES):
        if via == "fixture":
            helpers[source].append((target, 0, resolution))
    for test in [node for node in nodes.nodes if node.kind is NodeKind.TEST]:
        setups = _setups(engine, nodes, test.id)
        found = _reach(test.id, calls, helpers, setups, nodes)
        for target, (distance, line, resolution) in found.items():
            collector.add(EdgeKind.TESTED_BY, target, test.id, line, resolution, None, distance)


def _reach(
    test: int,
    calls: dict[int, list[Step]],
    helpers: dict[int, list[Step]],
    setups: list[int],
    nodes: Nodes,
) -> dict[int, tuple[int, int, Resolution]]:
    found: dict[int, tuple[int, int, Resolution]] = {}
    seen = {test}
    level = [(test, 0)]
    for distance in range(MAX_DISTANCE + 1):
        following: list[tuple[int, int]] = []
        for source, line in level:
            for target, at, resolution in calls.get(source, ()):
                where = at if source == test else line
                if target == test:
                    continue
                if target not in found:
                    found[target] = (distance, where, resolution)
                if nodes.nodes[target - 1].is_test and target not in seen:
                    seen.add(target)
                    following.append((target, where))
            for target, _, _ in helpers.get(source, ()):
                if target not in seen:
                    seen.add(target)
                    found.setdefault(target, (distance, 0, Resolution.EXACT))
                    following.append((target, 0))
        if distance == 0:
            following += [(setup, 0) for setup in setups if setup not in seen]
        level = following
    return found


def _setups(engine: Evaluator, nodes: Nodes, test: int) -> list[int]:
    """Nodes of the tests' own code that runs around a test; a framework's base classes test nothing."""
    program = engine.program
    number = nodes.definition_of(test)
    owner = program.class_of[number]
    file = program.definition_file[number]
    names = engine.semantics[file].setup_names
    scopes = [program.scope_base[file]]
    bases = engine.linearization(owner) if owner >= 0 else ()
    scopes += [body for base in bases if isinstance(base, int) and (body := program.body_of(base)) >= 0]
    found: list[int] = []
    for scope in scopes:
        bindings = program.scopes[scope].bindings
        offset = program.definition_base[program.scope_file[scope]]
        for name in sorted(names & bindings.keys()):
            found += [
                nodes.node_of[offset + payload]
                for kind, payload, _ in bindings[name]
                if kind == BindingKind.DEFINITION and _is_test_code(nodes, nodes.node_of[offset + payload])
            ]
    return found


def _is_test_code(nodes: Nodes, node: int) -> bool:
    return node > 0 and nodes.nodes[node - 1].is_test
