"""From a provider's name to its embedder; heavy imports happen only for the one that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from code_review_graph.config import Settings, load_settings
from code_review_graph.embedding.protocol import Embedder
from code_review_graph.errors import ConfigurationError, ProviderError


def load_embedder(provider: str | None = None, model: str | None = None) -> Embedder:
    """The embedder of a provider, ``static``, ``sentence-transformers`` or ``openai``; None: the configured one.

    Raises ConfigurationError for an unknown provider or model, ProviderError when it cannot be used.
    """
    settings = load_settings()
    name = (provider or settings.embedding_provider).strip().lower().replace("_", "-")
    if name not in _PROVIDERS:
        raise ConfigurationError(
            f"There is no embedding provider named {name!r}.", hint=f"Use one of: {', '.join(_PROVIDERS)}."
        )
    # A configured model belongs to the configured provider, and says nothing about others.
    configured = settings.embedding_model if name == settings.embedding_provider else None
    return _PROVIDERS[name](model or configured, settings)


def _static(model: str | None, _settings: Settings) -> Embedder:
    from code_review_graph.embedding.static import MODEL_NAME, StaticEmbedder  # noqa: PLC0415 - loads megabytes

    if model not in (None, MODEL_NAME):
        raise ConfigurationError(
            f"The provider static has one model, {MODEL_NAME}, not {model!r}.",
            hint="Leave the model out, or choose the provider sentence-transformers or openai.",
        )
    return StaticEmbedder()


def _transformer(model: str | None, _settings: Settings) -> Embedder:
    from code_review_graph.embedding.transformer import SentenceTransformerEmbedder  # noqa: PLC0415 - imports torch

    return SentenceTransformerEmbedder(model)


def _endpoint(model: str | None, settings: Settings) -> Embedder:
    from code_review_graph.embedding.endpoint import (  # noqa: PLC0415 - imports an HTTP client
        DEFAULT_BASE_URL,
        DEFAULT_MODEL,
        Endpoint,
        EndpointEmbedder,
    )

    base_url, api_key = settings.openai_base_url, settings.openai_api_key
    if not base_url and not api_key:
        raise ProviderError(
            "The provider openai has neither a base URL nor an API key.",
            hint="Set OPENAI_API_KEY, or CRG_OPENAI_BASE_URL for an endpoint of your own.",
        )
    key = api_key.get_secret_value() if api_key else ""
    return EndpointEmbedder(Endpoint(base_url or DEFAULT_BASE_URL, model or DEFAULT_MODEL, key))


_PROVIDERS: Final[dict[str, Callable[[str | None, Settings], Embedder]]] = {
    "static": _static,
    "sentence-transformers": _transformer,
    "openai": _endpoint,
}
