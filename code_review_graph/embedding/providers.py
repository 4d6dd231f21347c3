"""From a provider's name to its embedder; heavy imports happen only for the one that was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from code_review_graph.embedding.protocol import Embedder
from code_review_graph.errors import ConfigurationError, ProviderError

DEFAULT_PROVIDER: Final = "static"


def load_embedder(provider: str | None = None, model: str | None = None) -> Embedder:
    """The embedder of a provider: ``static`` (default), ``sentence-transformers`` or ``openai``.

    Raises ConfigurationError for an unknown provider, ProviderError when it cannot be used.
    """
    name = (provider or os.environ.get("CRG_EMBEDDING_PROVIDER") or DEFAULT_PROVIDER).strip().lower().replace("_", "-")
    if name not in _PROVIDERS:
        raise ConfigurationError(
            f"There is no embedding provider named {provider or name!r}.", hint=f"Use one of: {', '.join(_PROVIDERS)}."
        )
    return _PROVIDERS[name](model or os.environ.get("CRG_EMBEDDING_MODEL") or None)


def _static(model: str | None) -> Embedder:
    from code_review_graph.embedding.static import MODEL_NAME, StaticEmbedder  # noqa: PLC0415 - loads megabytes

    if model not in (None, MODEL_NAME):
        raise ConfigurationError(
            f"The provider static has one model, {MODEL_NAME}, not {model!r}.",
            hint="Leave the model out, or choose the provider sentence-transformers or openai.",
        )
    return StaticEmbedder()


def _transformer(model: str | None) -> Embedder:
    from code_review_graph.embedding.transformer import SentenceTransformerEmbedder  # noqa: PLC0415 - imports torch

    return SentenceTransformerEmbedder(model)


def _endpoint(model: str | None) -> Embedder:
    from code_review_graph.embedding.endpoint import (  # noqa: PLC0415 - imports an HTTP client
        DEFAULT_BASE_URL,
        DEFAULT_MODEL,
        Endpoint,
        EndpointEmbedder,
    )

    base_url = os.environ.get("CRG_EMBEDDING_BASE_URL") or os.environ.get("OPENAI_BASE_URL") or ""
    api_key = os.environ.get("CRG_EMBEDDING_API_KEY") or os.environ.get("OPENAI_API_KEY") or ""
    if not base_url and not api_key:
        raise ProviderError(
            "The provider openai has neither a base URL nor an API key.",
            hint="Set OPENAI_API_KEY, or CRG_EMBEDDING_BASE_URL for an endpoint of your own.",
        )
    return EndpointEmbedder(Endpoint(base_url or DEFAULT_BASE_URL, model or DEFAULT_MODEL, api_key))


_PROVIDERS: Final[dict[str, Callable[[str | None], Embedder]]] = {
    "static": _static,
    "sentence-transformers": _transformer,
    "openai": _endpoint,
}
