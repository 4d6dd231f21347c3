"""What the system tells about changed files, through watchfiles."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from code_review_graph.watching.places import WATCHES_FOLDERS, Noticed, Places, file_system, is_remote

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

# How often what has arrived is looked at, and how long a burst is gathered at most, in milliseconds.
_STEP: Final = 20
_GATHER: Final = 100
_TURN: Final = 200
# An event comes within a few milliseconds; a system that takes longer cannot be relied on.
_COOKIE_SECONDS: Final = 0.5
_MOST_ATTEMPTS: Final = 5
# watchfiles' number for what was deleted, or has moved away.
_DELETED: Final = 3


class UnwatchableError(Exception):
    """The system cannot tell about changes here; says why."""


class Events:
    """Notices of one repository, until ``close``; raises UnwatchableError where the system has none to give."""

    def __init__(self, repo_path: Path) -> None:
        kind = file_system(repo_path)
        if is_remote(kind):
            raise UnwatchableError(f"the file system ({kind}) does not tell of every change")
        self._repo_path = repo_path
        self._number = _number(repo_path)
        if self._number is None:
            raise UnwatchableError(f"{repo_path} is not there")
        self._asking = threading.Lock()
        self._arrived = threading.Condition()
        # A file of our own without a name: when the event of its being touched comes, all earlier events have come.
        self._cookie: int | None = None
        self._cookie_is_out = False
        self._asked = 0
        self._answered = 0
        self._places = Places(repo_path)
        self._notify = self._watched(self._places)

    def notices(self, stop: threading.Event) -> Iterator[Noticed]:
        """What changes, as it does, with empty notices between; ends with ``stop``, or when the folder is another."""
        while not stop.is_set() and _number(self._repo_path) == self._number:
            events = self._next_events()
            if any(path == str(self._repo_path) and kind == _DELETED for kind, path in events):
                # Another folder in its place may even have the number of the old one.
                return
            answered = self._cookie_back({path for _, path in events})
            noticed = self._places.meaning(events)
            if noticed.folders:
                self._follow_folders()
            yield noticed
            # Only now may who waits for the cookie go on: what came before it has been handed over.
            with self._arrived:
                self._answered = answered
                self._arrived.notify_all()

    def caught_up(self) -> bool:
        """Wait until all that was written before this call has been handed over; False if that cannot be told."""
        with self._asking, self._arrived:
            if self._cookie is None or self._cookie_is_out:
                return False
            try:
                os.utime(self._cookie)
            except OSError:
                return False
            self._cookie_is_out = True
            self._asked += 1
            return self._arrived.wait_for(lambda: self._answered >= self._asked, _COOKIE_SECONDS)

    def close(self) -> None:
        """Stop watching."""
        self._notify.close()
        self._replace_cookie(None)

    def __enter__(self) -> Self:
        """Close on leaving."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close, whatever happened."""
        self.close()

    def _next_events(self) -> set[tuple[int, str]]:
        from watchfiles._rust_notify import WatchfilesRustInternalError  # noqa: PLC0415 - for who watches

        try:
            # Without the event of the caller: watchfiles would throw away what has arrived.
            answer = self._notify.watch(_GATHER, _STEP, _TURN, None)
        except WatchfilesRustInternalError as error:
            # A name that is not UTF-8, which every look at its folder brings up again.
            raise UnwatchableError(f"the system's events cannot be read: {error}") from error
        return answer if isinstance(answer, set) else set()

    def _cookie_back(self, paths: set[str]) -> int:
        """Up to which asking is answered once these events have been handed over."""
        with self._arrived:
            if self._cookie_is_out and self._cookie is not None and _path_of(self._cookie) in paths:
                self._cookie_is_out = False
            return self._asked - self._cookie_is_out

    def _replace_cookie(self, cookie: int | None) -> None:
        with self._arrived:
            old, self._cookie = self._cookie, cookie
            if cookie is not None and self._cookie_is_out:
                # The event of the old one is lost with its watch.
                os.utime(cookie)
        if old is not None:
            os.close(old)

    def _follow_folders(self) -> None:
        """Watch the folders that there are now; the old watch goes on until the new one is in place."""
        if not WATCHES_FOLDERS:
            self._places = Places(self._repo_path)
            return
        places = Places(self._repo_path)
        for _ in range(_MOST_ATTEMPTS):
            # Even when there are just as many: one may have been made anew under its old name.
            old, self._notify = self._notify, self._watched(places)
            old.close()
            self._places, places = places, Places(self._repo_path)
            if places == self._places:
                return

    def _watched(self, places: Places) -> RustNotify:
        # Its documented back end, not its `watch`: the old watch must not end before the new one is in place.
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError  # noqa: PLC0415 - for who watches

        cookie = _new_cookie()
        try:
            for _ in range(_MOST_ATTEMPTS):
                folders = places.to_watch() + ([] if cookie is None else [_path_of(cookie)])
                # A folder may go after it was listed.
                with suppress(FileNotFoundError):
                    # Not `ignore_permission_denied`: it hides every other failure too.
                    watched = RustNotify(folders, False, False, _TURN, not WATCHES_FOLDERS, False)  # noqa: FBT003
                    self._replace_cookie(cookie)
                    return watched
                time.sleep(_STEP / 1000)
        except (OSError, WatchfilesRustInternalError) as error:
            reason = f"the system refused to watch {len(places.to_watch())} folders: {_reason(error)}"
        else:
            reason = "folders come and go too fast"
        if cookie is not None:
            os.close(cookie)
        raise UnwatchableError(reason)


def _number(path: Path) -> tuple[int, int] | None:
    """What tells a folder from another one in its place; None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _new_cookie() -> int | None:
    # Only inotify keeps one order for everything that is watched.
    if sys.platform == "linux":
        with suppress(OSError):
            return os.memfd_create("crg-watch")
    return None


def _path_of(cookie: int) -> str:
    return f"/proc/self/fd/{cookie}"


def _reason(error: Exception) -> str:
    # The library says all that it knows of a failure, path and all, in one line of its own making.
    return str(error).partition(" about [")[0].rstrip(".")
