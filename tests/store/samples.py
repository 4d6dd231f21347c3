"""Graphs for tests of the store."""

from __future__ import annotations

from code_review_graph.model import (
    Diagnostic,
    Edge,
    EdgeKind,
    Graph,
    Node,
    NodeKind,
    Reference,
    ReferenceKind,
    Resolution,
)
from code_review_graph.store import FileRecord, IndexInfo, StoredFile

INFO = IndexInfo(commit="c0ffee", built_at="2026-01-02T03:04:05+00:00", version="1.2.3", inputs="digest")


def function(node_id: int, scope: str, *, path: str = "pkg/a.py", line: int = 1, body: str = "") -> Node:
    """A function node of a file."""
    name = scope.rpartition(".")[2]
    return Node(
        node_id, f"{path}::{scope}", name, NodeKind.FUNCTION, path, line, line + 1, "python", 1,
        signature=f"def {name}()", docstring=f"About {scope}.", body_words=body,
    )  # fmt: skip


def sample() -> Graph:
    """A file with two functions, one of which calls the other twice."""
    return Graph(
        nodes=[
            Node(1, "pkg/a.py", "a.py", NodeKind.FILE, "pkg/a.py", 1, 9, "python"),
            function(2, "loadUser", line=3, body="open settings"),
            function(3, "Outer.save_all", line=6),
        ],
        edges=[
            Edge(EdgeKind.CALLS, 3, 2, (7, 8), Resolution.EXACT),
            Edge(EdgeKind.CALLS, 1, 3, (9,), Resolution.GUESS, via="operator"),
            Edge(EdgeKind.TESTED_BY, 2, 3, (), Resolution.INFERRED, distance=0),
        ],
        references=[Reference(ReferenceKind.EXTERNAL, 3, "os.path.join", (7,))],
    )


def numbered(count: int, generation: int) -> Graph:
    """A graph of ``count`` functions in a chain, whose names tell which writing they belong to."""
    nodes = [function(number, f"f{number}_of_{generation}", line=number) for number in range(1, count + 1)]
    nodes[0] = Node(1, "pkg/a.py", "a.py", NodeKind.FILE, "pkg/a.py", 1, count, "python")
    edges = [Edge(EdgeKind.CALLS, n, n - 1, (n,), Resolution.EXACT) for n in range(2, count + 1)]
    return Graph(nodes, edges, [])


def stored(path: str, facts: bytes = b"facts", *, digest: str = "h") -> StoredFile:
    """A parsed file."""
    return StoredFile(FileRecord(path, "python", digest, 10, 20, "r1"), facts, (Diagnostic(path, "odd", 2),))
