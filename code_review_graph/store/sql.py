"""What the store needs of a SQLite connection, typed once: apsw's own stubs name a type of Python 3.12."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol


class Cursor(Protocol):
    """Rows of a statement."""

    def __iter__(self) -> Iterator[Any]:
        """One tuple a row."""
        ...

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        ...


class Connection(Protocol):
    """The part of ``apsw.Connection`` that is used."""

    @property
    def in_transaction(self) -> bool:
        """Whether BEGIN was said."""
        ...

    def execute(self, statements: str, bindings: Sequence[Any] | None = None, /) -> Cursor:
        """Run one or more statements."""
        ...

    def executemany(self, statements: str, sequenceofbindings: Iterable[Sequence[Any]], /) -> Cursor:
        """Run a statement once for each row of bindings."""
        ...

    def pragma(self, name: str, value: Any = None, /) -> Any:  # noqa: ANN401 - what a pragma says depends on it
        """Set or read a pragma."""
        ...

    def set_busy_timeout(self, milliseconds: int, /) -> None:
        """Wait so long for others."""
        ...

    def enable_load_extension(self, enable: bool, /) -> None:  # noqa: FBT001 - apsw's own
        """Allow extensions to be loaded."""
        ...

    def load_extension(self, filename: str, /) -> None:
        """Load an extension."""
        ...

    def close(self, force: bool = False, /) -> None:  # noqa: FBT001, FBT002 - apsw's own
        """End the connection."""
        ...
