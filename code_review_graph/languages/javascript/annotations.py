"""TypeScript types, lowered to the engine's annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import NO_EXPRESSION, BindingKind, Tag
from code_review_graph.languages.javascript.syntax import UNKNOWN, property_name, text_of

if TYPE_CHECKING:
    from code_review_graph.languages.javascript.expressions import Expressions

MAX_DEPTH: Final = 60
LIST: Final = "builtins.list"
TUPLE: Final = "builtins.tuple"
# A map is iterated in pairs: its first argument is a pair, its second a value.
MAP: Final = "builtins.Map"
RECORD: Final = "builtins.dict"
CALLABLE: Final = "typing.Callable"

# Global generic types whose meaning is that of their first argument, as far as members go.
_SAME: Final = frozenset(
    {"Partial", "Required", "Readonly", "Pick", "Omit", "NonNullable", "Awaited", "Promise", "PromiseLike", "Exclude",
     "Extract", "DeepPartial", "Mutable", "Writable", "InstanceType", "NoInfer", "ThisType", "Except", "Simplify"}
)  # fmt: skip
_SEQUENCES: Final = frozenset(
    {"Array", "ReadonlyArray", "Set", "ReadonlySet", "WeakSet", "Iterable", "Iterator", "IterableIterator",
     "AsyncIterable", "AsyncIterator", "AsyncIterableIterator", "Generator", "AsyncGenerator", "ArrayLike",
     "ReadableStream"}
)  # fmt: skip
_MAPS: Final = frozenset({"Map", "ReadonlyMap", "WeakMap"})
_PLAIN: Final = frozenset({"string", "number", "boolean", "bigint", "symbol"})


class Annotations:
    """Lowers types; type parameters are bound under names of their own, so that they hide nothing outside."""

    def __init__(self, expressions: Expressions) -> None:
        self.expr = expressions
        self.low = expressions.low
        self.own: list[int] = []  # definitions of the classes around, for the type `this`
        self._generics: dict[str, str] = {}
        self._depth = 0
        self._handlers: dict[str, Callable[[Node], int]] = {
            "type_annotation": self._inner,
            "type_identifier": self._named,
            "identifier": self._named,
            "nested_type_identifier": self._nested,
            "nested_identifier": self._nested,
            "member_expression": self.expr.lower,
            "generic_type": self._generic,
            "union_type": self._any_of,
            "intersection_type": self._any_of,
            "array_type": lambda node: self.outside(LIST, self._inner(node)),
            "readonly_type": self._inner,
            "parenthesized_type": self._inner,
            "optional_type": self._inner,
            "rest_type": self._inner,
            "tuple_type": self._tuple,
            "function_type": self._function,
            "constructor_type": lambda _node: UNKNOWN,
            "object_type": self._object,
            "conditional_type": self._conditional,
            "this_type": lambda _node: self._this(),
            "predefined_type": self._predefined,
            "template_literal_type": lambda _node: self.outside("builtins.string"),
            "type_query": self._query,
            "required_parameter": lambda node: self.lower(node.child_by_field_name("type")),
            "optional_parameter": lambda node: self.lower(node.child_by_field_name("type")),
        }

    # -- type parameters

    def declare(self, node: Node | None) -> dict[str, str]:
        """Bind the parameters that ``<T extends X>`` declares; returns their names to those before."""
        before: dict[str, str] = {}
        for item in node.named_children if node is not None else ():
            name = item.child_by_field_name("name")
            if name is None:
                continue
            text = text_of(name)
            unique = f"{text}<{name.start_byte}>"
            before[text] = self._generics.get(text, "")
            self._generics[text] = unique
            constraint = item.child_by_field_name("constraint")
            bound = self._inner(constraint) if constraint is not None else 0
            value = self.low.intern((int(Tag.TYPE_PARAMETER), text, name.start_byte, bound))
            self.low.bind(unique, BindingKind.VALUE, value)
        return {text: self._generics[text] for text in before}

    def forget(self, generics: dict[str, str]) -> None:
        """Type parameters end here."""
        for text, unique in generics.items():
            if self._generics.get(text) == unique:
                del self._generics[text]

    def recall(self, generics: dict[str, str], end: int) -> None:
        """Type parameters hold again up to a byte."""
        if not generics:
            return
        before = dict(self._generics)
        self._generics.update(generics)

        def restore() -> None:
            self._generics = before

        self.low.after(end, restore)

    def bind_in_class(self, generics: dict[str, str]) -> None:
        """Bind a class's parameters in its body, where its members' types are read."""
        scopes = self.low.facts.scopes
        for unique in generics.values():
            scope = scopes[self.low.scope].parent
            while scope >= 0 and unique not in scopes[scope].bindings:
                scope = scopes[scope].parent
            if scope >= 0:
                self.low.bind(unique, BindingKind.VALUE, scopes[scope].bindings[unique][0][1])

    # -- types

    def optional(self, node: Node | None) -> int:
        """A declared type; ``NO_EXPRESSION`` where nothing (of use) is declared."""
        found = self.lower(node)
        return found if found > 0 else NO_EXPRESSION

    def lower(self, node: Node | None) -> int:
        """Expression of a type; ``UNKNOWN`` for what says nothing of members."""
        handler = self._handlers.get(node.type) if node is not None else None
        if node is None or handler is None or self._depth > MAX_DEPTH:
            return UNKNOWN
        self._depth += 1
        found = handler(node)
        self._depth -= 1
        return found

    def outside(self, dotted: str, *arguments: int) -> int:
        """A type of the language itself."""
        return self.low.intern((int(Tag.TYPE), dotted, tuple(max(item, 0) for item in arguments)))

    def element(self, annotation: int) -> int:
        """Type of one of many that an array type declares."""
        shape = self.low.facts.expressions[max(annotation, 0)]
        if shape[0] == Tag.TYPE and shape[1] == LIST and shape[2]:
            return int(shape[2][0]) or NO_EXPRESSION
        return NO_EXPRESSION

    def _inner(self, node: Node) -> int:
        return self.lower(node.named_children[0]) if node.named_child_count else UNKNOWN

    def _named(self, node: Node) -> int:
        text = text_of(node)
        unique = self._generics.get(text)
        if unique:
            return self.expr.any_binding(unique)
        if text in _SEQUENCES | _MAPS and not self.expr.is_bound(text):
            return self.outside(LIST)
        if text == "Function" and not self.expr.is_bound(text):
            return UNKNOWN
        return self.expr.any_binding(text)

    def _nested(self, node: Node) -> int:
        children = node.named_children
        if len(children) < 2:
            return UNKNOWN
        owner = children[0]
        value = self._nested(owner) if owner.type.startswith("nested") else self.expr.any_binding(text_of(owner))
        return self.expr.member(value, text_of(children[-1]))

    def _generic(self, node: Node) -> int:
        head = node.child_by_field_name("name")
        listed = node.child_by_field_name("type_arguments")
        if head is None or listed is None:
            return UNKNOWN
        name = text_of(head)
        if head.type == "type_identifier" and name not in self._generics and not self.expr.is_bound(name):
            known = self._known_generic(name, listed)
            if known is not None:
                return known
        arguments = [self.lower(child) for child in listed.named_children if child.type != "comment"]
        return self.apply(self.lower(head), arguments)

    def apply(self, head: int, arguments: list[int]) -> int:
        """``Head<A, B>``."""
        if head <= 0 or not any(arguments):
            return head
        if len(arguments) == 1:
            return self.low.intern((int(Tag.INDEX), head, arguments[0]))
        listed = self.low.intern((int(Tag.SEQUENCE), "tuple", tuple(arguments)))
        return self.low.intern((int(Tag.INDEX), head, listed))

    def _known_generic(self, name: str, listed: Node) -> int | None:
        """A generic type of the language or one that every project writes anew; None for any other."""
        arguments = [child for child in listed.named_children if child.type != "comment"]
        if not arguments:
            return None
        if name in _SAME:
            return self._instance_of(arguments[0]) if name == "InstanceType" else self.lower(arguments[0])
        if name in _SEQUENCES:
            return self.outside(LIST, self.lower(arguments[0]))
        if name in _MAPS and len(arguments) == 2:
            return self.map_of(self.lower(arguments[0]), self.lower(arguments[1]))
        if name == "Record" and len(arguments) == 2:
            return self.outside(RECORD, self.lower(arguments[0]), self.lower(arguments[1]))
        if name == "ReturnType":
            return UNKNOWN
        return None

    def map_of(self, key: int, value: int) -> int:
        """A map from keys to values."""
        return self.outside(MAP, self.outside(TUPLE, key, value), value)

    def _instance_of(self, node: Node) -> int:
        inner = node.named_children[0] if node.type == "type_query" and node.named_child_count else None
        return self.expr.lower(inner) if inner is not None else UNKNOWN

    def _any_of(self, node: Node) -> int:
        return self.expr.either(*[self.lower(child) for child in node.named_children])

    def _tuple(self, node: Node) -> int:
        return self.outside(TUPLE, *[self.lower(child) for child in node.named_children if child.type != "comment"])

    def _function(self, node: Node) -> int:
        generics = self.declare(node.child_by_field_name("type_parameters"))
        listed = node.child_by_field_name("parameters")
        children = [c for c in listed.named_children if c.type.endswith("parameter")] if listed is not None else []
        parameters = [self.lower(child) for child in children]
        found = self.outside(CALLABLE, *parameters, self.lower(node.child_by_field_name("return_type")))
        self.forget(generics)
        return found

    def _object(self, node: Node) -> int:
        members = [child for child in node.named_children if child.type != "comment"]
        if len(members) == 1 and members[0].type == "index_signature":
            return self.outside(RECORD, UNKNOWN, self.lower(members[0].child_by_field_name("type")))
        if not any(self.says_something(child) for child in members):
            return UNKNOWN
        return self.low.intern((int(Tag.DEFINITION), self.expr.classes.anonymous(node)))

    def says_something(self, node: Node) -> bool:
        """Whether a member of an object type leads to anything but plain data."""
        if node.type != "property_signature":
            return node.type in {"method_signature", "call_signature"}
        annotation = node.child_by_field_name("type")
        inner = annotation.named_children[0] if annotation is not None and annotation.named_child_count else None
        return inner is not None and inner.type not in {"predefined_type", "literal_type"}

    def _conditional(self, node: Node) -> int:
        branches = (node.child_by_field_name("consequence"), node.child_by_field_name("alternative"))
        return self.expr.either(*[self.lower(branch) for branch in branches])

    def _this(self) -> int:
        return self.low.intern((int(Tag.DEFINITION), self.own[-1])) if self.own else UNKNOWN

    def _predefined(self, node: Node) -> int:
        text = text_of(node)
        return self.outside(f"builtins.{text}") if text in _PLAIN else UNKNOWN

    def _query(self, node: Node) -> int:
        """``typeof x``."""
        inner = node.named_children[0] if node.named_child_count else None
        return self.low.intern((int(Tag.VALUE_OF), self.expr.lower(inner))) if inner is not None else UNKNOWN

    def name_of_property(self, node: Node) -> str:
        """Name of a member of an object type."""
        return property_name(node.child_by_field_name("name"))
