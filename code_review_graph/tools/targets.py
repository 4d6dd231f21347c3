"""What a target means: a qualified name, a suffix of one, a bare name, a path, a module, or ``path:line``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from code_review_graph.model import Node, NodeKind
from code_review_graph.store import Store
from code_review_graph.tools.paths import inside
from code_review_graph.traversal import innermost

_PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+)")
_PARAMETERS = re.compile(r"\([^()]*\)")
_DUPLICATE = re.compile(r"@\d+")
_BOUNDARIES = (".", "/", ":")
_SEPARATORS = re.compile(r"::|[./]")
# Stems of files that stand for their folder when a module is named.
_FOLDER_STEMS = ("__init__", "index", "mod")
_MAX_CANDIDATES = 20
# Between the titles of nested blocks of tests.
TITLE_SEPARATOR = " > "


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a target was found to be: one node, or the candidates to choose from."""

    node: Node | None
    candidates: tuple[Node, ...] = ()
    total: int = 0


def find_target(store: Store, target: str, accept: Callable[[Node], bool] = lambda _node: True) -> Meaning:
    """The one definition that ``target`` names among those that ``accept`` lets in; several are candidates.

    Raises RepositoryError when the target is a path that leaves the repository.
    """
    if target.endswith("()"):  # a call as people write it, unless overloads make it a name
        meaning = _find(store, target, accept)
        if meaning.node is not None:
            return meaning
        target = target.removesuffix("()")
    return _find(store, target, accept)


def _find(store: Store, target: str, accept: Callable[[Node], bool]) -> Meaning:
    place = _PLACE.fullmatch(target)
    if place and "::" not in target:
        return _at_line(store, place["path"], int(place["line"]))
    path, separator, scope = target.partition("::")
    if _looks_like_path(path):
        target = f"{inside(store.repo_path, path)}{separator}{scope}"
    # A name means a definition where there is one, else a file or module.
    for look_up in (_qualified, _suffixed, _titled, _files_called):
        found = [node for node in look_up(store, target) if accept(node)]
        if found:
            exact = [node for node in found if matches(node, target)]
            return _chosen(_without_constructors(exact or found))
    return Meaning(None)


def _without_constructors(nodes: list[Node]) -> list[Node]:
    """A class, where its constructors of the same name are meant with it."""
    classes = {node.id: node.name for node in nodes}
    return [node for node in nodes if node.parent is None or classes.get(node.parent) != node.name]


def matches(node: Node, target: str) -> bool:
    """Whether ``target`` is the node's qualified name, or a suffix of it at a name boundary, as written."""
    return any(_ends_at_boundary(form, target) for form in _forms(node))


def near_names(store: Store, target: str) -> list[Node]:
    """Definitions whose names are closest to an unknown target's last name."""
    names = store.similar_names(_last_name(target), 5)
    return [node for name in names for node in store.nodes_named(name)][:_MAX_CANDIDATES]


def _at_line(store: Store, path: str, line: int) -> Meaning:
    files = _files(store, inside(store.repo_path, path))
    if len(files) != 1:
        return _chosen(files)
    node = innermost(store.nodes_in_file(files[0].path), line)
    return Meaning(node) if node and line <= max(files[0].end_line, 1) else Meaning(None)


def _files(store: Store, path: str) -> list[Node]:
    """File nodes of a path, or of all paths that end with it."""
    paths = store.paths()
    found = [known for known in paths if known == path] or [known for known in paths if known.endswith(f"/{path}")]
    if not found:
        found = [known for known in paths if f"/{known.casefold()}".endswith(f"/{path.casefold()}")]
    return [node for known in found for node in store.nodes_in_file(known) if node.kind is NodeKind.FILE]


def _qualified(store: Store, target: str) -> list[Node]:
    return store.nodes_with_qualified_name(target)


def _suffixed(store: Store, target: str) -> list[Node]:
    folded = target.casefold()
    named = store.nodes_named(_last_name(target))
    if TITLE_SEPARATOR in target:  # dots and slashes of a title are no boundaries
        named = store.nodes_named(target.rpartition("::")[2])
    return [node for node in named if any(_ends_at_boundary(form.casefold(), folded) for form in _forms(node))]


def _titled(store: Store, target: str) -> list[Node]:
    """Blocks of tests by their own title alone."""
    return store.nodes_titled(target.rpartition("::")[2]) if " " in target else []


def _files_called(store: Store, target: str) -> Iterable[Node]:
    """File nodes that a path suffix or a dotted module name means, case aside."""
    folded = target.casefold()
    # Every spelling of a path holds all of the target's parts: a look for those spares most of the work.
    parts = _SEPARATORS.split(folded)
    for path in store.paths():
        if not all(part in path.casefold() for part in parts):
            continue
        if any(_ends_at_boundary(form.casefold(), folded) for form in (path, _module_name(path))):
            yield from (node for node in store.nodes_in_file(path) if node.kind is NodeKind.FILE)


def _forms(node: Node) -> set[str]:
    """The spellings of a node's qualified name: overloads and duplicates unmarked, and dotted from its module."""
    written = node.qualified_name
    plain = _DUPLICATE.sub("", _PARAMETERS.sub("", written))
    forms = {written, _PARAMETERS.sub("", written), plain}
    path, separator, scope = plain.partition("::")
    forms.add(f"{_module_name(path)}.{scope}" if separator else _module_name(path))
    return forms


def _module_name(path: str) -> str:
    pure = PurePosixPath(path)
    parts = pure.parent.parts if pure.stem in _FOLDER_STEMS else (*pure.parent.parts, pure.stem)
    return ".".join(parts)


def _ends_at_boundary(name: str, suffix: str) -> bool:
    return name == suffix or (name.endswith(suffix) and name[: -len(suffix)].endswith(_BOUNDARIES))


def _last_name(target: str) -> str:
    plain = _DUPLICATE.sub("", _PARAMETERS.sub("", target))
    return _SEPARATORS.split(plain.rstrip("./:"))[-1]


def _looks_like_path(target: str) -> bool:
    return any(mark in target for mark in ("/", "\\", "\0"))


def _chosen(nodes: list[Node]) -> Meaning:
    if len(nodes) == 1:
        return Meaning(nodes[0])
    ordered = sorted(nodes, key=lambda node: (node.is_test, node.qualified_name, node.start_line))
    return Meaning(None, tuple(ordered[:_MAX_CANDIDATES]), len(ordered))
