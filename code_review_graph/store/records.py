"""What the store keeps beside the graph itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from code_review_graph.model import Diagnostic, EdgeKind, NodeKind, ReferenceKind, Resolution


class FileRecord(NamedTuple):
    """What tells whether a file has to be parsed again.

    ``size`` is in bytes; ``mtime_ns`` is when the file last changed, 0 when its content has to be compared anyway.
    """

    path: str
    language: str
    content_hash: str
    size: int
    mtime_ns: int
    rules_version: str


class StoredFile(NamedTuple):
    """The facts of one parsed file, as an opaque blob; empty for a file that could not be parsed."""

    record: FileRecord
    facts: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    outline: tuple[int, int, bytes, bytes] | None = None  # scopes, definitions, marks, mentions


class IndexInfo(NamedTuple):
    """How a graph was made. ``built_at`` is ISO 8601 in UTC; ``inputs`` is a digest of all that resolving read."""

    commit: str | None
    built_at: str
    version: str
    inputs: str = ""


class EmbeddingModel(NamedTuple):
    """Which model made the vectors of an index."""

    provider: str
    model: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """How much an index holds."""

    files: int
    nodes: Mapping[NodeKind, int]
    edges: Mapping[EdgeKind, int]
    resolutions: Mapping[Resolution, int]
    references: Mapping[ReferenceKind, int]
    diagnostics: int
