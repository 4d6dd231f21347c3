"""Small readings of syntax nodes."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from code_review_graph.languages.python import kinds

UNKNOWN: Final = 0  # the expression that means nothing
_QUOTES: Final = frozenset({b"'", b'"'})


def text_of(node: Node) -> str:
    """The node's own text."""
    text = node.text
    return str(text, "utf-8", "replace") if text else ""


def is_async(node: Node) -> bool:
    """Whether a definition, loop, or ``with`` is marked so."""
    first = node.child(0) if node.child_count else None
    return first is not None and first.kind_id == kinds.ASYNC


def plain_content(source: bytes) -> str:
    """The text between the quotes of a string without a prefix; "" where its syntax node has to be asked."""
    quote = source[-1:]
    if source[:1] != quote or quote not in _QUOTES:
        return ""
    width = 3 if source[1:2] == quote else 1
    return str(source[width:-width], "utf-8", "replace")


def string_content(node: Node) -> str | None:
    """The text of a string without interpolation; None for any other."""
    children = node.named_children
    if node.kind_id == kinds.CONCATENATED_STRING:
        parts = [string_content(child) for child in children]
        return None if None in parts else "".join(part for part in parts if part is not None)
    if len(children) == 3 and children[1].kind_id == kinds.STRING_CONTENT:
        return text_of(children[1])
    if any(child.kind_id == kinds.INTERPOLATION for child in children):
        return None
    return "".join(text_of(child) for child in children if child.kind_id == kinds.STRING_CONTENT)


def integer_value(text: str) -> int | None:
    """A small decimal integer; None for any other literal."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
