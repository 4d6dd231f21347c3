"""Nearest vectors, by sqlite-vec or in memory: two ways to the same candidates, one exact score for both.

Rows and query are int8, so a dot product is an integer: whoever finds the candidates, scores and ties are the same.
A first question is answered by sqlite-vec (50,000 x 256: about 40 ms, nothing to load); a process that asks again
packs the rows into a matrix (about 70 ms, once) and then needs about 5 ms a question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from code_review_graph.store.connection import Database
    from code_review_graph.store.sql import Connection

# Cosines in float32 that are closer than this are compared again, exactly.
_DOUBT: Final = 1e-5
# Larger blocks make BLAS start threads, which cost more than they give.
_BLOCK_ROWS: Final = 1024
_DISTANCE: Final = "coalesce(vec_distance_cosine(vec_int8(embedding), vec_int8(?1)), 1.0)"
_ROWS: Final = "FROM node_vector JOIN vector ON vector.id = node_vector.vector_id"


def to_int8(vector: NDArray[np.float32]) -> NDArray[np.int8]:
    """A vector (d,) scaled so that its largest component is 127: cosines keep."""
    import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

    largest = float(np.abs(vector).max(initial=0.0)) or 1.0
    scaled: NDArray[np.int8] = np.rint(vector * (127.0 / largest)).astype(np.int8)
    return scaled


def sqlite_vec_version() -> str | None:
    """Version of sqlite-vec, when it can be loaded here."""
    import apsw  # noqa: PLC0415 - only who looks for faults opens a database of its own

    connection: Connection = apsw.Connection(":memory:")
    try:
        return str(connection.execute("SELECT vec_version()").fetchall()[0][0]) if load_sqlite_vec(connection) else None
    finally:
        connection.close()


def load_sqlite_vec(connection: Connection) -> bool:
    """Load sqlite-vec into a connection; False where that cannot be done."""
    try:
        import sqlite_vec  # type: ignore[import-untyped] # noqa: PLC0415 - a platform may lack it

        connection.enable_load_extension(True)  # noqa: FBT003 - apsw's own
        try:
            connection.load_extension(str(sqlite_vec.loadable_path()))
        finally:
            connection.enable_load_extension(False)  # noqa: FBT003 - apsw's own
    except Exception:  # noqa: BLE001 - whatever the reason, there is another way
        return False
    return True


def nearest_by_sqlite(database: Database, query: NDArray[np.int8], limit: int) -> list[tuple[int, float]]:
    """The nearest rows as sqlite-vec finds them; the extension has to be loaded."""
    wanted = query.tobytes()
    # A few more than asked for usually show that no tie was cut.
    rows = database.rows(
        f"SELECT node_id, embedding, {_DISTANCE} AS distance {_ROWS} ORDER BY distance, node_id LIMIT ?2",
        (wanted, limit + 32),
    )
    if len(rows) == limit + 32 and rows[-1][2] <= rows[limit - 1][2] + _DOUBT:
        rows = database.rows(
            f"SELECT node_id, embedding {_ROWS} WHERE {_DISTANCE} <= ?2", (wanted, rows[limit - 1][2] + _DOUBT)
        )
    return _exact(_ids(rows), _matrix(rows, len(query)), query, limit)


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """All vectors of an index as one matrix, one row a node."""

    generation: int
    ids: NDArray[np.int64]  # (n,)
    rows: NDArray[np.int8]  # (n, d)
    norms: NDArray[np.float32]  # (n,)

    @classmethod
    def read(cls, database: Database, dimensions: int, generation: int) -> Self:
        """Pack what the index holds; the caller knows its ``generation``."""
        import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

        rows = database.rows(f"SELECT node_id, embedding {_ROWS}")
        matrix = _matrix(rows, dimensions)
        return cls(generation, _ids(rows), matrix, _norms(matrix).astype(np.float32))

    def nearest(self, query: NDArray[np.int8], limit: int) -> list[tuple[int, float]]:
        """The nearest rows as float32 finds them."""
        import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

        if not len(self.ids):
            return []
        cosines = self._dots(query.astype(np.float32)) / (self.norms * np.float32(_norms(query[None, :])[0]))
        kth = max(len(cosines) - limit, 0)
        candidates = np.flatnonzero(cosines >= np.partition(cosines, kth)[kth] - np.float32(_DOUBT))
        return _exact(self.ids[candidates], self.rows[candidates], query, limit)

    def _dots(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

        dots = np.empty(len(self.rows), dtype=np.float32)
        block = np.empty((_BLOCK_ROWS, self.rows.shape[1]), dtype=np.float32)
        for start in range(0, len(self.rows), _BLOCK_ROWS):
            rows = self.rows[start : start + _BLOCK_ROWS]
            block[: len(rows)] = rows
            np.dot(block[: len(rows)], query, out=dots[start : start + len(rows)])
        return dots


def _exact(
    ids: NDArray[np.int64], rows: NDArray[np.int8], query: NDArray[np.int8], limit: int
) -> list[tuple[int, float]]:
    import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

    dots = rows.astype(np.int64) @ query.astype(np.int64)
    cosines = dots / (_norms(rows) * _norms(query[None, :])[0])
    order = np.lexsort((ids, -cosines))[:limit]
    return [(int(ids[row]), float(cosines[row])) for row in order]


def _norms(rows: NDArray[np.int8]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

    norms: NDArray[np.float64] = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.int64).astype(np.float64))
    norms[norms == 0] = 1.0
    return norms


def _ids(rows: list[tuple[Any, ...]]) -> NDArray[np.int64]:
    import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

    return np.fromiter((row[0] for row in rows), dtype=np.int64, count=len(rows))


def _matrix(rows: list[tuple[Any, ...]], dimensions: int) -> NDArray[np.int8]:
    import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

    packed = b"".join([row[1] for row in rows])
    return np.frombuffer(packed, dtype=np.int8).reshape(len(rows), dimensions)
