"""Where JavaScript and TypeScript files call something, and which names stand for functions and classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

GRAMMARS = {
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), tree_sitter_javascript.language),
    **dict.fromkeys((".ts", ".mts", ".cts"), tree_sitter_typescript.language_typescript),
    ".tsx": tree_sitter_typescript.language_tsx,
}
FUNCTIONS = frozenset({
    "function_declaration", "generator_function_declaration", "function_expression", "generator_function",
    "arrow_function", "method_definition",
})  # fmt: skip
CALLEES = frozenset({"identifier", "super", "property_identifier", "shorthand_property_identifier"})
SIGNATURES = frozenset({"function_signature", "method_signature", "abstract_method_signature"})
CLASSES = frozenset({"class_declaration", "abstract_class_declaration", "class"})
WRAPPERS = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"})
HOLDERS = {  # what gives a name to the function on its right, and the field with that name
    "variable_declarator": "name",
    "assignment_expression": "left",
    "pair": "key",
    "public_field_definition": "name",
    "field_definition": "property",
}
COMPUTED = frozenset({"subscript_expression", "computed_property_name", "array_pattern", "object_pattern"})
HANDED = frozenset({"call", "apply", "bind"})


class Spot(NamedTuple):
    """A name: line from 1, column in UTF-16 units from 0."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Site:
    """A name that is called (``called``), or that stands where its value is handed over.

    ``callers`` are the lines that the caller may have in a graph, innermost first, 0 for the file: those of the
    innermost named function, and of callbacks and entries of objects inside of it (a test is named by its title).
    ``first_line`` is that of the whole expression.
    """

    spot: Spot
    name: str
    callers: tuple[int, ...]
    first_line: int
    called: bool


@dataclass(slots=True)
class Script:
    """One file: its call sites, the spots of names that are functions or classes, and lines of special members."""

    lines: list[str]
    sites: list[Site] = field(default_factory=list)
    callable: set[Spot] = field(default_factory=set)
    constructors: dict[int, int] = field(default_factory=dict)  # line of a constructor -> line of its class
    accessors: set[int] = field(default_factory=set)

    def source(self, line: int) -> str:
        """The stripped text of a 1-based line."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""


@cache
def _parser(suffix: str) -> Parser:
    return Parser(Language(GRAMMARS[suffix]()))


def read_script(path: Path) -> Script:
    """Parse one file."""
    source = path.read_bytes()
    script = Script(source.decode("utf-8", "replace").split("\n"))
    _Reader(script, source.split(b"\n")).read(_parser(path.suffix).parse(source).root_node)
    return script


def is_script(path: str) -> bool:
    """Whether a file is one of these languages."""
    return PurePosixPath(path).suffix in GRAMMARS


def _nodes(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(node.named_children)


def _line(node: Node) -> int:
    return node.start_point.row + 1


def _bare(node: Node | None) -> Node | None:
    """The expression inside parentheses, casts and ``!``."""
    while node is not None and node.type in WRAPPERS and node.named_children:
        node = node.named_children[0]
    return node


def _name_of(node: Node | None) -> Node | None:
    """The name by which an expression calls: an identifier, or the last part of a member expression."""
    node = _bare(node)
    if node is None:
        return None
    if node.type in {"member_expression", "nested_identifier"}:
        return node.child_by_field_name("property")
    return (
        node if node.type in {"identifier", "super", "property_identifier", "shorthand_property_identifier"} else None
    )


def _names(function: Node) -> list[Node]:
    """Names of a function or class: its own, and that of the variable, member or key that it is written for."""
    own = function.child_by_field_name("name")
    names = [own] if own else []
    value, holder = function, function.parent
    while holder is not None and holder.type in WRAPPERS:
        value, holder = holder, holder.parent
    if holder is not None and holder.type in HOLDERS:
        held = holder.child_by_field_name(HOLDERS[holder.type])
        if held is not None and held != value and held.type not in COMPUTED:
            names.append(_name_of(held) or held)
    return names


def _is_entry(function: Node) -> bool:
    """Whether a function is a member of an object: where that is handed over, it may count to the code around."""
    return function.parent is not None and function.parent.type in {"pair", "object"}


class _Reader:
    def __init__(self, script: Script, rows: list[bytes]) -> None:
        self.script = script
        self.rows = rows

    def read(self, root: Node) -> None:
        for node in _nodes(root):
            if node.type in FUNCTIONS or node.type in CLASSES or node.type in SIGNATURES:
                self._definition(node)
            elif node.type in {"call_expression", "new_expression"}:
                self._call(node)

    def _spot(self, node: Node) -> Spot:
        row, column = node.start_point.row, node.start_point.column
        return Spot(row + 1, len(self.rows[row][:column].decode("utf-8", "replace").encode("utf-16-le")) // 2)

    def _definition(self, node: Node) -> None:
        names = _names(node)
        self.script.callable.update(map(self._spot, names))
        if not names and node.type != "arrow_function":  # that spot may be a parameter's
            self.script.callable.add(self._spot(node))
        if node.type != "method_definition" or not names:
            return
        if any(child.type in {"get", "set"} for child in node.children):
            self.script.accessors.add(_line(names[0]))
        owner = node.parent.parent if node.parent else None
        if names[0].text == b"constructor" and owner is not None and owner.type in CLASSES:
            self.script.constructors[_line(names[0])] = _line((_names(owner) or [owner])[0])

    def _call(self, node: Node) -> None:
        callee = _bare(node.child_by_field_name("function") or node.child_by_field_name("constructor"))
        callers = tuple(dict.fromkeys(self._callers(node)))
        name = _name_of(callee)
        if name is not None:
            self._site(name, node, callers, called=True)
        if callee is not None and callee.type == "member_expression" and name is not None:
            given = _name_of(callee.child_by_field_name("object"))
            how = (name.text or b"").decode()
            if how in HANDED and given is not None:
                self._site(given, node, callers, called=how != "bind")
        arguments = node.child_by_field_name("arguments")
        for argument in arguments.named_children if arguments else ():
            for value in argument.named_children if argument.type == "object" else (argument,):
                passed = _name_of(value.child_by_field_name("value") if value.type == "pair" else value)
                if passed is not None:
                    self._site(passed, node, callers, called=False)

    def _site(self, name: Node, call: Node, callers: tuple[int, ...], *, called: bool) -> None:
        self.script.sites.append(
            Site(self._spot(name), (name.text or b"").decode(), callers, _line(call), called)
        )  # fmt: skip

    def _callers(self, node: Node) -> Iterator[int]:
        inner, outer = node, node.parent
        while outer is not None:
            if outer.type in FUNCTIONS:
                names = _names(outer)
                yield from map(_line, names)
                if names and not _is_entry(outer):
                    return
                yield from self._callback(outer)
            elif outer.type in CLASSES and inner.type == "class_body":
                yield from map(_line, _names(outer) or [outer])
            inner, outer = outer, outer.parent
        yield 0

    def _callback(self, function: Node) -> Iterator[int]:
        call = function.parent.parent if function.parent and function.parent.type == "arguments" else None
        if call is not None:
            yield _line(call)
        yield _line(function)
