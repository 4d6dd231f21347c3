"""Type variables: what they stand for at a call or on a parametrised receiver."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from code_review_graph.facts import BindingKind, Expression, Tag
from code_review_graph.resolving.types import FUNCTION_TYPE
from code_review_graph.values import (
    CLASS,
    EMPTY,
    EXACT,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    INSTANCE,
    LITERAL,
    TYPE_VARIABLE,
    Value,
    Values,
    as_values,
    instance,
    merge,
)

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

# Bases of bases that type arguments are followed through.
MAX_DEPTH: Final = 8

Arguments = tuple[frozenset[Value], ...]


def mentions_variable(value: Value) -> bool:
    """Whether a type variable stands in a value, at any depth."""
    if value[0] == TYPE_VARIABLE:
        return True
    if (value[0] != INSTANCE and value[0] != EXTERNAL_INSTANCE) or not value[-1]:
        return False
    return any(mentions_variable(inner) for argument in value[-1] for inner in argument)


class Generics:
    """Substitutes type variables."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program

    def substitute(self, values: Values, meaning: Callable[[Value], Values]) -> Values:
        """Put the meaning of each type variable in its place."""
        for value in values:
            if mentions_variable(value):
                break
        else:
            return values
        found: Values = {}
        for value, certainty in values.items():
            merge(found, self._replaced(value, meaning), certainty)
        return found

    def _replaced(self, value: Value, meaning: Callable[[Value], Values]) -> Values:
        if value[0] == TYPE_VARIABLE:
            return meaning(value) or self.bound(value)
        if not mentions_variable(value):
            return {value: EXACT}
        arguments = tuple([self._replaced_argument(argument, meaning) for argument in value[-1]])
        return {(*value[:-1], arguments): EXACT}

    def _replaced_argument(self, argument: frozenset[Value], meaning: Callable[[Value], Values]) -> frozenset[Value]:
        return frozenset(inner for value in argument for inner in self._replaced(value, meaning))

    def bound(self, variable: Value) -> Values:
        """What a type variable is at least."""
        return self.engine.types_of.variable_bound(variable[1], variable[2])

    # -- meaning by receiver

    def of_receiver(self, receiver: Value | None, owner: int, variable: Value) -> Values:
        """Meaning of a variable of class ``owner`` on a parametrised receiver."""
        if receiver is None or receiver[0] != INSTANCE or owner < 0:
            return EMPTY
        found = self._argument(receiver[1], receiver[3], owner, variable, depth=0)
        return as_values(found, EXACT) if found else EMPTY

    def _argument(
        self, definition: int, arguments: Arguments, owner: int, variable: Value, *, depth: int
    ) -> frozenset[Value] | None:
        parameters = self.parameters(definition)
        if definition == owner:
            place = parameters.index(variable) if variable in parameters else len(arguments)
            return arguments[place] if place < len(arguments) else None
        if depth > MAX_DEPTH:
            return None
        known = dict(zip(parameters, arguments, strict=False))
        for base, given in self._bases(definition):
            passed = tuple(
                [self._replaced_argument(item, lambda v: as_values(known.get(v, frozenset()), EXACT)) for item in given]
            )
            found = self._argument(base, passed, owner, variable, depth=depth + 1)
            if found:
                return found
        return None

    def seen_as(self, definition: int, arguments: Arguments, dotted: str, depth: int = 0) -> Value | None:
        """A value of a class as a value of one of its bases outside the repository, with that base's type arguments."""
        known = dict(zip(self.parameters(definition), arguments, strict=False))

        def meaning(variable: Value) -> Values:
            return as_values(known.get(variable, frozenset()), EXACT)

        for head, given in self._heads(definition) if depth <= MAX_DEPTH else ():
            passed = tuple([self._replaced_argument(item, meaning) for item in given])
            if head[0] == EXTERNAL and head[1] == dotted:
                return (EXTERNAL_INSTANCE, dotted, passed)
            found = self.seen_as(head[1], passed, dotted, depth + 1) if head[0] == CLASS else None
            if found is not None:
                return found
        return None

    def _bases(self, definition: int) -> list[tuple[int, Arguments]]:
        """In-repository bases with their type arguments."""
        return [(head[1], given) for head, given in self._heads(definition) if head[0] == CLASS]

    def _heads(self, definition: int) -> list[tuple[Value, Arguments]]:
        """Bases with their type arguments."""
        scope = self.program.scope_of(definition)
        found: list[tuple[Value, Arguments]] = []
        for expression in self.program.definitions[definition].bases:
            shape = self._shape(scope, expression)
            is_parametrised = shape[0] == Tag.INDEX
            heads = self.engine.evaluate(scope, shape[1] if is_parametrised else expression)
            keys = self.engine.types_of.keys(scope, shape[2]) if is_parametrised else ()
            given = tuple([frozenset(self.engine.types(scope, key)) for key in keys])
            found += [(head, given) for head in heads]
        return found

    def parameters(self, definition: int) -> list[Value]:
        """Type variables of a class, in order: those of ``Generic[...]`` first, else as its bases name them."""
        return self.engine.remember(("variables", definition), lambda: self._find_parameters(definition), [])

    def _find_parameters(self, definition: int) -> list[Value]:
        own = self._declared(definition)
        if own:
            return own
        scope = self.program.scope_of(definition)
        named: list[Value] = []
        for expression in self.program.definitions[definition].bases:
            shape = self._shape(scope, expression)
            if shape[0] != Tag.INDEX:
                continue
            keys = self.engine.types_of.keys(scope, shape[2])
            variables = [v for key in keys for v in self.engine.types(scope, key) if v[0] == TYPE_VARIABLE]
            heads = self.engine.evaluate(scope, shape[1])
            if any(value[0] == EXTERNAL and value[1].endswith((".Generic", ".Protocol")) for value in heads):
                return variables
            named += [variable for variable in variables if variable not in named]
        return named

    def _declared(self, definition: int) -> list[Value]:
        """Type parameters that a class declares itself (``class C[T]``)."""
        body = self.program.body_of(definition)
        shapes = self.program.expressions[self.program.definition_file[definition]]
        found: list[Value] = []
        for bindings in self.program.scopes[body].bindings.values() if body >= 0 else ():
            kind, payload, _ = bindings[0]
            if kind == BindingKind.VALUE and shapes[max(payload, 0)][0] == Tag.TYPE_PARAMETER:
                base = self.program.scope_base[self.program.definition_file[definition]]
                found.append((TYPE_VARIABLE, base, payload))
        return found

    def written(self, variable: Value, function: int, scope: int, call: Expression) -> Values:
        """What a call that spells out type arguments (keywords ``[0]``, ``[1]`` ...) gives for a type variable."""
        given = [expression for name, expression in call[3] if name.startswith("[")]
        if not given:
            return EMPTY
        shapes = self.program.expressions[self.program.definition_file[function]]
        order: list[int] = []  # of the parameters that are declared side by side
        for bindings in self.program.scopes[self.program.scope_of(function)].bindings.values():
            kind, payload, _ = bindings[0]
            if kind == BindingKind.VALUE and shapes[payload][0] == Tag.TYPE_PARAMETER:
                order.append(payload)
            elif variable[2] in order:
                break
            else:
                order.clear()
        place = order.index(variable[2]) if variable[2] in order else len(given)
        return self.engine.types(scope, given[place]) if place < len(given) else EMPTY

    # -- meaning by arguments

    def of_argument(self, scope: int, annotation: int, passed: Values, variable: Value) -> Values:
        """Meaning of a variable, as an argument of an annotated parameter shows it."""
        if annotation <= 0:
            return EMPTY
        shape = self._shape(scope, annotation)
        if shape[0] == Tag.TYPE:
            return self._of_container(scope, shape, passed, variable)
        if shape[0] != Tag.INDEX:
            return passed if variable in self.engine.types(scope, annotation) else EMPTY
        keys = self.engine.types_of.keys(scope, shape[2])
        if not keys or not any(variable in self.engine.types(scope, key) for key in keys):
            return EMPTY
        name = self._head(scope, shape)
        if name in {"type", "Type"}:
            return {instance(value[1], exact=value[2]): level for value, level in passed.items() if value[0] == CLASS}
        if name == "Callable":
            return self.engine.calls.returned(passed)
        if name == "Optional":
            return passed
        return self._of_outside(scope, shape, passed, variable)

    def _of_outside(self, scope: int, shape: Expression, passed: Values, variable: Value) -> Values:
        keys = self.engine.types_of.keys(scope, shape[2])
        given = self._given(scope, shape, keys, variable)
        if given is not None:
            return self.engine.calls.returned(passed) if given else EMPTY
        return self.engine.iterate(passed) or self._of_generic(scope, shape, passed, variable)

    def _of_container(self, scope: int, shape: Expression, passed: Values, variable: Value) -> Values:
        """Meaning of a variable inside a type from outside: a list, a dictionary, a function."""
        _, name, inner = shape
        for place, annotation in enumerate(inner):
            if name == FUNCTION_TYPE:
                inside = self.engine.calls.returned(passed) if place == len(inner) - 1 else EMPTY
            elif name.endswith("dict") and place == 0:
                inside = self.engine.iterate(passed)
            else:
                inside = self.engine.elements(passed, (LITERAL, "int", place) if name.endswith("tuple") else None)
            found = self.of_argument(scope, annotation, inside, variable) if inside else EMPTY
            if found:
                return found
        return EMPTY

    def _of_generic(self, scope: int, shape: Expression, passed: Values, variable: Value) -> Values:
        """Meaning of a variable in a parametrised class of the repository: what the instance passed holds there."""
        keys = self.engine.types_of.keys(scope, shape[2])
        places = [place for place, key in enumerate(keys) if variable in self.engine.types(scope, key)]
        found: Values = {}
        for head in self.engine.evaluate(scope, shape[1]):
            parameters = self.parameters(head[1]) if head[0] == CLASS else []
            for place in [place for place in places if place < len(parameters)]:
                for value in passed:
                    merge(found, self.of_receiver(value, head[1], parameters[place]))
        return found

    def _given(self, scope: int, shape: Expression, keys: tuple[int, ...], variable: Value) -> bool | None:
        """Whether a variable is what a function type outside gives; None where the head is no function type."""
        semantics = self.engine.semantics[self.program.scope_file[scope]]
        for head in self.engine.evaluate(scope, shape[1]):
            known = semantics.function_type(head[1]) if head[0] == EXTERNAL else None
            if known is not None:
                return 0 <= known[1] < len(keys) and variable in self.engine.types(scope, keys[known[1]])
        return None

    def _head(self, scope: int, shape: Expression) -> str:
        heads = self.engine.evaluate(scope, shape[1])
        return next((value[1].rsplit(".", 1)[-1] for value in heads if value[0] == EXTERNAL), "")

    def _shape(self, scope: int, expression: int) -> Expression:
        return self.program.expressions[self.program.scope_file[scope]][max(expression, 0)]
