from __future__ import annotations

from pathlib import Path

import pytest

from code_review_graph.errors import NoGraphError, QueryError, RepositoryError
from code_review_graph.model import NodeKind
from code_review_graph.results import SearchMode
from code_review_graph.store import EmbeddingModel, Store
from code_review_graph.tools import build_or_update_graph, hybrid_search


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "shop.py").write_text("class Basket:\n    def total(self):\n        return 0\n")
    (tmp_path / "tool.py").write_text("def total():\n    return 0\n")
    store = Store(tmp_path)
    build_or_update_graph(store)
    return store


def found(store: Store, *paths: str, kinds: list[NodeKind] | None = None) -> list[str]:
    return [hit.qualified_name for hit in hybrid_search(store, "total", kinds=kinds, paths=list(paths)).hits]


def test_the_model_of_the_index_is_at_hand(store: Store) -> None:
    assert hybrid_search(store, "sum of a shopping cart").mode is SearchMode.HYBRID


@pytest.mark.parametrize(
    ("paths", "first"),
    [
        (["src"], "src/shop.py::Basket.total"),
        (["src/"], "src/shop.py::Basket.total"),
        (["./src/shop.py"], "src/shop.py::Basket.total"),
        (["tool.py"], "tool.py::total"),
    ],
)
def test_paths_narrow_the_answer(store: Store, paths: list[str], first: str) -> None:
    names = found(store, *paths)
    assert names[0] == first
    assert len({name.partition("::")[0] for name in names}) == 1


def test_the_whole_repository_is_no_filter(store: Store) -> None:
    assert found(store, ".") == found(store)


def test_kinds_narrow_the_answer(store: Store) -> None:
    assert found(store, kinds=[NodeKind.METHOD]) == ["src/shop.py::Basket.total"]


def test_an_absolute_path_inside(store: Store) -> None:
    assert found(store, str(store.repo_path / "src"))[0] == "src/shop.py::Basket.total"


@pytest.mark.parametrize("path", ["..", "/etc", "../x", "src/../../x", "file:///etc", "a\0b"])
def test_paths_outside_are_refused(store: Store, path: str) -> None:
    with pytest.raises(RepositoryError):
        found(store, path)


@pytest.mark.parametrize(
    ("query", "limit"),
    [("", 10), ("  ", 10), ("total", 0), ("total", 100_000), pytest.param("x" * 20_001, 10, id="too-long")],
)
def test_what_cannot_be_asked(store: Store, query: str, limit: int) -> None:
    with pytest.raises(QueryError) as caught:
        hybrid_search(store, query, limit)
    assert caught.value.hint


def test_no_graph(tmp_path: Path) -> None:
    with pytest.raises(NoGraphError):
        hybrid_search(Store(tmp_path), "x")


def test_a_model_that_cannot_be_had_leaves_keywords(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with store.writing():
        store.clear_vectors()

        model = EmbeddingModel("openai", "some-model", 4)
        store.save_vectors(model, [(b"0" * 16, b"\x01\x02\x03\x04")])
        store.map_vectors([(1, b"0" * 16)])
    result = hybrid_search(store, "total")
    assert result.mode is SearchMode.KEYWORD
    assert result.hits
    assert any("openai" in notice for notice in result.notices)
