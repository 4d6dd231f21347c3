"""Which repository a surface speaks of, and its store: found and opened when first needed, then kept."""

from __future__ import annotations

import threading
from pathlib import Path

from code_review_graph.errors import RepositoryError
from code_review_graph.store import Store
from code_review_graph.store.store import resolved_folder
from code_review_graph.walking import check_repository, find_repository


class Workspace:
    """One repository: the folder given, or else the repository around ``start``."""

    def __init__(self, repo: Path | None, start: Path) -> None:
        self._repo = repo
        self._start = start
        self._store: Store | None = None
        self._opening = threading.Lock()

    def store(self) -> Store:
        """The open store; no file is made by opening it. Raises RepositoryError when there is no repository."""
        with self._opening:
            if self._store is None:
                self._store = Store(self._folder())
            return self._store

    def close(self) -> None:
        """Close the store if it was opened."""
        with self._opening:
            if self._store is not None:
                self._store.close()
                self._store = None

    def _folder(self) -> Path:
        if self._repo is None:
            try:
                return find_repository(self._start)
            except RepositoryError as error:
                raise RepositoryError(
                    f"There is no repository around {self._start}, so there is no index to ask.",
                    hint="Start in a repository, or name one with --repo PATH.",
                ) from error
        folder = resolved_folder(self._repo)
        check_repository(folder)
        return folder
