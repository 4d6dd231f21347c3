"""One keeper on a real index: updates, failures, other writers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from code_review_graph import indexing
from code_review_graph.errors import RepositoryError
from code_review_graph.progress import Progress
from code_review_graph.results import BuildReport, Freshness, FreshnessState, UpdateAction
from code_review_graph.store import Store
from code_review_graph.watching import Keeper
from tests.conftest import MakeRepository

LONG = 30.0
HOLD = """\
import sys
from pathlib import Path
from code_review_graph.store import Store
with Store(Path(sys.argv[1])).writing():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def indexed(repository: MakeRepository) -> Iterator[Store]:
    with Store(repository({"a.py": "def one():\n    return 1\n"})) as store:
        indexing.build(store)
        yield store


@contextmanager
def kept(
    store: Store,
    update: Callable[[Progress], BuildReport] | None = None,
    report: Callable[[BuildReport], None] = lambda _report: None,
) -> Iterator[Keeper]:
    keeper = Keeper(store, update or (lambda progress: indexing.update(store, progress=progress)), report=report)
    keeper.start()
    try:
        yield keeper
    finally:
        keeper.stop(LONG)


def ask(keeper: Keeper, wait: float = LONG) -> Freshness:
    told = keeper.freshness(wait, lambda: None)
    assert told is not None
    return told


def until(holds: Callable[[], object], seconds: float = LONG) -> None:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    assert holds()


def names(store: Store) -> set[str]:
    return {node.name for node in store.iter_nodes()}


def test_it_updates_without_being_asked(indexed: Store) -> None:
    reports: list[BuildReport] = []
    with kept(indexed, report=reports.append):
        (indexed.repo_path / "b.py").write_text("def two():\n    return 2\n")
        until(lambda: reports)
        assert "two" in names(indexed)
    assert reports[0].parsed == 1


def test_what_changed_before_it_began(indexed: Store) -> None:
    (indexed.repo_path / "a.py").write_text("def three():\n    return 3\n")
    with kept(indexed):
        until(lambda: names(indexed) == {"a.py", "three"})


def test_every_answer_has_every_edit_before_it(indexed: Store) -> None:
    with kept(indexed) as keeper:
        for number in range(10):
            (indexed.repo_path / "a.py").write_text(f"def f{number}():\n    return {number}\n")
            told = ask(keeper)
            assert told.state is FreshnessState.FRESH
            assert names(indexed) == {"a.py", f"f{number}"}


def test_one_update_at_a_time(indexed: Store) -> None:
    inside = 0
    most = 0

    def update(progress: Progress) -> BuildReport:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        try:
            time.sleep(0.02)
            return indexing.update(indexed, progress=progress)
        finally:
            inside -= 1

    with kept(indexed, update) as keeper:
        for number in range(5):
            (indexed.repo_path / "a.py").write_text(f"def f{number}():\n    return {number}\n")
            threads = [threading.Thread(target=ask, args=(keeper,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert most == 1
    assert names(indexed) == {"a.py", "f4"}


@pytest.mark.parametrize("error", [ValueError("odd"), OSError("gone"), RepositoryError("no", hint="do")], ids=repr)
def test_an_update_that_fails_is_told_and_the_next_one_runs(indexed: Store, error: Exception) -> None:
    failing = True

    def update(progress: Progress) -> BuildReport:
        if failing:
            raise error
        return indexing.update(indexed, progress=progress)

    with kept(indexed, update) as keeper:
        (indexed.repo_path / "a.py").write_text("def two():\n    return 2\n")
        told = ask(keeper)
        assert (told.state, told.action, told.changed_files) == (FreshnessState.STALE, UpdateAction.FAILED, 1)
        assert str(error) in told.hint
        failing = False
        (indexed.repo_path / "b.py").write_text("def three():\n    return 3\n")
        assert ask(keeper).state is FreshnessState.FRESH
    assert names(indexed) == {"a.py", "two", "b.py", "three"}


def test_it_waits_for_another_process_that_writes(indexed: Store) -> None:
    command = [sys.executable, "-c", HOLD, str(indexed.repo_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        with kept(indexed) as keeper:
            (indexed.repo_path / "a.py").write_text("def two():\n    return 2\n")
            told = ask(keeper, 0.5)
            assert (told.state, told.action) == (FreshnessState.STALE, UpdateAction.UPDATING)
            assert f"Process {other.pid} is writing" in told.hint
            other.stdin.close()
            until(lambda: "two" in names(indexed))


def test_who_builds_himself_gets_the_turn_at_once(indexed: Store) -> None:
    begun = threading.Event()

    def update(progress: Progress) -> BuildReport:
        begun.set()
        while True:
            progress("resolve", 0, 0)
            time.sleep(0.01)

    with kept(indexed, update) as keeper:
        (indexed.repo_path / "a.py").write_text("def two():\n    return 2\n")
        assert begun.wait(LONG)
        with keeper.paused(lambda: None):
            indexing.update(indexed)
        assert ask(keeper, 0).state is FreshnessState.FRESH
    assert "two" in names(indexed)


def test_a_cancelled_wait_ends_at_once(indexed: Store) -> None:
    def update(progress: Progress) -> BuildReport:
        while True:
            progress("resolve", 0, 0)
            time.sleep(0.01)

    def cancel() -> None:
        raise InterruptedError

    with kept(indexed, update) as keeper:
        (indexed.repo_path / "a.py").write_text("def two():\n    return 2\n")
        with pytest.raises(InterruptedError):
            keeper.freshness(LONG, cancel)


def test_what_follows_an_update_is_not_waited_for(indexed: Store) -> None:
    begun = threading.Event()

    def after(progress: Progress) -> None:
        begun.set()
        while True:
            progress("embed", 0, 0)
            time.sleep(0.01)

    keeper = Keeper(indexed, lambda progress: indexing.update(indexed, progress=progress), after=after)
    keeper.start()
    try:
        for number in range(3):
            (indexed.repo_path / "a.py").write_text(f"def f{number}():\n    return {number}\n")
            assert ask(keeper).state is FreshnessState.FRESH
            assert names(indexed) == {"a.py", f"f{number}"}
        assert begun.wait(LONG)
    finally:
        keeper.stop(LONG)


def test_an_update_that_was_interrupted_is_finished(indexed: Store) -> None:
    class StoppedError(Exception):
        pass

    def stop(stage: str, _done: int, _total: int, /) -> None:
        if stage == "resolve":
            raise StoppedError

    (indexed.repo_path / "a.py").write_text("def two():\n    return 2\n")
    with pytest.raises(StoppedError):
        indexing.update(indexed, progress=stop)
    assert indexing.changed_files(indexed) == 0
    assert indexing.pending(indexed)
    with kept(indexed) as keeper:
        assert ask(keeper).state is FreshnessState.FRESH
        assert names(indexed) == {"a.py", "two"}


def test_a_change_of_layout_is_a_change(indexed: Store) -> None:
    (indexed.repo_path / "tsconfig.json").write_text("{}")
    assert indexing.pending(indexed).files == 1
    with kept(indexed) as keeper:
        assert ask(keeper).state is FreshnessState.FRESH
    assert not indexing.pending(indexed)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
def test_names_that_are_no_text(indexed: Store) -> None:
    root = indexed.repo_path
    Path(os.fsdecode(os.fsencode(root) + b"/\xff")).mkdir()
    with kept(indexed) as keeper:
        for number in range(3):
            (root / os.fsdecode(b"\xff" * (number + 2) + b".py")).write_text("")
            (root / "a.py").write_text(f"def f{number}():\n    return {number}\n")
            assert ask(keeper).state is FreshnessState.FRESH
            assert f"f{number}" in names(indexed)
        (root / "b.py").write_text("def unasked():\n    return 1\n")
        until(lambda: "unasked" in names(indexed))


def test_the_folder_goes_and_comes_back(indexed: Store, tmp_path: Path) -> None:
    away = tmp_path / "away"
    with kept(indexed) as keeper:
        ask(keeper)
        shutil.move(indexed.repo_path, away)
        time.sleep(0.05)
        shutil.move(away, indexed.repo_path)
        (indexed.repo_path / "a.py").write_text("def back():\n    return 1\n")
        until(lambda: "back" in names(indexed))
