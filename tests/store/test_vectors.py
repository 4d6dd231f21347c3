from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from code_review_graph.errors import ModelMismatchError
from code_review_graph.store import EmbeddingModel, Store
from code_review_graph.store.nearest import VectorMatrix, load_sqlite_vec, nearest_by_sqlite, to_int8
from tests.store.samples import INFO, numbered

MODEL = EmbeddingModel("static", "small", 8)


def key(number: int) -> bytes:
    return number.to_bytes(16, "big")


def fill(store: Store, rows: NDArray[np.int8], nodes: int | None = None) -> EmbeddingModel:
    model = MODEL._replace(dimensions=rows.shape[1])
    store.replace_graph(numbered(nodes or len(rows), 1), INFO)
    store.save_vectors(model, [(key(number), row.tobytes()) for number, row in enumerate(rows)])
    store.map_vectors((number + 1, key(number)) for number in range(len(rows)))
    return model


def random_rows(count: int, dimensions: int, seed: int = 0) -> NDArray[np.int8]:
    return np.random.default_rng(seed).integers(-127, 128, (count, dimensions)).astype(np.int8)


@pytest.mark.parametrize("dimensions", [8, 256, 1536])
@pytest.mark.parametrize("limit", [1, 10, 1000])
def test_both_ways_rank_the_same(store: Store, dimensions: int, limit: int) -> None:
    rows = random_rows(500, dimensions)
    rows[100:180] = rows[7]  # ties, more than are looked at beyond the limit
    rows[300] = 0
    fill(store, rows)
    query = rows[7].astype(np.float32) + np.float32(0.3)
    with store.snapshot() as connection:
        assert load_sqlite_vec(connection)
        by_sqlite = nearest_by_sqlite(store._database, to_int8(query), limit)
    in_memory = VectorMatrix.read(store._database, dimensions, 1).nearest(to_int8(query), limit)
    assert by_sqlite == in_memory
    assert len(in_memory) == min(limit, 500)
    ranks = [(-score, node_id) for node_id, score in in_memory]
    assert ranks == sorted(ranks)
    assert [node_id for node_id, _ in in_memory][:10] == [8, *range(101, 110)][:limit]


def test_scores_are_cosines(store: Store) -> None:
    rows = random_rows(50, 256)
    fill(store, rows)
    query = np.random.default_rng(3).standard_normal(256).astype(np.float32)
    found = store.nearest(query, 50)
    exact = (rows.astype(float) @ query) / np.linalg.norm(rows.astype(float), axis=1) / np.linalg.norm(query)
    for node_id, score in found:
        assert score == pytest.approx(exact[node_id - 1], abs=0.005)
    assert store.nearest(query * 1000, 50) == found
    assert store.nearest(query, 3) == found[:3]
    assert store.nearest(query, 0) == []


def test_a_warm_process_sees_what_others_write(store: Store) -> None:
    rows = random_rows(20, 8)
    model = fill(store, rows)
    query = rows[4].astype(np.float32)
    for _ in range(3):
        assert store.nearest(query, 1)[0][0] == 5
    with Store(store.repo_path) as other:
        other.map_vectors((20 - number, key(number)) for number in range(20))
        other.save_vectors(model, [])
    for _ in range(3):
        assert store.nearest(query, 1)[0][0] == 16


def test_vectors_outlive_a_rebuild_but_not_their_last_node(store: Store) -> None:
    fill(store, random_rows(5, 8))
    assert (store.vector_count(), store.vectors_missing()) == (5, 0)
    store.replace_graph(numbered(6, 2), INFO)
    assert (store.vector_count(), store.vectors_missing()) == (0, 6)
    assert store.nearest(np.ones(8, dtype=np.float32), 3) == []
    assert store.known_vectors([key(0), key(4), key(9)]) == {key(0), key(4)}
    store.map_vectors([(1, key(0)), (2, key(0)), (3, key(9))])
    assert (store.vector_count(), store.vectors_missing()) == (2, 4)
    assert store.known_vectors([key(0), key(4)]) == {key(0)}


def test_a_rebuild_that_knows_the_texts_keeps_their_vectors(store: Store) -> None:
    rows = random_rows(5, 8)
    fill(store, rows)
    store.replace_graph(numbered(4, 2), INFO, [key(3), key(9), key(3), key(0)])
    assert (store.vector_count(), store.nodes_without_vector()) == (3, [2])
    assert [node_id for node_id, _ in store.nearest(rows[3].astype(np.float32), 2)] == [1, 3]
    assert store.known_vectors([key(number) for number in range(5)]) == {key(0), key(3)}


def test_models_never_mix(store: Store) -> None:
    fill(store, random_rows(5, 8))
    for other in (MODEL._replace(provider="openai"), MODEL._replace(model="x"), MODEL._replace(dimensions=4)):
        with pytest.raises(ModelMismatchError, match="static small"):
            store.save_vectors(other, [])
    with pytest.raises(ModelMismatchError, match="8 dimensions"):
        store.nearest(np.ones(4, dtype=np.float32), 3)
    assert store.embedding_model() == MODEL
    store.clear_vectors()
    assert store.embedding_model() is None
    assert store.vectors_missing() == 5
    assert store.nearest(np.ones(8, dtype=np.float32), 3) == []
    store.save_vectors(MODEL._replace(dimensions=4), [(key(1), bytes(4))])


def test_a_vector_of_the_wrong_size_is_refused_and_nothing_of_the_call_is_kept(store: Store) -> None:
    store.replace_graph(numbered(2, 1), INFO)
    with pytest.raises(ValueError, match="8 int8"):
        store.save_vectors(MODEL, [(key(1), bytes(8)), (key(2), bytes(9))])
    assert store.known_vectors([key(1)]) == set()
    assert store.embedding_model() is None


def test_zero_vectors_are_far_from_everything(store: Store) -> None:
    rows = np.zeros((3, 8), dtype=np.int8)
    rows[1, 0] = 5
    fill(store, rows)
    query = np.eye(8, dtype=np.float32)[0]
    assert store.nearest(query, 3) == store.nearest(query, 3) == [(2, 1.0), (1, 0.0), (3, 0.0)]
    assert [node_id for node_id, _ in store.nearest(np.zeros(8, dtype=np.float32), 3)] == [1, 2, 3]
