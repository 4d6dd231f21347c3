"""Small readings of Go's syntax nodes and of the text around them."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

UNKNOWN: Final = 0  # the expression that means nothing
BLANK: Final = "_"
MAX_DOCSTRING: Final = 2000
MAX_SIGNATURE: Final = 400

_DIRECTIVE: Final = re.compile(r"//(?:[a-z0-9]+:[a-z0-9]|line |extern |export |nolint)|// ?\+build")
_PACKAGE: Final = re.compile(r"\b\w+\.")
_SPACE: Final = re.compile(r"\s+")
_EMPTY_INTERFACE: Final = "interface{}"


def text_of(node: Node) -> str:
    """The node's own text."""
    text = node.text
    return str(text, "utf-8", "replace") if text else ""


def string_value(node: Node) -> str:
    """The text between the quotes of a string literal; escapes stay as written."""
    return text_of(node)[1:-1]


def operands(node: Node | None) -> list[Node]:
    """The expressions of a list, or the one expression that stands for it."""
    if node is None:
        return []
    if node.type == "expression_list":
        return [child for child in node.named_children if child.type != "comment"]
    return [node]


def has_token(node: Node, token: str) -> bool:
    """Whether a keyword or sign is a direct child."""
    return any(child.type == token for child in node.children)


def comment_above(source: bytes, start: int) -> str:
    """The comment that stands directly above a byte position, without its marks."""
    lines: list[str] = []
    position = source.rfind(b"\n", 0, start)
    while position > 0 and len(lines) < 80:
        before = source.rfind(b"\n", 0, position)
        line = source[before + 1 : position].strip()
        if line.endswith(b"*/") and not line.startswith(b"//"):
            opening = source.rfind(b"/*", 0, position)
            # A block comment behind code belongs to that code.
            if opening >= 0 and not source[source.rfind(b"\n", 0, opening) + 1 : opening].strip():
                lines.append(source[opening:position].decode("utf-8", "replace"))
            break
        if not line.startswith(b"//"):
            break
        lines.append(line.decode("utf-8", "replace"))
        position = before
    return clean_comment(list(reversed(lines)))


def clean_comment(lines: list[str]) -> str:
    """The text of comment lines, directives aside."""
    found: list[str] = []
    for line in lines:
        if line.startswith("/*"):
            found += [part.strip().lstrip("*").strip() for part in line[2:].removesuffix("*/").strip().splitlines()]
        elif not _DIRECTIVE.match(line):
            found.append(line[2:].strip())
    return "\n".join(found).strip()[:MAX_DOCSTRING]


def package_comment(root: Node) -> str:
    """The comment directly above the package clause."""
    lines: list[str] = []
    end = -1
    for child in root.children:
        if child.type == "package_clause":
            return clean_comment(lines) if child.start_point[0] <= end + 1 else ""
        if child.type == "comment":
            if child.start_point[0] > end + 1:
                lines = []
            lines.append(text_of(child))
            end = child.end_point[0]
    return ""


def build_constraint(source: bytes, end: int) -> str:
    """The expression of a ``//go:build`` line above byte ``end``; "" when there is none."""
    place = source.rfind(b"//go:build ", 0, end)
    if place < 0 or (place > 0 and source[place - 1 : place] != b"\n"):
        return ""
    return source[place + 11 : source.find(b"\n", place)].decode("utf-8", "replace").strip()


def one_line(source: bytes, start: int, end: int) -> str:
    """Source text in one line, as a signature."""
    text = source[start:end].decode("utf-8", "replace")
    head = " ".join(line.split(" //", 1)[0].strip() for line in text.splitlines())
    return " ".join(head.split())[:MAX_SIGNATURE]


def bare_type(node: Node | None) -> str:
    """A type as written, without packages and spaces, to tell method signatures apart."""
    if node is None:
        return ""
    return _SPACE.sub("", _PACKAGE.sub("", text_of(node))).replace(_EMPTY_INTERFACE, "any")
