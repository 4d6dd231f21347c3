from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from code_review_graph.indexing import build, update
from code_review_graph.store import Store
from code_review_graph.tools import graph_status


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "repository"
    root.mkdir()
    (root / "a.py").write_text("def a():\n    pass\n", encoding="utf-8")
    return root


def test_in_the_repository_by_default(repository: Path) -> None:
    with Store(repository) as store:
        build(store)
        assert store.path == repository / ".code-review-graph" / "index.db"
        assert graph_status(store).database_reason == ""


def test_where_the_user_says(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRG_INDEX_FOLDER", str(tmp_path / "indexes"))
    other = tmp_path / "other" / "repository"
    other.mkdir(parents=True)
    with Store(repository) as store, Store(other) as second:
        build(store)
        build(second)
        assert store.path.is_relative_to(tmp_path / "indexes")
        assert store.path != second.path
        assert "CRG_INDEX_FOLDER" in graph_status(store).database_reason
    assert not (repository / ".code-review-graph").exists()


@pytest.fixture
def locked(repository: Path) -> Path:
    """The repository, mounted read-only beside itself: permissions mean nothing to the superuser."""
    if os.name == "nt" or os.geteuid() != 0:
        repository.chmod(0o555)
        return repository
    view = repository.with_name("view")
    view.mkdir()
    mounts = [["mount", "--bind", str(repository), str(view)], ["mount", "-o", "remount,bind,ro", str(view)]]
    if any(subprocess.run(command, check=False, capture_output=True).returncode for command in mounts):
        subprocess.run(["umount", str(view)], check=False, capture_output=True)
        pytest.skip("mounting is not allowed here")
    return view


def test_in_the_cache_where_the_repository_cannot_be_written(locked: Path, tmp_path: Path) -> None:
    try:
        with Store(locked) as store:
            build(store)
            assert store.path.is_relative_to(tmp_path / "cache")
            assert "cannot be written" in graph_status(store).database_reason
            assert update(store).resolved == 0
            assert [node.name for node in store.nodes_named("a")] == ["a"]
    finally:
        subprocess.run(["umount", str(locked)], check=False, capture_output=True)
        locked.chmod(0o755)
