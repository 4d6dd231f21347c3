"""Overloads: which of several definitions of one name a call means, by arity and by what is known of its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_review_graph.facts import (
    BindingKind,
    DefinitionFlag,
    DefinitionKind,
    Expression,
    Parameter,
    ParameterKind,
    ScopeKind,
    Tag,
)
from code_review_graph.resolving.generics import mentions_variable
from code_review_graph.semantics import UNKNOWN_COST, Semantics
from code_review_graph.values import (
    BOUND,
    CLASS,
    CONTAINER,
    DISPATCH,
    EMPTY,
    EXACT,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    EXTERNAL_METHOD,
    FUNCTION,
    INFERRED,
    INSTANCE,
    LITERAL,
    TYPE_VARIABLE,
    Value,
    Values,
    external_instance,
    instance,
    merge,
)

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

_OVERLOADABLE: Final = int(DefinitionFlag.OVERLOADABLE)
_FINAL: Final = int(DefinitionFlag.FINAL)
_CLASS_LEVEL: Final = int(DefinitionFlag.OVERLOADABLE | DefinitionFlag.STATIC)
_CALLABLES: Final = frozenset({FUNCTION, BOUND})
# A call that needs a variable number of arguments is considered last.
_VARIADIC_COST: Final = 1000
# Under what name languages are asked whether a function fits a parameter of an outside type; the number of its
# parameters follows where no other fits.
FUNCTION_TYPE: Final = "function"
# Likewise for a value of a class of the repository, and for no value at all.
OBJECT_TYPE: Final = "object"
NOTHING_TYPE: Final = "null"
# Before the name of something outside that is meant itself: a type, a function, a constant.
ITSELF: Final = "="
# Likewise for a type variable without a bound, on either side.
ANY_TYPE: Final = "any"
_NOTHING: Final = (Tag.LITERAL, "None", None)
# What comes from outside is seldom of a type that is declared here.
_FOREIGN_COST: Final = UNKNOWN_COST + 4


class Overloads:
    """Chooses among overloads."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program

    def is_overloaded(self, values: Values) -> bool:
        """Whether values are methods that may have overloads elsewhere."""
        for value in values:
            return value[0] in _CALLABLES and bool(self.program.definitions[value[1]].flags & _OVERLOADABLE)
        return False

    def not_overridden(self, inherited: Values, nearer: Values) -> Values:
        """Inherited overloads whose parameters no nearer one repeats."""
        own = [value[1] for value in nearer if value[0] in _CALLABLES]
        return {
            v: c
            for v, c in inherited.items()
            if v[0] in _CALLABLES and not any(self._repeats(item, v[1]) for item in own)
        }

    def _repeats(self, method: int, inherited: int) -> bool:
        """Whether a method has the parameters of one of a base, type arguments in place of type variables."""
        one, other = self._signature(method), self._signature(inherited)
        if one[0] != other[0] or one == other or not self._takes_variables(inherited):
            return one == other
        heir, base = self.program.class_of[method], self.program.class_of[inherited]
        generics = self.engine.generics
        receiver = instance(heir, exact=False, arguments=tuple([frozenset({v}) for v in generics.parameters(heir)]))
        pairs = zip(self._parameter_types(method), self._parameter_types(inherited), strict=True)
        return all(
            own.keys() == generics.substitute(theirs, lambda v: generics.of_receiver(receiver, base, v)).keys()
            for own, theirs in pairs
        )

    def _parameter_types(self, method: int) -> list[Values]:
        scope = self.program.scope_of(method)
        return [self.engine.types(scope, item.annotation) for item in self.program.definitions[method].parameters]

    def _signature(self, function: int) -> tuple[int, str]:
        definition = self.program.definitions[function]
        return len(definition.parameters), definition.parameter_types

    def may_be_overridden(self, method: int) -> bool:
        """Whether a method may be replaced below: private ones, constructors and class-level ones may not."""
        flags = self.program.definitions[method].flags
        return not flags & _FINAL and flags & _CLASS_LEVEL != _CLASS_LEVEL

    def overriding(self, methods: list[int], method: int) -> list[int]:
        """Of an heir's methods of one name, those that override ``method``."""
        if not self.program.definitions[method].flags & _OVERLOADABLE:
            return methods
        wanted = self._signature(method)
        of_arity = [item for item in methods if self._signature(item)[0] == wanted[0]]
        exact = [item for item in of_arity if self._signature(item) == wanted]
        # Type arguments in place of type variables leave the arity alone to tell by.
        exact = exact or [item for item in of_arity if self._repeats(item, method) or self._repeats(method, item)]
        return exact or (of_arity if len(of_arity) == 1 and self._takes_variables(method) else [])

    def _takes_variables(self, method: int) -> bool:
        return any(mentions_variable(value) for values in self._parameter_types(method) for value in values)

    # -- the choice

    def choose(self, callees: Values, scope: int, call: Expression) -> Values:
        """The callees without overloads that the arguments of a call rule out."""
        candidates = [value for value in callees if self.is_overloaded({value: 0})]
        kept = {v: c for v, c in callees.items() if v not in candidates}
        if not candidates:
            return callees
        outside = self._outside(candidates[0][1])
        if len(candidates) == 1 and not outside:
            return callees
        best = self._best([(value[1], value) for value in candidates], scope, call)
        if best or outside:
            for value in best:
                # Where nothing tells two overloads apart, neither is certain.
                kept[value] = callees[value] if len(best) == 1 else DISPATCH
            return kept if best else {**kept, (EXTERNAL, outside): EXACT}
        best = [value for value in candidates if self._takes(value[1], len(call[2]))]
        for value in best:
            kept[value] = max(callees[value], INFERRED) if len(best) == 1 else DISPATCH
        return kept

    def _outside(self, function: int) -> str:
        """A method of the same name that a base outside may have; "" where all bases are known."""
        owner = self.program.class_of[function]
        bases = self.engine.linearization(owner) if owner >= 0 else ()
        outside = next((base for base in bases if isinstance(base, str)), "")
        return f"{outside}.{self.program.key_of(function)}" if outside else ""

    def _takes(self, function: int, count: int) -> bool:
        """Whether a function may be called with so many arguments."""
        parameters = self.program.definitions[function].parameters[int(self.program.takes_receiver(function)) :]
        if parameters and parameters[-1].kind == ParameterKind.STAR:
            return count >= len(parameters) - 1
        return sum(1 for item in parameters if item.default <= 0) <= count <= len(parameters)

    def handed(self, functions: Values, scope: int, given: list[Values] | None) -> Values:
        """Of overloads that are handed over by name, the one that fits what it will be called with, as far as known."""
        candidates = [value for value in functions if self.is_overloaded({value: 0})]
        if len(candidates) < 2:
            return functions
        costs = [(self._handed_cost(value, scope, given), value) for value in candidates] if given is not None else []
        possible = [(cost, value) for cost, value in costs if cost is not None]
        least = min((cost for cost, _ in possible), default=0)
        best = [value for cost, value in possible if cost == least] or candidates
        kept = {value: level for value, level in functions.items() if value not in candidates}
        for value in best:
            kept[value] = functions[value] if len(best) == 1 else DISPATCH
        return kept

    def _handed_cost(self, value: Value, scope: int, given: list[Values]) -> int | None:
        # A method that is named through its class takes its receiver first.
        is_unbound = value[0] == FUNCTION and self.program.is_method(value[1])
        if is_unbound and not given:
            return None
        return self._cost(value[1], scope, given[int(is_unbound) :], has_star=False)

    def among(self, functions: list[int], scope: int, call: Expression) -> list[int]:
        """The functions of one name that a call may mean."""
        if len(functions) < 2:
            return functions
        best = self._best([(item, (FUNCTION, item)) for item in functions], scope, call)
        return [value[1] for value in best] or [item for item in functions if self._takes(item, len(call[2]))]

    def _best(self, candidates: list[tuple[int, Value]], scope: int, call: Expression) -> list[Value]:
        arguments = [self._argument(scope, item) for item in call[2]]
        costs = [(self._cost(function, scope, arguments, has_star=call[4]), value) for function, value in candidates]
        possible = [(cost, value) for cost, value in costs if cost is not None]
        if not possible:
            return []
        least = min(cost for cost, _ in possible)
        return [value for cost, value in possible if cost == least]

    def _argument(self, scope: int, expression: int) -> Values:
        shape = self.program.expressions[self.program.scope_file[scope]][expression]
        if shape == _NOTHING:
            return {(LITERAL, NOTHING_TYPE, None): EXACT}
        values = self._as_declared(scope, shape) if shape[0] == Tag.NAME else EMPTY
        values = values or self.engine.evaluate(scope, expression)
        known = self.engine.calls.expand(values)
        if not known and any(value[0] == TYPE_VARIABLE for value in values):
            return {(LITERAL, ANY_TYPE, None): EXACT}
        return known

    def _as_declared(self, scope: int, shape: Expression) -> Values:
        """Type that a variable is declared with: it chooses, whatever the variable holds."""
        found: Values = {}
        for where, (kind, payload, _) in self.engine.names.bindings(scope, shape[1], shape[2], shape[3]):
            # A field may be another one that is inherited.
            if kind != BindingKind.DECLARED or self.program.scopes[where].kind == ScopeKind.CLASS:
                return EMPTY
            merge(found, self.engine.types(where, payload[0]))
        return found

    def _cost(self, function: int, scope: int, arguments: list[Values], *, has_star: bool) -> int | None:
        """How badly arguments fit a function; None when they cannot be meant for it."""
        definition = self.program.definitions[function]
        parameters = definition.parameters[int(self.program.takes_receiver(function)) :]
        is_variadic = bool(parameters) and parameters[-1].kind == ParameterKind.STAR
        fixed = parameters[:-1] if is_variadic else parameters
        required = sum(1 for item in fixed if item.default <= 0)
        if has_star:
            return UNKNOWN_COST
        if len(arguments) < required or (len(arguments) > len(fixed) and not is_variadic):
            return None
        is_whole = is_variadic and len(arguments) == len(parameters) and self._is_list(arguments[-1])
        total = _VARIADIC_COST if is_variadic and not is_whole else 0
        for place, given in enumerate(arguments):
            is_list = is_whole and place == len(parameters) - 1  # the list itself is passed
            passed = self.engine.iterate(given) if is_list else given
            cost = self._fit(function, parameters[min(place, len(parameters) - 1)], passed, scope)
            if cost is None:
                return None
            total += cost
        return total

    @staticmethod
    def _is_list(given: Values) -> bool:
        """Whether an argument is what a variable number of arguments becomes."""
        return any(v[0] == CONTAINER or (v[0] == EXTERNAL_INSTANCE and str(v[1]).endswith("[]")) for v in given)

    def _fit(self, function: int, parameter: Parameter, given: Values, scope: int) -> int | None:
        wanted = self.engine.types(self.program.scope_of(function), parameter.annotation)
        if not wanted or not given:
            return UNKNOWN_COST
        costs = [cost for want in wanted for value in given if (cost := self._fit_one(value, want, scope)) is not None]
        return min(costs) if costs else None

    def _fit_one(self, given: Value, wanted: Value, scope: int) -> int | None:
        semantics = self.engine.semantics[self.program.scope_file[scope]]
        if wanted[0] == INSTANCE:
            return self._fit_own(given, wanted, semantics)
        if wanted[0] == TYPE_VARIABLE:
            bounds = self.engine.generics.bound(wanted) or {external_instance(ANY_TYPE): EXACT}
            costs = [self._fit_one(given, bound, scope) for bound in bounds if bound[0] != TYPE_VARIABLE]
            return min((cost for cost in costs if cost is not None), default=None if costs else UNKNOWN_COST)
        if wanted[0] != EXTERNAL_INSTANCE:
            return UNKNOWN_COST
        name = self._outside_name(given)
        if name:
            return semantics.conversion(name, wanted[1])
        if given[0] != INSTANCE:
            return UNKNOWN_COST
        order = self.engine.linearization(given[1])
        by_bases = [
            (place, semantics.conversion(base, wanted[1])) for place, base in enumerate(order) if isinstance(base, str)
        ]
        known = [place + cost for place, cost in by_bases if cost is not None]
        return min(known) if known else semantics.conversion(OBJECT_TYPE, wanted[1])

    def _fit_own(self, given: Value, wanted: Value, semantics: Semantics) -> int | None:
        """A value where a type of the repository is declared."""
        if given[0] == INSTANCE:
            order = self.engine.linearization(given[1])
            # What is outside never derives from what is here: its bases tell all.
            return order.index(wanted[1]) if wanted[1] in order else None
        if given[0] in _CALLABLES:
            kind = self.program.definitions[wanted[1]].kind
            return self._fit_function(given, wanted) if kind == DefinitionKind.INTERFACE else None
        if given[0] in {LITERAL, EXTERNAL_INSTANCE}:
            return 1 if given[1] == NOTHING_TYPE else None
        if given[0] not in {EXTERNAL, EXTERNAL_METHOD}:
            return UNKNOWN_COST
        if semantics.conversion(self._outside_name(given), FUNCTION_TYPE) != 0:
            return _FOREIGN_COST
        return 1 if self.engine.passing.contexts.only_method(wanted[1]) >= 0 else None

    def _fit_function(self, given: Value, wanted: Value) -> int | None:
        """A function where an interface is declared: it stands for the interface's one method."""
        method = self.engine.passing.contexts.only_method(wanted[1])
        if method < 0:
            return UNKNOWN_COST
        definition = self.program.definitions[given[1]]
        count = len(definition.parameters) - (given[0] == BOUND and self.program.takes_receiver(given[1]))
        is_lambda = definition.kind == DefinitionKind.LAMBDA
        if is_lambda and count != len(self.program.definitions[method].parameters):
            return None
        return 1

    def _outside_name(self, value: Value) -> str:
        if value[0] in {LITERAL, EXTERNAL_INSTANCE}:
            return str(value[1])
        if value[0] == EXTERNAL:
            return f"{ITSELF}{value[1]}"
        if value[0] == EXTERNAL_METHOD:
            return f"{value[1][1]}.{value[2]}"
        if value[0] == CLASS:
            return FUNCTION_TYPE
        if value[0] not in _CALLABLES:
            return ""
        definition = self.program.definitions[value[1]]
        is_lambda = definition.kind == DefinitionKind.LAMBDA
        return f"{FUNCTION_TYPE}{len(definition.parameters)}" if is_lambda else FUNCTION_TYPE
