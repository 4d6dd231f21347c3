"""What conditions and patterns say of a name: ``isinstance`` tests, ``match`` cases."""

from __future__ import annotations

from tree_sitter import Node

from code_review_graph.facts import BindingKind, Tag
from code_review_graph.languages.python.expressions import Expressions
from code_review_graph.languages.python.syntax import UNKNOWN, text_of
from code_review_graph.lowering import Lowering


class Narrowing:
    """Collects what holds in a suite, by the suite's syntax node id."""

    def __init__(self, lowering: Lowering, expressions: Expressions) -> None:
        self.low = lowering
        self.expr = expressions
        self.of_suite: dict[int, list[tuple[str, int]]] = {}

    def isinstance_tests(self, node: Node | None) -> list[tuple[str, int]]:
        """(name, type expression) of what a condition says of local names."""
        if node is None:
            return []
        if node.type == "boolean_operator":
            operator = node.child_by_field_name("operator")
            if operator is None or operator.type != "and":
                return []
            left = self.isinstance_tests(node.child_by_field_name("left"))
            return left + self.isinstance_tests(node.child_by_field_name("right"))
        if node.type == "parenthesized_expression":
            return self.isinstance_tests(node.named_child(0) if node.named_child_count else None)
        function = node.child_by_field_name("function") if node.type == "call" else None
        arguments = node.child_by_field_name("arguments")
        if function is None or function.text != b"isinstance" or arguments is None:
            return []
        operands = arguments.named_children
        if len(operands) != 2 or operands[0].type != "identifier":
            return []
        name = text_of(operands[0])
        # Narrowing a name that this scope does not bind would make it a local one.
        return [(name, self.expr.lower(operands[1]))] if self.low.is_bound_here(name) else []

    def case(self, node: Node) -> None:
        """A ``case`` of a ``match``: what it binds, and what it says of the subject."""
        statement = node.parent.parent if node.parent is not None else None
        subject = statement.child_by_field_name("subject") if statement is not None else None
        value = self.expr.lower(subject)
        for child in node.named_children:
            if child.type == "case_pattern":
                self._pattern(child, value, subject, node.child_by_field_name("consequence"))

    def _pattern(self, node: Node, value: int, subject: Node | None, body: Node | None) -> None:
        kind = node.type
        children = node.named_children
        if kind == "as_pattern" and len(children) == 2:
            self._pattern(children[0], value, subject, body)
            classes = _class_pattern(children[0])
            bound = value if classes is None else self.low.intern((int(Tag.INSTANCE), self.expr.lower_dotted(classes)))
            self.low.bind(text_of(children[1]), BindingKind.VALUE, bound)
        elif kind == "class_pattern" and children:
            instance = self.expr.lower_dotted(children[0])
            if body is not None and subject is not None and subject.type == "identifier":
                name = text_of(subject)
                if self.low.is_bound_here(name):
                    self.of_suite.setdefault(body.id, []).append((name, instance))
            for child in children[1:]:
                self._pattern(child, UNKNOWN, None, None)
        elif kind == "dotted_name" and len(children) == 1:
            self.low.bind(text_of(node), BindingKind.VALUE, value)
        else:
            inner = value if kind == "case_pattern" else UNKNOWN
            for child in children:
                self._pattern(child, inner, subject, body)


def _class_pattern(node: Node) -> Node | None:
    while node.type == "case_pattern" and node.named_child_count:
        node = node.named_children[0]
    return node.named_children[0] if node.type == "class_pattern" and node.named_child_count else None
