"""Keeps one index up to date: one thread notices changes, another updates; an answer waits for it, but not for long."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from code_review_graph.errors import CodeReviewGraphError, LockedError, RepositoryError
from code_review_graph.indexing import PARSE, pending
from code_review_graph.progress import Progress
from code_review_graph.results import BuildReport, Freshness, FreshnessState
from code_review_graph.store import Store
from code_review_graph.watching.changes import Changes
from code_review_graph.watching.events import Events, UnwatchableError

Update = Callable[[Progress], BuildReport]

# A burst of changes, such as a checkout, is over when nothing came for so long; it is not waited for for ever.
_QUIET: Final = 0.25
_LONGEST_BURST: Final = 3.0
_TURN: Final = 0.1
# A look at every file that takes no longer than this is done before each answer, whatever the system has told.
_CHEAP_LOOK: Final = 0.03
# How long to go by what the system tells, before every file is looked at again.
_TRUST: Final = 60.0
# Looking at files without being told: a tenth of the time at most.
_SHORTEST_POLL: Final = 1.0
_POLL_SHARE: Final = 10
_LONGEST_POLL: Final = 60.0
# How long before the system is asked for events again that it refused, or that ended of some fault.
_TRY_EVENTS: Final = 600.0
_TRY_WATCHING: Final = 10.0
# Another process's update of the same files is no news before it has taken so long.
_PATIENCE: Final = 2.0
# What a thread may take to end.
_LEAVE: Final = 1.0

_log = logging.getLogger(__name__)


class Yielded(Exception):  # noqa: N818 - not an error: another needs the turn
    """Raised inside an update that has to stop, for the surface's own build or for the end."""


class Keeper:
    """Runs ``update`` whenever files of a store's repository have changed, one at a time; ``after`` follows it.

    What ``after`` does (embedding) no answer waits for; it is interrupted when files change. ``report`` is called
    with what each update did, if it did anything.
    """

    def __init__(
        self,
        store: Store,
        update: Update,
        *,
        after: Callable[[Progress], object] = lambda _progress: None,
        report: Callable[[BuildReport], None] = lambda _report: None,
    ) -> None:
        self._store = store
        self._update = update
        self._after = after
        self._report = report
        self._changes = Changes()
        self._stop = threading.Event()
        self._turn = threading.Lock()
        self._yielding = 0
        self._events: Events | None = None
        self._looked_at = float("-inf")
        self._look_seconds = 0.0
        self._listener = threading.Thread(target=self._listen, daemon=True, name="crg-listen")
        self._told: dict[str, str] = {}

    # -- for who answers

    def start(self) -> None:
        """Notice and update on threads of its own, until ``stop``."""
        self._listener.start()
        threading.Thread(target=self._work, daemon=True, name="crg-update").start()

    def run(self) -> None:
        """Update at once, notice on a thread of its own, and update again on this one, until ``stop``.

        Raises RepositoryError when the repository's folder has gone, what makes the first update impossible, and what
        interrupts this thread.
        """
        self._listener.start()
        try:
            self._report(self._first_update())
            # What changed while there was no index to compare with.
            self._look_quietly()
            while not self._stop.is_set():
                if not self._store.repo_path.is_dir():
                    raise RepositoryError(f"{self._store.repo_path} has gone.", hint="Watch it again when it is back.")
                self._step()
        finally:
            self.stop(_LEAVE)

    def stop(self, seconds: float) -> None:
        """End, waiting so long for an update to leave its index whole."""
        self._stop.set()
        self._changes.wake()
        if self._turn.acquire(timeout=seconds):
            self._turn.release()
        if self._listener.ident is not None:
            # While it is inside the system's library, this process must not be taken down around it.
            self._listener.join(_LEAVE)

    def freshness(self, wait: float, check: Callable[[], None]) -> Freshness | None:
        """Have the index brought up to date, wait for it at most ``wait`` seconds, and say how it stands.

        None without an index, or with one that cannot be read. ``check`` is called meanwhile, and may raise.
        """
        try:
            if not self._store.has_graph():
                return None
            self._look()
        except CodeReviewGraphError as error:
            return Freshness(state=FreshnessState.UNKNOWN, hint=str(error))
        wanted, since = self._changes.ask()
        # An update that has outlasted one wait is not waited for again.
        deadline = since + wait
        while self._changes.is_open(wanted) and (left := deadline - time.monotonic()) > 0:
            self._changes.wait(min(left, _TURN))
            check()
        return self._changes.freshness(wanted)

    @contextmanager
    def paused(self, check: Callable[[], None]) -> Iterator[None]:
        """Let the caller build: an update that runs ends at its next report, and none begins inside."""
        self._yielding += 1
        try:
            while not self._turn.acquire(timeout=_TURN):
                check()
            try:
                aim = self._changes.begin()
                yield
                self._changes.covered(aim)
            finally:
                self._turn.release()
        finally:
            self._yielding -= 1
            self._changes.wake()

    # -- noticing

    def _listen(self) -> None:
        while not self._stop.is_set():
            try:
                if self._store.repo_path.is_dir():
                    self._follow_events()
                else:
                    self._say("watch", f"{self._store.repo_path} has gone; waiting for it to come back.")
                    self._stop.wait(_SHORTEST_POLL)
            except UnwatchableError as error:
                self._say("watch", f"Looking for changes every few seconds, because {error}.")
                self._poll(_TRY_EVENTS)
            except Exception as error:  # noqa: BLE001 - whatever a watch ends of, the next may work
                self._say("watch", f"Watching {self._store.repo_path} failed: {type(error).__name__}: {error}")
                self._poll(_TRY_WATCHING)

    def _follow_events(self) -> None:
        with Events(self._store.repo_path) as events:
            self._events = events
            try:
                self._look_quietly()
                for noticed in events.notices(self._stop):
                    if noticed:
                        self._changes.note(noticed.paths)
            finally:
                self._events = None

    def _poll(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self._stop.is_set() and self._store.repo_path.is_dir() and time.monotonic() < end:
            self._look_quietly()
            self._stop.wait(min(max(_SHORTEST_POLL, _POLL_SHARE * self._look_seconds), _LONGEST_POLL))

    def _look_quietly(self) -> None:
        try:
            if self._store.has_graph() and not self._store.made_elsewhere():
                self._look()
        except CodeReviewGraphError as error:
            self._say("look", str(error))

    def _look(self) -> None:
        """Note what has changed, by what the system has told or else by looking at every file."""
        events, started = self._events, time.monotonic()
        trusted = self._look_seconds > _CHEAP_LOOK and started - self._looked_at < _TRUST
        if events is not None and trusted and events.caught_up():
            return
        aim = self._changes.last()
        found = pending(self._store)
        self._looked_at, self._look_seconds = started, time.monotonic() - started
        if found.files or (found.unfinished and not self._changes.is_open()):
            self._changes.note_count(found.files)
        elif not found:
            self._changes.found_equal(aim)

    # -- updating

    def _work(self) -> None:
        while not self._stop.is_set():
            self._step()

    def _step(self) -> None:
        """Wait about a second for something to do, and do it."""
        if self._changes.await_quiet(self._stop, _QUIET, _LONGEST_BURST) and not self._yielding:
            with self._turn:
                self._bring_up_to_date()
        elif self._yielding:
            self._stop.wait(_TURN)

    def _bring_up_to_date(self) -> None:
        aim = self._changes.begin()
        try:
            report = self._updated(aim)
        except Yielded:
            return
        except LockedError as error:
            # Nobody else holds the lock, so somebody reads for long: there is nothing to do but to try again.
            self._changes.is_waiting(str(error))
            self._stop.wait(_TURN)
        except (CodeReviewGraphError, OSError) as error:
            self._say("update", f"The index could not be updated: {error}")
            self._changes.failed(aim, str(error))
        except Exception as error:  # noqa: BLE001 - one update that fails must not end the next
            _log.exception("Updating the index of %s failed.", self._store.repo_path)
            self._changes.failed(aim, f"{type(error).__name__}: {error}")
        else:
            self._say("update", "")
            if report.parsed or report.removed:
                self._report(report)
            self._run_after()

    def _first_update(self) -> BuildReport:
        while True:
            try:
                return self._updated(self._changes.begin())
            except LockedError as error:
                self._say("lock", f"Waiting to update: {error.message}")
                self._stop.wait(_TURN)

    def _updated(self, aim: int) -> BuildReport:
        with self._index_to_itself():
            report = self._update(self._progress)
        self._changes.covered(aim, report.parsed + report.removed, report.seconds)
        return report

    def _run_after(self) -> None:
        try:
            self._after(self._progress_after)
        except Yielded:
            return
        except Exception as error:  # noqa: BLE001 - the graph is up to date; search says what is missing
            self._say("embed", f"Embedding failed: {error}")

    @contextmanager
    def _index_to_itself(self) -> Iterator[None]:
        with ExitStack() as held:
            worth_saying = time.monotonic() + _PATIENCE
            while waiting_for := self._lock_waited_for(held):
                if time.monotonic() >= worth_saying:
                    self._say("lock", waiting_for)
                self._may_go_on()
            self._say("lock", "")
            yield

    def _lock_waited_for(self, held: ExitStack) -> str:
        """Take the lock of the index; empty, or what is waited for because that did not succeed within a turn."""
        waiting_for = ""
        try:
            held.enter_context(self._store.writing(_TURN))
        except LockedError as error:
            waiting_for = f"Waiting to update: {error.message}"
        self._changes.is_waiting(waiting_for)
        return waiting_for

    def _may_go_on(self) -> None:
        if self._stop.is_set() or self._yielding:
            raise Yielded

    def _progress(self, stage: str, done: int, total: int, /) -> None:
        self._may_go_on()
        if stage == PARSE and not done:
            self._changes.count(total)

    def _progress_after(self, _stage: str, _done: int, _total: int, /) -> None:
        self._may_go_on()
        if self._changes.is_open():
            raise Yielded

    def _say(self, about: str, message: str) -> None:
        # Once, however often it happens; nothing when it is over.
        if message and message != self._told.get(about) and not self._stop.is_set():
            _log.warning("%s", message)
        self._told[about] = message
