"""Python expressions and annotations, lowered to the neutral form."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from tree_sitter import Node, Parser

from code_review_graph.facts import (
    NO_EXPRESSION,
    Definition,
    DefinitionKind,
    ScopeKind,
    Tag,
)
from code_review_graph.languages.python import fields, kinds
from code_review_graph.languages.python.conditions import Test, bind_tests, tests_of
from code_review_graph.languages.python.grammar import kind as kind_number
from code_review_graph.languages.python.parameters import parameters_of
from code_review_graph.languages.python.syntax import UNKNOWN, integer_value, plain_content, string_content
from code_review_graph.languages.python.targets import bind_target
from code_review_graph.lowering import Lowering

# Deeper nesting than any person writes; beyond it an expression is unknown rather than a stack overflow.
MAX_DEPTH: Final = 150
# Long displays are data, not wiring.
MAX_ELEMENTS: Final = 256
MAX_LITERAL: Final = 80

BINARY_METHODS: Final = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "**": "__pow__",
    "@": "__matmul__",
    "&": "__and__",
    "|": "__or__",
    "^": "__xor__",
    "<<": "__lshift__",
    ">>": "__rshift__",
    "==": "__eq__",
    "!=": "__ne__",
    "<": "__lt__",
    "<=": "__le__",
    ">": "__gt__",
    ">=": "__ge__",
    "in": "__contains__",
    "not in": "__contains__",
}
# The commonest tags, nearer at hand than in their class.
_MEMBER: Final = Tag.MEMBER
_CALL: Final = Tag.CALL
_LITERAL: Final = Tag.LITERAL
UNARY_METHODS: Final = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_DISPLAYS: Final = {"list": "list", "set": "set"}


class Expressions:
    """Lowers expression nodes; one instance a file."""

    def __init__(self, lowering: Lowering, parser: Parser) -> None:
        self.low = lowering
        self.parser = parser
        self.lambdas: dict[int, int] = {}  # syntax node id -> definition
        self._depth = 0
        self._handlers = self._HANDLERS

    def lower(self, node: Node | None) -> int:
        """Expression index of a node; ``UNKNOWN`` for what has no meaning to the resolver."""
        if node is None:
            return UNKNOWN
        low = self.low
        known = low.node_expressions
        key = node.id
        index = known.get(key)
        if index is not None:
            return index
        kind = node.kind_id
        if kind == kinds.IDENTIFIER:
            index = known[key] = low.name(low.text(node.start_byte, node.end_byte))
            return index
        handler = self._handlers.get(kind)
        if handler is None or self._depth > MAX_DEPTH:
            return UNKNOWN
        self._depth += 1
        index = known[key] = handler(self, node)
        self._depth -= 1
        return index

    def text(self, node: Node) -> str:
        """The node's own text."""
        return self.low.text(node.start_byte, node.end_byte)

    def annotation(self, node: Node | None) -> int:
        """Expression of an annotation (``type`` node); ``NO_EXPRESSION`` where there is none."""
        return NO_EXPRESSION if node is None else self.lower(node)

    def literal(self, kind: str, value: object = None) -> int:
        """A literal of a builtin type."""
        return self.low.intern((_LITERAL, kind, value))

    def field(self, node: Node, number: int) -> int:
        """Expression of the child in a field, by the field's number."""
        return self.lower(node.child_by_field_id(number))

    def _value(self, node: Node) -> int:
        return self.lower(node.child_by_field_id(fields.VALUE))

    def _right(self, node: Node) -> int:
        return self.lower(node.child_by_field_id(fields.RIGHT))

    def _inner(self, node: Node) -> int:
        return self.lower(node.named_child(0)) if node.named_child_count else UNKNOWN

    def _identifier(self, node: Node) -> int:
        return self.low.name(self.low.text(node.start_byte, node.end_byte))

    def _attribute(self, node: Node) -> int:
        name = node.child_by_field_id(fields.ATTRIBUTE)
        if name is None:
            return UNKNOWN
        low = self.low
        owner = self.lower(node.child_by_field_id(fields.OBJECT))
        return low.intern((_MEMBER, owner, low.text(name.start_byte, name.end_byte)))

    def _member_type(self, node: Node) -> int:
        if node.named_child_count < 2:
            return UNKNOWN
        return self.low.intern((Tag.MEMBER, self._inner(node), self.text(node.named_children[-1])))

    def _call(self, node: Node) -> int:
        function = node.child_by_field_id(fields.FUNCTION)
        arguments = node.child_by_field_id(fields.ARGUMENTS)
        if function is None:
            return UNKNOWN
        positional, keywords, has_star = self.arguments(arguments)
        if function.kind_id == kinds.IDENTIFIER and self.text(function) == "super":
            return self.low.intern((Tag.SUPER, positional))
        return self.low.intern((_CALL, self.lower(function), positional, keywords, has_star))

    def lower_dotted(self, node: Node) -> int:
        """Expression of a ``dotted_name``."""
        parts = node.named_children
        if not parts:
            return self._identifier(node)
        value = self._identifier(parts[0])
        for part in parts[1:]:
            value = self.low.intern((Tag.MEMBER, value, self.text(part)))
        return value

    def arguments(self, node: Node | None) -> tuple[tuple[int, ...], tuple[tuple[str, int], ...], bool]:
        """Positional and keyword arguments of a call, and whether a star hides more."""
        if node is None or not node.named_child_count:
            return (), (), False
        if node.kind_id == kinds.GENERATOR:
            return (self.lower(node),), (), False
        positional: list[int] = []
        keywords: list[tuple[str, int]] = []
        has_star = False
        for child in node.named_children:
            kind = child.kind_id
            if kind == kinds.KEYWORD_ARGUMENT:
                name = child.child_by_field_id(fields.NAME)
                if name is not None:
                    keywords.append((self.text(name), self._value(child)))
            elif kind in kinds.SPLATS:
                has_star = True
            elif kind != kinds.COMMENT:
                positional.append(self.lower(child))
        return tuple(positional), tuple(keywords), has_star

    def _subscript(self, node: Node) -> int:
        base = self.field(node, fields.VALUE)
        keys = node.children_by_field_id(fields.SUBSCRIPT)
        if len(keys) == 1:
            if keys[0].type == "slice":
                return self._slice(base, keys[0])
            return self.low.intern((Tag.INDEX, base, self.lower(keys[0])))
        return self._index_many(base, keys)

    def _index_many(self, base: int, keys: list[Node]) -> int:
        elements = tuple([self.lower(key) for key in keys])
        return self.low.intern((Tag.INDEX, base, self.low.intern((Tag.SEQUENCE, "tuple", elements))))

    def _slice(self, base: int, node: Node) -> int:
        first = node.child(0) if node.child_count else None
        start = None
        if first is not None and first.type == "integer":
            start = integer_value(self.text(first))
        elif first is not None and first.type == ":":
            start = 0
        return self.low.intern((Tag.SLICE, base, start))

    def _generic(self, node: Node) -> int:
        children = node.named_children
        if len(children) < 2:
            return self._inner(node)
        keys = children[1].named_children
        base = self.lower(children[0])
        if len(keys) == 1:
            return self.low.intern((Tag.INDEX, base, self.lower(keys[0])))
        return self._index_many(base, keys)

    def _type(self, node: Node) -> int:
        inner = node.named_child(0) if node.named_child_count else None
        return self._quoted_annotation(inner) if inner is not None and inner.type == "string" else self.lower(inner)

    def _string(self, node: Node) -> int:
        content = plain_content(self.low.source[node.start_byte : node.end_byte])
        return self._text_literal(content or string_content(node))

    def _concatenated(self, node: Node) -> int:
        return self._text_literal(string_content(node))

    def _text_literal(self, content: str | None) -> int:
        return self.literal("str", content if content is not None and len(content) <= MAX_LITERAL else None)

    def _quoted_annotation(self, node: Node) -> int:
        content = string_content(node)
        return self.quoted(content) if content else UNKNOWN

    def quoted(self, content: str) -> int:
        """Expression of an annotation that stands in a string."""
        source = content.strip().encode()
        tree = self.parser.parse(source)
        statement = tree.root_node.named_child(0) if tree.root_node.named_child_count else None
        if statement is None or statement.type != "expression_statement":
            return UNKNOWN
        # Node ids of this small tree may be reused later; they must not meet the cache of the file's own tree.
        low = self.low
        kept = low.node_expressions, low.source
        low.node_expressions, low.source = {}, source
        try:
            return self._inner(statement)
        finally:
            low.node_expressions, low.source = kept

    def _integer(self, node: Node) -> int:
        return self.literal("int", integer_value(self.text(node)))

    def _sequence(self, node: Node) -> int:
        elements = tuple(
            [self.lower(child) for child in node.named_children[:MAX_ELEMENTS] if child.kind_id != kinds.COMMENT]
        )
        return self.low.intern((Tag.SEQUENCE, _DISPLAYS.get(node.type, "tuple"), elements))

    def _splat(self, node: Node) -> int:
        return self.low.intern((Tag.ITERATE, self._inner(node)))

    def _mapping(self, node: Node) -> int:
        pairs: list[tuple[int, int]] = []
        for child in node.named_children[:MAX_ELEMENTS]:
            if child.kind_id == kinds.PAIR:
                pairs.append((self.field(child, fields.KEY), self._value(child)))
            elif child.kind_id == kinds.DICTIONARY_SPLAT:
                pairs.append((NO_EXPRESSION, self._inner(child)))
        return self.low.intern((Tag.MAPPING, tuple(pairs)))

    def _lambda(self, node: Node) -> int:
        return self.low.intern((Tag.LAMBDA, self.lambda_definition(node)))

    def lambda_definition(self, node: Node, name: str = "", line: int = 0) -> int:
        """Definition of a lambda; named when it is bound to a name at once."""
        index = self.lambdas.get(node.id)
        if index is None:
            parameters = parameters_of(self, node.child_by_field_id(fields.PARAMETERS))
            definition = Definition(
                int(DefinitionKind.LAMBDA), name, self.low.scope, -1, line or node.start_point[0] + 1,
                node.end_point[0] + 1, 0, f"{name} = lambda" if name else "", "", NO_EXPRESSION, (), parameters,
                NO_EXPRESSION, (), (), (), "",
            )  # fmt: skip
            index = self.lambdas[node.id] = self.low.define(definition, (node.start_byte, node.end_byte))
        return index

    def _comprehension(self, node: Node) -> int:
        low = self.low
        scope = low.open_scope(ScopeKind.INLINE, -1, node.end_byte)
        for clause in node.named_children:
            if clause.type == "for_in_clause":
                element = low.intern((Tag.ITERATE, self.field(clause, fields.RIGHT)))
                bind_target(self, clause.child_by_field_id(fields.LEFT), element)
            elif clause.type == "if_clause":
                condition = clause.named_child(0) if clause.named_child_count else None
                bind_tests(low, tests_of(condition, self, truth=True))
        body = node.child_by_field_id(fields.BODY)
        if body is not None and body.type == "pair":
            kind, element = "dict", self.field(body, fields.VALUE)
        else:
            kind, element = (
                {"list_comprehension": "list", "set_comprehension": "set"}.get(node.type, "generator"),
                (self.lower(body)),
            )
        low.close_region()
        low.pending_regions[node.id] = ("inline", scope)
        return low.intern((Tag.GENERATE, scope, element, kind))

    def _conditional(self, node: Node) -> int:
        children = [child for child in node.named_children if child.type != "comment"]
        if len(children) != 3:
            return UNKNOWN
        first = self._within(children[0], tests_of(children[1], self, truth=True))
        second = self._within(children[2], tests_of(children[1], self, truth=False))
        return self.low.intern((Tag.EITHER, (first, second)))

    def _within(self, node: Node, tests: list[Test]) -> int:
        """A part of an expression that is only evaluated where tests hold."""
        if not tests:
            return self.lower(node)
        scope = self.low.open_scope(ScopeKind.INLINE, -1, node.end_byte)
        bind_tests(self.low, tests)
        value = self.lower(node)
        self.low.close_region()
        self.low.pending_regions[node.id] = ("inline", scope)
        return self.low.intern((Tag.WITHIN, scope, value))

    def _boolean(self, node: Node) -> int:
        left = self.field(node, fields.LEFT)
        operator, operand = node.child_by_field_id(fields.OPERATOR), node.child_by_field_id(fields.RIGHT)
        if operand is None:
            return left
        is_and = operator is not None and operator.type == "and"
        right = self._within(operand, tests_of(node.child_by_field_id(fields.LEFT), self, truth=is_and))
        if is_and:
            return right
        return self.low.intern((Tag.EITHER, (left, right)))

    def _union(self, node: Node) -> int:
        return self.low.intern((Tag.EITHER, tuple([self.lower(child) for child in node.named_children])))

    def _await(self, node: Node) -> int:
        return self.low.intern((Tag.AWAIT, self._inner(node)))

    def _binary(self, node: Node) -> int:
        operator = node.child_by_field_id(fields.OPERATOR)
        method = BINARY_METHODS.get(operator.type if operator is not None else "", "")
        left, right = self.field(node, fields.LEFT), self.field(node, fields.RIGHT)
        return self.low.intern((Tag.OPERATOR, method, left, (right,)))

    def _unary(self, node: Node) -> int:
        operator = node.child_by_field_id(fields.OPERATOR)
        method = UNARY_METHODS.get(operator.type if operator is not None else "", "")
        return self.low.intern((Tag.OPERATOR, method, self.field(node, fields.ARGUMENT), ()))

    def _float(self, _node: Node) -> int:
        return self.literal("float")

    def _bool(self, _node: Node) -> int:
        return self.literal("bool")

    def _none(self, _node: Node) -> int:
        return self.literal("None")

    def _sent(self, _node: Node) -> int:
        return self.low.intern((Tag.SENT,))

    _HANDLERS: ClassVar[dict[int, Callable[[Expressions, Node], int]]] = {
        kind_number(name): handler
        for names, handler in (
            ("identifier", _identifier),
            ("attribute", _attribute),
            ("call", _call),
            ("subscript", _subscript),
            ("string", _string),
            ("concatenated_string", _concatenated),
            ("integer", _integer),
            ("float", _float),
            ("true false comparison_operator not_operator", _bool),
            ("none", _none),
            ("list set tuple expression_list pattern_list", _sequence),
            ("dictionary", _mapping),
            ("lambda", _lambda),
            (
                "list_comprehension set_comprehension dictionary_comprehension generator_expression",
                _comprehension,
            ),
            ("conditional_expression", _conditional),
            ("boolean_operator", _boolean),
            ("named_expression", _value),
            ("parenthesized_expression", _inner),
            ("type", _type),
            ("await", _await),
            ("yield", _sent),
            ("binary_operator", _binary),
            ("union_type", _union),
            ("generic_type", _generic),
            ("member_type", _member_type),
            ("unary_operator", _unary),
            ("list_splat", _splat),
            ("assignment", _right),
        )
        for name in names.split()
    }
