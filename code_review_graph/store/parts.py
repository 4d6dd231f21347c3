"""What resolving a part of the graph anew reads and writes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from code_review_graph.errors import CorruptIndexError
from code_review_graph.model import EdgeKind
from code_review_graph.store import part_writer
from code_review_graph.store.base import StorePart
from code_review_graph.store.codes import EDGE_KIND_CODES
from code_review_graph.store.files import count_change, forget_file, save_file, unpacked_facts
from code_review_graph.store.graph_writer import map_vectors
from code_review_graph.store.records import IndexInfo, StoredFile

# Kinds of edges that a test's way to what it covers is made of.
_LEADING: Final = (EdgeKind.CALLS, EdgeKind.REFERENCES, EdgeKind.INHERITS)
_REACHING: Final = """
SELECT DISTINCT around.path FROM json_each(?) AS wanted
JOIN path ON path.path = wanted.value JOIN node ON node.path_id = path.id JOIN edge ON edge.target = node.id
JOIN node AS source ON source.id = edge.source JOIN path AS around ON around.id = source.path_id
WHERE edge.kind IN (SELECT value FROM json_each(?))
"""
_VERSION: Final = "parts_version"


class PartTables(StorePart):
    """The part of a store that resolving in part rests on."""

    def can_change(self) -> bool:
        """Whether the graph can be changed in part: what that rests on was kept when it was made."""
        return bool(self._meta(_VERSION) == part_writer.PARTS_VERSION)

    def file_ids(self) -> dict[str, int]:
        """Ids of all files, by path."""
        if not self._database.exists():
            return {}
        return dict(self._database.rows("SELECT path, id FROM file"))

    def entries(self) -> list[tuple[int, str, str, int, int, bytes]]:
        """Files with facts, by path: id, path, language, numbers of scopes and definitions, marks."""
        return [
            (row[0], row[1], row[2], row[3], row[4], row[5])
            for row in self._database.rows(
                "SELECT file.id, path, language, scopes, definitions, marks FROM outline "
                "JOIN file ON file.id = outline.file_id ORDER BY path"
            )
        ]

    def packed_facts(self, file_id: int) -> bytes:
        """Facts of a file."""
        rows = self._database.rows("SELECT facts FROM facts WHERE file_id = ?", (file_id,))
        if not rows:
            raise CorruptIndexError("The facts of a file are missing in the index.")
        return unpacked_facts(rows[0][0])

    def links_to(self, file_id: int, kinds: Sequence[int]) -> list[tuple[Any, ...]]:
        """What files bring to one, of some kinds: kind, source, target, entries."""
        sql = "SELECT kind, source, target, entries FROM link WHERE target = ? AND kind BETWEEN ? AND ?"
        return self._database.rows(sql, (file_id, int(min(kinds)), int(max(kinds))))

    def links_from(self, file_id: int) -> list[tuple[Any, ...]]:
        """What a file brings to all: kind, source, target, entries."""
        return self._database.rows("SELECT kind, source, target, entries FROM link WHERE source = ?", (file_id,))

    def passed(self, file_id: int, level: int) -> bytes | None:
        """What callers pass for the parameters of a file's functions."""
        sql = "SELECT entries FROM passed WHERE file_id = ? AND level = ?"
        rows = self._database.rows(sql, (file_id, level))
        return bytes(rows[0][0]) if rows else None

    def numbering(self, file_id: int) -> bytes:
        """Node ids of a file and of its definitions."""
        rows = self._database.rows("SELECT nodes FROM numbering WHERE file_id = ?", (file_id,))
        if not rows:
            raise CorruptIndexError("The numbers of a file's nodes are missing in the index.")
        return bytes(rows[0][0])

    def slots(self) -> dict[int, bytes]:
        """Slots of the files that were edited since everything was resolved."""
        return dict(self._database.rows("SELECT file_id, slots FROM numbering WHERE slots IS NOT NULL"))

    def mentions(self) -> list[tuple[int, bytes]]:
        """Names that files use, by file id, packed."""
        return [(row[0], row[1]) for row in self._database.rows("SELECT file_id, mentions FROM outline")]

    def defining(self, name: str) -> list[int]:
        """Files with a node of this name."""
        rows = self._database.rows(
            "SELECT DISTINCT file.id FROM node JOIN path ON path.id = node.path_id JOIN file ON file.path = path.path "
            "WHERE node.name = ?1 COLLATE NOCASE AND node.name = ?1",
            (name,),
        )
        return [file_id for (file_id,) in rows]

    def paths_of(self, ids: Iterable[int]) -> dict[int, str]:
        """Paths of the files in which nodes stand."""
        sql = "SELECT node.id, path.path FROM json_each(?) AS wanted JOIN node ON node.id = wanted.value "
        return dict(self._database.rows(f"{sql} JOIN path ON path.id = node.path_id", (json.dumps(list(ids)),)))

    def paths_reaching(self, paths: Collection[str]) -> set[str]:
        """Files with a call of, a reference to or a base among the nodes of some files."""
        codes = [EDGE_KIND_CODES[kind] for kind in _LEADING]
        rows = self._database.rows(_REACHING, (json.dumps(sorted(paths)), json.dumps(codes)))
        return {path for (path,) in rows}

    def next_node(self) -> int:
        """An id that no node has, nor any above it."""
        return int(self._database.rows("SELECT coalesce(max(id), 0) + 1 FROM node")[0][0])

    def next_file(self) -> int:
        """An id that no file has, nor any above it."""
        return int(self._database.rows("SELECT coalesce(max(id), 0) + 1 FROM file")[0][0])

    def change_graph(
        self,
        files: Sequence[StoredFile],
        change: part_writer.GraphChange,
        info: IndexInfo,
        text_hashes: Mapping[int, bytes],
    ) -> bool:
        """Put a part of the graph in the place of what it was, together with the facts that it was made of.

        One transaction; readers see the old or the new, whole. Nodes get the vectors of their ``text_hashes``, where
        those exist. False, and nothing is written, when the change does not fit the graph.
        """
        ids = {item.path: item.file_id for item in change.files}
        try:
            # All that refers to a file is taken out by hand: SQLite would look through every node for its children.
            with self._database.transaction(foreign_keys=False) as connection:
                for path in change.removed:
                    forget_file(connection, path)
                for file in files:
                    save_file(connection, file, ids.get(file.record.path))
                count_change(connection)
                part_writer.write_change(connection, change, info)
                if text_hashes:
                    map_vectors(connection, text_hashes.items())
        except part_writer.DoesNotFitError:
            return False
        return True
