"""build_or_update_graph: brings the index up to date with the files."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from code_review_graph.progress import Progress, silent
from code_review_graph.results import BuildReport
from code_review_graph.store import Store
from code_review_graph.tools.models import embedder_of, warm_embedder


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

    Run it once before the first question, and again when answers lag behind the files. The old index answers until
    the new one is complete; stopping half-way leaves the old one in place.

    Raises LockedError when another process is building, and EmbeddingError when the model cannot be used.
    """
    from code_review_graph import indexing  # noqa: PLC0415 - tree-sitter loads with the first build

    embedder = (embedder_of(store) or warm_embedder()) if embed else None
    if full or not store.has_graph():
        return indexing.build(store, full=full, embedder=embedder, progress=progress)
    return indexing.update(store, embedder=embedder, progress=progress)
