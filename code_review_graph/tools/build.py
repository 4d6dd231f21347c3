"""build_or_update_graph: brings the index up to date with the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from code_review_graph.errors import CorruptIndexError, SchemaError
from code_review_graph.progress import Progress, silent
from code_review_graph.results import BuildReport
from code_review_graph.store import Store
from code_review_graph.tools.models import BUNDLED, embedder_of, warm_embedder

if TYPE_CHECKING:
    from code_review_graph.embedding import Embedder


def build_or_update_graph(
    store: Store,
    *,
    full: Annotated[
        bool, Field(description="Parse every file again instead of only those that changed. Rarely needed.")
    ] = False,
    embed: Annotated[bool, Field(description="Also embed new definitions, for search by meaning.")] = True,
    progress: Progress = silent,
) -> BuildReport:
    """Index the repository, or bring its index up to date after files changed.

    Run it once before the first question; from then on the index follows the files by itself, as each answer says.
    The old index answers until the new one is complete; stopping half-way leaves the old one in place.

    Raises LockedError when another process is building, and EmbeddingError when the model cannot be used.
    """
    from code_review_graph import indexing  # noqa: PLC0415 - tree-sitter loads with the first build

    embedder = (_own_embedder(store) or warm_embedder()) if embed else None
    if full:
        return indexing.build(store, embedder=embedder, progress=progress)
    return indexing.update(store, embedder=embedder, progress=progress)


def _own_embedder(store: Store) -> Embedder | None:
    """The index's own model; None when there is no index that could say, for the build will replace it."""
    try:
        embedder, stored = embedder_of(store), store.embedding_model()
        if embedder and stored and stored.provider == BUNDLED and stored != embedder.model:
            # They cannot be compared with questions any more, and to make them anew takes seconds.
            store.clear_vectors()
    except (CorruptIndexError, SchemaError):
        return None
    return embedder
