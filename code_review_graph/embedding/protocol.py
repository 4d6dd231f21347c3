"""What every provider of embeddings offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from code_review_graph.store import EmbeddingModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors that can be compared by cosine."""

    @property
    def model(self) -> EmbeddingModel:
        """Provider, model and dimensions; asking may load the model. Raises ProviderError."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows (n, d), one a text, zero rows where a text says nothing. Raises ProviderError."""
        ...

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Unit vector (d,) of a question. Raises ProviderError."""
        ...
