"""Whose checkout it is, and fetching a pinned commit from a real (local) remote."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from code_review_graph.errors import EvaluationError
from code_review_graph.eval.checkouts import fetch_pinned, inspect_checkout, normal_url


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True, text=True, timeout=60
    )
    return done.stdout.strip()


@pytest.fixture
def remote(tmp_path: Path) -> tuple[Path, str, str]:
    """A repository with two commits: its folder and their ids."""
    folder = tmp_path / "remote"
    folder.mkdir()
    git(folder, "init", "-q")
    commits: list[str] = []
    for text in ("one", "two"):
        (folder / "a.py").write_text(f"NAME = {text!r}\n", encoding="utf-8")
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", text)
        commits.append(git(folder, "rev-parse", "HEAD"))
    return folder, commits[0], commits[1]


def test_fetches_exactly_the_pinned_commit(remote: tuple[Path, str, str], tmp_path: Path) -> None:
    folder, first, _ = remote
    cache = tmp_path / "cache"
    checkout = fetch_pinned("demo", folder.as_uri(), first, cache)
    assert (checkout / "a.py").read_text(encoding="utf-8") == "NAME = 'one'\n"
    assert inspect_checkout(checkout).commit == first
    assert git(checkout, "rev-list", "--count", "HEAD") == "1"
    # The second time nothing is fetched: the remote may be gone.
    folder.rename(tmp_path / "gone")
    assert fetch_pinned("demo", folder.as_uri(), first, cache) == checkout


def test_failed_fetch_leaves_nothing_behind(remote: tuple[Path, str, str], tmp_path: Path) -> None:
    folder, _, _ = remote
    cache = tmp_path / "cache"
    with pytest.raises(EvaluationError, match="could not fetch"):
        fetch_pinned("demo", folder.as_uri(), "f" * 40, cache)
    assert list(cache.rglob("*.py")) == []
    assert not any(path.name == "demo" for path in cache.rglob("*"))


@pytest.mark.parametrize(
    ("url", "commit"),
    [
        (None, "a" * 40),
        ("https://example.org/x", None),
        ("https://example.org/x", "a" * 12),
        ("ext::sh -c x", "a" * 40),
    ],
)
def test_nothing_that_can_be_fetched(url: str | None, commit: str | None, tmp_path: Path) -> None:
    with pytest.raises(EvaluationError):
        fetch_pinned("demo", url, commit, tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/pallets/flask",
        "https://github.com/Pallets/Flask.git",
        "https://user@github.com/pallets/flask/",
        "git@github.com:pallets/flask.git",
        "ssh://git@github.com/pallets/flask",
    ],
)
def test_one_spelling_of_a_url(url: str) -> None:
    assert normal_url(url) == "github.com/pallets/flask"


def test_checkout_is_known_by_remote_folder_or_not(remote: tuple[Path, str, str]) -> None:
    folder, _, second = remote
    git(folder, "remote", "add", "origin", "git@github.com:pallets/flask.git")
    checkout = inspect_checkout(folder)
    assert checkout.commit == second
    assert checkout.is_of("anything", "https://github.com/pallets/flask")
    assert checkout.is_of("flask", None)
    assert checkout.is_of("remote", None)
    assert not checkout.is_of("httpx", "https://github.com/encode/httpx")
    assert not checkout.changed
    (folder / "a.py").write_text("NAME = 'three'\n", encoding="utf-8")
    assert inspect_checkout(folder).changed


def test_folder_inside_another_repository_has_no_commit_of_its_own(remote: tuple[Path, str, str]) -> None:
    inner = remote[0] / "inner"
    inner.mkdir()
    assert inspect_checkout(inner).commit is None
