"""Facts of files: what parsing found, kept for the next resolving."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from code_review_graph.errors import CorruptIndexError
from code_review_graph.model import Diagnostic
from code_review_graph.store.base import StorePart
from code_review_graph.store.records import FileRecord, StoredFile

if TYPE_CHECKING:
    from code_review_graph.store.sql import Connection

# The quickest level leaves a third of the bytes, and costs less than to write the rest.
_COMPRESSION: Final = 1
# Columns that name a file.
_OF_FILE: Final = (
    ("facts", "file_id"),
    ("diagnostic", "file_id"),
    ("outline", "file_id"),
    ("numbering", "file_id"),
    ("passed", "file_id"),
    ("link", "source"),
    ("link", "target"),
)
_UPSERT_FILE: Final = """
INSERT INTO file (id, path, language, content_hash, size, mtime_ns, rules_version) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (path) DO UPDATE SET
    language = excluded.language, content_hash = excluded.content_hash, size = excluded.size,
    mtime_ns = excluded.mtime_ns, rules_version = excluded.rules_version
RETURNING id
"""


class FileTables(StorePart):
    """The part of a store that keeps facts; no query of the graph reads it.

    Facts are unpacked by code that trusts them, so only those of an index that was made here count: a repository may
    come with an index, and an index may have been moved. ``origin`` tells, as the file's number in its file system,
    which nobody elsewhere can know.
    """

    def made_elsewhere(self) -> bool:
        """Whether there is an index that was copied here, or came with the repository."""
        return self._database.exists() and self._meta("origin") != self._database.file_number()

    def _made_here(self) -> bool:
        return self._database.exists() and not self.made_elsewhere()

    def file_records(self) -> dict[str, FileRecord]:
        """What is known of each file, by path; empty without an index that was made here."""
        if not self._made_here():
            return {}
        rows = self._database.rows(
            "SELECT path, language, content_hash, size, mtime_ns, rules_version FROM file ORDER BY path"
        )
        return {row[0]: FileRecord(*row) for row in rows}

    def facts(self) -> Iterator[tuple[str, bytes]]:
        """Path and facts of every file, ordered by path; none of an index that was made elsewhere."""
        if self._made_here():
            rows = self._database.stream(
                "SELECT file.path, facts.facts FROM file JOIN facts ON facts.file_id = file.id ORDER BY file.path",
                batch=100,
            )
            for path, packed in rows:
                yield path, unpacked_facts(packed)

    def save_files(self, files: Iterable[StoredFile]) -> None:
        """Keep the facts of these files, in one transaction."""
        with self._database.transaction() as connection:
            if not self._made_here():
                connection.execute("DELETE FROM file")
                connection.execute("INSERT OR REPLACE INTO meta VALUES ('origin', ?)", (self._database.file_number(),))
            for file in files:
                save_file(connection, file)
            count_change(connection)

    def remove_files(self, paths: Iterable[str]) -> None:
        """Forget these files, in one transaction."""
        with self._database.transaction() as connection:
            for path in paths:
                remove_file(connection, path)
            count_change(connection)

    def touch_files(self, records: Iterable[FileRecord]) -> None:
        """Note new sizes and times of files whose content is the same."""
        with self._database.transaction() as connection:
            connection.executemany(
                "UPDATE file SET size = ?, mtime_ns = ? WHERE path = ?",
                ((record.size, record.mtime_ns, record.path) for record in records),
            )

    def replace_skipped(self, skipped: Sequence[Diagnostic]) -> None:
        """Note what was left out of the index, and why."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM diagnostic WHERE file_id IS NULL")
            connection.executemany(
                "INSERT INTO diagnostic (path, message, line) VALUES (?, ?, ?)",
                ((entry.path, entry.message, entry.line) for entry in skipped),
            )

    def skipped(self) -> list[Diagnostic]:
        """What ``replace_skipped`` noted last, in that order."""
        if not self._database.exists():
            return []
        rows = self._database.rows("SELECT path, message, line FROM diagnostic WHERE file_id IS NULL ORDER BY id")
        return [Diagnostic(path, message, line) for path, message, line in rows]

    def diagnostics(self) -> list[Diagnostic]:
        """What could not be read or parsed as it stands, ordered by path."""
        if not self._database.exists():
            return []
        rows = self._database.rows("SELECT path, message, line FROM diagnostic ORDER BY path, line, id")
        return [Diagnostic(path, message, line) for path, message, line in rows]

    def graph_is_current(self) -> bool:
        """Whether the graph was made of the facts as they stand."""
        if not self._made_here():
            return False
        rows = dict(
            self._database.rows("SELECT key, value FROM meta WHERE key IN ('facts_version', 'graph_facts_version')")
        )
        return "graph_facts_version" in rows and rows["graph_facts_version"] == rows.get("facts_version", 0)


def unpacked_facts(packed: bytes) -> bytes:
    """Facts as they were packed by the parser. Raises CorruptIndexError."""
    try:
        return zlib.decompress(packed)
    except zlib.error as error:
        raise CorruptIndexError(f"The facts in the index are damaged ({error}).") from error


def remove_file(connection: Connection, path: str) -> None:
    """Forget a file."""
    connection.execute("DELETE FROM file WHERE path = ?", (path,))


def forget_file(connection: Connection, path: str) -> None:
    """As ``remove_file``, while foreign keys are off."""
    for table, column in _OF_FILE:
        connection.execute(f"DELETE FROM {table} WHERE {column} = (SELECT id FROM file WHERE path = ?)", (path,))  # noqa: S608
    remove_file(connection, path)


def save_file(connection: Connection, file: StoredFile, known_id: int | None = None) -> None:
    """Keep the facts of a file; a new one gets ``known_id``, where that is given."""
    (file_id,) = connection.execute(_UPSERT_FILE, (known_id, *file.record)).fetchall()[0]
    if file.facts:
        packed = zlib.compress(file.facts, _COMPRESSION)
        connection.execute("INSERT OR REPLACE INTO facts (file_id, facts) VALUES (?, ?)", (file_id, packed))
    else:
        connection.execute("DELETE FROM facts WHERE file_id = ?", (file_id,))
    if file.outline is not None:
        connection.execute("INSERT OR REPLACE INTO outline VALUES (?, ?, ?, ?, ?)", (file_id, *file.outline))
    else:
        connection.execute("DELETE FROM outline WHERE file_id = ?", (file_id,))
    connection.execute("DELETE FROM diagnostic WHERE file_id = ?", (file_id,))
    connection.executemany(
        "INSERT INTO diagnostic (file_id, path, message, line) VALUES (?, ?, ?, ?)",
        ((file_id, entry.path, entry.message, entry.line) for entry in file.diagnostics),
    )


def count_change(connection: Connection) -> None:
    """Note that the facts are others now."""
    connection.execute("INSERT INTO meta VALUES ('facts_version', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1")
