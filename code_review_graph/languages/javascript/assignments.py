"""What variables, members and exports are bound to; and the idioms that make objects after others."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from code_review_graph.facts import (
    NO_EXPRESSION,
    BindingKind,
    Definition,
    DefinitionFlag,
    DefinitionKind,
    ScopeKind,
    Tag,
)
from code_review_graph.languages.javascript.expressions import Expressions
from code_review_graph.languages.javascript.jsdoc import type_of
from code_review_graph.languages.javascript.patterns import bind_in, bind_pattern, declaring_scope
from code_review_graph.languages.javascript.syntax import (
    bare_value,
    docstring_before,
    line_of,
    property_name,
    string_content,
    text_of,
)

_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function"})
_CLASSES: Final = frozenset({"class"})
_ANONYMOUS: Final = "exports"


class Assignments:
    """Handlers of declarations and assignments."""

    def __init__(self, expressions: Expressions) -> None:
        self.expr = expressions
        self.low = expressions.low
        self._kinds: dict[int, int | None] = {}  # declaration node id -> scope of its names (None: the block)

    # -- variables

    def variable(self, node: Node) -> None:
        """One declarator of ``const``, ``let`` or ``var``."""
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if target is None:
            return
        scope = self._scope_of(node)
        annotation = self._declared_type(node)
        if target.type != "identifier":
            lowered = self.expr.lower(value)
            if annotation > 0:
                lowered = self.low.intern((int(Tag.INSTANCE), annotation))
            self._import_members(target, value)
            bind_pattern(self.expr, target, lowered, scope)
            return
        name = text_of(target)
        inner = bare_value(value)
        if inner is not None and inner.type in _FUNCTIONS:
            self._function(node, name, target, inner, scope)
        elif inner is not None and inner.type in _CLASSES:
            index = self.expr.classes.define(inner, name, target, node)
            bind_in(self.low, name, BindingKind.DEFINITION, index, scope)
        else:
            self._plain(node, name, target, (value, inner), annotation, scope)

    def _declared_type(self, node: Node) -> int:
        written = node.child_by_field_name("type")
        if written is not None:
            return self.expr.annotations.optional(written)
        return type_of(self.expr, docstring_before(self.low.source, node.start_byte))

    def _scope_of(self, node: Node) -> int:
        """Where a declarator's names live: ``var`` in the function around, others in the block."""
        parent = node.parent
        if parent is not None and parent.type == "variable_declaration":
            return self.low.function_scope()
        return self.low.scope

    def _function(self, node: Node, name: str, target: Node, function: Node, scope: int) -> None:
        index = self.expr.functions.define(function, name, at=target, statement=node)
        bind_in(self.low, name, BindingKind.DEFINITION, index, scope)

    def _plain(
        self, node: Node, name: str, target: Node, values: tuple[Node | None, Node | None], annotation: int, scope: int
    ) -> None:
        value, inner = values
        lowered = NO_EXPRESSION
        if value is not None:
            lowered = self.object_value(inner, name, target, node) or self.expr.lower(value)
        known = self.low.name(name) if scope == self.low.scope and self.expr.classes.is_type(name) else 0
        if known:
            value_type = self.low.intern((int(Tag.INSTANCE), annotation)) if annotation > 0 else max(lowered, 0)
            bind_in(self.low, name, BindingKind.VALUE, self.expr.either(known, value_type), scope)
        elif annotation > 0:
            bind_in(self.low, name, BindingKind.DECLARED, (annotation, lowered), scope)
        elif lowered >= 0 or not self._is_bound_in(scope, name):
            bind_in(self.low, name, BindingKind.VALUE, max(lowered, 0), scope)
        if value is not None:
            self._constant(node, name, target, lowered)

    def _is_bound_in(self, scope: int, name: str) -> bool:
        return name in self.low.facts.scopes[scope].bindings

    def object_value(self, inner: Node | None, name: str, at: Node, statement: Node) -> int:
        """Expression of a literal or of ``Object.create(x)``, as an object of its own; 0 for anything else."""
        if inner is None:
            return 0
        if inner.type == "object":
            return self.expr.objects.define(inner, name, at, statement)
        return self.expr.invocations.created(inner) if inner.type == "call_expression" else 0

    def _constant(self, node: Node, name: str, target: Node, lowered: int) -> None:
        """Names in capitals, and those that are exported, at the top of a file are worth a node."""
        scope = self.low.facts.scopes[self.low.scope]
        if scope.kind != ScopeKind.MODULE:
            return
        is_capital = name.isupper() and len(name) > 1
        if not is_capital and not _is_exported(node):
            return
        shape = self.low.facts.expressions[max(lowered, 0)]
        if shape[0] == Tag.OBJECT and self.low.drafts[shape[1]].fields.name:
            return
        self.low.define(
            Definition(
                int(DefinitionKind.CONSTANT), name, self.low.scope, -1, line_of(target), node.end_point[0] + 1, 0,
                " ".join(text_of(node)[:400].split())[:200], "", NO_EXPRESSION, (), (), NO_EXPRESSION, (), (), (), "",
            ),
            (node.start_byte, node.end_byte),
        )  # fmt: skip

    def _import_members(self, target: Node, value: Node | None) -> None:
        """``const {a} = require("m")`` imports a."""
        module = self.expr.invocations.required(bare_value(value))
        for child in target.named_children if module and target.type == "object_pattern" else ():
            key = child.child_by_field_name("key") or child.child_by_field_name("left") or child
            self.low.add_import(line_of(child), module, 0, text_of(key))

    # -- assignments

    def assignment(self, node: Node) -> None:
        """``target = value``, whatever the target is."""
        target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        if target is None or value is None:
            return
        inner = bare_value(value)
        if target.type == "member_expression":
            self._to_member(node, target, value, inner)
        elif target.type == "identifier":
            self._to_name(node, target, value, inner)
        elif target.type == "subscript_expression" and inner is not None and inner.type in _FUNCTIONS:
            self._item_function(node, target, inner)
        else:
            bind_pattern(self.expr, target, self.expr.lower(node), declares=False)

    def _to_name(self, node: Node, target: Node, value: Node, inner: Node | None) -> None:
        name = text_of(target)
        if name == "exports" and not self.expr.is_bound(name):
            return
        scope = declaring_scope(self.expr, name)
        if inner is not None and inner.type in _FUNCTIONS:
            self._function(node, name, target, inner, scope)
            return
        lowered = self.object_value(inner, name, target, node) or self.expr.lower(node)
        del value
        bind_in(self.low, name, BindingKind.VALUE, lowered, scope)

    def _to_member(self, node: Node, target: Node, value: Node, inner: Node | None) -> None:
        owner, name_node = target.child_by_field_name("object"), target.child_by_field_name("property")
        if owner is None or name_node is None:
            return
        name = text_of(name_node)
        exported = self._exported_name(owner, name)
        if exported:
            self._export(node, exported, name_node, value, inner)
        elif name == "prototype":
            self._prototype(owner, value, inner, name_node, node)
        elif inner is not None and inner.type in _FUNCTIONS and inner.id not in self.expr.functions.known:
            self._member_function(node, owner, name_node, inner, name)
        else:
            lowered = self._named_value(inner, name, name_node, node) or self.expr.lower(node)
            self.low.write_attribute(self.owner(owner), name, lowered)

    def _named_value(self, inner: Node | None, name: str, at: Node, node: Node) -> int:
        if inner is not None and inner.type in _FUNCTIONS:
            return self.low.intern((int(Tag.LAMBDA), self.expr.functions.define(inner, name, at=at, statement=node)))
        if inner is not None and inner.type in _CLASSES:
            return self.low.intern((int(Tag.DEFINITION), self.expr.classes.define(inner, name, at, node)))
        return self.object_value(inner, name, at, node)

    def _member_function(self, node: Node, owner: Node, name_node: Node, function: Node, name: str) -> None:
        """``X.prototype.m = function``, ``app.m = function``, ``this.m = () =>``: a member that stands elsewhere."""
        written = owner.child_by_field_name("object") if self._is_prototype(owner) else owner
        qualifier = "" if written is None or written.type == "this" else text_of(written)
        self.expr.functions.define(
            function, name, at=name_node, statement=node, owner=self.owner(owner),
            qualifier=qualifier if len(qualifier) <= 80 and "\n" not in qualifier else "",
        )  # fmt: skip

    def _item_function(self, node: Node, target: Node, function: Node) -> None:
        """``app[name] = function``: a member whose name is not known, but whose receiver is."""
        owner = target.child_by_field_name("object")
        if owner is not None and function.id not in self.expr.functions.known:
            name = string_content(target.child_by_field_name("index")) or ""
            if name:
                self._member_function(node, owner, target, function, name)
            else:
                self.expr.functions.define(function, "", owner=self.owner(owner))
        bind_pattern(self.expr, target, self.expr.lower(node), declares=False)

    @staticmethod
    def _is_prototype(node: Node) -> bool:
        name = node.child_by_field_name("property") if node.type == "member_expression" else None
        return name is not None and name.text == b"prototype"

    def owner(self, node: Node) -> int:
        """What members that are put on an expression belong to: the class itself for its prototype."""
        if self._is_prototype(node):
            return self.expr.field(node, "object")
        return self.expr.lower(node)

    def mixed_in(self, node: Node) -> int:
        """What gives its members to another: a class for its prototype."""
        if node.type == "object":
            return self.expr.objects.define(node)
        return self.owner(node)

    def _prototype(self, owner: Node, value: Node, inner: Node | None, at: Node, node: Node) -> None:
        """``X.prototype = ...``: objects of X have the members of what is given."""
        if inner is not None and inner.type == "object":
            base = self.expr.objects.define(inner, text_of(owner), at, node)
        elif inner is not None and inner.type == "call_expression" and self.expr.invocations.prototype_of(inner):
            base = self.expr.invocations.prototype_of(inner)
        else:
            base = self.expr.lower(value)
        self.low.extend(self.expr.lower(owner), base)

    # -- what a file gives to those that require it

    def _exported_name(self, owner: Node, name: str) -> str:
        """``x`` for ``exports.x`` and ``module.exports.x``, ``=`` for ``module.exports``; "" for anything else."""
        if owner.type == "identifier":
            text = text_of(owner)
            if text == "exports" and not self.expr.is_bound(text):
                return name
            return "=" if text == "module" and name == "exports" and not self.expr.is_bound(text) else ""
        return name if owner.text == b"module.exports" and not self.expr.is_bound("module") else ""

    def _export(self, node: Node, exported: str, at: Node, value: Node, inner: Node | None) -> None:
        key = f"export {exported}"
        name = _ANONYMOUS if exported == "=" else exported
        line = at
        own = inner.child_by_field_name("name") if inner is not None and inner.type in _FUNCTIONS | _CLASSES else None
        if own is not None and exported == "=":
            name, line = text_of(own), own
        if inner is not None and inner.type in _FUNCTIONS:
            index = self.expr.functions.define(inner, name, at=line, statement=node)
            bind_in(self.low, key, BindingKind.DEFINITION, index, 0)
        elif inner is not None and inner.type in _CLASSES:
            index = self.expr.classes.define(inner, name, line, node)
            bind_in(self.low, key, BindingKind.DEFINITION, index, 0)
        else:
            title = "" if exported == "=" else name
            lowered = self.object_value(inner, title, at, node) or self.expr.lower(value)
            bind_in(self.low, key, BindingKind.VALUE, lowered, 0)

    # -- properties defined by a call

    def define_property(self, arguments: list[Node]) -> None:
        """``Object.defineProperty(target, "name", {value or get})``."""
        if len(arguments) < 3 or arguments[2].type != "object":
            return
        target, name = arguments[0], string_content(arguments[1])
        if not name:
            return
        for member in arguments[2].named_children:
            key = property_name(member.child_by_field_name("key") or member.child_by_field_name("name"))
            value = bare_value(member.child_by_field_name("value")) if member.type == "pair" else member
            if value is None:
                continue
            if key == "get" and value.type in _FUNCTIONS | {"method_definition"}:
                self._getter(target, name, arguments[1], value)
            elif key == "value":
                self._property_value(target, name, self.expr.lower(value))

    def _getter(self, target: Node, name: str, at: Node, function: Node) -> None:
        if function.id in self.expr.functions.known:
            return
        if target.text in {b"exports", b"module.exports"}:
            call = (int(Tag.CALL), self.expr.functions.value(function), (), (), False)
            bind_in(self.low, f"export {name}", BindingKind.VALUE, self.low.intern(call), 0)
            return
        self.expr.functions.define(
            function,
            name,
            at=at,
            owner=self.owner(target),
            flags=DefinitionFlag.PROPERTY,
            qualifier="" if target.type == "this" else text_of(target),
        )

    def _property_value(self, target: Node, name: str, value: int) -> None:
        if target.text in {b"exports", b"module.exports"}:
            bind_in(self.low, f"export {name}", BindingKind.VALUE, value, 0)
        else:
            self.low.write_attribute(self.owner(target), name, value)


def _is_exported(node: Node) -> bool:
    declaration = node.parent
    statement = declaration.parent if declaration is not None else None
    return statement is not None and statement.type == "export_statement"
