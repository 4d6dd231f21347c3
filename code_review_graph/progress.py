"""How long work reports itself; a reporter may raise to interrupt the work safely."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called as ``progress(stage, done, total)``; ``total`` is 0 while unknown."""

    def __call__(self, stage: str, done: int, total: int, /) -> None:
        """Report that ``done`` of ``total`` units of ``stage`` are finished."""
        ...


def silent(_stage: str, _done: int, _total: int, /) -> None:
    """Report nothing."""
