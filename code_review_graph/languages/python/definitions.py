"""Python classes, functions and constants: what they declare, and under which decorators."""

from __future__ import annotations

import inspect
from typing import Final

from tree_sitter import Node

from code_review_graph.facts import (
    NO_EXPRESSION,
    BindingKind,
    Definition,
    DefinitionFlag,
    DefinitionKind,
    ScopeKind,
    Tag,
    Via,
)
from code_review_graph.languages.python import fields, kinds
from code_review_graph.languages.python.expressions import Expressions
from code_review_graph.languages.python.parameters import parameters_of
from code_review_graph.languages.python.syntax import is_async, string_content, text_of
from code_review_graph.lowering import Lowering

MAX_DOCSTRING: Final = 2000
MAX_SIGNATURE: Final = 400

# Decorators whose effect is a flag; the decorated name still means the function itself.
_FLAGS: Final = {
    "staticmethod": DefinitionFlag.STATIC,
    "classmethod": DefinitionFlag.CLASS_METHOD,
    "overload": DefinitionFlag.OVERLOAD,
    "abstractmethod": DefinitionFlag.ABSTRACT,
    "contextmanager": DefinitionFlag.CONTEXT_MANAGER,
    "asynccontextmanager": DefinitionFlag.CONTEXT_MANAGER,
    "fixture": DefinitionFlag.FIXTURE,
    "setter": DefinitionFlag.SETTER,
    "deleter": DefinitionFlag.SETTER,
    "getter": DefinitionFlag.PROPERTY,
    "override": DefinitionFlag.NONE,
    "final": DefinitionFlag.NONE,
}
# Of these, the ones that call nothing of the repository.
_SILENT: Final = frozenset(
    {
        "staticmethod",
        "classmethod",
        "overload",
        "abstractmethod",
        "override",
        "final",
        "property",
        "setter",
        "deleter",
        "getter",
    }
)


class Definitions:
    """Lowers definitions; bodies are entered later, when the walk reaches them."""

    def __init__(self, lowering: Lowering, expressions: Expressions) -> None:
        self.low = lowering
        self.expr = expressions
        self.own_parameters: dict[int, list[tuple[str, int]]] = {}  # by the class's suite
        self._decorators: dict[int, list[Node]] = {}

    def decorated(self, node: Node) -> None:
        """Remember the decorators of the definition that follows."""
        inner = node.child_by_field_id(fields.DEFINITION)
        if inner is not None:
            self._decorators[inner.id] = [child for child in node.named_children if child.kind_id == kinds.DECORATOR]

    def lower_function(self, node: Node) -> None:
        """A ``def``."""
        name, body = node.child_by_field_id(fields.NAME), node.child_by_field_id(fields.BODY)
        if name is None or body is None:
            return
        decorators = self._decorators.pop(node.id, [])
        lowered = [self.expr.lower(_decorator_expression(item)) for item in decorators]
        self._type_parameters(node)
        flags, alias = self._flags(decorators)
        if is_async(node):
            flags |= DefinitionFlag.ASYNC
        definition = Definition(
            int(DefinitionKind.FUNCTION), self.expr.text(name), self.low.scope, -1, name.start_point[0] + 1,
            node.end_point[0] + 1, int(flags), self._signature(node, body), docstring_of(body), NO_EXPRESSION,
            tuple(lowered), parameters_of(self.expr, node.child_by_field_id(fields.PARAMETERS)),
            self.expr.annotation(node.child_by_field_id(fields.RETURN_TYPE)), (), (), (), "", alias,
            _used_fixtures(decorators),
        )  # fmt: skip
        self._add(definition, node, body, "function", decorators)

    def lower_class(self, node: Node) -> None:
        """A ``class``."""
        name, body = node.child_by_field_id(fields.NAME), node.child_by_field_id(fields.BODY)
        if name is None or body is None:
            return
        decorators = self._decorators.pop(node.id, [])
        lowered = [self.expr.lower(_decorator_expression(item)) for item in decorators]
        self.own_parameters[body.id] = self._type_parameters(node)
        bases, _, _ = self.expr.arguments(node.child_by_field_id(fields.SUPERCLASSES))
        definition = Definition(
            int(DefinitionKind.CLASS), self.expr.text(name), self.low.scope, -1, name.start_point[0] + 1,
            node.end_point[0] + 1, 0, self._signature(node, body), docstring_of(body), NO_EXPRESSION, tuple(lowered),
            (), NO_EXPRESSION, bases, (), (), "", "", _used_fixtures(decorators),
        )  # fmt: skip
        self._add(definition, node, body, "class", decorators)

    def _type_parameters(self, node: Node) -> list[tuple[str, int]]:
        """Bind what ``def f[T]`` and ``class C[T]`` declare, for the annotations that follow."""
        declared: list[tuple[str, int]] = []
        parameters = node.child_by_field_id(fields.TYPE_PARAMETERS)
        if parameters is None:
            return declared
        for item in parameters.named_children:
            inner = item.named_child(0) if item.named_child_count else None
            bound = 0
            if inner is not None and inner.type == "constrained_type" and inner.named_child_count == 2:
                bound = self.expr.lower(inner.named_children[1])
                inner = inner.named_children[0]
                inner = inner.named_child(0) if inner.type == "type" and inner.named_child_count else inner
            if inner is not None and inner.type == "identifier":
                name = self.expr.text(inner)
                value = self.low.intern((Tag.TYPE_PARAMETER, name, inner.start_byte, bound))
                declared.append((name, value))
                self.low.bind(name, BindingKind.VALUE, value)
        return declared

    def constant(self, node: Node, target: Node, right: Node | None) -> None:
        """An assignment to a name in capitals at module or class level, and ``__all__``."""
        name = self.expr.text(target)
        if name == "__all__":
            self.export(right)
        elif name.isupper() and len(name) > 1 and self._keeps_constants():
            self.simple(DefinitionKind.CONSTANT, node, target)

    def _keeps_constants(self) -> bool:
        return self.low.facts.scopes[self.low.scope].kind in {ScopeKind.MODULE, ScopeKind.CLASS}

    def simple(self, kind: DefinitionKind, node: Node, name: Node) -> None:
        """A definition without a body; the first of its name in a scope counts."""
        text = self.expr.text(name)
        drafts = self.low.drafts
        if any(d.fields.name == text and d.fields.scope == self.low.scope for d in drafts[-50:]):
            return
        self.low.define(
            Definition(
                int(kind), text, self.low.scope, -1, name.start_point[0] + 1, node.end_point[0] + 1, 0,
                " ".join(text_of(node).split())[:200], "", NO_EXPRESSION, (), (), NO_EXPRESSION, (), (), (), "",
            ),
            (node.start_byte, node.end_byte),
        )  # fmt: skip

    def export(self, right: Node | None) -> None:
        """Names that ``__all__`` lists; a list that cannot be read leaves everything public."""
        if right is not None and right.type == "argument_list" and right.named_child_count:
            first = right.named_children[0]
            right = first if first.type in {"list", "tuple"} else right
        if right is None or right.type not in {"list", "tuple", "argument_list"}:
            return
        names = [string_content(child) for child in right.named_children if child.type == "string"]
        exports = self.low.facts.exports or []
        self.low.facts.exports = exports + [name for name in names if name]

    def _flags(self, decorators: list[Node]) -> tuple[DefinitionFlag, str]:
        flags, alias = DefinitionFlag.NONE, ""
        for decorator in decorators:
            name = _decorator_name(decorator)
            # functools.cached_property, abc.abstractproperty, and what the libraries derive from them.
            if name.endswith("property"):
                flags |= DefinitionFlag.PROPERTY
            flags |= _FLAGS.get(name, DefinitionFlag.NONE)
            if name == "fixture":
                alias = _keyword_string(decorator, "name")
                if _keyword_text(decorator, "autouse") == "True":
                    flags |= DefinitionFlag.AUTOUSE
        return flags, alias

    def _add(self, definition: Definition, node: Node, body: Node, kind: str, decorators: list[Node]) -> None:
        index = self.low.define(definition, (node.start_byte, node.end_byte))
        if decorators:
            self._decorate(index, definition, decorators)
        self.low.bind(definition.name, BindingKind.DEFINITION, index)
        self.low.pending_regions[body.id] = (kind, index)

    def _decorate(self, index: int, definition: Definition, decorators: list[Node]) -> None:
        loud = [
            (item, expression)
            for item, expression in zip(decorators, definition.decorators, strict=True)
            if _decorator_name(item) not in _SILENT
        ]
        if loud:
            decorated = self._apply(index, loud)
            self.low.drafts[index].fields = definition._replace(decorated=decorated)

    def _apply(self, index: int, decorators: list[tuple[Node, int]]) -> int:
        value = self.low.intern((Tag.DEFINITION, index))
        for node, expression in reversed(decorators):
            value = self.low.intern((Tag.CALL, expression, (value,), (), False))
            self.low.site(node.start_point[0] + 1, value, Via.DECORATOR)
        return value

    def _signature(self, node: Node, body: Node) -> str:
        text = self.low.source[node.start_byte : body.start_byte].decode("utf-8", "replace")
        if "  #" in text:
            text = " ".join(line.split("  #", 1)[0].strip() for line in text.splitlines())
        return " ".join(text.split()).rstrip(": ")[:MAX_SIGNATURE]


def _decorator_expression(node: Node) -> Node | None:
    return node.named_child(0) if node.named_child_count else None


def _decorator_name(node: Node) -> str:
    expression = _decorator_expression(node)
    if expression is not None and expression.type == "call":
        expression = expression.child_by_field_id(fields.FUNCTION)
    if expression is None:
        return ""
    return text_of(expression).rsplit(".", 1)[-1]


def _arguments(node: Node) -> list[Node]:
    expression = _decorator_expression(node)
    arguments = expression.child_by_field_id(fields.ARGUMENTS) if expression is not None else None
    return arguments.named_children if arguments is not None else []


def _keyword_value(node: Node, keyword: str) -> Node | None:
    for child in _arguments(node):
        name = child.child_by_field_id(fields.NAME)
        if name is not None and text_of(name) == keyword:
            return child.child_by_field_id(fields.VALUE)
    return None


def _keyword_text(node: Node, keyword: str) -> str:
    value = _keyword_value(node, keyword)
    return "" if value is None else text_of(value)


def _keyword_string(node: Node, keyword: str) -> str:
    value = _keyword_value(node, keyword)
    return "" if value is None or value.type != "string" else string_content(value) or ""


def _used_fixtures(decorators: list[Node]) -> tuple[str, ...]:
    """Names that ``pytest.mark.usefixtures`` lists."""
    if not decorators:
        return ()
    names = [
        string_content(argument)
        for decorator in decorators
        if _decorator_name(decorator) == "usefixtures"
        for argument in _arguments(decorator)
        if argument.type == "string"
    ]
    return tuple(name for name in names if name)


def docstring_of(body: Node) -> str:
    """The docstring that opens a body, cleaned; "" where there is none."""
    first = body.named_child(0) if body.named_child_count else None
    if first is None or first.kind_id != kinds.EXPRESSION_STATEMENT or not first.named_child_count:
        return ""
    string = first.named_child(0)
    content = string_content(string) if string is not None and string.kind_id in kinds.STRINGS else None
    if not content:
        return ""
    return (inspect.cleandoc(content) if "\n" in content else content.expandtabs().lstrip())[:MAX_DOCSTRING]
