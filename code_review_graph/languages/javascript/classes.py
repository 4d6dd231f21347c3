"""Classes, interfaces, enumerations, namespaces and type aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import (
    NO_EXPRESSION,
    BindingKind,
    Definition,
    DefinitionFlag,
    DefinitionKind,
    ScopeKind,
    Tag,
    Via,
)
from code_review_graph.languages.javascript.annotations import CALLABLE
from code_review_graph.languages.javascript.syntax import (
    bare_value,
    docstring_before,
    line_of,
    property_name,
    signature,
    text_of,
    words_before,
)

if TYPE_CHECKING:
    from code_review_graph.languages.javascript.expressions import Expressions

# Key of what runs when a value of an interface is called.
CALL_KEY: Final = "()"
_BODIES: Final = frozenset({"arrow_function", "function_expression", "generator_function"})
_MERGING: Final = frozenset({int(DefinitionKind.INTERFACE), int(DefinitionKind.NAMESPACE)})
_WHOLE: Final = frozenset({int(DefinitionKind.FUNCTION), int(DefinitionKind.CLASS)})


class Classes:
    """Lowers what has members and a name."""

    def __init__(self, expressions: Expressions) -> None:
        self.expr = expressions
        self.low = expressions.low
        self.known: dict[int, int] = {}  # syntax node id -> definition
        self._bodies: dict[int, tuple[int, dict[str, str]]] = {}
        self._initialisers: dict[tuple[int, bool], int] = {}  # class scope, static -> scope of its field values
        self._aliases: set[tuple[int, str]] = set()
        self._supers: dict[int, tuple[int, int]] = {}  # class -> scope and expression of what it extends
        self._extended = 0

    # -- names

    def bind(self, name: str, index: int) -> None:
        """Bind a definition; where a name is declared in several ways, it means all of them."""
        before = self._declared_before(name)
        self.low.bind(name, BindingKind.DEFINITION, index)
        if not before:
            return
        kind = self.low.drafts[index].fields.kind
        earlier = [item for item in before if item >= 0]
        if kind in {DefinitionKind.FUNCTION, DefinitionKind.CLASS}:
            merged = [item for item in earlier if self.low.drafts[item].fields.kind in _MERGING]
            self._complete(name, index, merged)
        elif kind in _MERGING:
            whole = [item for item in earlier if self.low.drafts[item].fields.kind in _WHOLE]
            if whole:
                self._complete(name, whole[-1], [index])
            else:
                self._join(name, [*[item for item in earlier if self.low.drafts[item].fields.kind in _MERGING], index])

    def _declared_before(self, name: str) -> list[int]:
        """Definitions that the name has here already (-1: another value)."""
        bindings = self.low.facts.scopes[self.low.scope].bindings.get(name, ())
        return [payload if kind == BindingKind.DEFINITION else -1 for kind, payload, _ in bindings]

    def _complete(self, name: str, whole: int, parts: list[int]) -> None:
        """A function or class with what a namespace or interface of its name adds."""
        value = self.low.intern((int(Tag.DEFINITION), whole))
        for part in parts:
            self.low.extend(value, self.low.intern((int(Tag.DEFINITION), part)))
        if parts:
            self.low.bind(name, BindingKind.VALUE, value)

    def _join(self, name: str, parts: list[int]) -> None:
        values = [self.low.intern((int(Tag.DEFINITION), part)) for part in parts]
        bindings = self.low.facts.scopes[self.low.scope].bindings.get(name, ())
        values += [payload for kind, payload, _ in bindings if kind == BindingKind.VALUE and payload > 0]
        if len(values) > 1:
            self.low.bind(name, BindingKind.VALUE, self.expr.either(*values))

    def is_type(self, name: str) -> bool:
        """Whether a name means a type here so far."""
        return (
            any(
                item >= 0 and self.low.drafts[item].fields.kind == DefinitionKind.INTERFACE
                for item in self._declared_before(name)
            )
            or (self.low.scope, name) in self._aliases
        )

    # -- classes

    def value(self, node: Node) -> int:
        """A class as an expression."""
        return self.low.intern((int(Tag.DEFINITION), self.define(node)))

    def declare(self, node: Node) -> None:
        """``class C {}``."""
        if node.id in self.known:
            return
        name = node.child_by_field_name("name")
        index = self.define(node)
        if name is not None and node.type != "class":
            self.bind(text_of(name), index)

    def define(self, node: Node, name: str = "", at: Node | None = None, statement: Node | None = None) -> int:
        """The definition of a class node, made when it is first met."""
        index = self.known.get(node.id)
        if index is not None:
            return index
        own, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if not name and own is not None:
            name, at = text_of(own), own
        generics = self.expr.annotations.declare(node.child_by_field_name("type_parameters"))
        start = (statement or node).start_byte
        index = self._add(
            DefinitionKind.CLASS, name or "class", node, at or node, self._bases(node), start,
            body.start_byte if body is not None else node.end_byte,
        )  # fmt: skip
        self._supers[index] = (self.low.scope, self._extended)
        self.expr.annotations.forget(generics)
        self.known[node.id] = index
        if body is not None:
            self._bodies[body.id] = (index, generics)
        return index

    def _add(
        self, kind: DefinitionKind, name: str, node: Node, at: Node, bases: tuple[int, ...], start: int, end: int
    ) -> int:
        definition = Definition(
            int(kind), name, self.low.scope, -1, line_of(at), node.end_point[0] + 1, 0,
            signature(self.low.source, start, end) if name else "",
            docstring_before(self.low.source, start) if name else "",
            NO_EXPRESSION, (), (), NO_EXPRESSION, bases, (), (), "",
        )  # fmt: skip
        return self.low.define(definition, (node.start_byte, node.end_byte))

    def _bases(self, node: Node) -> tuple[int, ...]:
        self._extended = 0
        heritage = next((child for child in node.named_children if child.type == "class_heritage"), None)
        found: list[int] = []
        for clause in heritage.named_children if heritage is not None else ():
            if clause.type == "extends_clause":
                base = self.expr.field(clause, "value")
                self._extended = base
                listed = clause.child_by_field_name("type_arguments")
                arguments = [self.expr.annotations.lower(item) for item in listed.named_children] if listed else []
                found.append(self.expr.annotations.apply(base, arguments))
            elif clause.type == "implements_clause":
                found += [self.expr.annotations.lower(item) for item in clause.named_children]
            elif clause.type != "comment":
                self._extended = self.expr.lower(clause)
                found.append(self._extended)
        return tuple(item for item in found if item > 0)

    def extended(self) -> int:
        """What the class around extends, as ``super(...)`` calls it; 0 for nothing."""
        own = self.expr.annotations.own
        scope, base = self._supers.get(own[-1], (0, 0)) if own else (0, 0)
        return self.low.intern((int(Tag.WITHIN), scope, base)) if base > 0 else 0

    # -- class bodies

    def body(self, node: Node) -> None:
        """Stand in the body of a class, with all of its members declared."""
        index, generics = self._bodies.pop(node.id, (-1, {}))
        if index < 0:
            return
        annotations = self.expr.annotations
        annotations.recall(generics, node.end_byte)
        self.low.enter_body(index, ScopeKind.CLASS, node.end_byte)
        annotations.bind_in_class(generics)
        annotations.own.append(index)
        self.low.after(node.end_byte, lambda: self._leave(index))
        for member in node.named_children:
            if member.type == "method_definition":
                self._method(member)
            elif member.type == "method_signature":
                self.expr.functions.signature_only(member, in_class=True)
            elif member.type == "abstract_method_signature":
                self.expr.functions.signature_only(member, in_class=True, flags=DefinitionFlag.ABSTRACT)
            elif member.type in {"field_definition", "public_field_definition"}:
                self._declare_field(member)

    def _leave(self, index: int) -> None:
        own = self.expr.annotations.own
        if own and own[-1] == index:
            own.pop()

    def _method(self, node: Node) -> None:
        name_node = node.child_by_field_name("name")
        name = property_name(name_node)
        if not name:
            return
        index = self.expr.functions.define(node, name, at=name_node)
        self.low.bind(name, BindingKind.DEFINITION, index)

    def _field_name(self, node: Node) -> Node | None:
        return node.child_by_field_name("property") or node.child_by_field_name("name")

    def _declare_field(self, node: Node) -> None:
        """A field that holds a function is a method; any other has the type or value that it is declared with."""
        name_node = self._field_name(node)
        name = property_name(name_node)
        value = bare_value(node.child_by_field_name("value"))
        if not name:
            return
        is_static = "static" in words_before(node, name_node)
        if value is not None and value.type in _BODIES:
            flags = DefinitionFlag.CLASS_METHOD if is_static else DefinitionFlag.NONE
            index = self.expr.functions.define(value, name, at=name_node, statement=node, flags=flags)
            self.low.bind(name, BindingKind.DEFINITION, index)
            return
        annotation = self.expr.annotations.optional(node.child_by_field_name("type"))
        lowered = NO_EXPRESSION if value is None else self._initial_value(node, is_static=is_static)
        if annotation > 0:
            self.low.bind(name, BindingKind.DECLARED, (annotation, lowered))
        elif lowered > 0:
            self.low.bind(name, BindingKind.VALUE, lowered)

    def _initial_value(self, node: Node, *, is_static: bool) -> int:
        scope = self._initialiser(is_static=is_static)
        self.low.reopen_scope(scope, node.end_byte)
        value = self.expr.field(node, "value")
        self.low.close_region()
        return self.low.intern((int(Tag.WITHIN), scope, value)) if value > 0 else NO_EXPRESSION

    def _initialiser(self, *, is_static: bool) -> int:
        """Scope of the values of fields: like the body of a method, it sees no member without ``this``."""
        key = (self.low.scope, is_static)
        scope = self._initialisers.get(key)
        if scope is None:
            flags = DefinitionFlag.RECEIVER_APART
            flags |= DefinitionFlag.CLASS_METHOD if is_static else DefinitionFlag.NONE
            definition = Definition(
                int(DefinitionKind.LAMBDA), "", self.low.scope, -1, 1, 1, int(flags), "", "", NO_EXPRESSION, (), (),
                NO_EXPRESSION, (), (), (), "",
            )  # fmt: skip
            index = self.low.define(definition, (0, 0))
            self.low.enter_body(index, ScopeKind.FUNCTION, 0)
            scope = self._initialisers[key] = self.low.scope
            self.low.close_region()
        return scope

    def field(self, node: Node) -> None:
        """Walk into the value of a field."""
        name = self._field_name(node)
        if name is not None and self._in_class():
            self.low.reopen_scope(self._initialiser(is_static="static" in words_before(node, name)), node.end_byte)

    def static_block(self, node: Node) -> None:
        """``static { }``."""
        if self._in_class():
            self.low.reopen_scope(self._initialiser(is_static=True), node.end_byte)

    def _in_class(self) -> bool:
        return self.low.facts.scopes[self.low.scope].kind == ScopeKind.CLASS

    # -- interfaces and object types

    def interface(self, node: Node) -> None:
        """``interface I {}``."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        annotations = self.expr.annotations
        generics = annotations.declare(node.child_by_field_name("type_parameters"))
        bases = tuple(
            base
            for clause in node.named_children
            if clause.type == "extends_type_clause"
            for item in clause.named_children
            if (base := annotations.lower(item)) > 0
        )
        index = self._add(DefinitionKind.INTERFACE, text_of(name), node, name, bases, node.start_byte, body.start_byte)
        self.bind(text_of(name), index)
        self._members(index, body, generics)
        annotations.forget(generics)

    def anonymous(self, node: Node, name: str = "", at: Node | None = None, statement: Node | None = None) -> int:
        """An object type as an interface."""
        index = self.known.get(node.id)
        if index is None:
            index = self._add(
                DefinitionKind.INTERFACE, name, node, at or node, (), (statement or node).start_byte, node.start_byte
            )
            self.known[node.id] = index
            self._members(index, node, {})
        return index

    def _members(self, index: int, body: Node, generics: dict[str, str]) -> None:
        """Members of an interface; they contain no code, so the walk need not come back to them."""
        annotations = self.expr.annotations
        self.low.enter_body(index, ScopeKind.CLASS, body.end_byte)
        annotations.bind_in_class(generics)
        annotations.own.append(index)
        for member in body.named_children:
            kind = member.type
            if kind == "method_signature":
                self.expr.functions.signature_only(member, in_class=True, flags=DefinitionFlag.ABSTRACT)
            elif kind == "property_signature":
                annotation = annotations.optional(member.child_by_field_name("type"))
                if annotation > 0:
                    name = annotations.name_of_property(member)
                    self.low.bind(name, BindingKind.DECLARED, (annotation, NO_EXPRESSION))
            elif kind == "call_signature":
                own = annotations.declare(member.child_by_field_name("type_parameters"))
                result = annotations.lower(member.child_by_field_name("return_type"))
                annotations.forget(own)
                self.low.bind(CALL_KEY, BindingKind.DECLARED, (annotations.outside(CALLABLE, result), NO_EXPRESSION))
        annotations.own.pop()
        self.low.close_region()

    def alias(self, node: Node) -> None:
        """``type A = ...``."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None:
            return
        annotations = self.expr.annotations
        generics = annotations.declare(node.child_by_field_name("type_parameters"))
        text = text_of(name)
        if value.type == "object_type" and any(annotations.says_something(item) for item in value.named_children):
            self.bind(text, self.anonymous(value, text, name, node))
        else:
            made_of = annotations.lower(value)
            self._add(DefinitionKind.TYPE, text, node, name, (), node.start_byte, node.end_byte)
            self._aliases.add((self.low.scope, text))
            known = self.low.name(text) if text in self.low.facts.scopes[self.low.scope].bindings else 0
            self.low.bind(text, BindingKind.VALUE, self.expr.either(known, made_of))
        annotations.forget(generics)

    # -- enumerations and namespaces

    def enumeration(self, node: Node) -> None:
        """``enum E {}``."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        index = self._add(DefinitionKind.CLASS, text_of(name), node, name, (), node.start_byte, body.start_byte)
        self.bind(text_of(name), index)
        self.low.enter_body(index, ScopeKind.CLASS, body.end_byte)
        member_value = self.low.intern((int(Tag.INSTANCE), self.low.intern((int(Tag.DEFINITION), index))))
        for member in body.named_children:
            key = member.child_by_field_name("name") if member.type == "enum_assignment" else member
            text = property_name(key)
            if text and member.type != "comment":
                self.low.bind(text, BindingKind.VALUE, member_value)
        self.low.close_region()

    def namespace(self, node: Node) -> None:
        """``namespace A.B {}`` and ``declare module "m" {}``."""
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        parts = [property_name(name)] if name.type == "string" else text_of(name).split(".")
        for part in parts:
            index = self._add(DefinitionKind.NAMESPACE, part, node, name, (), node.start_byte, body.start_byte)
            self.bind(part, index)
            self.low.enter_body(index, ScopeKind.MODULE, body.end_byte)
        self.low.pending_regions[body.id] = ("plain", 0)

    # -- decorators

    def decorator(self, node: Node) -> None:
        """``@d``: a call with the class or member that follows."""
        inner = node.named_children[0] if node.named_child_count else None
        if inner is not None:
            call = self.low.intern((int(Tag.CALL), self.expr.lower(inner), (), (), False))
            self.low.site(line_of(node), call, Via.DECORATOR)
