"""Go functions, methods, types, constants and package variables: what they declare."""

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
    ScopeKind,
    Tag,
)
from code_review_graph.languages.go.annotations import Types
from code_review_graph.languages.go.expressions import Expressions
from code_review_graph.languages.go.scoping import Declared, Scoping
from code_review_graph.languages.go.syntax import BLANK, UNKNOWN, comment_above, one_line, operands, text_of
from code_review_graph.lowering import Lowering

# Functions that nothing can name.
_NAMELESS: Final = frozenset({"init", BLANK})
# Right-hand sides whose second value says whether there is a first.
_COMMA_OK: Final = frozenset({"type_assertion_expression", "index_expression", "unary_expression"})


class Definitions:
    """Lowers definitions and declarations."""

    def __init__(self, lowering: Lowering, scoping: Scoping, types: Types, expressions: Expressions) -> None:
        self.low = lowering
        self.scoping = scoping
        self.types = types
        self.expr = expressions
        self._type_parameters: dict[str, list[int]] = {}  # of the generic types of this file

    # -- functions

    def function(self, node: Node) -> None:
        """A ``func`` at package level."""
        name = node.child_by_field_name("name")
        if name is None:
            return
        self._open_generic(node)
        index = self._function(node, name, (), NO_EXPRESSION, "", "")
        if text_of(name) not in _NAMELESS:
            self.low.bind(text_of(name), BindingKind.DEFINITION, index, 0)
        self._enter(index, node)

    def method(self, node: Node) -> None:
        """A ``func`` with a receiver: it belongs to the receiver's type, wherever that stands."""
        name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
        kind = _receiver_type(receiver)
        if name is None or kind is None:
            return
        head = kind.child_by_field_name("type") if kind.type == "generic_type" else kind
        if head is None:
            return
        qualifier = text_of(head)
        own = kind.child_by_field_name("type_arguments") if kind.type == "generic_type" else None
        owner = self.types.lower(head)
        if own is not None:
            self.low.open_scope(ScopeKind.INLINE, NO_EXPRESSION, node.end_byte)
            self._bind_own(qualifier, own)
        parameters = self.types.parameters(receiver)[:1]
        shape = "" if own is not None else self.types.shape(node)
        self._enter(self._function(node, name, parameters, owner, qualifier, shape), node)

    def _function(
        self, node: Node, name: Node, receiver: tuple[Parameter, ...], owner: int, qualifier: str, shape: str
    ) -> int:
        body = node.child_by_field_name("body")
        definition = Definition(
            int(DefinitionKind.FUNCTION), text_of(name), self.low.scope, -1, name.start_point[0] + 1,
            node.end_point[0] + 1, 0,
            one_line(self.low.source, node.start_byte, node.end_byte if body is None else body.start_byte),
            comment_above(self.low.source, node.start_byte), NO_EXPRESSION, (),
            (*receiver, *self.types.parameters(node.child_by_field_name("parameters"))),
            self.types.result(node.child_by_field_name("result")), (), (), (), "", owner=owner, qualifier=qualifier,
            parameter_types=shape,
        )  # fmt: skip
        return self.low.define(definition, (node.start_byte, node.end_byte))

    def _open_generic(self, node: Node) -> list[tuple[str, int]]:
        """A scope for the type parameters of a definition, where it has any."""
        parameters = node.child_by_field_name("type_parameters")
        if parameters is None:
            return []
        self.low.open_scope(ScopeKind.INLINE, NO_EXPRESSION, node.end_byte)
        return self.types.type_parameters(parameters)

    def _bind_own(self, qualifier: str, arguments: Node) -> None:
        """Bind the names that a method gives to the type parameters of its receiver."""
        known = self._type_parameters.get(qualifier, [])
        for place, item in enumerate(arguments.named_children):
            name = text_of(item)
            fresh = (int(Tag.TYPE_PARAMETER), name, item.start_byte, UNKNOWN)
            value = known[place] if place < len(known) else self.low.intern(fresh)
            self.low.bind(name, BindingKind.VALUE, value)

    def _enter(self, index: int, node: Node) -> None:
        if node.child_by_field_name("body") is not None:
            self.enter_body(index, node)

    def enter_body(self, index: int, node: Node) -> None:
        """Enter the body of a function: its parameters and named results are local names."""
        parameters = self.low.drafts[index].fields.parameters
        self.low.enter_body(index, ScopeKind.FUNCTION, node.end_byte, parameters)
        self.scoping.enter_function(node.end_byte)
        for parameter in parameters:
            self.scoping.type_parameter(parameter.name, parameter.annotation)
        results = node.child_by_field_name("result")
        if results is not None and results.type == "parameter_list":
            for result in self.types.parameters(results):
                if result.name != BLANK:
                    self.low.bind(result.name, BindingKind.DECLARED, (result.annotation, NO_EXPRESSION))
                    self.scoping.type_parameter(result.name, result.annotation)

    # -- types

    def type(self, node: Node) -> None:
        """``type T ...``."""
        name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None or kind is None:
            return
        written = text_of(name)
        at_top = self.scoping.at_package_level()
        index = self._reserve(node, name, kind, at_top=at_top)
        own = self._open_generic(node)
        if at_top:
            self.expr.literals.named[written] = kind
            self._type_parameters[written] = [value for _, value in own]
        draft = self.low.drafts[index]
        if kind.type == "struct_type":
            draft.fields = draft.fields._replace(scope=self.low.scope, bases=self.types.embedded(kind))
            self.types.fill_struct(index, kind, written, own)
        elif kind.type == "interface_type":
            draft.fields = draft.fields._replace(scope=self.low.scope, bases=self.types.embedded_interfaces(kind))
            self.types.fill_interface(index, kind, own)
        else:
            draft.fields = draft.fields._replace(scope=self.low.scope, underlying=self.types.lower(kind))
            self._fill_named(index, node, own)

    def _reserve(self, node: Node, name: Node, kind: Node, *, at_top: bool) -> int:
        """A type's definition, bound before what it is made of is read: it may refer to itself."""
        is_interface = kind.type == "interface_type"
        flags = DefinitionFlag.STRUCTURAL if is_interface else DefinitionFlag.FINAL
        source = self.low.source
        is_body = kind.type in {"struct_type", "interface_type"}
        end = kind.start_byte + len(kind.children[0].type) if is_body else kind.end_byte
        definition = Definition(
            int(DefinitionKind.INTERFACE if is_interface else DefinitionKind.CLASS), text_of(name), self.low.scope, -1,
            name.start_point[0] + 1, node.end_point[0] + 1, int(flags),
            "type " + one_line(source, node.start_byte, end), comment_above(source, _start(node)), NO_EXPRESSION, (),
            (), NO_EXPRESSION, (), (), (), "",
        )  # fmt: skip
        index = self.low.define(definition, (node.start_byte, node.end_byte))
        if at_top:
            self.low.bind(text_of(name), BindingKind.DEFINITION, index, 0)
        else:
            self.scoping.declare([(text_of(name), BindingKind.DEFINITION, index)])
            self.low.drafts[index].fields = definition._replace(scope=self.low.scope)
        return index

    def _fill_named(self, index: int, node: Node, own: list[tuple[str, int]]) -> None:
        if own:
            self.low.enter_body(index, ScopeKind.CLASS, node.end_byte)
            for name, parameter in own:
                self.low.bind(name, BindingKind.VALUE, parameter)
            self.low.close_region()

    def alias(self, node: Node) -> None:
        """``type T = U``: another name of a type; one without a name of its own becomes a named type."""
        name, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
        if name is None or kind is None:
            return
        if kind.type not in {"type_identifier", "qualified_type", "generic_type", "pointer_type"}:
            self.type(node)
            return
        value = self.types.lower(kind)
        shape = self.low.facts.expressions[value]
        value = shape[1] if shape[0] == Tag.INDEX else value  # the arguments of a generic type are left out
        if self.scoping.at_package_level():
            self._constant(node, name, DefinitionKind.TYPE, f"type {one_line(self.low.source, *_span(node))}")
            self.low.bind(text_of(name), BindingKind.VALUE, value, 0)
        else:
            self.scoping.declare([(text_of(name), BindingKind.VALUE, value)])

    # -- constants and variables

    def const(self, node: Node) -> None:
        """A ``const`` declaration: a line without a value repeats the type and value before it."""
        kind: Node | None = None
        values: list[Node] = []
        for spec in node.named_children:
            if spec.type != "const_spec":
                continue
            written = operands(spec.child_by_field_name("value"))
            if written:
                kind, values = spec.child_by_field_name("type"), written
            names = spec.children_by_field_name("name")
            declared = self._declared([text_of(name) for name in names], kind, values)
            self._bind_names(spec, names, declared, "const")

    def var(self, node: Node) -> None:
        """A ``var`` specification."""
        names = [name for name in node.children_by_field_name("name") if name.type == "identifier"]
        values = operands(node.child_by_field_name("value"))
        if not self.scoping.at_package_level():
            declared = self._declared([text_of(n) for n in names], node.child_by_field_name("type"), values)
            self.scoping.declare_after(node.end_byte, declared)
            return
        if len(names) == len(values) == 1 and values[0].type == "func_literal" and text_of(names[0]) != BLANK:
            self._named_closure(node, names[0], values[0])
            return
        holders = self._constants(node, names, "var")
        if values and holders:  # what the initial value calls is called by the variable
            self.low.open_scope(ScopeKind.INLINE, holders[0], node.end_byte)
        declared = self._declared([text_of(n) for n in names], node.child_by_field_name("type"), values)
        self._bind_at_top(declared)

    def _named_closure(self, node: Node, name: Node, value: Node) -> None:
        body = value.child_by_field_name("body")
        end = value.end_byte if body is None else body.start_byte
        signature = "var " + one_line(self.low.source, node.start_byte, end)
        docstring = comment_above(self.low.source, _start(node))
        index = self.expr.closure(value, text_of(name), name.start_point[0] + 1, signature, docstring)
        payload = self.low.intern((int(Tag.LAMBDA), index))
        self.low.bind(text_of(name), BindingKind.VALUE, payload, 0)

    def _bind_names(self, node: Node, names: list[Node], declared: list[Declared], keyword: str) -> None:
        if self.scoping.at_package_level():
            self._constants(node, names, keyword)
            self._bind_at_top(declared)
        else:
            self.scoping.declare(declared)

    def _bind_at_top(self, declared: list[Declared]) -> None:
        for name, kind, payload in declared:
            if name != BLANK:
                self.low.bind(name, kind, payload, 0)

    def _constants(self, node: Node, names: list[Node], keyword: str) -> list[int]:
        signature = f"{keyword} {one_line(self.low.source, *_span(node))[:200]}"
        written = [name for name in names if text_of(name) != BLANK]
        return [self._constant(node, name, DefinitionKind.CONSTANT, signature) for name in written]

    def _constant(self, node: Node, name: Node, kind: DefinitionKind, signature: str) -> int:
        definition = Definition(
            int(kind), text_of(name), 0, -1, name.start_point[0] + 1, node.end_point[0] + 1, 0, signature,
            comment_above(self.low.source, _start(node)), NO_EXPRESSION, (), (), NO_EXPRESSION, (), (), (),
            "",
        )  # fmt: skip
        return self.low.define(definition, (node.start_byte, node.end_byte))

    def _declared(self, names: list[str], kind: Node | None, values: list[Node]) -> list[Declared]:
        """How each name of a declaration gets its value."""
        pairs = self.pair(names, values)
        if kind is None:
            return pairs
        annotation = self.types.lower(kind)
        payloads = [_value_of(payload) for _, _, payload in pairs] if pairs else [NO_EXPRESSION] * len(names)
        found = zip(names, payloads, strict=False)
        return [(name, BindingKind.DECLARED, (annotation, value)) for name, value in found]

    def pair(self, names: list[str], values: list[Node]) -> list[Declared]:
        """Names with the values that stand for them on the right-hand side."""
        if len(values) == len(names):
            return [self._pair(name, value) for name, value in zip(names, values, strict=True)]
        if len(values) != 1:
            return []
        if len(names) == 2 and values[0].type in _COMMA_OK:
            return [self._pair(names[0], values[0]), (names[1], BindingKind.VALUE, UNKNOWN)]
        whole = self.expr.lower(values[0])
        parts = [self.low.intern((int(Tag.UNPACK), whole, place, False)) for place in range(len(names))]
        return [(name, BindingKind.VALUE, part) for name, part in zip(names, parts, strict=True)]

    def _pair(self, name: str, node: Node) -> Declared:
        value = self.expr.lower(node)
        annotation = self.expr.static_type(node)
        if annotation > 0:
            return (name, BindingKind.DECLARED, (annotation, value))
        return (name, BindingKind.VALUE, value)


def _value_of(payload: object) -> int:
    return int(payload[1]) if isinstance(payload, tuple) else int(str(payload))


def _span(node: Node) -> tuple[int, int]:
    return node.start_byte, node.end_byte


def _start(node: Node) -> int:
    """Where the comment of a specification may end: above the keyword of a declaration that has only this one."""
    parent = node.parent
    return parent.start_byte if parent is not None and parent.start_point[0] == node.start_point[0] else node.start_byte


def _receiver_type(receiver: Node | None) -> Node | None:
    """The named type of a receiver, past pointers and brackets."""
    declaration = receiver.named_child(0) if receiver is not None and receiver.named_child_count else None
    kind = declaration.child_by_field_name("type") if declaration is not None else None
    while kind is not None and kind.type in {"pointer_type", "parenthesized_type"}:
        kind = kind.named_child(0) if kind.named_child_count else None
    return kind if kind is not None and kind.type in {"type_identifier", "generic_type"} else None
