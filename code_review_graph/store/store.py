"""One repository's index."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Self

from code_review_graph.errors import RepositoryError
from code_review_graph.store.connection import LIVING_SUFFIXES, LOCK_TIMEOUT, Database
from code_review_graph.store.files import FileTables
from code_review_graph.store.graph import GraphTables
from code_review_graph.store.parts import PartTables
from code_review_graph.store.vectors import VectorTables


def resolved_folder(path: Path) -> Path:
    """A folder as an absolute path without links. Raises RepositoryError for what is none, or has no UTF-8 name."""
    try:
        resolved = path.expanduser().resolve()
        str(resolved).encode()
    except UnicodeEncodeError:
        shown = str(path).encode("utf-8", "backslashreplace").decode()
        raise RepositoryError(f"The path {shown} is not UTF-8.", hint="Rename the folder.") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise RepositoryError(f"{path} cannot be used ({error}).", hint="Give the root of a repository.") from error
    if not os.path.isdir(resolved):  # noqa: PTH112 - pathlib's raises where a folder must not be read
        raise RepositoryError(f"{resolved} is not a folder.", hint="Give the root of a repository.")
    return resolved


class Store(FileTables, GraphTables, PartTables, VectorTables):
    """The index of a repository, ``.code-review-graph/index.db`` (see ``places``); the first write makes the file.

    Safe to share between threads. Reading without a file raises NoGraphError; a file that is damaged, newer or not
    ours raises CorruptIndexError, SchemaError or ForeignDatabaseError.
    """

    def __init__(self, repo_path: str | Path, *, database: Path | None = None) -> None:
        self.repo_path = resolved_folder(Path(repo_path))
        super().__init__(Database(self.repo_path, database))

    @property
    def path(self) -> Path:
        """The database file, whether or not it exists yet."""
        return self._database.path

    @property
    def place_reason(self) -> str:
        """Why the database is not in the repository; empty when it is."""
        return self._database.reason

    def writing(self, timeout: float = LOCK_TIMEOUT) -> AbstractContextManager[None]:
        """Keep other writers out, in all processes; may be nested. Raises LockedError after ``timeout`` seconds."""
        return self._database.writing(timeout)

    def snapshot(self) -> AbstractContextManager[Any]:
        """All reads inside see one state of the index, whatever others write meanwhile; may be nested."""
        return self._database.snapshot()

    def faults(self) -> list[str]:
        """What a quick check of the whole file finds wrong, a few at most; nothing when it is sound."""
        found = [str(row[0]) for row in self._database.rows("PRAGMA quick_check(5)")]
        return [] if found == ["ok"] else found

    def holder(self) -> str | None:
        """The process that is writing the index, as it named itself; None when nobody is."""
        return self._database.lock.holder()

    def leftovers(self) -> list[Path]:
        """Files of earlier indexes, or of unfinished ones, that lie beside the index."""
        ours = {self.path.name, *(f"{self.path.name}{suffix}" for suffix in LIVING_SUFFIXES)}
        found = self.path.parent.glob(f"{self.path.name}.*")
        return sorted(path for path in found if path.name not in ours)

    def set_aside(self, label: str) -> Path | None:
        """Rename an index that cannot be used, keeping it, so that a new one can be made; returns where it is now."""
        return self._database.set_aside(label)

    def close(self) -> None:
        """Close the connections of all threads."""
        self._database.close()

    def __enter__(self) -> Self:
        """Close on leaving."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close, whatever happened."""
        self.close()
