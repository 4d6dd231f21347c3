"""Any sentence-transformers model, by name or local path; an optional extra."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from code_review_graph.embedding.vectors import unit_rows
from code_review_graph.errors import ProviderError
from code_review_graph.store import EmbeddingModel

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_BATCH = 32


class SentenceTransformerEmbedder:
    """Embeds with a transformer on this machine; loading may take seconds, or download a model that is not local."""

    def __init__(self, model: str | None = None) -> None:
        name = model or DEFAULT_MODEL
        try:
            library: Any = importlib.import_module("sentence_transformers")
        except ImportError as error:
            raise ProviderError(
                "The provider sentence-transformers is not installed.",
                hint="Install the extra: pip install '.[sentence-transformers]' in the checkout of this package.",
            ) from error
        try:
            self._transformer: Any = library.SentenceTransformer(name)
        except (OSError, ValueError, RuntimeError, ImportError) as error:
            raise ProviderError(
                f"The model {name} cannot be loaded: {error}",
                hint="Give the name of a model or the path of its folder.",
            ) from error
        self._model = EmbeddingModel("sentence-transformers", name, int(self._encode(["dimensions"]).shape[1]))

    @property
    def model(self) -> EmbeddingModel:
        """Provider, model and dimensions."""
        return self._model

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows (n, d), one a text."""
        if not texts:
            return np.empty((0, self._model.dimensions), np.float32)
        return unit_rows(self._encode(list(texts)))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Unit vector (d,) of a question."""
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        return np.asarray(
            self._transformer.encode(texts, batch_size=_BATCH, show_progress_bar=False, convert_to_numpy=True),
            np.float32,
        )
