"""Places of a JavaScript file where code may run other code."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from code_review_graph.facts import NO_EXPRESSION, BindingKind, Tag, Via
from code_review_graph.languages.javascript.assignments import Assignments
from code_review_graph.languages.javascript.blocks import Blocks
from code_review_graph.languages.javascript.expressions import Expressions
from code_review_graph.languages.javascript.invocations import SETTLING, THEN
from code_review_graph.languages.javascript.patterns import bind_in
from code_review_graph.languages.javascript.syntax import UNKNOWN, callee_of, line_of, text_of, unwrapped

# Methods that put an argument into their receiver -> position of that argument.
_PUTTERS: Final = {"push": 0, "unshift": 0, "add": 0, "set": 1, "append": 0}
# Functions that give their first argument the members of the others.
_MIXERS: Final = frozenset({"assign", "mixin", "extend", "merge", "inherits", "setPrototypeOf", "mergeDescriptors"})
# Methods of sequences that call their argument with an element; `reduce` has it second.
_FEEDING: Final = {"map": 0, "forEach": 0, "filter": 0, "find": 0, "findLast": 0, "findIndex": 0, "some": 0,
                   "every": 0, "flatMap": 0, "sort": 0, "toSorted": 0, "reduce": 1, "reduceRight": 1}  # fmt: skip
_CALLABLE: Final = frozenset({"identifier", "member_expression", "arrow_function", "function_expression",
                              "generator_function", "call_expression"})  # fmt: skip
_DEFINING: Final = frozenset({b"Object.defineProperty", b"Reflect.defineProperty"})
_MIXABLE: Final = frozenset({"identifier", "member_expression", "this"})


class Sites:
    """Records sites; ``stored`` holds syntax node ids of members that are set."""

    def __init__(self, expressions: Expressions, assignments: Assignments) -> None:
        self.low = expressions.low
        self.expr = expressions
        self.assignments = assignments
        self.blocks = Blocks(expressions)
        self.stored: set[int] = set()

    # -- calls

    def call(self, node: Node) -> None:
        """A call, a tagged template, an import by call."""
        function, listed = callee_of(node), node.child_by_field_name("arguments")
        if function is None:
            return
        self.blocks.meet(node)
        if listed is not None and function.text in _DEFINING:
            self.assignments.define_property([child for child in listed.named_children if child.type != "comment"])
        value = self.expr.lower(node)
        shape = self.low.facts.expressions[value]
        if shape[0] == Tag.IMPORTED:
            self.low.add_import(line_of(node), shape[1], 0, shape[3])
            return
        inner = unwrapped(function) or function
        name_node = inner.child_by_field_name("property") if inner.type == "member_expression" else None
        line = line_of(function if name_node is None else name_node)
        name = "" if name_node is None else text_of(name_node)
        if name in THEN | SETTLING or inner.text in {b"Object.create", b"Object.assign"}:
            value = self._as_written(function, listed)
            shape = self.low.facts.expressions[value]
        if shape[0] == Tag.CALL:
            self.low.site(line, value)
        self._idioms(function, name, listed, line)

    def _as_written(self, function: Node, listed: Node | None) -> int:
        positional, has_star = self.expr.invocations.arguments(listed)
        return self.low.intern((int(Tag.CALL), self.expr.lower(function), positional, (), has_star))

    def _idioms(self, function: Node, name: str, listed: Node | None, line: int) -> None:
        """What some calls do besides running their callee."""
        children = [c for c in listed.named_children if c.type != "comment"] if listed is not None else []
        if not children:
            return
        called = name or (text_of(function) if function.type == "identifier" else "")
        if called in _MIXERS and len(children) > 1:
            self._mix(children)
        elif called in {"__exportStar", "__export"}:
            self._export_all(children[0])
        elif name:
            self._member_idioms(function, name, children, line)

    def _member_idioms(self, function: Node, name: str, children: list[Node], line: int) -> None:
        owner = self.expr.field(function, "object")
        if name in THEN | SETTLING:
            value = self.low.intern((int(Tag.AWAIT), owner)) if name in THEN else UNKNOWN
            self._callback(children[0], (value,) if name != "finally" else (), line)
            if name in THEN and len(children) > 1:
                self._callback(children[1], (), line)
        elif name in _FEEDING and children[0].type in _CALLABLE:
            element = self.low.intern((int(Tag.ITERATE), owner))
            before = self.expr.lower(children[1]) if _FEEDING[name] and len(children) > 1 else UNKNOWN
            is_pair = name in {"sort", "toSorted"}
            self._callback(
                children[0], (before, element) if _FEEDING[name] else (element,) * (2 if is_pair else 1), line
            )
        elif name in _PUTTERS and len(children) > _PUTTERS[name]:
            value = self.expr.lower(children[_PUTTERS[name]])
            key = self.expr.lower(children[0]) if name == "set" else NO_EXPRESSION
            if value > 0:
                self.low.write_item(owner, key, value)

    def _callback(self, node: Node, values: tuple[int, ...], line: int) -> None:
        """A function that the callee runs at once, or when a promise settles."""
        if node.type in _CALLABLE:
            call = (int(Tag.CALL), self.expr.lower(node), values, (), False)
            self.low.site(line, self.low.intern(call), Via.CALLBACK)

    def _mix(self, children: list[Node]) -> None:
        is_blank = children[0].type == "object" and not children[0].named_child_count
        if not is_blank and children[0].type not in _MIXABLE:
            return
        target = self.assignments.owner(children[0])
        for child in children[1:]:
            if child.type in {*_MIXABLE, "object", "call_expression"}:
                self.low.extend(target, self.assignments.mixed_in(child))

    def _export_all(self, node: Node) -> None:
        module = self.expr.invocations.required(node)
        if module:
            bind_in(self.low, "export *", BindingKind.IMPORT, (module, 0, "*"), 0)

    def new(self, node: Node) -> None:
        """``new C(...)``."""
        made = node.child_by_field_name("constructor")
        if made is None:
            return
        self.expr.lower(node)
        inner = unwrapped(made) or made
        name = inner.child_by_field_name("property") if inner.type == "member_expression" else None
        self.low.site(line_of(made if name is None else name), self.expr.invocations.constructed(node))

    # -- members and elements

    def member(self, node: Node) -> None:
        """A member, read or set; a called one is read first."""
        via = Via.SETTER if node.id in self.stored else Via.PROPERTY
        expression = self.expr.lower(node)
        if self.low.facts.expressions[expression][0] == Tag.MEMBER:
            self.low.load(line_of(node), expression, via)

    def element(self, node: Node) -> None:
        """``<Component a={b} />`` calls the component; ``<div onClick={f}>`` hands f over."""
        name = node.child_by_field_name("name")
        properties = self.expr.objects.properties(node, node.children_by_field_name("attribute"))
        if name is None:
            return
        is_component = name.type == "member_expression" or not text_of(name)[:1].islower()
        callee = self.expr.lower(name) if is_component and name.type != "jsx_namespace_name" else UNKNOWN
        if callee:
            call = (int(Tag.CALL), callee, (properties,) if properties else (), (), not properties)
            self.low.site(line_of(name), self.low.intern(call))
        handed = self._handed_over(node)
        if handed:
            self.low.site(line_of(name), self.low.intern((int(Tag.CALL), UNKNOWN, handed, (), False)))

    def _handed_over(self, node: Node) -> tuple[int, ...]:
        """Names in the attributes of an element."""
        found: list[int] = []
        for attribute in node.children_by_field_name("attribute"):
            children = attribute.named_children
            if attribute.type == "jsx_attribute" and len(children) == 2 and children[1].named_child_count:
                inner = children[1].named_children[0]
                if inner.type in {"identifier", "member_expression"}:
                    found.append(self.expr.lower(inner))
        return tuple(found)
