"""What stands on the left: names, attributes, items and patterns of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import BindingKind, Tag
from code_review_graph.languages.python import fields, kinds
from code_review_graph.languages.python.syntax import UNKNOWN

# Targets nested deeper are made by programs.
MAX_DEPTH: Final = 32

if TYPE_CHECKING:
    from code_review_graph.languages.python.expressions import Expressions


def bind_target(expr: Expressions, node: Node | None, value: int, depth: int = 0) -> None:
    """Bind what stands on the left of an assignment, a loop or a ``with``."""
    if node is None or depth > MAX_DEPTH:
        return
    kind = node.kind_id
    if kind == kinds.IDENTIFIER:
        expr.low.bind(expr.text(node), BindingKind.VALUE, value)
    elif kind == kinds.ATTRIBUTE:
        name = node.child_by_field_id(fields.ATTRIBUTE)
        if name is not None:
            expr.low.write_attribute(expr.field(node, fields.OBJECT), expr.text(name), value)
    elif kind == kinds.SUBSCRIPT:
        keys = node.children_by_field_id(fields.SUBSCRIPT)
        key = expr.lower(keys[0]) if len(keys) == 1 else UNKNOWN
        expr.low.write_item(expr.field(node, fields.VALUE), key, value)
    elif node.type in {"pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "as_pattern_target",
                       "parenthesized_expression"}:  # fmt: skip
        _bind_many(expr, node, value, depth + 1)


def _bind_many(expr: Expressions, node: Node, value: int, depth: int) -> None:
    children = node.named_children
    if node.type in {"as_pattern_target", "parenthesized_expression"}:
        bind_target(expr, children[0] if children else None, value, depth)
        return
    after = False
    for position, child in enumerate(children):
        if child.type == "list_splat_pattern":
            rest = expr.low.intern((Tag.SLICE, value, position))
            bind_target(expr, child.named_child(0) if child.named_child_count else None, rest, depth)
            after = True
        else:
            place = position - len(children) if after else position
            bind_target(expr, child, expr.low.intern((Tag.UNPACK, value, place)), depth)
