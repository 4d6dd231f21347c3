"""Small packages that say in comments what each line calls; see ``annotations`` for how to write one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from code_review_graph.languages import is_config_file
from code_review_graph.model import Edge, EdgeKind, Graph, Node, NodeKind, ReferenceKind, Resolution
from code_review_graph.parsing import parse_source
from code_review_graph.resolving import RepositoryContext, resolve
from tests.languages.python.annotations import Expectation, read_expectations
from tests.languages.python.known_failures import KNOWN_FAILURES

FIXTURES = Path(__file__).parent / "fixtures"
_REDEFINED = re.compile(r"@\d+")


class Fixture(NamedTuple):
    """One resolved folder; ``ids`` has the nodes of a written name in order of line."""

    graph: Graph
    ids: dict[str, list[int]]

    def node(self, node_id: int) -> Node:
        return self.graph.nodes[node_id - 1]

    def target(self, reference: str) -> int:
        """Node of a written reference; fails on one that names nothing."""
        name, _, place = reference.partition("#")
        found = self.ids.get(name, [])
        position = int(place or 1) - 1
        assert position < len(found), f"the fixture has no {reference}"
        return found[position]

    def enclosing(self, path: str, line: int) -> set[int]:
        """The innermost definition around a line; on the line of a ``def`` also what lies around it."""
        around = [
            node
            for node in self.graph.nodes
            if node.path == path and node.start_line <= line <= node.end_line and node.kind is not NodeKind.CONSTANT
        ]
        around.sort(key=lambda node: (node.kind is not NodeKind.FILE, node.start_line, -node.end_line))
        found: set[int] = set()
        for node in reversed(around):
            found.add(node.id)
            if node.start_line != line or node.kind is NodeKind.FILE:
                break
        return found

    def calls_from(self, path: str, line: int) -> list[Edge]:
        """Call edges, guesses aside, that leave the definition around a line at this line."""
        sources = self.enclosing(path, line)
        return [
            edge
            for edge in self.graph.edges
            if edge.kind is EdgeKind.CALLS
            and edge.source in sources
            and line in edge.lines
            and edge.resolution is not Resolution.GUESS
        ]


@cache
def load(topic: str) -> Fixture:
    root = FIXTURES / topic
    files = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    parsed = []
    config: dict[str, bytes] = {}
    for file in files:
        path = file.relative_to(root).as_posix()
        if is_config_file(file.name):
            config[path] = file.read_bytes()
        elif file.suffix == ".py":
            parsed.append((path, parse_source(path, file.read_bytes()).facts))
    graph = resolve(parsed, RepositoryContext(config))
    ids: dict[str, list[int]] = defaultdict(list)
    for node in sorted(graph.nodes, key=lambda node: (node.path, node.start_line)):
        ids[_REDEFINED.sub("", node.qualified_name)].append(node.id)
    return Fixture(graph, dict(ids))


def check(fixture: Fixture, item: Expectation) -> None:
    """Assert one expectation."""
    if item.rule in {"tested-by", "not-tested-by"}:
        _check_tested(fixture, item)
    elif item.rule in {"external", "unresolved"}:
        sources = fixture.enclosing(item.path, item.line)
        names = [
            reference.name
            for reference in fixture.graph.references
            if reference.source in sources
            and item.line in reference.lines
            and reference.kind is ReferenceKind(item.rule)
        ]
        assert names if not item.reference else item.reference in names, f"references: {names}"
    else:
        _check_call(fixture, item)


def _check_call(fixture: Fixture, item: Expectation) -> None:
    edges = fixture.calls_from(item.path, item.line)
    seen = sorted(f"{edge.resolution} {fixture.node(edge.target).qualified_name}" for edge in edges)
    targets = {edge.target for edge in edges}
    if item.rule == "->":
        found = [edge for edge in edges if edge.target == fixture.target(item.reference)]
        assert found, f"no edge to {item.reference}; drawn: {seen}"
        if item.detail:
            assert item.detail in {edge.resolution for edge in found}, f"drawn: {seen}"
    elif item.rule == "not->":
        assert fixture.target(item.reference) not in targets, f"drawn: {seen}"
    elif item.rule == "none":
        assert not targets, f"drawn: {seen}"
    else:
        allowed = {fixture.target(name) for name in item.reference.split(", ")}
        assert targets <= allowed, f"drawn: {seen}"


def _check_tested(fixture: Fixture, item: Expectation) -> None:
    node = max(
        (
            n
            for n in fixture.graph.nodes
            if n.path == item.path and n.start_line == item.line and n.kind != NodeKind.FILE
        ),
        key=lambda n: n.end_line,
    )
    test = fixture.target(item.reference)
    found = [
        edge
        for edge in fixture.graph.edges
        if edge.kind is EdgeKind.TESTED_BY and edge.source == node.id and edge.target == test
    ]
    if item.rule == "not-tested-by":
        assert not [edge for edge in found if edge.resolution is not Resolution.GUESS]
    else:
        assert found, "no such test"
        if item.detail:
            assert [edge.distance for edge in found] == [int(item.detail)]


class Case(NamedTuple):
    """An expectation and the name it has in ``KNOWN_FAILURES``: stable when lines move."""

    topic: str
    item: Expectation
    name: str


def _cases() -> list[Case]:
    cases: list[Case] = []
    for root in sorted(path for path in FIXTURES.iterdir() if path.is_dir()):
        fixture = load(root.name)
        count: Counter[str] = Counter()
        for item in read_expectations(root):
            where = fixture.node(max(fixture.enclosing(item.path, item.line))).qualified_name
            name = f"{root.name}/{_REDEFINED.sub('', where)} {item.rule} {item.detail} {item.reference}"
            name = " ".join(name.split())
            count[name] += 1
            cases.append(Case(root.name, item, f"{name} ({count[name]})" if count[name] > 1 else name))
    return cases


CASES = _cases()


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=case.name,
            marks=[pytest.mark.xfail(strict=True, reason=KNOWN_FAILURES[case.name])]
            if case.name in KNOWN_FAILURES
            else [],
        )
        for case in CASES
    ],
)
def test_line(case: Case) -> None:
    check(load(case.topic), case.item)


def test_known_failures_exist() -> None:
    assert not KNOWN_FAILURES.keys() - {case.name for case in CASES}
