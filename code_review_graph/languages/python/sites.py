"""Places of a Python file where code may run other code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import NO_EXPRESSION, Tag, Via
from code_review_graph.languages.python import fields, kinds
from code_review_graph.languages.python.expressions import BINARY_METHODS, Expressions
from code_review_graph.lowering import Lowering

# Methods that put an argument into their receiver -> position of that argument.
_PUTTERS: Final = {"append": 0, "add": 0, "appendleft": 0, "insert": 1, "extend": 0, "extendleft": 0, "update": 0,
                   "setdefault": 1}  # fmt: skip
_CALL: Final = Tag.CALL
_SPREADERS: Final = frozenset({"extend", "extendleft", "update"})
# Operands that cannot be an object of the repository.
_PLAIN: Final = frozenset({Tag.LITERAL, Tag.UNKNOWN, Tag.SEQUENCE, Tag.MAPPING})


class Sites:
    """Records sites; ``called``, ``stored`` and ``deleted`` hold syntax node ids of what is more than a read."""

    def __init__(self, lowering: Lowering, expressions: Expressions, export: Callable[[Node | None], None]) -> None:
        self.low = lowering
        self.expr = expressions
        self.export = export
        self.called: set[int] = set()
        self.stored: set[int] = set()
        self.deleted: set[int] = set()

    def call(self, node: Node) -> None:
        """A call."""
        function = node.child_by_field_id(fields.FUNCTION)
        if function is None:
            return
        expression = self.expr.lower(node)
        shapes = self.low.facts.expressions
        shape = shapes[expression]
        if function.kind_id != kinds.ATTRIBUTE:
            if shape[0] == _CALL:
                self.low.site(function.start_point[0] + 1, expression)
            return
        self.called.add(function.id)
        if shape[0] == _CALL:
            self.low.site(function.end_point[0] + 1, expression)  # where its name stands
            callee = shapes[shape[1]]
            if callee[-1] in _PUTTERS:
                self._put(callee[1], callee[-1], shape[2])
                if function.text in {b"__all__.extend", b"__all__.append"}:
                    self.export(node.child_by_field_id(fields.ARGUMENTS))

    def _put(self, target: int, method: str, arguments: tuple[int, ...]) -> None:
        position = _PUTTERS[method]
        if len(arguments) <= position:
            return
        value, key = arguments[position], NO_EXPRESSION
        shape = self.low.facts.expressions[value]
        if method == "update" and shape[0] == Tag.MAPPING:
            for pair_key, pair_value in shape[1]:
                self.low.write_item(target, pair_key, pair_value)
            return
        if method in _SPREADERS:
            value = self.low.intern((Tag.ITERATE, value))
        elif method == "setdefault":
            key = arguments[0]
        self.low.write_item(target, key, value)

    def member(self, node: Node) -> None:
        """An attribute: read, set, or part of a call."""
        key = node.id
        if key in self.stored:
            self.low.load(node.start_point[0] + 1, self.expr.lower(node), Via.SETTER)
        elif key not in self.called:
            self.low.load(node.start_point[0] + 1, self.expr.lower(node))

    def subscript(self, node: Node) -> None:
        """``x[k]``, read or set."""
        base = self.expr.lower(node.child_by_field_id(fields.VALUE))
        if node.id in self.deleted:
            return
        method = "__setitem__" if node.id in self.stored else "__getitem__"
        value = self.low.intern((Tag.OPERATOR, method, base, ()))
        self.implicit_site(node, value, base, Via.OPERATOR)

    def operator(self, node: Node) -> None:
        """A binary or unary operator."""
        expression = self.expr.lower(node)
        shape = self.low.facts.expressions[expression]
        if shape[0] == Tag.OPERATOR and shape[1]:
            self.implicit_site(node, expression, shape[2], Via.OPERATOR)

    def comparison(self, node: Node) -> None:
        """A comparison, by its first operator."""
        children = node.children
        if len(children) < 3:
            return
        method = BINARY_METHODS.get(children[1].type, "")
        holder, other = (children[2], children[0]) if method == "__contains__" else (children[0], children[2])
        if method and other.type != "none":
            left = self.expr.lower(holder)
            value = self.low.intern((Tag.OPERATOR, method, left, (self.expr.lower(other),)))
            self.implicit_site(node, value, left, Via.OPERATOR)

    def implicit_site(self, node: Node, expression: int, operand: int, via: Via) -> None:
        """Record a construct that may call a method of its operand."""
        if self.low.facts.expressions[operand][0] not in _PLAIN or self._has_other(expression):
            self.low.site(node.start_point[0] + 1, expression, via)

    def _has_other(self, expression: int) -> bool:
        """Whether the right operand of an operator may be an object of the repository though the left is plain."""
        shape = self.low.facts.expressions[expression]
        if shape[0] != Tag.OPERATOR or len(shape[3]) != 1:
            return False
        return self.low.facts.expressions[shape[3][0]][0] not in _PLAIN

    def format(self, node: Node) -> None:
        """An interpolation of an f-string."""
        conversion = node.child_by_field_id(fields.TYPE_CONVERSION)
        method = "__repr__" if conversion is not None and conversion.text == b"!r" else "__format__"
        self.implicit(node.child_by_field_id(fields.EXPRESSION), method)

    def negation(self, node: Node) -> None:
        """``not x``."""
        self.implicit(node.child_by_field_id(fields.ARGUMENT), "__bool__")

    def implicit(self, node: Node | None, method: str) -> None:
        """A method that a construct calls on the value of a name, an attribute or a call."""
        if node is not None and node.kind_id in kinds.VALUES:
            operand = self.expr.lower(node)
            value = self.low.intern((Tag.OPERATOR, method, operand, ()))
            self.implicit_site(node, value, operand, Via.OPERATOR)

    def raised(self, node: Node) -> None:
        """``raise X``: an exception class that is called without saying so."""
        raised = node.named_child(0) if node.named_child_count else None
        if raised is not None and raised.type in {"identifier", "attribute"}:
            call = self.low.intern((Tag.CALL, self.expr.lower(raised), (), (), False))
            self.low.site(raised.start_point[0] + 1, call, Via.RAISE)
