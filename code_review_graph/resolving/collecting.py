"""Edges in the making: sites of one relation between two nodes are one edge with all its lines."""

from __future__ import annotations

from collections.abc import Iterator

from code_review_graph.model import Edge, EdgeKind, Reference, ReferenceKind, Resolution

_RANK = {resolution: rank for rank, resolution in enumerate(Resolution)}


class Collector:
    """Gathers edges and references; the surest resolution of an edge wins."""

    def __init__(self) -> None:
        # Lists, though a line may come twice: a set for each of a repository's edges takes three times the memory.
        self._edges: dict[tuple[EdgeKind, int, int], tuple[list[int], Resolution, str | None, int | None]] = {}
        self._references: dict[tuple[ReferenceKind, int, str], list[int]] = {}

    def add(
        self,
        kind: EdgeKind,
        source: int,
        target: int,
        line: int,
        resolution: Resolution,
        via: str | None,
        distance: int | None = None,
    ) -> None:
        """Add one site of an edge."""
        key = (kind, source, target)
        known = self._edges.get(key)
        if known is None:
            self._edges[key] = ([line], resolution, via, distance)
            return
        lines, best, construct, _ = known
        lines.append(line)
        if _RANK[resolution] < _RANK[best] or (via is None and construct is not None):
            best = min(resolution, best, key=_RANK.__getitem__)
            construct = None if via is None else construct
            self._edges[key] = (lines, best, construct, distance)

    def refer(self, kind: ReferenceKind, source: int, name: str, line: int) -> None:
        """Add one site that no definition answers."""
        self._references.setdefault((kind, source, name), []).append(line)

    def edges(self) -> list[Edge]:
        """All edges, in a stable order."""
        return [
            Edge(kind, source, target, _in_order(lines), resolution, distance, via)
            for (kind, source, target), (lines, resolution, via, distance) in self._edges.items()
        ]

    def sites(self, kind: EdgeKind) -> Iterator[tuple[int, int, int, Resolution, str | None]]:
        """Edges of one kind as (source, target, first line, resolution, via)."""
        for (found, source, target), (lines, resolution, via, _) in self._edges.items():
            if found is kind:
                yield source, target, min(lines), resolution, via

    def references(self) -> list[Reference]:
        """All references, in a stable order."""
        return [
            Reference(kind, source, name, _in_order(lines)) for (kind, source, name), lines in self._references.items()
        ]

    def size(self) -> int:
        """How many edges there are so far."""
        return len(self._edges)


def _in_order(lines: list[int]) -> tuple[int, ...]:
    """Each line once; 0 stands for no line."""
    return tuple(sorted({line for line in lines if line > 0})) if len(lines) > 1 or lines[0] <= 0 else (lines[0],)
