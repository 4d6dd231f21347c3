"""What the parts of a store share: the database below them."""

from __future__ import annotations

from typing import Any

from code_review_graph.store.connection import Database


class StorePart:
    """Base of the parts; each speaks of its own tables only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _meta(self, key: str) -> Any:  # noqa: ANN401 - a key has one type, keys differ
        """One value of the meta table; None when it was never set or there is no index."""
        if not self._database.exists():
            return None
        rows = self._database.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return rows[0][0] if rows else None
