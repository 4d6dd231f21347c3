"""Expressions to values: demand-driven, bounded, memoised."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from code_review_graph.facts import BindingKind, DefinitionKind, Expression, Tag
from code_review_graph.program import Program
from code_review_graph.resolving.calls import Calls
from code_review_graph.resolving.containers import Containers
from code_review_graph.resolving.generics import Generics
from code_review_graph.resolving.members import Members
from code_review_graph.resolving.memory import MAX_DEPTH, NOWHERE, Memory
from code_review_graph.resolving.names import BoundName, Names
from code_review_graph.resolving.overloads import Overloads
from code_review_graph.resolving.passing import Passing
from code_review_graph.resolving.receivers import Receivers
from code_review_graph.resolving.tables import Everything, Loader
from code_review_graph.resolving.types import Types
from code_review_graph.semantics import Semantics
from code_review_graph.values import (
    BOUND,
    CLASS,
    CONTAINER,
    EMPTY,
    EXACT,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INFERRED,
    INSTANCE,
    LITERAL,
    Value,
    Values,
    at_least,
    external_instance,
    instance,
    merge,
)

_EXPRESSION_BITS: Final = 24
_CONTAINER_TAGS: Final = frozenset({int(Tag.SEQUENCE), int(Tag.MAPPING), int(Tag.GENERATE)})
# Operators that give a builtin collection of the same kind.
_JOINING: Final = frozenset({"__add__", "__mul__", "__or__", "__and__", "__sub__", "__iadd__", "__ior__"})
_DEFINITION: Final = int(BindingKind.DEFINITION)
_OBJECT: Final = int(DefinitionKind.OBJECT)
_VALUE: Final = int(BindingKind.VALUE)
_DECLARED: Final = int(BindingKind.DECLARED)
_PARAMETER: Final = int(BindingKind.PARAMETER)
_NARROWED: Final = int(BindingKind.NARROWED)
_EXCLUDED: Final = int(BindingKind.EXCLUDED)


class Evaluator(Memory):
    """Evaluates expressions of a program. ``semantics`` has one entry a file."""

    def __init__(self, program: Program, semantics: list[Semantics]) -> None:
        self.program = program
        self.semantics = semantics
        self.loader: Loader = Everything()
        self.families = list(dict.fromkeys(semantics))  # each rule book once, in the order of its first file
        self._expressions = program.expressions
        self._scope_file = program.scope_file
        super().__init__()
        self.names = Names(self)
        self.overloads = Overloads(self)
        self.receivers = Receivers(self)
        self.types_of = Types(self)
        self.members_of = Members(self)
        self.calls = Calls(self)
        self.passing = Passing(self)
        self.containers = Containers(self)
        self.generics = Generics(self)
        handlers: dict[int, Callable[[int, Expression], Values]] = {
            Tag.NAME: lambda scope, e: self.names.values(scope, e[1], e[2], e[3]),
            Tag.MEMBER: self._member,
            Tag.CALL: self._call,
            Tag.INDEX: self._index,
            Tag.LITERAL: self._literal,
            Tag.LAMBDA: self._definition,
            Tag.DEFINITION: self._definition,
            Tag.ITERATE: lambda scope, e: self.iterate(self.evaluate(scope, e[1])),
            Tag.ENTER: lambda scope, e: self.enter(self.evaluate(scope, e[1])),
            Tag.UNPACK: lambda scope, e: self.containers.unpack(self.evaluate(scope, e[1]), e[2], scope),
            Tag.SLICE: lambda scope, e: self.containers.slice(self.evaluate(scope, e[1]), e[2]),
            Tag.EITHER: self._either,
            Tag.WITHIN: self._within,
            Tag.SENT: self._sent,
            Tag.INSTANCE: lambda scope, e: at_least(self.types(scope, e[1]), INFERRED),
            Tag.SUPER: self.receivers.above,
            Tag.OPERATOR: self._operator,
            Tag.SELF: self.receivers.own,
            Tag.CONSTRUCT: self._construct,
            Tag.IMPORTED: lambda scope, e: self.names.imported(scope, int(BindingKind.IMPORT), e[1:]),
            Tag.OBJECT: self._definition,
            Tag.AWAIT: lambda scope, e: self.containers.awaited(self.evaluate(scope, e[1])),
        }
        self._handlers = [handlers.get(tag, self._unknown) for tag in range(max(handlers) + 1)]

    # -- the engine that languages see

    def evaluate(self, scope: int, expression: int) -> Values:
        """Possible values of an expression of the scope's file."""
        if expression <= 0:
            return EMPTY
        key = scope << _EXPRESSION_BITS | expression
        known: Values | None = self.memo.get(key)
        if known is not None:
            return known
        passed: Values | None = self.by_callers.get(key)
        if passed is not None:
            self.taint += 1
            return passed
        if key in self._resting:
            return cast("Values", self._rest_on(key))
        shape = self._expressions[self._scope_file[scope]][expression]
        tag = shape[0]
        if tag in _CONTAINER_TAGS:
            return {(CONTAINER, scope, expression): EXACT}
        # As in `remember`: a call more for each expression is felt in the time of a whole repository.
        depth = self._depth
        if depth > MAX_DEPTH:
            self._low = -1
            return EMPTY
        handler = self._handlers[tag]
        self._resting[key] = (depth, EMPTY)
        self._depth = depth + 1
        before, low, mark = self.taint, self._low, len(self._trail)
        self._low = NOWHERE
        values = handler(scope, shape)
        if self._low <= depth:
            return cast("Values", self._conclude(key, values, partial(handler, scope, shape), before, low, mark))
        self._depth = depth
        del self._resting[key]
        (self.memo if self.taint == before else self.by_callers)[key] = values
        self._low = low
        return values

    def is_known(self, scope: int, expression: int) -> bool:
        """Whether the values of an expression are settled already."""
        return (scope << _EXPRESSION_BITS | expression) in self.memo

    def types(self, scope: int, expression: int) -> Values:
        """Values that an annotation admits."""
        return self.types_of.of(scope, expression)

    def elements(self, values: Values, key: Value | None = None) -> Values:
        """Values inside containers; under one key when it is known."""
        return self.containers.elements(values, key)

    def iterate(self, values: Values) -> Values:
        """Values that a loop over these sees."""
        return self.containers.iterate(values)

    def enter(self, values: Values) -> Values:
        """Values that these context managers yield."""
        return self.containers.enter(values)

    def members(self, values: Values, name: str) -> Values:
        """Values of an attribute."""
        return self.members_of.of(values, name)

    def call(self, values: Values, scope: int, call: tuple[Any, ...]) -> Values:
        """Results of calling these with the arguments of a call expression."""
        return self.calls.results(values, scope, call)

    def returns(self, definition: int) -> Values:
        """What a function returns, whoever calls it."""
        return self.calls.returns(definition)

    def expand(self, values: Values) -> Values:
        """The same values, with what the known callers pass in place of parameters."""
        return self.calls.expand(values)

    def module_names(self, file: int, name: str) -> Values:
        """Values of a name in a module's own scope, its re-exports included."""
        return self.names.in_module(file, name)

    def linearization(self, definition: int) -> tuple[int | str, ...]:
        """A class and its bases in look-up order; bases outside the repository by dotted name."""
        return self.members_of.classes.linearization(definition)

    # -- values of bindings

    def bound(self, name: BoundName) -> Values:
        """Values of one binding of a name."""
        scope, (kind, payload, block) = name
        if kind == _DEFINITION:
            return self.defined(self.program.definition_base[self.program.scope_file[scope]] + payload)
        if block < -1:  # bound from another scope of the file, through `global` or `nonlocal`
            scope = self.program.scope_base[self.program.scope_file[scope]] - block - 2
        if kind == _VALUE:
            return self._soften(self.evaluate(scope, payload))
        if kind == _DECLARED:
            return self._declared(scope, payload[0], payload[1])
        if kind == _PARAMETER:
            return self.calls.parameter(self.program.owner_of(scope), payload)
        if kind in {_NARROWED, _EXCLUDED}:
            return self._narrowed(scope, payload, positive=kind == _NARROWED)
        return self.names.imported(scope, kind, payload)

    def _narrowed(self, scope: int, payload: tuple[int, int], *, positive: bool) -> Values:
        """Values of a name of which a type test holds, or does not."""
        tested = self.types(scope, payload[0])
        before = self.evaluate(scope, payload[1])
        classes = {value[1] for value in tested if value[0] == INSTANCE}
        kept = {v: level for v, level in before.items() if self._is_any(v, classes) == positive}
        return kept or tested if positive else kept

    def _is_any(self, value: Value, classes: set[int]) -> bool:
        return value[0] == INSTANCE and not classes.isdisjoint(self.linearization(value[1]))

    def _declared(self, scope: int, annotation: int, value: int) -> Values:
        declared = self.types(scope, annotation)
        is_settled = any(item[0] in {INSTANCE, CLASS} for item in declared)
        if value <= 0 or (is_settled and not self.types_of.leaves_open(scope, declared)):
            return self.types_of.implemented(declared, self.evaluate(scope, value) if value > 0 else EMPTY)
        return merge(dict(self._soften(self.evaluate(scope, value))), declared)

    @staticmethod
    def _soften(values: Values) -> Values:
        # An alias of a function means that function; an instance behind a variable was inferred.
        for value, certainty in values.items():
            if certainty == EXACT and value[0] == INSTANCE:
                return {v: INFERRED if v[0] == INSTANCE and c == EXACT else c for v, c in values.items()}
        return values

    def defined(self, definition: int) -> Values:
        """What the name of a definition means: the definition, and what its decorators put in its place."""
        itself = self._itself(definition)
        decorated = self.program.definitions[definition].decorated
        if decorated < 0:
            return {itself: EXACT}
        return self.remember(("defined", definition), lambda: self._decorated(itself, definition, decorated))

    def _itself(self, definition: int) -> Value:
        if self.program.definitions[definition].kind == _OBJECT:
            return instance(definition, exact=True)
        return (CLASS, definition, True) if self.program.is_class(definition) else (FUNCTION, definition)

    def _decorated(self, itself: Value, definition: int, decorated: int) -> Values:
        values: Values = {itself: EXACT}
        for value in self.evaluate(self.program.scope_of(definition), decorated):
            if value[0] in {FUNCTION, CLASS, INSTANCE} and value != itself:
                values[value] = INFERRED
        return values

    # -- handlers

    def _unknown(self, _scope: int, _shape: Expression) -> Values:
        return EMPTY

    def _member(self, scope: int, shape: Expression) -> Values:
        return self.members_of.of(self.evaluate(scope, shape[1]), shape[2])

    def _call(self, scope: int, shape: Expression) -> Values:
        return self.calls.results(self.evaluate(scope, shape[1]), scope, shape)

    def _index(self, scope: int, shape: Expression) -> Values:
        owner = self.evaluate(scope, shape[1])
        keys = [value for value in self.calls.expand(self.evaluate(scope, shape[2])) if value[0] == LITERAL]
        if not keys:
            # `f[T]` is the generic function f itself.
            return owner if self.types_of.takes_type_arguments(owner) else self.elements(owner)
        found: Values = {}
        for key in keys:
            merge(found, self.elements(owner, key))
        return found

    def _literal(self, _scope: int, shape: Expression) -> Values:
        if shape[1] == "None":
            return EMPTY
        return {(LITERAL, shape[1], shape[2]): EXACT}

    def _definition(self, scope: int, shape: Expression) -> Values:
        return {self._itself(self.program.definition_base[self.program.scope_file[scope]] + shape[1]): EXACT}

    def _construct(self, scope: int, shape: Expression) -> Values:
        found: Values = {}
        for value, certainty in self.calls.expand(self.evaluate(scope, shape[1])).items():
            made: Value = (CLASS, value[1], True) if value[0] in {FUNCTION, BOUND} else value
            merge(found, {made: certainty})
        return found

    def _either(self, scope: int, shape: Expression) -> Values:
        found: Values = {}
        for operand in shape[1]:
            merge(found, self.evaluate(scope, operand))
        return found

    def _sent(self, scope: int, _shape: Expression) -> Values:
        """``x = yield y``: what the declared generator type says is sent."""
        function = self.program.function_around(scope)
        returns = self.program.definitions[function].returns if function >= 0 else 0
        if returns <= 0:
            return EMPTY
        where = self.program.scope_of(function)
        shape = self._expressions[self._scope_file[where]][returns]
        keys = self.types_of.keys(where, shape[2]) if shape[0] == Tag.INDEX else ()
        return self.types(where, keys[1]) if len(keys) > 1 else EMPTY

    def _within(self, scope: int, shape: Expression) -> Values:
        return self.evaluate(self.program.scope_base[self._scope_file[scope]] + shape[1], shape[2])

    def _operator(self, scope: int, shape: Expression) -> Values:
        method, operand = shape[1], shape[2]
        owners = self.evaluate(scope, operand)
        if not method:
            return EMPTY
        found: Values = {}
        for owner, certainty in self.calls.expand(owners).items():
            if owner[0] == INSTANCE:
                merge(found, self._operated(owner, certainty, scope, method, shape[3]), INFERRED)
            elif owner[0] == LITERAL:
                found[external_instance(f"builtins.{owner[1]}")] = INFERRED
            elif owner[0] in {CONTAINER, EXTERNAL_INSTANCE} and method in _JOINING:
                found[owner] = INFERRED
        mirrored = self.semantics[self._scope_file[scope]].reflected(method)
        if not found and mirrored and len(shape[3]) == 1:
            for owner, certainty in self.calls.expand(self.evaluate(scope, shape[3][0])).items():
                if owner[0] == INSTANCE:
                    merge(found, self._operated(owner, certainty, scope, mirrored, (operand,)), INFERRED)
        return found

    def _operated(self, owner: Value, certainty: int, scope: int, method: str, operands: tuple[int, ...]) -> Values:
        """Result of an operator's method on one value."""
        for name in self.semantics[self._scope_file[scope]].substitutes(method):
            bound = self.members_of.of({owner: max(certainty, INFERRED)}, name)
            if any(value[0] in {BOUND, FUNCTION} for value in bound):
                return self.call(bound, scope, (Tag.CALL, 0, operands, (), False))
        return EMPTY
