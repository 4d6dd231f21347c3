from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from code_review_graph.config import Settings
from code_review_graph.facts import unpack
from code_review_graph.parsing import language_name
from code_review_graph.walking import SourceFile, find_files
from code_review_graph.workers import Outcome, Task, parse_file, parse_files
from tests.conftest import MakeRepository, write_files

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
FILLER = "".join(f"def function_{number}(x):\n    return function_{number - 1}(x)\n\n\n" for number in range(200))


def many(count: int) -> dict[str, str]:
    """Files that are too much for one process."""
    return {f"pkg/m{number:02}.py": FILLER for number in range(count)}


def tasks(root: Path) -> list[Task]:
    return [Task(file) for file in find_files(root, lambda path: language_name(path) is not None, Settings()).files]


def outcomes(root: Path, *, seconds: float = 30.0) -> dict[str, Outcome]:
    found = [outcome for chunk in parse_files(root, tasks(root), 2, seconds=seconds) for outcome in chunk]
    by_path = {outcome.stored.record.path: outcome for outcome in found}
    assert len(by_path) == len(found)
    return by_path


def children() -> set[int]:
    """Processes that this one has started."""
    listed = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    return {int(pid) for text in listed for pid in text.split()}


def test_workers_find_what_one_process_finds(folder: MakeRepository) -> None:
    root = folder(many(40) | {"bad.py": "def broken(:\n", "empty.py": ""})
    assert sum(task.file.size for task in tasks(root)) > 300_000
    found = outcomes(root)
    for task in tasks(root):
        here, there = parse_file(root, task).stored, found[task.file.path].stored
        assert there.record.content_hash == here.record.content_hash
        assert there.diagnostics == here.diagnostics
        assert unpack(there.facts) == unpack(here.facts)
    assert found["bad.py"].stored.diagnostics


def test_a_file_whose_content_is_known_is_not_parsed(folder: MakeRepository) -> None:
    root = folder({"a.py": "x = 1\n"})
    (task,) = tasks(root)
    first = parse_file(root, task)
    again = parse_file(root, task._replace(known_hash=first.stored.record.content_hash))
    assert not first.unchanged
    assert again.unchanged
    assert again.stored.record.content_hash == first.stored.record.content_hash
    assert not parse_file(root, task._replace(known_hash="other")).unchanged


def test_a_time_that_is_too_fresh_is_not_trusted(folder: MakeRepository) -> None:
    root = folder({"a.py": "x = 1\n"})
    (task,) = tasks(root)
    assert parse_file(root, task).stored.record.mtime_ns == 0
    old = Task(SourceFile("a.py", 6, time.time_ns() - 10**10))
    assert parse_file(root, old).stored.record.mtime_ns == old.file.mtime_ns


@pytest.mark.parametrize(
    ("path", "content", "reason"),
    [("nul.py", b"\0", "NUL"), ("long.py", b"x=1;" * 10_000, "minified"), ("gone.py", None, "cannot be read")],
)
def test_what_cannot_be_read_costs_itself(
    folder: MakeRepository, path: str, content: bytes | None, reason: str
) -> None:
    root = folder({"a.py": ""} if content is None else {path: content})
    outcome = parse_file(root, Task(SourceFile(path, 1, 1)))
    assert outcome.stored.facts == b""
    assert reason in outcome.stored.diagnostics[0].message


def test_files_that_take_too_long_are_named_and_the_rest_is_parsed(folder: MakeRepository) -> None:
    root = folder(many(40))
    found = outcomes(root, seconds=0.0)
    assert len(found) == 40
    for outcome in found.values():
        assert outcome.stored.facts == b""
        assert "its parser ended or took longer" in outcome.stored.diagnostics[0].message


@linux
def test_a_worker_that_dies_loses_no_file(folder: MakeRepository) -> None:
    root = folder(many(60))
    before = children()
    found: list[Outcome] = []
    killed: set[int] = set()
    for chunk in parse_files(root, tasks(root), 2):
        found += chunk
        if not killed:
            killed = children() - before
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
    assert killed
    assert len(found) == 60
    assert all(outcome.stored.facts for outcome in found)


@linux
def test_closing_ends_the_workers_at_once(folder: MakeRepository) -> None:
    root = folder(many(60))
    before = children()
    chunks = parse_files(root, tasks(root), 2)
    next(chunks)
    assert children() - before
    started = time.monotonic()
    chunks.close()
    assert time.monotonic() - started < 2
    assert not children() - before


@linux
def test_workers_do_not_import_what_lies_in_the_repository(
    folder: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = folder(many(40))
    hostile = "import pathlib; pathlib.Path('ran').touch()\n"
    write_files(root, {"pickle.py": hostile, "code_review_graph/__init__.py": hostile, "sitecustomize.py": hostile})
    monkeypatch.chdir(root)
    monkeypatch.syspath_prepend("")
    assert all(outcome.stored.facts for outcome in outcomes(root).values())
    assert not (root / "ran").exists()
