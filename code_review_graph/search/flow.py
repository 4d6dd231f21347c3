"""hybrid_search: from a question to ranked definitions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from code_review_graph.errors import EmbeddingError, QueryError
from code_review_graph.model import EdgeKind, Node, NodeKind
from code_review_graph.ranking import Candidate, Ranking, Surroundings, rerank
from code_review_graph.results import SearchHit, SearchMode, SearchResult, Signal, symbol_fields
from code_review_graph.search.names import nodes_meant
from code_review_graph.search.question import Question, understand
from code_review_graph.store import Store

if TYPE_CHECKING:
    from code_review_graph.embedding import Embedder

MAX_LIMIT: Final = 1_000
# Deep enough that fusion sees what only one signal ranks low; deeper only costs time.
_POOL: Final = 400
# Only what leads speaks for what it calls or tests.
_LEADING: Final = 60
# Filters throw candidates away, so more of them are looked at.
_FILTERED_POOL: Final = 2_000
# Full-text columns: name, qualified name, signature, docstring, path, body.
TEXT_WEIGHTS: Final = (
    1.0,  # name: what its author thought it does; how well it agrees is looked at apart
    1.0,  # qualified name: the class says what it is about
    0.5,  # signature: parameter and type names
    2.0,  # docstring: the words of whoever asks
    0.5,  # path: shared by all of a file
    1.0,  # body: what it does, whatever it is called
)
EMBED_AGAIN: Final = "Run `code-review-graph embed` to embed again."


def hybrid_search(
    store: Store,
    query: str,
    limit: int = 10,
    kinds: Collection[NodeKind] | None = None,
    paths: Collection[str] | None = None,
    *,
    embedder: Embedder | None = None,
    include_tests: bool | None = None,
) -> SearchResult:
    """Definitions that answer ``query``, the best first; ``mode`` is "keyword" without usable vectors.

    ``query`` is any text: plain words, a name, a dotted name, a path, ``path:line``. ``kinds`` and ``paths`` (files,
    folders or globs) narrow the answer. ``include_tests``: None ranks tests low unless the query asks for them, True
    ranks them as all else, False leaves them out. Raises QueryError (nothing asked, or a limit out of range) and
    NoGraphError.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise QueryError(f"The limit {limit} is out of range.", hint=f"Give 1 to {MAX_LIMIT}.")
    question = understand(query)
    store.require_graph()
    accepts = _filter(kinds, paths, without_tests=include_tests is False)
    pool = _POOL if accepts is None else _FILTERED_POOL
    with store.snapshot():
        first, signals = _signals(store, question, max(pool, limit))
        near, notices = _nearest(store, question, embedder, max(pool, limit))
        if near is not None:
            signals["vector"] = near
        nodes = store.nodes({node_id for ranking in signals.values() for node_id, _ in ranking})
        leading = {node_id: nodes[node_id] for ranking in signals.values() for node_id, _ in ranking[:_LEADING]}
        around = _surroundings(store, nodes, leading, wants_parent=question.wants_parent)
    kept = [node for node in nodes.values() if accepts is None or accepts(node)]
    wants_tests = question.wants_tests if include_tests is None else include_tests
    ranked = _first_names(first, rerank(kept, signals, question.words, around, wants_tests=wants_tests))
    return SearchResult(
        query=query,
        mode=SearchMode.KEYWORD if near is None else SearchMode.HYBRID,
        hits=tuple(_hit(candidate) for candidate in ranked[:limit]),
        total=len(ranked),
        notices=notices if ranked else (*notices, _nothing_found(narrowed=accepts is not None)),
    )


def _nothing_found(*, narrowed: bool) -> str:
    return "Nothing was found" + (
        " among these kinds and paths; ask without them." if narrowed else "; try other words."
    )


def _signals(store: Store, question: Question, pool: int) -> tuple[list[int], dict[str, Ranking]]:
    """Ids of what the question names outright, and the ranking of each keyword signal."""
    signals: dict[str, Ranking] = {}
    certain: dict[int, None] = {}
    meant: dict[int, float] = {}
    for mention in question.mentions:
        ids = [node.id for node in nodes_meant(store, mention)]
        for place, node_id in enumerate(ids, 1):
            meant.setdefault(node_id, 1 / place)
        # One name alone, a dotted name or a place is what was asked for; a word written as code is only a hint.
        if question.is_name or len(mention.parts) > 1:
            certain.update(dict.fromkeys(ids))
    if meant:
        signals["mention"] = sorted(meant.items(), key=lambda item: -item[1])
    if question.words:
        words = " OR ".join(f'"{word}"' for word in question.words)
        signals["text"] = store.full_text(words, pool, TEXT_WEIGHTS)
    return list(certain), signals


def _surroundings(
    store: Store, nodes: Mapping[int, Node], leading: Mapping[int, Node], *, wants_parent: bool
) -> Surroundings:
    above = {node.parent for node in nodes.values() if node.parent} - nodes.keys()
    code = [node.id for node in leading.values() if not node.is_test]
    tests = [node.id for node in leading.values() if node.is_test]
    classes = [node.id for node in nodes.values() if node.kind in (NodeKind.CLASS, NodeKind.INTERFACE)]
    calls = store.edges_from(code, (EdgeKind.CALLS,))
    tested = [edge for edge in store.edges_to(tests, (EdgeKind.TESTED_BY,)) if not edge.distance]
    heirs = store.edges_to(classes, (EdgeKind.INHERITS, EdgeKind.IMPLEMENTS)) if wants_parent else []
    return Surroundings(
        parents=dict(nodes) | store.nodes(above),
        called=store.in_degrees(nodes.keys()),
        callers=_grouped((edge.target, edge.source) for edge in calls),
        tests=_grouped((edge.source, edge.target) for edge in tested),
        heirs=_grouped((edge.target, edge.source) for edge in heirs),
    )


def _grouped(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for node_id, other in pairs:
        groups.setdefault(node_id, []).append(other)
    return groups


def _nearest(
    store: Store, question: Question, embedder: Embedder | None, pool: int
) -> tuple[Ranking | None, tuple[str, ...]]:
    """The ranking by meaning (None: there is no meaning to compare), and what the reader should know about it."""
    stored = store.embedding_model()
    if stored is None or not store.vector_count():
        return None, ("Keywords only: the index has no vectors. Run `code-review-graph embed` to make them.",)
    if embedder is None:
        return None, (f"Keywords only: no embedder was given for the index's model, {stored.model}.",)
    try:
        if embedder.model != stored:
            owner = f"{stored.provider} {stored.model}, {stored.dimensions} dimensions"
            return None, (f"Keywords only: the index's vectors belong to another model ({owner}). {EMBED_AGAIN}",)
        near = store.nearest(embedder.embed_query(question.text), pool)
    except EmbeddingError as error:
        return None, (f"Keywords only: {error}",)
    missing = store.vectors_missing()
    notice = (f"{missing} definitions have no vector yet. Run `code-review-graph embed`.",) if missing else ()
    return [(node_id, score) for node_id, score in near if score > 0], notice


def _first_names(first: list[int], ranked: list[Candidate]) -> list[Candidate]:
    """What was named outright, in the order of the naming, before all else."""
    place = {node_id: rank for rank, node_id in enumerate(first)}
    return sorted(ranked, key=lambda candidate: place.get(candidate.node.id, len(place)))


def _filter(
    kinds: Collection[NodeKind] | None, paths: Collection[str] | None, *, without_tests: bool
) -> Callable[[Node], bool] | None:
    if not kinds and not paths and not without_tests:
        return None
    wanted = frozenset(kinds or NodeKind)
    patterns = [pattern.removeprefix("./").rstrip("/") for pattern in paths or ()]

    def accepts(node: Node) -> bool:
        if node.kind not in wanted or (without_tests and node.is_test):
            return False
        return not patterns or _under(node.path, patterns)

    return accepts


def _under(path: str, patterns: Iterable[str]) -> bool:
    return any(
        pattern in ("", ".", path) or path.startswith(f"{pattern}/") or fnmatchcase(path, pattern)
        # `**/` also stands for no folder at all.
        or fnmatchcase(path, pattern.replace("**/", ""))
        for pattern in patterns
    )  # fmt: skip


def _hit(candidate: Candidate) -> SearchHit:
    return SearchHit(
        **symbol_fields(candidate.node),
        score=round(candidate.score, 6),
        why=tuple(Signal(name=name, rank=rank) for name, rank in sorted(candidate.ranks.items(), key=lambda i: i[1])),
    )
