"""Which parts of a file can answer otherwise: those that an edit touched, and those that use what answers otherwise.

A part that says the same as before, wherever in the file it stands now, can answer otherwise only because something
that it names does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from code_review_graph.facts import Binding, BindingKind, FileFacts, ScopeKind, Tag
from code_review_graph.outlines import imported_names, names_in
from code_review_graph.resolving.partial.numbers import Slots
from code_review_graph.resolving.partial.slots import OPERANDS

Telling = dict[Hashable, Hashable]


@dataclass(slots=True)
class Touched:
    """Parts of a file, by slot or name."""

    definitions: set[int] = field(default_factory=set[int])
    members: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])  # class and name
    names: set[str] = field(default_factory=set[str])  # of the module
    writes: set[str] = field(default_factory=set[str])  # attributes that are written
    items: bool = False  # whether something is put into containers
    callers: set[int] = field(default_factory=set[int])  # definitions in which something is called; -1 for the module

    def add(self, other: Touched) -> bool:
        """Take in other parts; whether any of them was new."""
        size = self._size()
        self.definitions |= other.definitions
        self.members |= other.members
        self.names |= other.names
        self.writes |= other.writes
        self.items = self.items or other.items
        self.callers |= other.callers
        return self._size() > size

    def is_empty(self) -> bool:
        """Whether there are none."""
        return not self._size()

    def _size(self) -> int:
        parts = (self.definitions, self.members, self.names, self.writes, self.callers)
        return sum(len(part) for part in parts) + self.items


def find_touched(old: FileFacts, old_slots: Slots | None, new: FileFacts, new_slots: Slots | None) -> Touched:
    """Compare what the parts of a file say."""
    before, after = _Reading(old, old_slots), _Reading(new, new_slots)
    definitions = _differing(before.definitions(), after.definitions())
    return Touched(
        definitions,
        _differing(before.members(), after.members()),
        _differing(before.names(), after.names()),
        _differing(before.writes(), after.writes()),
        before.items() != after.items(),
        _differing(before.sites(), after.sites()) | definitions,
    )


class Parts:
    """Finds the parts of a file that use a name."""

    def __init__(self, facts: FileFacts, slots: Slots | None) -> None:
        self._reading = _Reading(facts, slots, by_name=True)
        self._using: dict[str, Touched] = {}
        reading = self._reading
        self._enter("definitions", reading.definitions())
        self._enter("members", reading.members())
        self._enter("names", reading.names())
        self._enter("writes", reading.writes())
        self._enter("callers", reading.sites())
        for name in _words(reading.items()):
            self._part(name).items = True

    def _enter(self, kind: str, told: Mapping[Any, object]) -> None:
        for key, said in told.items():
            for name in _words(said):
                parts: set[Any] = getattr(self._part(name), kind)
                parts.add(key)

    def _part(self, name: str) -> Touched:
        return self._using.setdefault(name, Touched())

    def using(self, names: Iterable[str]) -> Touched:
        """Parts that use one of some names."""
        found = Touched()
        for name in names:
            if name in self._using:
                found.add(self._using[name])
        # What a definition says of itself is said where it is called, too.
        found.callers |= found.definitions
        return found


def _words(said: object) -> Iterator[str]:
    """Names in what was told by name."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, tuple | list | frozenset):
        for part in said:
            yield from _words(part)


def _differing(before: dict[Any, Any], after: dict[Any, Any]) -> set[Any]:
    return {key for key in {*before, *after} if before.get(key) != after.get(key)}


class _Reading:
    """What the parts of one state of a file say, comparable with another state."""

    def __init__(self, facts: FileFacts, slots: Slots | None, *, by_name: bool = False) -> None:
        self._facts = facts
        self._by_name = by_name  # whether only the names that are used are told
        self._definitions = slots.definitions if slots else range(len(facts.definitions))
        self._scopes = slots.scopes if slots else range(len(facts.scopes))
        self._told: dict[tuple[int, int], Hashable] = {}

    # -- parts

    def definitions(self) -> dict[int, Hashable]:
        """By slot: what a definition says of itself, and what its names are bound to."""
        inside: dict[int, list[Hashable]] = defaultdict(list)
        for number, scope in enumerate(self._facts.scopes):
            owner = self._owner(number)
            if owner >= 0 and scope.kind != ScopeKind.CLASS:
                inside[owner].append(self._bound(number))
        found: dict[int, Hashable] = {}
        for place, item in enumerate(self._facts.definitions):
            body = max(item.body, 0)
            around = [item.decorated, item.returns, item.underlying, item.owner, *item.bases, *item.decorators]
            parameters = [
                (one.name, one.kind, self.told(item.scope, one.annotation), self.told(item.scope, one.default))
                for one in item.parameters
            ]
            found[self._definitions[place]] = (
                *(item.kind, item.name, item.flags, item.alias, item.uses, item.key, self._scopes[item.scope]),
                *(item.parameter_types, item.qualifier, tuple(parameters)),
                tuple([self.told(item.scope, expression) for expression in around]),
                tuple([self.told(body, expression) for expression in (*item.results, -1, *item.yields)]),
                tuple(inside.get(place, ())),
            )
        return found

    def members(self) -> dict[tuple[int, str], Hashable]:
        """By class and name."""
        return {
            (self._definitions[scope.definition], name): self._bindings(number, bindings)
            for number, scope in enumerate(self._facts.scopes)
            if scope.kind == ScopeKind.CLASS and scope.definition >= 0
            for name, bindings in scope.bindings.items()
        }

    def names(self) -> dict[str, Hashable]:
        """Names of the module."""
        exports = set(self._facts.exports or ())
        found: dict[str, Hashable] = dict.fromkeys(exports, (None, True))
        for name, bindings in self._facts.scopes[0].bindings.items():
            found[name] = (self._bindings(0, bindings), name in exports)
        return found

    def writes(self) -> dict[str, list[Hashable]]:
        """Attributes that are written."""
        found: dict[str, list[Hashable]] = defaultdict(list)
        for write in self._facts.attribute_writes:
            parts = [self.told(write.scope, item) for item in (write.target, write.value, write.annotation)]
            found[write.name].append((self._scopes[write.scope], *parts))
        return found

    def items(self) -> list[Hashable]:
        """What is put into containers."""
        return [
            (
                self._scopes[write.scope],
                *[self.told(write.scope, item) for item in (write.target, write.key, write.value)],
                self._block(write.scope, write.block),
            )
            for write in self._facts.item_writes
        ]

    def sites(self) -> dict[int, list[Hashable]]:
        """Calls, by the slot of the definition in which they stand."""
        found: dict[int, list[Hashable]] = defaultdict(list)
        for site in (*self._facts.sites, *self._facts.loads):
            owner = self._owner(site.scope)
            key = self._definitions[owner] if owner >= 0 else -1
            found[key].append((self._scopes[site.scope], site.via, self.told(site.scope, site.expression)))
        return found

    # -- how they are told

    def _owner(self, scope: int) -> int:
        while scope >= 0:
            if self._facts.scopes[scope].definition >= 0:
                return self._facts.scopes[scope].definition
            scope = self._facts.scopes[scope].parent
        return -1

    def _bound(self, scope: int) -> Hashable:
        bindings = self._facts.scopes[scope].bindings
        return tuple([(name, self._bindings(scope, bound)) for name, bound in bindings.items()])

    def _bindings(self, scope: int, bindings: Sequence[Binding]) -> Hashable:
        return tuple([(kind, self._payload(scope, kind, load), self._block(scope, at)) for kind, load, at in bindings])

    def _payload(self, scope: int, kind: int, payload: Any) -> Hashable:  # noqa: ANN401 - as the kind has it
        if kind == BindingKind.DEFINITION:
            return int(self._definitions[payload])
        if kind == BindingKind.VALUE:
            return self.told(scope, payload)
        if kind in {BindingKind.DECLARED, BindingKind.NARROWED, BindingKind.EXCLUDED}:
            return tuple([self.told(scope, item) for item in payload])
        if kind in {BindingKind.IMPORT, BindingKind.PACKAGE}:
            return (*imported_names(payload), repr(payload))
        return repr(payload)

    def _block(self, scope: int, block: int) -> Hashable:
        """A block by its place in its scope, with the loops around."""
        if block < 0:
            return block
        start = self._facts.scopes[scope].block
        chain: list[tuple[int, bool]] = []
        while block >= max(start, 0) and block >= 0:
            item = self._facts.blocks[block]
            chain.append((block - start, item.is_loop))
            block = item.parent
        return tuple(chain)

    def told(self, scope: int, expression: int) -> Hashable:
        """What an expression says where it stands."""
        if expression <= 0:
            return 0
        key = (scope, expression)
        known = self._told.get(key)
        if known is None:
            self._told[key] = 0  # no expression is part of itself; one that is all the same says nothing
            shape = self._facts.expressions[expression]
            told: Hashable = self._tell(scope, shape)
            known = frozenset((*names_in(shape), *_words(told))) if self._by_name else hash(told)
            self._told[key] = known
        return known

    def _tell(self, scope: int, shape: tuple[Any, ...]) -> Hashable:
        if shape[0] == Tag.NAME:
            return (shape[0], shape[1], shape[2], self._block(scope, shape[3]))
        found: list[Hashable] = [shape[0]]
        inner = scope
        for kind, operand in zip(OPERANDS.get(shape[0], "").ljust(len(shape) - 1, "="), shape[1:], strict=False):
            if kind == "s":
                inner = operand
                found.append(self._scopes[operand])
            else:
                found.append(self._operand(inner, kind, operand))
        return tuple(found)

    def _operand(self, scope: int, kind: str, operand: Any) -> Hashable:  # noqa: ANN401 - as the kind has it
        if kind == "e":
            return self.told(scope, operand) if isinstance(operand, int) else repr(operand)
        if kind == "E":
            return tuple([self.told(scope, item) for item in operand])
        if kind == "N":
            return tuple([(name, self.told(scope, item)) for name, item in operand])
        if kind == "P":
            return tuple([(self.told(scope, one), self.told(scope, other)) for one, other in operand])
        return int(self._definitions[operand]) if kind == "d" else repr(operand)
