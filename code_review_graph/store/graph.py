"""The graph's tables: nodes, edges, references and full text."""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

import apsw

from code_review_graph.errors import CorruptIndexError, NoGraphError, QueryError
from code_review_graph.model import Edge, EdgeKind, Graph, Node, NodeKind, Reference, ReferenceKind, Resolution
from code_review_graph.store import graph_writer, part_writer
from code_review_graph.store.base import StorePart
from code_review_graph.store.codes import (
    EDGE_KIND_CODES,
    EDGE_KINDS,
    NODE_KINDS,
    REFERENCE_KINDS,
    RESOLUTIONS,
    unpack_lines,
)
from code_review_graph.store.records import GraphCounts, IndexInfo

_Kind = TypeVar("_Kind", bound=StrEnum)

FULL_TEXT_COLUMNS: Final = ("name", "qualified_name", "signature", "docstring", "path", "body")
_LONGEST_NAME_TO_CORRECT: Final = 80
# Names this short have too few pairs of letters to lose one to a slip: single letters are compared.
_SHORT_NAME: Final = 6
# Of a long name some parts are enough to find its kin.
_MOST_PARTS: Final = 8
_MOST_COMPARED: Final = 64
_NODE: Final = """
SELECT node.id, node.qualified_name, node.name, node.kind, path.path, node.start_line, node.end_line, node.language,
       node.parent, node.is_test, node.signature, node.docstring
"""
_EDGE: Final = "SELECT edge.kind, edge.source, edge.target, edge.lines, edge.resolution, edge.distance, edge.via"
# CROSS JOIN keeps SQLite from walking the large table: the ids come first.
_WANTED: Final = "FROM json_each(?) AS wanted CROSS JOIN"


class GraphTables(StorePart):
    """The part of a store that answers questions about definitions and their relations."""

    # -- the whole

    def replace_graph(
        self,
        graph: Graph,
        info: IndexInfo,
        text_hashes: Sequence[bytes] = (),
        kept: part_writer.Kept | None = None,
    ) -> None:
        """Put ``graph`` in the place of the stored one, in one transaction; readers see the old or the new, whole.

        With what was ``kept`` of resolving it, parts of it can be changed later.
        Nodes keep their vectors when ``text_hashes`` names them, one a node; without, vectors stay but belong to no
        node until ``map_vectors``. Raises ValueError for a graph that is not sound.
        """
        graph_writer.check_graph(graph)
        # Ends of edges were checked above, more cheaply than SQLite could.
        with self._database.transaction(foreign_keys=False) as connection:
            graph_writer.write_graph(connection, graph, info)
            part_writer.write_kept(connection, kept)
            if text_hashes:
                graph_writer.map_vectors(connection, enumerate(text_hashes, 1))
        self._database.tidy()

    def save_info(self, info: IndexInfo) -> None:
        """Note how the graph was made, leaving the graph alone."""
        with self._database.transaction() as connection:
            graph_writer.write_info(connection, info)

    def info(self) -> IndexInfo | None:
        """How the graph was made; None when there is none."""
        if not self._database.exists():
            return None
        rows = dict(
            self._database.rows("SELECT key, value FROM meta WHERE key IN ('commit', 'built_at', 'version', 'inputs')")
        )
        if rows and len(rows) != len(IndexInfo._fields):
            raise CorruptIndexError("The index does not say how it was made.")
        return IndexInfo(**rows) if rows else None

    def has_graph(self) -> bool:
        """Whether a graph was ever finished."""
        return self._meta("graph_facts_version") is not None

    def require_graph(self) -> None:
        """Raise NoGraphError unless there is a graph."""
        if not self.has_graph():
            raise NoGraphError(f"{self._database.repo_path} has no index yet.")

    def counts(self) -> GraphCounts:
        """How much the index holds, by kind."""
        with self._database.snapshot():
            counts = _counts_of(self._meta("counts"))
            return GraphCounts(
                files=counts.get("files", 0),
                nodes=_by_kind(counts.get("nodes"), NodeKind),
                edges=_by_kind(counts.get("edges"), EdgeKind),
                resolutions=_by_kind(counts.get("resolutions"), Resolution),
                references=_by_kind(counts.get("references"), ReferenceKind),
                diagnostics=self._database.rows("SELECT count(*) FROM diagnostic")[0][0],
            )

    # -- nodes

    def node(self, node_id: int) -> Node | None:
        """The node with this id; ``body_words`` is always empty in what is read."""
        return self.nodes([node_id]).get(node_id)

    def nodes(self, ids: Iterable[int]) -> dict[int, Node]:
        """The nodes with these ids, those that exist."""
        rows = self._database.rows(
            f"{_NODE} {_WANTED} node ON node.id = wanted.value JOIN path ON path.id = node.path_id", (_array(ids),)
        )
        return {row[0]: _node(row) for row in rows}

    def nodes_named(self, name: str, *, ignore_case: bool = True) -> list[Node]:
        """Nodes with this bare name, by id; ASCII letters match in either case if ``ignore_case``."""
        return self._nodes_where("node.name = ?1 COLLATE NOCASE", name, "name", ignore_case=ignore_case)

    def nodes_titled(self, title: str) -> list[Node]:
        """Nodes with this title behind those of the blocks around (``describe > title``), by id; ASCII case aside."""
        condition = "substr(node.name, -length(?1) - 3) = ' > ' || ?1 COLLATE NOCASE"
        return self._nodes_where(condition, title, "name", ignore_case=True)

    def nodes_with_qualified_name(self, qualified_name: str, *, ignore_case: bool = True) -> list[Node]:
        """Nodes with this qualified name, by id; ASCII letters match in either case if ``ignore_case``."""
        condition = "node.qualified_name = ?1 COLLATE NOCASE"
        return self._nodes_where(condition, qualified_name, "qualified_name", ignore_case=ignore_case)

    def _nodes_where(self, condition: str, value: str, exact: str, *, ignore_case: bool) -> list[Node]:
        also = "" if ignore_case else f" AND node.{exact} = ?1"
        rows = self._database.rows(
            f"{_NODE} FROM node JOIN path ON path.id = node.path_id WHERE {condition}{also} ORDER BY node.id", (value,)
        )
        return [_node(row) for row in rows]

    def nodes_in_file(self, path: str) -> list[Node]:
        """Nodes of one file, ordered by their first line."""
        rows = self._database.rows(
            f"{_NODE} FROM path JOIN node ON node.path_id = path.id WHERE path.path = ? "
            "ORDER BY node.start_line, node.id",
            (path,),
        )
        return [_node(row) for row in rows]

    def iter_nodes(self) -> Iterator[Node]:
        """All nodes, by id."""
        for row in self._database.stream(f"{_NODE} FROM node JOIN path ON path.id = node.path_id ORDER BY node.id"):
            yield _node(row)

    def paths(self) -> list[str]:
        """Every path of the graph, sorted."""
        return [path for (path,) in self._database.rows("SELECT path FROM path ORDER BY path")]

    def similar_names(self, name: str, limit: int) -> list[str]:
        """Names in the graph that look like ``name``, the likest first."""
        if not name or len(name) > _LONGEST_NAME_TO_CORRECT or limit < 1:
            return []
        folded = {candidate.lower(): candidate for candidate in self._names_sharing_parts(name)}
        return [folded[match] for match in difflib.get_close_matches(name.lower(), folded, n=limit, cutoff=0.6)]

    def _names_sharing_parts(self, name: str) -> list[str]:
        # To compare every name is too slow; those that share most pairs of letters are the only ones worth it.
        lowered = name.lower()
        size = 2 if len(name) >= _SHORT_NAME else 1
        parts = sorted({lowered[start : start + size] for start in range(len(lowered) - size + 1)})
        step = -(-len(parts) // _MOST_PARTS)
        looked_for = parts[::step]
        shared = " + ".join(f"(instr(lower(name), ?{number}) > 0)" for number in range(4, len(looked_for) + 4))
        # The text of the statement is made of numbered parameters alone.
        sql = f"""
        SELECT name FROM node WHERE length(name) BETWEEN ?1 AND ?2 GROUP BY name COLLATE NOCASE
        ORDER BY ({shared}) / (length(name) + ?3) DESC, name LIMIT {_MOST_COMPARED}
        """  # noqa: S608
        shortest, longest = -(-len(name) * 3 // 5), len(name) * 5 // 3
        rows = self._database.rows(sql, (shortest, longest, float(len(name)), *looked_for))
        return [candidate for (candidate,) in rows]

    # -- edges

    def edges_from(self, ids: Collection[int], kinds: Collection[EdgeKind]) -> list[Edge]:
        """Edges of these kinds that leave these nodes, by source."""
        return self._edges("source", ids, kinds)

    def edges_to(self, ids: Collection[int], kinds: Collection[EdgeKind]) -> list[Edge]:
        """Edges of these kinds that reach these nodes, by target."""
        return self._edges("target", ids, kinds)

    def _edges(self, end: str, ids: Collection[int], kinds: Collection[EdgeKind]) -> list[Edge]:
        codes = ",".join(str(code) for code in sorted(EDGE_KIND_CODES[kind] for kind in set(kinds)))
        rows = self._database.rows(
            f"{_EDGE} {_WANTED} edge ON edge.{end} = wanted.value WHERE edge.kind IN ({codes})", (_array(ids),)
        )
        return [_edge(row) for row in rows]

    def iter_edges(self) -> Iterator[Edge]:
        """All edges, in the order in which they were written."""
        for row in self._database.stream(f"{_EDGE} FROM edge ORDER BY id"):
            yield _edge(row)

    def references_from(self, ids: Collection[int]) -> list[Reference]:
        """Call sites in these nodes that nothing in the repository answers."""
        rows = self._database.rows(
            f"SELECT reference.kind, source, name, lines {_WANTED} reference ON reference.source = wanted.value",
            (_array(ids),),
        )
        return [_reference(row) for row in rows]

    def iter_references(self) -> Iterator[Reference]:
        """All references, in the order in which they were written."""
        for row in self._database.stream("SELECT kind, source, name, lines FROM reference ORDER BY id"):
            yield _reference(row)

    def unresolved_sites(self, name: str) -> int:
        """How many call sites of a bare name nothing could resolve: of ``get``, those of ``client.get`` too."""
        rows = self._database.rows("SELECT lines FROM reference WHERE member = ?", (name,))
        return sum(len(unpack_lines(lines)) for (lines,) in rows)

    def in_degrees(self, ids: Iterable[int]) -> dict[int, int]:
        """How many CALLS edges reach each of these nodes."""
        wanted = sorted(set(ids))
        rows = self._database.rows(
            f"SELECT edge.target, count(*) {_WANTED} edge ON edge.target = wanted.value "
            f"WHERE edge.kind = {EDGE_KIND_CODES[EdgeKind.CALLS]} GROUP BY 1",
            (_array(wanted),),
        )
        return dict.fromkeys(wanted, 0) | dict(rows)

    # -- full text

    def full_text(self, expression: str, limit: int, weights: Sequence[float]) -> list[tuple[int, float]]:
        """Node ids and BM25 scores (higher is better) for an FTS5 expression; ties by id.

        ``weights`` has one number for each of FULL_TEXT_COLUMNS. Raises QueryError for an expression that FTS5 refuses.
        """
        if len(weights) != len(FULL_TEXT_COLUMNS):
            raise ValueError(f"{len(FULL_TEXT_COLUMNS)} weights are needed, not {len(weights)}")
        score = f"bm25(full_text, {', '.join(str(float(weight)) for weight in weights)})"
        sql = f"SELECT rowid, {score} AS score FROM full_text WHERE full_text MATCH ? ORDER BY score, rowid LIMIT ?"  # noqa: S608
        try:
            rows = self._database.rows(sql, (expression, limit))
        except CorruptIndexError as error:
            # FTS5 parses the expression with the statement, so its complaints look like faults of the statement.
            if isinstance(error.__cause__, apsw.SQLError) and "no such table" not in str(error.__cause__):
                raise QueryError(f"Not a full-text expression: {error.__cause__}.") from error
            raise
        return [(node_id, -score) for node_id, score in rows]


def _counts_of(text: str | None) -> dict[str, Any]:
    try:
        counts: dict[str, Any] = json.loads(text or "{}")
    except (TypeError, ValueError) as error:
        raise CorruptIndexError("The counts in the index are damaged.") from error
    return counts


def _by_kind(counts: dict[str, int] | None, kind: type[_Kind]) -> dict[_Kind, int]:
    found = counts or {}
    return {member: found[member] for member in kind if member in found}


def _array(ids: Iterable[int]) -> str:
    return json.dumps(sorted(set(ids)))


def _node(row: tuple[Any, ...]) -> Node:
    identity, qualified_name, name, kind, path, start, end, language, parent, is_test, signature, docstring = row
    return Node(
        identity,
        qualified_name,
        name,
        NODE_KINDS[kind],
        path,
        start,
        end,
        language,
        parent,
        bool(is_test),
        signature,
        docstring,
    )


def _edge(row: tuple[Any, ...]) -> Edge:
    kind, source, target, lines, resolution, distance, via = row
    return Edge(EDGE_KINDS[kind], source, target, unpack_lines(lines), RESOLUTIONS[resolution], distance, via)


def _reference(row: tuple[Any, ...]) -> Reference:
    kind, source, name, lines = row
    return Reference(REFERENCE_KINDS[kind], source, name, unpack_lines(lines))
