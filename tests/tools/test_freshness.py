"""Freshness in commands: saying how many files have changed, and mending it first."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from code_review_graph.cli import app
from code_review_graph.results import Freshness, FreshnessState, UpdateAction
from code_review_graph.store import IndexInfo, Store
from code_review_graph.tools import build_or_update_graph
from code_review_graph.tools.freshness import looked_at
from code_review_graph.tools.status import graph_status
from tests.conftest import MakeRepository, write_files

ASKING = {"search": ["one"], "query": ["callers_of", "one"], "status": []}
FRESH = Freshness(state=FreshnessState.FRESH)


@pytest.fixture
def repo(repository: MakeRepository) -> Path:
    root = repository({"a.py": "def one():\n    return 1\n", "b.py": "from a import one\n\n\ndef two():\n    one()\n"})
    with Store(root) as store:
        build_or_update_graph(store, embed=False)
    return root


def run(repo: Path, command: str, *options: str) -> Result:
    return CliRunner().invoke(app, [command, *ASKING[command], "--repo", str(repo), *options])


def told(repo: Path, command: str, *options: str) -> dict[str, Any]:
    result = run(repo, command, *options, "--json")
    assert result.exit_code == 0, result.output
    return dict(json.loads(result.stdout)["freshness"])


@pytest.mark.parametrize("command", ASKING)
def test_fresh(repo: Path, command: str) -> None:
    assert told(repo, command)["state"] == "fresh"
    assert run(repo, command).stdout.endswith("\nindex: fresh\n")


@pytest.mark.parametrize("command", ASKING)
def test_stale_says_how_to_mend_it(repo: Path, command: str) -> None:
    write_files(repo, {"a.py": "def one():\n    return 2\n", "c.py": ""})
    (repo / "b.py").unlink()
    found = told(repo, command)
    assert (found["state"], found["changed_files"], found["action"]) == ("stale", 3, "none")
    text = run(repo, command).stdout.splitlines()[-1]
    assert text == (
        "index: stale, 3 files changed since the index was made. Run `code-review-graph update`, or ask with --update."
    )


@pytest.mark.parametrize("command", ASKING)
def test_update_first(repo: Path, command: str) -> None:
    write_files(repo, {"c.py": "from a import one\n\n\ndef three():\n    one()\n"})
    found = told(repo, command, "--update")
    assert (found["state"], found["action"], found["updated_files"]) == ("fresh", "updated", 1)
    assert told(repo, command)["state"] == "fresh"
    assert "c.py::three" in run(repo, "query").stdout


def test_update_makes_no_embeddings_where_there_are_none(repo: Path) -> None:
    write_files(repo, {"c.py": ""})
    told(repo, "search", "--update")
    with Store(repo) as store:
        assert store.embedding_model() is None


def test_update_builds_where_there_is_no_index(repo: Path) -> None:
    shutil.rmtree(repo / ".code-review-graph")
    assert run(repo, "search").exit_code == 1
    assert told(repo, "search", "--update")["action"] == "updated"


def test_an_update_that_cannot_be_made_is_said_and_the_old_index_answers(repo: Path) -> None:
    write_files(repo, {"c.py": ""})
    lock = repo / ".code-review-graph" / "index.db.lock"
    lock.unlink(missing_ok=True)
    lock.mkdir()
    found = told(repo, "query", "--update")
    assert (found["state"], found["action"], found["changed_files"]) == ("stale", "failed", 1)
    assert "index.db.lock" in found["hint"]


def test_not_looking(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(repo, {"c.py": ""})
    assert told(repo, "query", "--no-check")["state"] == "unknown"
    monkeypatch.setenv("CRG_FRESHNESS", "off")
    assert told(repo, "query")["state"] == "unknown"
    monkeypatch.setenv("CRG_FRESHNESS", "update")
    assert told(repo, "query")["action"] == "updated"


def test_both_options_are_wrong_usage(repo: Path) -> None:
    assert run(repo, "query", "--update", "--no-check").exit_code == 2


def test_an_index_of_an_older_version_is_stale(repo: Path) -> None:
    with Store(repo) as store:
        info = store.info()
        assert info
        store.save_info(IndexInfo(info.commit, info.built_at, "0.0.1", "other"))
        found = looked_at(store)
        assert found
        assert (found.state, found.changed_files) == (FreshnessState.STALE, 0)
        build_or_update_graph(store, embed=False)
        assert looked_at(store) == FRESH


def test_a_copied_index_cannot_tell(repo: Path, tmp_path: Path) -> None:
    shutil.copytree(repo, tmp_path / "copy")
    with Store(tmp_path / "copy") as store:
        found = looked_at(store)
        assert found
        assert found.state is FreshnessState.UNKNOWN


def test_without_an_index_there_is_nothing_to_say(repository: MakeRepository) -> None:
    with Store(repository({"a.py": ""})) as store:
        assert looked_at(store) is None


def test_status_goes_by_what_it_is_told(repo: Path) -> None:
    write_files(repo, {"c.py": ""})
    with Store(repo) as store:
        assert graph_status(store).changed_files == 1
        known = Freshness(state=FreshnessState.STALE, changed_files=7, action=UpdateAction.UPDATING)
        status = graph_status(store, freshness=known)
    assert (status.changed_files, "changed since" in status.hint) == (7, False)
