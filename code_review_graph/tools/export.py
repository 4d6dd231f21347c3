"""The whole graph as JSON lines, so that anyone can score it or load it elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TextIO

from code_review_graph.model import Edge, Node
from code_review_graph.store import Store


def export_graph(store: Store, stream: TextIO) -> int:
    """Write every node, then every edge, one JSON object a line; returns how many lines.

    Lines inside are 1-based. Raises NoGraphError when nothing is indexed yet.
    """
    count = 0
    for line in graph_lines(store):
        stream.write(line + "\n")
        count += 1
    return count


def graph_lines(store: Store) -> Iterator[str]:
    """The lines of ``export_graph``, all of one state of the index."""
    store.require_graph()
    with store.snapshot():
        for node in store.iter_nodes():
            yield json.dumps(_node(node), ensure_ascii=False)
        for edge in store.iter_edges():
            yield json.dumps(_edge(edge), ensure_ascii=False)


def _node(node: Node) -> dict[str, object]:
    return {
        "type": "node",
        "id": node.id,
        "qualified_name": node.qualified_name,
        "name": node.name,
        "kind": node.kind,
        "path": node.path,
        "start_line": node.start_line,
        "end_line": node.end_line,
        "is_test": node.is_test,
    }


def _edge(edge: Edge) -> dict[str, object]:
    return {
        "type": "edge",
        "kind": edge.kind,
        "source": edge.source,
        "target": edge.target,
        "lines": edge.lines,
        "resolution": edge.resolution,
        "distance": edge.distance,
        "via": edge.via,
    }
