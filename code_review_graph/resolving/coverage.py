"""TESTED_BY: from a test through its own helpers and fixtures to the definitions that it exercises.

The walk goes on through code of the tests only. The first definition of the product on each path is what is tested;
what that definition calls in turn is its own business, or every test would cover everything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from code_review_graph.facts import BindingKind
from code_review_graph.model import EdgeKind, NodeKind, Resolution
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.evaluator import Evaluator
from code_review_graph.resolving.nodes import Nodes

# Helpers between a test and what it tests; longer chains are frameworks.
MAX_DISTANCE: Final = 4
CERTAIN: Final = (Resolution.EXACT, Resolution.INFERRED)
_RANK: Final = {resolution: rank for rank, resolution in enumerate(CERTAIN)}
_NO_LINE: Final = 1 << 30  # behind all lines
_WORST: Final = len(CERTAIN)
FIXTURE: Final = "fixture"  # the construct of an edge to a fixture

Step = tuple[int, int, Resolution]  # target node, line, resolution


class Ways:
    """Where a test leads: certain calls and fixtures by the node that they leave; which nodes are tests' own code."""

    def calls(self, node: int) -> Sequence[Step]:
        """Certain calls in a node."""
        raise NotImplementedError

    def fixtures(self, node: int) -> Sequence[Step]:
        """Fixtures that a node uses."""
        raise NotImplementedError

    def is_test_code(self, node: int) -> bool:
        """Whether a node belongs to the tests."""
        raise NotImplementedError


class _AllWays(Ways):
    """The ways of a whole graph."""

    def __init__(self, nodes: Nodes, collector: Collector) -> None:
        self._nodes = nodes
        self._calls: dict[int, list[Step]] = defaultdict(list)
        self._fixtures: dict[int, list[Step]] = defaultdict(list)
        for source, target, line, resolution, _ in collector.sites(EdgeKind.CALLS):
            if resolution in CERTAIN:
                self._calls[source].append((target, line, resolution))
        for source, target, _, resolution, via in collector.sites(EdgeKind.REFERENCES):
            if via == FIXTURE:
                self._fixtures[source].append((target, 0, resolution))

    def calls(self, node: int) -> Sequence[Step]:
        return self._calls.get(node, ())

    def fixtures(self, node: int) -> Sequence[Step]:
        return self._fixtures.get(node, ())

    def is_test_code(self, node: int) -> bool:
        return node > 0 and self._nodes.nodes[node - 1].is_test


def draw_coverage(engine: Evaluator, nodes: Nodes, collector: Collector) -> None:
    """Draw TESTED_BY edges (definition to test) with their distance."""
    ways = _AllWays(nodes, collector)
    for test in [node for node in nodes.nodes if node.kind is NodeKind.TEST]:
        draw_covered(engine, nodes, collector, test.id, ways)


def draw_covered(engine: Evaluator, nodes: Nodes, collector: Collector, test: int, ways: Ways) -> None:
    """Draw the TESTED_BY edges of one test."""
    setups = _setups(engine, nodes, test, ways)
    for target, (distance, line, resolution) in _reach(test, ways, setups).items():
        collector.add(EdgeKind.TESTED_BY, target, test, line, resolution, None, distance)


def _reach(test: int, ways: Ways, setups: list[int]) -> dict[int, tuple[int, int, Resolution]]:
    """What a test reaches: distance, line in the test from which the way leads on, and certainty.

    Of ways of one length the one that leaves the test first counts; fixtures leave it on no line of its own.
    """
    found: dict[int, tuple[int, int, Resolution]] = {}
    seen = {test}
    level = {test: 0}
    for distance in range(MAX_DISTANCE + 1):
        reached: dict[int, tuple[int, int]] = {}
        following: dict[int, int] = {}
        for source, line in level.items():
            for target, at, resolution in ways.calls(source):
                if target != test:
                    where = at if source == test else line
                    reached[target] = min(reached.get(target, (where, _WORST)), (where, _RANK[resolution]))
                    if target not in seen and ways.is_test_code(target):
                        following[target] = min(following.get(target, where), where)
            for target, _, _ in ways.fixtures(source):
                if target not in seen:
                    reached[target] = min(reached.get(target, (_NO_LINE, 0)), (_NO_LINE, 0))
                    following.setdefault(target, _NO_LINE)
        for target, (where, rank) in reached.items():
            found.setdefault(target, (distance, 0 if where == _NO_LINE else where, CERTAIN[rank]))
        if distance == 0:
            following |= {setup: _NO_LINE for setup in setups if setup not in seen and setup not in following}
        seen |= following.keys()
        level = following
    return found


def _setups(engine: Evaluator, nodes: Nodes, test: int, ways: Ways) -> list[int]:
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
                if kind == BindingKind.DEFINITION and ways.is_test_code(nodes.node_of[offset + payload])
            ]
    return found
