"""The embedding model of an index, loaded when first needed and kept warm for the next call."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from code_review_graph.store import Store

if TYPE_CHECKING:
    from code_review_graph.embedding import Embedder

BUNDLED: Final = "static"


def embedder_of(store: Store) -> Embedder | None:
    """The model that made the index's vectors; None when it has none, or one that only its maker could trust.

    A repository may come with an index. It must not say where source text is sent, nor which model is loaded.
    """
    model = store.embedding_model()
    if model is None or (model.provider != BUNDLED and store.made_elsewhere()):
        return None
    if model.provider == BUNDLED:
        # The one that is bundled now: an upgrade may have replaced the one that made the vectors.
        return warm_embedder(BUNDLED)
    return warm_embedder(model.provider, model.model)


@lru_cache(maxsize=2)
def warm_embedder(provider: str | None = None, model: str | None = None) -> Embedder:
    """A model by provider and name (None: the configured one); raises EmbeddingError when it cannot be had."""
    # Imported here because numpy and the tokenizer would delay the start of a server that may never search.
    from code_review_graph.embedding import load_embedder  # noqa: PLC0415

    return load_embedder(provider, model)
