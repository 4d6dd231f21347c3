"""Room for recursion over deep, but bounded, structures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Bounds on depth stand in the code that recurses; this only keeps honest code of that depth from failing.
FRAMES: Final = 10_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow ``FRAMES`` nested calls while the block runs."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
