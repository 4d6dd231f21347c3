from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from code_review_graph.embedding import load_embedder
from code_review_graph.errors import ConfigurationError, ProviderError

HAS_TRANSFORMERS = importlib.util.find_spec("sentence_transformers") is not None


def test_the_default_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CRG_EMBEDDING_PROVIDER", raising=False)
    monkeypatch.delenv("CRG_EMBEDDING_MODEL", raising=False)
    assert load_embedder().model.provider == "static"


def test_an_unknown_provider() -> None:
    with pytest.raises(ConfigurationError, match=r"'word2vec'.*static, sentence-transformers, openai"):
        load_embedder("word2vec")


def test_a_configured_model_is_the_configured_providers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRG_EMBEDDING_PROVIDER", "openai")
    monkeypatch.setenv("CRG_EMBEDDING_MODEL", "text-embedding-3-large")
    assert load_embedder("static").model.provider == "static"


def test_importing_the_package_loads_neither_numpy_nor_torch() -> None:
    script = (
        "import sys, code_review_graph.embedding\n"
        "print(sorted({'numpy', 'torch', 'tokenizers', 'httpx2', 'sentence_transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"


@pytest.mark.skipif(HAS_TRANSFORMERS, reason="sentence-transformers is installed")
def test_a_missing_extra_is_named() -> None:
    with pytest.raises(ProviderError, match=r"\.\[sentence-transformers\]"):
        load_embedder("sentence-transformers")


@pytest.mark.skipif(not HAS_TRANSFORMERS, reason="sentence-transformers is not installed")
def test_a_model_in_a_folder(tmp_path: Path) -> None:
    library: Any = importlib.import_module("sentence_transformers")
    layers: Any = importlib.import_module("sentence_transformers.models")
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "open": 1, "file": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    library.SentenceTransformer(modules=[layers.StaticEmbedding(tokenizer, embedding_dim=4)]).save(str(tmp_path))
    embedder = load_embedder("sentence-transformers", str(tmp_path))
    assert embedder.model.dimensions == 4
    assert np.linalg.norm(embedder.embed_documents(["open", "file"]), axis=1) == pytest.approx([1, 1])


@pytest.mark.skipif(not HAS_TRANSFORMERS, reason="sentence-transformers is not installed")
def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="cannot be loaded"):
        load_embedder("sentence-transformers", str(tmp_path))
