"""Writing a changed part of a graph: rows of the files that were resolved anew, and nothing else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol

from code_review_graph.model import Edge, EdgeKind, Node, NodeKind, Reference, ReferenceKind, Resolution
from code_review_graph.store.codes import EDGE_KIND_CODES, EDGE_KINDS, NODE_KINDS, REFERENCE_KINDS, RESOLUTIONS
from code_review_graph.store.graph_writer import (
    full_text_rows,
    graph_is_of_facts,
    insert_edges,
    insert_references,
    node_rows,
    write_info,
)

if TYPE_CHECKING:
    from code_review_graph.store.records import IndexInfo
    from code_review_graph.store.sql import Connection

# Bump when what is kept for resolving in part changes: then everything is resolved once.
PARTS_VERSION: Final = 1

_TESTED_BY: Final = EDGE_KIND_CODES[EdgeKind.TESTED_BY]
_CONTAINS: Final = EDGE_KIND_CODES[EdgeKind.CONTAINS]
_OLD_NODES: Final = """
SELECT node.id, node.name, node.qualified_name, node.kind, path.path, node.start_line, node.end_line, node.language,
       node.parent, node.is_test, node.signature, node.docstring
FROM path JOIN node ON node.path_id = path.id WHERE path.path = ?
"""


class DoesNotFitError(Exception):
    """The graph has something that the change should have changed."""


class ChangedFile(Protocol):
    """What a file is in the graph from now on."""

    path: str
    file_id: int
    edges: list[Edge]
    references: list[Reference]
    links: list[Any]
    nodes: list[Node] | None
    numbering: bytes
    slots: bytes | None


class GraphChange(Protocol):
    """What to put in the place of what the store holds."""

    @property
    def files(self) -> Sequence[ChangedFile]:
        """Files that were resolved anew."""
        ...

    removed: list[str]
    passed: dict[tuple[int, int], bytes]
    tests: list[int]
    covered: list[Edge]
    old_words: dict[int, str]


class Kept(Protocol):
    """What is kept for resolving in part when everything was resolved."""

    nodes: list[tuple[int, bytes]]
    links: list[Any]
    passed: list[tuple[int, int, bytes]]


def write_kept(connection: Connection, kept: Kept | None) -> None:
    """Put what is kept of resolving everything in the place of what was kept before; nothing is kept for None."""
    for table in ("numbering", "link", "passed"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - the names are constants
    if kept is None:
        connection.execute("DELETE FROM meta WHERE key = 'parts_version'")
        return
    connection.executemany("INSERT INTO numbering (file_id, nodes) VALUES (?, ?)", kept.nodes)
    _insert_links(connection, sorted(kept.links, key=lambda row: (row[2], row[0], row[1])))
    connection.executemany("INSERT INTO passed (file_id, level, entries) VALUES (?, ?, ?)", sorted(kept.passed))
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('parts_version', ?)", (PARTS_VERSION,))


def _insert_links(connection: Connection, rows: Iterable[Sequence[Any]]) -> None:
    connection.executemany("INSERT INTO link (kind, source, target, entries) VALUES (?, ?, ?, ?)", map(tuple, rows))


def write_change(connection: Connection, change: GraphChange, info: IndexInfo) -> None:
    """Write a change; the caller holds the transaction. Raises DoesNotFitError."""
    counts = _Counts(connection)
    gone = _remove_old(connection, change, counts)
    for file in change.files:
        if file.nodes is not None:
            _write_nodes(connection, file, change.old_words, counts)
    edges = [edge for file in change.files for edge in file.edges] + change.covered
    references = [reference for file in change.files for reference in file.references]
    insert_edges(connection, edges)
    insert_references(connection, references)
    counts.add_edges(edges)
    counts.add_references(references)
    _check_ends(connection, gone, edges)
    _write_parts(connection, change)
    write_info(connection, info)
    counts.write(connection)
    graph_is_of_facts(connection)


def _remove_old(connection: Connection, change: GraphChange, counts: _Counts) -> list[int]:
    """Take out edges and references of the files that were resolved anew, and nodes that are gone."""
    gone: list[int] = []
    for file in change.files:
        old = [row[0] for row in connection.execute(_OLD_NODES, (file.path,))]
        kept = [_TESTED_BY] if file.nodes is not None else [_TESTED_BY, _CONTAINS]
        _delete_edges(connection, "source", old, kept, counts)
        _delete_references(connection, old, counts)
        if file.nodes is not None:
            gone += sorted(set(old) - {node.id for node in file.nodes})
    for path in change.removed:
        gone += [row[0] for row in connection.execute(_OLD_NODES, (path,))]
    _delete_edges(connection, "target", change.tests, _all_but(EdgeKind.TESTED_BY), counts)
    _delete_edges(connection, "source", gone, [], counts)
    _delete_edges(connection, "target", gone, _all_but(EdgeKind.TESTED_BY, EdgeKind.CONTAINS), counts)
    _delete_references(connection, gone, counts)
    _delete_nodes(connection, gone, change.old_words, counts)
    for path in change.removed:
        connection.execute("DELETE FROM path WHERE path = ?", (path,))
        counts.files -= 1
    return gone


def _all_but(*kinds: EdgeKind) -> list[int]:
    return [code for kind, code in EDGE_KIND_CODES.items() if kind not in kinds]


def _delete_edges(
    connection: Connection, end: str, ids: Sequence[int], kept_kinds: Sequence[int], counts: _Counts
) -> None:
    if not ids:
        return
    kept = ",".join(map(str, kept_kinds)) or "-1"
    rows = connection.execute(
        f"DELETE FROM edge WHERE {end} IN (SELECT value FROM json_each(?)) AND kind NOT IN ({kept}) "  # noqa: S608
        "RETURNING kind, resolution",
        (json.dumps(list(ids)),),
    ).fetchall()
    counts.remove_edges(rows)


def _delete_references(connection: Connection, ids: Sequence[int], counts: _Counts) -> None:
    rows = connection.execute(
        "DELETE FROM reference WHERE source IN (SELECT value FROM json_each(?)) RETURNING kind",
        (json.dumps(list(ids)),),
    ).fetchall()
    counts.references.subtract(REFERENCE_KINDS[kind] for (kind,) in rows)


def _delete_nodes(connection: Connection, ids: Sequence[int], words: Mapping[int, str], counts: _Counts) -> None:
    if not ids:
        return
    listed = json.dumps(list(ids))
    wanted = _OLD_NODES.replace("path.path = ?", "node.id IN (SELECT value FROM json_each(?))")
    old = connection.execute(wanted, (listed,)).fetchall()
    _remove_text(connection, [_node(row, words) for row in old])
    counts.nodes.subtract(NODE_KINDS[row[3]] for row in old)
    connection.execute("DELETE FROM node_vector WHERE node_id IN (SELECT value FROM json_each(?))", (listed,))
    connection.execute("DELETE FROM node WHERE id IN (SELECT value FROM json_each(?))", (listed,))


def _node(row: tuple[Any, ...], words: Mapping[int, str]) -> Node:
    identity, name, qualified_name, kind, path, start, end, language, parent, is_test, signature, docstring = row
    return Node(
        identity, qualified_name, name, NODE_KINDS[kind], path, start, end, language, parent, bool(is_test),
        signature, docstring, words.get(identity, ""),
    )  # fmt: skip


def _text(node: Node) -> tuple[str, ...]:
    return (node.name, node.qualified_name, node.signature, node.docstring, node.body_words)


def _write_nodes(connection: Connection, file: ChangedFile, words: Mapping[int, str], counts: _Counts) -> None:
    nodes = file.nodes or []
    old = {row[0]: _node(row, words) for row in connection.execute(_OLD_NODES, (file.path,))}
    rows = connection.execute("SELECT id FROM path WHERE path = ?", (file.path,)).fetchall()
    if not rows:
        rows = connection.execute("INSERT INTO path (path) VALUES (?) RETURNING id", (file.path,)).fetchall()
        counts.files += 1
    otherwise = [node for node in nodes if node.id not in old or _text(old[node.id]) != _text(node)]
    _remove_text(connection, [old[node.id] for node in otherwise if node.id in old])
    changed = json.dumps([node.id for node in otherwise])
    connection.execute("DELETE FROM node_vector WHERE node_id IN (SELECT value FROM json_each(?))", (changed,))
    connection.executemany(
        "INSERT OR REPLACE INTO node VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        node_rows(nodes, {file.path: rows[0][0]}),
    )
    connection.executemany(
        "INSERT INTO full_text (rowid, name, qualified_name, signature, docstring, path, body) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        full_text_rows(otherwise),
    )
    counts.nodes.subtract(node.kind for node in old.values())
    counts.nodes.update(node.kind for node in nodes)


def _remove_text(connection: Connection, nodes: Sequence[Node]) -> None:
    """The words of a contentless table are taken out by saying them again."""
    connection.executemany(
        "INSERT INTO full_text (full_text, rowid, name, qualified_name, signature, docstring, path, body) "
        "VALUES ('delete', ?, ?, ?, ?, ?, ?, ?)",
        full_text_rows(nodes),
    )


def _check_ends(connection: Connection, gone: Sequence[int], edges: Sequence[Edge]) -> None:
    """Nothing may lead to what is gone: a file that still does should have been resolved anew."""
    if gone:
        sql = "SELECT 1 FROM edge WHERE target IN (SELECT value FROM json_each(?)) LIMIT 1"
        if connection.execute(sql, (json.dumps(list(gone)),)).fetchall():
            raise DoesNotFitError
    ends = json.dumps(sorted({end for edge in edges for end in (edge.source, edge.target)}))
    sql = "SELECT 1 FROM json_each(?) AS wanted LEFT JOIN node ON node.id = wanted.value WHERE node.id IS NULL LIMIT 1"
    if connection.execute(sql, (ends,)).fetchall():
        raise DoesNotFitError


def _write_parts(connection: Connection, change: GraphChange) -> None:
    for file in change.files:
        connection.execute("DELETE FROM link WHERE source = ?", (file.file_id,))
        _insert_links(connection, file.links)
        if file.nodes is not None:
            row = (file.file_id, file.numbering, file.slots)
            connection.execute("INSERT OR REPLACE INTO numbering (file_id, nodes, slots) VALUES (?, ?, ?)", row)
    connection.executemany(
        "INSERT OR REPLACE INTO passed (file_id, level, entries) VALUES (?, ?, ?)",
        [(file_id, level, entries) for (file_id, level), entries in change.passed.items()],
    )


class _Counts:
    """The counts of the graph, kept true row by row."""

    def __init__(self, connection: Connection) -> None:
        rows = connection.execute("SELECT value FROM meta WHERE key = 'counts'").fetchall()
        counts = json.loads(rows[0][0]) if rows else {}
        self.files: int = counts.get("files", 0)
        self.nodes: Counter[NodeKind] = Counter({NodeKind(k): n for k, n in counts.get("nodes", {}).items()})
        self.edges: Counter[EdgeKind] = Counter({EdgeKind(k): n for k, n in counts.get("edges", {}).items()})
        found = {Resolution(k): n for k, n in counts.get("resolutions", {}).items()}
        self.resolutions: Counter[Resolution] = Counter(found)
        references = {ReferenceKind(k): n for k, n in counts.get("references", {}).items()}
        self.references: Counter[ReferenceKind] = Counter(references)

    def remove_edges(self, rows: Iterable[tuple[int, int]]) -> None:
        """Edges of these kinds and resolutions went."""
        for kind, resolution in rows:
            self.edges[EDGE_KINDS[kind]] -= 1
            self.resolutions[RESOLUTIONS[resolution]] -= 1

    def add_edges(self, edges: Iterable[Edge]) -> None:
        """Edges came."""
        for edge in edges:
            self.edges[edge.kind] += 1
            self.resolutions[edge.resolution] += 1

    def add_references(self, references: Iterable[Reference]) -> None:
        """References came."""
        self.references.update(reference.kind for reference in references)

    def write(self, connection: Connection) -> None:
        """Note the counts."""
        counts = {
            "files": self.files,
            "nodes": +self.nodes,
            "edges": +self.edges,
            "resolutions": +self.resolutions,
            "references": +self.references,
        }
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('counts', ?)", (json.dumps(counts),))
