"""Parameters of functions and lambdas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import NO_EXPRESSION, Parameter, ParameterKind
from code_review_graph.languages.python import fields, kinds
from code_review_graph.languages.python.grammar import kind

if TYPE_CHECKING:
    from code_review_graph.languages.python.expressions import Expressions

_STAR: Final = kind("list_splat_pattern")
_DOUBLE_STAR: Final = kind("dictionary_splat_pattern")
# What makes the parameters behind it keywords only.
_STARS: Final = frozenset({_STAR, kind("keyword_separator")})
_DEFAULTED: Final = frozenset({kind("default_parameter"), kind("typed_default_parameter")})
_TYPED: Final = kind("typed_parameter")


def parameters_of(expr: Expressions, node: Node | None) -> tuple[Parameter, ...]:
    """Parameters of a function or lambda, with their annotations and defaults."""
    if node is None:
        return ()
    found: list[Parameter] = []
    plain = ParameterKind.POSITIONAL
    for child in node.named_children:
        if child.kind_id == kinds.IDENTIFIER:
            found.append(Parameter(expr.text(child), int(plain), NO_EXPRESSION, NO_EXPRESSION))
            continue
        if child.kind_id in _STARS:
            plain = ParameterKind.KEYWORD_ONLY
        parameter = _parameter(expr, child, plain)
        if parameter is not None:
            found.append(parameter)
    return tuple(found)


def _parameter(expr: Expressions, node: Node, kind: ParameterKind) -> Parameter | None:
    target: Node | None = node
    if node.kind_id in _DEFAULTED:
        target = node.child_by_field_id(fields.NAME)
    elif node.kind_id == _TYPED:
        target = node.named_child(0)
    if target is not None and target.kind_id == _STAR:
        kind, target = ParameterKind.STAR, _starred(target)
    elif target is not None and target.kind_id == _DOUBLE_STAR:
        kind, target = ParameterKind.DOUBLE_STAR, _starred(target)
    if target is None or target.kind_id != kinds.IDENTIFIER:
        return None
    value = node.child_by_field_id(fields.VALUE)
    annotation = expr.annotation(node.child_by_field_id(fields.TYPE))
    default = NO_EXPRESSION if value is None else expr.lower(value)
    return Parameter(expr.text(target), int(kind), annotation, default)


def _starred(node: Node) -> Node | None:
    return node.named_child(0) if node.named_child_count else None
