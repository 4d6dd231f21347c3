"""Go expressions, lowered to the neutral form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import NO_EXPRESSION, Definition, DefinitionKind, Tag
from code_review_graph.languages.go.annotations import Types
from code_review_graph.languages.go.literals import Literals
from code_review_graph.languages.go.scoping import Scoping
from code_review_graph.languages.go.syntax import UNKNOWN, string_value, text_of
from code_review_graph.lowering import Lowering

# Deeper nesting than any person writes; beyond it an expression is unknown rather than a stack overflow.
MAX_DEPTH: Final = 150
MAX_LITERAL: Final = 80
TYPE_ARGUMENT: Final = "[{}]"

# Predeclared functions and types that run nothing of the repository and give nothing back that has methods.
_SILENT: Final = frozenset({
    "len", "cap", "copy", "delete", "panic", "recover", "clear", "complex", "real", "imag", "string", "bool", "byte",
    "rune", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
    "float32", "float64", "complex64", "complex128",
})  # fmt: skip
_ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "|", "&", "^", "<<", ">>", "&^"})
_MADE: Final = frozenset({"new", "make"})


class Expressions:
    """Lowers expression nodes; one instance a file."""

    def __init__(self, lowering: Lowering, scoping: Scoping, types: Types) -> None:
        self.low = lowering
        self.scoping = scoping
        self.types = types
        self.literals = Literals(lowering, types, self.lower)
        self.closures: dict[int, int] = {}  # syntax node id -> definition
        self._depth = 0
        self._handlers: dict[str, Callable[[Node], int]] = {
            "identifier": self._identifier,
            "selector_expression": self._selector,
            "call_expression": self._call,
            "type_conversion_expression": self._conversion,
            "index_expression": self._index,
            "slice_expression": lambda node: self.field(node, "operand"),
            "type_assertion_expression": self._assertion,
            "unary_expression": self._unary,
            "binary_expression": self._binary,
            "parenthesized_expression": self._inner,
            "composite_literal": self.literals.composite,
            "literal_element": self._inner,
            "func_literal": self._closure,
            "interpreted_string_literal": self._text,
            "raw_string_literal": self._text,
            "int_literal": self._integer,
            "expression_list": self._list,
            "variadic_argument": self._spread,
        }

    def release(self) -> None:
        """Let go of the handlers."""
        self._handlers.clear()
        self.literals.release()

    def lower(self, node: Node | None) -> int:
        """Expression index of a node; ``UNKNOWN`` for what has no meaning to the resolver."""
        if node is None:
            return UNKNOWN
        handler = self._handlers.get(node.type)
        if handler is None or self._depth > MAX_DEPTH:
            return UNKNOWN
        cache = self.low.node_expressions
        key = node.id
        index = cache.get(key)
        if index is None:
            self._depth += 1
            index = cache[key] = handler(node)
            self._depth -= 1
        return index

    def field(self, node: Node, name: str) -> int:
        """Expression of a named child."""
        return self.lower(node.child_by_field_name(name))

    def _inner(self, node: Node) -> int:
        return self.lower(node.named_child(0)) if node.named_child_count else UNKNOWN

    def _identifier(self, node: Node) -> int:
        name = text_of(node)
        index = self.low.name(name)
        if self.low.facts.expressions[index][2] == 0:
            self.scoping.used.add(name)
        return index

    def _selector(self, node: Node) -> int:
        name = node.child_by_field_name("field")
        if name is None:
            return UNKNOWN
        return self.low.intern((int(Tag.MEMBER), self.field(node, "operand"), text_of(name)))

    # -- calls and conversions

    def _call(self, node: Node) -> int:
        function = node.child_by_field_name("function")
        if function is None:
            return UNKNOWN
        arguments = node.child_by_field_name("arguments")
        written = [item for item in arguments.named_children if item.type != "comment"] if arguments is not None else []
        if function.type == "identifier":
            name = text_of(function)
            known = self._predeclared(name, written)
            if known is not None:
                return known
            if self.scoping.is_type_parameter(name):
                return self.made(self.types.lower(function))
        positional = tuple([self.lower(item) for item in written])
        keywords = self._type_arguments(node, function)
        return self.low.intern((int(Tag.CALL), self.lower(function), positional, keywords, False))

    def _type_arguments(self, node: Node, function: Node) -> tuple[tuple[str, int], ...]:
        """Type arguments that a call spells out; one alone reads like an index."""
        if function.type == "index_expression":
            index = function.child_by_field_name("index")
            return ((TYPE_ARGUMENT.format(0), self.types.lower(index)),)
        arguments = node.child_by_field_name("type_arguments")
        items = arguments.named_children if arguments is not None else ()
        return tuple([(TYPE_ARGUMENT.format(place), self.types.lower(item)) for place, item in enumerate(items)])

    def _predeclared(self, name: str, arguments: list[Node]) -> int | None:
        """Value of a call of a function that Go itself declares; None for any other."""
        if (name not in _SILENT and name not in _MADE and name != "append") or self.scoping.is_shadowed(name):
            return None
        if name in _SILENT or not arguments:
            return UNKNOWN
        if name in _MADE:
            return self.made(self.types.lower(arguments[0]))
        added = [self.lower(item) for item in arguments[1:]]
        spread = [self.low.facts.expressions[item] for item in added]
        values = [shape[1] if shape[0] == Tag.ITERATE else item for item, shape in zip(added, spread, strict=True)]
        if arguments[-1].type != "variadic_argument":
            values = [self.low.intern((int(Tag.SEQUENCE), "list", tuple(added)))]
        return self.low.intern((int(Tag.EITHER), (self.lower(arguments[0]), *values)))

    def made(self, annotation: int) -> int:
        """A value of a type."""
        return UNKNOWN if annotation <= 0 else self.low.intern((int(Tag.INSTANCE), annotation))

    def _conversion(self, node: Node) -> int:
        kind, operand = node.child_by_field_name("type"), node.child_by_field_name("operand")
        if kind is not None and kind.type == "generic_type":  # `F[T](x)` may be a call as well
            head = self.types.lower(kind.child_by_field_name("type"))
            keywords = self._type_arguments(kind, kind)
            return self.low.intern((int(Tag.CALL), head, (self.lower(operand),), keywords, False))
        return self.made(self.types.lower(kind))

    def _assertion(self, node: Node) -> int:
        return self.made(self.types.lower(node.child_by_field_name("type")))

    def static_type(self, node: Node) -> int:
        """The type that an expression states itself; ``UNKNOWN`` where it must be inferred."""
        while node.type == "unary_expression" and node.named_child_count and node.children[0].type == "&":
            node = node.named_children[0]
        if node.type in {"composite_literal", "type_assertion_expression"}:
            return self.types.lower(node.child_by_field_name("type"))
        if node.type == "call_expression":
            shape = self.low.facts.expressions[self.lower(node)]
            return int(shape[1]) if shape[0] == Tag.INSTANCE else UNKNOWN
        return UNKNOWN

    # -- operators

    def _index(self, node: Node) -> int:
        operand, key = self.field(node, "operand"), self.field(node, "index")
        return self.low.intern((int(Tag.INDEX), operand, key))

    def _unary(self, node: Node) -> int:
        operator = node.children[0].type
        operand = self.field(node, "operand")
        if operator == "<-":
            return self.low.intern((int(Tag.ITERATE), operand))
        return UNKNOWN if operator == "!" else operand

    def _binary(self, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        arithmetic = operator is not None and operator.type in _ARITHMETIC
        return self.field(node, "left") if arithmetic else UNKNOWN

    def _spread(self, node: Node) -> int:
        return self.low.intern((int(Tag.ITERATE), self._inner(node)))

    # -- literals

    def _text(self, node: Node) -> int:
        value = string_value(node)
        return self.low.intern((int(Tag.LITERAL), "string", value if len(value) <= MAX_LITERAL else None))

    def _integer(self, node: Node) -> int:
        text = text_of(node)
        value = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
        return self.low.intern((int(Tag.LITERAL), "int", value))

    def _list(self, node: Node) -> int:
        items = tuple([self.lower(child) for child in node.named_children if child.type != "comment"])
        return items[0] if len(items) == 1 else self.low.intern((int(Tag.SEQUENCE), "tuple", items))

    def _closure(self, node: Node) -> int:
        return self.low.intern((int(Tag.LAMBDA), self.closure(node)))

    def closure(self, node: Node, name: str = "", line: int = 0, signature: str = "", docstring: str = "") -> int:
        """Definition of a function literal; it has a name where a package variable is bound to it."""
        index = self.closures.get(node.id)
        if index is None:
            parameters = self.types.parameters(node.child_by_field_name("parameters"))
            definition = Definition(
                int(DefinitionKind.LAMBDA), name, self.low.scope, -1, line or node.start_point[0] + 1,
                node.end_point[0] + 1, 0, signature, docstring, NO_EXPRESSION, (), parameters,
                self.types.result(node.child_by_field_name("result")), (), (), (), "",
            )  # fmt: skip
            index = self.closures[node.id] = self.low.define(definition, (node.start_byte, node.end_byte))
        return index
