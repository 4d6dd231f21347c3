"""From the dirty files of an edit to what the store has to change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from code_review_graph.model import Edge, EdgeKind, NodeKind
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.coverage import CERTAIN, FIXTURE, MAX_DISTANCE, Step, Ways, draw_covered
from code_review_graph.resolving.guessing import add_guesses
from code_review_graph.resolving.partial.keeping import pack_nodes, packed, unpack_nodes
from code_review_graph.resolving.partial.source import FileChange, NotInPart, PartialGraph
from code_review_graph.resolving.partial.spread import Spread
from code_review_graph.values import Values

# Tests whose cover is drawn anew at most.
MAX_TESTS = 3000


def changed_graph(spread: Spread) -> PartialGraph:
    """All that differs from what is stored."""
    add_guesses(spread.collector, lambda _, name: _bearing(spread, name))
    spread.add_kept()
    program, numbers = spread.new.program, spread.new.numbers
    graph = PartialGraph(removed=list(spread.edit.removed))
    changes = {file: FileChange(program.paths[file], numbers.ids[file]) for file in sorted(spread.dirty)}
    holder = _holders(spread)
    for edge in spread.collector.edges():
        changes[holder[edge.source]].edges.append(edge)
    for reference in spread.collector.references():
        changes[holder[reference.source]].references.append(reference)
    for file, change in changes.items():
        brought = spread.new.brought_by(file)
        change.links = list(packed(numbers, [link for links in brought.values() for link in links]))
        if change.path in spread.edit.edited:
            _add_nodes(spread, file, change)
        graph.files.append(change)
    _add_old_words(spread, graph)
    _add_passed(spread, graph)
    _add_coverage(spread, graph)
    return graph


def _holders(spread: Spread) -> dict[int, int]:
    """Dirty files by their nodes."""
    found: dict[int, int] = {}
    for file in spread.dirty:
        found[spread.nodes.file_nodes[file]] = file
        start = spread.new.program.definition_base[file]
        for number in range(start, start + spread.new.program.definition_count(file)):
            found[spread.nodes.node_of[number]] = file
    found.pop(0, None)
    return found


def _add_nodes(spread: Spread, file: int, change: FileChange) -> None:
    program, nodes = spread.new.program, spread.nodes
    change.nodes = [node for node in nodes.nodes if node.path == change.path]
    start = program.definition_base[file]
    own = [nodes.node_of[number] for number in range(start, start + program.definition_count(file))]
    change.numbering = pack_nodes(nodes.file_nodes[file], own)
    slots = spread.edit.slots.get(change.file_id)
    change.slots = None if slots is None else slots.pack()


def _add_old_words(spread: Spread, graph: PartialGraph) -> None:
    before = spread.old.program
    for path in (*spread.edit.edited, *graph.removed):
        file = before.file_of_path.get(path, -1)
        if file >= 0:
            facts = spread.edit.facts_before(path)
            file_node, nodes = unpack_nodes(spread.edit.source.numbering(spread.old.numbers.ids[file]))
            graph.old_words[file_node] = facts.body_words
            for node, definition in zip(nodes, facts.definitions, strict=True):
                graph.old_words[node] = definition.body_words


def _bearing(spread: Spread, name: str) -> list[int]:
    """Nodes of the product's methods of one name."""
    world, found = spread.new, list[int]()
    program = world.program
    for file in sorted(set(spread.edit.defining_after(name))):
        semantics = world.engine.semantics[file]
        if semantics.testing.is_test_path(program.paths[file]):
            continue
        start = program.definition_base[file]
        for number in range(start, start + program.definition_count(file)):
            if (
                program.class_of[number] >= 0
                and program.definitions[number].name == name
                and spread.nodes.node_of[number]
            ):
                found.append(spread.nodes.node_of[number])
    return found


def _add_passed(spread: Spread, graph: PartialGraph) -> None:
    world = spread.new
    for level, table in world.passed.items():
        for file in {world.program.definition_file[function] for function, _ in table}:
            found: dict[tuple[int, int], Values] = world.passed_to(file, level)
            graph.passed[(world.numbers.ids[file], level)] = world.numbers.pack_passed(found)


class _KnownWays(Ways):
    """Ways of which some are new and the rest is stored."""

    def __init__(self, spread: Spread) -> None:
        self._spread = spread
        self._holders = _holders(spread)
        self._new: dict[int, list[Edge]] = defaultdict(list)
        for edge in spread.collector.edges():
            self._new[edge.source].append(edge)
        self._steps: dict[int, tuple[list[Step], list[Step]]] = {}
        self._is_test: dict[int, bool] = {}

    def calls(self, node: int) -> Sequence[Step]:
        return self._of(node)[0]

    def fixtures(self, node: int) -> Sequence[Step]:
        return self._of(node)[1]

    def _of(self, node: int) -> tuple[list[Step], list[Step]]:
        if node not in self._steps:
            kinds = (EdgeKind.CALLS, EdgeKind.REFERENCES)
            edges = self._new.get(node, [])
            if node not in self._holders:
                edges = self._spread.edit.source.edges_from([node], kinds)
            calls: list[Step] = [
                (edge.target, min(edge.lines, default=0), edge.resolution)
                for edge in edges
                if edge.kind is EdgeKind.CALLS and edge.resolution in CERTAIN
            ]
            used = [
                (edge.target, 0, edge.resolution)
                for edge in edges
                if edge.kind is EdgeKind.REFERENCES and edge.via == FIXTURE
            ]
            self._steps[node] = (calls, used)
        return self._steps[node]

    def is_test_code(self, node: int) -> bool:
        if node not in self._is_test:
            file = self._holders.get(node, -1)
            if file < 0:
                path = self._spread.edit.source.paths_of([node]).get(node, "")
                file = self._spread.new.program.file_of_path.get(path, -1)
            self._is_test[node] = file >= 0 and _is_test_file(self._spread, file)
        return self._is_test[node]


def _is_test_file(spread: Spread, file: int) -> bool:
    return spread.new.engine.semantics[file].testing.is_test_path(spread.new.program.paths[file])


def _add_coverage(spread: Spread, graph: PartialGraph) -> None:
    """Cover of the tests whose way leads through a dirty file."""
    program = spread.new.program
    reached = {program.paths[file] for file in spread.dirty if _is_test_file(spread, file)}
    reached |= {path for path in graph.removed if spread.new.engine.semantics[0].testing.is_test_path(path)}
    fresh = set(reached)
    for _ in range(MAX_DISTANCE + 1):
        around = spread.edit.source.paths_reaching(fresh)
        known = {path for path in around if path in program.file_of_path} - reached
        fresh = {path for path in known if _is_test_file(spread, program.file_of_path[path])}
        if not fresh:
            break
        reached |= fresh
    ways = _KnownWays(spread)
    collector = Collector()
    tests = _tests(spread, sorted(reached))
    if len(tests) > MAX_TESTS:
        raise NotInPart
    for test in tests:
        draw_covered(spread.new.engine, spread.nodes, collector, test, ways)
    graph.tests = tests
    graph.covered = collector.edges()


def _tests(spread: Spread, paths: list[str]) -> list[int]:
    """Nodes of the tests in some files."""
    found: list[int] = []
    for path in paths:
        file = spread.new.program.file_of_path.get(path, -1)
        if file < 0:
            continue
        if path in spread.edit.edited:
            listed = [node for node in spread.nodes.nodes if node.path == path]
        else:
            listed = spread.edit.source.nodes_in_file(path)
            spread.nodes.file_nodes[file]
        found += [node.id for node in listed if node.kind is NodeKind.TEST]
    return found
