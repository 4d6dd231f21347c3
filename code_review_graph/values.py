"""What an expression may mean: small tuples, because a resolution makes millions of them.

A ``Values`` maps each possible value to its certainty; absent values are not claimed. Treat every ``Values`` as
immutable once it has been returned.
"""

from __future__ import annotations

from typing import Any, Final

Value = tuple[Any, ...]
Values = dict[Value, int]

# Certainties, from the surest; they become the ``resolution`` of an edge.
EXACT: Final = 0
INFERRED: Final = 1
DISPATCH: Final = 2

FUNCTION: Final = 0  # (definition)
CLASS: Final = 1  # (definition, is_exact): the class itself; not exact: perhaps a subclass
INSTANCE: Final = 2  # (class definition, is_exact, arguments: tuple[frozenset[Value], ...])
BOUND: Final = 3  # (function definition, receiver value)
MODULE: Final = 4  # (file index or -1, folder)
EXTERNAL: Final = 5  # (dotted name)
EXTERNAL_INSTANCE: Final = 6  # (dotted name of the type, arguments: tuple[frozenset[Value], ...])
SUPER: Final = 7  # (class definition to look past, receiver value)
CONTAINER: Final = 8  # (scope, expression that made it)
GENERATOR: Final = 9  # (function definition, receiver value or None)
PARAMETER: Final = 10  # (function definition, position): whatever a caller passes
LITERAL: Final = 11  # (builtin type, value)
EXTERNAL_METHOD: Final = 12  # (owner value, name)
TYPE_VARIABLE: Final = 14  # (scope, expression that makes it)
OWN_INSTANCE: Final = 13  # (method): an instance of the class on which the method is called

EMPTY: Final[Values] = {}
# More possible values than this say nothing.
MAX_VALUES: Final = 32


def instance(definition: int, *, exact: bool, arguments: tuple[frozenset[Value], ...] = ()) -> Value:
    """A value of a class of the repository."""
    return (INSTANCE, definition, exact, arguments)


def external_instance(dotted: str, *arguments: Values) -> Value:
    """A value of a type outside the repository, with its type arguments."""
    return (EXTERNAL_INSTANCE, dotted, tuple([frozenset(values) for values in arguments]))


def is_settled(bound: Value) -> bool:
    """Whether a bound method is the one that runs, whatever overrides it below (``super()`` found it)."""
    return bound[3:] == (True,)


def merge(into: Values, values: Values, floor: int = EXACT) -> Values:
    """Add ``values`` to ``into``, none surer than ``floor``; returns ``into``."""
    if not values:
        return into
    if not into and floor == EXACT:
        into.update(values)
        return into
    for value, certainty in values.items():
        level = certainty if certainty > floor else floor  # noqa: FURB136 - a call is felt here, two million times
        known = into.get(value)
        if known is None:
            if len(into) < MAX_VALUES:
                into[value] = level
        elif level < known:
            into[value] = level
    return into


def at_least(values: Values, floor: int) -> Values:
    """The same values, none surer than ``floor``."""
    if floor == EXACT or not values or min(values.values()) >= floor:
        return values
    return {value: max(certainty, floor) for value, certainty in values.items()}


def as_values(members: frozenset[Value], certainty: int = INFERRED) -> Values:
    """Type arguments back as values, in a stable order."""
    return dict.fromkeys(sorted(members, key=repr), certainty) if members else EMPTY
