"""Small programs that say in comments what each line calls; see ``annotations`` for how to write one."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_review_graph.model import NodeKind
from code_review_graph.parsing import parse_source
from code_review_graph.resolving import resolve
from tests.languages.annotations import Case, cases, check, load
from tests.languages.javascript.known_failures import KNOWN_FAILURES

CASES = cases(Path(__file__).parent / "fixtures")


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
    check(load(case.root), case.item)


def test_known_failures_exist() -> None:
    assert not KNOWN_FAILURES.keys() - {case.name for case in CASES}


def _nodes(path: str, source: str) -> set[str]:
    graph = resolve([(path, parse_source(path, source.encode()).facts)])
    return {
        f"{node.kind.value} {node.qualified_name.partition('::')[2]} {node.start_line}"
        for node in graph.nodes
        if node.kind is not NodeKind.FILE
    }


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("export default function () {}", {"Function default 1"}),
        ("module.exports = function () {}", {"Function exports 1"}),
        ("module.exports = function named() {}", {"Function named 1"}),
        ("exports.f = () => 1", {"Function f 1"}),
        ("var a = {};\na.b = function () {}", {"Method a.b 2"}),
        ("unknown.b = function () {}", {"Function unknown.b 1"}),
        ("function A() {}\nA.prototype.m = function () {}", {"Function A 1", "Method A.m 2"}),
        (
            "class A { #x() {} static y() {} z = () => 1 }",
            {"Class A 1", "Method A.#x 1", "Method A.y 1", "Method A.z 1"},
        ),
        ("const o = { f() {}, g: () => 1, h: 2 }", {"Constant o 1", "Method o.f 1", "Method o.g 1"}),
        ("const data = { a: 1 }", set()),
        ("f(function () {}, () => 1)", set()),
        ("f(function named() {})", {"Function named 1"}),
        ("function outer() { const inner = () => 1 }", {"Function outer 1", "Function outer.inner 1"}),
        ("const LIMIT = 5; let limit = 6", {"Constant LIMIT 1"}),
        ("export const routes = []", {"Constant routes 1"}),
    ],
)
def test_nodes(source: str, expected: set[str]) -> None:
    assert _nodes("a.js", source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("interface I { m(): void; p: I }", {"Interface I 1", "Method I.m 1"}),
        ("type A = string | B", {"Type A 1"}),
        ("type A = { m(): void }", {"Interface A 1", "Method A.m 1"}),
        ("enum E { A, B = 2 }", {"Class E 1"}),
        ("namespace N { export function f() {} }", {"Module N 1", "Function N.f 1"}),
        ("function f(a: string): void;\nfunction f(a: any) {}", {"Function f 2"}),
        ("declare function f(a: string): void;\ndeclare function f(a: number): void;", {"Function f 1"}),
        ("abstract class A { abstract m(): void }", {"Class A 1", "Method A.m 1"}),
        ("function f(a: { b(): void }) {}", {"Function f 1"}),
        ("class A { static m(a: string): void; static m(a: any) {} }", {"Class A 1", "Method A.m 1"}),
    ],
)
def test_nodes_of_types(source: str, expected: set[str]) -> None:
    assert _nodes("a.ts", source) == expected


def test_documentation_comments_stand_before_keywords_and_decorators() -> None:
    source = "/** Makes. */\nexport async function f() {}\n/** Holds. */\n@Dec()\nexport class C {}\n"
    graph = resolve([("a.ts", parse_source("a.ts", source.encode()).facts)])
    assert {node.name: node.docstring for node in graph.nodes[1:]} == {"f": "Makes.", "C": "Holds."}


@pytest.mark.parametrize(
    "source",
    [
        "(" * 3000 + "1" + ")" * 3000,
        "x=" + "{a:" * 2000 + "1" + "}" * 2000,
        "x=" + "a+" * 20000 + "a",
        "a=" * 3000 + "1",
        "()=>" * 2000 + "1",
        "class {",
        "export { , } from",
        "const {a: [b = ] = } = ;",
        "x = `${",
    ],
    ids=["brackets", "objects", "sums", "assignments", "arrows", "class", "export", "pattern", "template"],
)
@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx"])
def test_hostile_text_is_survived(path: str, source: str) -> None:
    resolve([(path, parse_source(path, source.encode()).facts)])
