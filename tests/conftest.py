"""Fixtures that all tests share: small repositories in temporary folders."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from code_review_graph.store import Store

MakeRepository = Callable[[Mapping[str, str | bytes]], Path]


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write the files under ``root``, with their folders."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def git(root: Path, *arguments: str) -> str:
    """Run git in ``root``, apart from the configuration of whoever runs the tests."""
    identity = {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_AUTHOR_NAME": "Test",
        "GIT_AUTHOR_EMAIL": "test@example.org",
        "GIT_COMMITTER_NAME": "Test",
        "GIT_COMMITTER_EMAIL": "test@example.org",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=kept | identity, check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()


def commit_all(root: Path, message: str = "Change") -> str:
    """Commit everything in ``root``, making it a repository first; returns the commit."""
    if not (root / ".git").exists():
        git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def folder(tmp_path: Path) -> MakeRepository:
    """Makes a folder of the files given, without git."""
    return lambda files: write_files(tmp_path / "repo", files)


@pytest.fixture
def repository(tmp_path: Path) -> MakeRepository:
    """Makes a git repository with one commit of the files given."""

    def make(files: Mapping[str, str | bytes]) -> Path:
        root = write_files(tmp_path / "repo", files)
        root.mkdir(exist_ok=True)
        commit_all(root)
        return root

    return make


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store(tmp_path) as opened:
        yield opened
