"""What a condition says of local names when it is true, and when it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import BindingKind
from code_review_graph.languages.python import fields, kinds
from code_review_graph.lowering import Lowering

if TYPE_CHECKING:
    from code_review_graph.languages.python.expressions import Expressions

# Conditions nested deeper, and more tests in one, are made by programs.
MAX_DEPTH: Final = 16
MAX_TESTS: Final = 8

Test = tuple[str, int, bool]  # name, type expression, whether the name's value is of that type


def tests_of(node: Node | None, expr: Expressions, *, truth: bool, depth: int = 0) -> list[Test]:
    """``isinstance`` tests that are settled when a condition has a truth value."""
    if node is None or depth > MAX_DEPTH:
        return []
    kind = node.kind_id
    if kind == kinds.CALL:
        return _call_test(node, expr, truth=truth)
    if kind == kinds.COMPARISON:
        return _identity_test(node, expr, truth=truth)
    if kind == kinds.PARENTHESIZED:
        return tests_of(node.named_child(0) if node.named_child_count else None, expr, truth=truth, depth=depth + 1)
    if kind == kinds.NOT:
        return tests_of(node.child_by_field_id(fields.ARGUMENT), expr, truth=not truth, depth=depth + 1)
    if kind == kinds.BOOLEAN:
        operator = node.child_by_field_id(fields.OPERATOR)
        # A true `and` settles both sides, and so does a false `or`; the others leave open which side decided.
        if operator is None or (operator.type == "and") != truth:
            return []
        left = tests_of(node.child_by_field_id(fields.LEFT), expr, truth=truth, depth=depth + 1)
        right = tests_of(node.child_by_field_id(fields.RIGHT), expr, truth=truth, depth=depth + 1)
        return (left + right)[:MAX_TESTS]
    return []


def _identity_test(node: Node, expr: Expressions, *, truth: bool) -> list[Test]:
    """``type(x) is T``."""
    children = node.children
    if len(children) != 3 or children[1].type not in {"is", "=="} or children[0].type != "call":
        return []
    function = children[0].child_by_field_id(fields.FUNCTION)
    arguments = children[0].child_by_field_id(fields.ARGUMENTS)
    if function is None or function.text != b"type" or arguments is None or arguments.named_child_count != 1:
        return []
    return _test(arguments.named_children[0], children[2], expr, truth=truth)


def _test(subject: Node, kind: Node, expr: Expressions, *, truth: bool) -> list[Test]:
    if subject.kind_id != kinds.IDENTIFIER:
        return []
    name = expr.text(subject)
    # Narrowing a name that this scope does not bind would make it a local one.
    return [(name, expr.lower(kind), truth)] if expr.low.is_bound_here(name) else []


def _call_test(node: Node, expr: Expressions, *, truth: bool) -> list[Test]:
    function = node.child_by_field_id(fields.FUNCTION)
    arguments = node.child_by_field_id(fields.ARGUMENTS)
    if function is None or arguments is None or function.kind_id != kinds.IDENTIFIER:
        return []
    if expr.text(function) != "isinstance":
        return []
    operands = arguments.named_children
    return _test(operands[0], operands[1], expr, truth=truth) if len(operands) == 2 else []


def bind_tests(low: Lowering, tests: list[Test]) -> None:
    """Bind names to what tests say of them, from here on."""
    for name, type_expression, positive in tests:
        kind = BindingKind.NARROWED if positive else BindingKind.EXCLUDED
        low.bind(name, kind, (type_expression, low.name(name)))
