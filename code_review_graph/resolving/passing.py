"""What callers pass for parameters: call sites by the function that they call, and tables of values made of them.

The tables grow by levels. The first holds what call sites pass when nothing is known of the parameters around them;
each further one reads its arguments by the level before. So what is passed on and on arrives a step a level, and no
value depends on the order in which sites were seen, but for the bounds on their number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from code_review_graph.facts import Expression, ParameterKind
from code_review_graph.resolving.contexts import Contexts
from code_review_graph.resolving.tables import Link, LinkKind
from code_review_graph.values import EMPTY, INFERRED, PARAMETER, Value, Values, external_instance, merge

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

# Call sites of one function whose arguments are looked at; the rest seldom say anything new.
MAX_CALLERS: Final = 48

Incoming = tuple[int, Expression, int]  # scope of the site, call expression, parameters that the receiver takes


class Passing:
    """Tables of what is passed."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program
        self.contexts = Contexts(engine)
        self._fed: dict[int, dict[tuple[int, tuple[int, ...]], None]] = defaultdict(dict)
        # By the function that is called: its call sites, each with the number of the call in its file.
        self._incoming: dict[int, dict[Incoming, int]] = defaultdict(dict)
        self._open: dict[int, tuple[int, ...]] = {}  # by function, its parameters that are what callers pass
        self._at_first: dict[int, tuple[int, int]] = {}  # how many sites and contexts were known before the first level
        self.known: dict[tuple[int, int], Values] = {}

    # -- filling

    def feed(self, function: int, scope: int, sequences: tuple[int, ...]) -> None:
        """Remember sequences whose elements something outside passes to a function, one for each parameter."""
        self._fed[function][(scope, sequences)] = None

    def add_caller(self, function: int, site: Incoming, call: int) -> None:
        """Remember a call site of a function, for what it passes; ``call`` is the call expression's number."""
        self._incoming[function].setdefault(site, call)

    def add(self, link: Link) -> None:
        """Enter what a link says."""
        kind, source, _, entry = link
        shapes = self.program.expressions[source]
        if kind == LinkKind.FEED:
            self.feed(*entry)
        elif kind in {LinkKind.PASS, LinkKind.PASS_ON}:
            function, scope, call, offset = entry
            self.add_caller(function, (scope, shapes[call], offset), call)
        else:
            function, callee, taking, receiver, scope, call, offset = entry
            self.contexts.give(function, (callee, taking, receiver, (scope, shapes[call], offset)), call)

    def clear(self) -> None:
        """Empty all tables."""
        self.clear_calls()
        self.known.clear()

    def clear_calls(self) -> None:
        """Forget the call sites, not what they pass."""
        for table in (self._fed, self._incoming, self.contexts.given, self._open):
            table.clear()

    def links(self, *, first_only: bool = False) -> Iterator[Link]:
        """All that the tables hold; with ``first_only`` as if no level had been reached."""
        file_of, where = self.program.definition_file, self.program.scope_file
        for function, sites in self._incoming.items():
            first = len(sites) if first_only else self._at_first.get(function, (0, 0))[0]
            for place, ((scope, _, offset), call) in enumerate(sites.items()):
                kind = LinkKind.PASS if place < first else LinkKind.PASS_ON
                yield Link(kind, where[scope], file_of[function], (function, scope, call, offset))
        for function, feeds in self._fed.items():
            for scope, sequences in feeds:
                yield Link(LinkKind.FEED, where[scope], file_of[function], (function, scope, sequences))
        for function, places in self.contexts.given.items():
            first = len(places) if first_only else self._at_first.get(function, (0, 0))[1]
            for place, ((callee, taking, receiver, (scope, _, offset)), call) in enumerate(places.items()):
                kind = LinkKind.GIVE if place < first else LinkKind.GIVE_ON
                entry = (function, callee, taking, receiver, scope, call, offset)
                yield Link(kind, where[scope], file_of[function], entry)

    # -- levels

    def of(self, function: int, position: int) -> Values:
        """What is passed for a parameter, by the level reached."""
        self.engine.taint += 1
        self.engine.loader.need(self.program.definition_file[function])
        known = self.known.get((function, position), EMPTY)
        if self.program.definitions[function].underlying <= 0:
            return known
        return merge(dict(self.contexts.declared(function, position)), known)

    def advance(self) -> None:
        """Go a level on."""
        if not self._at_first:
            given = self.contexts.given
            functions = {*self._incoming, *given}
            self._at_first = {item: (len(self._incoming.get(item, ())), len(given.get(item, ()))) for item in functions}
        self.engine.next_level()
        found: dict[tuple[int, int], Values] = {}
        for function in sorted({*self._incoming, *self._fed, *self.contexts.given}):
            for position, values in self.next_of(function):
                found[(function, position)] = values
        self.known = found
        self.engine.next_level()

    def next_of(self, function: int) -> Iterator[tuple[int, Values]]:
        """What the parameters of a function are at the next level, where anything is."""
        for position in self.open_parameters(function):
            values = self._from_callers(function, position)
            if values:
                yield position, values

    def open_parameters(self, function: int) -> tuple[int, ...]:
        """Parameters of a function that are what callers pass, or may be."""
        if function not in self._open:
            self._open[function] = self._open_parameters(function)
        return self._open[function]

    def _open_parameters(self, function: int) -> tuple[int, ...]:
        first = int(self.program.takes_receiver(function))
        places = range(first, len(self.program.definitions[function].parameters))
        parameter = self.engine.calls.parameter
        found = [place for place in places if (PARAMETER, function, place) in parameter(function, place)]
        # A method that gives back its receiver may be called with that as a plain argument.
        return (0, *found) if first else tuple(found)

    def _from_callers(self, function: int, position: int) -> Values:
        engine = self.engine
        found: Values = {}
        for scope, sequences in islice(self._fed.get(function, ()), MAX_CALLERS):
            if position < len(sequences):
                merge(found, engine.iterate(engine.evaluate(scope, sequences[position])), INFERRED)
        merge(found, self.contexts.parameter(function, position), INFERRED)
        for site in islice(self._incoming.get(function, ()), MAX_CALLERS):
            for scope, expression in self.argument(function, position, site):
                merge(found, engine.expand(engine.evaluate(scope, expression)), INFERRED)
        kind = self.program.definitions[function].parameters[position].kind
        if found and kind in {ParameterKind.STAR, ParameterKind.DOUBLE_STAR}:
            return {collected(kind, found): INFERRED}
        return found

    def argument(self, function: int, position: int, site: Incoming) -> list[tuple[int, int]]:
        """(scope, expression) that a call site passes for a parameter; its default when the site passes nothing."""
        scope, (_, _, positional, keywords, has_star), offset = site
        definition = self.program.definitions[function]
        parameter = definition.parameters[position]
        place = position - offset
        if parameter.kind == ParameterKind.STAR:
            return [(scope, expression) for expression in positional[max(place, 0) :]]
        if parameter.kind == ParameterKind.DOUBLE_STAR:
            taken = {item.name for item in definition.parameters}
            return [(scope, expression) for name, expression in keywords if name not in taken]
        for name, expression in keywords:
            if name == parameter.name:
                return [(scope, expression)]
        if parameter.kind == ParameterKind.POSITIONAL and 0 <= place < len(positional):
            return [(scope, positional[place])]
        if parameter.default > 0 and not has_star:
            return [(self.program.scope_of(function), parameter.default)]
        return []


def collected(kind: int, values: Values) -> Value:
    """What ``*args`` and ``**kwargs`` hold."""
    if kind == ParameterKind.STAR:
        return external_instance("builtins.list", values)
    return external_instance("builtins.dict", EMPTY, values)
