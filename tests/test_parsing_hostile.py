"""Hostile sources in every language: nothing fails, and what a sane definition beside them says is still found."""

from __future__ import annotations

import pytest

from code_review_graph.model import EdgeKind
from code_review_graph.parsing import parse_source
from code_review_graph.resolving import resolve

MANY = 1500
SCRIPT = "\nfunction calm() { return still() }\nfunction still() { return 1 }\n"
GO = "\nfunc calm() int { return still() }\nfunc still() int { return 1 }\n"
JAVA = "\nclass Calm { int calm() { return still(); } int still() { return 1; } }\n"

SCRIPTS = {
    "call chain": "x" + ".a()" * MANY + ";",
    "parentheses": "(" * MANY + "1" + ")" * MANY + ";",
    "objects": "x = " + "{a: " * MANY + "1" + "}" * MANY + ";",
    "functions": "function f() {" * 500 + "}" * 500,
    "arrows": "x = " + "() => " * MANY + "1;",
    "ternaries": "x = " + "a ? b : " * MANY + "c;",
    "blocks of tests": "describe('a', () => {" * 300 + "it('x', () => { f() })" + "})" * 300,
    "stars": "".join(f"export * from './m{i}'\n" for i in range(MANY)) + "export * from './a'\n",
    "classes": "class C0 {}\n" + "".join(f"class C{i} extends C{i - 1} {{}}\n" for i in range(1, MANY)),
    "a class that is its own base": "class A extends B {}\nclass B extends A { m() { this.n(); super.m() } }",
    "else if": "if (a) {}" + " else if (b) { f() }" * MANY,
    "reassigned": "let x;" + " x = x.y();" * MANY,
}
GOES = {
    "call chain": "func f() { x" + ".a()" * MANY + " }",
    "blocks": "func f() {" + "{" * MANY + "}" * MANY + "}",
    "structs": "type T " + "struct{a " * 500 + "int" + "}" * 500,
    "embedded": "type T0 struct{}\n" + "".join(f"type T{i} struct{{ T{i - 1} }}\n" for i in range(1, MANY)),
    "embedded in a circle": "type A struct{ B }\ntype B struct{ A }\nfunc f(a A) { a.m() }",
    "interfaces in a circle": "type A interface{ B; X() }\ntype B interface{ A; Y() }\nfunc f(a A) { a.Z() }",
    "aliases in a circle": "type A B\ntype B A\nfunc f(a A) { a.m(); for range a {} }",
    "declared again": "func f() { x := 1\n" + "x := g(x)\n" * 500 + "}",
}
JAVAS = {
    "call chain": "class A { void f() { x" + ".a()" * MANY + "; } }",
    "nested": "class A {" * 500 + "}" * 500,
    "lambdas": "class A { Object x = " + "() -> " * MANY + "1; }",
    "nameless": "class A { Object x = " + "new Object() { Object y = " * 300 + "null" + "; }" * 300 + "; }",
    "overloads": "class A {" + "".join(f"void f(T{i} a) {{ f(a); }}\n" for i in range(200)) + "}",
    "a class that is its own base": "class A extends B { void f() { g(); } } class B extends A {}",
    "a type that is its own bound": "class A<T extends A<T>> { T f() { return f().f(); } }",
    "else if": "class A { void f() { if (a) {}" + " else if (b) { g(); }" * MANY + "} }",
}
CASES = [
    *[pytest.param("a.ts", text + SCRIPT, id=f"ts: {name}") for name, text in SCRIPTS.items()],
    *[pytest.param("a.jsx", text + SCRIPT, id=f"jsx: {name}") for name, text in SCRIPTS.items()],
    *[pytest.param("a.go", f"package p\n{text}{GO}", id=f"go: {name}") for name, text in GOES.items()],
    *[pytest.param("a.java", JAVA + text, id=f"java: {name}") for name, text in JAVAS.items()],
]


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("path", "source"), CASES)
def test_hostile_source_costs_only_itself(path: str, source: str) -> None:
    graph = resolve([(path, parse_source(path, source.encode()).facts)])
    named = {node.id: node.name for node in graph.nodes}
    calls = {(named[edge.source], named[edge.target]) for edge in graph.edges if edge.kind is EdgeKind.CALLS}
    assert ("calm", "still") in calls


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx", "a.vue", "a.svelte", "a.go", "a.java"])
@pytest.mark.parametrize(
    "source",
    [b"", b"\0\0", b"\xff\xfe{(", b"\xef\xbb\xbf", b"<script>", b"func f({[(" * 200, b"class A { void f() { (["],
    ids=["empty", "nul", "latin-1", "bom", "open tag", "unclosed", "cut off"],
)
def test_what_is_no_code_is_survived(path: str, source: bytes) -> None:
    graph = resolve([(path, parse_source(path, source).facts)])
    assert graph.nodes[0].qualified_name == path


def test_languages_do_not_reach_each_other() -> None:
    sources = {
        "app/tool.py": "import helper\nfrom app import shared\n\ndef run():\n    help_out()\n    shared.go()\n",
        "app/helper.py": "def help_out():\n    pass\n",
        "app/shared.js": "export function go() {}\nexport function help_out() {}\n",
        "app/use.js": "import { go } from './tool'\nimport './helper'\ngo(); help_out(); new Tool().run();\n",
        "app/tool.go": "package app\nfunc run() { help_out(); go_on() }\ntype Tool struct{}\nfunc (t Tool) run() {}\n",
        "app/Tool.java": "package app;\nclass Tool { void run() { help_out(); go(); Tool.go_on(); } }\n",
        "app/other.ts": "declare function go_on(): void\nexport const x = () => go_on()\n",
    }
    graph = resolve([(path, parse_source(path, text.encode()).facts) for path, text in sources.items()])
    languages = {
        node.id: "js" if node.language in {"javascript", "typescript"} else node.language for node in graph.nodes
    }
    across = [edge for edge in graph.edges if languages[edge.source] != languages[edge.target]]
    assert across == []
