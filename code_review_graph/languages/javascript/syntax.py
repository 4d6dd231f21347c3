"""Small readings of syntax nodes."""

from __future__ import annotations

import inspect
import re
from typing import Final

from tree_sitter import Node

UNKNOWN: Final = 0  # the expression that means nothing
MAX_DOCSTRING: Final = 2000
MAX_SIGNATURE: Final = 400
# Comments that are looked for further above belong to something else.
_LOOK_BACK: Final = 6000
_NEAR: Final = 400
# Longer chains of assignments are made by programs.
_MAX_CHAIN: Final = 32

_TRANSPARENT: Final = frozenset(
    {"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"}
)
_FREEZERS: Final = frozenset({b"Object.freeze", b"Object.seal", b"Object.preventExtensions"})
# Calls that give back their first argument in other clothes; what they wrap bears the name that the result gets.
_WRAPPERS: Final = frozenset({b"useCallback", b"memo", b"forwardRef", b"React.useCallback", b"React.memo",
                              b"React.forwardRef", b"observer", b"debounce", b"throttle"})  # fmt: skip
_LEADING_WORDS: Final = re.compile(
    rb"(?:\b(?:export|default|const|let|var|async|declare|abstract|public|private|protected|static|readonly|override)"
    rb"\s*)+$"
)
_DECORATOR: Final = re.compile(rb"@[\w.$]+(?:\([^()@]*\))?$")


def text_of(node: Node) -> str:
    """The node's own text."""
    text = node.text
    return str(text, "utf-8", "replace") if text else ""


def line_of(node: Node) -> int:
    """1-based line on which a node starts."""
    return node.start_point[0] + 1


def string_content(node: Node | None) -> str | None:
    """The text of a string or of a template without substitutions; None for anything else."""
    if node is None or node.type not in {"string", "template_string"}:
        return None
    if any(child.type == "template_substitution" for child in node.named_children):
        return None
    return text_of(node)[1:-1]


def unwrapped(node: Node | None) -> Node | None:
    """An expression without parentheses and type assertions around it."""
    while node is not None and node.type in _TRANSPARENT and node.named_child_count:
        node = node.named_children[0]
    return node


def bare_value(node: Node | None) -> Node | None:
    """What a chain of assignments, freezing and wrapping calls finally gives: mostly a literal or a function."""
    for _ in range(_MAX_CHAIN):
        node = unwrapped(node)
        if node is None:
            return None
        if node.type == "assignment_expression":
            node = node.child_by_field_name("right")
        elif node.type == "call_expression" and _is_wrapper(node):
            arguments = node.child_by_field_name("arguments")
            node = arguments.named_children[0] if arguments is not None and arguments.named_child_count else None
        else:
            return node
    return None


def _is_wrapper(node: Node) -> bool:
    function = node.child_by_field_name("function")
    if function is None or function.type not in {"identifier", "member_expression"}:
        return False
    return function.text in _FREEZERS or function.text in _WRAPPERS


def callee_of(node: Node) -> Node | None:
    """The function of a call. The grammar takes ``await f<T>(x)`` for a call of ``await f``."""
    function = node.child_by_field_name("function")
    if function is not None and function.type == "await_expression" and function.named_child_count:
        return function.named_children[0]
    return function


def property_name(node: Node | None) -> str:
    """Name of a property as written; "" where it is computed."""
    if node is None:
        return ""
    kind = node.type
    if kind == "string":
        return string_content(node) or ""
    if kind != "computed_property_name":
        return text_of(node)
    inner = node.named_children[0] if node.named_child_count else None
    if inner is None:
        return ""
    if inner.type == "string":
        return string_content(inner) or ""
    is_symbol = inner.type == "member_expression" and text_of(inner).startswith("Symbol.")
    return f"[{text_of(inner)}]" if is_symbol else ""


def words_before(node: Node, name: Node | None) -> frozenset[str]:
    """Keywords of a node that stand before its name: ``static``, ``async``, ``get``, ``*`` ..."""
    end = name.start_byte if name is not None else node.end_byte
    found: list[str] = []
    for child in node.children:
        if child.start_byte >= end:
            break
        found.append(child.type if not child.is_named else text_of(child))
    return frozenset(found)


def docstring_before(source: bytes, start: int) -> str:
    """The documentation comment that ends just before a definition."""
    # Keywords and decorators may stand between the comment and the definition.
    near = _LEADING_WORDS.sub(b"", source[max(0, start - _NEAR) : start].rstrip()).rstrip()
    while not near.endswith(b"*/"):
        decorator = _DECORATOR.search(near) if b"@" in near else None
        if decorator is None:
            return ""
        near = near[: decorator.start()].rstrip()
    end = source.rfind(b"*/", 0, start) + 2
    before = source[max(0, end - _LOOK_BACK) : end]
    opening = before.rfind(b"/*")
    if opening < 0 or before[opening : opening + 3] not in {b"/**", b"/*!"}:
        return ""
    return _comment_text(before[opening + 3 : -2].decode("utf-8", "replace"))


def opening_comment(root: Node) -> str:
    """The documentation comment with which a file opens."""
    first = root.named_children[0] if root.named_child_count else None
    if first is not None and first.type == "hash_bang_line" and root.named_child_count > 1:
        first = root.named_children[1]
    text = text_of(first) if first is not None and first.type == "comment" else ""
    return _comment_text(text[3:-2]) if text.startswith(("/**", "/*!")) else ""


def _comment_text(text: str) -> str:
    lines = [re.sub(r"^\s*\*\s?", "", line) for line in text.splitlines()]
    return inspect.cleandoc("\n".join(lines)).strip()[:MAX_DOCSTRING]


def signature(source: bytes, start: int, end: int) -> str:
    """Text of a declaration's head on one line."""
    text = source[start : min(end, start + 4 * MAX_SIGNATURE)].decode("utf-8", "replace")
    head = " ".join(line.split(" //", 1)[0].strip() for line in text.splitlines())
    return " ".join(head.split()).removesuffix("=>").rstrip("{= ;")[:MAX_SIGNATURE]
