"""What files bring to each other's definitions, as entries by kind: the part of resolving that is not local to a file.

Resolving all files fills the tables from the facts. Resolving a few of them fills the tables on demand, a file at a
time, from what was kept: that is what a ``Loader`` does.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple, Protocol

Entry = tuple[Any, ...]


class LinkKind(IntEnum):
    """What an entry says. Numbers are never reused: stored rows hold them."""

    HEIR = 1  # (base, child)
    OWN_WRITE = 2  # (class, name, scope, value, annotation): through a method's own receiver
    WRITE = 3  # as OWN_WRITE, through whatever else means the class
    MODULE_WRITE = 4  # (name, scope, value)
    FIRST_ITEM = 5  # (key of the container, scope, key, value, block), when no elements are known
    ITEM = 6  # as FIRST_ITEM, when those are
    PASS = 7  # (function, scope, call, offset)
    PASS_ON = 8  # as PASS, of calls that are known by what callers pass
    FEED = 9  # (function, scope, sequences)
    GIVE = 10  # (function, callee, taking, receiver, scope, call, offset)
    GIVE_ON = 11


class Link(NamedTuple):
    """Entries of one kind that a file brings to another; the files by their numbers in the program."""

    kind: LinkKind
    source: int
    target: int
    entry: Entry


class Loader(Protocol):
    """Fills tables on demand."""

    def need(self, file: int) -> None:
        """Make sure that what others bring to a file is in the tables."""
        ...


class Everything:
    """Of a program that is resolved as a whole everything is there already."""

    def need(self, file: int) -> None:
        """Nothing to do."""
