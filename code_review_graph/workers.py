"""Parsing many files in worker processes. A file that ends its worker, or takes too long, costs only itself.

Workers are plain subprocesses that speak over their standard streams: unlike a fork they are safe beside threads and
open databases, unlike ``multiprocessing``'s spawn they do not run the caller's main module again, and the end of
their input ends them, however the parent died.
"""

from __future__ import annotations

import gc
import hashlib
import itertools
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from code_review_graph.model import Diagnostic
from code_review_graph.parsing import language_name, parse_source, rules_version
from code_review_graph.store import FileRecord, StoredFile
from code_review_graph.walking import SourceFile, read_source

# Starting a worker costs about as much as parsing this.
_IN_PROCESS_BYTES: Final = 300_000
_CHUNK_FILES: Final = 64
_CHUNK_BYTES: Final = 256_000
# A chunk takes well under a second; a single file that takes this long is hostile.
CHUNK_SECONDS: Final = 30.0
# A file changed so lately may change again within the same tick of the clock: its time proves nothing yet.
_FRESH_NANOSECONDS: Final = 2_000_000_000
_CHUNKS_A_COLLECTION: Final = 16
_LENGTH: Final = struct.Struct(">Q")
_BOOT: Final = "import sys; sys.path[:] = sys.argv[1:]; from code_review_graph.workers import serve; serve()"


class Task(NamedTuple):
    """A file to parse, unless its content still has ``known_hash``."""

    file: SourceFile
    known_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task; ``unchanged`` files carry a record alone."""

    stored: StoredFile
    unchanged: bool = False


def parse_files(
    repo_path: Path, tasks: Sequence[Task], workers: int | None = None, *, seconds: float = CHUNK_SECONDS
) -> Generator[list[Outcome]]:
    """Parse all tasks, in this process when they are few; close the iterator to stop at once.

    ``seconds`` bounds what a worker may take for a chunk of files.
    """
    count = workers or available_cpus()
    if sum(task.file.size for task in tasks) <= _IN_PROCESS_BYTES or not sys.executable:
        for task in tasks:
            yield [parse_file(repo_path, task)]
        return
    chunks = _chunks(tasks)
    crew = _Crew(repo_path, chunks, min(count, len(chunks)), seconds)
    try:
        yield from crew.outcomes(len(tasks))
    finally:
        crew.stop()


def parse_file(repo_path: Path, task: Task) -> Outcome:
    """Read and parse one file; whatever goes wrong becomes a diagnostic."""
    path = task.file.path
    source = read_source(repo_path, path)
    digest = _digest(source)
    record = _record(task, digest)
    if digest == task.known_hash:
        return Outcome(StoredFile(record, b""), unchanged=True)
    if isinstance(source, Diagnostic):
        return failed(task, source.message, digest)
    try:
        parsed = parse_source(path, source)
    except Exception as error:  # noqa: BLE001 - a fault in one file's parsing must not cost the others
        return failed(task, f"could not be parsed: {type(error).__name__}: {error}", digest)
    return Outcome(StoredFile(record, parsed.facts, parsed.diagnostics, parsed.outline))


def parse_needed(repo_path: Path, task: Task) -> bool:
    """Whether a file's content is no longer the one that was parsed."""
    return _digest(read_source(repo_path, task.file.path)) != task.known_hash


def _digest(source: bytes | Diagnostic) -> str:
    # What cannot be read is known by the reason: while that is the same, nothing has changed.
    content = source.message.encode() if isinstance(source, Diagnostic) else source
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def failed(task: Task, message: str, digest: str = "") -> Outcome:
    """A file without facts: it is noted, so that it is not tried again before it changes."""
    return Outcome(StoredFile(_record(task, digest), b"", (Diagnostic(task.file.path, message),)))


def available_cpus() -> int:
    """How many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _record(task: Task, digest: str) -> FileRecord:
    path, size, changed = task.file
    settled = time.time_ns() - changed > _FRESH_NANOSECONDS
    return FileRecord(path, language_name(path) or "", digest, size, changed if settled else 0, rules_version(path))


def _chunks(tasks: Sequence[Task]) -> list[list[Task]]:
    chunks: list[list[Task]] = []
    size = 0
    for task in tasks:
        if not chunks or len(chunks[-1]) == _CHUNK_FILES or size + task.file.size > _CHUNK_BYTES:
            chunks.append([])
            size = 0
        chunks[-1].append(task)
        size += task.file.size
    return sorted(chunks, key=lambda chunk: -sum(task.file.size for task in chunk))


# -- the parent's side


class _Attempt(NamedTuple):
    chunk: list[Task]
    again: bool = False


class _Crew:
    """One thread a worker: it hands out chunks, and starts another worker when one has ended."""

    def __init__(self, repo_path: Path, chunks: list[list[Task]], count: int, seconds: float) -> None:
        self._repo_path = repo_path
        self._seconds = seconds
        self._todo: queue.SimpleQueue[_Attempt] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[list[Outcome] | OSError] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._workers: set[_Worker] = set()
        self._changing = threading.Lock()
        for chunk in chunks:
            self._todo.put(_Attempt(chunk))
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(count)]

    def outcomes(self, total: int) -> Iterator[list[Outcome]]:
        """What the workers answer, until ``total`` files are done."""
        for thread in self._threads:
            thread.start()
        done = 0
        while done < total:
            try:
                answer = self._done.get(timeout=1.0)
            except queue.Empty:
                continue
            if isinstance(answer, OSError):
                raise answer
            done += len(answer)
            yield answer

    def stop(self) -> None:
        """End all workers now."""
        self._stopping.set()
        with self._changing:
            for worker in self._workers:
                worker.kill()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _run(self) -> None:
        worker: _Worker | None = None
        try:
            while not self._stopping.is_set():
                try:
                    attempt = self._todo.get_nowait()
                except queue.Empty:
                    break
                worker = worker or self._started()
                answer = worker.ask(attempt.chunk, self._seconds)
                if answer is None:
                    self._retire(worker)
                    worker = None
                self._account(attempt, answer)
        except OSError as error:
            self._done.put(error)
        finally:
            if worker is not None:
                self._retire(worker)

    def _account(self, attempt: _Attempt, answer: list[Outcome] | None) -> None:
        if answer is not None:
            self._done.put(answer)
        elif attempt.again:
            (task,) = attempt.chunk
            message = f"could not be parsed: its parser ended or took longer than {self._seconds:.0f} s"
            self._done.put([failed(task, message)])
        else:
            # One of them is to blame, or none: apart, each shows it.
            for task in attempt.chunk:
                self._todo.put(_Attempt([task], again=True))

    def _started(self) -> _Worker:
        with self._changing:
            worker = _Worker(self._repo_path)
            self._workers.add(worker)
        if self._stopping.is_set():
            worker.kill()
        return worker

    def _retire(self, worker: _Worker) -> None:
        worker.close()
        with self._changing:
            self._workers.discard(worker)


class _Worker:
    """A process that parses what it is asked to."""

    def __init__(self, repo_path: Path) -> None:
        # -I keeps the current folder, which may be the hostile repository, off the import path.
        search_path = [entry for entry in sys.path if entry]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _BOOT, *search_path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **_apart_from_interrupts(),
        )
        self._send(str(repo_path))

    def ask(self, chunk: list[Task], seconds: float) -> list[Outcome] | None:
        """The outcomes of a chunk; None when the worker ended or was ended after ``seconds``."""
        timer = threading.Timer(seconds, self._process.kill)
        timer.start()
        try:
            self._send(chunk)
            answer: list[Outcome] = _receive(_stream(self._process.stdout))
        except (OSError, EOFError):
            return None
        else:
            return answer
        finally:
            timer.cancel()

    def kill(self) -> None:
        """End the process, whatever it does; who waits for its answer gets none."""
        self._process.kill()

    def close(self) -> None:
        """End the process and let go of it."""
        self.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                _stream(stream).close()
            except OSError:
                continue

    def _send(self, message: object) -> None:
        try:
            _write(_stream(self._process.stdin), message)
        except BrokenPipeError:
            # The answer that never comes says it.
            return


def _apart_from_interrupts() -> dict[str, Any]:
    # Ctrl-C reaches the whole group of processes; the parent alone decides what it means.
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"process_group": 0}


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise EOFError
    return stream


# -- the worker's side


def serve() -> None:
    """Answer requests on the standard streams until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Nothing that a library prints may get between the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        repo_path = Path(_receive(requests))
        # Lowering breaks its own circles and makes many tuples, so that collecting by count would find nothing, often.
        gc.freeze()
        gc.disable()
        for chunk in itertools.count(1):
            _write(answers, [parse_file(repo_path, task) for task in _receive(requests)])
            if not chunk % _CHUNKS_A_COLLECTION:
                gc.collect()
    except (EOFError, BrokenPipeError):
        return


def _write(stream: IO[bytes], message: object) -> None:
    packed = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(packed)))
    stream.write(packed)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:  # noqa: ANN401 - whatever the other side sent
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    return pickle.loads(_read(stream, length))  # noqa: S301 - our own process is at the other end


def _read(stream: IO[bytes], length: int) -> bytes:
    packed = stream.read(length)
    if len(packed) < length:
        raise EOFError
    return packed
