"""Calls as expressions: imports by call, ``new``, ``f.call``, promises, objects made after others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import Tag
from code_review_graph.languages.javascript.syntax import UNKNOWN, callee_of, property_name, string_content, text_of

if TYPE_CHECKING:
    from code_review_graph.languages.javascript.expressions import Expressions

_MAPS: Final = frozenset({"Map", "WeakMap"})
_LISTS: Final = frozenset({"Array", "Set", "WeakSet"})
# Methods of promises; the function that they take gets the promised value.
THEN: Final = frozenset({"then"})
SETTLING: Final = frozenset({"catch", "finally"})

Arguments = tuple[tuple[int, ...], bool]


class Invocations:
    """Lowers calls."""

    def __init__(self, expressions: Expressions) -> None:
        self.expr = expressions
        self.low = expressions.low

    def arguments(self, node: Node | None) -> Arguments:
        """Arguments of a call, and whether a spread hides how many."""
        found: list[int] = []
        has_star = False
        if node is None:
            return (), False
        if node.type == "template_string":
            parts = [child for child in node.named_children if child.type == "template_substitution"]
            inner = [self.expr.lower(child.named_children[0]) for child in parts if child.named_child_count]
            return (UNKNOWN, *inner), False
        for child in node.named_children:
            if child.type == "spread_element":
                has_star = True
            elif child.type == "object":
                found.append(self.expr.objects.argument(child))
            elif child.type != "comment":
                found.append(self.expr.lower(child))
        return tuple(found), has_star

    # -- calls

    def call(self, node: Node) -> int:
        """``f(...)``."""
        function, listed = callee_of(node), node.child_by_field_name("arguments")
        if function is None:
            return UNKNOWN
        kind = function.type
        if kind == "import" or (kind == "identifier" and function.text == b"require"):
            module = self.required(node)
            if module:
                member = "" if kind == "import" else "="
                return self.low.intern((int(Tag.IMPORTED), module, 0, member))
        if kind == "member_expression":
            special = self._of_member(node, function, listed)
            if special >= 0:
                return special
        positional, has_star = self.arguments(listed)
        callee = self.expr.lower(function)
        if kind == "super":
            callee = self.expr.classes.extended() or self.expr.member(callee, "constructor")
        return self._make(callee, positional, has_star=has_star, typed=node.child_by_field_name("type_arguments"))

    def _make(
        self, callee: int, positional: tuple[int, ...], *, has_star: bool = False, typed: Node | None = None
    ) -> int:
        """A call; written type arguments go along as keywords that no parameter has."""
        listed = typed.named_children if typed is not None else ()
        written = tuple((f"[{place}]", self.expr.annotations.lower(item)) for place, item in enumerate(listed))
        return self.low.intern((int(Tag.CALL), callee, positional, written, has_star))

    def required(self, node: Node | None) -> str:
        """Module that ``require("m")`` or ``import("m")`` names; "" for anything else."""
        if node is None or node.type != "call_expression":
            return ""
        function, listed = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or listed is None or function.text not in {b"require", b"import"}:
            return ""
        children = [child for child in listed.named_children if child.type != "comment"]
        return (string_content(children[0]) or "") if children else ""

    def _of_member(self, node: Node, function: Node, listed: Node | None) -> int:
        """Calls of members whose value is not that of calling the member; -1 for all others."""
        name_node = function.child_by_field_name("property")
        name = text_of(name_node) if name_node is not None else ""
        if name in {"call", "apply"}:
            positional, has_star = self.arguments(listed)
            callee = self.expr.member(self.expr.field(function, "object"), name)
            rest = positional[1:] if name == "call" else ()
            return self._make(callee, rest, has_star=has_star or name == "apply")
        if name in THEN | SETTLING:
            return self._promised(function, name, listed)
        if function.text == b"Object.create":
            return self.created(node) or -1
        return self._assigned(listed) if function.text == b"Object.assign" else -1

    def _promised(self, function: Node, name: str, listed: Node | None) -> int:
        """``p.then(f)`` gives what f gives; ``p.catch(f)`` mostly what p gives."""
        positional, _ = self.arguments(listed)
        before = self.expr.field(function, "object")
        if name == "finally" or not positional:
            return before
        if name == "catch":
            return self.expr.either(before, self._make(positional[0], ()))
        value = self.low.intern((int(Tag.AWAIT), before))
        results = [self._make(positional[0], (value,)), *[self._make(item, ()) for item in positional[1:2]]]
        return self.expr.either(*results)

    # -- new

    def construct(self, node: Node) -> int:
        """``new C(...)``, by its type arguments where C is a container of the language."""
        made = node.child_by_field_name("constructor")
        typed = node.child_by_field_name("type_arguments")
        if made is not None and typed is not None and made.type == "identifier":
            arguments = [self.expr.annotations.lower(item) for item in typed.named_children]
            name = text_of(made)
            if name in _MAPS and len(arguments) == 2 and not self.expr.is_bound(name):
                return self.low.intern((int(Tag.INSTANCE), self.expr.annotations.map_of(*arguments)))
            if name in _LISTS and arguments and not self.expr.is_bound(name):
                outside = self.expr.annotations.outside("builtins.list", arguments[0])
                return self.low.intern((int(Tag.INSTANCE), outside))
        return self.constructed(node)

    def constructed(self, node: Node) -> int:
        """``new C(...)`` as a call."""
        positional, has_star = self.arguments(node.child_by_field_name("arguments"))
        callee = self.low.intern((int(Tag.CONSTRUCT), self.expr.field(node, "constructor")))
        return self._make(callee, positional, has_star=has_star, typed=node.child_by_field_name("type_arguments"))

    # -- objects made after others

    def created(self, node: Node) -> int:
        """``Object.create(proto)`` as an object of its own; 0 for any other call."""
        listed = node.child_by_field_name("arguments")
        if not self._calls(node, b"Object.create") or listed is None or not listed.named_child_count:
            return 0
        first = listed.named_children[0]
        found = self.expr.objects.blank(node)
        if first.type != "null":
            self.low.extend(found, self.expr.lower(first))
        return found

    def prototype_of(self, node: Node) -> int:
        """The prototype that ``Object.create(proto)`` names; 0 for any other call."""
        listed = node.child_by_field_name("arguments")
        if not self._calls(node, b"Object.create") or listed is None or not listed.named_child_count:
            return 0
        return self.expr.lower(listed.named_children[0])

    @staticmethod
    def _calls(node: Node, name: bytes) -> bool:
        function = node.child_by_field_name("function")
        return function is not None and function.text == name

    def _assigned(self, listed: Node | None) -> int:
        """``Object.assign(target, ...)`` gives the target."""
        children = [child for child in listed.named_children if child.type != "comment"] if listed is not None else []
        if not children:
            return -1
        target = children[0]
        if target.type == "object" and not target.named_child_count:
            return self.expr.objects.blank(target)
        return self.expr.lower(target)

    def name_of(self, function: Node) -> str:
        """Last name of a callee."""
        if function.type == "member_expression":
            return property_name(function.child_by_field_name("property"))
        return text_of(function) if function.type == "identifier" else ""
