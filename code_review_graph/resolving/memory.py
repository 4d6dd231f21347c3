"""What has been evaluated; whatever is asked first, the answers are the same.

An evaluation that runs into its own beginning sees nothing there; what lies between *rests* on that beginning. Then all
parts of the circle are found, and all of them evaluated from nothing, turn by turn, each turn by what the one before
gave: so no answer depends on where the circle was entered, nor on which part comes first. What rests on the arguments
that callers pass holds until more of them are known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar, cast

from code_review_graph.values import EMPTY

# Deeper than any honest program; what was cut here is not remembered.
MAX_DEPTH: Final = 400
# Turns of a circle at most. Few need more than four; some would alternate for ever.
MAX_TURNS: Final = 8
# Times that further parts of a circle are looked for.
_MAX_SEARCHES: Final = 12
NOWHERE: Final = 1 << 30

_T = TypeVar("_T")


class _Resting(NamedTuple):
    """An evaluation that rests on one under way: depth of the lowest such, and what is known meanwhile."""

    low: int
    values: Any
    by_callers: bool
    compute: Callable[[], Any]
    meanwhile: Any


class Memory:
    """Remembers outcomes for as long as they hold."""

    def __init__(self) -> None:
        self.memo: dict[object, Any] = {}
        self.by_callers: dict[object, Any] = {}  # as memo, of what rests on what callers pass
        self.taint = 0  # how often what callers pass was asked for
        # Depth and meanwhile of what is under way, and what rests on that.
        self._resting: dict[object, tuple[int, Any] | _Resting] = {}
        self._trail: list[object] = []  # keys of what is not under way and rests, in order
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
        self._resting[key] = (depth, meanwhile)
        self._depth = depth + 1
        before, low, mark = self.taint, self._low, len(self._trail)
        self._low = NOWHERE
        values = compute()
        if self._low <= depth:
            return cast("_T", self._conclude(key, values, compute, before, low, mark))
        self._depth = depth
        del self._resting[key]
        (self.memo if self.taint == before else self.by_callers)[key] = values
        self._low = low
        return values

    def _rest_on(self, key: object) -> Any:  # noqa: ANN401 - whatever was remembered
        part = self._resting[key]
        self._low = min(self._low, part[0])
        if len(part) > 2 and part[2]:
            self.taint += 1
        return part[1]

    def _conclude(
        self,
        key: object,
        values: Any,  # noqa: ANN401
        compute: Callable[[], Any],
        before: int,
        low: int,
        mark: int,
    ) -> Any:  # noqa: ANN401 - whatever is remembered
        """Remember the outcome of an evaluation that rests on itself, or on one that is still under way."""
        self._depth = depth = self._depth - 1
        meanwhile = self._resting[key][1]
        part = _Resting(depth, values, False, compute, meanwhile)  # noqa: FBT003
        if self._low == depth:
            values = self._turned(key, part, mark)
        by_callers = self.taint != before
        if self._low < depth and depth:
            self._resting[key] = part._replace(low=self._low, values=values, by_callers=by_callers)
            self._trail.append(key)
            self._low = min(self._low, low)
            return values
        known = self.by_callers if by_callers else self.memo
        is_whole = self._low >= depth  # else it was cut, being too deep
        for inner in self._trail[mark:]:
            found = self._resting.pop(inner)[1]
            if is_whole:
                known[inner] = found
        del self._trail[mark:], self._resting[key]
        if is_whole:
            known[key] = values
        self._low = low
        return values

    def _turned(self, key: object, part: _Resting, mark: int) -> Any:  # noqa: ANN401 - whatever is remembered
        """Evaluate all parts of the circle that begins here; returns what this one is in the end."""
        parts = {key: part}
        self._gather(parts, mark)
        self._depth = part.low + 1
        size, (state, lowest) = len(parts), self._turns(parts, part.low, mark)
        for _ in range(_MAX_SEARCHES):
            if len(parts) == size:
                break
            size, (state, lowest) = len(parts), self._turns(parts, part.low, mark)
        self._depth = part.low
        for inner, found in parts.items():
            if inner != key:
                self._resting[inner] = found._replace(low=lowest, values=state.get(inner, found.meanwhile))
                self._trail.append(inner)
        self._low = lowest
        return state[key]

    def _turns(self, parts: dict[object, _Resting], depth: int, mark: int) -> tuple[dict[object, Any], int]:
        """Turn from nothing until nothing changes, or until a further part is found: it joins ``parts``."""
        size, lowest = len(parts), depth
        state = {key: part.meanwhile for key, part in parts.items()}
        for _ in range(MAX_TURNS):
            for key, part in list(parts.items())[:size]:
                self._resting[key] = part._replace(low=depth, values=state[key])
            now: dict[object, Any] = {}
            for key, part in list(parts.items())[:size]:
                self._low = NOWHERE
                now[key] = part.compute()
                lowest = min(lowest, self._low)
                self._gather(parts, mark)
            if len(parts) > size or now == state:
                return now, lowest
            state = now
        return state, lowest

    def _gather(self, parts: dict[object, _Resting], mark: int) -> None:
        """What rests on the circle is part of it."""
        for inner in self._trail[mark:]:
            found = self._resting.pop(inner)
            if isinstance(found, _Resting):
                parts.setdefault(inner, found)
        del self._trail[mark:]

    def next_level(self) -> None:
        """Forget what rests on what callers pass."""
        self.by_callers.clear()

    def restart(self) -> None:
        """Forget everything: the facts that evaluation rests on have grown."""
        self.memo.clear()
        self.by_callers.clear()
