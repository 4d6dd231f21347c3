"""What a condition says of local names when it is true, and when it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from code_review_graph.facts import BindingKind
from code_review_graph.languages.python.syntax import text_of
from code_review_graph.lowering import Lowering

if TYPE_CHECKING:
    from code_review_graph.languages.python.expressions import Expressions

Test = tuple[str, int, bool]  # name, type expression, whether the name's value is of that type


def tests_of(node: Node | None, expr: Expressions, *, truth: bool) -> list[Test]:
    """``isinstance`` tests that are settled when a condition has a truth value."""
    if node is None:
        return []
    if node.type == "parenthesized_expression":
        return tests_of(node.named_child(0) if node.named_child_count else None, expr, truth=truth)
    if node.type == "not_operator":
        return tests_of(node.child_by_field_name("argument"), expr, truth=not truth)
    if node.type == "boolean_operator":
        operator = node.child_by_field_name("operator")
        # A true `and` settles both sides, and so does a false `or`; the others leave open which side decided.
        if operator is None or (operator.type == "and") != truth:
            return []
        left = tests_of(node.child_by_field_name("left"), expr, truth=truth)
        return left + tests_of(node.child_by_field_name("right"), expr, truth=truth)
    return _call_test(node, expr, truth=truth) if node.type == "call" else []


def _call_test(node: Node, expr: Expressions, *, truth: bool) -> list[Test]:
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or function.text != b"isinstance" or arguments is None:
        return []
    operands = arguments.named_children
    if len(operands) != 2 or operands[0].type != "identifier":
        return []
    name = text_of(operands[0])
    # Narrowing a name that this scope does not bind would make it a local one.
    return [(name, expr.lower(operands[1]), truth)] if expr.low.is_bound_here(name) else []


def bind_tests(low: Lowering, tests: list[Test]) -> None:
    """Bind names to what tests say of them, from here on."""
    for name, type_expression, positive in tests:
        kind = BindingKind.NARROWED if positive else BindingKind.EXCLUDED
        low.bind(name, kind, (type_expression, low.name(name)))
