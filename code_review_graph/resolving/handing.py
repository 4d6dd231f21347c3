"""Functions that are handed over by name: which overload is meant, by what they will be called with."""

from __future__ import annotations

from typing import Final

from code_review_graph.facts import Expression
from code_review_graph.resolving.evaluator import Evaluator
from code_review_graph.values import BOUND, FUNCTION, Values

_FUNCTIONS: Final = frozenset({FUNCTION, BOUND})


class Handing:
    """Values of arguments that may be functions."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program

    def values(self, scope: int, argument: int, call: Expression, callees: Values, fed: tuple[int, ...]) -> Values:
        """Values of an argument; of a name with overloads those that fit."""
        values = self.engine.evaluate(scope, argument)
        if len(values) < 2 or not self.engine.overloads.is_overloaded(values):
            return values
        given = self._fed(scope, fed) or self._declared(argument, call, callees)
        return self.engine.overloads.handed(values, scope, given)

    def _fed(self, scope: int, fed: tuple[int, ...]) -> list[Values]:
        given = [self.engine.iterate(self.engine.evaluate(scope, item)) for item in fed]
        while given and not given[-1]:
            given.pop()
        return given

    def _declared(self, argument: int, call: Expression, callees: Values) -> list[Values] | None:
        """By the type of the parameter that takes the function; None when that says nothing."""
        place = call[2].index(argument) if argument in call[2] else -1
        for callee in callees if place >= 0 else ():
            if callee[0] not in _FUNCTIONS:
                continue
            position = place + int(callee[0] == BOUND and self.program.takes_receiver(callee[1]))
            if position < len(self.program.definitions[callee[1]].parameters):
                return self.engine.passing.contexts.arguments(callee[1], position)
        return None
