"""Nearest vectors in memory, over a packed int8 matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class VectorMatrix:
    """All vectors of an index as one matrix, one row a node, ordered by node id."""

    generation: int
    ids: NDArray[np.int64]  # (n,)
    rows: NDArray[np.int8]  # (n, d)
    norms: NDArray[np.float32]  # (n,)

    @classmethod
    def packed(cls, rows: list[tuple[Any, ...]], dimensions: int, generation: int) -> Self:
        """From (node id, int8 blob) pairs."""
        import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

        ids = np.array([row[0] for row in rows], dtype=np.int64)
        matrix = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.int8).reshape(len(rows), dimensions)
        squares = np.einsum("ij,ij->i", matrix, matrix, dtype=np.int32)
        norms = np.sqrt(squares.astype(np.float32))
        norms[norms == 0] = 1
        return cls(generation, ids, matrix, norms)

    def nearest(self, vector: NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """Node ids and cosines, the nearest first; ties by node id."""
        import numpy as np  # noqa: PLC0415 - start-up of the command line must stay light

        length = float(np.linalg.norm(vector)) or 1.0
        scores = (self.rows.astype(np.float32) @ vector) / (self.norms * length)
        order = np.lexsort((self.ids, -scores))[:limit]
        return [(int(self.ids[row]), float(scores[row])) for row in order]
