"""What the call sites of dirty files pass, before and after an edit, and what the parameters that they fill are now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

from code_review_graph.resolving.partial.answers import Answers
from code_review_graph.resolving.partial.numbers import Stale, slot_of
from code_review_graph.resolving.partial.world import CALL_KINDS, World
from code_review_graph.resolving.passing import MAX_CALLERS
from code_review_graph.resolving.tables import Link, LinkKind
from code_review_graph.values import Values

if TYPE_CHECKING:
    from code_review_graph.resolving.partial.spread import Spread

_CALLS: Final = frozenset({LinkKind.PASS, LinkKind.PASS_ON})
_TOLD: Final = (LinkKind.FEED, LinkKind.GIVE, LinkKind.GIVE_ON)
_GIVES: Final = frozenset({LinkKind.GIVE, LinkKind.GIVE_ON})

Arguments = Mapping[int, list[Hashable]]  # by the lasting number of the function that is called


def changed_parameters(spread: Spread, level: int) -> dict[tuple[int, int], Values]:
    """Parameters that are something else at a level, with what they are; both worlds know the level before."""
    world = spread.new
    by_file: dict[int, set[int]] = defaultdict(set)
    for lasting in _touched(spread, level):
        try:
            function = world.numbers.definition_at(lasting)
        except Stale:
            continue
        by_file[world.program.definition_file[function]].add(function)
    found: dict[tuple[int, int], Values] = {}
    for file, functions in by_file.items():
        known = world.passed_to(file, level)
        world.engine.passing.clear_calls()
        world.load_calls(file, with_passed_on=level > 1)
        for function in sorted(functions):
            spread.hurry()
            now = dict(world.engine.passing.next_of(function))
            for place in range(len(world.program.definitions[function].parameters)):
                values = now.get(place, {})
                if list(values.items()) != list(known.get((function, place), {}).items()):
                    found[(function, place)] = values
    world.engine.passing.clear_calls()
    return found


def _touched(spread: Spread, level: int) -> set[int]:
    """Functions, by lasting number, of which a dirty file tells something else now."""
    kinds = CALL_KINDS if level > 1 else CALL_KINDS[:3]
    before = Answers(spread.old, spread.dirty_before, set())
    now = Answers(spread.new, spread.dirty, spread.changed)
    found: set[int] = set()
    for file in sorted(spread.dirty):
        spread.hurry()
        old_file = spread.edit.before(file)
        only = spread.only(file)
        callers = None if only is None else only.callers
        was = _arguments(spread.old, before, old_file, kinds, callers) if old_file >= 0 else {}
        is_now = _arguments(spread.new, now, file, kinds, callers)
        differing = {item for item in {*was, *is_now} if was.get(item) != is_now.get(item)}
        found |= {item for item in differing if _is_heard(spread.new, item, file, with_passed_on=level > 1)}
        found |= {item for item in _own(spread.new, file) if item in spread.changed}
    for file in spread.gone:
        found |= set(_arguments(spread.old, before, file, kinds, None))
    return found


def _is_heard(world: World, lasting: int, file: int, *, with_passed_on: bool) -> bool:
    """Whether a file is among the callers of a function that are listened to; surely not behind very many others."""
    try:
        function = world.numbers.definition_at(lasting)
    except Stale:
        return False
    target = world.program.definition_file[function]
    brought = world.brought_by(file)
    if any(link.entry[0] == function for kind in _TOLD for link in brought.get(kind, ())):
        return True
    calls = [link.source for link in world.brought_to(target, LinkKind.PASS) if link.entry[0] == function]
    before = sum(source < file for source in calls)
    return before < MAX_CALLERS or (with_passed_on and len(calls) < MAX_CALLERS)


def _own(world: World, file: int) -> list[int]:
    start = world.program.definition_base[file]
    return [world.numbers.definition(number) for number in range(start, start + world.program.definition_count(file))]


def _arguments(
    world: World, answers: Answers, file: int, kinds: tuple[LinkKind, ...], callers: AbstractSet[int] | None
) -> Arguments:
    """What a file passes, or what some of its definitions do, by the function that is called."""
    found: dict[int, list[Hashable]] = defaultdict(list)
    brought = world.brought_by(file)
    for kind in kinds:
        for link in brought.get(kind, ()):
            if callers is not None and _caller(world, link) not in callers:
                continue
            found[world.numbers.definition(link.entry[0])].append(_told(world, answers, link))
    return found


def _caller(world: World, link: Link) -> int:
    """Slot of the definition in which a call stands; -1 for the module."""
    program = world.program
    scope = link.entry[4] if link.kind in _GIVES else link.entry[1]
    while scope >= 0 and program.owner_of(scope) < 0:
        scope = program.parent_of(scope)
    return slot_of(world.numbers.definition(program.owner_of(scope))) if scope >= 0 else -1


def _told(world: World, answers: Answers, link: Link) -> Hashable:
    """What one site passes, comparable between worlds."""
    engine, shapes = world.engine, world.program.expressions[link.source]
    if link.kind == LinkKind.FEED:
        _, scope, sequences = link.entry
        return tuple([answers.of_values(engine.iterate(engine.evaluate(scope, item))) for item in sequences])
    if link.kind in _CALLS:
        function, scope, call, offset = link.entry
        site = (scope, shapes[call], offset)
        passing = engine.passing
        return tuple(
            [
                tuple([answers.of_values(engine.expand(engine.evaluate(*part))) for part in parts])
                for place in passing.open_parameters(function)
                for parts in [passing.argument(function, place, site)]
            ]
        )
    _, callee, taking, receiver, scope, call, offset = link.entry
    given = None if receiver is None else answers.of_value(receiver)
    values = answers.of_values(engine.evaluate(scope, shapes[call][1]))
    return (world.numbers.definition(callee), taking, given, offset, values)
