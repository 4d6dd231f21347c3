"""One writer at a time between processes: a lock that dies with its process."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from code_review_graph.errors import LockedError, StoreError

_POLL_SECONDS: Final = 0.05

if sys.platform == "win32":
    import msvcrt

    # Far behind the text, since Windows keeps others from reading a locked byte.
    _OFFSET: Final = 1 << 20

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _OFFSET, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


# Beside the lock, the file on which those who want it queue.
TURN_SUFFIX: Final = ".turn"


class ProcessLock:
    """A lock on a file. The same thread may take it again; the system frees it when the process ends, however."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._threads = threading.RLock()
        self._descriptor: int | None = None
        self._depth = 0

    @contextmanager
    def held(self, timeout: float) -> Generator[None]:
        """Hold the lock; raises LockedError when another has kept it for ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        if not self._threads.acquire(timeout=timeout):
            raise LockedError("Another thread of this process is writing the index.")
        try:
            if self._depth == 0:
                self._descriptor = self._acquire(deadline)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._release()
        finally:
            self._threads.release()

    def holder(self) -> str | None:
        """The process that holds the lock, as it named itself; None when nobody does. Changes nothing."""
        try:
            descriptor = os.open(self.path, os.O_RDWR)
        except OSError:
            return None
        try:
            return None if _try_lock(descriptor) else self._holder()
        finally:
            os.close(descriptor)

    def _acquire(self, deadline: float) -> int:
        # Who waits for the lock keeps the next one from waiting before it: or one that takes it again and again would
        # let nobody in between.
        turn = self._locked(self.path.with_suffix(TURN_SUFFIX), deadline)
        try:
            descriptor = self._locked(self.path, deadline)
        finally:
            os.close(turn)
        # Who holds the lock is said for people; on a full disk it goes unsaid.
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, f"{os.getpid()}\n".encode())
        return descriptor

    def _locked(self, path: Path, deadline: float) -> int:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            self._wait(descriptor, deadline)
        except OSError as error:
            os.close(descriptor)
            raise self._unusable(error) from error
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(f"The lock {self.path} cannot be used ({error}).", hint="Check its permissions.")

    def _wait(self, descriptor: int, deadline: float) -> None:
        while not _try_lock(descriptor):
            if time.monotonic() >= deadline:
                raise LockedError(f"Process {self._holder()} is writing the index.")
            time.sleep(_POLL_SECONDS)

    def _release(self) -> None:
        if self._descriptor is not None:
            with suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None

    def _holder(self) -> str:
        try:
            return self.path.read_text(encoding="ascii", errors="replace").strip() or "of unknown id"
        except OSError:
            return "of unknown id"
