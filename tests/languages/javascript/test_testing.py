"""What runners collect, by the documentation of jest, vitest, mocha, jasmine, Node, bun, Deno, playwright and QUnit."""

from __future__ import annotations

import pytest
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from code_review_graph.facts import Import
from code_review_graph.languages.javascript.testing import (
    HOOK,
    MAX_TITLE,
    SUITE,
    TEST,
    Block,
    block_of,
    holds_tests,
    is_test_path,
)
from code_review_graph.model import EdgeKind, Graph, NodeKind
from code_review_graph.parsing import parse_source
from code_review_graph.resolving import resolve

_PARSER = Parser(Language(tree_sitter_typescript.language_tsx()))


def _first_call(source: str) -> Node:
    node = _PARSER.parse(source.encode()).root_node.named_children[0]
    while node.type != "call_expression":
        node = node.named_children[0]
    return node


def _block(source: str) -> Block | None:
    return block_of(_first_call(source))


@pytest.mark.parametrize(
    ("callee", "kind"),
    [
        *[(name, SUITE) for name in ("describe", "context", "suite", "fdescribe", "xdescribe", "xcontext")],
        *[(name, TEST) for name in ("it", "test", "specify", "fit", "xit", "xtest")],
        *[(f"describe.{name}", SUITE) for name in ("only", "skip", "todo", "concurrent", "sequential", "shuffle")],
        *[(f"it.{name}", TEST) for name in ("only", "skip", "todo", "concurrent", "failing", "fails")],
        *[(f"test.{name}", TEST) for name in ("only", "skip", "serial", "fixme", "fail", "cb", "concurrent.only")],
        ("describe.each([1, 2])", SUITE),
        ("describe.only.each([1, 2])", SUITE),
        ("test.each([1, 2])", TEST),
        ("test.each`a | b\n${1} | ${2}`", TEST),
        ("it.concurrent.only.each([1])", TEST),
        ("test.for([1])", TEST),
        ("test.skipIf(process.env.CI)", TEST),
        ("test.runIf(isLinux)", TEST),
        ("test.if(isLinux)", TEST),
        ("test.describe", SUITE),
        ("test.describe.only", SUITE),
        ("test.describe.serial", SUITE),
        ("test.describe.parallel.only", SUITE),
        ("test.it", TEST),
        ("test.suite", SUITE),
        ("t.test", TEST),
        ("t.test.skip", TEST),
        ("Deno.test", TEST),
        ("Deno.test.only", TEST),
        ("Deno.test.ignore", TEST),
        ("QUnit.test", TEST),
        ("QUnit.module", SUITE),
        ("QUnit.test.skip", TEST),
        ("mocha.describe", SUITE),
        ("test.step", None),
        ("test.use", None),
        ("test.extend", None),
        ("test.describe.configure", None),
        ("test.info().annotations.push", None),
        ("expect.it", None),
        ("jest.test", None),
        ("pattern.test", None),
        ("this.test", None),
        ("it()", None),
        ("test()", None),
        ("describe()()", None),
        ("app.describe", None),
        ("bench", None),
        ("itself", None),
        ("each", None),
        ("test['only']", None),
        ("(0, it)", None),
        ("test.a.b.c.d.e.f.g.h", None),
    ],
)
def test_callees(callee: str, kind: str | None) -> None:
    block = _block(f'{callee}("title", () => {{}})')
    assert (block and block.kind) == kind
    if block is not None:
        assert block.title == "title"
        assert block.callback is not None
        assert block.callback.type == "arrow_function"


@pytest.mark.parametrize(
    ("callee", "title"),
    [
        *[(name, name) for name in ("before", "after", "beforeEach", "afterEach", "beforeAll", "afterAll")],
        *[(name, name) for name in ("setup", "teardown", "suiteSetup", "suiteTeardown")],
        ("test.beforeEach", "beforeEach"),
        ("test.afterAll", "afterAll"),
        ("test.after.always", "after"),
        ("test.before.each", "before"),
        ("t.after", "after"),
        ("t.beforeEach", "beforeEach"),
        ("hooks.beforeEach", "beforeEach"),
        ("QUnit.before", "before"),
    ],
)
def test_hooks(callee: str, title: str) -> None:
    for arguments in ("() => {}", "async function () {}", '"why", () => {}', "waitForAsync(() => {})", "() => {}, 100"):
        block = _block(f"{callee}({arguments})")
        assert block is not None
        assert (block.kind, block.title) == (HOOK, title)
        assert block.callback is not None
    named = _block(f"{callee}(connect)")
    assert named is not None
    assert named.callback is None


@pytest.mark.parametrize(
    ("argument", "title"),
    [
        ("'adds'", "adds"),
        ('"adds"', "adds"),
        ("`adds`", "adds"),
        ("`adds ${a.b} to ${c}`", "adds ${a.b} to ${c}"),
        (r"'doesn\'t'", "doesn't"),
        (r"'back\\slash'", "back\\slash"),
        ("'  two\\\n   lines '", "two\\ lines"),
        ("`two\n   lines`", "two lines"),
        ("'adds ' + one + ' and ' + `two ${x}`", "adds ${one} and two ${x}"),
        ("Calculator", "Calculator"),
        ("Calculator.name", "Calculator.name"),
        ("title(1)", "title(1)"),
        ("function named() {}", "named"),
        (f"'{'x' * 500}'", "x" * MAX_TITLE),
    ],
)
def test_titles(argument: str, title: str) -> None:
    block = _block(f"describe({argument}, () => {{}})")
    assert block is not None
    assert block.title == title


@pytest.mark.parametrize(
    "source",
    [
        "test.each([1, 2])",
        "test.each(rows(() => 1))",
        "test.skipIf(probe(() => 1))",
        "test.skip(({ browserName }) => browserName === 'x', 'why')",
        "test.skip(() => true)",
        "describe(() => {})",
        "it()",
        "it`x`",
        "describe.each`a`",
        "test({ timeout: 5 })",
        "import('x')",
        "(() => {})()",
        "new (it('x'))()",
    ],
)
def test_what_is_no_block(source: str) -> None:
    calls = [_PARSER.parse(source.encode()).root_node]
    found = []
    while calls:
        node = calls.pop()
        if node.type == "call_expression":
            found.append(block_of(node))
        calls += node.named_children
    assert not any(block is not None and block.callback is not None for block in found)


def test_pending_tests_have_no_callback() -> None:
    assert _block("it('is to do')") == Block(TEST, "is to do", None)
    assert _block("test.todo('is to do')") == Block(TEST, "is to do", None)


@pytest.mark.parametrize(
    "source",
    [
        "it('x', () => {})",
        "it('x', async function () {})",
        "it('x', function* () {})",
        "it('x', { timeout: 5 }, () => {})",
        "it('x', () => {}, 5000)",
        "it('x', /* why */ (done) => {})",
        "it('x', fakeAsync(() => {}))",
        "it('x', inject([Service], (s) => {}))",
        "test(function x() {})",
        "Deno.test({ name: 'x', fn: () => {} })",
        "Deno.test({ name: 'x', async fn() {} })",
        "Deno.test('x', { permissions: 'none' }, async (t) => {})",
    ],
)
def test_callbacks(source: str) -> None:
    block = _block(source)
    assert block is not None
    assert (block.kind, block.title) == (TEST, "x")
    assert block.callback is not None


def test_long_chains_cost_their_length() -> None:
    assert _block("a" + ".b()" * 2000) is None
    assert _block("test" + ".each()" * 2000 + "('x', () => {})") is None
    block = _block("it(" + " + ".join(["'a'"] * 2000) + ", () => {})")
    assert block is not None
    assert len(block.title) <= MAX_TITLE


@pytest.mark.parametrize(
    "path",
    [
        "src/a.test.ts", "src/a.spec.js", "a.test.mjs", "src/a.cy.ts", "src/a.e2e.ts", "src/app.e2e-spec.ts",
        "a.test-d.ts", "src/a.b.test.tsx", "src/__tests__/a.js", "test/a.js", "tests/x/a.js", "packages/x/test/a.js",
        "e2e/a.ts", "spec/a.js", "cypress/support/commands.ts", "test.js", "src/a_test.ts", "tests/unit/a-test.js",
        "src/a-spec.js", "src/A.Test.vue",
    ],
)  # fmt: skip
def test_paths_of_tests(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/a.ts", "src/test.ts", "src/testing/a.ts", "src/contest/a.ts", "src/latest.js", "src/attest.js",
        "a.testing.ts", "src/spec.ts", "src/specs.ts", "src/test-utils/a.ts", "inspector.js",
        ".test.js", "src/special.spec/a.ts", "src/test",
    ],
)  # fmt: skip
def test_other_paths(path: str) -> None:
    assert not is_test_path(path)


@pytest.mark.parametrize(
    ("module", "expected"),
    [("vitest", True), ("node:test", True), ("@jest/globals", True), ("@playwright/test", True), ("bun:test", True),
     ("jsr:@std/testing/bdd", True), ("@effect/vitest", True), ("./test", False), ("fs", False),
     ("vitest/config", False)],
)  # fmt: skip
def test_files_that_import_a_runner(module: str, *, expected: bool) -> None:
    assert holds_tests("src/a.ts", [Import(0, 1, module, 0, "")]) == expected


def _graph(source: str, path: str = "a.test.ts") -> Graph:
    return resolve([(path, parse_source(path, source.encode()).facts)])


def _names(graph: Graph, kind: NodeKind) -> set[str]:
    return {node.qualified_name.partition("::")[2] for node in graph.nodes if node.kind is kind}


def _hooks_of(graph: Graph) -> set[tuple[str, str]]:
    names = {place: node.qualified_name.partition("::")[2] for place, node in enumerate(graph.nodes, 1)}
    return {(names[edge.source], names[edge.target]) for edge in graph.edges if edge.via == "fixture"}


def _tested(graph: Graph) -> set[tuple[str, str]]:
    names = {place: node.qualified_name.partition("::")[2] for place, node in enumerate(graph.nodes, 1)}
    return {(names[edge.source], names[edge.target]) for edge in graph.edges if edge.kind is EdgeKind.TESTED_BY}


def test_tests_bear_the_titles_around_them() -> None:
    graph = _graph("""
describe("list", () => {
  describe(`with ${n}`, () => { it("adds", () => {}); });
  test.each([1])("takes %i", () => {});
});
test("alone", () => {});
""")
    assert _names(graph, NodeKind.TEST) == {"list > with ${n} > adds", "list > takes %i", "alone"}


def test_hooks_run_for_the_tests_of_their_block() -> None:
    graph = _graph("""
function open() {}
beforeAll(() => { open() });
describe("one", () => {
  beforeEach(() => {});
  it("a", () => {});
  describe("inner", () => { afterEach(() => {}); it("b", () => {}); });
});
describe("two", () => { it("c", () => {}); });
""")
    assert _hooks_of(graph) == {
        ("one > a", "beforeAll"),
        ("one > a", "one > beforeEach"),
        ("one > inner > b", "beforeAll"),
        ("one > inner > b", "one > beforeEach"),
        ("one > inner > b", "one > inner > afterEach"),
        ("two > c", "beforeAll"),
    }
    assert ("open", "two > c") in _tested(graph)


def test_hooks_of_blocks_without_titles_and_of_equal_titles() -> None:
    graph = _graph("""
test.describe(() => { test.beforeEach(() => {}); test("a", () => {}); });
describe("x", () => { before(() => {}); it("b", () => {}); });
describe("x", () => { it("c", () => {}); });
""")
    assert _hooks_of(graph) == {("a", "beforeEach"), ("x > b", "x > before")}


def test_hooks_that_a_test_sets_are_its_own() -> None:
    graph = _graph("""
test("a", async (t) => { t.after(() => {}); await t.test("sub", () => {}); });
test("b", () => {});
""")
    assert all(test != "b" for test, _ in _hooks_of(graph))
    assert len({test for test, _ in _hooks_of(graph)}) == 2


def test_hooks_may_be_functions_that_stand_elsewhere() -> None:
    graph = _graph("""
function connect() {}
function close() {}
const db = { reset() {} };
beforeAll(connect);
describe("one", () => { test.afterEach(close, 100); it("a", () => {}); beforeEach(db.reset); });
describe("two", () => { it("b", () => {}); before(missing); });
run(connect); other.before(close);
""")
    assert _hooks_of(graph) == {
        ("one > a", "connect"),
        ("one > a", "close"),
        ("one > a", "db.reset"),
        ("two > b", "connect"),
    }
    assert ("connect", "two > b") in _tested(graph)


def test_hooks_inside_of_plain_blocks() -> None:
    graph = _graph("""
describe("x", () => { if (slow) { let y = 1; beforeEach(() => y); } it("a", () => {}); });
""")
    assert _hooks_of(graph) == {("x > a", "x > beforeEach")}


def test_programs_may_call_their_own_functions_so() -> None:
    source = "export function run() {}\nexport function f() { after(() => run()); test('x', () => run()); }\n"
    graph = _graph(source, "src/server.ts")
    assert _names(graph, NodeKind.FUNCTION) == {"run", "f"}
    assert not _names(graph, NodeKind.TEST)
    imported = _graph(f"import {{ test, after }} from 'node:test';\n{source}", "src/server.ts")
    assert len(_names(imported, NodeKind.TEST)) == 1
    required = _graph(f"const {{ test, after }} = require('node:test');\n{source}", "src/server.js")
    assert len(_names(required, NodeKind.TEST)) == 1


def test_an_object_may_describe_a_test() -> None:
    graph = _graph(
        "function f() {}\nDeno.test({ name: 'a', fn() { f(); } });\nDeno.test({ name: 'b', fn: () => f() });\n"
    )
    assert _names(graph, NodeKind.TEST) == {"a", "b"}
    assert _tested(graph) == {("f", "a"), ("f", "b")}
