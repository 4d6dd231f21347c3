"""Small readings of syntax nodes."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

UNKNOWN: Final = 0  # the expression that means nothing


def text_of(node: Node) -> str:
    """The node's own text."""
    text = node.text
    return str(text, "utf-8", "replace") if text else ""


def string_content(node: Node) -> str | None:
    """The text of a string without interpolation; None for any other."""
    if node.type == "concatenated_string":
        parts = [string_content(child) for child in node.named_children]
        return None if None in parts else "".join(part for part in parts if part is not None)
    parts = []
    for child in node.named_children:
        if child.type == "interpolation":
            return None
        if child.type == "string_content":
            parts.append(text_of(child))
    return "".join(part for part in parts if part is not None)


def integer_value(text: str) -> int | None:
    """A small decimal integer; None for any other literal."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
