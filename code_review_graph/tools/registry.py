"""What a tool is, and the split of its parameters: those that a caller gives, and those that a surface binds."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from code_review_graph.results import Result

# The surface binds these; a caller never sees them.
STORE = "store"
PROGRESS = "progress"
BOUND = frozenset({STORE, PROGRESS})


@dataclass(frozen=True)
class Tool:
    """One function that answers about a store, and what a client should know before calling it.

    No tool destroys anything of the user's and none reaches out of the machine, so those marks are not asked for.
    """

    function: Callable[..., Result]
    title: str
    read_only: bool

    @property
    def name(self) -> str:
        """The name under which surfaces offer it."""
        return self.function.__name__

    @cached_property
    def description(self) -> str:
        """What it does, for the caller: the docstring up to what it raises."""
        text = inspect.getdoc(self.function) or ""
        return text.partition("\n\nRaises ")[0].strip()

    @cached_property
    def signature(self) -> inspect.Signature:
        """Its signature as the caller sees it, with annotations evaluated."""
        whole = inspect.signature(self.function, eval_str=True)
        return whole.replace(parameters=[item for name, item in whole.parameters.items() if name not in BOUND])

    @cached_property
    def reports_progress(self) -> bool:
        """Whether it takes a ``progress`` that may interrupt it."""
        return PROGRESS in inspect.signature(self.function).parameters
