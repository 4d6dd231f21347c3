"""Handlers of the captures: each lowers one kind of statement or expression, in source order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import ScopeKind, Tag, Via
from code_review_graph.languages.javascript.assignments import Assignments
from code_review_graph.languages.javascript.conditions import Test, bind_tests, tests_of
from code_review_graph.languages.javascript.exports import Exports
from code_review_graph.languages.javascript.expressions import Expressions
from code_review_graph.languages.javascript.jsdoc import bind_typedefs
from code_review_graph.languages.javascript.patterns import bind_pattern
from code_review_graph.languages.javascript.sites import Sites
from code_review_graph.languages.javascript.syntax import UNKNOWN, line_of
from code_review_graph.lowering import Lowering

_LEAVING: Final = frozenset({"return_statement", "throw_statement", "continue_statement", "break_statement"})
_DECLARING: Final = frozenset(
    {"lexical_declaration", "class_declaration", "abstract_class_declaration", "function_declaration",
     "generator_function_declaration", "enum_declaration", "interface_declaration", "type_alias_declaration"}
)  # fmt: skip
MAX_DEPTH: Final = 32
# What may be an object of the repository that says how it is iterated.
_OPEN: Final = frozenset({int(Tag.NAME), int(Tag.MEMBER), int(Tag.CALL), int(Tag.SELF), int(Tag.AWAIT)})


class Statements:
    """Lowers captured nodes; ``handlers`` maps capture names to methods."""

    def __init__(self, lowering: Lowering) -> None:
        self.low = lowering
        self.expr = Expressions(lowering)
        self.assignments = Assignments(self.expr)
        self.exports = Exports(self.expr, self.assignments)
        self.sites = Sites(self.expr, self.assignments)
        self._holding: dict[int, list[Test]] = {}  # what holds in a branch, by its syntax node id
        self._bodies: set[int] = set()  # blocks that are bodies of functions
        bind_typedefs(lowering)
        self.handlers: dict[str, Callable[[Node], None]] = {
            "function.declared": self._declared_function,
            "function": self._function,
            "function.signature": self.expr.functions.signature_only,
            "class": self.expr.classes.declare,
            "class.body": self.expr.classes.body,
            "class.static": self.expr.classes.static_block,
            "field": self.expr.classes.field,
            "object": self._object,
            "interface": self.expr.classes.interface,
            "type": self.expr.classes.alias,
            "enumeration": self.expr.classes.enumeration,
            "namespace": self.expr.classes.namespace,
            "block": self._block,
            "branch": self._branch,
            "switch": self._switch,
            "case": self._branch,
            "catch": self._catch,
            "if": self._if,
            "for": self._for,
            "for.in": self._for_in,
            "while": self._while,
            "instance.test": self._instance_test,
            "import": self.exports.imported,
            "import.alias": self.exports.alias,
            "export": self.exports.exported,
            "variable": self.assignments.variable,
            "assignment": self._assignment,
            "call": self.sites.call,
            "new": self.sites.new,
            "member": self.sites.member,
            "element": self.sites.element,
            "decorator": self.expr.classes.decorator,
            "return": self._return,
            "yield": self._yield,
        }

    def release(self) -> None:
        """Break the circles of bound methods: workers run without a collector."""
        for part in (*self.expr.parts(), self.sites.blocks, self.assignments, self.exports, self.sites):
            vars(part).clear()
        self.handlers.clear()
        self.low.regions.clear()

    # -- functions

    def _declared_function(self, node: Node) -> None:
        self._mark_body(node)
        self.expr.functions.declare(node)

    def _function(self, node: Node) -> None:
        self._mark_body(node)
        self.expr.functions.enter(node)

    def _mark_body(self, node: Node) -> None:
        body = node.child_by_field_name("body")
        if body is not None:
            self._bodies.add(body.id)

    def _object(self, node: Node) -> None:
        parent = node.parent
        # On the left of an assignment it is a pattern.
        is_target = parent is not None and parent.type in {"assignment_expression", "for_in_statement"}
        if parent is None or not is_target or parent.child_by_field_name("left") != node:
            self.expr.lower(node)

    # -- regions

    def _block(self, node: Node) -> None:
        if node.id in self._bodies:
            self._bodies.discard(node.id)
        elif self.low.pending_regions.pop(node.id, ("", 0))[0] != "plain":
            self._branch(node)

    def _branch(self, node: Node, *, is_loop: bool = False) -> None:
        """A part that may not run; a scope of its own where it declares names."""
        if any(child.type in _DECLARING for child in node.named_children):
            self.low.open_scope(ScopeKind.INLINE, -1, node.end_byte)
        else:
            self.low.open_block(node.end_byte, is_loop=is_loop)
        bind_tests(self.low, self._holding.pop(node.id, []))

    def _switch(self, node: Node) -> None:
        cases = [child for case in node.named_children for child in case.named_children]
        if any(child.type in _DECLARING for child in cases):
            self.low.open_scope(ScopeKind.INLINE, -1, node.end_byte)

    def _catch(self, node: Node) -> None:
        parameter = node.child_by_field_name("parameter")
        if parameter is not None:
            self.low.open_scope(ScopeKind.INLINE, -1, node.end_byte)
            bind_pattern(self.expr, parameter, UNKNOWN)

    def _instance_test(self, node: Node) -> None:
        """``x instanceof C && ...`` and ``x instanceof C ? ... : ...``: what follows stands where the test holds."""
        inner = node.parent
        outer = inner.parent if inner is not None else None
        while outer is not None and outer.type == "parenthesized_expression":
            inner, outer = outer, outer.parent
        operand = None
        if outer is not None and outer.type == "binary_expression" and outer.child_by_field_name("left") == inner:
            operand = outer.child_by_field_name("right")
        elif outer is not None and outer.type == "ternary_expression":
            operand = outer.child_by_field_name("consequence")
        if outer is None or operand is None or operand.start_byte < node.start_byte:
            return
        self.expr.lower(outer)
        region = self.low.pending_regions.pop(operand.id, None)
        if region is not None:
            self.low.reopen_scope(region[1], operand.end_byte)

    # -- conditions and loops

    def _if(self, node: Node) -> None:
        condition = node.child_by_field_name("condition")
        first, second = node.child_by_field_name("consequence"), node.child_by_field_name("alternative")
        holds = tests_of(condition, self.expr, truth=True)
        failed = tests_of(condition, self.expr, truth=False)
        if first is not None and holds:
            self._holding[first.id] = holds
        if second is not None and failed:
            self._holding[second.id] = failed
        elif failed and first is not None and _leaves(first):
            self.low.after(node.end_byte, lambda: bind_tests(self.low, failed))

    def _for(self, node: Node) -> None:
        start = node.child_by_field_name("initializer")
        if start is not None and start.type == "lexical_declaration":
            self.low.open_scope(ScopeKind.INLINE, -1, node.end_byte)
        self.low.open_block(node.end_byte, is_loop=True)

    def _while(self, node: Node) -> None:
        self.low.open_block(node.end_byte, is_loop=True)

    def _for_in(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        kind, operator = node.child_by_field_name("kind"), node.child_by_field_name("operator")
        sequence = self.expr.lower(right)
        is_of = operator is not None and operator.type == "of"
        value = self.low.intern((int(Tag.ITERATE), sequence)) if is_of else self.expr.literal("str")
        if is_of and self.low.facts.expressions[sequence][0] in _OPEN:
            self.low.site(line_of(node), value, Via.ITERATION)
        word = kind.type if kind is not None else ""
        if word in {"let", "const"}:
            self.low.open_scope(ScopeKind.INLINE, -1, node.end_byte)
        scope = self.low.function_scope() if word == "var" else None
        bind_pattern(self.expr, left, value, scope, declares=bool(word))
        self.low.open_block(node.end_byte, is_loop=True)

    # -- values

    def _assignment(self, node: Node) -> None:
        target = node.child_by_field_name("left")
        if target is None:
            return
        self._mark_stored(target)
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type in {"||=", "??=", "&&="}:
            self.assignments.assignment(node)

    def _mark_stored(self, target: Node, depth: int = 0) -> None:
        if target.type == "member_expression":
            self.sites.stored.add(target.id)
        elif target.type != "identifier" and depth < MAX_DEPTH:
            for child in target.named_children:
                self._mark_stored(child, depth + 1)

    def _return(self, node: Node) -> None:
        owner = self.low.owner()
        if owner is not None and node.named_child_count:
            owner.results.append(self._here(self.expr.lower(node.named_children[0])))

    def _yield(self, node: Node) -> None:
        owner = self.low.owner()
        if owner is None:
            return
        value = self.expr.lower(node.named_children[0]) if node.named_child_count else UNKNOWN
        if any(child.type == "*" for child in node.children):
            value = self.low.intern((int(Tag.ITERATE), value))
        owner.yields.append(self._here(value))

    def _here(self, value: int) -> int:
        """A value that is evaluated in the body of the function, though it stands in a block with names of its own."""
        is_receiver = self.low.facts.expressions[value][0] == Tag.SELF
        if is_receiver or self.low.scope == self.low.function_scope():
            return value
        return self.low.intern((int(Tag.WITHIN), self.low.scope, value))


def _leaves(body: Node) -> bool:
    """Whether a branch ends by leaving what is around it."""
    last = body.named_children[-1] if body.type == "statement_block" and body.named_child_count else body
    return last.type in _LEAVING
