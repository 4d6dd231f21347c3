"""Whatever happens to the files, an update gives the index that a build from nothing gives."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from code_review_graph.indexing import build, update
from code_review_graph.store import Store
from tests.conftest import commit_all, git
from tests.resolving.partial.edits import resolved_anew, stored

SOURCES = {
    "lib.py": "def fn(x):\n    return x\n\n\ndef other():\n    return fn(1)\n",
    "use.py": "from lib import fn\n\n\ndef main():\n    return fn(1)\n",
    "test_use.py": "from use import main\n\n\ndef test_main():\n    assert main() == 1\n",
    ".gitignore": "ignored/\n",
}


def rename(root: Path) -> None:
    (root / "lib.py").rename(root / "library.py")
    (root / "use.py").write_text(SOURCES["use.py"].replace("lib", "library"), encoding="utf-8")


def delete(root: Path) -> None:
    (root / "lib.py").unlink()


def executable(root: Path) -> None:
    (root / "lib.py").chmod(0o755)


def branch(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "side")
    (root / "lib.py").write_text("def fn(x, y=0):\n    return y\n", encoding="utf-8")
    (root / "new.py").write_text("from lib import fn\n\nfn(2)\n", encoding="utf-8")
    commit_all(root)


def branch_and_back(root: Path) -> None:
    branch(root)
    git(root, "checkout", "-q", "-")


def stash(root: Path) -> None:
    (root / "lib.py").write_text("def fn():\n    pass\n", encoding="utf-8")
    git(root, "stash", "-q")


def become_ignored(root: Path) -> None:
    (root / ".gitignore").write_text("ignored/\nuse.py\n", encoding="utf-8")
    git(root, "rm", "-q", "--cached", "use.py")


def become_a_folder(root: Path) -> None:
    (root / "lib.py").unlink()
    (root / "lib").mkdir()
    (root / "lib" / "__init__.py").write_text(SOURCES["lib.py"], encoding="utf-8")


def become_a_link(root: Path) -> None:
    (root / "elsewhere.py").write_text(SOURCES["lib.py"], encoding="utf-8")
    (root / "lib.py").unlink()
    (root / "lib.py").symlink_to("elsewhere.py")


def same_size_and_time(root: Path) -> None:
    path = root / "lib.py"
    was = path.stat()
    path.write_text(SOURCES["lib.py"].replace("other", "ether"), encoding="utf-8")
    os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns))


def break_it(root: Path) -> None:
    (root / "lib.py").write_text("def fn(:\n", encoding="utf-8")


def grow_huge(root: Path) -> None:
    (root / "lib.py").write_text("# " + "x" * (3 << 20) + "\n", encoding="utf-8")


def turn_binary(root: Path) -> None:
    (root / "lib.py").write_bytes(b"\x00\xff\xfe" * 100)


CHANGES: tuple[Callable[[Path], None], ...] = (
    rename,
    delete,
    executable,
    branch,
    branch_and_back,
    stash,
    become_ignored,
    become_a_folder,
    become_a_link,
    same_size_and_time,
    break_it,
    grow_huge,
    turn_binary,
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for path, text in SOURCES.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "-q")
    commit_all(tmp_path)
    return tmp_path


@pytest.mark.parametrize("fewest_files", [1, 10**6], ids=["part", "whole"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_an_update_is_a_build(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, change: Callable[[Path], None], fewest_files: int
) -> None:
    with Store(repository) as store:
        build(store)
        change(repository)
        update(store, fewest_files=fewest_files)
        after = stored(store)
        assert after == resolved_anew(store)
    fresh = tmp_path_factory.mktemp("fresh") / "copy"
    subprocess.run(["cp", "-a", str(repository), str(fresh)], check=True)
    with Store(fresh, database=fresh.parent / "index.db") as store:
        build(store)
        assert after == stored(store)


def test_files_of_a_submodule_are_as_in_a_build(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    inner = tmp_path_factory.mktemp("inner")
    (inner / "part.py").write_text("def part():\n    pass\n", encoding="utf-8")
    git(inner, "init", "-q")
    commit_all(inner)
    with Store(repository) as store:
        build(store)
        git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "inner")
        update(store)
        before = stored(store)
        assert before == resolved_anew(store)
        (repository / "inner" / "part.py").write_text("def changed():\n    pass\n", encoding="utf-8")
        update(store)
        build_of_now = stored(store)
        assert build_of_now == resolved_anew(store)
        build(store)
        assert build_of_now == stored(store)


def test_each_worktree_has_an_index_of_its_own(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    side = tmp_path_factory.mktemp("trees") / "side"
    git(repository, "worktree", "add", "-q", str(side))
    (side / "lib.py").write_text("def only_here():\n    pass\n", encoding="utf-8")
    with Store(repository) as main, Store(side) as other:
        build(main)
        build(other)
        assert main.path != other.path
        assert main.nodes_named("only_here") == []
        assert len(other.nodes_named("only_here")) == 1
