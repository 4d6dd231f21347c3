"""What the system tells about changed files, through watchfiles."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
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
_TURN: Final = 1000
# An event comes within a few milliseconds; a system that takes longer cannot be relied on.
_COOKIE_SECONDS: Final = 0.5
_MOST_ATTEMPTS: Final = 5


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
        self._cookies = _cookie_folder()
        self._counter = itertools.count()
        self._seen: set[str] = set()
        self._arrived = threading.Condition()
        try:
            self._places = Places(repo_path)
            self._notify = self._watched(self._places)
        except BaseException:
            self.close()
            raise

    def notices(self, stop: threading.Event) -> Iterator[Noticed]:
        """What changes, as it does, nothing about once a second; ends with ``stop``, or when the folder is another."""
        while not stop.is_set() and _number(self._repo_path) == self._number:
            # Without the event of the caller: watchfiles would throw away what has arrived.
            answer = self._notify.watch(_GATHER, _STEP, _TURN, None)
            events: set[tuple[int, str]] = answer if isinstance(answer, set) else set()
            noticed = self._places.meaning(events)
            if noticed.folders:
                self._follow_folders()
            yield noticed
            # Only now may who waits for a cookie go on: what came before it has been handed over.
            self._note_cookies(path for _, path in events)

    def caught_up(self) -> bool:
        """Wait until everything that was written before this call has been handed over; False if that cannot be told.

        A file of our own is written, and its event waited for: the system keeps events in their order.
        """
        if self._cookies is None:
            return False
        cookie = self._cookies / str(next(self._counter))
        try:
            cookie.touch()
            cookie.unlink()
        except OSError:
            return False
        with self._arrived:
            arrived = self._arrived.wait_for(lambda: str(cookie) in self._seen, _COOKIE_SECONDS)
            self._seen.discard(str(cookie))
            return arrived

    def close(self) -> None:
        """Stop watching."""
        if hasattr(self, "_notify"):
            self._notify.close()
        if self._cookies is not None:
            shutil.rmtree(self._cookies, ignore_errors=True)

    def __enter__(self) -> Self:
        """Close on leaving."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close, whatever happened."""
        self.close()

    def _note_cookies(self, paths: Iterator[str]) -> None:
        if self._cookies is None:
            return
        mine = {path for path in paths if path.startswith(f"{self._cookies}{os.sep}")}
        if mine:
            with self._arrived:
                self._seen |= mine
                self._arrived.notify_all()

    def _follow_folders(self) -> None:
        """Watch the folders that there are now; the old watch goes on until the new one is in place."""
        if not WATCHES_FOLDERS:
            self._places = Places(self._repo_path)
            return
        for _ in range(_MOST_ATTEMPTS):
            places = Places(self._repo_path)
            if places == self._places:
                return
            old, self._notify = self._notify, self._watched(places)
            self._places = places
            old.close()

    def _watched(self, places: Places) -> RustNotify:
        # Its documented back end, not its `watch`: the old watch must not end before the new one is in place.
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError  # noqa: PLC0415 - for who watches

        for attempt in itertools.count(1):
            folders = places.to_watch()
            if self._cookies is not None:
                folders.append(str(self._cookies))
            try:
                # Not `ignore_permission_denied`: it hides every other failure too.
                return RustNotify(folders, False, False, _TURN, not WATCHES_FOLDERS, False)  # noqa: FBT003
            except FileNotFoundError as error:
                # A folder has gone since it was listed.
                if attempt == _MOST_ATTEMPTS:
                    raise UnwatchableError("folders come and go too fast") from error
                time.sleep(_STEP / 1000)
            except (OSError, WatchfilesRustInternalError) as error:
                raise UnwatchableError(
                    f"the system refused to watch {len(folders)} folders: {_reason(error)}"
                ) from error
        raise AssertionError


def _number(path: Path) -> tuple[int, int] | None:
    """What tells a folder from another one in its place; None when there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _cookie_folder() -> Path | None:
    # Only inotify keeps one order for all folders.
    if not WATCHES_FOLDERS:
        return None
    with suppress(OSError):
        return Path(tempfile.mkdtemp(prefix="crg-watch-")).resolve()
    return None


def _reason(error: Exception) -> str:
    # The library says all that it knows of a failure, path and all, in one line of its own making.
    return str(error).partition(" about [")[0].rstrip(".")
