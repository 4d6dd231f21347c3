"""The parts of a program under numbers that outlast it: a file's id, and a slot that an edit leaves alone."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from code_review_graph.program import Program
from code_review_graph.resolving.tables import Entry, Link, LinkKind
from code_review_graph.values import (
    BOUND,
    CLASS,
    CONTAINER,
    EXTERNAL_INSTANCE,
    EXTERNAL_METHOD,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    MODULE,
    OWN_INSTANCE,
    PARAMETER,
    SUPER,
    TYPE_VARIABLE,
    Value,
    Values,
)

_BITS: Final = 24
_MASK: Final = (1 << _BITS) - 1
_PLACED: Final = frozenset({CONTAINER, TYPE_VARIABLE})
_DEFINED: Final = frozenset({FUNCTION, CLASS, INSTANCE, BOUND, SUPER, GENERATOR, PARAMETER, OWN_INSTANCE})
_WRITES: Final = frozenset({LinkKind.OWN_WRITE, LinkKind.WRITE})
_ITEMS: Final = frozenset({LinkKind.FIRST_ITEM, LinkKind.ITEM})


class Slots(NamedTuple):
    """Slots of an edited file's definitions, scopes and expressions, by place; and the first free one of each."""

    definitions: list[int]
    scopes: list[int]
    expressions: list[int]
    free: tuple[int, int, int]

    def pack(self) -> bytes:
        """As bytes for the store."""
        return marshal.dumps(tuple(self))


def unpack_slots(packed: bytes | None) -> Slots | None:
    """Inverse of ``pack``; a file that was never edited has each part in the slot of its place."""
    return None if packed is None else Slots._make(marshal.loads(packed))  # noqa: S302 - our own bytes


def slot_of(lasting: int) -> int:
    """The slot in a lasting number."""
    return lasting & _MASK


class Stale(Exception):  # noqa: N818 - no error: what is left over from something that is gone
    """A number that stands for nothing any more."""


class Numbers:
    """Translates between a program's numbers and lasting ones."""

    def __init__(self, program: Program, ids: Sequence[int], slots: Callable[[int], Slots | None]) -> None:
        self._program = program
        self.ids = ids
        self.file_of_id = {file_id: file for file, file_id in enumerate(ids)}
        self._slots_of = slots
        self._places: dict[tuple[int, int], dict[int, int]] = {}

    # -- parts

    def definition(self, number: int) -> int:
        """A definition's lasting number."""
        file = self._program.definition_file[number]
        return self.ids[file] << _BITS | self._slot(file, 0, number - self._program.definition_base[file])

    def scope(self, number: int) -> int:
        """A scope's lasting number."""
        file = self._program.scope_file[number]
        return self.ids[file] << _BITS | self._slot(file, 1, number - self._program.scope_base[file])

    def definition_at(self, lasting: int) -> int:
        """The definition behind a lasting number. Raises Stale."""
        file = self.file(lasting >> _BITS)
        return self._program.definition_base[file] + self._place(file, 0, lasting & _MASK)

    def scope_at(self, lasting: int) -> int:
        """The scope behind a lasting number. Raises Stale."""
        file = self.file(lasting >> _BITS)
        return self._program.scope_base[file] + self._place(file, 1, lasting & _MASK)

    def file(self, file_id: int) -> int:
        """The file with an id. Raises Stale."""
        if file_id < 0:
            return file_id
        if file_id not in self.file_of_id:
            raise Stale
        return self.file_of_id[file_id]

    def file_of(self, lasting: int) -> int:
        """The file of a lasting number. Raises Stale."""
        return self.file(lasting >> _BITS)

    def _slot(self, file: int, kind: int, place: int) -> int:
        slots = self._slots_of(file)
        return place if slots is None else slots[kind][place]

    def _place(self, file: int, kind: int, slot: int) -> int:
        slots = self._slots_of(file)
        if slots is None:
            return slot
        key = (file, kind)
        if key not in self._places:
            listed: list[int] = slots[kind]  # type: ignore[assignment]
            self._places[key] = {item: place for place, item in enumerate(listed)}
        place = self._places[key].get(slot)
        if place is None:
            raise Stale
        return place

    # -- values

    def value(self, value: Value) -> Value:
        """A value in lasting numbers."""
        kind = value[0]
        if kind in _DEFINED:
            return (kind, self.definition(value[1]), *[self._rest(item) for item in value[2:]])
        if kind in _PLACED:
            file = self._program.scope_file[value[1]]
            return (kind, self.scope(value[1]), self._slot(file, 2, value[2]))
        if kind == MODULE:
            return (kind, self.ids[value[1]] if value[1] >= 0 else -1, value[2])
        if kind == EXTERNAL_INSTANCE:
            return (kind, value[1], self._rest(value[2]))
        return (kind, self.value(value[1]), value[2]) if kind == EXTERNAL_METHOD else value

    def _rest(self, item: Any) -> Any:  # noqa: ANN401 - a flag, a receiver or type arguments
        if isinstance(item, tuple):
            if item and isinstance(item[0], int):
                return self.value(item)
            return tuple([frozenset([self.value(inner) for inner in argument]) for argument in item])
        return item

    def value_at(self, value: Value) -> Value:
        """Inverse of ``value``. Raises Stale."""
        kind = value[0]
        if kind in _DEFINED:
            return (kind, self.definition_at(value[1]), *[self._rest_at(item) for item in value[2:]])
        if kind in _PLACED:
            scope = self.scope_at(value[1])
            return (kind, scope, self._place(self._program.scope_file[scope], 2, value[2]))
        if kind == MODULE:
            return (kind, self.file(value[1]), value[2])
        if kind == EXTERNAL_INSTANCE:
            return (kind, value[1], self._rest_at(value[2]))
        return (kind, self.value_at(value[1]), value[2]) if kind == EXTERNAL_METHOD else value

    def _rest_at(self, item: Any) -> Any:  # noqa: ANN401 - a flag, a receiver or type arguments
        if isinstance(item, tuple):
            if item and isinstance(item[0], int):
                return self.value_at(item)
            return tuple([frozenset([self.value_at(inner) for inner in argument]) for argument in item])
        return item

    # -- entries; what is of the source stays as it is, for its edits write its entries anew

    def entry(self, link: Link) -> Entry:
        """A link's entry in lasting numbers."""
        kind, source, target, entry = link
        start = self._program.scope_base[source]
        if kind == LinkKind.MODULE_WRITE:
            name, scope, value = entry
            return (name, scope - start, value)
        if kind in _ITEMS:
            key, scope, *rest = entry
            return (self.value(self.as_value(key)), scope - start, *rest)
        base = self._program.definition_base
        slot = self._slot(target, 0, entry[0] - base[target])
        if kind == LinkKind.HEIR:
            return (slot, entry[1] - base[source])
        if kind in _WRITES:
            return (slot, entry[1], entry[2] - start, *entry[3:])
        if kind in {LinkKind.GIVE, LinkKind.GIVE_ON}:
            _, callee, taking, receiver, scope, *rest = entry
            given = None if receiver is None else self.value(receiver)
            return (slot, self.definition(callee), taking, given, scope - start, *rest)
        return (slot, entry[1] - start, *entry[2:])

    def link(self, kind: LinkKind, source: int, target: int, entry: Entry) -> Link:
        """Inverse of ``entry``. Raises Stale."""
        start = self._program.scope_base[source]
        if kind == LinkKind.MODULE_WRITE:
            return Link(kind, source, target, (entry[0], entry[1] + start, entry[2]))
        if kind in _ITEMS:
            key = self._as_key(self.value_at(entry[0]))
            return Link(kind, source, target, (key, entry[1] + start, *entry[2:]))
        base = self._program.definition_base
        first = base[target] + self._place(target, 0, entry[0])
        if kind == LinkKind.HEIR:
            return Link(kind, source, target, (first, entry[1] + base[source]))
        if kind in _WRITES:
            return Link(kind, source, target, (first, entry[1], entry[2] + start, *entry[3:]))
        if kind in {LinkKind.GIVE, LinkKind.GIVE_ON}:
            _, callee, taking, given, scope, *rest = entry
            receiver = None if given is None else self.value_at(given)
            return Link(
                kind, source, target, (first, self.definition_at(callee), taking, receiver, scope + start, *rest)
            )
        return Link(kind, source, target, (first, entry[1] + start, *entry[2:]))

    @staticmethod
    def as_value(key: Value) -> Value:
        """The key of a container, or of a single object used as one, as a value."""
        return key if key[0] == CONTAINER else (INSTANCE, key[1], True, ())

    @staticmethod
    def _as_key(value: Value) -> Value:
        return value if value[0] == CONTAINER else value[:2]

    # -- what is passed

    def pack_passed(self, table: dict[tuple[int, int], Values]) -> bytes:
        """What is passed to the functions of one file."""
        return marshal.dumps(
            [
                (self.definition(function) & _MASK, position, [(self.value(v), c) for v, c in values.items()])
                for (function, position), values in table.items()
            ]
        )

    def unpack_passed(self, file: int, packed: bytes) -> dict[tuple[int, int], Values]:
        """Inverse of ``pack_passed``, without what is gone."""
        found: dict[tuple[int, int], Values] = {}
        base = self._program.definition_base[file]
        for slot, position, values in marshal.loads(packed):  # noqa: S302 - our own bytes
            try:
                function = base + self._place(file, 0, slot)
                found[(function, position)] = {self.value_at(value): certainty for value, certainty in values}
            except Stale:
                continue
        return found
