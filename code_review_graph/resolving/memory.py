"""What has been evaluated; whatever is asked first, the answers are the same.

An evaluation that runs into its own beginning sees nothing there. What lies between *rests* on that beginning, and the
whole circle is evaluated again, by what the last turn found, until nothing is added: so no answer depends on where it
was entered. What rests on the arguments that callers pass holds until more of them are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from code_review_graph.values import EMPTY

# Deeper than any honest program; what was cut here is not remembered.
MAX_DEPTH: Final = 400
# Times that a circle is evaluated at most. Few need more than three; some would alternate for ever.
MAX_TURNS: Final = 6
NOWHERE: Final = 1 << 30

_T = TypeVar("_T")


class Memory:
    """Remembers outcomes for as long as they hold."""

    def __init__(self) -> None:
        self.memo: dict[object, Any] = {}
        self.by_callers: dict[object, Any] = {}  # as memo, of what rests on what callers pass
        self.taint = 0  # how often what callers pass was asked for
        # Under way, or resting on what is: (depth of the lowest evaluation it rests on, value, by callers).
        self._resting: dict[object, tuple[int, Any, bool]] = {}
        self._trail: list[object] = []  # keys of what is resting, in order
        self._before: dict[object, Any] = {}  # what the last turn of a circle found
        self._low = NOWHERE  # depth of the lowest evaluation that the one under way rests on
        self._depth = 0

    def remember(self, key: object, compute: Callable[[], _T], meanwhile: Any = EMPTY) -> _T:  # noqa: ANN401
        """Memoised ``compute``; ``meanwhile`` is what it is while it rests on itself."""
        known = self.memo.get(key)
        if known is not None:
            return cast("_T", known)
        known = self.by_callers.get(key)
        if known is not None:
            self.taint += 1
            return cast("_T", known)
        if key in self._resting:
            return cast("_T", self._rest_on(key))
        depth = self._depth
        if depth > MAX_DEPTH:
            self._low = -1
            return cast("_T", meanwhile)
        self._resting[key] = (depth, self._before.get(key, meanwhile), False)
        self._depth = depth + 1
        before, low, mark = self.taint, self._low, len(self._trail)
        self._low = NOWHERE
        values = compute()
        if self._low == depth:
            values = self._turn(key, values, compute, mark)
        self._keep(key, values, before, low, mark)
        return values

    def _turn(self, key: object, values: _T, compute: Callable[[], _T], mark: int) -> _T:
        """Evaluate a circle until nothing is added."""
        depth = self._depth - 1
        circle: set[object] = set()
        for _ in range(MAX_TURNS):
            found = {inner: self._resting.pop(inner)[1] for inner in self._trail[mark:]}
            del self._trail[mark:]
            self._before.update(found)
            circle.update(found)
            self._resting[key] = (depth, values, False)
            last, values = values, compute()
            if values == last and all(found.get(inner) == self._resting[inner][1] for inner in self._trail[mark:]):
                break
        for inner in circle:
            self._before.pop(inner, None)
        return values

    def _rest_on(self, key: object) -> Any:  # noqa: ANN401 - whatever was remembered
        low, values, by_callers = self._resting[key]
        self._low = min(self._low, low)
        if by_callers:
            self.taint += 1
        return values

    def _keep(self, key: object, values: Any, before: int, low: int, mark: int) -> None:  # noqa: ANN401
        """Remember the outcome of an evaluation for as long as it holds."""
        self._depth = depth = self._depth - 1
        by_callers = self.taint != before
        if self._low < depth and depth:
            self._resting[key] = (self._low, values, by_callers)
            self._trail.append(key)
            self._low = min(self._low, low)
            return
        known = self.by_callers if by_callers else self.memo
        is_whole = self._low >= depth
        for inner in self._trail[mark:]:
            value = self._resting.pop(inner)[1]
            if is_whole:
                known[inner] = value
        del self._trail[mark:], self._resting[key]
        if is_whole:
            known[key] = values
        self._low = low

    def next_level(self) -> None:
        """Forget what rests on what callers pass."""
        self.by_callers.clear()

    def restart(self) -> None:
        """Forget everything: the facts that evaluation rests on have grown."""
        self.memo.clear()
        self.by_callers.clear()
