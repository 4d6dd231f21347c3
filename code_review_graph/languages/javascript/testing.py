"""What the family's test runners collect: blocks by their callee, files by their place, hooks by the block around."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

from tree_sitter import Node

from code_review_graph.facts import DefinitionFlag, Expression, Import, ScopeKind, Tag
from code_review_graph.languages.javascript.syntax import text_of
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation
from code_review_graph.values import BOUND, FUNCTION

SUITE: Final = "suite"
TEST: Final = "test"
HOOK: Final = "hook"
MAX_TITLE: Final = 200
# A longer chain of names is no runner's.
MAX_NAMES: Final = 6

_SUITES: Final = frozenset({"describe", "context", "suite", "fdescribe", "xdescribe", "xcontext", "ddescribe"})
_TESTS: Final = frozenset({"it", "test", "specify", "fit", "xit", "xtest", "xspecify"})
_HOOKS: Final = frozenset({"before", "after", "beforeEach", "afterEach", "beforeAll", "afterAll", "setup", "teardown",
                           "suiteSetup", "suiteTeardown", "aroundEach", "aroundAll"})  # fmt: skip
_MODIFIERS: Final = frozenset({
    "only", "skip", "each", "for", "concurrent", "sequential", "todo", "failing", "fails", "fail", "serial", "parallel",
    "runIf", "skipIf", "if", "todoIf", "shuffle", "fixme", "slow", "always", "cb", "ignore",
})  # fmt: skip
# What takes a table or a condition, and gives what takes the title.
_TABLES: Final = frozenset({"each", "for", "runIf", "skipIf", "if", "todoIf"})
# Objects that carry the functions of a runner: its own, and the context that it hands to a test.
_RUNNERS: Final = frozenset({"Deno", "QUnit", "tap", "mocha", "Mocha", "harness", "bdd", "hooks", "vitest",
                             "t", "tt", "st", "ctx", "context"})  # fmt: skip
_PARTS: Final = _SUITES | _TESTS | _HOOKS
_FRAMEWORKS: Final = frozenset({"vitest", "@jest/globals", "mocha", "node:test", "bun:test", "@playwright/test", "ava",
                                "tape", "tap", "jasmine", "qunit", "@japa/runner", "uvu", "cypress"})  # fmt: skip
_FRAMEWORK_ENDS: Final = ("std/testing/bdd", "std/testing/bdd.ts", "/vitest")
_FUNCTIONS: Final = frozenset(
    {"arrow_function", "function_expression", "function", "generator_function", "function_declaration"}
)
_FOLDERS: Final = frozenset({"test", "tests", "__tests__", "__test__", "spec", "specs", "e2e", "cypress"})
_MARKS: Final = r"(?:tests?|specs?|cy|e2e|e2e-spec|test-d)"
# The last word of a name before its extension; a file called just `test` counts at the top alone.
_MARKED: Final = re.compile(rf"[^/]\.{_MARKS}\.\w+$|[^/.][-_](?:test|spec)\.\w+$", re.IGNORECASE)
_AT_TOP: Final = re.compile(r"(?:tests?|spec)\.\w+")
_CALLABLE: Final = frozenset({FUNCTION, BOUND})
_ESCAPED: Final = re.compile(r"\\(['\"`\\])")


class Block(NamedTuple):
    """A call that hands a function to a runner; ``title`` of a hook is its name."""

    kind: str
    title: str
    callback: Node | None


def block_of(call: Node) -> Block | None:
    """What a call means to a test runner; None for every other call."""
    callee = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if callee is None or arguments is None or arguments.type != "arguments":
        return None
    names = _names(callee)
    kind = _kind(names)
    if not kind:
        return None
    given = [child for child in arguments.named_children if child.type != "comment"]
    callback = _callback(given)
    if kind == HOOK:
        return Block(HOOK, next(name for name in names if name in _HOOKS), callback)
    if not given or (callee.type == "member_expression" and names[-1] in _TABLES):
        return None
    if given[0].type == "object":
        return _described(kind, given[0])
    if callback is not None and given[0] is callback and callback.child_by_field_name("name") is None:
        return None
    return Block(kind, title_of(given[0]), callback)


def _described(kind: str, table: Node) -> Block | None:
    """A test as one object with ``name`` and ``fn``."""
    title, callback = "", None
    for member in table.named_children:
        key, value = member.child_by_field_name("key"), member.child_by_field_name("value")
        if member.type == "method_definition" and member.child_by_field_name("name") is not None:
            key, value = member.child_by_field_name("name"), member
        if key is not None and value is not None and key.text == b"name":
            title = title_of(value)
        elif key is not None and value is not None and key.text == b"fn":
            callback = value
    return Block(kind, title, callback) if title and callback is not None else None


def _names(callee: Node) -> list[str]:
    """Names of a chain ``a.b.c``, through ``a.each(table)`` and ``a.each`` with a table in a template."""
    names: list[str] = []
    node: Node | None = callee
    while node is not None and len(names) < MAX_NAMES:
        if node.type == "call_expression":
            node = node.child_by_field_name("function")
            # Only a table or a condition is given before the title.
            if node is None or node.type != "member_expression":
                return []
        elif node.type == "member_expression":
            part = node.child_by_field_name("property")
            names.append(text_of(part) if part is not None else "")
            node = node.child_by_field_name("object")
        elif node.type == "identifier":
            names.append(text_of(node))
            return names[::-1]
        else:
            return []
    return []


def _kind(names: list[str]) -> str:
    if not names:
        return ""
    if names[0] in _RUNNERS and len(names) > 1:
        names = ["describe" if name == "module" else name for name in names[1:]]
    if names[0] not in _PARTS:
        return ""
    # `test.describe` and `test.beforeEach` of Playwright, `test.it` of Node.
    inner = [name for name in names[1:] if name in _PARTS]
    head = inner[0] if names[0] == "test" and inner else names[0]
    if any(name not in _MODIFIERS and name != head for name in names[1:]):
        return ""
    return SUITE if head in _SUITES else HOOK if head in _HOOKS else TEST


def _callback(arguments: list[Node]) -> Node | None:
    """The function that a runner calls, also inside of one call that wraps it."""
    for argument in arguments:
        if argument.type in _FUNCTIONS:
            return argument
    for argument in arguments:
        inner = argument.child_by_field_name("arguments") if argument.type == "call_expression" else None
        for child in inner.named_children if inner is not None else ():
            if child.type in _FUNCTIONS:
                return child
    return None


def title_of(argument: Node) -> str:
    """A title as it is written, without its quotes; of a function its name, of a sum its parts in one."""
    if argument.type in _FUNCTIONS:
        name = argument.child_by_field_name("name")
        return text_of(name) if name is not None else ""
    parts: list[str] = []
    node: Node | None = argument
    while node is not None and len(parts) < MAX_TITLE:
        right = node.child_by_field_name("right") if node.type == "binary_expression" else node
        if right is not None:
            parts.append(_part(right, alone=right is argument))
        node = node.child_by_field_name("left") if right is not node else None
    return " ".join("".join(reversed(parts)).split())[:MAX_TITLE]


def _part(node: Node, *, alone: bool) -> str:
    text = text_of(node)
    if node.type in {"string", "template_string"}:
        return _ESCAPED.sub(r"\1", text[1:-1])
    return text if alone else f"${{{text}}}"


def is_test_path(path: str) -> bool:
    """Whether a file belongs to the tests, by its name or its folders."""
    folders, _, name = path.rpartition("/")
    if _MARKED.search(name) or not _FOLDERS.isdisjoint(folders.split("/")):
        return True
    return not folders and _AT_TOP.fullmatch(name) is not None


def holds_tests(path: str, imports: Iterable[Import]) -> bool:
    """Whether a runner may collect a file: by its path, or because it imports the runner."""
    return is_test_path(path) or any(
        item.module in _FRAMEWORKS or item.module.endswith(_FRAMEWORK_ENDS) for item in imports
    )


class Testing:
    """Test rules over one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._hooks: dict[int, list[int]] = defaultdict(list)  # by the scope in which they are set
        for number, definition in enumerate(program.definitions):
            if definition.flags & DefinitionFlag.FIXTURE:
                self._hooks[self._region(program.scope_of(number))].append(number)
        self._named: dict[int, list[tuple[int, int]]] = defaultdict(list)  # what else hooks are given, with its scope
        self._holds_tests = [holds_tests(facts.path, facts.imports) for facts in program.files]
        for file in (file for file, holds in enumerate(self._holds_tests) if holds):
            self._find_named(file)

    def is_test_path(self, path: str) -> bool:
        """Whether a file belongs to the tests, by its name or its folders."""
        return is_test_path(path)

    def is_test(self, engine: Evaluation, definition: int) -> bool:
        """Whether a runner collects a definition."""
        del engine
        is_block = bool(self._program.definitions[definition].flags & DefinitionFlag.TEST)
        return is_block and self._holds_tests[self._program.definition_file[definition]]

    def takes_fixtures(self, engine: Evaluation, function: int) -> bool:
        """No parameter is filled by name."""
        del engine, function
        return False

    def fixture(self, engine: Evaluation, function: int, name: str) -> int:
        """No fixtures."""
        del engine, function, name
        return -1

    def used(self, engine: Evaluation, function: int) -> list[int]:
        """Hooks of the test itself, of the blocks around it and of its file, the file's first."""
        scope = self._program.body_of(function)
        found: list[int] = []
        while scope >= 0:
            own = [
                value for place, argument in self._named.get(scope, ()) for value in engine.evaluate(place, argument)
            ]
            found = [*self._hooks.get(scope, ()), *[value[1] for value in own if value[0] in _CALLABLE], *found]
            scope = self._program.parent_of(scope)
        return list(dict.fromkeys(found))

    def _find_named(self, file: int) -> None:
        """Calls such as ``beforeEach(connect)``, whose function stands elsewhere."""
        facts, base = self._program.files[file], self._program.scope_base[file]
        for site in facts.sites:
            call = facts.expressions[site.expression]
            if call[0] != Tag.CALL or not _is_hook(facts.expressions, call[1]):
                continue
            scope = base + site.scope
            given = [item for item in call[2] if facts.expressions[item][0] in {Tag.NAME, Tag.MEMBER, Tag.IMPORTED}]
            self._named[self._region(scope)] += [(scope, item) for item in given]

    def _region(self, scope: int) -> int:
        """The function's or the file's scope around one of a plain block."""
        while self._program.scopes[scope].kind == ScopeKind.INLINE:
            scope = self._program.parent_of(scope)
        return scope


def _is_hook(expressions: list[Expression], callee: int) -> bool:
    shape = expressions[callee]
    if shape[0] == Tag.MEMBER:
        owner = expressions[shape[1]]
        is_runner = owner[0] == Tag.NAME and (owner[1] == "test" or owner[1] in _RUNNERS)
        return is_runner and shape[2] in _HOOKS
    return bool(shape[0] == Tag.NAME and shape[1] in _HOOKS)
