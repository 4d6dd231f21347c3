"""What a condition says of local names when it is true, and when it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import BindingKind, ScopeKind, Tag
from code_review_graph.languages.javascript.syntax import text_of
from code_review_graph.lowering import Lowering

if TYPE_CHECKING:
    from code_review_graph.languages.javascript.expressions import Expressions

# Conditions nested deeper, and more tests in one, are made by programs.
MAX_DEPTH: Final = 16
MAX_TESTS: Final = 8

Test = tuple[str, int, bool]  # name, type expression, whether the name's value is of that type


def tests_of(node: Node | None, expr: Expressions, *, truth: bool, depth: int = 0) -> list[Test]:
    """``instanceof`` tests that are settled when a condition has a truth value."""
    if node is None or depth > MAX_DEPTH:
        return []
    if node.type == "parenthesized_expression":
        inner = node.named_children[0] if node.named_child_count else None
        return tests_of(inner, expr, truth=truth, depth=depth + 1)
    if node.type == "unary_expression":
        operator = node.child_by_field_name("operator")
        is_not = operator is not None and operator.type == "!"
        return tests_of(node.child_by_field_name("argument"), expr, truth=not truth, depth=depth + 1) if is_not else []
    if node.type != "binary_expression":
        return []
    operator = node.child_by_field_name("operator")
    kind = operator.type if operator is not None else ""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if kind == "instanceof":
        return _instance_test(left, right, expr, truth=truth)
    # A true `&&` settles both sides, and so does a false `||`; the others leave open which side decided.
    if kind not in {"&&", "||"} or (kind == "&&") != truth:
        return []
    found = tests_of(left, expr, truth=truth, depth=depth + 1) + tests_of(right, expr, truth=truth, depth=depth + 1)
    return found[:MAX_TESTS]


def _instance_test(subject: Node | None, kind: Node | None, expr: Expressions, *, truth: bool) -> list[Test]:
    if subject is None or kind is None or subject.type != "identifier":
        return []
    name = text_of(subject)
    # Narrowing a name that this function does not bind would make it a local one.
    made = expr.low.intern((int(Tag.CONSTRUCT), expr.lower(kind)))
    return [(name, made, truth)] if _is_bound_here(expr.low, name) else []


def _is_bound_here(low: Lowering, name: str) -> bool:
    scopes, scope = low.facts.scopes, low.scope
    while name not in scopes[scope].bindings:
        if scopes[scope].kind != ScopeKind.INLINE:
            return False
        scope = scopes[scope].parent
    return True


def bind_tests(low: Lowering, tests: list[Test]) -> None:
    """Bind names to what tests say of them, from here on."""
    for name, type_expression, positive in tests:
        kind = BindingKind.NARROWED if positive else BindingKind.EXCLUDED
        low.bind(name, kind, (type_expression, low.name(name)))
