"""What is told of a file's facts without unpacking them: how much there is, what is found by name, what it names.

Resolving a part of a repository anew opens few files; these tell which.
"""

from __future__ import annotations

import marshal
import zlib
from array import array
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from code_review_graph.facts import BindingKind, DefinitionFlag, Expression, FileFacts, ScopeKind, Tag

# Definitions that are looked for by what they are, wherever they stand.
MARKED: Final = int(DefinitionFlag.FIXTURE | DefinitionFlag.AUTOUSE | DefinitionFlag.PROPERTY)
# Bytes of one name in ``mentions``.
NAME_BYTES: Final = 4
_LONGEST_WORD: Final = 60
_IMPORTS: Final = frozenset({int(BindingKind.IMPORT), int(BindingKind.PACKAGE)})


class Mark(NamedTuple):
    """A marked definition: its place in the file, its flags, and the name under which it is found."""

    place: int
    flags: int
    name: str


class Outline(NamedTuple):
    """Numbers of scopes and definitions; marks, packed; names that the file uses, as sorted hashes of four bytes."""

    scopes: int
    definitions: int
    marks: bytes
    mentions: bytes


def outline_of(facts: FileFacts) -> Outline:
    """The outline of a file."""
    marks = [
        (place, definition.flags & MARKED, definition.alias or definition.name)
        for place, definition in enumerate(facts.definitions)
        if definition.flags & MARKED
    ]
    return Outline(len(facts.scopes), len(facts.definitions), marshal.dumps(marks), _packed(mentioned(facts)))


def unpack_marks(marks: bytes) -> list[Mark]:
    """Marks as they were. Only for bytes that this program made."""
    return [Mark._make(item) for item in marshal.loads(marks)]  # noqa: S302


def name_hash(name: str) -> int:
    """What stands for a name in ``mentions``; other names may have the same."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


def _packed(names: Iterable[str]) -> bytes:
    return array("I", sorted({name_hash(name) for name in names})).tobytes()


def mentions_any(mentions: bytes, hashes: frozenset[int]) -> bool:
    """Whether a file uses one of some names, by their hashes."""
    return not hashes.isdisjoint(array("I", mentions))


def mentioned(facts: FileFacts) -> set[str]:
    """Names that what a file means may rest on, but for those that it only writes."""
    found: set[str] = set()
    for shape in facts.expressions:
        found.update(names_in(shape))
    for scope in facts.scopes:
        is_class = scope.kind == ScopeKind.CLASS
        for name, bindings in scope.bindings.items():
            if is_class:  # a member may override one of a base
                found.add(name)
            for kind, payload, _ in bindings:
                if kind in _IMPORTS:
                    found.update(imported_names(payload))
    for item in facts.imports:
        found.update((*item.module.split("."), item.member))
    for definition in facts.definitions:
        # A runner may fill a parameter by its name.
        found.update(parameter.name for parameter in definition.parameters)
        found.update(definition.uses)
    return found


def names_in(shape: Expression) -> Iterator[str]:
    """Names that an expression itself uses, those of its parts aside."""
    tag = shape[0]
    if tag == Tag.NAME:
        yield shape[1]
    elif tag == Tag.MEMBER:
        yield shape[2]
    elif tag == Tag.LITERAL:
        # ``getattr(x, "name")``
        if isinstance(shape[2], str) and len(shape[2]) <= _LONGEST_WORD and shape[2].isidentifier():
            yield shape[2]
    elif tag == Tag.IMPORTED:
        yield from imported_names(shape[1:])


def imported_names(payload: object) -> list[str]:
    """Names in what an import binding says."""
    if isinstance(payload, str):
        return payload.split(".")
    module, _, member = payload if isinstance(payload, tuple) else ("", 0, "")
    return [*module.split("."), member]
