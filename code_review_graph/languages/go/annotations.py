"""Go's types, lowered to annotations; pointers are transparent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import (
    NO_EXPRESSION,
    BindingKind,
    Definition,
    DefinitionFlag,
    DefinitionKind,
    Parameter,
    ParameterKind,
    ScopeKind,
    Tag,
)
from code_review_graph.languages.go.scoping import Scoping
from code_review_graph.languages.go.syntax import BLANK, UNKNOWN, bare_type, comment_above, one_line, text_of
from code_review_graph.lowering import Lowering

LIST: Final = "builtins.list"
DICT: Final = "builtins.dict"
TUPLE: Final = "builtins.tuple"
CALLABLE: Final = "typing.Callable"
MAX_DEPTH: Final = 60
_NAMED: Final = frozenset({"type_identifier", "qualified_type", "generic_type"})


class Types:
    """Lowers type nodes; one instance a file."""

    def __init__(self, lowering: Lowering, scoping: Scoping) -> None:
        self.low = lowering
        self.scoping = scoping
        self.fields: dict[int | str, list[str]] = {}  # of structs, by the type's name or expression
        self._depth = 0
        self._handlers: dict[str, Callable[[Node], int]] = {
            "type_identifier": self._name,
            "identifier": self._name,
            "qualified_type": self._qualified,
            "selector_expression": self._qualified,
            "pointer_type": self._inner,
            "parenthesized_type": self._inner,
            "negated_type": self._inner,
            "unary_expression": self._inner,
            "slice_type": self._list,
            "array_type": self._list,
            "implicit_length_array_type": self._list,
            "channel_type": self._channel,
            "map_type": self._map,
            "function_type": self._function,
            "generic_type": self._generic,
            "type_elem": self._any_of,
            "type_constraint": self._any_of,
            "struct_type": self._struct,
            "interface_type": self._interface,
        }

    def release(self) -> None:
        """Let go of the handlers."""
        self._handlers.clear()

    def lower(self, node: Node | None) -> int:
        """Expression of a type node; ``UNKNOWN`` for what says nothing."""
        handler = self._handlers.get(node.type) if node is not None else None
        if node is None or handler is None or self._depth > MAX_DEPTH:
            return UNKNOWN
        cache = self.low.node_expressions
        index = cache.get(node.id)
        if index is None:
            self._depth += 1
            index = cache[node.id] = handler(node)
            self._depth -= 1
        return index

    def outside(self, dotted: str, *arguments: int) -> int:
        """A type from outside with its arguments."""
        return self.low.intern((int(Tag.TYPE), dotted, arguments))

    def _name(self, node: Node) -> int:
        name = text_of(node)
        index = self.low.name(name)
        if self.low.facts.expressions[index][2] == 0:
            self.scoping.used.add(name)
        return index

    def _qualified(self, node: Node) -> int:
        children = node.named_children
        if len(children) != 2:
            return UNKNOWN
        return self.low.intern((int(Tag.MEMBER), self._name(children[0]), text_of(children[1])))

    def _inner(self, node: Node) -> int:
        return self.lower(node.named_child(0)) if node.named_child_count else UNKNOWN

    def _list(self, node: Node) -> int:
        return self.outside(LIST, self.lower(node.child_by_field_name("element")))

    def _channel(self, node: Node) -> int:
        return self.outside(LIST, self.lower(node.child_by_field_name("value")))

    def _map(self, node: Node) -> int:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        return self.outside(DICT, self.lower(key), self.lower(value))

    def _generic(self, node: Node) -> int:
        arguments = node.child_by_field_name("type_arguments")
        head = self.lower(node.child_by_field_name("type"))
        return self.applied(head, arguments)

    def applied(self, head: int, arguments: Node | None) -> int:
        """A generic type with the type arguments of a node."""
        keys = tuple([self.lower(item) for item in arguments.named_children]) if arguments is not None else ()
        if not keys:
            return head
        key = keys[0] if len(keys) == 1 else self.low.intern((int(Tag.SEQUENCE), "tuple", keys))
        return self.low.intern((int(Tag.INDEX), head, key))

    def _any_of(self, node: Node) -> int:
        items = tuple([self.lower(child) for child in node.named_children if child.type != "comment"])
        return items[0] if len(items) == 1 else self.low.intern((int(Tag.EITHER), items))

    def _function(self, node: Node) -> int:
        parameters = self.parameters(node.child_by_field_name("parameters"))
        taken = [
            self.outside(LIST, item.annotation) if item.kind == ParameterKind.STAR else item.annotation
            for item in parameters
        ]
        return self.outside(CALLABLE, *taken, max(self.result(node.child_by_field_name("result")), UNKNOWN))

    # -- parameters and results

    def parameters(self, node: Node | None) -> tuple[Parameter, ...]:
        """Parameters of a list, one for each name; those without a name are called ``_``."""
        found: list[Parameter] = []
        for child in node.named_children if node is not None else ():
            if child.type not in {"parameter_declaration", "variadic_parameter_declaration"}:
                continue
            is_variadic = child.type == "variadic_parameter_declaration"
            kind = int(ParameterKind.STAR if is_variadic else ParameterKind.POSITIONAL)
            annotation = self.lower(child.child_by_field_name("type"))
            names = [text_of(name) for name in child.children_by_field_name("name")] or [BLANK]
            found += [Parameter(name, kind, annotation, NO_EXPRESSION) for name in names]
        return tuple(found)

    def result(self, node: Node | None) -> int:
        """Annotation of what a function returns; several results are a tuple."""
        if node is None:
            return NO_EXPRESSION
        if node.type != "parameter_list":
            return self.lower(node)
        items = [item.annotation for item in self.parameters(node)]
        if not items:
            return NO_EXPRESSION
        return items[0] if len(items) == 1 else self.outside(TUPLE, *items)

    @staticmethod
    def shape(node: Node) -> str:
        """Types of the parameters and results of a method, to tell apart methods of one name and arity."""
        taken: list[str] = []
        for part in (node.child_by_field_name("parameters"), node.child_by_field_name("result")):
            taken.append("=>")
            if part is None or part.type != "parameter_list":
                taken += [bare_type(part)] if part is not None else []
                continue
            for item in part.named_children:
                count = max(len(item.children_by_field_name("name")), 1)
                variadic = "..." if item.type == "variadic_parameter_declaration" else ""
                taken += [variadic + bare_type(item.child_by_field_name("type"))] * count
        return ",".join(taken)

    def type_parameters(self, node: Node | None) -> list[tuple[str, int]]:
        """Bind the type parameters of a list where the walk stands; their names and expressions."""
        found: list[tuple[str, int]] = []
        for item in node.named_children if node is not None else ():
            bound = self.lower(item.child_by_field_name("type"))
            for name in item.children_by_field_name("name"):
                value = self.low.intern((int(Tag.TYPE_PARAMETER), text_of(name), name.start_byte, bound))
                self.low.bind(text_of(name), BindingKind.VALUE, value)
                found.append((text_of(name), value))
        return found

    # -- structs and interfaces

    def _struct(self, node: Node) -> int:
        """A struct type without a name."""
        index = self._nameless(node, DefinitionKind.CLASS, DefinitionFlag.FINAL, self.embedded(node))
        value = self.low.intern((int(Tag.DEFINITION), index))
        self.fill_struct(index, node, value)
        return value

    def _interface(self, node: Node) -> int:
        """An interface type without a name; one without methods says nothing."""
        if not node.named_child_count:
            return UNKNOWN
        if all(child.type != "method_elem" for child in node.named_children):
            return self._any_of(node)
        bases = self.embedded_interfaces(node)
        index = self._nameless(node, DefinitionKind.INTERFACE, DefinitionFlag.STRUCTURAL, bases)
        self.fill_interface(index, node, named=False)
        return self.low.intern((int(Tag.DEFINITION), index))

    def _nameless(self, node: Node, kind: DefinitionKind, flags: DefinitionFlag, bases: tuple[int, ...]) -> int:
        definition = Definition(
            int(kind), "", self.low.scope, -1, node.start_point[0] + 1, node.end_point[0] + 1, int(flags), "", "",
            NO_EXPRESSION, (), (), NO_EXPRESSION, bases, (), (), "",
        )  # fmt: skip
        return self.low.define(definition, (node.start_byte, node.end_byte))

    def embedded(self, node: Node) -> tuple[int, ...]:
        """Types that a struct embeds."""
        return tuple([self.lower(field.child_by_field_name("type")) for field in _fields(node) if _is_embedded(field)])

    def embedded_interfaces(self, node: Node) -> tuple[int, ...]:
        """Interfaces that an interface embeds; sets of types are none."""
        elements = [item for item in node.named_children if item.type == "type_elem" and item.named_child_count == 1]
        return tuple([self.lower(item) for item in elements if item.named_children[0].type in _NAMED])

    def fill_struct(self, index: int, node: Node, key: int | str, own: list[tuple[str, int]] | None = None) -> None:
        """Bind the fields of a struct in its body; their types are read around it."""
        low = self.low
        fields: list[tuple[str, int]] = []
        for field in _fields(node):
            kind = field.child_by_field_name("type")
            named = [text_of(item) for item in field.children_by_field_name("name")]
            fields += [(name, self.lower(kind)) for name in named or [_embedded_name(kind)]]
        around = low.scope
        low.enter_body(index, ScopeKind.CLASS, node.end_byte)
        for name, parameter in own or ():
            low.bind(name, BindingKind.VALUE, parameter)
        for name, annotation in fields:
            if name and name != BLANK:
                payload = (annotation, NO_EXPRESSION)
                self.scoping.bind_from(around, low.scope, name, BindingKind.DECLARED, payload)
        low.close_region()
        self.fields[key] = [name for name, _ in fields]

    def fill_interface(
        self, index: int, node: Node, own: list[tuple[str, int]] | None = None, *, named: bool = True
    ) -> None:
        """Define the methods of an interface; those of one without a name have no nodes."""
        low = self.low
        owner = low.intern((int(Tag.DEFINITION), index))
        for child in node.named_children:
            name = child.child_by_field_name("name") if child.type == "method_elem" else None
            if name is None:
                continue
            written = text_of(name)
            # They stand in the scope around: a method hides no type of its name.
            definition = Definition(
                int(DefinitionKind.FUNCTION), written if named else "", low.scope, -1, name.start_point[0] + 1,
                child.end_point[0] + 1, int(DefinitionFlag.ABSTRACT),
                one_line(low.source, child.start_byte, child.end_byte), comment_above(low.source, child.start_byte),
                NO_EXPRESSION, (), self.parameters(child.child_by_field_name("parameters")),
                self.result(child.child_by_field_name("result")), (), (), (), "", owner=owner, key=written,
                parameter_types="" if own else self.shape(child),
            )  # fmt: skip
            low.define(definition, (child.start_byte, child.end_byte))
        low.enter_body(index, ScopeKind.CLASS, node.end_byte)
        for parameter, value in own or ():
            low.bind(parameter, BindingKind.VALUE, value)
        low.close_region()


def _fields(node: Node) -> list[Node]:
    inner = node.named_children
    return [field for part in inner for field in part.named_children if field.type == "field_declaration"]


def _is_embedded(field: Node) -> bool:
    return field.child_by_field_name("name") is None


def _embedded_name(node: Node | None) -> str:
    """Name under which an embedded type is a field: its own, without package and type arguments."""
    while node is not None:
        if node.type == "type_identifier":
            return text_of(node)
        if node.type == "qualified_type":
            node = node.child_by_field_name("name")
        elif node.type == "generic_type":
            node = node.child_by_field_name("type")
        else:
            node = node.named_child(0) if node.named_child_count else None
    return ""
