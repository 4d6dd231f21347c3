"""What a tool is, and the split of its parameters: those that a caller gives, and those that a surface binds."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from code_review_graph.progress import Progress
from code_review_graph.results import Freshness, Result
from code_review_graph.store import Store

# The surface binds these; a caller never sees them.
STORE = "store"
PROGRESS = "progress"
FRESHNESS = "freshness"
BOUND = frozenset({STORE, PROGRESS, FRESHNESS})

_ResultT = TypeVar("_ResultT", bound=Result)


def with_freshness(result: _ResultT, freshness: Freshness | None) -> _ResultT:
    """An answer that says how fresh it is, if it is one that can."""
    if freshness is None or FRESHNESS not in type(result).model_fields:
        return result
    return result.model_copy(update={FRESHNESS: freshness})


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

    def answer(
        self, store: Store, given: dict[str, Any], *, progress: Progress, freshness: Freshness | None = None
    ) -> Result:
        """Ask it about a store; ``freshness`` is how that stands, and becomes part of the answer."""
        offered: dict[str, Any] = {PROGRESS: progress, FRESHNESS: freshness}
        taken = inspect.signature(self.function).parameters
        bound = {name: value for name, value in offered.items() if name in taken}
        return with_freshness(self.function(store, **given, **bound), freshness)
