"""What resolving in part reads of an index, and what it gives back; the store stands behind it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from code_review_graph.model import Edge, EdgeKind, Node, Reference


class FileEntry(NamedTuple):
    """A file of the index: its id, and of its facts how many scopes and definitions there are and what is marked."""

    id: int
    path: str
    language: str
    scopes: int
    definitions: int
    marks: bytes


class LinkRow(NamedTuple):
    """Packed entries of one kind (``tables.LinkKind``), by the ids of the files."""

    kind: int
    source: int
    target: int
    entries: bytes


class Source(Protocol):
    """An index as it was when it was last resolved."""

    def entries(self) -> Sequence[tuple[int, str, str, int, int, bytes]]:
        """All files with facts, by path, as ``FileEntry`` has them."""
        ...

    def packed_facts(self, file_id: int) -> bytes:
        """Facts of a file."""
        ...

    def links_to(self, file_id: int, kinds: Sequence[int]) -> Sequence[tuple[Any, ...]]:
        """What files bring to one, of some kinds, as ``LinkRow`` has it."""
        ...

    def links_from(self, file_id: int) -> Sequence[tuple[Any, ...]]:
        """What a file brings to all, as ``LinkRow`` has it."""
        ...

    def passed(self, file_id: int, level: int) -> bytes | None:
        """What callers pass for the parameters of a file's functions."""
        ...

    def numbering(self, file_id: int) -> bytes:
        """Node ids of a file and of its definitions."""
        ...

    def mentions(self) -> list[tuple[int, bytes]]:
        """Names that files use, by file id, as ``outlines`` packs them."""
        ...

    def defining(self, name: str) -> list[int]:
        """Files with a node of this name."""
        ...

    def nodes_in_file(self, path: str) -> list[Node]:
        """Nodes of a file."""
        ...

    def slots(self) -> dict[int, bytes]:
        """Slots of the files that were edited since everything was resolved."""
        ...

    def paths_of(self, ids: Iterable[int]) -> dict[int, str]:
        """Paths of the files in which nodes stand."""
        ...

    def edges_from(self, ids: Collection[int], kinds: Collection[EdgeKind]) -> list[Edge]:
        """Edges of these kinds that leave these nodes."""
        ...

    def references_from(self, ids: Collection[int]) -> list[Reference]:
        """Call sites in nodes that nothing answers."""
        ...

    def paths_reaching(self, paths: Collection[str]) -> set[str]:
        """Files with a call of, a reference to or a base among the nodes of some files."""
        ...

    def next_file(self) -> int:
        """An id that no file has, nor any above it."""
        ...

    def next_node(self) -> int:
        """An id that no node has, nor any above it."""
        ...


@dataclass(slots=True)
class FileChange:
    """What a file that was resolved anew is in the graph; edges and references by their source.

    Of an edited file also its nodes, and which definition is which of them; ``slots`` as ``Source.slots`` gives them.
    """

    path: str
    file_id: int
    edges: list[Edge] = field(default_factory=list[Edge])
    references: list[Reference] = field(default_factory=list[Reference])
    links: list[LinkRow] = field(default_factory=list[LinkRow])
    nodes: list[Node] | None = None
    numbering: bytes = b""
    slots: bytes | None = None


@dataclass(slots=True)
class PartialGraph:
    """What to put in the place of what the store holds."""

    files: list[FileChange] = field(default_factory=list[FileChange])
    removed: list[str] = field(default_factory=list[str])
    passed: dict[tuple[int, int], bytes] = field(default_factory=dict[tuple[int, int], bytes])  # by file id and level
    tests: list[int] = field(default_factory=list[int])  # nodes of the tests whose cover is in ``covered``
    covered: list[Edge] = field(default_factory=list[Edge])
    old_words: dict[int, str] = field(default_factory=dict[int, str])  # words of the bodies of nodes that are replaced


class NotInPart(Exception):  # noqa: N818 - no error: it says to take the longer way
    """A change that may reach too far: everything has to be resolved."""
