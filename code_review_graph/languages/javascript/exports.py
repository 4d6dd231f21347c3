"""Import and export statements. Exports are bindings of the file's own scope whose names start with ``export``."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from code_review_graph.facts import BindingKind
from code_review_graph.languages.javascript.assignments import Assignments
from code_review_graph.languages.javascript.expressions import Expressions
from code_review_graph.languages.javascript.patterns import bind_in
from code_review_graph.languages.javascript.syntax import bare_value, line_of, property_name, string_content, text_of

_FUNCTIONS: Final = frozenset(
    {"function_expression", "generator_function", "arrow_function", "function_declaration",
     "generator_function_declaration"}
)  # fmt: skip
_CLASSES: Final = frozenset({"class", "class_declaration", "abstract_class_declaration"})


class Exports:
    """Handlers of import and export statements."""

    def __init__(self, expressions: Expressions, assignments: Assignments) -> None:
        self.expr = expressions
        self.low = expressions.low
        self.assignments = assignments

    # -- what a file takes

    def imported(self, node: Node) -> None:
        """An import statement."""
        line = line_of(node)
        for child in node.named_children:
            if child.type == "import_require_clause":
                self._required(child, line)
        module = string_content(node.child_by_field_name("source"))
        if not module:
            return
        clause = next((child for child in node.named_children if child.type == "import_clause"), None)
        if clause is None:
            self.low.add_import(line, module, 0, "")
        for child in clause.named_children if clause is not None else ():
            if child.type == "identifier":
                self._bind(child, module, "default", line)
            elif child.type == "namespace_import" and child.named_child_count:
                self._bind(child.named_children[0], module, "", line)
            elif child.type == "named_imports":
                self._named(child, module)

    def _required(self, node: Node, line: int) -> None:
        """``import x = require("m")``."""
        module = string_content(node.child_by_field_name("source"))
        if module and node.named_child_count:
            self._bind(node.named_children[0], module, "=", line)

    def _named(self, node: Node, module: str) -> None:
        for child in node.named_children:
            if child.type != "import_specifier":
                continue
            name = child.child_by_field_name("name")
            alias = child.child_by_field_name("alias") or name
            member = _name(name) if name is not None else "default"
            if alias is not None and member:
                self._bind(alias, module, member, line_of(child))

    def _bind(self, alias: Node, module: str, member: str, line: int) -> None:
        self.low.bind(text_of(alias), BindingKind.IMPORT, (module, 0, member))
        self.low.add_import(line, module, 0, member)

    def alias(self, node: Node) -> None:
        """``import A = N.M``."""
        children = node.named_children
        if len(children) == 2:
            self.low.bind(text_of(children[0]), BindingKind.VALUE, self.expr.lower(children[1]))

    # -- exports

    def exported(self, node: Node) -> None:
        """An export statement."""
        if self.low.function_scope() != 0:
            return  # inside a namespace every name is a member already
        module = string_content(node.child_by_field_name("source"))
        if module:
            self._from(node, module)
            return
        declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
        is_default = any(child.type == "default" for child in node.children)
        clause = next((child for child in node.named_children if child.type == "export_clause"), None)
        if clause is not None:
            for specifier in clause.named_children:
                self._specifier(specifier)
        elif is_default:
            self._default(node, declaration or value)
        elif declaration is not None:
            for name in _declared_names(declaration):
                self._export(name, self.expr.any_binding(name))
        elif node.named_child_count and any(child.type == "=" for child in node.children):
            self._export("=", self.expr.lower(node.named_children[-1]))

    def _export(self, name: str, value: int, kind: BindingKind = BindingKind.VALUE) -> None:
        bind_in(self.low, f"export {name}", kind, value, 0)
        self._list(name)

    def _list(self, name: str) -> None:
        """Note that the file exports by statements."""
        if name != "=":
            self.low.facts.exports = [*(self.low.facts.exports or []), name]

    def _specifier(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        alias = node.child_by_field_name("alias") or name
        if name is not None and alias is not None:
            self._export(_name(alias), self.expr.any_binding(text_of(name)))

    def _default(self, node: Node, given: Node | None) -> None:
        inner = bare_value(given)
        if inner is None:
            return
        name = (
            inner.child_by_field_name("name")
            if inner.type in _FUNCTIONS | _CLASSES | {"interface_declaration"}
            else None
        )
        if name is not None and inner.type.endswith("declaration"):
            self._export("default", self.expr.any_binding(text_of(name)))
        elif inner.type in _FUNCTIONS:
            own = "default" if name is None else text_of(name)
            index = self.expr.functions.define(inner, own, at=name or inner, statement=node)
            self._export("default", index, BindingKind.DEFINITION)
        elif inner.type in _CLASSES:
            own = "default" if name is None else text_of(name)
            index = self.expr.classes.define(inner, own, name or inner, node)
            self._export("default", index, BindingKind.DEFINITION)
        else:
            value = self.assignments.object_value(inner, "default", inner, node) or self.expr.lower(given)
            self._export("default", value)

    def _from(self, node: Node, module: str) -> None:
        """``export ... from "m"``."""
        for child in node.named_children:
            if child.type == "namespace_export" and child.named_child_count:
                self._reexport(_name(child.named_children[-1]), module, "", child)
            elif child.type == "export_clause":
                for specifier in child.named_children:
                    name = specifier.child_by_field_name("name")
                    alias = specifier.child_by_field_name("alias") or name
                    if name is not None and alias is not None:
                        self._reexport(_name(alias), module, _name(name), specifier)
        if any(child.type == "*" for child in node.children):
            bind_in(self.low, "export *", BindingKind.IMPORT, (module, 0, "*"), 0)
            self._list("*")
            self.low.add_import(line_of(node), module, 0, "*")

    def _reexport(self, name: str, module: str, member: str, node: Node) -> None:
        bind_in(self.low, f"export {name}", BindingKind.IMPORT, (module, 0, member), 0)
        self._list(name)
        self.low.add_import(line_of(node), module, 0, member)


def _name(node: Node) -> str:
    return property_name(node)


def _declared_names(node: Node) -> list[str]:
    """Names that an exported declaration binds."""
    if node.type in {"lexical_declaration", "variable_declaration"}:
        found: list[str] = []
        for child in node.named_children:
            target = child.child_by_field_name("name")
            if target is not None:
                found += [text_of(target)] if target.type == "identifier" else _pattern_names(target)
        return found
    name = node.child_by_field_name("name")
    if name is None and node.named_child_count and node.type in {"ambient_declaration", "expression_statement"}:
        return _declared_names(node.named_children[-1])
    return [text_of(name).split(".", 1)[0]] if name is not None else []


def _pattern_names(node: Node, depth: int = 0) -> list[str]:
    if node.type in {"identifier", "shorthand_property_identifier_pattern"}:
        return [text_of(node)]
    if depth > 16:
        return []
    target = node.child_by_field_name("value") if node.type == "pair_pattern" else None
    target = node.child_by_field_name("left") if node.type.endswith("assignment_pattern") else target
    children = [target] if target is not None else node.named_children
    return [name for child in children for name in _pattern_names(child, depth + 1)]
