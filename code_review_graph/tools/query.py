"""query_graph: who calls it, what it calls, which tests cover it, what it contains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from code_review_graph.errors import QueryError
from code_review_graph.model import Node, NodeKind, Resolution
from code_review_graph.results import ExternalReference, Pattern, QueryResult, QueryStatus
from code_review_graph.store import Store
from code_review_graph.tools.hints import answer_hint
from code_review_graph.tools.paths import readable
from code_review_graph.tools.shapes import neighbour, symbol
from code_review_graph.tools.targets import Meaning, find_target, near_names
from code_review_graph.traversal import walk

MAX_DEPTH = 10
MAX_TARGET = 1000
DEFAULT_LIMIT = 50
_FILE_PATTERNS = frozenset({Pattern.FILE_SUMMARY, Pattern.IMPORTS_OF})
_FILE_KINDS = frozenset({NodeKind.FILE, NodeKind.MODULE})


def query_graph(
    store: Store,
    pattern: Annotated[
        Pattern,
        Field(
            description="Which relation to walk. tests_for: tests that cover the target; tested_by: what a test "
            "covers; imports_of and file_summary take a file or module."
        ),
    ],
    target: Annotated[
        str,
        Field(
            description="A definition: qualified name ('src/app.py::Flask.run'), a suffix of one ('Flask.run'), "
            "a bare name, or 'path:line'; or a file: path or dotted module."
        ),
    ],
    depth: Annotated[int, Field(description="Hops to walk, 1 to 10. Tests always come with all their helpers.")] = 1,
    limit: Annotated[int | None, Field(description="Most neighbours to return; null for all.")] = DEFAULT_LIMIT,
) -> QueryResult:
    """Walk the call graph from one definition: callers, callees, tests, imports, subclasses, members.

    Each neighbour has its call-site lines, how sure the edge is (exact, inferred, dispatch) and its distance.
    Name-only guesses stand apart; callees outside the repository are listed as references. An ambiguous
    target answers with candidates to choose from: ask again with a qualified name.

    Raises QueryError for arguments out of range and RepositoryError for a path outside the repository.
    """
    asked = _checked(pattern, target, depth, limit)
    store.require_graph()
    # Ids of nodes change whenever another process rebuilds: one state for the whole answer.
    with store.snapshot():
        accept = _is_file if asked.pattern in _FILE_PATTERNS else _is_any
        meaning = find_target(store, asked.target, accept)
        if meaning.node is None:
            return _unanswered(store, asked, meaning)
        return _answered(store, asked, meaning.node)


@dataclass(frozen=True, slots=True)
class _Asked:
    pattern: Pattern
    target: str
    depth: int
    limit: int | None


def _checked(pattern: Pattern | str, target: str, depth: int, limit: int | None) -> _Asked:
    try:
        known = Pattern(pattern)
    except ValueError:
        allowed = ", ".join(Pattern)
        raise QueryError(f"There is no pattern {str(pattern)[:80]!r}.", hint=f"Patterns are: {allowed}.") from None
    target = readable(target).strip()
    if not target:
        raise QueryError("The target is empty.", hint="Give a name such as 'Flask.run', a path, or 'path:line'.")
    if len(target) > MAX_TARGET:
        raise QueryError(
            f"The target is {len(target)} characters long.", hint=f"At most {MAX_TARGET}: give a name or a path."
        )
    if not 1 <= depth <= MAX_DEPTH:
        raise QueryError(f"depth is {depth}.", hint=f"Give 1 to {MAX_DEPTH} hops.")
    if limit is not None and limit < 1:
        raise QueryError(f"limit is {limit}.", hint="Give 1 or more, or none at all for everything.")
    return _Asked(known, target, depth, limit)


def _is_file(node: Node) -> bool:
    return node.kind in _FILE_KINDS


def _is_any(_node: Node) -> bool:
    return True


def _answered(store: Store, asked: _Asked, node: Node) -> QueryResult:
    reached = walk(store, node, asked.pattern, asked.depth)
    certain = [neighbour(hit) for hit in reached if hit.resolution is not Resolution.GUESS]
    guesses = [neighbour(hit) for hit in reached if hit.resolution is Resolution.GUESS]
    references = _references(store, node) if asked.pattern is Pattern.CALLEES_OF else []
    shown = tuple(certain[: asked.limit])
    room = None if asked.limit is None else asked.limit - len(shown)
    shown_guesses = tuple(guesses[:room])
    shown_references = tuple(references[: asked.limit])
    total = len(certain) + len(guesses)
    return QueryResult(
        status=QueryStatus.OK,
        pattern=asked.pattern,
        target=asked.target,
        resolved_target=symbol(node),
        neighbours=shown,
        guesses=shown_guesses,
        references=shown_references,
        total=total,
        cut=total - len(shown) - len(shown_guesses),
        hint=answer_hint(
            store, asked.pattern, node, is_empty=not certain, references_cut=len(references) - len(shown_references)
        ),
    )


def _unanswered(store: Store, asked: _Asked, meaning: Meaning) -> QueryResult:
    if meaning.candidates:
        status, candidates = QueryStatus.AMBIGUOUS, meaning.candidates
        hint = f"{meaning.total} definitions match: ask again with one qualified_name of the candidates."
    else:
        status = QueryStatus.NOT_FOUND
        candidates, hint = _instead(store, asked)
    return QueryResult(
        status=status,
        pattern=asked.pattern,
        target=asked.target,
        candidates=tuple(symbol(node) for node in candidates),
        total=0,
        cut=max(meaning.total - len(candidates), 0),
        hint=hint,
    )


def _instead(store: Store, asked: _Asked) -> tuple[tuple[Node, ...], str]:
    """What to ask instead of a target that was not found."""
    if asked.pattern in _FILE_PATTERNS:
        meaning = find_target(store, asked.target)
        definitions = (meaning.node,) if meaning.node else meaning.candidates
        paths = {node.path for node in definitions}
        files = [node for path in sorted(paths) for node in store.nodes_in_file(path) if node.kind is NodeKind.FILE]
        if files:
            return tuple(files), f"{asked.pattern} takes a file: ask again with the path of a candidate."
    near = tuple(near_names(store, asked.target))
    if near:
        return near, "Nothing in the index has this name; the candidates have similar names."
    return (), (
        "Nothing in the index has this or a similar name. It may be defined outside the repository, or be newer "
        "than the index: find it with hybrid_search, or run build_or_update_graph."
    )


def _references(store: Store, node: Node) -> list[ExternalReference]:
    found = store.references_from([node.id])
    ordered = sorted(found, key=lambda item: (item.lines[:1], item.name, item.kind))
    return [ExternalReference(name=item.name, kind=item.kind, lines=item.lines) for item in ordered]
