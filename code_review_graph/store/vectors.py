"""Vectors: the stored int8 rows are the truth; where they are searched is a matter of speed alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from code_review_graph.errors import CorruptIndexError, ModelMismatchError
from code_review_graph.store.base import StorePart
from code_review_graph.store.connection import Database
from code_review_graph.store.graph_writer import count_generation, map_vectors
from code_review_graph.store.nearest import VectorMatrix, load_sqlite_vec, nearest_by_sqlite, to_int8
from code_review_graph.store.records import EmbeddingModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from code_review_graph.store.sql import Connection


class VectorTables(StorePart):
    """The part of a store that keeps and searches vectors."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._matrix: VectorMatrix | None = None
        self._asked_generation: int | None = None

    def embedding_model(self) -> EmbeddingModel | None:
        """The model of the stored vectors; None when there are none."""
        if not self._database.exists():
            return None
        rows = dict(self._database.rows("SELECT key, value FROM meta WHERE key IN ('provider', 'model', 'dimensions')"))
        if rows and len(rows) != len(EmbeddingModel._fields):
            raise CorruptIndexError("The index does not say which model made its vectors.")
        return EmbeddingModel(**rows) if rows else None

    def known_vectors(self, hashes: Collection[bytes]) -> set[bytes]:
        """Those of these text hashes that have a vector."""
        if not self._database.exists():
            return set()
        known = {text_hash for (text_hash,) in self._database.rows("SELECT text_hash FROM vector")}
        return known.intersection(hashes)

    def save_vectors(self, model: EmbeddingModel, rows: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep (text hash, int8 vector) pairs, in one transaction.

        Raises ModelMismatchError when the stored vectors are another model's, and ValueError for a wrong size.
        """
        with self._database.transaction() as connection:
            self._claim(connection, model)
            connection.executemany(
                "INSERT INTO vector (text_hash, embedding) VALUES (?, ?) "
                "ON CONFLICT (text_hash) DO UPDATE SET embedding = excluded.embedding",
                (_checked(row, model.dimensions) for row in rows),
            )
            count_generation(connection)

    def _claim(self, connection: Connection, model: EmbeddingModel) -> None:
        stored = self.embedding_model()
        if stored == model:
            return
        if stored is not None:
            raise ModelMismatchError(
                f"The index's vectors were made by {stored.provider} {stored.model} ({stored.dimensions} dimensions), "
                f"not by {model.provider} {model.model} ({model.dimensions} dimensions)."
            )
        connection.executemany("INSERT INTO meta VALUES (?, ?)", list(model._asdict().items()))

    def map_vectors(self, pairs: Iterable[tuple[int, bytes]]) -> None:
        """Say which (node id, text hash) belong together; vectors that no node uses are dropped."""
        with self._database.transaction() as connection:
            map_vectors(connection, pairs)
            count_generation(connection)

    def clear_vectors(self) -> None:
        """Drop all vectors, and with them the model that they belong to."""
        if not self._database.exists():
            return
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM node_vector")
            connection.execute("DELETE FROM vector")
            connection.execute("DELETE FROM meta WHERE key IN ('provider', 'model', 'dimensions')")
            count_generation(connection)

    def vector_count(self) -> int:
        """How many nodes have a vector."""
        return self._count("SELECT count(*) FROM node_vector")

    def vectors_missing(self) -> int:
        """How many nodes have none."""
        return self._count("SELECT (SELECT count(*) FROM node) - (SELECT count(*) FROM node_vector)")

    def nodes_without_vector(self) -> list[int]:
        """Their ids."""
        if not self._database.exists():
            return []
        rows = self._database.rows("SELECT id FROM node WHERE id NOT IN (SELECT node_id FROM node_vector)")
        return [node_id for (node_id,) in rows]

    def _count(self, sql: str) -> int:
        return int(self._database.rows(sql)[0][0]) if self._database.exists() else 0

    def nearest(self, vector: NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """Node ids and cosines of the vectors nearest to ``vector`` (d,), the nearest first; ties by node id.

        Empty without vectors. Raises ModelMismatchError when the dimensions differ.
        """
        if limit < 1 or not self._database.exists():
            return []
        with self._database.snapshot() as connection:
            model = self.embedding_model()
            if model is None:
                return []
            if vector.shape != (model.dimensions,):
                raise ModelMismatchError(f"The index's vectors have {model.dimensions} dimensions, not {vector.shape}.")
            return self._search(connection, to_int8(vector), limit)

    def _search(self, connection: Connection, query: NDArray[np.int8], limit: int) -> list[tuple[int, float]]:
        generation = self._meta("generation")
        matrix = self._matrix
        if matrix is None or matrix.generation != generation:
            if self._asked_generation != generation and load_sqlite_vec(connection):
                self._asked_generation = generation
                return nearest_by_sqlite(self._database, query, limit)
            matrix = self._matrix = VectorMatrix.read(self._database, len(query), generation)
        return matrix.nearest(query, limit)


def _checked(row: tuple[bytes, bytes], dimensions: int) -> tuple[bytes, bytes]:
    if len(row[1]) != dimensions:
        raise ValueError(f"a vector of {dimensions} int8 was expected, not of {len(row[1])} bytes")
    return row
