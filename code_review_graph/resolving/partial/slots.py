"""Slots for the parts of an edited file: what was there before the edit keeps its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import Any, Final

from code_review_graph.facts import Definition, Expression, FileFacts, Tag
from code_review_graph.resolving.partial.numbers import Slots

# What the operands of an expression are: an expression, several, named ones, pairs, a definition, a scope; "=" is
# text or a number that counts, "-" one that an edit elsewhere in the file shifts.
OPERANDS: Final = {
    Tag.NAME: "=--",
    Tag.MEMBER: "e=",
    Tag.CALL: "eEN=",
    Tag.INDEX: "ee",
    Tag.SEQUENCE: "=E",
    Tag.MAPPING: "P",
    Tag.LAMBDA: "d",
    Tag.DEFINITION: "d",
    Tag.ITERATE: "e",
    Tag.ENTER: "e",
    Tag.UNPACK: "e",
    Tag.EITHER: "E",
    Tag.INSTANCE: "e",
    Tag.SUPER: "E",
    Tag.OPERATOR: "=eE",
    Tag.AWAIT: "e",
    Tag.GENERATE: "se",
    Tag.SLICE: "e",
    Tag.WITHIN: "se",
    Tag.TYPE_PARAMETER: "==e",
    Tag.TYPE: "=E",
    Tag.CONSTRUCT: "e",
    Tag.OBJECT: "d",
    Tag.VALUE_OF: "e",
}


def assign_slots(old: FileFacts, kept: Slots | None, new: FileFacts) -> Slots:
    """Slots for ``new``: those of ``old`` for the parts that both have, as far as their shape tells."""
    before = kept or Slots(
        list(range(len(old.definitions))),
        list(range(len(old.scopes))),
        list(range(len(old.expressions))),
        (len(old.definitions), len(old.scopes), len(old.expressions)),
    )
    definitions, free = _match(_definition_keys(old), before.definitions, _definition_keys(new), before.free[0])
    scopes, more = _match(
        _scope_keys(old, before.definitions), before.scopes, _scope_keys(new, definitions), before.free[1]
    )
    expressions, most = _match(
        _expression_keys(old, before.definitions, before.scopes),
        before.expressions,
        _expression_keys(new, definitions, scopes),
        before.free[2],
    )
    return Slots(definitions, scopes, expressions, (free, more, most))


def _match(old: Sequence[Hashable], slots: Sequence[int], new: Sequence[Hashable], free: int) -> tuple[list[int], int]:
    """The n-th part of a shape is the n-th that had it."""
    known: dict[Hashable, list[int]] = defaultdict(list)
    for key, slot in zip(old, slots, strict=True):
        known[key].append(slot)
    taken: dict[Hashable, int] = defaultdict(int)
    found: list[int] = []
    for key in new:
        place = taken[key]
        taken[key] += 1
        if place < len(known.get(key, ())):
            found.append(known[key][place])
        else:
            found.append(free)
            free += 1
    return found, free


def _definition_keys(facts: FileFacts) -> list[Hashable]:
    return [(definition.kind, *_names_around(facts, definition)) for definition in facts.definitions]


def _names_around(facts: FileFacts, definition: Definition) -> list[str]:
    names = [definition.key or definition.name]
    scope = definition.scope
    while scope >= 0:
        owner = facts.scopes[scope].definition
        if owner >= 0:
            around = facts.definitions[owner]
            names.append(around.key or around.name)
        scope = facts.scopes[scope].parent
    return names


def _scope_keys(facts: FileFacts, slots: Sequence[int]) -> list[Hashable]:
    keys: list[Hashable] = []
    for scope in facts.scopes:
        around = keys[scope.parent] if 0 <= scope.parent < len(keys) else None
        keys.append((scope.kind, slots[scope.definition] if scope.definition >= 0 else hash(around)))
    return keys


def _expression_keys(facts: FileFacts, definitions: Sequence[int], scopes: Sequence[int]) -> list[Hashable]:
    keys: list[int] = []
    for shape in facts.expressions:
        keys.append(hash(_key(shape, keys, definitions, scopes)))
    return list(keys)


def _key(shape: Expression, keys: list[int], definitions: Sequence[int], scopes: Sequence[int]) -> tuple[Any, ...]:
    kinds = OPERANDS.get(shape[0], "").ljust(len(shape) - 1, "=")
    found: list[Any] = [shape[0]]
    for kind, operand in zip(kinds, shape[1:], strict=False):
        if kind == "e":
            found.append(_at(keys, operand))
        elif kind == "E":
            found.append(tuple([_at(keys, item) for item in operand]))
        elif kind == "N":
            found.append(tuple([(name, _at(keys, item)) for name, item in operand]))
        elif kind == "P":
            found.append(tuple([(_at(keys, one), _at(keys, other)) for one, other in operand]))
        elif kind in "ds":
            found.append(_at(definitions if kind == "d" else scopes, operand))
        elif kind == "=":
            found.append(repr(operand))
    return tuple(found)


def _at(keys: Sequence[int], operand: Any) -> int:  # noqa: ANN401 - an index, or a number that says that there is none
    return keys[operand] if isinstance(operand, int) and 0 <= operand < len(keys) else -1
