"""Composite literals: what they make, and what they put into fields and elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import Expression, Tag
from code_review_graph.languages.go.annotations import Types
from code_review_graph.languages.go.syntax import UNKNOWN, text_of
from code_review_graph.lowering import Lowering

# Long literals are data, not wiring.
MAX_ELEMENTS: Final = 256
_LISTS: Final = {"slice_type": "element", "array_type": "element", "implicit_length_array_type": "element"}
# What may be, or give, a function or an object of a type that the field's own type does not tell.
_TELLING: Final = frozenset({int(Tag.NAME), int(Tag.MEMBER), int(Tag.CALL), int(Tag.EITHER), int(Tag.LAMBDA)})
_HANDED: Final = frozenset({int(Tag.NAME), int(Tag.MEMBER)})


class Literals:
    """Lowers composite literals; one instance a file."""

    def __init__(self, lowering: Lowering, types: Types, lower: Callable[[Node | None], int]) -> None:
        self.low = lowering
        self.types = types
        self.lower = lower
        self.named: dict[str, Node] = {}  # types of this file's package by name, as far as the walk has come
        # By syntax node id: elements that may be functions, or are made without naming their type, with their lines.
        self.handed: dict[int, list[tuple[int, int]]] = {}
        self._handed: list[tuple[int, int]] = []

    def release(self) -> None:
        """Let go of the way back to the other expressions."""
        self.lower = lambda _node: UNKNOWN

    def composite(self, node: Node) -> int:
        """``T{...}``, ``[]T{...}``, ``map[K]V{...}``."""
        kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        if kind is None or body is None:
            return UNKNOWN
        around, self._handed = self._handed, []
        value = self._value(kind, body)
        self.handed[node.id] = self._handed
        self._handed = around
        return value

    def _value(self, kind: Node, body: Node) -> int:
        if kind.type == "pointer_type" and kind.named_child_count:
            kind = kind.named_children[0]
        annotation = self.types.lower(kind)
        written = kind
        if kind.type == "type_identifier":
            kind = self.named.get(text_of(kind), kind)
        if kind.type in _LISTS:
            return self._listed(annotation, kind.child_by_field_name(_LISTS[kind.type]), body)
        if kind.type == "map_type":
            return self._mapped(annotation, kind, body)
        return self._struct(annotation, written, body)

    def _made(self, annotation: int) -> int:
        return UNKNOWN if annotation <= 0 else self.low.intern((int(Tag.INSTANCE), annotation))

    def _element(self, node: Node | None, kind: Node | None) -> int:
        """A value inside a literal; its type may be left out."""
        if node is not None and node.type == "literal_element":
            node = node.named_child(0) if node.named_child_count else None
        if node is None:
            return UNKNOWN
        if node.type == "literal_value":
            return UNKNOWN if kind is None else self._value(kind, node)
        return self.lower(node)

    def _hand(self, node: Node, value: int) -> None:
        """Note an element that may be a function, or a struct that names no type."""
        shape = self.low.facts.expressions[value]
        is_made = shape[0] == Tag.CALL and _is_elided(node)
        if shape[0] in _HANDED or (is_made and (not self._handed or self._gets_functions(shape))):
            self._handed.append((node.start_point[0] + 1, value))

    def _gets_functions(self, shape: Expression) -> bool:
        given = (*shape[2], *[value for _, value in shape[3]])
        return any(self.low.facts.expressions[value][0] in _HANDED for value in given)

    def _listed(self, annotation: int, kind: Node | None, body: Node) -> int:
        items: list[int] = []
        for child in body.named_children[:MAX_ELEMENTS]:
            # An index may stand before an element: `[...]T{3: x}`.
            element = child.child_by_field_name("value") if child.type == "keyed_element" else child
            if element is not None and element.type == "literal_element":
                items.append(self._element(element, kind))
                self._hand(element, items[-1])
        value = self._made(annotation)
        if not any(self.low.facts.expressions[item][0] in _TELLING for item in items):
            return value
        return self.low.intern((int(Tag.EITHER), (value, self.low.intern((int(Tag.SEQUENCE), "list", tuple(items))))))

    def _mapped(self, annotation: int, kind: Node, body: Node) -> int:
        pairs: list[tuple[int, int]] = []
        key_kind, value_kind = kind.child_by_field_name("key"), kind.child_by_field_name("value")
        for child in body.named_children[:MAX_ELEMENTS]:
            if child.type == "keyed_element":
                key = self._element(child.child_by_field_name("key"), key_kind)
                value = self._element(child.child_by_field_name("value"), value_kind)
                pairs.append((key, value))
                self._hand(child.named_children[-1], value)
        made = self._made(annotation)
        if not any(self.low.facts.expressions[item][0] in _TELLING for _, item in pairs):
            return made
        return self.low.intern((int(Tag.EITHER), (made, self.low.intern((int(Tag.MAPPING), tuple(pairs))))))

    def _struct(self, annotation: int, kind: Node, body: Node) -> int:
        """A struct, or a named type of another file that may be a list or map as well."""
        positional: list[int] = []
        keywords: list[tuple[str, int]] = []
        for child in body.named_children[:MAX_ELEMENTS]:
            if child.type == "literal_element":
                positional.append(self._element(child, None))
            elif child.type == "keyed_element":
                key = child.child_by_field_name("key")
                name = key.named_child(0) if key is not None and key.named_child_count else key
                value = self._element(child.child_by_field_name("value"), None)
                if name is not None and name.type == "identifier":
                    keywords.append((text_of(name), value))
        if kind.type == "generic_type":
            target = self._made(annotation)
        else:
            target = self.low.intern((int(Tag.CALL), annotation, tuple(positional), tuple(keywords), False))
        written = text_of(kind) if kind.type == "type_identifier" else annotation
        fields = self.types.fields.get(written, [])
        for field, given in (*keywords, *zip(fields, positional, strict=False)):
            if field and self.low.facts.expressions[given][0] in _TELLING:
                self.low.write_attribute(target, field, given)
        return target


def _is_elided(node: Node) -> bool:
    """Whether an element leaves its type out."""
    return node.named_child_count > 0 and node.named_children[0].type == "literal_value"
