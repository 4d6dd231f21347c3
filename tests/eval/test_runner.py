"""Which task files apply to a checkout, and what a run says about it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from code_review_graph.errors import EvaluationError, NoGraphError
from code_review_graph.eval.checkouts import inspect_checkout
from code_review_graph.eval.registry import find_benchmark
from code_review_graph.eval.runner import EvalRequest, choose_task_files, names_of, run_benchmarks
from tests.eval.repositories import users_config, write_repository
from tests.eval.test_checkouts import git


def configs(folder: Path, **headers: str) -> Path:
    """A folder of task files, one a name; the values are their URLs."""
    folder.mkdir(exist_ok=True)
    for name, url in headers.items():
        header = {"name": name} | ({"url": url} if url else {})
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(users_config() | header), encoding="utf-8")
    return folder


def chosen(repo: Path, folder: Path | None) -> list[str]:
    return [file.header.name for file in choose_task_files(inspect_checkout(repo), folder)]


def test_two_names_are_one_benchmark() -> None:
    assert find_benchmark("multi_hop_retrieval") is find_benchmark("multi_hop")


def test_unknown_benchmark_names_the_nearest() -> None:
    with pytest.raises(EvaluationError, match="Did you mean 'multi_hop'"):
        find_benchmark("multihop")


def test_names_between_commas() -> None:
    assert names_of(["multi_hop, a", "b"]) == ("multi_hop", "a", "b")


def test_bundled_file_is_found_by_folder_name(tmp_path: Path) -> None:
    (tmp_path / "flask").mkdir()
    assert chosen(tmp_path / "flask", None) == ["flask"]


def test_bundled_file_is_found_by_remote(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "remote", "add", "origin", "git@github.com:encode/httpx.git")
    assert chosen(tmp_path, None) == ["httpx"]


def test_own_file_that_names_the_checkout_comes_alone(tmp_path: Path) -> None:
    repo = tmp_path / "shop"
    repo.mkdir()
    folder = configs(tmp_path / "tasks", shop="", other="https://example.org/other")
    assert chosen(repo, folder) == ["shop"]


def test_own_files_apply_where_none_names_the_checkout(tmp_path: Path) -> None:
    repo = tmp_path / "renamed"
    repo.mkdir()
    assert chosen(repo, configs(tmp_path / "tasks", shop="", other="")) == ["other", "shop"]


def test_own_file_without_url_comes_beside_the_bundled_one(tmp_path: Path) -> None:
    repo = tmp_path / "flask"
    repo.mkdir()
    assert chosen(repo, configs(tmp_path / "tasks", mine="", other="https://example.org/other")) == ["mine", "flask"]


def test_own_files_of_other_urls_apply_when_nothing_else_does(tmp_path: Path) -> None:
    repo = tmp_path / "renamed"
    repo.mkdir()
    assert chosen(repo, configs(tmp_path / "tasks", other="https://example.org/other")) == ["other"]


def test_own_file_replaces_the_bundled_one(tmp_path: Path) -> None:
    repo = tmp_path / "flask"
    repo.mkdir()
    (only,) = choose_task_files(inspect_checkout(repo), configs(tmp_path / "tasks", flask=""))
    assert only.path == tmp_path / "tasks" / "flask.yaml"


def test_no_task_file_applies(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="Bundled: code-review-graph, express, fastapi, flask, gin, httpx"):
        chosen(tmp_path, None)


def test_runs_a_checkout_and_builds_what_is_missing(tmp_path: Path) -> None:
    repo = write_repository(tmp_path / "shop")
    git(repo, "init", "-q")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "start")
    folder = configs(tmp_path / "tasks", shop="")
    with pytest.raises(NoGraphError):
        run_benchmarks(EvalRequest(repo=repo, configs=folder))
    (run,) = run_benchmarks(EvalRequest(benchmarks=("multi_hop_retrieval",), repo=repo, configs=folder, build=True))
    assert run.benchmark == "multi_hop"
    assert run.commit == git(repo, "rev-parse", "HEAD")
    assert run.notices == ()
    assert [row.score for row in run] == [1.0]
    # The index is there now.
    run_benchmarks(EvalRequest(repo=repo, configs=folder))


def test_another_commit_is_said(tmp_path: Path) -> None:
    repo = write_repository(tmp_path / "shop")
    folder = tmp_path / "tasks"
    folder.mkdir()
    text = yaml.safe_dump(users_config() | {"name": "shop", "commit": "a" * 40})
    (folder / "shop.yaml").write_text(text, encoding="utf-8")
    (run,) = run_benchmarks(EvalRequest(repo=repo, configs=folder, build=True))
    assert "pinned to aaaaaaaaaaaa" in run.notices[0]
    assert "pinned to aaaaaaaaaaaa" in str(run)


def test_clone_fetches_the_pinned_commit(tmp_path: Path) -> None:
    remote = write_repository(tmp_path / "remote")
    git(remote, "init", "-q")
    git(remote, "add", "-A")
    git(remote, "commit", "-q", "-m", "start")
    head = git(remote, "rev-parse", "HEAD")
    folder = tmp_path / "tasks"
    folder.mkdir()
    text = yaml.safe_dump(users_config() | {"name": "shop", "url": remote.as_uri(), "commit": head})
    (folder / "shop.yaml").write_text(text, encoding="utf-8")
    (run,) = run_benchmarks(EvalRequest(configs=folder, clone=True, build=True, cache=tmp_path / "cache"))
    assert run.commit == head
    assert [row.score for row in run] == [1.0]


def test_neither_checkout_nor_clone(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="--clone"):
        run_benchmarks(EvalRequest())
    with pytest.raises(EvaluationError, match="not a folder"):
        run_benchmarks(EvalRequest(repo=tmp_path / "nowhere"))
