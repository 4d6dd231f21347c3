"""Python expressions and annotations, lowered to the neutral form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node, Parser

from code_review_graph.facts import (
    NO_EXPRESSION,
    Definition,
    DefinitionKind,
    Parameter,
    ParameterKind,
    ScopeKind,
    Tag,
)
from code_review_graph.languages.python.conditions import Test, bind_tests, tests_of
from code_review_graph.languages.python.syntax import UNKNOWN, integer_value, string_content, text_of
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
UNARY_METHODS: Final = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_DISPLAYS: Final = {"list": "list", "set": "set"}


class Expressions:
    """Lowers expression nodes; one instance a file."""

    def __init__(self, lowering: Lowering, parser: Parser) -> None:
        self.low = lowering
        self.parser = parser
        self.lambdas: dict[int, int] = {}  # syntax node id -> definition
        self._depth = 0
        self._handlers: dict[str, Callable[[Node], int]] = {
            "identifier": self._identifier,
            "attribute": self._attribute,
            "call": self._call,
            "subscript": self._subscript,
            "string": self._text_literal,
            "concatenated_string": self._text_literal,
            "integer": self._integer,
            "float": lambda _node: self.literal("float"),
            "true": lambda _node: self.literal("bool"),
            "false": lambda _node: self.literal("bool"),
            "none": lambda _node: self.literal("None"),
            "list": self._sequence,
            "set": self._sequence,
            "tuple": self._sequence,
            "expression_list": self._sequence,
            "pattern_list": self._sequence,
            "dictionary": self._mapping,
            "lambda": self._lambda,
            "list_comprehension": self._comprehension,
            "set_comprehension": self._comprehension,
            "dictionary_comprehension": self._comprehension,
            "generator_expression": self._comprehension,
            "conditional_expression": self._conditional,
            "boolean_operator": self._boolean,
            "named_expression": lambda node: self.field(node, "value"),
            "parenthesized_expression": self._inner,
            "type": self._type,
            "await": self._await,
            "yield": lambda _node: self.low.intern((int(Tag.SENT),)),
            "binary_operator": self._binary,
            "union_type": self._union,
            "generic_type": self._generic,
            "member_type": self._member_type,
            "comparison_operator": lambda _node: self.literal("bool"),
            "not_operator": lambda _node: self.literal("bool"),
            "unary_operator": self._unary,
            "list_splat": self._splat,
            "assignment": lambda node: self.field(node, "right"),
        }

    def release(self) -> None:
        """Let go of the handlers."""
        self._handlers.clear()

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

    def annotation(self, node: Node | None) -> int:
        """Expression of an annotation (``type`` node); ``NO_EXPRESSION`` where there is none."""
        return NO_EXPRESSION if node is None else self.lower(node)

    def literal(self, kind: str, value: object = None) -> int:
        """A literal of a builtin type."""
        return self.low.intern((int(Tag.LITERAL), kind, value))

    def field(self, node: Node, name: str) -> int:
        """Expression of a named child."""
        return self.lower(node.child_by_field_name(name))

    def _inner(self, node: Node) -> int:
        return self.lower(node.named_child(0)) if node.named_child_count else UNKNOWN

    def _identifier(self, node: Node) -> int:
        return self.low.name(text_of(node))

    def _attribute(self, node: Node) -> int:
        name = node.child_by_field_name("attribute")
        if name is None:
            return UNKNOWN
        return self.low.intern((int(Tag.MEMBER), self.field(node, "object"), text_of(name)))

    def _member_type(self, node: Node) -> int:
        if node.named_child_count < 2:
            return UNKNOWN
        return self.low.intern((int(Tag.MEMBER), self._inner(node), text_of(node.named_children[-1])))

    def _call(self, node: Node) -> int:
        function = node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return UNKNOWN
        positional, keywords, has_star = self.arguments(arguments)
        if function.type == "identifier" and function.text == b"super":
            return self.low.intern((int(Tag.SUPER), positional))
        return self.low.intern((int(Tag.CALL), self.lower(function), positional, keywords, has_star))

    def lower_dotted(self, node: Node) -> int:
        """Expression of a ``dotted_name``."""
        parts = node.named_children
        if not parts:
            return self._identifier(node)
        value = self._identifier(parts[0])
        for part in parts[1:]:
            value = self.low.intern((int(Tag.MEMBER), value, text_of(part)))
        return value

    def arguments(self, node: Node | None) -> tuple[tuple[int, ...], tuple[tuple[str, int], ...], bool]:
        """Positional and keyword arguments of a call, and whether a star hides more."""
        if node is None:
            return (), (), False
        if node.type == "generator_expression":
            return (self.lower(node),), (), False
        positional: list[int] = []
        keywords: list[tuple[str, int]] = []
        has_star = False
        for child in node.named_children:
            kind = child.type
            if kind == "keyword_argument":
                name = child.child_by_field_name("name")
                if name is not None:
                    keywords.append((text_of(name), self.field(child, "value")))
            elif kind in {"list_splat", "dictionary_splat"}:
                has_star = True
            elif kind != "comment":
                positional.append(self.lower(child))
        return tuple(positional), tuple(keywords), has_star

    def _subscript(self, node: Node) -> int:
        base = self.field(node, "value")
        keys = node.children_by_field_name("subscript")
        if len(keys) == 1:
            if keys[0].type == "slice":
                return self._slice(base, keys[0])
            return self.low.intern((int(Tag.INDEX), base, self.lower(keys[0])))
        return self._index_many(base, keys)

    def _index_many(self, base: int, keys: list[Node]) -> int:
        elements = tuple([self.lower(key) for key in keys])
        return self.low.intern((int(Tag.INDEX), base, self.low.intern((int(Tag.SEQUENCE), "tuple", elements))))

    def _slice(self, base: int, node: Node) -> int:
        first = node.child(0) if node.child_count else None
        start = None
        if first is not None and first.type == "integer":
            start = integer_value(text_of(first))
        elif first is not None and first.type == ":":
            start = 0
        return self.low.intern((int(Tag.SLICE), base, start))

    def _generic(self, node: Node) -> int:
        children = node.named_children
        if len(children) < 2:
            return self._inner(node)
        keys = children[1].named_children
        base = self.lower(children[0])
        if len(keys) == 1:
            return self.low.intern((int(Tag.INDEX), base, self.lower(keys[0])))
        return self._index_many(base, keys)

    def _type(self, node: Node) -> int:
        inner = node.named_child(0) if node.named_child_count else None
        return self._quoted_annotation(inner) if inner is not None and inner.type == "string" else self.lower(inner)

    def _text_literal(self, node: Node) -> int:
        content = string_content(node)
        return self.literal("str", content if content is not None and len(content) <= MAX_LITERAL else None)

    def _quoted_annotation(self, node: Node) -> int:
        content = string_content(node)
        return self.quoted(content) if content else UNKNOWN

    def quoted(self, content: str) -> int:
        """Expression of an annotation that stands in a string."""
        tree = self.parser.parse(content.strip().encode())
        statement = tree.root_node.named_child(0) if tree.root_node.named_child_count else None
        if statement is None or statement.type != "expression_statement":
            return UNKNOWN
        # Node ids of this small tree may be reused later; they must not meet the cache of the file's own tree.
        kept, self.low.node_expressions = self.low.node_expressions, {}
        try:
            return self._inner(statement)
        finally:
            self.low.node_expressions = kept

    def _integer(self, node: Node) -> int:
        return self.literal("int", integer_value(text_of(node)))

    def _sequence(self, node: Node) -> int:
        elements = tuple([self.lower(child) for child in node.named_children[:MAX_ELEMENTS] if child.type != "comment"])
        return self.low.intern((int(Tag.SEQUENCE), _DISPLAYS.get(node.type, "tuple"), elements))

    def _splat(self, node: Node) -> int:
        return self.low.intern((int(Tag.ITERATE), self._inner(node)))

    def _mapping(self, node: Node) -> int:
        pairs: list[tuple[int, int]] = []
        for child in node.named_children[:MAX_ELEMENTS]:
            if child.type == "pair":
                pairs.append((self.field(child, "key"), self.field(child, "value")))
            elif child.type == "dictionary_splat":
                pairs.append((NO_EXPRESSION, self._inner(child)))
        return self.low.intern((int(Tag.MAPPING), tuple(pairs)))

    def _lambda(self, node: Node) -> int:
        return self.low.intern((int(Tag.LAMBDA), self.lambda_definition(node)))

    def lambda_definition(self, node: Node, name: str = "", line: int = 0) -> int:
        """Definition of a lambda; named when it is bound to a name at once."""
        index = self.lambdas.get(node.id)
        if index is None:
            parameters = self.parameters(node.child_by_field_name("parameters"))
            definition = Definition(
                int(DefinitionKind.LAMBDA), name, self.low.scope, -1, line or node.start_point[0] + 1,
                node.end_point[0] + 1, 0, f"{name} = lambda" if name else "", "", NO_EXPRESSION, (), parameters,
                NO_EXPRESSION, (), (), (), "",
            )  # fmt: skip
            index = self.lambdas[node.id] = self.low.define(definition, (node.start_byte, node.end_byte))
        return index

    def parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        """Parameters of a function or lambda, with their annotations and defaults."""
        if node is None:
            return ()
        found: list[Parameter] = []
        keyword_only = False
        for child in node.named_children:
            if child.type in {"keyword_separator", "list_splat_pattern"}:
                keyword_only = True
            parameter = self._parameter(child, keyword_only=keyword_only)
            if parameter is not None:
                found.append(parameter)
        return tuple(found)

    def _parameter(self, node: Node, *, keyword_only: bool) -> Parameter | None:
        kind = ParameterKind.KEYWORD_ONLY if keyword_only else ParameterKind.POSITIONAL
        target: Node | None = node
        if node.type in {"default_parameter", "typed_default_parameter"}:
            target = node.child_by_field_name("name")
        elif node.type == "typed_parameter":
            target = node.named_child(0)
        if target is not None and target.type == "list_splat_pattern":
            kind, target = ParameterKind.STAR, target.named_child(0) if target.named_child_count else None
        elif target is not None and target.type == "dictionary_splat_pattern":
            kind, target = ParameterKind.DOUBLE_STAR, target.named_child(0) if target.named_child_count else None
        if target is None or target.type != "identifier":
            return None
        value = node.child_by_field_name("value")
        annotation = self.annotation(node.child_by_field_name("type"))
        default = NO_EXPRESSION if value is None else self.lower(value)
        return Parameter(text_of(target), int(kind), annotation, default)

    def _comprehension(self, node: Node) -> int:
        low = self.low
        scope = low.open_scope(ScopeKind.INLINE, -1, node.end_byte)
        for clause in node.named_children:
            if clause.type == "for_in_clause":
                element = low.intern((int(Tag.ITERATE), self.field(clause, "right")))
                bind_target(self, clause.child_by_field_name("left"), element)
            elif clause.type == "if_clause":
                condition = clause.named_child(0) if clause.named_child_count else None
                bind_tests(low, tests_of(condition, self, truth=True))
        body = node.child_by_field_name("body")
        if body is not None and body.type == "pair":
            kind, element = "dict", self.field(body, "value")
        else:
            kind, element = (
                {"list_comprehension": "list", "set_comprehension": "set"}.get(node.type, "generator"),
                (self.lower(body)),
            )
        low.close_region()
        low.pending_regions[node.id] = ("inline", scope)
        return low.intern((int(Tag.GENERATE), scope, element, kind))

    def _conditional(self, node: Node) -> int:
        children = [child for child in node.named_children if child.type != "comment"]
        if len(children) != 3:
            return UNKNOWN
        first = self._within(children[0], tests_of(children[1], self, truth=True))
        second = self._within(children[2], tests_of(children[1], self, truth=False))
        return self.low.intern((int(Tag.EITHER), (first, second)))

    def _within(self, node: Node, tests: list[Test]) -> int:
        """A part of an expression that is only evaluated where tests hold."""
        if not tests:
            return self.lower(node)
        scope = self.low.open_scope(ScopeKind.INLINE, -1, node.end_byte)
        bind_tests(self.low, tests)
        value = self.lower(node)
        self.low.close_region()
        self.low.pending_regions[node.id] = ("inline", scope)
        return self.low.intern((int(Tag.WITHIN), scope, value))

    def _boolean(self, node: Node) -> int:
        left = self.field(node, "left")
        operator, operand = node.child_by_field_name("operator"), node.child_by_field_name("right")
        if operand is None:
            return left
        is_and = operator is not None and operator.type == "and"
        right = self._within(operand, tests_of(node.child_by_field_name("left"), self, truth=is_and))
        if is_and:
            return right
        return self.low.intern((int(Tag.EITHER), (left, right)))

    def _union(self, node: Node) -> int:
        return self.low.intern((int(Tag.EITHER), tuple([self.lower(child) for child in node.named_children])))

    def _await(self, node: Node) -> int:
        return self.low.intern((int(Tag.AWAIT), self._inner(node)))

    def _binary(self, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        method = BINARY_METHODS.get(operator.type if operator is not None else "", "")
        left, right = self.field(node, "left"), self.field(node, "right")
        return self.low.intern((int(Tag.OPERATOR), method, left, (right,)))

    def _unary(self, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        method = UNARY_METHODS.get(operator.type if operator is not None else "", "")
        return self.low.intern((int(Tag.OPERATOR), method, self.field(node, "argument"), ()))
