"""What the system tells of real changes in real folders."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from code_review_graph.watching.events import Events, UnwatchableError
from code_review_graph.watching.places import Noticed, Places, file_system, is_remote
from tests.conftest import MakeRepository, commit_all, git, write_files

linux = pytest.mark.skipif(sys.platform != "linux", reason="one watch a folder is how Linux does it")


class Heard:
    """Everything that the events of a folder mean, gathered on a thread."""

    def __init__(self, root: Path) -> None:
        self.all = Noticed()
        self.ended = threading.Event()
        self._stop = threading.Event()
        self._events = Events(root)
        self._thread = threading.Thread(target=self._gather, daemon=True)
        self._thread.start()

    def _gather(self) -> None:
        for noticed in self._events.notices(self._stop):
            self.all.paths |= noticed.paths
            self.all.folders |= noticed.folders
            self.all.git |= noticed.git
        self.ended.set()

    def until(self, holds: Callable[[Noticed], bool], seconds: float = 10) -> bool:
        end = time.monotonic() + seconds
        while not holds(self.all) and time.monotonic() < end:
            time.sleep(0.01)
        return holds(self.all)

    def caught_up(self) -> Noticed:
        assert self._events.caught_up()
        return self.all

    def close(self) -> None:
        self._stop.set()
        self._thread.join(10)
        self._events.close()


@pytest.fixture
def root(repository: MakeRepository) -> Path:
    made = repository({"a.py": "", "pkg/b.py": "", "package.json": "{}", ".gitignore": "out/\n"})
    return write_files(made, {"out/made.py": "", "node_modules/m/index.js": "", "README": ""})


@pytest.fixture
def heard(root: Path) -> Iterator[Heard]:
    listening = Heard(root)
    yield listening
    listening.close()


def edit(root: Path, path: str) -> None:
    write_files(root, {path: f"x = {time.monotonic_ns()}\n"})


@linux
def test_everything_before_a_cookie_has_been_handed_over(root: Path, heard: Heard) -> None:
    for number in range(20):
        edit(root, f"pkg/n{number}.py")
        assert f"pkg/n{number}.py" in heard.caught_up().paths


@pytest.mark.parametrize("path", ["a.py", "pkg/b.py", "pkg/new.ts", "package.json"])
def test_sources_and_what_lays_them_out(root: Path, heard: Heard, path: str) -> None:
    edit(root, path)
    assert heard.until(lambda told: path in told.paths)


def test_deleted_and_renamed(root: Path, heard: Heard) -> None:
    (root / "a.py").unlink()
    (root / "pkg" / "b.py").replace(root / "pkg" / "c.py")
    assert heard.until(lambda told: {"a.py", "pkg/b.py", "pkg/c.py"} <= told.paths)


@linux
def test_what_no_walk_would_find_says_nothing(root: Path, heard: Heard) -> None:
    for path in ("out/made.py", "node_modules/m/index.js", ".code-review-graph/x.py", "README", "out/deep/x.py"):
        edit(root, path)
    (root / ".git" / "x.py").write_text("")
    assert not heard.caught_up()


@linux
def test_odd_names(root: Path, heard: Heard) -> None:
    (root / "line\nbreak").mkdir()
    heard.caught_up()
    edit(root, "line\nbreak/c\td.py")
    assert "line\nbreak/c\td.py" in heard.caught_up().paths


@linux
def test_new_folders_are_followed(root: Path, heard: Heard) -> None:
    (root / "new" / "deep").mkdir(parents=True)
    assert heard.until(lambda told: told.folders)
    heard.caught_up()
    edit(root, "new/deep/c.py")
    assert "new/deep/c.py" in heard.caught_up().paths
    (root / "new").replace(root / "newer")
    heard.caught_up()
    edit(root, "newer/deep/d.py")
    assert "newer/deep/d.py" in heard.caught_up().paths


@linux
def test_a_folder_that_is_no_longer_ignored_is_followed(root: Path, heard: Heard) -> None:
    (root / ".gitignore").write_text("")
    assert heard.caught_up().folders
    edit(root, "out/made.py")
    assert "out/made.py" in heard.caught_up().paths


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["checkout", "-q", "-b", "other"], id="branch"),
        pytest.param(["commit", "-q", "--allow-empty", "-m", "x"], id="commit"),
        pytest.param(["rm", "-q", "--cached", "a.py"], id="untrack"),
        pytest.param(["reset", "-q", "--soft", "HEAD^"], id="reset"),
    ],
)
def test_git(root: Path, heard: Heard, arguments: list[str]) -> None:
    if "reset" in arguments:
        commit_all(root)
        heard.all.git = False
    git(root, *arguments)
    assert heard.until(lambda told: told.git)


def test_a_worktree_of_another_repository(tmp_path: Path, root: Path) -> None:
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"))
    heard = Heard(tmp_path / "tree")
    try:
        git(tmp_path / "tree", "commit", "-q", "--allow-empty", "-m", "x")
        assert heard.until(lambda told: told.git)
    finally:
        heard.close()


def test_it_ends_when_the_folder_is_another(root: Path, heard: Heard) -> None:
    shutil.rmtree(root)
    root.mkdir()
    assert heard.ended.wait(10)


def test_it_ends_when_the_folder_moves_away(root: Path, heard: Heard) -> None:
    root.replace(root.with_name("moved"))
    assert heard.ended.wait(10)


@linux
def test_a_folder_that_is_made_anew_is_followed(root: Path, heard: Heard) -> None:
    shutil.rmtree(root / "pkg")
    (root / "pkg").mkdir()
    heard.caught_up()
    edit(root, "pkg/later.py")
    assert "pkg/later.py" in heard.caught_up().paths


@pytest.mark.parametrize("with_git", [True, False])
def test_folders_to_watch_are_those_of_a_walk(folder: MakeRepository, with_git: bool) -> None:
    root = folder(
        {"a.py": "", "src/deep/b.py": "", ".gitignore": "out/\n", "out/x/c.py": "", "node_modules/m/d.js": ""}
    )
    (root / "empty").mkdir()
    write_files(root, {"env/pyvenv.cfg": "", "env/lib/e.py": ""} if with_git else {})
    if with_git:
        commit_all(root)
    watched = {os.path.relpath(path, root) for path in Places(root).to_watch() if not path.startswith(f"{root}/.git")}
    assert watched == ({".", "src", "src/deep", "empty"} if sys.platform == "linux" else {"."})


@pytest.mark.parametrize(
    ("kind", "remote"),
    [("ext4", False), ("overlay", False), ("nfs4", True), ("fuse.sshfs", True), ("9p", True), ("", False)],
)
def test_file_systems_that_do_not_tell(kind: str, remote: bool) -> None:
    assert is_remote(kind) is remote


@linux
def test_the_file_system_of_a_path() -> None:
    assert file_system(Path("/proc/self")) == "proc"


@linux
def test_no_descriptor_is_left_open(root: Path, heard: Heard) -> None:
    opened = len(list(Path("/proc/self/fd").iterdir()))
    for number in range(3):
        (root / f"folder{number}").mkdir()
        heard.caught_up()
    assert heard.until(lambda _told: len(list(Path("/proc/self/fd").iterdir())) <= opened)


@linux
def test_many_ask_at_once(root: Path, heard: Heard) -> None:
    missed: list[int] = []

    def ask(number: int) -> None:
        edit(root, f"m{number}.py")
        if f"m{number}.py" not in heard.caught_up().paths:
            missed.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not missed


def test_a_folder_that_cannot_be_watched(tmp_path: Path) -> None:
    with pytest.raises(UnwatchableError, match="is not there"):
        Events(tmp_path / "nowhere")
