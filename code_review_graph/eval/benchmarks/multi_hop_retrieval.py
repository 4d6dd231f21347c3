"""multi_hop: find an anchor by a plain question, then walk one hop from it.

The two steps are the two calls of an agent: ``hybrid_search(question)``, whose first hit with the wanted
suffix is the anchor, and ``query_graph(pattern, anchor)``, whose neighbours are held against the expected names.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints

from code_review_graph.embedding import Embedder, load_embedder
from code_review_graph.errors import ModelMismatchError, NoEmbeddingsError
from code_review_graph.eval.benchmark import Benchmark, Row, Task, Workbench, mean
from code_review_graph.eval.matching import ends_with_name
from code_review_graph.model import ReferenceKind
from code_review_graph.progress import Progress
from code_review_graph.results import (
    Neighbour,
    Pattern,
    QueryResult,
    QueryStatus,
    Result,
    SearchHit,
    SearchMode,
)
from code_review_graph.search import hybrid_search
from code_review_graph.store import Store
from code_review_graph.tools.query import query_graph

DEFAULT_K = 10

Name = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class MultiHopTask(Task):
    """A question, the definition that it is about, and what stands one hop away."""

    nl_query: str = Field(min_length=1)
    anchor_qualified_suffix: str = Field(min_length=1)
    traversal_pattern: Pattern = Pattern.CALLERS_OF
    expected_neighbor_names: tuple[Name, ...] = Field(min_length=1)
    forbidden_neighbor_names: tuple[Name, ...] = ()
    k: int = Field(default=DEFAULT_K, ge=1, le=1000)
    source: str = Field(default="", description="Where the task comes from.")
    evidence: str = Field(default="", description="How the expected names were established.")


class Verdict(Result):
    """What a walk gave, held against the names of a task; precision is over the neighbours that the task judges."""

    neighbor_count: int = 0
    neighbor_recall: float = 0.0
    neighbor_precision: float | None = Field(
        default=None, description="Expected among expected and forbidden neighbours; None without forbidden names."
    )
    matched: tuple[str, ...] = ()
    matched_external: tuple[str, ...] = Field(default=(), description="Expected names that only leave the repository.")
    missing: tuple[str, ...] = ()
    false_neighbors: tuple[str, ...] = ()
    external_count: int = 0
    guess_count: int = 0


class MultiHopRow(Verdict, Row):
    """What one task gave; ``anchor_rank`` 1 is best."""

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "task_id",
        "anchor_found",
        "anchor_rank",
        "neighbor_count",
        "neighbor_recall",
        "neighbor_precision",
        "score",
    )

    nl_query: str
    traversal_pattern: Pattern
    k: int
    anchor: str | None = None
    anchor_found: bool = False
    anchor_rank: int | None = None
    first_hits: tuple[str, ...] = Field(default=(), description="The first hits, when the anchor is not among the k.")

    def remark(self) -> str:
        """The error, or where the task failed: in the search, at a missing neighbour, or at a false one."""
        if self.error:
            return self.error
        if not self.anchor_found:
            found = ", ".join(hit.rpartition("::")[2] for hit in self.first_hits)
            return f"anchor not among the first {self.k}: {found or 'no hits'} ..."
        parts = (("missing", self.missing), ("false", self.false_neighbors), ("external", self.matched_external))
        return "; ".join(f"{label}: {', '.join(names)}" for label, names in parts if names)


def run(bench: Workbench, tasks: Sequence[MultiHopTask], progress: Progress) -> list[MultiHopRow]:
    """Answer every task with the repository's own index and the model that embedded it.

    Raises NoGraphError, NoEmbeddingsError or ModelMismatchError if the index cannot answer as the tasks ask.
    """
    embedder = embedder_of_index(bench.store, bench.embedding_provider, bench.embedding_model)
    rows: list[MultiHopRow] = []
    for done, task in enumerate(tasks):
        progress("multi_hop", done, len(tasks))
        rows.append(_answer(bench, task, embedder))
    progress("multi_hop", len(tasks), len(tasks))
    return rows


def embedder_of_index(store: Store, provider: str | None, model: str | None) -> Embedder:
    """The embedder that the index was made with; ``provider`` and ``model``, where given, must be its own.

    Raises NoGraphError, NoEmbeddingsError, ModelMismatchError.
    """
    store.require_graph()
    indexed = store.embedding_model()
    flags = "".join(
        f" --{flag} {value}" for flag, value in (("provider", provider), ("model", model)) if value is not None
    )
    if indexed is None or not store.vector_count():
        raise NoEmbeddingsError(
            f"multi_hop searches by meaning, but the index of {store.repo_path} holds no embeddings.",
            hint=f"Run `code-review-graph embed{flags} --repo {store.repo_path}` to make them.",
        )
    if (provider or indexed.provider, model or indexed.model) != (indexed.provider, indexed.model):
        raise ModelMismatchError(
            f"The tasks ask for embeddings of {provider or indexed.provider}/{model or indexed.model}, "
            f"but the index of {store.repo_path} was embedded with {indexed.provider}/{indexed.model}.",
            hint=f"Embed again with `code-review-graph embed{flags} --repo {store.repo_path}`, "
            "or take _embedding_provider and _embedding_model out of the task file.",
        )
    return load_embedder(indexed.provider, indexed.model)


def _answer(bench: Workbench, task: MultiHopTask, embedder: Embedder) -> MultiHopRow:
    """One row; whatever a tool raises becomes its error."""
    started = time.perf_counter()
    row = MultiHopRow(
        repository=bench.repository,
        task_id=task.id,
        nl_query=task.nl_query,
        traversal_pattern=task.traversal_pattern,
        k=task.k,
        score=0.0,
        missing=task.expected_neighbor_names,
    )
    try:
        row = _search_and_walk(bench.store, task, embedder, row)
    except Exception as error:  # noqa: BLE001 - whatever the measured tools do wrong belongs in the row, not in a crash
        row = row.model_copy(update={"error": f"{type(error).__name__}: {error}"})
    return row.model_copy(update={"seconds": round(time.perf_counter() - started, 6)})


def _search_and_walk(store: Store, task: MultiHopTask, embedder: Embedder, row: MultiHopRow) -> MultiHopRow:
    found = hybrid_search(store, task.nl_query, limit=task.k, embedder=embedder)
    if found.mode is not SearchMode.HYBRID:
        return row.model_copy(update={"error": f"the search answered without vectors: {' '.join(found.notices)}"})
    rank, anchor = first_match(found.hits, task.anchor_qualified_suffix)
    if anchor is None:
        return row.model_copy(update={"first_hits": tuple(hit.qualified_name for hit in found.hits[:3])})
    row = row.model_copy(
        update={"anchor": anchor.qualified_name, "anchor_found": True, "anchor_rank": rank},
    )
    walked = query_graph(store, task.traversal_pattern, anchor.qualified_name, limit=None)
    if walked.status is not QueryStatus.OK:
        return row.model_copy(update={"error": f"query_graph found the anchor {walked.status}: {walked.hint}"})
    verdict = judge(task, walked)
    return row.model_copy(update={"score": verdict.neighbor_recall} | dict(verdict))


def first_match(hits: Iterable[SearchHit], suffix: str) -> tuple[int | None, SearchHit | None]:
    """Rank (1 = best) and hit of the first one whose qualified name ends with ``suffix``."""
    for rank, hit in enumerate(hits, start=1):
        if ends_with_name(hit.qualified_name, suffix):
            return rank, hit
    return None, None


def judge(task: MultiHopTask, walked: QueryResult) -> Verdict:
    """Hold the neighbours against the names of the task; a forbidden neighbour earns nothing."""
    forbidden = [n for n in walked.neighbours if _is_one_of(n, task.forbidden_neighbor_names)]
    allowed = [n for n in walked.neighbours if n not in forbidden]
    outside = [r.name for r in walked.references if r.kind is ReferenceKind.EXTERNAL]
    expected = tuple(dict.fromkeys(task.expected_neighbor_names))
    inside = tuple(name for name in expected if any(_is_one_of(n, (name,)) for n in allowed))
    external = tuple(n for n in expected if n not in inside and any(ends_with_name(o, n) for o in outside))
    hits = sum(_is_one_of(n, expected) for n in allowed)
    return Verdict(
        neighbor_count=len(walked.neighbours),
        neighbor_recall=(len(inside) + len(external)) / len(expected),
        neighbor_precision=_precision(hits, len(forbidden)) if task.forbidden_neighbor_names else None,
        matched=inside + external,
        matched_external=external,
        missing=tuple(name for name in expected if name not in inside and name not in external),
        false_neighbors=tuple(n.qualified_name for n in forbidden),
        external_count=len(outside),
        guess_count=len(walked.guesses),
    )


def _is_one_of(neighbour: Neighbour, names: Iterable[str]) -> bool:
    bare = neighbour.name.casefold()
    return any(bare == name.casefold() or ends_with_name(neighbour.qualified_name, name) for name in names)


def _precision(hits: int, false: int) -> float | None:
    return hits / (hits + false) if hits + false else None


def _measures(rows: Sequence[MultiHopRow]) -> dict[str, float | None]:
    return {
        "anchor_found": mean([float(row.anchor_found) for row in rows]),
        "anchor_rank": mean([row.anchor_rank for row in rows if row.anchor_rank is not None]),
        "anchor_mrr": mean([1 / row.anchor_rank if row.anchor_rank else 0.0 for row in rows]),
        "neighbor_recall": mean([row.neighbor_recall for row in rows]),
        "neighbor_precision": mean([row.neighbor_precision for row in rows if row.neighbor_precision is not None]),
        "false_neighbors": float(sum(len(row.false_neighbors) for row in rows)),
    }


BENCHMARK = Benchmark(
    name="multi_hop",
    aliases=("multi_hop_retrieval",),
    explanation="Finds a definition by a plain question, then walks one hop from it; score = anchor found x recall.",
    section="multi_hop_tasks",
    task=MultiHopTask,
    row=MultiHopRow,
    run=run,
    measures=_measures,
)
