"""Objects with members of their own: literals, what ``Object.create`` makes, the properties of an element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import (
    NO_EXPRESSION,
    BindingKind,
    Definition,
    DefinitionKind,
    ScopeKind,
    Tag,
)
from code_review_graph.languages.javascript.syntax import (
    bare_value,
    docstring_before,
    line_of,
    property_name,
    signature,
    text_of,
)

if TYPE_CHECKING:
    from code_review_graph.languages.javascript.expressions import Expressions

# Longer literals are data.
MAX_MEMBERS: Final = 512
# Shorter data under a name is worth a definition, because members may be put on it.
MAX_DATA: Final = 32
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function"})
# Property values that lead nowhere.
_PLAIN: Final = frozenset({"string", "number", "true", "false", "null", "undefined", "regex", "template_string",
                           "unary_expression", "comment"})  # fmt: skip


class Objects:
    """Lowers objects; each that leads anywhere is a definition of its own."""

    def __init__(self, expressions: Expressions) -> None:
        self.expr = expressions
        self.low = expressions.low
        self.known: dict[int, int] = {}  # syntax node id -> expression
        self._folds = False  # whether functions without a name of their own belong to the code around

    def lower(self, node: Node) -> int:
        """An object literal as an expression."""
        return self.define(node)

    def argument(self, node: Node) -> int:
        """An object that a function writes as an argument: its functions are callbacks under another name."""
        before = self._folds
        self._folds = self.low.facts.scopes[self.low.function_scope()].kind == ScopeKind.FUNCTION
        found = self.define(node)
        self._folds = before
        return found

    def define(self, node: Node, name: str = "", at: Node | None = None, statement: Node | None = None) -> int:
        """Expression of an object literal, named by what it is bound to."""
        known = self.known.get(node.id)
        if known is not None:
            return known
        members = [child for child in node.named_children[:MAX_MEMBERS] if child.type != "comment"]
        if not any(_leads_somewhere(child) for child in members):
            is_small = at is not None and len(members) <= MAX_DATA
            self.known[node.id] = found = (
                self.blank(node, name, at, statement) if is_small else self._plain(is_empty=not members)
            )
            return found
        index = self._add(node, name if _has_functions(members) and not self._folds else "", at, statement)
        found = self.known[node.id] = self.low.intern((int(Tag.OBJECT), index))
        values = [(child, self._value(child)) for child in members]
        outer = self.low.scope
        self.low.enter_body(index, ScopeKind.CLASS, node.end_byte)
        for child, value in values:
            self._bind(child, value, outer)
        self.low.close_region()
        for child in members:
            if child.type == "spread_element" and child.named_child_count:
                self.low.extend(found, self.expr.lower(child.named_children[0]))
        return found

    def _plain(self, *, is_empty: bool) -> int:
        """Data; what is empty may be filled under keys that are not known."""
        return self.low.intern((int(Tag.MAPPING), ())) if is_empty else self.expr.literal("object")

    def blank(self, node: Node, name: str = "", at: Node | None = None, statement: Node | None = None) -> int:
        """An object without members so far."""
        known = self.known.get(node.id)
        if known is None:
            index = self._add(node, "", at, statement)
            del name
            self.low.enter_body(index, ScopeKind.CLASS, node.end_byte)
            self.low.close_region()
            known = self.known[node.id] = self.low.intern((int(Tag.OBJECT), index))
        return known

    def _add(self, node: Node, name: str, at: Node | None, statement: Node | None) -> int:
        start = (statement or node).start_byte
        definition = Definition(
            int(DefinitionKind.OBJECT), name, self.low.scope, -1, line_of(at or node), node.end_point[0] + 1, 0,
            signature(self.low.source, start, node.start_byte) if name else "",
            docstring_before(self.low.source, start) if name else "",
            NO_EXPRESSION, (), (), NO_EXPRESSION, (), (), (), "",
        )  # fmt: skip
        return self.low.define(definition, (node.start_byte, node.end_byte))

    def _value(self, node: Node) -> int:
        """Value of a property, as the code around the object sees it."""
        if node.type == "shorthand_property_identifier":
            return self.expr.lower(node)
        if node.type != "pair":
            return 0
        inner = bare_value(node.child_by_field_name("value"))
        if inner is None or inner.type in _FUNCTIONS:
            return 0
        key = node.child_by_field_name("key")
        if inner.type == "object":
            name = property_name(key)
            return self.define(inner, name, key) if name else self.define(inner)
        return self.expr.field(node, "value")

    def _bind(self, node: Node, value: int, outer: int) -> None:
        """Bind one member in the object's scope; its value belongs to the scope around."""
        kind = node.type
        if kind == "method_definition":
            name_node = node.child_by_field_name("name")
            name = property_name(name_node)
            if name:
                index = self._function(node, name, name_node, node)
                self.low.bind(name, BindingKind.DEFINITION, index)
        elif kind == "pair":
            key = node.child_by_field_name("key")
            name = property_name(key)
            inner = bare_value(node.child_by_field_name("value"))
            if not name:
                return
            if inner is not None and inner.type in _FUNCTIONS:
                self.low.bind(name, BindingKind.DEFINITION, self._function(inner, name, key, node))
            elif inner is not None and inner.type == "object" and self._adopt(value):
                self.low.bind(name, BindingKind.DEFINITION, self.low.facts.expressions[value][1])
            elif value > 0:
                self.low.bind(name, BindingKind.VALUE, self._outside(value, outer))
        elif kind == "shorthand_property_identifier":
            self.low.bind(text_of(node), BindingKind.VALUE, self._outside(value, outer))

    def _function(self, node: Node, name: str, at: Node | None, statement: Node) -> int:
        if self._folds:
            return self.expr.functions.define(node)
        return self.expr.functions.define(node, name, at=at, statement=statement)

    def _adopt(self, value: int) -> bool:
        """Make an object inside an object its member; whether the value is one."""
        shape = self.low.facts.expressions[value]
        if shape[0] != Tag.OBJECT:
            return False
        draft = self.low.drafts[shape[1]]
        draft.fields = draft.fields._replace(scope=self.low.scope)
        return True

    def _outside(self, value: int, outer: int) -> int:
        return self.low.intern((int(Tag.WITHIN), outer, value))

    # -- objects made otherwise

    def properties(self, node: Node, attributes: list[Node]) -> int:
        """The object that an element's attributes make; ``UNKNOWN`` where they are plain data."""
        known = self.known.get(node.id)
        if known is not None:
            return known
        values: list[tuple[str, int]] = []
        for attribute in attributes:
            children = attribute.named_children
            if attribute.type != "jsx_attribute" or len(children) != 2 or children[1].type != "jsx_expression":
                continue
            value = self.expr.lower(children[1])
            if value > 0:
                values.append((text_of(children[0]), value))
        if not values:
            return 0
        index = self._add(node, "", None, None)
        found = self.known[node.id] = self.low.intern((int(Tag.OBJECT), index))
        outer = self.low.scope
        self.low.enter_body(index, ScopeKind.CLASS, node.end_byte)
        for name, value in values:
            self.low.bind(name, BindingKind.VALUE, self._outside(value, outer))
        self.low.close_region()
        return found


def _leads_somewhere(node: Node) -> bool:
    """Whether a member of a literal is more than data."""
    if node.type != "pair":
        return True
    value = node.child_by_field_name("value")
    if value is None or value.type in _PLAIN:
        return False
    if value.type in {"object", "array"}:
        return any(_leads_somewhere_inside(child) for child in value.named_children[:MAX_MEMBERS])
    return True


def _leads_somewhere_inside(node: Node, depth: int = 0) -> bool:
    kind = node.type
    if kind in _PLAIN or depth > 8:
        return False
    if kind == "pair":
        value = node.child_by_field_name("value")
        return value is not None and _leads_somewhere_inside(value, depth + 1)
    if kind in {"object", "array"}:
        return any(_leads_somewhere_inside(child, depth + 1) for child in node.named_children[:MAX_MEMBERS])
    return True


def _has_functions(members: list[Node]) -> bool:
    """Whether an object has methods of its own, or objects that may have some."""
    for member in members:
        if member.type == "method_definition":
            return True
        if member.type == "pair":
            inner = bare_value(member.child_by_field_name("value"))
            if inner is not None and (inner.type in _FUNCTIONS or inner.type == "object"):
                return True
    return False
