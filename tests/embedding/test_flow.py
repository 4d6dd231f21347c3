from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from code_review_graph.embedding import embed_nodes, text_hash
from code_review_graph.embedding.static import StaticEmbedder
from code_review_graph.errors import ModelMismatchError, NoGraphError
from code_review_graph.store import EmbeddingModel, Store
from tests.graphs import GraphMaker

HASHING = EmbeddingModel("test", "hashing", 64)


@dataclass
class HashEmbedder:
    """A real, if simple, embedder: words hashed to dimensions. Remembers what it was given."""

    model: EmbeddingModel = HASHING
    seen: list[str] = field(default_factory=list)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.seen += texts
        rows = np.zeros((len(texts), self.model.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row[sum(word.encode()) % self.model.dimensions] += 1
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        return rows

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row


def graph(*names: str) -> GraphMaker:
    maker = GraphMaker().file("a.py")
    for name in names:
        maker.node(f"a.py::{name}")
    return maker


def test_every_node_gets_a_vector_and_only_new_texts_are_embedded(tmp_path: Path) -> None:
    with graph("alpha", "beta").store(tmp_path) as store:
        embedder = HashEmbedder()
        reports: list[tuple[str, int, int]] = []
        assert embed_nodes(store, embedder, lambda *report: reports.append(report)) == 3
        assert reports == [("embed", 0, 3), ("embed", 3, 3)]
        assert (store.vectors_missing(), store.vector_count()) == (0, 3)
        assert embed_nodes(store, embedder) == 0
        graph("alpha", "gamma").store(tmp_path).close()
        assert store.vectors_missing() == 3
        embedder.seen.clear()
        assert embed_nodes(store, embedder) == 1
        assert ["gamma" in text for text in embedder.seen] == [True]
        assert store.vectors_missing() == 0


def test_an_interruption_keeps_what_was_embedded(tmp_path: Path) -> None:
    def interrupt(_stage: str, done: int, _total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with graph(*(f"name_{n}" for n in range(2100))).store(tmp_path) as store:
        embedder = HashEmbedder()
        with pytest.raises(KeyboardInterrupt):
            embed_nodes(store, embedder, interrupt)
        assert embed_nodes(store, embedder) == 2101 - 2048


def test_models_never_mix(tmp_path: Path) -> None:
    with graph("alpha").store(tmp_path) as store:
        embed_nodes(store, HashEmbedder())
        other = HashEmbedder(EmbeddingModel("test", "other", 64))
        with pytest.raises(ModelMismatchError, match=r"test hashing \(64 dimensions\).*embed"):
            embed_nodes(store, other)
        assert other.seen == []
        store.clear_vectors()
        assert embed_nodes(store, other) == 2
        assert store.embedding_model() == other.model


def test_without_a_graph(tmp_path: Path) -> None:
    with Store(tmp_path) as store, pytest.raises(NoGraphError):
        embed_nodes(store, HashEmbedder())


def test_the_key_of_a_text_depends_on_its_model() -> None:
    model = EmbeddingModel("p", "m", 3)
    keys = {
        text_hash(m, t) for m in (model, model._replace(model="n"), model._replace(dimensions=4)) for t in ("a", "b")
    }
    assert len(keys) == 6
    assert {len(key) for key in keys} == {16}
    assert len(text_hash(model, "\udc80")) == 16


def test_the_default_model_finds_the_nearest(tmp_path: Path) -> None:
    with graph("delete_file", "parse_header", "draw_circle").store(tmp_path) as store:
        embedder = StaticEmbedder()
        embed_nodes(store, embedder)
        best, _ = store.nearest(embedder.embed_query("remove a path from disk"), 1)[0]
        found = store.node(best)
        assert found
        assert found.name == "delete_file"
