"""Connections to the index file: one a thread, opened when first needed, closed when the file was replaced."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import apsw

from code_review_graph.errors import (
    CorruptIndexError,
    ForeignDatabaseError,
    LockedError,
    NoGraphError,
    RepositoryError,
    StoreError,
)
from code_review_graph.store import migrations
from code_review_graph.store.locking import TURN_SUFFIX, ProcessLock
from code_review_graph.store.places import Place, place_of
from code_review_graph.store.sql import Connection

LOCK_TIMEOUT: Final = 30.0
_CHECK_FOLDER: Final = "Check its permissions and the free space."
_BUSY_MILLISECONDS: Final = 30_000
_MAGIC: Final = b"SQLite format 3\x00"
# Offset and size of the application id in the header of a SQLite file.
_APPLICATION_ID: Final = slice(68, 72)
# Beside the index SQLite and this program write files of these names. SQLite would follow links in their place.
_WAL_SUFFIXES: Final = ("-wal", "-shm")
# Of the files beside an index that is in use.
LIVING_SUFFIXES: Final = (*_WAL_SUFFIXES, ".lock", TURN_SUFFIX)
_ROLLBACK_SUFFIX: Final = "-journal"
_SUFFIXES: Final = (
    "",
    *_WAL_SUFFIXES,
    _ROLLBACK_SUFFIX,
    ".lock",
    TURN_SUFFIX,
    ".new",
    ".new-wal",
    ".new-shm",
    ".new-journal",
)
# No memory map: a file that is cut short under a map ends the process. The schema of a file that came with a
# repository is not trusted.
_PRAGMAS: Final = """
PRAGMA foreign_keys = ON;
PRAGMA synchronous = NORMAL;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -32768;
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
PRAGMA journal_size_limit = 4194304;
"""


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Turn what SQLite raises into this product's errors."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise LockedError("Another process is using the index.") from error
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
        raise CorruptIndexError(f"The index {path} is damaged ({error}).") from error
    except UnicodeDecodeError as error:
        raise CorruptIndexError(f"The index {path} is damaged (text that is not UTF-8).") from error
    except apsw.SQLError as error:
        raise CorruptIndexError(f"The index {path} is not as it was made ({error}).") from error
    except apsw.FullError as error:
        raise StoreError(
            f"There is no space left to write {path}.", hint="Free some space, then build again."
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError, apsw.AuthError) as error:
        raise StoreError(f"The index {path} cannot be opened ({error}).", hint="Check its permissions.") from error
    except apsw.Error as error:
        # A full disk shows itself as this too, when it is the log or the shared memory that finds no room.
        raise StoreError(f"The index {path} cannot be used ({error}).", hint=_CHECK_FOLDER) from error


def file_number(path: Path) -> int:
    """A file's number in its file system, as an integer that SQLite can keep."""
    # SQLite's integers are signed; numbers of some systems are not.
    return path.stat().st_ino & 0x7FFF_FFFF_FFFF_FFFF


class _Held(NamedTuple):
    """A thread's connection, and which file it has open."""

    connection: Connection
    stamp: tuple[int, int]


class Database:
    """The index file of one repository."""

    def __init__(self, repo_path: Path, database: Path | None) -> None:
        self.repo_path = repo_path
        place = place_of(repo_path) if database is None else Place(database, "it was asked for")
        self._own_folder = not place.reason
        self.path = place.path
        self.reason = place.reason
        self.lock = ProcessLock(self.path.with_name(f"{self.path.name}.lock"))
        self._local = threading.local()
        self._open: weakref.WeakSet[Connection] = weakref.WeakSet()

    # -- reading

    def exists(self) -> bool:
        """Whether there is an index file with anything in it."""
        try:
            return self.path.stat().st_size > 0
        except OSError:
            return False

    def file_number(self) -> int:
        """The file's number in its file system, which a copy or another machine does not keep."""
        return file_number(self.path)

    @contextmanager
    def snapshot(self) -> Generator[Connection]:
        """One unchanging view of the file for all reads inside; may be nested. Raises NoGraphError without a file."""
        connection = self._current()
        if connection.in_transaction:
            with translated(self.path):
                yield connection
            return
        with translated(self.path):
            connection.execute("BEGIN")
            try:
                migrations.check_version(connection)
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def rows(self, sql: str, bindings: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        connection = self._current()
        with translated(self.path):
            if not connection.in_transaction:
                migrations.check_version(connection)
            return connection.execute(sql, bindings).fetchall()

    def stream(self, sql: str, bindings: tuple[Any, ...] = (), batch: int = 1000) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one after the other, all of one state of the file."""
        connection = self._current()
        with translated(self.path):
            migrations.check_version(connection)
            cursor = connection.execute(sql, bindings)
        while True:
            with translated(self.path):
                rows = [row for _, row in zip(range(batch), cursor, strict=False)]
            yield from rows
            if len(rows) < batch:
                return

    # -- writing

    @contextmanager
    def writing(self, timeout: float = LOCK_TIMEOUT) -> Generator[None]:
        """Keep other writers out, in this process and in others; may be nested. Raises LockedError."""
        self._make_folder()
        with self.lock.held(timeout):
            yield

    @contextmanager
    def transaction(self, *, foreign_keys: bool = True) -> Generator[Connection]:
        """All writes inside appear together or not at all; makes the file if there is none."""
        with self.writing():
            if not self.exists():
                self._create()
            connection = self._current()
            with translated(self.path):
                migrations.check_version(connection)
                if not foreign_keys:
                    connection.execute("PRAGMA foreign_keys = OFF")
                try:
                    with self._immediate(connection):
                        yield connection
                finally:
                    if not foreign_keys:
                        connection.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def _immediate(self, connection: Connection) -> Generator[None]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def tidy(self) -> None:
        """Move a long write-ahead log into the file, unless somebody is reading."""
        connection = self._current()
        with translated(self.path), suppress(apsw.BusyError, apsw.LockedError):
            connection.set_busy_timeout(0)
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                connection.set_busy_timeout(_BUSY_MILLISECONDS)

    def set_aside(self, label: str) -> Path | None:
        """Rename the index file to ``index.db.<label>``, keeping it; None when there is no file."""
        with self.writing():
            if not self.path.exists():
                return None
            self._refuse_foreign()
            self.close()
            kept = self.path.with_name(f"{self.path.name}.{label}")
            try:
                for suffix in (*_WAL_SUFFIXES, _ROLLBACK_SUFFIX, ""):
                    part = self.path.with_name(self.path.name + suffix)
                    if part.exists():
                        part.replace(kept.with_name(kept.name + suffix))
            except OSError as error:
                raise StoreError(f"The index {self.path} cannot be moved away ({error}).") from error
            return kept

    def close(self) -> None:
        """Close the connections of all threads."""
        for connection in list(self._open):
            # One that another thread is using right now closes when that thread lets go of it.
            with suppress(apsw.ThreadingViolationError):
                connection.close(True)  # noqa: FBT003 - apsw's force
        self._local = threading.local()

    # -- opening

    def _current(self) -> Connection:
        local = self._local
        held: _Held | None = getattr(local, "held", None)
        with translated(self.path):
            if held is not None and held.connection.in_transaction:
                return held.connection
        try:
            status = self.path.stat()
        except OSError:
            status = None
        if status is None or status.st_size == 0:
            raise NoGraphError(f"{self.repo_path} has no index yet.")
        stamp = (status.st_dev, status.st_ino)
        if held is None or held.stamp != stamp:
            if held is not None:
                held.connection.close(True)  # noqa: FBT003 - apsw's force
            held = local.held = _Held(self._connect(), stamp)
        return held.connection

    def _connect(self) -> Connection:
        self._refuse_links()
        self._refuse_foreign()
        self._refuse_damaged()
        with translated(self.path):
            try:
                connection = self._opened(str(self.path), apsw.SQLITE_OPEN_READWRITE)
            except (apsw.ReadOnlyError, apsw.CantOpenError):
                # A read-only medium has no place for the shared memory of a WAL; there, nobody writes either.
                uri = f"{self.path.as_uri()}?immutable=1"
                connection = self._opened(uri, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        self._open.add(connection)
        return connection

    def _opened(self, name: str, flags: int) -> Connection:
        connection: Connection = apsw.Connection(name, flags=flags)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: Connection) -> None:
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
        connection.execute(_PRAGMAS)
        migrations.check_kinds(connection)
        if not migrations.check_version(connection):
            with self.lock.held(LOCK_TIMEOUT):
                migrations.migrate(connection)

    def _header(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                return file.read(100)
        except OSError as error:
            raise StoreError(
                f"The index {self.path} cannot be read ({error}).", hint="Check its permissions, or move it away."
            ) from error

    def _refuse_foreign(self) -> None:
        header = self._header()
        if header.startswith(_MAGIC):
            identity = header[_APPLICATION_ID]
            foreign = len(identity) == 4 and int.from_bytes(identity) != migrations.APPLICATION_ID
        else:
            # A file of our name in our folder is ours, however damaged.
            foreign = bool(header) and not self._own_folder
        if foreign:
            raise ForeignDatabaseError(f"{self.path} is not an index of code-review-graph; it was left untouched.")

    def _refuse_damaged(self) -> None:
        header = self._header()
        if len(header) < 100 or not header.startswith(_MAGIC):
            raise CorruptIndexError(f"The index {self.path} is damaged.")
        # An index has a write-ahead log. A rollback journal came from elsewhere, and may name files to delete.
        if os.path.lexists(f"{self.path}{_ROLLBACK_SUFFIX}"):
            raise CorruptIndexError(f"The index {self.path} has a journal that is not its own.")

    def _refuse_links(self) -> None:
        places = [self.path.with_name(f"{self.path.name}{suffix}") for suffix in _SUFFIXES]
        if self._own_folder:
            places.append(self.path.parent)
        for place in places:
            if place.is_symlink():
                raise RepositoryError(
                    f"{place} is a link; the index is only kept inside the repository.", hint="Remove the link."
                )

    def _make_folder(self) -> None:
        folder = self.path.parent
        self._refuse_links()
        try:
            folder.mkdir(parents=not self._own_folder, exist_ok=True)
            ignore = folder / ".gitignore"
            if self._own_folder and not os.path.lexists(ignore):
                with suppress(FileExistsError), ignore.open("x", encoding="utf-8") as file:
                    file.write("*\n")
        except OSError as error:
            raise StoreError(f"The folder {folder} cannot be written ({error}).", hint=_CHECK_FOLDER) from error

    def _create(self) -> None:
        # Made under another name and renamed when complete, so that nobody ever opens half a file.
        new = self.path.with_name(f"{self.path.name}.new")
        try:
            new.unlink(missing_ok=True)
            with translated(new):
                _make_file(apsw.Connection(str(new)), new)
            new.replace(self.path)
        except OSError as error:
            raise StoreError(f"The index {self.path} cannot be made ({error}).", hint=_CHECK_FOLDER) from error


def _make_file(connection: Connection, path: Path) -> None:
    try:
        connection.execute("PRAGMA synchronous = OFF")
        migrations.create(connection)
        connection.execute("INSERT INTO meta VALUES ('origin', ?)", (file_number(path),))
        connection.pragma("journal_mode", "wal")
    finally:
        connection.close()
