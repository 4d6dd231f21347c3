"""What the family's test runners collect: blocks by their callee, files by their place, hooks by the block around."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from tree_sitter import Node

from code_review_graph.facts import DefinitionFlag
from code_review_graph.languages.javascript.syntax import text_of
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation

SUITE: Final = "suite"
TEST: Final = "test"
HOOK: Final = "hook"
MAX_TITLE: Final = 200
# A longer chain of names is no runner's.
MAX_NAMES: Final = 6
SEPARATOR: Final = " > "

_SUITES: Final = frozenset({"describe", "context", "suite", "fdescribe", "xdescribe", "xcontext", "ddescribe"})
_TESTS: Final = frozenset({"it", "test", "specify", "fit", "xit", "xtest", "xspecify"})
_HOOKS: Final = frozenset({"before", "after", "beforeEach", "afterEach", "beforeAll", "afterAll", "setup", "teardown",
                           "suiteSetup", "suiteTeardown", "aroundEach", "aroundAll"})  # fmt: skip
_MODIFIERS: Final = frozenset({
    "only", "skip", "each", "for", "concurrent", "sequential", "todo", "failing", "fails", "serial", "parallel",
    "runIf", "skipIf", "if", "todoIf", "shuffle", "fixme",
})  # fmt: skip
# Objects that carry the functions of a runner.
_RUNNERS: Final = frozenset({"t", "Deno", "QUnit", "tap", "mocha", "Mocha", "harness", "bdd"})
_PARTS: Final = _SUITES | _TESTS | _HOOKS
_FRAMEWORKS: Final = frozenset({"vitest", "@jest/globals", "mocha", "node:test", "bun:test", "@playwright/test", "ava",
                                "tape", "tap", "jasmine", "qunit", "@japa/runner", "uvu", "cypress"})  # fmt: skip
_FUNCTIONS: Final = frozenset(
    {"arrow_function", "function_expression", "function", "generator_function", "function_declaration"}
)
_FOLDERS: Final = frozenset({"test", "tests", "__tests__", "__test__", "spec", "specs", "e2e", "cypress"})
_MARKS: Final = frozenset({"test", "spec", "cy", "e2e", "tests", "specs"})


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
    if not given or (callback is not None and given[0] is callback and callback.child_by_field_name("name") is None):
        return None
    return Block(kind, title_of(given[0]), callback)


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
    # Playwright's `test.describe` and `test.beforeEach`.
    inner = [name for name in names[1:] if name in _SUITES | _HOOKS]
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
    """A title as it is written, without its quotes; of a function its name."""
    if argument.type in _FUNCTIONS:
        name = argument.child_by_field_name("name")
        return text_of(name) if name is not None else ""
    text = " ".join(text_of(argument).split())
    if argument.type in {"string", "template_string"}:
        text = text[1:-1]
    return text[:MAX_TITLE]


class Testing:
    """Test rules over one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._hooks: dict[int, list[tuple[str, int]]] = defaultdict(list)  # titles around and definition, by file
        for number, definition in enumerate(program.definitions):
            if definition.flags & DefinitionFlag.FIXTURE:
                around = definition.name.rpartition(SEPARATOR)[0]
                self._hooks[program.definition_file[number]].append((around, number))
        self._is_test_file = [
            self.is_test_path(facts.path) or any(item.module in _FRAMEWORKS for item in facts.imports)
            for facts in program.files
        ]

    def is_test_path(self, path: str) -> bool:
        """Whether a file belongs to the tests, by its name or its folders."""
        pure = PurePosixPath(path)
        if not _MARKS.isdisjoint(pure.name.lower().split(".")[1:-1]):
            return True
        stem = pure.name.split(".", 1)[0]
        return not _FOLDERS.isdisjoint(pure.parts[:-1]) or (len(pure.parts) == 1 and stem in {"test", "tests", "spec"})

    def is_test(self, engine: Evaluation, definition: int) -> bool:
        """Whether a runner collects a definition."""
        del engine
        is_block = bool(self._program.definitions[definition].flags & DefinitionFlag.TEST)
        return is_block and self._is_test_file[self._program.definition_file[definition]]

    def takes_fixtures(self, engine: Evaluation, function: int) -> bool:
        """No parameter is filled by name."""
        del engine, function
        return False

    def fixture(self, engine: Evaluation, function: int, name: str) -> int:
        """No fixtures."""
        del engine, function, name
        return -1

    def used(self, engine: Evaluation, function: int) -> list[int]:
        """Hooks of the file and of the blocks around a test."""
        del engine
        name = self._program.definitions[function].name
        hooks = self._hooks.get(self._program.definition_file[function], ())
        return [hook for around, hook in hooks if not around or name.startswith(f"{around}{SEPARATOR}")]
