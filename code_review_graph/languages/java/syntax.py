"""Small readings of Java's syntax nodes and of the text around them."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

UNKNOWN: Final = 0  # the expression that means nothing
MAX_DOCSTRING: Final = 2000
MAX_SIGNATURE: Final = 400
CONSTRUCTOR: Final = "<init>"

_INLINE_TAG: Final = re.compile(r"\{@\w+\s+([^{}]*)\}")
_MARKUP: Final = re.compile(r"</?[A-Za-z][^<>]{0,80}>")
_GENERIC: Final = re.compile(r"<[^<>]*>")
_ANNOTATIONS: Final = frozenset({"annotation", "marker_annotation"})


def text_of(node: Node | None) -> str:
    """The node's own text; "" for none."""
    text = node.text if node is not None else None
    return str(text, "utf-8", "replace") if text else ""


def method_key(name: str) -> str:
    """Name under which a method is bound: fields and methods of one name do not hide each other."""
    return f"{name}()"


def annotations_of(node: Node) -> list[Node]:
    """Annotations of a declaration."""
    return [child for child in modifiers_of(node) if child.type in _ANNOTATIONS]


def modifiers_of(node: Node) -> list[Node]:
    """Modifiers of a declaration, annotations among them."""
    for child in node.children[:1]:
        if child.type == "modifiers":
            return child.children
    return []


def modifier_words(node: Node) -> list[str]:
    """Keywords in front of a declaration."""
    return [text_of(child) for child in modifiers_of(node) if child.type not in _ANNOTATIONS]


def simple_name(node: Node | None) -> str:
    """The last part of a possibly qualified name."""
    return text_of(node).rpartition(".")[2]


def comment_above(source: bytes, start: int) -> str:
    """The documentation comment that stands directly above a byte position, without its marks."""
    head = source[max(0, start - 4 * MAX_DOCSTRING) : start].rstrip()
    if not head.endswith(b"*/"):
        return ""
    opening = head.rfind(b"/*")
    if opening < 0 or not head[opening:].startswith(b"/**"):
        return ""
    lines = head[opening + 3 : -2].decode("utf-8", "replace").splitlines()
    text = "\n".join(line.strip().lstrip("*").strip() for line in lines).strip()
    return _MARKUP.sub("", _INLINE_TAG.sub(r"\1", text)).strip()[:MAX_DOCSTRING]


def one_line(source: bytes, start: int, end: int) -> str:
    """Source text in one line."""
    return " ".join(source[start:end].decode("utf-8", "replace").split())[:MAX_SIGNATURE]


def bare_type(node: Node | None) -> str:
    """A type as written, without packages and type arguments, to tell overloads apart."""
    text = "".join(text_of(node).split())
    before = ""
    while before != text:
        before, text = text, _GENERIC.sub("", text)
    return text.rpartition(".")[2]
