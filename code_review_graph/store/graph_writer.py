"""Writing a whole graph in one transaction: rows first, indexes afterwards."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from code_review_graph.model import Edge, Graph, Node, Reference, ReferenceKind
from code_review_graph.store.codes import (
    EDGE_KIND_CODES,
    NODE_KIND_CODES,
    REFERENCE_KIND_CODES,
    RESOLUTION_CODES,
    pack_lines,
)
from code_review_graph.store.migrations import sql_file
from code_review_graph.store.records import IndexInfo
from code_review_graph.words import words_of

if TYPE_CHECKING:
    from code_review_graph.store.sql import Connection

_LAST_NAME: Final = re.compile(r"\w+(?=\W*$)")
_INDEX_NAME: Final = re.compile(r"CREATE INDEX (\w+)")
# Children before parents; all of them are emptied without looking at a row.
_TABLES: Final = ("node_vector", "reference", "edge", "node", "path")
# Large enough that full text is sorted in memory and written once.
_FTS_HASH_BYTES: Final = 64 << 20
_FTS_DEFAULT_HASH_BYTES: Final = 1 << 20


def check_graph(graph: Graph) -> None:
    """Raise ValueError unless ids are dense from 1 and every end of an edge is a node."""
    count = len(graph.nodes)
    if any(node.id != number for number, node in enumerate(graph.nodes, 1)):
        raise ValueError("node ids must be dense from 1, in order")
    if any(node.parent is not None and not 1 <= node.parent <= count for node in graph.nodes):
        raise ValueError("a node's parent is not in the graph")
    if any(not (1 <= edge.source <= count and 1 <= edge.target <= count) for edge in graph.edges):
        raise ValueError("an edge's end is not in the graph")
    if any(not 1 <= reference.source <= count for reference in graph.references):
        raise ValueError("a reference's source is not in the graph")


def write_graph(connection: Connection, graph: Graph, info: IndexInfo) -> None:
    """Put ``graph`` in the place of the stored one; the caller holds the transaction."""
    indexes = sql_file("indexes.sql")
    for name in _INDEX_NAME.findall(indexes):
        connection.execute(f"DROP INDEX IF EXISTS {name}")
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the names are constants
    _write_rows(connection, graph)
    _write_full_text(connection, graph)
    connection.execute(indexes)
    write_info(connection, info)
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('counts', ?)", (json.dumps(_counts(graph)),))
    graph_is_of_facts(connection)


def graph_is_of_facts(connection: Connection) -> None:
    """Note that the graph was made of the facts as they stand."""
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES ('graph_facts_version', "
        "coalesce((SELECT value FROM meta WHERE key = 'facts_version'), 0))"
    )


def map_vectors(connection: Connection, pairs: Iterable[tuple[int, bytes]]) -> None:
    """Give nodes (by id) the vectors of their text hashes, those that exist, and drop vectors that no node uses."""
    connection.executemany(
        "INSERT OR REPLACE INTO node_vector SELECT ?, id FROM vector WHERE text_hash = ?", map(tuple, pairs)
    )
    connection.execute("DELETE FROM vector WHERE id NOT IN (SELECT vector_id FROM node_vector)")


def write_info(connection: Connection, info: IndexInfo) -> None:
    """Note how the graph was made, and that it is another one."""
    connection.executemany(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)",
        [("commit", info.commit), ("built_at", info.built_at), ("version", info.version), ("inputs", info.inputs)],
    )
    count_generation(connection)


def count_generation(connection: Connection) -> None:
    """Tell the caches of all processes that nodes or vectors have changed."""
    connection.execute("INSERT INTO meta VALUES ('generation', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1")


def _counts(graph: Graph) -> dict[str, Any]:
    # Counted here once: over the rows of a large repository it takes half a second.
    return {
        "files": len({node.path for node in graph.nodes}),
        "nodes": Counter(node.kind for node in graph.nodes),
        "edges": Counter(edge.kind for edge in graph.edges),
        "resolutions": Counter(edge.resolution for edge in graph.edges),
        "references": Counter(reference.kind for reference in graph.references),
    }


def _write_rows(connection: Connection, graph: Graph) -> None:
    paths: dict[str, int] = {}
    for node in graph.nodes:
        paths.setdefault(node.path, len(paths) + 1)
    connection.executemany("INSERT INTO path VALUES (?, ?)", ((number, path) for path, number in paths.items()))
    connection.executemany(
        "INSERT INTO node VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", node_rows(graph.nodes, paths)
    )
    insert_edges(connection, graph.edges)
    insert_references(connection, graph.references)


def insert_edges(connection: Connection, edges: Iterable[Edge]) -> None:
    """Add rows for edges."""
    connection.executemany(
        "INSERT INTO edge (kind, source, target, lines, resolution, distance, via) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (EDGE_KIND_CODES[kind], source, target, pack_lines(lines), RESOLUTION_CODES[resolution], distance, via)
            for kind, source, target, lines, resolution, distance, via in edges
        ),
    )


def insert_references(connection: Connection, references: Iterable[Reference]) -> None:
    """Add rows for references."""
    connection.executemany(
        "INSERT INTO reference (kind, source, name, lines, member) VALUES (?, ?, ?, ?, ?)",
        (
            (REFERENCE_KIND_CODES[kind], source, name, pack_lines(lines), _member(kind, name))
            for kind, source, name, lines in references
        ),
    )


def _member(kind: ReferenceKind, name: str) -> str | None:
    if kind is not ReferenceKind.UNRESOLVED:
        return None
    last = _LAST_NAME.search(name)
    return last[0] if last else None


def node_rows(nodes: Iterable[Node], paths: dict[str, int]) -> Iterator[tuple[Any, ...]]:
    """Rows of the node table."""
    for node in nodes:
        yield (
            node.id,
            node.name,
            node.qualified_name,
            NODE_KIND_CODES[node.kind],
            paths[node.path],
            node.start_line,
            node.end_line,
            node.language,
            node.parent,
            int(node.is_test),
            node.signature,
            node.docstring,
        )


def _write_full_text(connection: Connection, graph: Graph) -> None:
    connection.execute("INSERT INTO full_text (full_text) VALUES ('delete-all')")
    connection.execute("INSERT INTO full_text (full_text, rank) VALUES ('hashsize', ?)", (_FTS_HASH_BYTES,))
    connection.executemany(
        "INSERT INTO full_text (rowid, name, qualified_name, signature, docstring, path, body) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        full_text_rows(graph.nodes),
    )
    connection.execute("INSERT INTO full_text (full_text, rank) VALUES ('hashsize', ?)", (_FTS_DEFAULT_HASH_BYTES,))


def full_text_rows(nodes: Iterable[Node]) -> Iterator[tuple[Any, ...]]:
    """Rows of the full text; to take a node out, its row must be the one that was put in."""
    words_of_path: dict[str, str] = {}
    for node in nodes:
        path = words_of_path.get(node.path)
        if path is None:
            path = words_of_path[node.path] = " ".join(words_of(node.path))
        # The path has a column of its own.
        scope = node.qualified_name.removeprefix(node.path)
        yield (
            node.id,
            " ".join(_name_words(node.name)),
            " ".join(words_of(scope)),
            " ".join(words_of(node.signature)),
            " ".join(words_of(node.docstring)),
            path,
            node.body_words,
        )


def _name_words(name: str) -> list[str]:
    """Words of a name, and the name in one piece, so that `computebackoff` finds computeBackoff and compute_backoff."""
    words = words_of(name)
    return [*words, "".join(words)] if len(words) > 1 else words
