"""Embedding an index on its own: later than the build, or again with another model."""

from __future__ import annotations

from code_review_graph.progress import Progress, silent
from code_review_graph.results import Result
from code_review_graph.store import Store
from code_review_graph.tools.models import embedder_of, warm_embedder
from code_review_graph.tools.text import as_text


class EmbedReport(Result):
    """What embedding did; ``embedded`` counts the texts that had no vector yet."""

    repository: str
    embedding_model: str
    embedded: int
    vectors: int
    vectors_missing: int


def embed_graph(
    store: Store, provider: str | None = None, model: str | None = None, progress: Progress = silent
) -> EmbedReport:
    """Give every definition a vector; asking for another provider or model replaces the vectors of the old one.

    Without a provider, the index's own model goes on. Raises NoGraphError and EmbeddingError.
    """
    from code_review_graph.embedding import embed_nodes  # noqa: PLC0415 - numpy loads with the first use

    store.require_graph()
    own = None if provider or model else embedder_of(store)
    embedder = own or warm_embedder(provider, model)
    wanted = embedder.model
    with store.writing():
        if store.embedding_model() not in (None, wanted):
            store.clear_vectors()
        embedded = embed_nodes(store, embedder, progress)
    return EmbedReport(
        repository=str(store.repo_path),
        embedding_model=f"{wanted.provider}/{wanted.model}",
        embedded=embedded,
        vectors=store.vector_count(),
        vectors_missing=store.vectors_missing(),
    )


@as_text.register
def _(result: EmbedReport) -> str:
    missing = f", {result.vectors_missing} missing" if result.vectors_missing else ""
    made = f"{result.embedded} texts embedded by {result.embedding_model}"
    return f"{result.repository}: {made}; {result.vectors} vectors{missing}"
