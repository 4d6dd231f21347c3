"""graph_status: what the index holds, how it was made, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from code_review_graph.errors import NoGraphError
from code_review_graph.results import Freshness, GraphStatus
from code_review_graph.store import Store

_Kind = TypeVar("_Kind", bound=StrEnum)


def graph_status(store: Store, *, freshness: Freshness | None = None) -> GraphStatus:
    """Tell whether the repository is indexed, at which commit, how much is in the index, and what it lacks.

    Ask when answers seem old or empty.

    Raises StoreError when the index file is damaged, newer, or not ours.
    """
    repository, database = str(store.repo_path), str(store.path)
    if not store.has_graph():
        return GraphStatus(
            repository=repository,
            database=database,
            database_reason=store.place_reason,
            indexed=False,
            hint=f"Nothing is indexed yet. {NoGraphError.default_hint}",
        )
    with store.snapshot():
        info, counts, model = store.info(), store.counts(), store.embedding_model()
        missing, vectors = store.vectors_missing(), store.vector_count()
    changed = _changed_files(store) if freshness is None else freshness.changed_files
    return GraphStatus(
        repository=repository,
        database=database,
        database_reason=store.place_reason,
        indexed=True,
        commit=info.commit if info else None,
        built_at=info.built_at if info else None,
        files=counts.files,
        nodes=_by_name(counts.nodes),
        edges=_by_name(counts.edges),
        resolutions=_by_name(counts.resolutions),
        references=_by_name(counts.references),
        embedding_model=f"{model.provider}/{model.model}" if model else None,
        vectors=vectors,
        vectors_missing=missing,
        diagnostics=counts.diagnostics,
        changed_files=changed,
        hint=" ".join(note for note in (_stale(changed) if freshness is None else "", _hint(vectors, missing)) if note),
    )


def _changed_files(store: Store) -> int:
    from code_review_graph.indexing import changed_files  # noqa: PLC0415 - loads the parser

    return changed_files(store)


def _by_name(counts: Mapping[_Kind, int]) -> dict[str, int]:
    return {str(key): count for key, count in counts.items()}


def _stale(changed: int) -> str:
    if not changed:
        return ""
    files = "1 file has" if changed == 1 else f"{changed} files have"
    return f"{files} changed since: run `code-review-graph update` (or the tool build_or_update_graph)."


def _hint(vectors: int, missing: int) -> str:
    if not missing:
        return ""
    if not vectors:
        return "There are no embeddings, so search goes by words alone: run `code-review-graph embed`."
    return f"{missing} definitions have no embedding yet: run `code-review-graph embed`."
