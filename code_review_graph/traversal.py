"""Walks over the graph: which edges a pattern follows, and what they reach, hop by hop."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType

from code_review_graph.model import Edge, EdgeKind, Node, NodeKind, Resolution
from code_review_graph.results import Pattern
from code_review_graph.store import Store


class Direction(Enum):
    """Which end of an edge the walk starts from."""

    OUT = "from source to target"
    IN = "from target to source"


@dataclass(frozen=True, slots=True)
class Step:
    """The edges that one hop of a pattern follows."""

    kinds: tuple[EdgeKind, ...]
    direction: Direction


STEPS: Mapping[Pattern, Step] = MappingProxyType(
    {
        Pattern.CALLERS_OF: Step((EdgeKind.CALLS,), Direction.IN),
        Pattern.CALLEES_OF: Step((EdgeKind.CALLS,), Direction.OUT),
        Pattern.TESTS_FOR: Step((EdgeKind.TESTED_BY,), Direction.OUT),
        Pattern.TESTED_BY: Step((EdgeKind.TESTED_BY,), Direction.IN),
        Pattern.IMPORTS_OF: Step((EdgeKind.IMPORTS,), Direction.OUT),
        Pattern.IMPORTERS_OF: Step((EdgeKind.IMPORTS,), Direction.IN),
        Pattern.INHERITORS_OF: Step((EdgeKind.INHERITS, EdgeKind.IMPLEMENTS), Direction.IN),
        Pattern.BASES_OF: Step((EdgeKind.INHERITS, EdgeKind.IMPLEMENTS), Direction.OUT),
        Pattern.CHILDREN_OF: Step((EdgeKind.CONTAINS,), Direction.OUT),
        Pattern.REFERENCES_TO: Step((EdgeKind.REFERENCES, EdgeKind.MENTIONS), Direction.IN),
        Pattern.FILE_SUMMARY: Step((EdgeKind.CONTAINS,), Direction.OUT),
    }
)
# These edges already reach through helpers and carry their own distance, so hops do not apply.
WHOLE_DISTANCE = frozenset({Pattern.TESTS_FOR, Pattern.TESTED_BY})
# A summary is of the whole file, members of members included.
WHOLE_DEPTH = frozenset({Pattern.FILE_SUMMARY})

CERTAINTY: Mapping[Resolution, int] = MappingProxyType({resolution: rank for rank, resolution in enumerate(Resolution)})


@dataclass(frozen=True, slots=True)
class Reached:
    """One definition that a walk reached, by its surest edge; ``lines`` are sites in ``site_path``."""

    node: Node
    edge: EdgeKind
    resolution: Resolution
    distance: int
    lines: tuple[int, ...]
    site_path: str
    via: str | None


def walk(store: Store, start: Node, pattern: Pattern, depth: int) -> list[Reached]:
    """Every definition within ``depth`` hops of ``start``, nearest and surest first, each once.

    Cycles end where they close; ``start`` itself is reached only by an edge to itself. A guess is reported
    but never walked on from, so that nothing certain-looking stands behind it.
    """
    step = STEPS[pattern]
    limit = None if pattern in WHOLE_DEPTH else 1 if pattern in WHOLE_DISTANCE else depth
    reached: dict[int, Reached] = {}
    known = {start.id: start}
    seen = {start.id}
    frontier = [start.id]
    hop = 0
    while frontier and (limit is None or hop < limit):
        hop += 1
        edges = [edge for edge in _edges(store, frontier, step) if _is_new(edge, step, seen, start.id, hop)]
        known.update(store.nodes({_ends(edge, step)[1] for edge in edges} - known.keys()))
        found = _merge(edges, step, known, hop)
        for node_id, hit in found.items():
            if node_id not in reached or _worth(hit) < _worth(reached[node_id]):
                reached[node_id] = hit
        certain = {node_id for node_id, hit in found.items() if hit.resolution is not Resolution.GUESS}
        frontier = sorted(certain - seen)
        seen |= certain
    return sorted(reached.values(), key=_order)


def innermost(nodes: Iterable[Node], line: int) -> Node | None:
    """The smallest definition that spans a 1-based line; files come last."""
    spanning = [node for node in nodes if node.start_line <= line <= node.end_line or node.kind is NodeKind.FILE]
    return min(
        spanning,
        key=lambda node: (node.kind is NodeKind.FILE, node.end_line - node.start_line, -node.start_line, node.id),
        default=None,
    )


def _edges(store: Store, frontier: Collection[int], step: Step) -> list[Edge]:
    if step.direction is Direction.IN:
        return store.edges_to(frontier, step.kinds)
    return store.edges_from(frontier, step.kinds)


def _ends(edge: Edge, step: Step) -> tuple[int, int]:
    """(the end we come from, the end we reach)."""
    return (edge.target, edge.source) if step.direction is Direction.IN else (edge.source, edge.target)


def _is_new(edge: Edge, step: Step, seen: set[int], start: int, hop: int) -> bool:
    _, node_id = _ends(edge, step)
    return node_id not in seen or (hop == 1 and node_id == start)


def _merge(edges: Iterable[Edge], step: Step, known: Mapping[int, Node], hop: int) -> dict[int, Reached]:
    """One Reached a definition: the surest edge, with the lines of all equally placed sites together."""
    found: dict[int, Reached] = {}
    for edge in edges:
        _, node_id = _ends(edge, step)
        # What a test reaches is reached by lines of the test, at whichever end it stands.
        node, site = known.get(node_id), known.get(edge.target if edge.kind is EdgeKind.TESTED_BY else edge.source)
        if node is None or site is None:
            continue
        distance = hop if edge.distance is None else edge.distance
        hit = Reached(node, edge.kind, edge.resolution, distance, edge.lines, site.path, edge.via)
        found[node_id] = _joined(found[node_id], hit) if node_id in found else hit
    return found


def _joined(one: Reached, other: Reached) -> Reached:
    best, rest = sorted((one, other), key=_order)
    if Resolution.GUESS in {best.resolution, rest.resolution} and best.resolution is not rest.resolution:
        return best
    if best.site_path != rest.site_path or best.distance != rest.distance:
        return best
    # A plain call among the sites makes the whole a plain call.
    via = best.via if best.via == rest.via else None
    return replace(best, lines=tuple(sorted({*best.lines, *rest.lines})), via=via)


def _worth(hit: Reached) -> tuple[bool, int, int]:
    """Smaller is better: any certain edge, however far, says more than a guess."""
    return (hit.resolution is Resolution.GUESS, hit.distance, CERTAINTY[hit.resolution])


def _order(hit: Reached) -> tuple[int, int, str, int, str, str, tuple[int, ...]]:
    node = hit.node
    certainty = CERTAINTY[hit.resolution]
    return (hit.distance, certainty, node.path, node.start_line, node.qualified_name, hit.site_path, hit.lines)
