"""What ``this`` and ``super`` mean where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_review_graph.facts import DefinitionFlag, Expression, ScopeKind
from code_review_graph.values import CLASS, EMPTY, EXACT, INFERRED, SUPER, Values, instance

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

_LEXICAL_SELF: Final = int(DefinitionFlag.LEXICAL_SELF)
_CLASS_BODY: Final = int(ScopeKind.CLASS)
_FUNCTION_BODY: Final = int(ScopeKind.FUNCTION)


class Receivers:
    """Receivers of the code around."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program

    def owner(self, scope: int) -> tuple[int, int]:
        """Function whose receiver code in a scope sees (-1 in a class body), and that receiver's class (-1 for none).

        A function that is nobody's method counts as the class of the objects that it makes.
        """
        program = self.program
        while scope >= 0:
            kind, owner = program.scopes[scope].kind, program.owner_of(scope)
            if kind == _CLASS_BODY:
                return -1, owner
            if kind == _FUNCTION_BODY and not program.definitions[owner].flags & _LEXICAL_SELF:
                around = program.class_of[owner]
                return owner, around if around >= 0 else owner
            scope = program.parent_of(scope)
        return -1, -1

    def own(self, scope: int, _shape: Expression) -> Values:
        """Values of ``this``."""
        function, owner = self.owner(scope)
        if function >= 0 and self.program.class_of[function] >= 0:
            return self.engine.calls.receiver(function)
        return {instance(owner, exact=False): INFERRED} if owner >= 0 else EMPTY

    def above(self, scope: int, shape: Expression) -> Values:
        """Values of ``super``: a class to look past, on a receiver."""
        if len(shape[1]) == 2:
            found: Values = {}
            for owner in self.engine.evaluate(scope, shape[1][0]):
                for receiver in self.engine.evaluate(scope, shape[1][1]):
                    if owner[0] == CLASS:
                        found[(SUPER, owner[1], receiver)] = EXACT
            return found
        function = self.program.function_around(scope)
        while function >= 0 and self.program.class_of[function] < 0:
            function = self.program.function_around(self.program.scope_of(function))
        if function < 0:
            return EMPTY
        receivers = self.engine.calls.receiver(function)
        return {(SUPER, self.program.class_of[function], receiver): EXACT for receiver in receivers}
