"""What was noticed of changed files, and how far updates have covered it; shared between threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import Final

from code_review_graph.results import Freshness, FreshnessState, UpdateAction

# After an update that failed, in seconds: at first, and at most, doubling between. A new change does not wait.
_RETRY: Final = 15.0
_LONGEST_RETRY: Final = 600.0


class Changes:
    """Counts notices: an update covers all that were noticed before it began."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._noticed = 0
        self._noticed_at = 0.0
        self._covered = 0
        self._failed = 0
        self._problem = ""
        self._retry = _RETRY
        self._retry_at = 0.0
        self._waiting_for = ""
        self._asked = False
        self._asked_since: float | None = None
        # Which files may differ, with the notice that named them last; and how many do, where that was counted.
        self._paths: dict[str, int] = {}
        self._counted = 0
        # What was taken in since the last answer.
        self._updated_files = 0
        self._updated_seconds = 0.0

    # -- noticing

    def note(self, paths: Iterable[str]) -> None:
        """Something changed; ``paths`` are the files that are known to have."""
        with self._changed:
            self._note()
            self._paths.update(dict.fromkeys(paths, self._noticed))

    def note_count(self, files: int) -> None:
        """So many files were found to differ; no news if an update of just as many has failed."""
        with self._changed:
            if self._failed < self._noticed or files != self._counted or time.monotonic() >= self._retry_at:
                self._note()
            self._counted = files

    def _note(self) -> None:
        self._noticed += 1
        self._noticed_at = time.monotonic()
        self._changed.notify_all()

    # -- asking

    def ask(self) -> tuple[int, float]:
        """The number of the last notice, and since when the update under way is asked for; that begins at once."""
        with self._changed:
            now = time.monotonic()
            self._asked = self._noticed > self._covered
            if self._asked and self._asked_since is None:
                self._asked_since = now
            self._changed.notify_all()
            return self._noticed, self._asked_since or now

    def last(self) -> int:
        """The number of the last notice."""
        with self._changed:
            return self._noticed

    def found_equal(self, aim: int) -> None:
        """Files and index were found to be equal after a notice: an update that failed for it has lost nothing."""
        with self._changed:
            failing = self._covered < aim <= self._failed
        if failing:
            self.covered(aim)

    def is_open(self, wanted: int | None = None) -> bool:
        """Whether an update that covers a notice, or else every notice, is still to come."""
        with self._changed:
            aim = self._noticed if wanted is None else wanted
            return max(self._covered, self._failed) < aim

    def wait(self, seconds: float) -> None:
        """Wait until anything changes here, or so long."""
        with self._changed:
            self._changed.wait(seconds)

    def wake(self) -> None:
        """End every wait, so that who waits looks around."""
        with self._changed:
            self._changed.notify_all()

    def freshness(self, wanted: int) -> Freshness:
        """How an answer stands that is made now, as seen by who asked at a notice."""
        with self._changed:
            if self._covered >= wanted:
                files, seconds = self._updated_files, self._updated_seconds
                self._updated_files, self._updated_seconds = 0, 0.0
                return Freshness(
                    state=FreshnessState.FRESH,
                    action=UpdateAction.UPDATED if files else UpdateAction.NONE,
                    updated_files=files,
                    milliseconds=max(round(seconds * 1000), 1) if files else 0,
                )
            failed = self._failed >= wanted
            return Freshness(
                state=FreshnessState.STALE,
                changed_files=max(len(self._paths), self._counted),
                action=UpdateAction.FAILED if failed else UpdateAction.UPDATING,
                hint=self._problem if failed else self._waiting_for or "Ask again in a moment for the newest.",
            )

    # -- updating

    def await_quiet(self, stop: threading.Event, quiet: float, longest: float) -> bool:
        """Wait until an update is due, and its burst of changes over or an answer wanted; False when it is not."""
        with self._changed:
            if not self._is_due():
                self._changed.wait(1.0)
            began = time.monotonic()
            while self._is_due() and not self._asked and not stop.is_set():
                now = time.monotonic()
                left = min(self._noticed_at + quiet, began + longest) - now
                if left <= 0:
                    break
                self._changed.wait(left)
            return self._is_due() and not stop.is_set()

    def _is_due(self) -> bool:
        if self._noticed <= self._covered:
            return False
        return self._failed < self._noticed or time.monotonic() >= self._retry_at

    def begin(self) -> int:
        """An update begins: returns the notice that it will cover."""
        with self._changed:
            self._asked = False
            return self._noticed

    def count(self, files: int) -> None:
        """An update has found so many files to read."""
        with self._changed:
            self._counted = max(self._counted, files)

    def is_waiting(self, reason: str) -> None:
        """Note why an update cannot begin; nothing once it can."""
        with self._changed:
            self._waiting_for = reason

    def covered(self, aim: int, files: int = 0, seconds: float = 0.0) -> None:
        """An update is done: it took in so many files, in so many seconds."""
        with self._changed:
            self._covered = max(self._covered, aim)
            self._asked_since = None
            self._problem, self._retry, self._retry_at = "", _RETRY, 0.0
            self._paths = {path: notice for path, notice in self._paths.items() if notice > aim}
            if self._covered == self._noticed:
                self._counted = 0
            self._updated_files += files
            self._updated_seconds += seconds if files else 0.0
            self._changed.notify_all()

    def failed(self, aim: int, problem: str) -> None:
        """An update could not be made; it is tried again when something changes, or after a while."""
        with self._changed:
            self._failed, self._problem = aim, problem
            self._retry_at = time.monotonic() + self._retry
            self._retry = min(self._retry * 2, _LONGEST_RETRY)
            self._changed.notify_all()
