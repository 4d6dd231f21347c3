from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

from code_review_graph.embedding import load_embedder
from code_review_graph.embedding.static import MODEL_NAME, StaticEmbedder
from code_review_graph.embedding.vectors import int8_rows
from code_review_graph.errors import ConfigurationError
from code_review_graph.store import EmbeddingModel


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def test_model(embedder: StaticEmbedder) -> None:
    assert embedder.model == EmbeddingModel("static", MODEL_NAME, 256)
    assert load_embedder("static", MODEL_NAME).model == embedder.model


def test_another_model_of_the_static_provider_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="one model"):
        load_embedder("static", "all-MiniLM-L6-v2")


def test_the_files_are_small_enough_to_ship() -> None:
    folder = files("code_review_graph.embedding") / "static_model"
    sizes = [len(item.read_bytes()) for item in folder.iterdir() if item.is_file()]
    assert 0 < sum(sizes) <= 10 * 2**20


def test_rows_have_length_one_or_zero(embedder: StaticEmbedder) -> None:
    rows = embedder.embed_documents(["parse the configuration file", "", "☃ \0", "日本語"])
    assert rows.shape == (4, 256)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert lengths[0] == pytest.approx(1, abs=1e-5)
    assert lengths[1] == 0
    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths)


def test_no_texts(embedder: StaticEmbedder) -> None:
    assert embedder.embed_documents([]).shape == (0, 256)


def test_a_text_has_one_vector_whatever_stands_beside_it(embedder: StaticEmbedder) -> None:
    texts = [f"load user profile {number} from the data base" for number in range(300)]
    together = embedder.embed_documents(texts)
    assert np.allclose(
        together[[0, 150, 299]], StaticEmbedder().embed_documents([texts[0], texts[150], texts[299]]), atol=1e-6
    )


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("where is a file deleted", "def remove_path(path)", "def parse_header(line)"),
        ("open a connection to the database", "class Session connect db engine", "class Button draw color"),
        ("retry the request after a delay", "def backoff sleep attempts http", "def render template html"),
        ("loadUserProfile", "load_user_profile", "save_image_thumbnail"),
    ],
)
def test_meaning(embedder: StaticEmbedder, question: str, right: str, wrong: str) -> None:
    query = embedder.embed_query(question)
    near, far = embedder.embed_documents([right, wrong]) @ query
    assert near > far


def test_int8_keeps_the_direction(embedder: StaticEmbedder) -> None:
    rows = embedder.embed_documents(["serialise an object to json", "draw a line"])
    packed = np.frombuffer(b"".join(int8_rows(rows)), dtype=np.int8).reshape(2, 256).astype(np.float32)
    cosines = (packed * rows).sum(1) / np.linalg.norm(packed, axis=1)
    assert (cosines > 0.999).all()
    assert int8_rows(np.zeros((1, 4), np.float32)) == [bytes(4)]
