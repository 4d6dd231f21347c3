"""Definitions and reached definitions in the shape that answers show."""

from __future__ import annotations

from typing import Any

from code_review_graph.model import Node
from code_review_graph.results import Neighbour, Symbol
from code_review_graph.traversal import Reached

# Rows stay short: a reader who wants the whole of it reads the file.
_SIGNATURE_LENGTH = 300
_SUMMARY_LENGTH = 200


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
        "signature": _shortened(node.signature, _SIGNATURE_LENGTH),
        "summary": _shortened(node.docstring.strip().partition("\n")[0].strip(), _SUMMARY_LENGTH),
        "is_test": node.is_test,
    }


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."
