"""The multi_hop benchmark on real indexes of small repositories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from code_review_graph import indexing, search
from code_review_graph.embedding import load_embedder
from code_review_graph.errors import EvaluationError, ModelMismatchError, NoEmbeddingsError, NoGraphError
from code_review_graph.eval.benchmarks.multi_hop_retrieval import MultiHopRow
from code_review_graph.eval.report import BenchmarkRun
from code_review_graph.eval.runner import run_benchmarks
from code_review_graph.store import Store
from tests.eval.repositories import REFUSED, embedding_endpoint, users_config, write_repository

README = Path(__file__).parents[2] / "eval" / "README.md"
OPENAI_MODEL = "text-embedding-ada-002"


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An index of the repository of users, embedded with the default model."""
    with Store(write_repository(tmp_path_factory.mktemp("users"))) as store:
        indexing.build(store, embedder=load_embedder("static"))
        yield store


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with embedding_endpoint() as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        yield url


def one_row(run: BenchmarkRun) -> MultiHopRow:
    (row,) = run
    assert isinstance(row, MultiHopRow)
    return row


def run_one(store: Store, **changes: Any) -> MultiHopRow:
    return one_row(run_benchmarks.run_multi_hop(store.repo_path, store, users_config(**changes)))


def test_all_five_measures(users: Store) -> None:
    row = run_one(users)
    assert row.anchor_found
    assert row.anchor == "services.py::UserService.create_user"
    hits = search.hybrid_search(users, row.nl_query, row.k, embedder=load_embedder("static")).hits
    assert row.anchor_rank is not None
    assert hits[row.anchor_rank - 1].qualified_name == row.anchor
    assert row.neighbor_count == 2
    assert (row.neighbor_recall, row.score, row.error) == (1.0, 1.0, None)
    assert row.neighbor_precision is None


def test_forbidden_neighbours_give_precision(users: Store) -> None:
    row = run_one(users, forbidden_neighbor_names=["TeamController.join", "UserAPI.create"])
    # A forbidden neighbour earns no recall, even under a name that is also expected.
    assert row.false_neighbors == ("api.py::UserAPI.create",)
    assert (row.neighbor_recall, row.neighbor_precision, row.score) == (0.5, 0.5, 0.5)
    assert row.missing == ("UserAPI.create",)
    assert row.remark() == "missing: UserAPI.create; false: api.py::UserAPI.create"


def test_anchor_outside_the_first_k(users: Store) -> None:
    row = run_one(users, anchor_qualified_suffix="UserService.delete_user")
    assert (row.anchor_found, row.anchor_rank, row.neighbor_count, row.score) == (False, None, 0, 0.0)
    assert len(row.first_hits) == 3
    assert row.missing == ("UserController.register_user", "UserAPI.create")
    assert row.remark().startswith("anchor not among the first 10: ")


def test_k_cuts_the_search(users: Store) -> None:
    far = run_one(users, nl_query="join a team", anchor_qualified_suffix="api.py::UserAPI.create", k=1)
    assert not far.anchor_found


def test_names_match_by_bare_name_and_without_case(users: Store) -> None:
    row = run_one(users, expected_neighbor_names=["REGISTER_USER", "userapi.create", "TeamAPI.create"])
    assert row.matched == ("REGISTER_USER", "userapi.create")
    assert row.neighbor_recall == pytest.approx(2 / 3)


def test_external_callees_count_apart(users: Store) -> None:
    row = run_one(
        users,
        nl_query="create from a request body",
        anchor_qualified_suffix="UserAPI.create",
        traversal_pattern="callees_of",
        expected_neighbor_names=["create_user", "json.loads"],
    )
    assert row.matched_external == ("json.loads",)
    assert row.external_count >= 1
    assert row.score == 1.0


def test_rows_are_frozen(users: Store) -> None:
    row = run_one(users)
    with pytest.raises(ValidationError):
        row.score = 0.5


def test_prints_as_a_table(users: Store) -> None:
    text = str(run_benchmarks.run_multi_hop(users.repo_path, users, users_config()))
    assert "example-1" in text
    assert "neighbor recall" in text
    assert "mean score 1.000" in text


def test_no_index(tmp_path: Path) -> None:
    with Store(write_repository(tmp_path)) as store, pytest.raises(NoGraphError):
        run_benchmarks.run_multi_hop(tmp_path, store, users_config())


def test_no_embeddings_says_how_to_make_them(tmp_path: Path) -> None:
    with Store(write_repository(tmp_path)) as store:
        indexing.build(store, embedder=None)
        with pytest.raises(NoEmbeddingsError, match="code-review-graph embed --repo"):
            run_benchmarks.run_multi_hop(tmp_path, store, users_config())


def test_other_model_says_how_to_embed_again(users: Store) -> None:
    config = users_config() | {"_embedding_provider": "openai", "_embedding_model": OPENAI_MODEL}
    with pytest.raises(ModelMismatchError) as caught:
        run_benchmarks.run_multi_hop(users.repo_path, users, config)
    assert f"embed --provider openai --model {OPENAI_MODEL}" in str(caught.value)


def test_faulty_configuration(users: Store) -> None:
    with pytest.raises(EvaluationError, match="traversal_pattern"):
        run_one(users, traversal_pattern="friends_of")


def test_documented_example_runs_as_written(tmp_path: Path, endpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert endpoint
    with Store(write_repository(tmp_path)) as store:
        indexing.build(store, embedder=load_embedder("openai", OPENAI_MODEL))
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(example.replace("/path/to/your/repo", str(tmp_path)), names)
    assert [row.score for row in names["results"]] == [1.0]
    assert "example-1" in capsys.readouterr().out
    names["store"].close()


def test_tool_that_raises_leaves_an_error_row(tmp_path: Path, endpoint: str) -> None:
    assert endpoint
    with Store(write_repository(tmp_path)) as store:
        indexing.build(store, embedder=load_embedder("openai", OPENAI_MODEL))
        config = users_config()
        (task,) = config["multi_hop_tasks"]
        config["multi_hop_tasks"] = [task | {"id": "refused", "nl_query": f"an {REFUSED} question"}, task]
        run = run_benchmarks.run_multi_hop(tmp_path, store, config)
    refused, answered = run
    assert refused.error
    assert refused.score == 0.0
    assert answered.score == 1.0
    assert run.summary.errors == 1
    assert (run.summary.strict_mean, run.summary.scored_mean) == (0.5, 1.0)
    assert refused.error[:20] in str(run).replace("\n", " ")
