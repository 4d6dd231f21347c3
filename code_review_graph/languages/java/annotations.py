"""Java's types, lowered to annotations."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import NO_EXPRESSION, BindingKind, Parameter, ParameterKind, Tag
from code_review_graph.languages.java.syntax import UNKNOWN, bare_type, text_of
from code_review_graph.lowering import Lowering

MAX_DEPTH: Final = 60
TYPE_ARGUMENT: Final = "[{}]"  # keyword under which a call carries a type argument
# A name that starts like a package and goes on to a type.
QUALIFIED: Final = re.compile(
    r"(?:java|javax|jakarta|org|com|net|io|edu|dev|me|de|fr|uk|co|app)(?:\.[a-z_]\w*)*\.[A-Z]\w*"
)
_MARK: Final = re.compile(r"@[\w.]+(?:\([^()]*\))?")  # an annotation inside a qualified name
_PRIMITIVE: Final = frozenset({"integral_type", "floating_point_type", "boolean_type"})


class Types:
    """Lowers type nodes; one instance a file."""

    def __init__(self, lowering: Lowering) -> None:
        self.low = lowering
        self.hidden: set[str] = set()  # names of fields that are written like types
        self._depth = 0
        self._handlers: dict[str, Callable[[Node], int]] = {
            "type_identifier": self._name,
            "identifier": self._name,
            "scoped_type_identifier": self.qualified,
            "scoped_identifier": self.qualified,
            "generic_type": self._generic,
            "array_type": self._array,
            "annotated_type": self._last,
            "wildcard": self._wildcard,
            "catch_type": self._any_of,
        }

    def release(self) -> None:
        """Let go of the handlers."""
        self._handlers.clear()

    def lower(self, node: Node | None) -> int:
        """Expression of a type node; ``UNKNOWN`` for what says nothing."""
        if node is None or self._depth > MAX_DEPTH:
            return UNKNOWN
        if node.type in _PRIMITIVE:
            return self.outside(text_of(node))
        handler = self._handlers.get(node.type)
        if handler is None:
            return UNKNOWN
        self._depth += 1
        index = handler(node)
        self._depth -= 1
        return index

    def outside(self, dotted: str, *arguments: int) -> int:
        """A type from outside with its arguments."""
        return self.low.intern((int(Tag.TYPE), dotted, arguments))

    def _name(self, node: Node) -> int:
        name = text_of(node)
        if name in self.hidden:  # a variable hides no type
            return self.low.intern((int(Tag.WITHIN), 0, self.low.intern((int(Tag.NAME), name, 0, 0))))
        return UNKNOWN if name == "var" else self.low.name(name)

    def qualified(self, node: Node) -> int:
        """``a.b.C``: of a package, or nested in another type."""
        text = "".join(_MARK.sub("", text_of(node)).split())
        match = QUALIFIED.match(text)
        if match is not None:
            package, _, name = match[0].rpartition(".")
            index = self.low.intern((int(Tag.IMPORTED), package, 0, name))
            rest = [part for part in text[match.end() :].split(".") if part]
        else:
            first, *rest = text.split(".")
            index = self.low.name(first)
        for part in rest:
            index = self.low.intern((int(Tag.MEMBER), index, part))
        return index

    def head(self, node: Node | None) -> int:
        """A type without its arguments: what is called to make one."""
        while node is not None and node.type in {"generic_type", "annotated_type"}:
            children = [child for child in node.named_children if child.type != "marker_annotation"]
            node = children[0] if node.type == "generic_type" else children[-1]
        return self.lower(node)

    def arguments(self, node: Node | None) -> tuple[int, ...]:
        """Type arguments of a generic type."""
        if node is None or node.type != "generic_type":
            return ()
        return self.listed(next((child for child in node.named_children if child.type == "type_arguments"), None))

    def listed(self, node: Node | None) -> tuple[int, ...]:
        """Types of a list of type arguments."""
        return tuple([self.lower(child) for child in node.named_children]) if node is not None else ()

    def keywords(self, arguments: tuple[int, ...]) -> tuple[tuple[str, int], ...]:
        """Type arguments as a call carries them."""
        return tuple([(TYPE_ARGUMENT.format(place), item) for place, item in enumerate(arguments)])

    def _generic(self, node: Node) -> int:
        head, keys = self.head(node), self.arguments(node)
        if not keys:
            return head
        key = keys[0] if len(keys) == 1 else self.low.intern((int(Tag.SEQUENCE), "tuple", keys))
        return self.low.intern((int(Tag.INDEX), head, key))

    def _array(self, node: Node) -> int:
        element = node.child_by_field_name("element")
        dimensions = text_of(node.child_by_field_name("dimensions")).count("[")
        return self.array(element, dimensions)

    def array(self, element: Node | None, dimensions: int) -> int:
        """An array of a type, of as many dimensions."""
        name, index = bare_type(element), self.lower(element)
        for _ in range(min(dimensions, 8)):
            name += "[]"
            index = self.outside(name, index)
        return index

    def _last(self, node: Node) -> int:
        return self.lower(node.named_children[-1]) if node.named_child_count else UNKNOWN

    def _wildcard(self, node: Node) -> int:
        is_open = not node.named_child_count or any(child.type == "super" for child in node.children)
        return UNKNOWN if is_open and node.named_child_count < 2 else self._last(node)

    def _any_of(self, node: Node) -> int:
        items = tuple([self.lower(child) for child in node.named_children])
        return items[0] if len(items) == 1 else self.low.intern((int(Tag.EITHER), items))

    # -- parameters

    def parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        """Parameters of a method or lambda."""
        found: list[Parameter] = []
        if node is not None and node.type == "identifier":
            return (Parameter(text_of(node), int(ParameterKind.POSITIONAL), NO_EXPRESSION, NO_EXPRESSION),)
        for child in node.named_children if node is not None else ():
            if child.type == "identifier":
                found.append(Parameter(text_of(child), int(ParameterKind.POSITIONAL), NO_EXPRESSION, NO_EXPRESSION))
            elif child.type == "formal_parameter":
                kind, dimensions = child.child_by_field_name("type"), child.child_by_field_name("dimensions")
                count = text_of(dimensions).count("[")
                annotation = self.array(kind, count) if count else self.lower(kind)
                name = text_of(child.child_by_field_name("name"))
                found.append(Parameter(name, int(ParameterKind.POSITIONAL), annotation, NO_EXPRESSION))
            elif child.type == "spread_parameter":
                name, kind = _spread(child)
                found.append(Parameter(name, int(ParameterKind.STAR), self.lower(kind), NO_EXPRESSION))
        return tuple(found)

    def type_parameters(self, node: Node | None) -> list[tuple[str, int]]:
        """Names and expressions of declared type parameters, bound where the walk stands."""
        parameters = node.child_by_field_name("type_parameters") if node is not None else None
        found: list[tuple[str, int]] = []
        for item in parameters.named_children if parameters is not None else ():
            name = next(
                (child for child in item.named_children if child.type in {"type_identifier", "identifier"}), None
            )
            if name is None:
                continue
            bound = next((child for child in item.named_children if child.type == "type_bound"), None)
            kinds = tuple([self.lower(child) for child in bound.named_children]) if bound is not None else ()
            at_least = kinds[0] if len(kinds) == 1 else self.low.intern((int(Tag.EITHER), kinds)) if kinds else UNKNOWN
            value = self.low.intern((int(Tag.TYPE_PARAMETER), text_of(name), name.start_byte, at_least))
            self.low.bind(text_of(name), BindingKind.VALUE, value)
            found.append((text_of(name), value))
        return found


def shape(node: Node | None) -> str:
    """Types of parameters as written, to tell overloads apart."""
    found: list[str] = []
    for child in node.named_children if node is not None else ():
        if child.type == "formal_parameter":
            dimensions = text_of(child.child_by_field_name("dimensions"))
            found.append(bare_type(child.child_by_field_name("type")) + "".join(dimensions.split()))
        elif child.type == "spread_parameter":
            found.append(f"{bare_type(_spread(child)[1])}...")
    return ",".join(found)


def _spread(node: Node) -> tuple[str, Node | None]:
    """Name and type of ``T... name``."""
    declarator = next((child for child in node.named_children if child.type == "variable_declarator"), None)
    name = declarator.child_by_field_name("name") if declarator is not None else None
    kinds = [child for child in node.named_children if child.type not in {"modifiers", "variable_declarator"}]
    return text_of(name), kinds[0] if kinds else None
