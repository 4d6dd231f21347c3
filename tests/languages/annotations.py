"""Reads what a fixture says of itself, in languages whose comments start with ``//``, and checks it.

``// -> a.js::f, inferred ::C.m``  these edges leave this line; a resolution is checked where it is named
``// only-> a.js::f``              as ``->``, and no other definition of the fixture is called from this line
``// not-> b.js::f``               no edge to this definition from this line (a guess is no edge)
``// none``                        nothing of the fixture is called from this line
``// refers ::f``                  a reference to this definition leaves this line
``// external [name]``, ``// unresolved [name]``   the line has such a reference
``// tested-by [distance] t.js::test`` and ``// not-tested-by t.js::test``   behind the line of a definition
``// inherits ::A``, ``// implements ::I``, ``// overrides ::A.m``   edges of the definition on this line

Several stand in one comment, divided by semicolons. A path is seen from the fixture's folder and left out for the file
itself; ``::f#2`` is the second definition of that name. A comment that fills its line speaks of the code above it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from code_review_graph.languages import is_config_file, language_of
from code_review_graph.model import Edge, EdgeKind, Graph, Node, NodeKind, ReferenceKind, Resolution
from code_review_graph.parsing import parse_source
from code_review_graph.resolving import RepositoryContext, resolve

_WORDS = "none|refers|external|unresolved|tested-by|not-tested-by|inherits|implements|overrides"
_COMMENT = re.compile(rf"(?:^|\s)(?://|\{{/\*)\s*((?:(?:{_WORDS})\b|(?:only|not)?->).*?)\s*(?:\*/\}})?$")
_DIRECTIVE = re.compile(
    r"(->|only->|not->|none|refers|external|unresolved|tested-by|not-tested-by|inherits|implements|overrides)"
    r"(?:\s+(.*))?$"
)
_REFERENCE = re.compile(r"(?:(exact|inferred|dispatch|callback|decorator|\d+) )?(\S.*)$")
_REDEFINED = re.compile(r"@\d+")
_RELATIONS = {"inherits": EdgeKind.INHERITS, "implements": EdgeKind.IMPLEMENTS, "overrides": EdgeKind.OVERRIDES}


class Expectation(NamedTuple):
    """What one line must show; ``detail`` is a resolution, a construct or a distance, ``line`` 1-based."""

    path: str
    line: int
    rule: str
    reference: str = ""
    detail: str = ""


def read_expectations(root: Path) -> Iterator[Expectation]:
    """Expectations of all source files under a fixture's folder, in order."""
    for file in _source_files(root):
        path = file.relative_to(root).as_posix()
        last_code = 0
        for number, text in enumerate(file.read_text("utf-8").splitlines(), 1):
            comment = _COMMENT.search(text)
            fills_line = text.lstrip().startswith(("//", "{/*"))
            if text.strip() and not fills_line:
                last_code = number
            for part in comment[1].split(";") if comment else ():
                yield from _parse(path, last_code if fills_line else number, part.strip())


def _source_files(root: Path) -> list[Path]:
    files = sorted(path for path in root.rglob("*") if path.is_file())
    return [path for path in files if language_of(path.name) is not None]


def _parse(path: str, line: int, text: str) -> Iterator[Expectation]:
    directive = _DIRECTIVE.match(text)
    if directive is None:
        raise ValueError(f"{path}:{line}: cannot read {text!r}")
    rule, operands = directive[1], directive[2] or ""
    if rule == "only->":
        references = list(_references(path, line, "->", operands))
        yield from references
        yield Expectation(path, line, "only->", ", ".join(item.reference for item in references))
    elif rule in {"none", "external", "unresolved"}:
        yield Expectation(path, line, rule, operands)
    else:
        yield from _references(path, line, rule, operands)


def _references(path: str, line: int, rule: str, operands: str) -> Iterator[Expectation]:
    for item in operands.split(", "):
        reference = _REFERENCE.match(item.strip())
        if reference is None:
            raise ValueError(f"{path}:{line}: cannot read {item!r}")
        target = f"{path}{reference[2]}" if reference[2].startswith("::") else reference[2]
        yield Expectation(path, line, rule, target, reference[1] or "")


class Fixture(NamedTuple):
    """One resolved folder; ``ids`` has the nodes of a written name in order of line."""

    graph: Graph
    ids: dict[str, list[int]]

    def node(self, node_id: int) -> Node:
        """A node by its number."""
        return self.graph.nodes[node_id - 1]

    def target(self, reference: str) -> int:
        """Node of a written reference; fails on one that names nothing."""
        name, _, place = reference.partition("#") if re.search(r"#\d+$", reference) else (reference, "", "")
        found = self.ids.get(name, [])
        position = int(place or 1) - 1
        assert position < len(found), f"the fixture has no {reference}"
        return found[position]

    def enclosing(self, path: str, line: int) -> set[int]:
        """The innermost definition around a line; on its first line also what lies around it."""
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

    def edges_from(self, kind: EdgeKind, path: str, line: int) -> list[Edge]:
        """Edges of a kind, guesses aside, that leave the definition around a line at this line."""
        sources = self.enclosing(path, line)
        return [
            edge
            for edge in self.graph.edges
            if edge.kind is kind
            and edge.source in sources
            and line in edge.lines
            and edge.resolution is not Resolution.GUESS
        ]


@cache
def load(root: Path) -> Fixture:
    """Resolve a folder as if it were a repository."""
    parsed = []
    config: dict[str, bytes] = {}
    for file in sorted(path for path in root.rglob("*") if path.is_file()):
        path = file.relative_to(root).as_posix()
        if is_config_file(file.name):
            config[path] = file.read_bytes()
        if language_of(path) is not None:
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
    elif item.rule in _RELATIONS or item.rule == "refers":
        kind = _RELATIONS.get(item.rule, EdgeKind.REFERENCES)
        targets = {edge.target for edge in fixture.edges_from(kind, item.path, item.line)}
        assert fixture.target(item.reference) in targets, sorted(fixture.node(n).qualified_name for n in targets)
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
    edges = fixture.edges_from(EdgeKind.CALLS, item.path, item.line)
    seen = sorted(f"{edge.resolution} {fixture.node(edge.target).qualified_name}" for edge in edges)
    targets = {edge.target for edge in edges}
    if item.rule == "->":
        found = [edge for edge in edges if edge.target == fixture.target(item.reference)]
        assert found, f"no edge to {item.reference}; drawn: {seen}"
        if item.detail:
            assert item.detail in {detail for edge in found for detail in (edge.resolution, edge.via)}, f"drawn: {seen}"
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
    """An expectation and a name that stays when lines move."""

    root: Path
    item: Expectation
    name: str


def cases(fixtures: Path) -> list[Case]:
    """Every expectation of every folder under ``fixtures``."""
    found: list[Case] = []
    for root in sorted(path for path in fixtures.iterdir() if path.is_dir()):
        fixture = load(root)
        count: Counter[str] = Counter()
        for item in read_expectations(root):
            where = fixture.node(max(fixture.enclosing(item.path, item.line))).qualified_name
            name = f"{root.name}/{_REDEFINED.sub('', where)} {item.rule} {item.detail} {item.reference}"
            name = " ".join(name.split())
            count[name] += 1
            found.append(Case(root, item, f"{name} ({count[name]})" if count[name] > 1 else name))
    return found
