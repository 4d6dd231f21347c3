"""What a file answers when others ask: by name, comparable between two states of a repository.

Values are told in lasting numbers. A function among them is told with whether its own answers have changed, and what is
inside a container with it where the container's file was looked at: so a change shows through whatever carries it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from code_review_graph.facts import Definition, ScopeKind, Tag
from code_review_graph.resolving.names import STAR
from code_review_graph.resolving.partial.numbers import slot_of
from code_review_graph.resolving.partial.source import NotInPart
from code_review_graph.resolving.partial.touched import Touched
from code_review_graph.resolving.partial.world import World
from code_review_graph.resolving.tables import LinkKind
from code_review_graph.values import (
    BOUND,
    CLASS,
    CONTAINER,
    EXTERNAL_INSTANCE,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    PARAMETER,
    Value,
    Values,
    instance,
)

_CALLABLE: Final = frozenset({FUNCTION, BOUND, GENERATOR})
_MAX_INSIDE: Final = 8

Answer = Hashable
# Where the name of an attribute stands in an entry.
_NAMED: Final = {LinkKind.WRITE: 1, LinkKind.MODULE_WRITE: 0}
# Of a name: what a definition answers, what a member of a class is, and all else.
_DEFINED: Final = "definition"
_MEMBER: Final = "member"
_OTHER: Final = "other"


@dataclass(frozen=True, slots=True)
class FileAnswers:
    """Answers of a file by the name under which others ask; under "" those that nobody asks by name."""

    names: dict[str, list[tuple[str, Hashable, Answer]]]
    definitions: dict[int, Answer]
    classes: dict[int, Answer]  # look-up orders and type variables
    items: dict[tuple[int, Hashable], list[Answer]]  # what the file puts into containers, by container
    owners: dict[int, int]  # classes of the definitions that are members
    apart: set[tuple[int, str]]  # classes and names of members that nothing above them leads to


class Answers:
    """Answers of one world; ``changed`` are functions and parameters, by lasting number, that answer otherwise now."""

    def __init__(self, world: World, dirty: set[int], changed: set[Hashable]) -> None:
        self._world = world
        self._dirty = dirty
        self._changed = changed
        self._inside: list[Value] = []

    # -- values

    def of_values(self, values: Values) -> Answer:
        """Values, in their order."""
        return tuple([(self.of_value(value), certainty) for value, certainty in values.items()])

    def of_value(self, value: Value) -> Answer:
        """One value, with what shows through it."""
        numbers = self._world.numbers
        kind = value[0]
        if kind in _CALLABLE:
            rest = [self.of_value(item) if isinstance(item, tuple) else item for item in value[2:]]
            lasting = numbers.definition(value[1])
            return (kind, lasting, lasting in self._changed, *rest)
        if kind == PARAMETER:
            lasting = numbers.definition(value[1])
            return (kind, lasting, value[2], (lasting, value[2]) in self._changed)
        if kind == CONTAINER:
            return self._of_container(value)
        if kind in {INSTANCE, EXTERNAL_INSTANCE} and value[-1]:
            arguments = tuple([frozenset([self.of_value(item) for item in argument]) for argument in value[-1]])
            head = (kind, value[1]) if kind == EXTERNAL_INSTANCE else (kind, numbers.definition(value[1]), value[2])
            return (*head, arguments)
        return numbers.value(value)

    def _of_container(self, value: Value) -> Answer:
        numbers, program = self._world.numbers, self._world.program
        file = program.scope_file[value[1]]
        lasting = numbers.value(value)
        if file not in self._dirty or value in self._inside or len(self._inside) > _MAX_INSIDE:
            return lasting
        self._inside.append(value)
        try:
            return (lasting, self._contents(value, program.expressions[file][value[2]]))
        finally:
            self._inside.pop()

    def _contents(self, value: Value, shape: tuple[Any, ...]) -> Answer:
        engine, scope = self._world.engine, value[1]
        parts: list[tuple[int, int]] = []
        if shape[0] in {Tag.SEQUENCE, Tag.CALL}:
            parts = [(scope, item) for item in shape[2]]
        elif shape[0] == Tag.MAPPING:
            parts = [(scope, item) for pair in shape[1] for item in pair]
        elif shape[0] == Tag.GENERATE:
            start = self._world.program.scope_base[self._world.program.scope_file[scope]]
            parts = [(start + shape[1], shape[2])]
        for where, key, item, _ in engine.members_of.writes.items(value):
            parts += [(where, key), (where, item)]
        return tuple([self.of_values(engine.evaluate(*part)) for part in parts])

    # -- a file

    def of_file(self, file: int, only: Touched | None = None) -> FileAnswers:
        """All that a file answers, or ``only`` what some of its parts do."""
        program, engine, numbers = self._world.program, self._world.engine, self._world.numbers
        found = FileAnswers(defaultdict(list), {}, {}, defaultdict(list), {}, set())
        facts = program.files[file]
        base = program.definition_base[file]
        for number in range(base, base + len(facts.definitions)):
            definition = program.definitions[number]
            at_large = program.scopes[program.scope_of(number)].kind != ScopeKind.FUNCTION
            name = (definition.key or definition.name) if at_large else ""
            lasting = numbers.definition(number)
            is_asked = only is None or slot_of(lasting) in only.definitions
            if program.class_of[number] >= 0:
                found.owners[lasting] = numbers.definition(program.class_of[number])
            if is_asked:
                found.definitions[lasting] = answer = self._of_definition(number)
                for known_as in {name, definition.alias or name}:
                    found.names[known_as].append((_DEFINED, lasting, answer))
            if program.is_class(number):
                # The order of a class rests on itself and on what its bases mean.
                found.classes[lasting] = self._of_class(number) if is_asked else None
                self._add_members(found, number, only)
        for name, bindings in program.scopes[program.scope_base[file]].bindings.items():
            if only is not None and name not in only.names:
                continue
            is_star = name == STAR
            answer = repr(bindings) if is_star else self.of_values(engine.names.in_module(file, name))
            found.names[name].append((_OTHER, None, answer))
        for name in facts.exports or ():
            if only is None or name in only.names:
                found.names[name].append((_OTHER, None, "exported"))
        self._add_writes(found, file, only)
        return found

    def _of_definition(self, number: int) -> Answer:
        """What a definition itself answers."""
        program, engine = self._world.program, self._world.engine
        definition = program.definitions[number]
        found: list[Answer] = [_header(definition), self.of_values(engine.defined(number))]
        if definition.body >= 0 and not program.is_class(number):
            found.append(self.of_values(engine.calls.returns(number)))
            places = range(len(definition.parameters))
            found.append(tuple([self.of_values(engine.calls.parameter(number, place)) for place in places]))
            if definition.yields:
                found.append(self.of_values(engine.elements({(GENERATOR, number, None): 0})))
        if definition.underlying > 0:
            found.append(self.of_values(engine.calls.underlying(number)))
        return tuple(found)

    def _of_class(self, number: int) -> Answer:
        engine, numbers = self._world.engine, self._world.numbers
        order = engine.linearization(number)
        variables = engine.generics.parameters(number)
        return (
            tuple([numbers.definition(item) if isinstance(item, int) else item for item in order]),
            tuple([numbers.value(item) for item in variables]),
        )

    def _add_members(self, found: FileAnswers, owner: int, only: Touched | None) -> None:
        program, members = self._world.program, self._world.engine.members_of
        lasting = self._world.numbers.definition(owner)
        for key in dict.fromkeys((*program.own_keys(owner), *members.writes.names_of(owner))):
            if only is not None and key not in only.writes and (slot_of(lasting), key) not in only.members:
                continue
            if self._stands_apart(owner, key):
                found.apart.add((lasting, key))
            for receiver in (instance(owner, exact=False), (CLASS, owner, True)):
                values = members.own(owner, receiver, key)
                found.names[key].append((_MEMBER, lasting, None if values is None else self.of_values(values)))

    def _stands_apart(self, owner: int, key: str) -> bool:
        """Whether only who knows a class meets its member: no base knows the name, nor leaves it to heirs."""
        program, order = self._world.program, self._world.engine.linearization(owner)[1:]
        bases = [base for base in order if isinstance(base, int)]
        if not bases:
            return True
        leaves_it = not any(isinstance(base, str) and base != "builtins.object" for base in order)
        return not leaves_it and not any(key in program.own_keys(base) for base in bases)

    def _add_writes(self, found: FileAnswers, file: int, only: Touched | None) -> None:
        """What a file writes into the classes and modules of others, and puts into containers."""
        engine, numbers = self._world.engine, self._world.numbers
        brought = self._world.brought_by(file)
        for kind in (LinkKind.WRITE, LinkKind.MODULE_WRITE, LinkKind.ITEM):
            for link in brought.get(kind, ()):
                if only is not None and not (
                    only.items if kind == LinkKind.ITEM else link.entry[_NAMED[kind]] in only.writes
                ):
                    continue
                if kind == LinkKind.WRITE and link.target != file:
                    owner, name, scope, *written = link.entry
                    values = self.of_values(engine.evaluate(scope, written[0]))
                    declared = self.of_values(engine.types(scope, written[1]))
                    found.names[name].append((_OTHER, numbers.definition(owner), (values, declared)))
                elif kind == LinkKind.MODULE_WRITE:
                    name, scope, value = link.entry
                    target = numbers.ids[link.target]
                    found.names[name].append((_OTHER, target, self.of_values(engine.evaluate(scope, value))))
                elif kind == LinkKind.ITEM:
                    key, scope, *put = link.entry
                    shown = [self.of_values(engine.evaluate(scope, item)) for item in put[:2]]
                    told = (numbers.ids[link.target], numbers.value(numbers.as_value(key)))
                    found.items[told].append(tuple(shown))


def _header(definition: Definition) -> Answer:
    parameters = tuple(
        [(item.name, item.kind, item.annotation > 0, item.default > 0) for item in definition.parameters]
    )
    return (
        *(definition.kind, definition.flags, definition.name, definition.key, definition.alias, definition.uses),
        *(definition.parameter_types, parameters, definition.returns > 0, definition.decorated >= 0),
        *(bool(definition.yields), len(definition.bases)),
    )


@dataclass(frozen=True, slots=True)
class Difference:
    """Names that are answered otherwise, and the definitions that answer otherwise, by lasting number."""

    names: frozenset[str]
    definitions: frozenset[int]
    containers: frozenset[int]  # files, by their ids, into whose containers something else is put
    is_nameless: bool  # whether something that nobody asks by name is among it
    made: frozenset[int]  # classes that are made otherwise


def compare(old: FileAnswers, new: FileAnswers, constructors: frozenset[str]) -> Difference:
    """What differs. Raises NotInPart for a difference that may be felt where no name is written."""
    names = {name for name in {*old.names, *new.names} if _entries(name, old, new) != _entries(name, new, old)}
    if STAR in names or any(new.classes.get(item, order) != order for item, order in old.classes.items()):
        raise NotInPart
    made: set[int] = set()
    for name in names:
        if name.startswith("__") and name.endswith("__"):
            implied = _implied(name, old, new)
            if name in constructors:
                made |= implied
            elif implied or name == "__getattr__":
                raise NotInPart
    both = {*old.definitions, *new.definitions}
    changed = {item for item in both if old.definitions.get(item) != new.definitions.get(item)}
    keys = {key for key in {*old.items, *new.items} if old.items.get(key) != new.items.get(key)}
    holders = frozenset(key[0] for key in keys)
    asked = frozenset(names - {"", *constructors})
    return Difference(asked, frozenset(changed), holders, "" in names, frozenset(made))


def _entries(name: str, side: FileAnswers, other: FileAnswers) -> list[tuple[str, Hashable, Answer]]:
    """Answers to a name, without members of a class that only this side has and that nothing leads to."""
    return [entry for entry in side.names.get(name, ()) if not _is_apart(name, entry, side, other)]


def _is_apart(name: str, entry: tuple[str, Hashable, Answer], side: FileAnswers, other: FileAnswers) -> bool:
    owner = entry[1]
    if entry[0] == _DEFINED and isinstance(owner, int):
        owner = side.owners.get(owner, -1)
    elif entry[0] != _MEMBER:
        return False
    return owner in side.classes and owner not in other.classes and (owner, name) in side.apart


def _implied(name: str, old: FileAnswers, new: FileAnswers) -> set[int]:
    """Classes that were there before of which a special member answers otherwise: constructs ask without a name."""
    found: set[int] = set()
    for owner in old.classes.keys() & new.classes.keys():
        sides = [
            [
                entry
                for entry in side.names.get(name, ())
                if (entry[0] == _MEMBER and entry[1] == owner)
                or (entry[0] == _DEFINED and isinstance(entry[1], int) and side.owners.get(entry[1]) == owner)
            ]
            for side in (old, new)
        ]
        if sides[0] != sides[1]:
            found.add(owner)
    return found
