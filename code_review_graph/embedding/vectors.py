"""Small pieces of linear algebra that providers share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows (n, d) scaled to length 1; zero rows stay zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    norms[norms == 0] = 1
    return np.asarray(vectors / norms, dtype=np.float32)


def int8_rows(vectors: NDArray[np.float32]) -> list[bytes]:
    """Each row scaled by its own largest value to int8, as bytes; cosine does not care about the scale."""
    largest = np.abs(vectors).max(axis=1, keepdims=True, initial=0)
    largest[largest == 0] = 1
    rows = np.rint(vectors * (127 / largest)).astype(np.int8)
    return [row.tobytes() for row in rows]
