"""Functions of every form: declarations, expressions, arrows, methods; under the name that they are bound to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tree_sitter import Node

from code_review_graph.facts import (
    NO_EXPRESSION,
    BindingKind,
    Definition,
    DefinitionFlag,
    DefinitionKind,
    Parameter,
    ParameterKind,
    ScopeKind,
    Tag,
)
from code_review_graph.languages.javascript.jsdoc import parameters_of, result_of
from code_review_graph.languages.javascript.patterns import bind_pattern
from code_review_graph.languages.javascript.syntax import (
    docstring_before,
    line_of,
    property_name,
    signature,
    text_of,
    words_before,
)

if TYPE_CHECKING:
    from code_review_graph.languages.javascript.expressions import Expressions

FUNCTIONS: Final = frozenset(
    {"arrow_function", "function_expression", "generator_function", "function_declaration",
     "generator_function_declaration", "method_definition"}
)  # fmt: skip
_PATTERNS: Final = frozenset({"object_pattern", "array_pattern"})
_MODIFIERS: Final = frozenset({"accessibility_modifier", "override_modifier", "readonly"})


class Functions:
    """Lowers functions; bodies are entered later, when the walk reaches them."""

    def __init__(self, expressions: Expressions) -> None:
        self.expr = expressions
        self.low = expressions.low
        self.known: dict[int, int] = {}  # syntax node id -> definition
        self._declares_only = self.low.facts.path.endswith((".d.ts", ".d.mts", ".d.cts"))
        self._patterns: dict[int, list[tuple[str, Node]]] = {}
        self._fields: dict[int, list[tuple[str, int]]] = {}
        self._generics: dict[int, dict[str, str]] = {}

    def value(self, node: Node) -> int:
        """A function as an expression."""
        return self.low.intern((int(Tag.LAMBDA), self.define(node)))

    def define(
        self,
        node: Node,
        name: str = "",
        *,
        at: Node | None = None,
        statement: Node | None = None,
        flags: DefinitionFlag = DefinitionFlag.NONE,
        owner: int = NO_EXPRESSION,
        qualifier: str = "",
        nameless: bool = False,
    ) -> int:
        """The definition of a function node, made when it is first met; ``at`` bears its name."""
        index = self.known.get(node.id)
        if index is not None:
            return index
        own = node.child_by_field_name("name")
        if not name and own is not None and node.type != "method_definition" and not nameless:
            name, at = text_of(own), own
        kind = DefinitionKind.FUNCTION if name else DefinitionKind.LAMBDA
        generics = self.expr.annotations.declare(node.child_by_field_name("type_parameters"))
        body = node.child_by_field_name("body")
        start = (statement or node).start_byte
        parameters, patterns, fields = self._parameters(node)
        docstring = docstring_before(self.low.source, start) if name else ""
        returns = self.expr.annotations.optional(node.child_by_field_name("return_type"))
        if docstring:
            parameters = parameters_of(self.expr, docstring, parameters)
            returns = result_of(self.expr, docstring) if returns < 0 else returns
        definition = Definition(
            int(kind), name, self.low.scope, -1, line_of(at or node),
            node.end_point[0] + 1, int(flags | self._flags(node, own)),
            signature(self.low.source, start, body.start_byte if body is not None else node.end_byte) if name else "",
            docstring, NO_EXPRESSION, (), parameters, returns, (), (), (), "", owner=owner, qualifier=qualifier,
        )  # fmt: skip
        index = self.known[node.id] = self.low.define(definition, (node.start_byte, node.end_byte))
        self._patterns[index] = patterns
        self._fields[index] = fields
        self._generics[index] = generics
        self.expr.annotations.forget(generics)
        return index

    def _flags(self, node: Node, own: Node | None) -> DefinitionFlag:
        flags = DefinitionFlag.RECEIVER_APART
        if node.type == "arrow_function":
            flags |= DefinitionFlag.LEXICAL_SELF
            first = node.children[0] if node.child_count else None
            return flags | DefinitionFlag.ASYNC if first is not None and first.type == "async" else flags
        words = words_before(node, own or node.child_by_field_name("parameters"))
        if "async" in words:
            flags |= DefinitionFlag.ASYNC
        if "*" in words:
            flags |= DefinitionFlag.GENERATOR
        if node.type == "method_definition":
            flags |= DefinitionFlag.PROPERTY if "get" in words else DefinitionFlag.NONE
            flags |= DefinitionFlag.SETTER if "set" in words else DefinitionFlag.NONE
            flags |= DefinitionFlag.CLASS_METHOD if "static" in words else DefinitionFlag.NONE
        return flags

    # -- parameters

    def _parameters(self, node: Node) -> tuple[tuple[Parameter, ...], list[tuple[str, Node]], list[tuple[str, int]]]:
        """Parameters, the patterns that unpack some of them, and those that are fields as well."""
        patterns: list[tuple[str, Node]] = []
        fields: list[tuple[str, int]] = []
        single = node.child_by_field_name("parameter")
        if single is not None:
            only = Parameter(text_of(single), int(ParameterKind.POSITIONAL), NO_EXPRESSION, NO_EXPRESSION)
            return (only,), patterns, fields
        found: list[Parameter] = []
        listed = node.child_by_field_name("parameters")
        for child in listed.named_children if listed is not None else ():
            parameter = self._parameter(child, len(found), patterns)
            if parameter is not None:
                found.append(parameter)
                if child.type in {"required_parameter", "optional_parameter"} and _is_field(child):
                    fields.append((parameter.name, parameter.annotation))
        return tuple(found), patterns, fields

    def _parameter(self, node: Node, position: int, patterns: list[tuple[str, Node]]) -> Parameter | None:
        target: Node | None = node
        value: Node | None = None
        annotation = NO_EXPRESSION
        if node.type in {"required_parameter", "optional_parameter"}:
            target = node.child_by_field_name("pattern")
            value = node.child_by_field_name("value")
            annotation = self.expr.annotations.optional(node.child_by_field_name("type"))
        elif node.type == "assignment_pattern":
            target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        kind = ParameterKind.POSITIONAL
        if target is not None and target.type == "rest_pattern":
            kind, target = ParameterKind.STAR, target.named_children[0] if target.named_child_count else None
            annotation = self.expr.annotations.element(annotation)
        if target is None or target.type in {"this", "comment"}:
            return None
        default = NO_EXPRESSION if value is None else self.expr.lower(value)
        if node.type == "optional_parameter" and default < 0:
            default = self.expr.literal("None")
        if target.type in _PATTERNS:
            name = f"{{}}{position}"
            patterns.append((name, target))
        else:
            name = text_of(target)
        return Parameter(name, int(kind), annotation, default)

    # -- bodies

    def enter(self, node: Node) -> None:
        """Stand in the body of a function to its end."""
        index = self.define(node)
        fields = self.low.drafts[index].fields
        body = node.child_by_field_name("body")
        self.expr.annotations.recall(self._generics[index], node.end_byte)
        self.low.enter_body(index, ScopeKind.FUNCTION, node.end_byte, fields.parameters)
        own = node.child_by_field_name("name") if node.type in {"function_expression", "generator_function"} else None
        if own is not None and not any(item.name == text_of(own) for item in fields.parameters):
            self.low.bind(text_of(own), BindingKind.DEFINITION, index)
        for name, pattern in self._patterns.pop(index, ()):
            bind_pattern(self.expr, pattern, self.low.name(name))
        self._write_fields(index)
        if body is not None and node.type == "arrow_function" and body.type != "statement_block":
            self.low.drafts[index].results.append(self.expr.lower(body))

    def _write_fields(self, index: int) -> None:
        """``constructor(private x: X)`` puts a parameter into the object."""
        receiver = self.low.intern((int(Tag.SELF),))
        for name, annotation in self._fields.pop(index, ()):
            self.low.write_attribute(receiver, name, self.low.name(name), annotation)

    # -- declarations

    def declare(self, node: Node) -> None:
        """``function f() {}``: bound in the block that holds it."""
        name = node.child_by_field_name("name")
        if node.id not in self.known:
            index = self.define(node, text_of(name) if name is not None else "", at=name)
            if name is not None:
                self.expr.classes.bind(text_of(name), index)
        self.enter(node)

    def signature_only(
        self, node: Node, *, in_class: bool = False, flags: DefinitionFlag = DefinitionFlag.NONE
    ) -> None:
        """A function without a body: an overload of what follows, or a declaration of what is elsewhere."""
        name = node.child_by_field_name("name")
        text = property_name(name)
        if not text:
            return
        is_last_word = bool(flags) or self._is_ambient(node)
        known = self._first_signature(text) if is_last_word else -1
        if known >= 0:
            self._add_result(known, node)
            return
        flags = flags or DefinitionFlag.OVERLOAD
        words = words_before(node, name) if in_class else ()
        for word, flag in (("get", DefinitionFlag.PROPERTY), ("set", DefinitionFlag.SETTER),
                           ("static", DefinitionFlag.CLASS_METHOD)):  # fmt: skip
            flags |= flag if word in words else DefinitionFlag.NONE
        owner = self.low.owner() if in_class else None
        # What a type without a name demands is no place that anyone looks for.
        is_hidden = owner is not None and not owner.fields.name
        index = self.define(node, text, at=name, flags=flags)
        if is_hidden:
            self.low.drafts[index].fields = self.low.drafts[index].fields._replace(name="", key=text)
        self.low.bind(text, BindingKind.DEFINITION, index)

    def _is_ambient(self, node: Node) -> bool:
        """Whether no implementation follows in this file."""
        parent = node.parent
        return self._declares_only or (parent is not None and parent.type == "ambient_declaration")

    def _first_signature(self, name: str) -> int:
        """Definition of an earlier signature of the same name in the same place; -1 for none."""
        for kind, payload, _ in self.low.facts.scopes[self.low.scope].bindings.get(name, ()):
            if kind == BindingKind.DEFINITION and self.low.drafts[payload].fields.kind == DefinitionKind.FUNCTION:
                return int(payload)
        return -1

    def _add_result(self, index: int, node: Node) -> None:
        """Signatures without an implementation are one function whose result is any of theirs."""
        generics = self.expr.annotations.declare(node.child_by_field_name("type_parameters"))
        returns = self.expr.annotations.optional(node.child_by_field_name("return_type"))
        self.expr.annotations.forget(generics)
        fields = self.low.drafts[index].fields
        if returns > 0:
            self.low.drafts[index].fields = fields._replace(returns=self.expr.either(max(fields.returns, 0), returns))


def _is_field(node: Node) -> bool:
    return any(child.type in _MODIFIERS for child in node.children)
