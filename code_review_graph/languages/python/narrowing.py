"""What conditions and patterns say of a name: ``isinstance`` tests, ``match`` cases."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from code_review_graph.facts import BindingKind, Tag
from code_review_graph.languages.python import fields
from code_review_graph.languages.python.conditions import MAX_DEPTH, MAX_TESTS, Test, bind_tests, tests_of
from code_review_graph.languages.python.expressions import Expressions
from code_review_graph.languages.python.syntax import UNKNOWN, text_of
from code_review_graph.lowering import Lowering

# A longer chain is a table written as code.
MAX_CLAUSES: Final = 32
_LEAVING: Final = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})


class Narrowing:
    """Collects what holds in a suite, by the suite's syntax node id."""

    def __init__(self, lowering: Lowering, expressions: Expressions) -> None:
        self.low = lowering
        self.expr = expressions
        self.of_suite: dict[int, list[Test]] = {}

    def suite(self, suite: Node | None, tests: list[Test]) -> None:
        """Remember what holds in a suite that the walk has not reached yet."""
        if suite is not None and tests:
            self.of_suite.setdefault(suite.id, []).extend(tests)

    def chain(self, node: Node) -> None:
        """An ``if`` with ``elif`` and ``else``: what holds in each suite, and after one that never falls through."""
        condition, body = node.child_by_field_id(fields.CONDITION), node.child_by_field_id(fields.CONSEQUENCE)
        self.suite(body, tests_of(condition, self.expr, truth=True))
        failed = tests_of(condition, self.expr, truth=False)
        alternatives = node.children_by_field_id(fields.ALTERNATIVE)
        if not alternatives and failed and body is not None and _leaves(body):
            self.low.after(node.end_byte, lambda: self.bind(failed))
        for clause in alternatives[:MAX_CLAUSES]:
            condition = clause.child_by_field_id(fields.CONDITION)
            holds = tests_of(condition, self.expr, truth=True)
            self.suite(
                clause.child_by_field_id(fields.CONSEQUENCE) or clause.child_by_field_id(fields.BODY), failed + holds
            )
            failed = (failed + tests_of(condition, self.expr, truth=False))[:MAX_TESTS]

    def bind(self, tests: list[Test]) -> None:
        """Bind names to what tests say of them, from here on."""
        bind_tests(self.low, tests)

    def case(self, node: Node) -> None:
        """A ``case`` of a ``match``: what it binds, and what it says of the subject."""
        statement = node.parent.parent if node.parent is not None else None
        subject = statement.child_by_field_id(fields.SUBJECT) if statement is not None else None
        value = self.expr.lower(subject)
        for child in node.named_children:
            if child.type == "case_pattern":
                self._pattern(child, value, subject, node.child_by_field_id(fields.CONSEQUENCE))

    def _pattern(self, node: Node, value: int, subject: Node | None, body: Node | None, depth: int = 0) -> None:
        if depth > MAX_DEPTH:
            return
        kind = node.type
        children = node.named_children
        if kind == "as_pattern" and len(children) == 2:
            self._pattern(children[0], value, subject, body, depth + 1)
            classes = _class_pattern(children[0])
            bound = value if classes is None else self.low.intern((Tag.INSTANCE, self.expr.lower_dotted(classes)))
            self.low.bind(text_of(children[1]), BindingKind.VALUE, bound)
        elif kind == "class_pattern" and children:
            instance = self.expr.lower_dotted(children[0])
            if body is not None and subject is not None and subject.type == "identifier":
                name = text_of(subject)
                if self.low.is_bound_here(name):
                    self.of_suite.setdefault(body.id, []).append((name, instance, True))
            for child in children[1:]:
                self._pattern(child, UNKNOWN, None, None, depth + 1)
        elif kind == "dotted_name" and len(children) == 1:
            self.low.bind(text_of(node), BindingKind.VALUE, value)
        else:
            inner = value if kind == "case_pattern" else UNKNOWN
            for child in children:
                self._pattern(child, inner, subject, body, depth + 1)


def _class_pattern(node: Node) -> Node | None:
    while node.type == "case_pattern" and node.named_child_count:
        node = node.named_children[0]
    return node.named_children[0] if node.type == "class_pattern" and node.named_child_count else None


def _leaves(body: Node) -> bool:
    """Whether a suite ends by leaving what is around it."""
    last = body.named_children[-1] if body.named_child_count else None
    return last is not None and last.type in _LEAVING
