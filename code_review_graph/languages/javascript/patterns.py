"""What stands on the left: names, members, items and patterns of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import BindingKind, Tag
from code_review_graph.languages.javascript.syntax import UNKNOWN, property_name, string_content, text_of
from code_review_graph.lowering import Lowering

if TYPE_CHECKING:
    from code_review_graph.languages.javascript.expressions import Expressions

# Targets nested deeper are made by programs.
MAX_DEPTH: Final = 32
_NAMES: Final = frozenset({"identifier", "shorthand_property_identifier_pattern", "shorthand_property_identifier"})


def bind_pattern(
    expr: Expressions, node: Node | None, value: int, scope: int | None = None, *, declares: bool = True, depth: int = 0
) -> None:
    """Bind the names in a target; those of a ``var`` in the scope of the function around."""
    if node is None or depth > MAX_DEPTH:
        return
    kind = node.type
    if kind in _NAMES:
        name = text_of(node)
        where = (expr.low.scope if scope is None else scope) if declares else declaring_scope(expr, name)
        bind_in(expr.low, name, BindingKind.VALUE, value, where)
    elif kind == "member_expression":
        name_node = node.child_by_field_name("property")
        if name_node is not None:
            expr.low.write_attribute(expr.field(node, "object"), text_of(name_node), value)
    elif kind == "subscript_expression":
        _write_item(expr, node, value)
    elif kind in {"object_pattern", "array_pattern", "object", "array"}:
        _bind_many(expr, node, value, scope, declares=declares, depth=depth + 1)
    elif kind in {"assignment_pattern", "object_assignment_pattern", "assignment_expression"}:
        default = expr.field(node, "right")
        target = node.child_by_field_name("left")
        bind_pattern(expr, target, expr.either(value, default), scope, declares=declares, depth=depth + 1)
    elif kind in {"parenthesized_expression", "non_null_expression", "as_expression"} and node.named_child_count:
        bind_pattern(expr, node.named_children[0], value, scope, declares=declares, depth=depth + 1)


def _write_item(expr: Expressions, node: Node, value: int) -> None:
    owner, key = expr.field(node, "object"), node.child_by_field_name("index")
    name = string_content(key)
    if name:
        expr.low.write_attribute(owner, name, value)
    else:
        expr.low.write_item(owner, expr.lower(key), value)


def bind_in(low: Lowering, name: str, kind: BindingKind, payload: object, scope: int) -> None:
    """Bind a name in a scope around, to what the payload means here."""
    if scope == low.scope:
        low.bind(name, kind, payload)
    else:
        entry = (int(kind), payload, -low.scope - 2)  # says which scope the value belongs to
        low.facts.scopes[scope].bindings.setdefault(name, []).append(entry)


def declaring_scope(expr: Expressions, name: str) -> int:
    """Where an assignment puts its value: into the block or function around that has bound the name."""
    low = expr.low
    scopes, scope = low.facts.scopes, low.scope
    while scope >= 0:
        if name in scopes[scope].bindings:
            return scope
        scope = scopes[scope].parent
    return 0


def _bind_many(expr: Expressions, node: Node, value: int, scope: int | None, *, declares: bool, depth: int) -> None:
    is_array = node.type in {"array_pattern", "array"}
    position = 0
    for child in node.children:
        kind = child.type
        if kind == "," and is_array:
            position += 1
        if not child.is_named or kind == "comment":
            continue
        target: Node | None = child
        if kind in {"rest_pattern", "spread_element"}:
            target = child.named_children[0] if child.named_child_count else None
            part = expr.low.intern((int(Tag.SLICE), value, position)) if is_array else value
        elif is_array:
            part = expr.low.intern((int(Tag.UNPACK), value, position))
        else:
            target, part = _property(expr, child, value)
        bind_pattern(expr, target, part, scope, declares=declares, depth=depth)


def _property(expr: Expressions, node: Node, value: int) -> tuple[Node | None, int]:
    """Target and value of one property in an object pattern."""
    if node.type in {"pair_pattern", "pair"}:
        name = property_name(node.child_by_field_name("key"))
        return node.child_by_field_name("value"), expr.member(value, name) if name else UNKNOWN
    if node.type in {"object_assignment_pattern", "assignment_expression"}:
        left = node.child_by_field_name("left")
        name = text_of(left) if left is not None else ""
        return node, expr.member(value, name) if name else UNKNOWN
    return node, expr.member(value, text_of(node))
