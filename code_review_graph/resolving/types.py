"""Annotations to the values that they admit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_review_graph.facts import BindingKind, DefinitionFlag, Expression, Tag
from code_review_graph.resolving.names import BoundName
from code_review_graph.values import (
    CLASS,
    EMPTY,
    EXACT,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INFERRED,
    INSTANCE,
    TYPE_VARIABLE,
    Value,
    Values,
    external_instance,
    instance,
    merge,
)

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

# Annotations that mean a value as it is.
_AS_THEY_ARE: Final = frozenset({Tag.VALUE_OF, Tag.SELF})
_UNION: Final = "__or__"
FUNCTION_TYPE: Final = "typing.Callable"
TUPLE_TYPE: Final = "builtins.tuple"
# Function types inside containers inside containers are followed no deeper.
MAX_NESTING: Final = 3
_FINAL: Final = int(DefinitionFlag.FINAL)
_STRUCTURAL: Final = int(DefinitionFlag.STRUCTURAL)


class Types:
    """Evaluates annotations."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program
        self._follows = [semantics.follows_functions for semantics in engine.semantics]
        self._declaring: dict[int, dict[int, int]] = {}

    def of(self, scope: int, expression: int) -> Values:
        """Values that an annotation admits; nothing for what says nothing (Any, object, None)."""
        if expression <= 0:
            return EMPTY
        return self.engine.remember(("type", scope, expression), lambda: self._of(scope, expression))

    def _of(self, scope: int, expression: int) -> Values:
        shape = self.program.expressions[self.program.scope_file[scope]][expression]
        tag = shape[0]
        if tag == Tag.NAME:
            return self._named(scope, shape)
        if tag == Tag.INDEX:
            return self._generic(scope, shape)
        if tag in {Tag.EITHER, Tag.SEQUENCE}:
            return self._any_of(scope, shape[2] if tag == Tag.SEQUENCE else shape[1])
        if tag == Tag.OPERATOR:
            return self._any_of(scope, (shape[2], *shape[3])) if shape[1] == _UNION else EMPTY
        if tag == Tag.TYPE:
            return {external_instance(shape[1], *[self.of(scope, item) for item in shape[2]]): EXACT}
        if tag in _AS_THEY_ARE:
            return self.engine.evaluate(scope, shape[1] if tag == Tag.VALUE_OF else expression)
        if tag == Tag.LITERAL:
            return self._quoted(scope, shape[2]) if shape[1] == "str" else EMPTY
        return self._from_values(scope, self.engine.evaluate(scope, expression))

    def _any_of(self, scope: int, operands: tuple[int, ...]) -> Values:
        found: Values = {}
        for operand in operands:
            merge(found, self.of(scope, operand))
        return found

    def _named(self, scope: int, shape: Expression) -> Values:
        bindings = self.engine.names.bindings(scope, shape[1], shape[2], shape[3])
        found: Values = {}
        for binding in bindings:
            merge(found, self._bound(scope, binding))
        if bindings:
            return found
        return self._from_values(scope, self.engine.names.values(scope, shape[1], shape[2], shape[3]))

    def _bound(self, scope: int, name: BoundName) -> Values:
        where, (kind, payload, _) = name
        if kind == BindingKind.VALUE:
            return self._alias(where, payload)
        if kind == BindingKind.DECLARED and payload[1] > 0:
            return self._alias(where, payload[1])
        if kind == BindingKind.IMPORT and payload[2]:
            source = self._imported_alias(where, payload)
            if source is not None:
                return self._bound(source[0], source)
        return self._from_values(scope, self.engine.bound(name))

    def _imported_alias(self, scope: int, payload: tuple[str, int, str]) -> BoundName | None:
        """The assignment behind an imported alias, so that it is read as a type where it stands."""
        file = self.program.scope_file[scope]
        module = self.engine.semantics[file].module(file, payload[0], payload[1])
        if module is None or module[1] < 0:
            return None
        root = self.program.scope_base[module[1]]
        bindings = self.program.scopes[root].bindings.get(payload[2])
        if not bindings or bindings[-1][0] not in {BindingKind.VALUE, BindingKind.DECLARED}:
            return None
        return root, bindings[-1]

    def _alias(self, scope: int, expression: int) -> Values:
        shape = self.program.expressions[self.program.scope_file[scope]][max(expression, 0)]
        if shape[0] == Tag.TYPE_PARAMETER:
            # One identity, in whichever scope it was bound.
            return {(TYPE_VARIABLE, self.program.scope_base[self.program.scope_file[scope]], expression): EXACT}
        if shape[0] == Tag.CALL:
            return self._type_variable(scope, shape, expression)
        return self.of(scope, expression)

    def variable_bound(self, scope: int, expression: int) -> Values:
        """``TypeVar("T", bound=X)``: at least an X; with constraints, any of them."""
        shape = self.program.expressions[self.program.scope_file[scope]][expression]
        if shape[0] == Tag.TYPE_PARAMETER:
            return self.of(self._declaring_scope(scope, expression), shape[3]) if shape[3] > 0 else EMPTY
        bounds = [value for key, value in shape[3] if key == "bound"]
        return self._any_of(scope, (*bounds, *shape[2][1:]))

    def _declaring_scope(self, scope: int, parameter: int) -> int:
        """The scope that a type parameter is declared in: names in its bound are looked up from there."""
        file = self.program.scope_file[scope]
        if file not in self._declaring:
            self._declaring[file] = self._declared_in(file)
        return self._declaring[file].get(parameter, scope)

    def _declared_in(self, file: int) -> dict[int, int]:
        shapes, start = self.program.expressions[file], self.program.scope_base[file]
        found: dict[int, int] = {}
        for scope in range(start, self.program.end_of_scopes(file)):
            for bindings in self.program.scopes[scope].bindings.values():
                for kind, payload, _ in bindings:
                    if kind == BindingKind.VALUE and shapes[max(payload, 0)][0] == Tag.TYPE_PARAMETER:
                        found.setdefault(payload, scope)
        return found

    def _type_variable(self, scope: int, shape: Expression, expression: int) -> Values:
        """``TypeVar("T")``: itself. ``NewType("N", X)``: an X."""
        callee = self.engine.evaluate(scope, shape[1])
        names = {value[1].rsplit(".", 1)[-1] for value in callee if value[0] == EXTERNAL}
        if "TypeVar" in names:
            return {(TYPE_VARIABLE, scope, expression): EXACT}
        if "NewType" in names:
            return self._any_of(scope, shape[2][1:2])
        return EMPTY

    def _from_values(self, scope: int, values: Values) -> Values:
        found: Values = {}
        for value, certainty in values.items():
            if value[0] == CLASS:
                found[instance(value[1], exact=self.is_final(value[1]))] = certainty
            elif value[0] == EXTERNAL:
                merge(found, self._external(scope, value[1], ()))
        return found

    def leaves_open(self, scope: int, declared: Values, depth: int = 0) -> bool:
        """Whether a declared type says of functions only that they are some: which ones, their passing tells."""
        if not declared or depth > MAX_NESTING or not self._follows[self.program.scope_file[scope]]:
            return False
        return all(self._is_function_type(scope, value, depth) for value in declared)

    def takes_type_arguments(self, values: Values) -> bool:
        """Whether all values are functions of a language in which an index on a function is a type argument."""
        for value in values:
            if value[0] != FUNCTION or not self._follows[self.program.definition_file[value[1]]]:
                return False
        return bool(values)

    def _is_function_type(self, scope: int, value: Value, depth: int) -> bool:
        if value[0] == INSTANCE:
            return self.leaves_open(scope, self.engine.calls.underlying(value[1]), depth + 1)
        if value[0] != EXTERNAL_INSTANCE or not value[2]:
            return False
        if value[1] == FUNCTION_TYPE:
            return True
        inside = value[2] if value[1] == TUPLE_TYPE else value[2][-1:]
        return any(self.leaves_open(scope, dict.fromkeys(item, EXACT), depth + 1) for item in inside)

    def implemented(self, declared: Values, given: Values) -> Values:
        """A variable of a structural interface whose value is known runs no other implementer's methods."""
        if not given or not all(value[0] == INSTANCE and self.is_structural(value[1]) for value in declared):
            return declared
        if not all(value[0] == INSTANCE and value[2] for value in given):
            return declared
        known: Values = {(INSTANCE, value[1], True, value[3]): level for value, level in declared.items()}
        return merge(known, given, INFERRED)

    def is_structural(self, definition: int) -> bool:
        """Whether whatever has the methods of an interface implements it."""
        return bool(self.program.definitions[definition].flags & _STRUCTURAL)

    def is_final(self, definition: int) -> bool:
        """Whether a value of a class is never one of a subclass."""
        return bool(self.program.definitions[definition].flags & _FINAL)

    def _external(self, scope: int, dotted: str, keys: tuple[int, ...]) -> Values:
        semantics = self.engine.semantics[self.program.scope_file[scope]]
        special = semantics.external_type(self.engine, dotted, scope, keys)
        if special is not None:
            return special
        return {external_instance(dotted, *[self.of(scope, key) for key in keys]): EXACT}

    def _generic(self, scope: int, shape: Expression) -> Values:
        keys = self.keys(scope, shape[2])
        found: Values = {}
        for value, certainty in self.engine.evaluate(scope, shape[1]).items():
            if value[0] == CLASS:
                arguments = tuple([frozenset(self.of(scope, key)) for key in keys])
                found[instance(value[1], exact=self.is_final(value[1]), arguments=arguments)] = certainty
            elif value[0] == EXTERNAL:
                merge(found, self._external(scope, value[1], keys))
        return found

    def keys(self, scope: int, expression: int) -> tuple[int, ...]:
        """Expressions of the arguments in ``X[a, b]``."""
        shape = self.program.expressions[self.program.scope_file[scope]][expression]
        if shape[0] == Tag.SEQUENCE and shape[1] == "tuple":
            return tuple(shape[2])
        return (expression,)

    def _quoted(self, scope: int, text: object) -> Values:
        """A dotted name in a string where the grammar does not know it for an annotation."""
        parts = text.split(".") if isinstance(text, str) else []
        if not parts or not all(part.isidentifier() for part in parts):
            return EMPTY
        values = self.engine.names.values(scope, parts[0], 0, 0)
        for part in parts[1:]:
            values = self.engine.members(values, part)
        return self._from_values(scope, values)
