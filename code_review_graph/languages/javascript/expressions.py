"""JavaScript expressions, lowered to the neutral form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import ScopeKind, Tag
from code_review_graph.languages.javascript.annotations import Annotations
from code_review_graph.languages.javascript.classes import Classes
from code_review_graph.languages.javascript.conditions import Test, bind_tests, tests_of
from code_review_graph.languages.javascript.functions import Functions
from code_review_graph.languages.javascript.invocations import Invocations
from code_review_graph.languages.javascript.objects import Objects
from code_review_graph.languages.javascript.syntax import UNKNOWN, string_content, text_of
from code_review_graph.lowering import Lowering

# Deeper nesting than any person writes; beyond it an expression is unknown rather than a stack overflow.
MAX_DEPTH: Final = 120
# Long displays are data, not wiring.
MAX_ELEMENTS: Final = 256
MAX_LITERAL: Final = 80

_LITERALS: Final = {
    "true": "bool",
    "false": "bool",
    "null": "None",
    "undefined": "None",
    "regex": "RegExp",
    "update_expression": "number",
    "jsx_element": "object",
    "jsx_self_closing_element": "object",
    "jsx_fragment": "object",
}
_ALTERNATIVES: Final = frozenset({"||", "??"})
_PLAIN: Final = frozenset(
    {"==", "!=", "===", "!==", "<", ">", "<=", ">=", "instanceof", "in", "-", "*", "/", "%", "&", "|", "^"}
)


class Expressions:
    """Lowers expression nodes; one instance a file."""

    def __init__(self, lowering: Lowering) -> None:
        self.low = lowering
        self._depth = 0
        self.annotations = Annotations(self)
        self.functions = Functions(self)
        self.objects = Objects(self)
        self.classes = Classes(self)
        self.invocations = Invocations(self)
        self._handlers: dict[str, Callable[[Node], int]] = {
            "identifier": self._identifier,
            "shorthand_property_identifier": self._identifier,
            "this": lambda _node: self.low.intern((int(Tag.SELF),)),
            "super": lambda _node: self.low.intern((int(Tag.SUPER), ())),
            "member_expression": self._member,
            "subscript_expression": self._subscript,
            "call_expression": self.invocations.call,
            "new_expression": self.invocations.construct,
            "string": self._text_literal,
            "template_string": self._text_literal,
            "number": self._number,
            "array": self._array,
            "object": self.objects.lower,
            "arrow_function": self.functions.value,
            "function_expression": self.functions.value,
            "generator_function": self.functions.value,
            "class": self.classes.value,
            "ternary_expression": self._ternary,
            "binary_expression": self._binary,
            "assignment_expression": lambda node: self.field(node, "right"),
            "augmented_assignment_expression": self._augmented,
            "parenthesized_expression": self._inner,
            "non_null_expression": self._inner,
            "satisfies_expression": self._inner,
            "as_expression": self._cast,
            "type_assertion": self._assertion,
            "sequence_expression": self._sequence,
            "await_expression": self._await,
            "unary_expression": self._unary,
            "spread_element": self._spread,
            "instantiation_expression": self._inner,
            "nested_identifier": self._nested,
            "jsx_expression": self._inner,
        }

    def parts(self) -> tuple[object, ...]:
        """Everything that refers back to this instance."""
        return self, self.annotations, self.functions, self.objects, self.classes, self.invocations

    def lower(self, node: Node | None) -> int:
        """Expression index of a node; ``UNKNOWN`` for what has no meaning to the resolver."""
        if node is None:
            return UNKNOWN
        kind = node.type
        handler = self._handlers.get(kind)
        if handler is None:
            literal = _LITERALS.get(kind)
            return UNKNOWN if literal is None else self.literal(literal)
        if self._depth > MAX_DEPTH:
            return UNKNOWN
        cache = self.low.node_expressions
        key = node.id
        index = cache.get(key)
        if index is None:
            self._depth += 1
            index = cache[key] = handler(node)
            self._depth -= 1
        return index

    def literal(self, kind: str, value: object = None) -> int:
        """A literal of a builtin type."""
        return self.low.intern((int(Tag.LITERAL), kind, value))

    def either(self, *operands: int) -> int:
        """One of several expressions."""
        known = tuple(dict.fromkeys(item for item in operands if item > 0))
        if len(known) < 2:
            return known[0] if known else UNKNOWN
        return self.low.intern((int(Tag.EITHER), known))

    def member(self, value: int, name: str) -> int:
        """``value.name``."""
        return self.low.intern((int(Tag.MEMBER), value, name))

    def field(self, node: Node, name: str) -> int:
        """Expression of a named child."""
        return self.lower(node.child_by_field_name(name))

    def any_binding(self, name: str) -> int:
        """A name by all of its bindings, wherever they stand."""
        return self.low.intern((int(Tag.NAME), name, 0, 0))

    def is_bound(self, name: str) -> bool:
        """Whether a scope around has bound a name so far."""
        scopes, scope = self.low.facts.scopes, self.low.scope
        while scope >= 0:
            if name in scopes[scope].bindings:
                return True
            scope = scopes[scope].parent
        return False

    def _inner(self, node: Node) -> int:
        return self.lower(node.named_children[0]) if node.named_child_count else UNKNOWN

    def _identifier(self, node: Node) -> int:
        return self.low.name(text_of(node))

    def _nested(self, node: Node) -> int:
        name = node.child_by_field_name("property")
        return UNKNOWN if name is None else self.member(self.field(node, "object"), text_of(name))

    def _member(self, node: Node) -> int:
        owner, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        if owner is None or name is None:
            return UNKNOWN
        text = text_of(name)
        if owner.type == "identifier" and owner.text in {b"exports", b"module"}:
            exported = self.exported(owner, text)
            if exported:
                return exported
        if text == "prototype":
            made = self.low.intern((int(Tag.CONSTRUCT), self.lower(owner)))
            return self.low.intern((int(Tag.CALL), made, (), (), False))
        if owner.type == "member_expression" and owner.text == b"module.exports" and not self.is_bound("module"):
            return self.either(self.any_binding(f"export {text}"), self.member(self.lower(owner), text))
        return self.member(self.lower(owner), "__class__" if text == "constructor" else text)

    def exported(self, owner: Node, name: str) -> int:
        """``exports.x`` and ``module.exports`` where nothing else bears these names; 0 for anything else."""
        text = text_of(owner)
        if self.is_bound(text):
            return 0
        if text == "exports":
            return self.any_binding(f"export {name}")
        return self.any_binding("export =") if name == "exports" else 0

    def _subscript(self, node: Node) -> int:
        owner, key = self.field(node, "object"), node.child_by_field_name("index")
        name = string_content(key)
        item = self.low.intern((int(Tag.INDEX), owner, self.lower(key)))
        return self.either(self.member(owner, name), item) if name else item

    def _text_literal(self, node: Node) -> int:
        content = string_content(node)
        return self.literal("str", content if content is not None and len(content) <= MAX_LITERAL else None)

    def _number(self, node: Node) -> int:
        text = text_of(node)
        is_small = text.isascii() and text.isdecimal() and len(text) < 10
        return self.literal("int", int(text)) if is_small else self.literal("number")

    def _array(self, node: Node) -> int:
        children = [child for child in node.named_children[:MAX_ELEMENTS] if child.type != "comment"]
        return self.low.intern((int(Tag.SEQUENCE), "list", tuple([self.lower(child) for child in children])))

    def _spread(self, node: Node) -> int:
        return self.low.intern((int(Tag.ITERATE), self._inner(node)))

    def _ternary(self, node: Node) -> int:
        holds = tests_of(node.child_by_field_name("condition"), self, truth=True)
        first = self._within(node.child_by_field_name("consequence"), holds)
        return self.either(first, self.field(node, "alternative"))

    def _binary(self, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        kind = operator.type if operator is not None else ""
        if kind in _ALTERNATIVES:
            return self.either(self.field(node, "left"), self.field(node, "right"))
        if kind == "&&":
            holds = tests_of(node.child_by_field_name("left"), self, truth=True)
            return self._within(node.child_by_field_name("right"), holds)
        return self.literal("bool") if kind in _PLAIN else UNKNOWN

    def _within(self, node: Node | None, tests: list[Test]) -> int:
        """A part of an expression that is only evaluated where tests hold."""
        if node is None or not tests:
            return self.lower(node)
        scope = self.low.open_scope(ScopeKind.INLINE, -1, node.end_byte)
        bind_tests(self.low, tests)
        value = self.lower(node)
        self.low.close_region()
        self.low.pending_regions[node.id] = ("inline", scope)
        return self.low.intern((int(Tag.WITHIN), scope, value))

    def _augmented(self, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type not in {"||=", "??=", "&&="}:
            return UNKNOWN
        return self.either(self.field(node, "left"), self.field(node, "right"))

    def _cast(self, node: Node) -> int:
        children = node.named_children
        if len(children) < 2:
            return self._inner(node)
        return self._as_type(children[0], self.annotations.lower(children[1]))

    def _assertion(self, node: Node) -> int:
        children = node.named_children
        if len(children) < 2:
            return UNKNOWN
        inner = children[0].named_children
        return self._as_type(children[-1], self.annotations.lower(inner[0]) if inner else UNKNOWN)

    def _as_type(self, value: Node, annotation: int) -> int:
        inner = self.lower(value)
        return inner if annotation <= 0 else self.low.intern((int(Tag.INSTANCE), annotation))

    def _sequence(self, node: Node) -> int:
        return self.lower(node.named_children[-1]) if node.named_child_count else UNKNOWN

    def _await(self, node: Node) -> int:
        return self.low.intern((int(Tag.AWAIT), self._inner(node)))

    def _unary(self, node: Node) -> int:
        operator = node.child_by_field_name("operator")
        kind = operator.type if operator is not None else ""
        return self.literal({"!": "bool", "typeof": "str"}.get(kind, "number")) if kind != "void" else UNKNOWN
