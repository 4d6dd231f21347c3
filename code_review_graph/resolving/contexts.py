"""What a function's own parameters are when it is handed over: the declaration of the parameter that takes it says."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Final

from code_review_graph.facts import DefinitionFlag, DefinitionKind, Expression
from code_review_graph.values import EMPTY, EXTERNAL_INSTANCE, INSTANCE, Value, Values, as_values, merge

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

# Places at which one function is handed over; the rest seldom say anything new.
MAX_PLACES: Final = 16

# Function called, its parameter that takes the other function, receiver of the call or None, the call itself.
Place = tuple[int, int, Value | None, tuple[int, Expression, int]]


class Contexts:
    """Types of the parameters of functions that are passed to others."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program
        self.given: dict[int, dict[Place, int]] = defaultdict(dict)  # with the number of the call in its file

    def give(self, function: int, place: Place, call: int) -> None:
        """Remember that a function is passed for a parameter of another; ``call`` is the call expression's number."""
        self.given[function].setdefault(place, call)

    def parameter(self, function: int, position: int) -> Values:
        """Values of a parameter of a function, as the places where it is handed over declare them."""
        found: Values = {}
        for callee, taking, receiver, site in islice(self.given.get(function, ()), MAX_PLACES):
            annotation = self.program.definitions[callee].parameters[taking].annotation
            declared = self.engine.types(self.program.scope_of(callee), annotation)
            for value in declared:
                passed = self._passed(value, position) or self._outside(callee, value, position)
                calls = self.engine.calls
                merge(
                    found,
                    self.engine.generics.substitute(passed, lambda v: calls.meaning(v, callee, receiver, site)),  # noqa: B023
                )
        return found

    def arguments(self, function: int, position: int) -> list[Values] | None:
        """What a function that is passed for a parameter will be called with, as far as its type says; else None."""
        annotation = self.program.definitions[function].parameters[position].annotation
        for value in self.engine.types(self.program.scope_of(function), annotation):
            count = self._arity(function, value)
            if count >= 0:
                found = [self._passed(value, place) or self._outside(function, value, place) for place in range(count)]
                return [self.engine.calls.expand(values) for values in found]
        return None

    def _arity(self, function: int, declared: Value) -> int:
        if declared[0] == INSTANCE:
            method = self.only_method(declared[1])
            return len(self.program.definitions[method].parameters) if method >= 0 else -1
        if declared[0] != EXTERNAL_INSTANCE:
            return -1
        known = self.engine.semantics[self.program.definition_file[function]].function_type(declared[1])
        return len(known[0]) if known is not None else -1

    def _passed(self, declared: Value, position: int) -> Values:
        if declared[0] == EXTERNAL_INSTANCE and declared[1].endswith("Callable"):
            return as_values(declared[2][position]) if position < len(declared[2]) - 1 else EMPTY
        if declared[0] != INSTANCE:
            return EMPTY
        underlying = self.engine.calls.underlying(declared[1])
        for value in underlying:
            if value[0] == EXTERNAL_INSTANCE:
                return self._passed(value, position)
        return self._of_interface(declared, position)

    def declared(self, function: int, position: int) -> Values:
        """Values of a parameter by the function type that is declared where its function stands."""
        key = ("declared", function, position)
        return self.engine.remember(key, lambda: self._declared(function, position))

    def _declared(self, function: int, position: int) -> Values:
        found: Values = {}
        for value in self.engine.calls.underlying(function):
            merge(found, self._passed(value, position) or self._outside(function, value, position))
        return found

    def _outside(self, callee: int, declared: Value, position: int) -> Values:
        """By a function type of the callee's language that is declared outside."""
        if declared[0] != EXTERNAL_INSTANCE or not declared[2]:
            return EMPTY
        known = self.engine.semantics[self.program.definition_file[callee]].function_type(declared[1])
        place = known[0][position] if known is not None and position < len(known[0]) else -1
        return as_values(declared[2][place]) if 0 <= place < len(declared[2]) else EMPTY

    def _of_interface(self, declared: Value, position: int) -> Values:
        method = self.only_method(declared[1])
        parameters = self.program.definitions[method].parameters if method >= 0 else ()
        if position >= len(parameters):
            return EMPTY
        values = self.engine.types(self.program.scope_of(method), parameters[position].annotation)
        owner = self.program.class_of[method]
        generics = self.engine.generics
        return generics.substitute(values, lambda v: generics.of_receiver(declared, owner, v))

    def only_method(self, definition: int) -> int:
        """The one method of an interface that has no body; -1 when there are none or several."""
        if self.program.definitions[definition].kind != DefinitionKind.INTERFACE:
            return -1
        found: list[int] = []
        for base in [base for base in self.engine.linearization(definition) if isinstance(base, int)]:
            for key in self.program.own_keys(base):
                found += [
                    method
                    for method in self.program.own_definitions(base, key)
                    if self.program.definitions[method].flags & DefinitionFlag.ABSTRACT
                ]
        return found[0] if len(found) == 1 else -1
