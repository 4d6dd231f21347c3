"""Handlers of the captures in ``tags.scm``: each lowers one kind of Go statement or declaration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import BindingKind, Tag
from code_review_graph.languages.go.annotations import Types
from code_review_graph.languages.go.definitions import Definitions
from code_review_graph.languages.go.expressions import Expressions
from code_review_graph.languages.go.imports import guessed_name
from code_review_graph.languages.go.scoping import Declared, Scoping
from code_review_graph.languages.go.syntax import (
    BLANK,
    UNKNOWN,
    build_constraint,
    has_token,
    operands,
    string_value,
    text_of,
)
from code_review_graph.lowering import Lowering

# Names in a file's own scope that no Go identifier can be: its dot imports and its build constraint.
DOT_IMPORTS: Final = "."
CONSTRAINT: Final = "//go:build"
# Right-hand sides that may give a variable a function, or an object that its type does not tell.
_TELLING: Final = frozenset({int(Tag.NAME), int(Tag.MEMBER), int(Tag.CALL), int(Tag.LAMBDA), int(Tag.EITHER)})
_HANDED: Final = frozenset({int(Tag.NAME), int(Tag.MEMBER)})


class Statements:
    """Lowers captured nodes in source order; ``handlers`` maps capture names to methods."""

    def __init__(self, lowering: Lowering) -> None:
        self.low = lowering
        self.scoping = Scoping(lowering)
        self.types = Types(lowering, self.scoping)
        self.expr = Expressions(lowering, self.scoping, self.types)
        self.definitions = Definitions(lowering, self.scoping, self.types, self.expr)
        self._cases: dict[int, Declared] = {}  # what the cases of a type switch bind, by syntax node id
        self.handlers: dict[str, Callable[[Node], None]] = {
            "package": self._package,
            "import": self._import,
            "function": self.definitions.function,
            "method": self.definitions.method,
            "closure": self._closure,
            "type": self.definitions.type,
            "alias": self.definitions.alias,
            "const": self.definitions.const,
            "var": self.definitions.var,
            "region": lambda node: lowering.open_block(node.end_byte),
            "loop": lambda node: lowering.open_block(node.end_byte, is_loop=True),
            "case": self._case,
            "switch": self._switch,
            "define": self._define,
            "assign": self._assign,
            "range": self._range,
            "receive": self._receive,
            "return": self._return,
            "call": self._call,
            "literal": self._literal,
        }

    def release(self) -> None:
        """Break the circles of bound methods: workers run without a collector."""
        self.handlers.clear()
        self.types.release()
        self.expr.release()
        self.low.regions.clear()

    # -- the file

    def _package(self, node: Node) -> None:
        name = node.named_child(0) if node.named_child_count else None
        self.low.facts.package = "" if name is None else text_of(name)
        constraint = build_constraint(self.low.source, node.start_byte)
        if constraint:
            value = self.low.intern((int(Tag.LITERAL), "string", constraint))
            self.low.bind(CONSTRAINT, BindingKind.VALUE, value)

    def _import(self, node: Node) -> None:
        source, name = node.child_by_field_name("path"), node.child_by_field_name("name")
        if source is None:
            return
        path = string_value(source)
        self.low.add_import(node.start_point[0] + 1, path, 0, "")
        written = guessed_name(path) if name is None else DOT_IMPORTS if name.type == "dot" else text_of(name)
        if written != BLANK:
            self.low.bind(written, BindingKind.IMPORT, (path, 0, ""))

    def _closure(self, node: Node) -> None:
        self.definitions.enter_body(self.expr.closure(node), node)

    # -- switches

    def _switch(self, node: Node) -> None:
        """``switch v := x.(type)``: in a case of one type v has it, in any other that of x."""
        aliases = operands(node.child_by_field_name("alias"))
        if len(aliases) != 1:
            return
        name, value = text_of(aliases[0]), self.expr.field(node, "value")
        for case in node.named_children:
            if case.type not in {"type_case", "default_case"}:
                continue
            kinds = case.children_by_field_name("type")
            annotation = self.types.lower(kinds[0]) if len(kinds) == 1 else UNKNOWN
            if len(kinds) == 1 and text_of(kinds[0]) != "nil":
                self._cases[case.id] = (name, BindingKind.DECLARED, (annotation, -1))
            else:
                self._cases[case.id] = (name, BindingKind.VALUE, value)

    def _case(self, node: Node) -> None:
        self.low.open_block(node.end_byte)
        declared = self._cases.pop(node.id, None)
        if declared is not None:
            self.scoping.declare([declared])

    # -- values

    def _define(self, node: Node) -> None:
        """``a, b := x, y``."""
        names = [text_of(item) for item in operands(node.child_by_field_name("left"))]
        declared = self.definitions.pair(names, operands(node.child_by_field_name("right")))
        self._hand(node.start_point[0] + 1, [payload for _, _, payload in declared if isinstance(payload, int)])
        self.scoping.declare_after(node.end_byte, declared)

    def _range(self, node: Node) -> None:
        """``for k, v := range xs``."""
        left = operands(node.child_by_field_name("left"))
        if not left:
            return
        sequence = self.expr.field(node, "right")
        payloads = [
            self.low.intern((int(Tag.ITERATE), sequence)),
            self.low.intern((int(Tag.INDEX), sequence, UNKNOWN)),
        ]
        if has_token(node, ":="):
            pairs = zip(left, payloads, strict=False)
            self.scoping.declare_after(
                node.end_byte, [(text_of(item), BindingKind.VALUE, payload) for item, payload in pairs]
            )

    def _receive(self, node: Node) -> None:
        """``case v, ok := <-ch``."""
        left = operands(node.child_by_field_name("left"))
        if left and has_token(node, ":="):
            declared: list[Declared] = [(text_of(left[0]), BindingKind.VALUE, self.expr.field(node, "right"))]
            declared += [(text_of(item), BindingKind.VALUE, UNKNOWN) for item in left[1:]]
            self.scoping.declare_after(node.end_byte, declared)

    def _assign(self, node: Node) -> None:
        """``a.b, c = x, y``."""
        left = operands(node.child_by_field_name("left"))
        right = operands(node.child_by_field_name("right"))
        operator = node.child_by_field_name("operator")
        if len(left) != len(right) or (operator is not None and operator.type != "="):
            return
        for target, source in zip(left, right, strict=True):
            value = self.expr.lower(source)
            shape = self.low.facts.expressions[value]
            if shape[0] in _TELLING:
                self._hand(node.start_point[0] + 1, [value])
                self._store(target, value)

    def _store(self, target: Node, value: int) -> None:
        kind = target.type
        if kind == "identifier":
            is_call = self.low.facts.expressions[value][0] == Tag.CALL
            self.scoping.assign(text_of(target), value, only_typed=is_call)
        elif kind == "selector_expression":
            name = target.child_by_field_name("field")
            if name is not None:
                self.low.write_attribute(self.expr.field(target, "operand"), text_of(name), value)
        elif kind == "index_expression":
            key = self.expr.field(target, "index")
            self.low.write_item(self.expr.field(target, "operand"), key, value)

    def _return(self, node: Node) -> None:
        owner = self.low.owner()
        if owner is None or not node.named_child_count:
            return
        value = self.expr.lower(node.named_child(0))
        owner.results.append(value)
        shape = self.low.facts.expressions[value]
        self._hand(node.start_point[0] + 1, shape[2] if shape[0] == Tag.SEQUENCE else (value,))

    # -- sites

    def _call(self, node: Node) -> None:
        expression = self.expr.lower(node)
        shape = self.low.facts.expressions[expression]
        if shape[0] == Tag.CALL:
            self.low.site(_line(node), expression)
        elif shape[0] == Tag.EITHER:
            added = self.low.facts.expressions[shape[1][-1]]
            self._hand(node.start_point[0] + 1, added[2] if added[0] == Tag.SEQUENCE else ())

    def _literal(self, node: Node) -> None:
        expression = self.expr.lower(node)
        handed = self.expr.literals.handed.pop(node.id, [])
        if self.low.facts.expressions[expression][0] == Tag.CALL:
            self.low.site(node.start_point[0] + 1, expression)
        for line, value in handed:
            if self.low.facts.expressions[value][0] == Tag.CALL:
                self.low.site(line, value)
            else:
                self._hand(line, (value,))

    def _hand(self, line: int, values: list[int] | tuple[int, ...]) -> None:
        """Record functions that are handed on without being called."""
        shapes = self.low.facts.expressions
        handed = tuple([item for item in values if shapes[item][0] in _HANDED and self._may_be_function(shapes[item])])
        if handed:
            call = self.low.intern((int(Tag.CALL), UNKNOWN, handed, (), False))
            self.low.site(line, call)

    def _may_be_function(self, shape: tuple[object, ...]) -> bool:
        return shape[0] != Tag.NAME or not self.scoping.is_local(str(shape[1]))


def _line(node: Node) -> int:
    """Line of the name that is called."""
    function = node.child_by_field_name("function")
    name = function.child_by_field_name("field") if function is not None else None
    place = name or function or node
    return place.start_point[0] + 1
