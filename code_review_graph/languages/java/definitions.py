"""Java types, methods and fields: what they declare."""

from __future__ import annotations

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
from code_review_graph.languages.java.annotations import Types, shape
from code_review_graph.languages.java.expressions import Expressions
from code_review_graph.languages.java.marks import marks_of
from code_review_graph.languages.java.syntax import (
    CONSTRUCTOR,
    comment_above,
    method_key,
    modifier_words,
    one_line,
    text_of,
)
from code_review_graph.lowering import Lowering

_CLOSING: Final = frozenset({"private", "final"})  # what takes a method from its heirs
_FIELDS: Final = frozenset({"field_declaration", "constant_declaration"})
_METHOD: Final = DefinitionFlag.RECEIVER_APART | DefinitionFlag.OVERLOADABLE


class Definitions:
    """Lowers definitions; each opens its body at once."""

    def __init__(self, lowering: Lowering, types: Types, expressions: Expressions) -> None:
        self.low = lowering
        self.types = types
        self.expr = expressions
        self._components: dict[int, tuple[tuple[Parameter, ...], str]] = {}  # of records, by definition
        self._constructed: set[int] = set()  # enums that declare a constructor
        self.bodies: set[int] = set()  # blocks that are bodies of functions

    # -- types

    def class_(self, node: Node) -> None:
        """A class."""
        self._type(node, DefinitionKind.CLASS, self._final(node))

    def interface(self, node: Node) -> None:
        """An interface, or the type of an annotation."""
        self._type(node, DefinitionKind.INTERFACE)

    def enum(self, node: Node) -> None:
        """An enum."""
        index = self._type(node, DefinitionKind.CLASS)
        body = node.child_by_field_name("body")
        parts = (
            [part for part in body.named_children if part.type == "enum_body_declarations"] if body is not None else []
        )
        if any(child.type == "constructor_declaration" for part in parts for child in part.named_children):
            self._constructed.add(index)

    def record(self, node: Node) -> None:
        """A record: each component is a field with a method that reads it."""
        index = self._type(node, DefinitionKind.CLASS, DefinitionFlag.FINAL)
        parameters = node.child_by_field_name("parameters")
        if index < 0 or parameters is None:
            return
        components = self.types.parameters(parameters)
        self._components[index] = components, shape(parameters)
        declared = [child for child in parameters.named_children if child.type == "formal_parameter"]
        for component, item in zip(components, declared, strict=False):
            self.low.bind(component.name, BindingKind.DECLARED, (component.annotation, NO_EXPRESSION))
            if not self._has_method(node, component.name):
                self._accessor(component, item)

    @staticmethod
    def _final(node: Node) -> DefinitionFlag:
        return DefinitionFlag.FINAL if "final" in modifier_words(node) else DefinitionFlag.NONE

    @staticmethod
    def _has_method(node: Node, name: str) -> bool:
        body = node.child_by_field_name("body")
        methods = (
            [child for child in body.named_children if child.type == "method_declaration"] if body is not None else []
        )
        return any(
            text_of(method.child_by_field_name("name")) == name
            and not getattr(method.child_by_field_name("parameters"), "named_child_count", 0)
            for method in methods
        )

    def _accessor(self, component: Parameter, item: Node) -> None:
        name = item.child_by_field_name("name") or item
        definition = Definition(
            int(DefinitionKind.FUNCTION), component.name, self.low.scope, -1, name.start_point[0] + 1,
            item.end_point[0] + 1, int(_METHOD), text_of(item), "", NO_EXPRESSION, (), (), component.annotation, (),
            (), (), "", key=method_key(component.name),
        )  # fmt: skip
        index = self.low.define(definition, (item.start_byte, item.end_byte))
        self.low.bind(method_key(component.name), BindingKind.DEFINITION, index)

    def _type(self, node: Node, kind: DefinitionKind, flags: DefinitionFlag = DefinitionFlag.NONE) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return -1
        self._hide(body)
        around = self.low.scope
        if node.child_by_field_name("type_parameters") is not None:
            self.low.open_scope(ScopeKind.INLINE, NO_EXPRESSION, node.end_byte)
        own = self.types.type_parameters(node)
        marks = marks_of(node)
        definition = Definition(
            int(kind), text_of(name), self.low.scope, -1, name.start_point[0] + 1, node.end_point[0] + 1,
            int(flags | marks.flags), self._signature(node, body), comment_above(self.low.source, node.start_byte),
            NO_EXPRESSION, (), (), NO_EXPRESSION, self._bases(node), (), (), "", marks.alias,
        )  # fmt: skip
        index = self.low.define(definition, (node.start_byte, node.end_byte))
        self.low.bind(text_of(name), BindingKind.DEFINITION, index, around)
        self.low.enter_body(index, ScopeKind.CLASS, node.end_byte)
        for parameter, value in own:
            self.low.bind(parameter, BindingKind.VALUE, value)
        return index

    def _hide(self, body: Node) -> None:
        for child in body.named_children:
            for item in child.children_by_field_name("declarator") if child.type in _FIELDS else ():
                name = text_of(item.child_by_field_name("name"))
                if name[:1].isupper():
                    self.types.hidden.add(name)

    def _bases(self, node: Node) -> tuple[int, ...]:
        found: list[int] = []
        for child in node.named_children:
            if child.type == "superclass":
                found += [self.types.lower(item) for item in child.named_children]
            elif child.type in {"super_interfaces", "extends_interfaces"}:
                found += [self.types.lower(item) for part in child.named_children for item in part.named_children]
        return tuple(found)

    def anonymous(self, body: Node) -> None:
        """The body of a class without a name."""
        index = self.expr.objects.get(body.id, -1)
        if index < 0:
            parent = body.parent
            if parent is None:
                return
            index = self.expr.nameless(body, parent, parent.child_by_field_name("type"))
        self.low.enter_body(index, ScopeKind.CLASS, body.end_byte)

    def enum_constant(self, node: Node) -> None:
        """A constant of an enum; one with a body is an object of its own."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        owner = self.low.owner()
        if name is None or owner is None:
            return
        self._constant(node, name)
        annotation = self.low.name(owner.fields.name)
        self.low.bind(text_of(name), BindingKind.DECLARED, (annotation, NO_EXPRESSION))
        if self.low.facts.scopes[self.low.scope].definition in self._constructed:
            constructor = self.expr.member(annotation, CONSTRUCTOR)
            call = self.low.intern((int(Tag.CALL), constructor, self.expr.arguments(node), (), False))
            self.low.site(name.start_point[0] + 1, call)
        if body is not None:
            index = self.expr.nameless(body, node, annotation)
            self.low.enter_body(index, ScopeKind.CLASS, body.end_byte)

    # -- methods

    def method(self, node: Node) -> None:
        """A method."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        words = modifier_words(node)
        body = node.child_by_field_name("body")
        flags = _METHOD
        flags |= DefinitionFlag.STATIC if "static" in words else DefinitionFlag.NONE
        flags |= DefinitionFlag.ABSTRACT if body is None else DefinitionFlag.NONE
        flags |= DefinitionFlag.NONE if _CLOSING.isdisjoint(words) else DefinitionFlag.FINAL
        self._function(node, name, body, flags, method_key(text_of(name)))

    def constructor(self, node: Node) -> None:
        """A constructor; a compact one takes what its record declares."""
        name = node.child_by_field_name("name")
        if name is not None:
            self._function(node, name, node.child_by_field_name("body"), _METHOD | DefinitionFlag.FINAL, CONSTRUCTOR)

    def _function(self, node: Node, name: Node, body: Node | None, flags: DefinitionFlag, key: str) -> None:
        own = self.types.type_parameters(node)
        taken = node.child_by_field_name("parameters")
        parameters = self.types.parameters(taken)
        written = shape(taken)
        if node.type == "compact_constructor_declaration":
            owner = self.low.facts.scopes[self.low.scope].definition
            parameters, written = self._components.get(owner, ((), ""))
        kind = node.child_by_field_name("type")
        dimensions = text_of(node.child_by_field_name("dimensions")).count("[")
        returns = self.types.array(kind, dimensions) if dimensions else self.types.lower(kind)
        marks = marks_of(node)
        definition = Definition(
            int(DefinitionKind.FUNCTION), text_of(name), self.low.scope, -1, name.start_point[0] + 1,
            node.end_point[0] + 1, int(flags | marks.flags), self._signature(node, body),
            comment_above(self.low.source, node.start_byte), NO_EXPRESSION, (), parameters,
            returns if kind is not None else NO_EXPRESSION, (), (), (), "", marks.alias, marks.uses, key=key,
            parameter_types=written,
        )  # fmt: skip
        index = self.low.define(definition, (node.start_byte, node.end_byte))
        self.low.bind(key, BindingKind.DEFINITION, index)
        if body is not None:
            self.bodies.add(body.id)
            self.low.enter_body(index, ScopeKind.FUNCTION, node.end_byte, parameters)
            self._bind_rest(taken, parameters)
            for parameter, value in own:
                self.low.bind(parameter, BindingKind.VALUE, value)

    def _bind_rest(self, taken: Node | None, parameters: tuple[Parameter, ...]) -> None:
        """A variable number of arguments is an array inside of the method."""
        if parameters and parameters[-1].kind == ParameterKind.STAR and parameters[-1].annotation > 0:
            name = shape(taken).rpartition(",")[2].replace("...", "[]")
            annotation = self.types.outside(name, parameters[-1].annotation)
            self.low.bind(parameters[-1].name, BindingKind.DECLARED, (annotation, NO_EXPRESSION))

    def lambda_(self, node: Node) -> None:
        """The body of a lambda."""
        index = self.expr.lambda_(node)
        body = node.child_by_field_name("body")
        self.low.enter_body(index, ScopeKind.FUNCTION, node.end_byte, self.low.drafts[index].fields.parameters)
        if body is None:
            return
        self.bodies.add(body.id)
        if body.type != "block":
            self.low.drafts[index].results.append(self.expr.lower(body))

    # -- fields

    def field(self, node: Node) -> None:
        """Fields of a class or constants of an interface."""
        words = modifier_words(node)
        is_constant = node.type == "constant_declaration" or {"static", "final"} <= set(words)
        for name, annotation, value in self.declarators(node):
            if is_constant and text_of(name).isupper():
                self._constant(node, name)
            self.low.bind(text_of(name), BindingKind.DECLARED, (annotation, value))

    def declarators(self, node: Node) -> list[tuple[Node, int, int]]:
        """Names, types and values that a declaration gives; values may be missing."""
        kind = node.child_by_field_name("type")
        found: list[tuple[Node, int, int]] = []
        for item in node.children_by_field_name("declarator"):
            name, value = item.child_by_field_name("name"), item.child_by_field_name("value")
            if name is None:
                continue
            count = text_of(item.child_by_field_name("dimensions")).count("[")
            annotation = self.types.array(kind, count) if count else self.types.lower(kind)
            self.expr.declare(value, annotation)
            found.append((name, annotation, self.expr.lower(value) if value is not None else NO_EXPRESSION))
        return found

    def _constant(self, node: Node, name: Node) -> None:
        definition = Definition(
            int(DefinitionKind.CONSTANT), text_of(name), self.low.scope, -1, name.start_point[0] + 1,
            node.end_point[0] + 1, 0, one_line(self.low.source, node.start_byte, node.end_byte)[:200],
            comment_above(self.low.source, node.start_byte), NO_EXPRESSION, (), (), NO_EXPRESSION, (), (), (), "",
        )  # fmt: skip
        self.low.define(definition, (name.start_byte, name.end_byte))

    def _signature(self, node: Node, body: Node | None) -> str:
        """The head of a declaration without annotations."""
        parts = [child for child in node.children if child.type != "modifiers" and "comment" not in child.type]
        start = parts[0].start_byte if parts else node.start_byte
        end = body.start_byte if body is not None else node.end_byte
        return " ".join([*modifier_words(node), one_line(self.low.source, start, end)]).rstrip(" {;")
