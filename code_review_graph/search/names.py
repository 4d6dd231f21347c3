"""Which nodes a mentioned name means: the surest first."""

from __future__ import annotations

import re
from typing import Final

from code_review_graph.model import Node, NodeKind
from code_review_graph.search.question import Mention
from code_review_graph.store import Store

_SEPARATOR: Final = re.compile(r"[./]")
_PARAMETERS: Final = re.compile(r"\([^()]*\)")
_DUPLICATE: Final = re.compile(r"@\d+$")
# Files that stand for their folder in a dotted name.
_FOLDER_STEMS: Final = frozenset({"__init__", "index", "mod"})
# A name that means more than this many definitions singles none of them out.
_MOST: Final = 50


def nodes_meant(store: Store, mention: Mention) -> list[Node]:
    """Nodes that a mention names: same case first, then code before tests, outer before inner, by place."""
    if mention.line is not None:
        return _at_line(store, mention.parts, mention.line)
    definitions = [node for node in store.nodes_named(mention.parts[-1]) if node.kind is not NodeKind.FILE]
    found = [node for node in definitions if _ends_with(node, mention.parts)]
    if not found and len(mention.parts) > 1:
        found = _files(store, mention.parts)
    return sorted(found, key=lambda node: _order(node, mention))[:_MOST]


def _order(node: Node, mention: Mention) -> tuple[bool, bool, bool, int, str, int]:
    written = mention.parts[-1] in (node.name, *_SEPARATOR.split(node.name))
    depth = node.qualified_name.partition("::")[2].count(".")
    return (not written, node.is_test, node.kind is NodeKind.CONSTANT, depth, node.path, node.start_line)


def _ends_with(node: Node, parts: tuple[str, ...]) -> bool:
    """Whether the qualified name ends with these parts, whatever the case, with or without the file's extension."""
    wanted = [part.casefold() for part in parts]
    path, _, scope = _DUPLICATE.sub("", _PARAMETERS.sub("", node.qualified_name)).partition("::")
    inner = scope.casefold().split(".")
    if len(wanted) <= len(inner):
        return inner[-len(wanted) :] == wanted
    return any((form + inner)[-len(wanted) :] == wanted for form in _path_forms(path.casefold()))


def _path_forms(path: str) -> list[list[str]]:
    parts = _SEPARATOR.split(path)
    without_extension = parts[:-1] if len(parts) > 1 else parts
    forms = [parts, without_extension]
    if without_extension[-1] in _FOLDER_STEMS:
        forms.append(without_extension[:-1])
    return forms


def _files(store: Store, parts: tuple[str, ...]) -> list[Node]:
    """File nodes whose path ends with these parts, or with which a longer (absolute) path ends."""
    wanted = [part.casefold() for part in parts]
    found = [path for path in store.paths() if _same_end(path.casefold(), wanted)]
    nodes = [node for path in found[:_MOST] for node in store.nodes_in_file(path)]
    return [node for node in nodes if node.kind is NodeKind.FILE]


def _same_end(path: str, wanted: list[str]) -> bool:
    forms = _path_forms(path)
    longer = len(wanted) > len(forms[0]) > 2 and wanted[-len(forms[0]) :] == forms[0]
    return longer or any(form[-len(wanted) :] == wanted for form in forms if form)


def _at_line(store: Store, parts: tuple[str, ...], line: int) -> list[Node]:
    """The definitions around a line, the innermost first, file by file."""
    found: list[Node] = []
    for file in sorted(_files(store, parts), key=lambda node: (node.is_test, node.path)):
        if line > max(file.end_line, 1):
            continue
        around = [n for n in store.nodes_in_file(file.path) if n is file or n.start_line <= line <= n.end_line]
        found += sorted(around, key=lambda n: (n.kind is NodeKind.FILE, n.end_line - n.start_line, -n.start_line))
    return found[:_MOST]
