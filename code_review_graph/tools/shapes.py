"""Definitions and reached definitions in the shape that answers show."""

from __future__ import annotations

from typing import Any

from code_review_graph.model import Node
from code_review_graph.results import Neighbour, Symbol
from code_review_graph.traversal import Reached


def symbol(node: Node) -> Symbol:
    """A node as answers show it."""
    return Symbol(**_fields(node))


def neighbour(hit: Reached) -> Neighbour:
    """A reached definition as answers show it."""
    return Neighbour(
        edge=hit.edge,
        resolution=hit.resolution,
        distance=hit.distance,
        lines=hit.lines,
        site_path=hit.site_path,
        via=hit.via,
        **_fields(hit.node),
    )


def _fields(node: Node) -> dict[str, Any]:
    return {
        "qualified_name": node.qualified_name,
        "name": node.name,
        "kind": node.kind,
        "path": node.path,
        "start_line": node.start_line,
        "end_line": node.end_line,
        "signature": node.signature,
        "summary": node.docstring.strip().partition("\n")[0].strip(),
        "is_test": node.is_test,
    }
