"""Definitions and reached definitions in the shape that answers show."""

from __future__ import annotations

from code_review_graph.model import Node
from code_review_graph.results import Neighbour, Symbol, symbol_fields
from code_review_graph.traversal import Reached


def symbol(node: Node) -> Symbol:
    """A node as answers show it."""
    return Symbol(**symbol_fields(node))


def neighbour(hit: Reached) -> Neighbour:
    """A reached definition as answers show it."""
    return Neighbour(
        edge=hit.edge,
        resolution=hit.resolution,
        distance=hit.distance,
        lines=hit.lines,
        site_path=hit.site_path,
        via=hit.via,
        **symbol_fields(hit.node),
    )
