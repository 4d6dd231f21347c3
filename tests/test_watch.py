"""``watch`` as a user runs it: a process that prints a line for each update, until a signal."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from code_review_graph.store import Store
from tests.conftest import MakeRepository, commit_all, git, write_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
WATCH = [sys.executable, "-m", "code_review_graph", "watch", "--no-embed", "--json"]
LONG = 60.0


class Watching:
    """A process that watches, and what it has said so far."""

    def __init__(self, repo: Path, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        self.lines: list[str] = []
        self.said: list[str] = []
        for stream, kept in ((self.process.stdout, self.lines), (self.process.stderr, self.said)):
            assert stream
            threading.Thread(target=kept.extend, args=(stream,), daemon=True).start()

    @property
    def reports(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    def files(self) -> int:
        """How many files were read or removed in all."""
        return sum(report["parsed"] + report["removed"] for report in self.reports)

    def until(self, number: int) -> None:
        end = time.monotonic() + LONG
        while self.files() < number and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        assert self.files() == number, (self.lines, self.said)

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        return self.process.wait(5)


@contextmanager
def watching(repo: Path, command: list[str] | None = None) -> Iterator[Watching]:
    started = Watching(repo, command or WATCH)
    try:
        yield started
    finally:
        started.process.kill()
        started.process.wait()


def names(repo: Path) -> set[str]:
    with Store(repo) as store:
        return {node.name for node in store.iter_nodes()}


@pytest.fixture
def repo(repository: MakeRepository) -> Path:
    return repository({"a.py": "def one():\n    return 1\n", "b.py": ""})


def test_it_builds_then_follows_edits_and_ends_with_sigterm(repo: Path) -> None:
    with watching(repo) as watch:
        watch.until(2)
        write_files(repo, {"a.py": "def two():\n    return 2\n"})
        watch.until(3)
        (repo / "b.py").unlink()
        watch.until(4)
        assert names(repo) == {"a.py", "two"}
        assert watch.end(signal.SIGTERM) == 0
        assert not [line for line in watch.said if "Error" in line or "Traceback" in line]


def test_ctrl_c(repo: Path) -> None:
    with watching(repo) as watch:
        watch.until(2)
        assert watch.end(signal.SIGINT) == 130
        assert "Traceback" not in "".join(watch.said)


def test_a_burst_is_one_update_or_two(repo: Path) -> None:
    write_files(repo, {f"m{number}.py": f"def f{number}():\n    return 1\n" for number in range(300)})
    commit_all(repo)
    git(repo, "checkout", "-q", "-b", "less")
    for number in range(300):
        (repo / f"m{number}.py").unlink()
    commit_all(repo)
    with watching(repo) as watch:
        watch.until(2)
        git(repo, "checkout", "-q", "main")
        watch.until(302)
        assert len(watch.lines) <= 4
        assert len(names(repo)) == 603


def test_another_writer_is_waited_for(repo: Path) -> None:
    with Store(repo) as store, watching(repo) as watch:
        with store.writing():
            end = time.monotonic() + LONG
            while not any("Waiting" in line for line in watch.said) and time.monotonic() < end:
                time.sleep(0.01)
            assert f"Process {os.getpid()} is writing" in "".join(watch.said)
            assert watch.process.poll() is None
        watch.until(2)


def test_it_ends_when_the_repository_goes(repo: Path) -> None:
    with watching(repo) as watch:
        watch.until(2)
        shutil.rmtree(repo)
        assert watch.process.wait(LONG) == 1
        end = time.monotonic() + LONG
        while not any("has gone" in line for line in watch.said) and time.monotonic() < end:
            time.sleep(0.01)
        assert "has gone" in "".join(watch.said)
        assert "Traceback" not in "".join(watch.said)


@pytest.mark.parametrize("limit", ["max_inotify_watches", "max_inotify_instances"])
def test_it_looks_by_itself_where_the_system_refuses(repo: Path, limit: str) -> None:
    lowered = f"echo 0 > /proc/sys/user/{limit}"
    if sys.platform != "linux" or os.system(f"unshare -Ur sh -c '{lowered}' 2>/dev/null"):
        pytest.skip("no rights to lower the limit")
    with watching(repo, ["unshare", "-Ur", "sh", "-c", f"{lowered} && exec {' '.join(WATCH)}"]) as watch:
        watch.until(2)
        write_files(repo, {"c.py": "def three():\n    return 3\n"})
        watch.until(3)
        assert "Looking for changes every few seconds, because the system refused" in "".join(watch.said)
        assert watch.end(signal.SIGTERM) == 0


def test_what_cannot_be_indexed_ends_it_at_once(tmp_path: Path) -> None:
    with watching(tmp_path) as watch:
        assert watch.process.wait(LONG) == 1


def test_lines_for_people(repo: Path) -> None:
    with watching(repo, WATCH[:-2]) as watch:
        end = time.monotonic() + LONG
        while not watch.lines and time.monotonic() < end:
            time.sleep(0.01)
        assert "2 files read, 0 removed in" in watch.lines[0]
        assert "3 nodes, 1 edges, 3 embedded" in watch.lines[0]
