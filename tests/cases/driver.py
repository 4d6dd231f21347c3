"""Drives the product as the cases ask: builds, updates, edges, queries and searches of one repository."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from code_review_graph import indexing, search
from code_review_graph.embedding import Embedder
from code_review_graph.model import Edge, Node, NodeKind, Resolution
from code_review_graph.parsing import language_name
from code_review_graph.results import Neighbour, Pattern, QueryResult, SearchHit, SearchResult
from code_review_graph.store import Store
from code_review_graph.tools.query import query_graph
from tests.cases.references import paths_of, resolve

REFERENCE_KEYS = ("from", "to", "node", "target", "test", "hit", "node_in")


def is_indexed(path: str) -> bool:
    """Whether the product knows the language of a path."""
    return language_name(path) is not None


def unknown_paths(entry: Mapping[str, Any]) -> set[str]:
    """Paths in an entry whose language the product does not know yet."""
    named = {path for key in REFERENCE_KEYS for path in paths_of(entry.get(key))}
    return {path for path in named if not is_indexed(path)}


@dataclass
class Driver:
    """One repository and its index."""

    repo: Path
    database: Path | None = None

    @cached_property
    def store(self) -> Store:
        return Store(self.repo, database=self.database)

    def build(self, embedder: Embedder | None = None) -> None:
        indexing.build(self.store, embedder=embedder)

    def update(self, embedder: Embedder | None = None) -> None:
        indexing.update(self.store, embedder=embedder)

    @property
    def nodes(self) -> list[Node]:
        return list(self.store.iter_nodes())

    @property
    def edges(self) -> list[Edge]:
        return list(self.store.iter_edges())

    def certain_edges(self, entry: Mapping[str, Any]) -> list[Edge]:
        """Edges that an entry describes, guesses aside."""
        kinds = {entry["rel"]} if isinstance(entry["rel"], str) else set(entry["rel"])
        nodes = self.nodes
        sources = {node.id for node in resolve(entry["from"], nodes)}
        targets = {node.id for node in resolve(entry["to"], nodes)}
        line = entry.get("line")
        return [
            edge
            for edge in self.edges
            if edge.kind in kinds
            and edge.source in sources
            and edge.target in targets
            and edge.resolution is not Resolution.GUESS
            and (line is None or line in edge.lines)
        ]

    def named(self, name: str) -> list[Node]:
        return [node for node in self.nodes if node.name == name and node.kind is not NodeKind.FILE]

    def in_file(self, path: str, name: str | None) -> list[Node]:
        return [node for node in self.nodes if node.path == path and name in (None, node.name)]

    def query(self, pattern: str, target: str) -> QueryResult:
        """Walk from the definition that a reference means, or from a target as it is written."""
        meant = resolve(target, self.nodes) if "::" in target else []
        name = meant[0].qualified_name if len(meant) == 1 else target
        return query_graph(self.store, Pattern(pattern), name, limit=None)

    def search(self, query: str, limit: int = 10, embedder: Embedder | None = None) -> SearchResult:
        return search.hybrid_search(self.store, query, limit, embedder=embedder)

    def contents(self) -> tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]:
        """Node and edge sets without ids, so that two indexes can be compared."""
        nodes = {node.id: node for node in self.nodes}
        rows = {(n.qualified_name, n.kind, n.start_line, n.end_line, n.is_test, n.signature) for n in nodes.values()}
        edges = {(e.kind, nodes[e.source].qualified_name, nodes[e.target].qualified_name, *e[3:]) for e in self.edges}
        return rows, edges

    def close(self) -> None:
        self.store.close()


def is_among(ref: str | list[str], rows: Iterable[Neighbour | SearchHit]) -> bool:
    """Whether a reference means one of an answer's rows."""
    return bool(resolve(ref, rows))
