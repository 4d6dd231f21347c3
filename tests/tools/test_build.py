from __future__ import annotations

from pathlib import Path

import pytest

from code_review_graph.results import SearchMode
from code_review_graph.store import EmbeddingModel, Store
from code_review_graph.tools import build_or_update_graph, graph_status, hybrid_search


class StoppedError(Exception):
    """What an interrupting reporter raises."""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("def one():\n    return two()\n\n\ndef two():\n    return 1\n")
    return tmp_path


def test_first_build_then_update(repo: Path) -> None:
    store = Store(repo)
    assert build_or_update_graph(store).parsed == 1
    assert build_or_update_graph(store).parsed == 0
    status = graph_status(store)
    assert status.indexed
    assert (status.nodes["Function"], status.edges["CALLS"], status.vectors_missing) == (2, 1, 0)


@pytest.mark.parametrize("at", range(1, 12))
def test_stopping_at_any_report_leaves_the_old_graph(repo: Path, at: int) -> None:
    store = Store(repo)
    build_or_update_graph(store)
    before = list(store.iter_edges())
    (repo / "a.py").write_text("def three():\n    return 3\n")
    reports = 0

    def stop(_stage: str, _done: int, _total: int, /) -> None:
        nonlocal reports
        reports += 1
        if reports == at:
            raise StoppedError

    try:
        build_or_update_graph(store, full=True, progress=stop)
    except StoppedError:
        names = {node.name for node in store.iter_nodes()}
        assert names in ({"a.py", "one", "two"}, {"a.py", "three"})
        assert names == {"a.py", "three"} or list(store.iter_edges()) == before
    assert build_or_update_graph(store).vectors_missing == 0
    assert {node.name for node in store.iter_nodes()} == {"a.py", "three"}


def test_a_damaged_index_is_set_aside_and_made_anew(repo: Path) -> None:
    database = repo / ".code-review-graph" / "index.db"
    build_or_update_graph(Store(repo))
    database.write_bytes(database.read_bytes()[:5000])
    store = Store(repo)
    build_or_update_graph(store)
    assert graph_status(store).indexed
    assert len(list(database.parent.glob("index.db.damaged*"))) >= 1


def test_status_says_that_embeddings_are_missing(repo: Path) -> None:
    store = Store(repo)
    build_or_update_graph(store, embed=False)
    assert "code-review-graph embed" in graph_status(store).hint


def test_vectors_of_an_older_bundled_model_are_made_anew(repo: Path) -> None:
    store = Store(repo)
    build_or_update_graph(store, embed=False)
    store.save_vectors(EmbeddingModel("static", "older", 2), [(b"k" * 16, b"\1\2")])
    store.map_vectors([(2, b"k" * 16)])
    assert any("another model" in notice for notice in hybrid_search(store, "one").notices)
    assert build_or_update_graph(store).vectors_missing == 0
    assert hybrid_search(store, "one").mode is SearchMode.HYBRID
