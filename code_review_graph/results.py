"""The one shape of every answer: what MCP, the command line and the harness all see."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from code_review_graph.model import EdgeKind, Node, NodeKind, ReferenceKind, Resolution


class Result(BaseModel):
    """Base of all results: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Symbol(Result):
    """A definition as answers show it. Lines are 1-based and inclusive."""

    qualified_name: str
    name: str
    kind: NodeKind
    path: str
    start_line: int
    end_line: int
    signature: str = ""
    summary: str = Field(default="", description="First line of the docstring.")
    is_test: bool = False


class Signal(Result):
    """One reason for a hit: which signal found it, and at which rank (1 = best)."""

    name: str
    rank: int


# Rows stay short: a reader who wants the whole of it reads the file.
_SIGNATURE_LENGTH: Final = 300
_SUMMARY_LENGTH: Final = 200


def symbol_fields(node: Node) -> dict[str, Any]:
    """A node as the fields of ``Symbol``, for it and for what extends it."""
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


class SearchHit(Symbol):
    """A ranked definition."""

    score: float
    why: tuple[Signal, ...] = ()


class SearchMode(StrEnum):
    """Which signals answered."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"


class FreshnessState(StrEnum):
    """Whether an answer shows the files as they are."""

    FRESH = "fresh"
    STALE = "stale"
    UNKNOWN = "unknown"


class UpdateAction(StrEnum):
    """What was done about an index that lags behind."""

    NONE = "none"
    UPDATED = "updated"
    UPDATING = "updating"
    FAILED = "failed"


class Freshness(Result):
    """How far an answer lags behind the files, and what was done about it before answering."""

    state: FreshnessState
    changed_files: int = Field(default=0, description="Files that differ from what this answer was made of.")
    action: UpdateAction = UpdateAction.NONE
    updated_files: int = Field(default=0, description="Files taken in since the answer before.")
    milliseconds: int = Field(default=0, description="What taking them in took.")
    hint: str = ""


class SearchResult(Result):
    """Answer of hybrid_search. ``total`` counts the candidates before the cut to ``limit``."""

    query: str
    mode: SearchMode
    hits: tuple[SearchHit, ...]
    total: int
    notices: tuple[str, ...] = ()
    freshness: Freshness | None = None


class Pattern(StrEnum):
    """What query_graph can be asked."""

    CALLERS_OF = "callers_of"
    CALLEES_OF = "callees_of"
    TESTS_FOR = "tests_for"
    TESTED_BY = "tested_by"
    IMPORTS_OF = "imports_of"
    IMPORTERS_OF = "importers_of"
    INHERITORS_OF = "inheritors_of"
    BASES_OF = "bases_of"
    CHILDREN_OF = "children_of"
    REFERENCES_TO = "references_to"
    FILE_SUMMARY = "file_summary"


class Neighbour(Symbol):
    """A definition reached from the target. ``lines`` are the sites, in ``site_path``."""

    edge: EdgeKind
    resolution: Resolution
    distance: int = Field(description="Hops from the target; for tests, helpers between test and target.")
    lines: tuple[int, ...] = ()
    site_path: str = ""
    via: str | None = None


class ExternalReference(Result):
    """A callee that no definition of the repository answers, under its written name."""

    name: str
    kind: ReferenceKind
    lines: tuple[int, ...] = ()


class QueryStatus(StrEnum):
    """How the target was understood."""

    OK = "ok"
    AMBIGUOUS = "ambiguous"
    NOT_FOUND = "not_found"


class QueryResult(Result):
    """Answer of query_graph.

    ``guesses`` are name-only matches, apart and last. ``total`` counts neighbours before the cut to ``limit``,
    ``cut`` those left out. When the target is ambiguous or unknown, ``candidates`` lists what it may mean.
    """

    status: QueryStatus
    pattern: Pattern
    target: str
    resolved_target: Symbol | None = None
    neighbours: tuple[Neighbour, ...] = ()
    guesses: tuple[Neighbour, ...] = ()
    references: tuple[ExternalReference, ...] = ()
    candidates: tuple[Symbol, ...] = ()
    total: int = 0
    cut: int = 0
    hint: str = ""
    freshness: Freshness | None = None


class GraphStatus(Result):
    """What the index holds and how it was made."""

    repository: str
    database: str
    database_reason: str = Field(default="", description="Why the database is not in the repository.")
    indexed: bool
    schema_version: int | None = None
    commit: str | None = None
    built_at: str | None = None
    files: int = 0
    nodes: dict[str, int] = Field(default_factory=dict)
    edges: dict[str, int] = Field(default_factory=dict)
    resolutions: dict[str, int] = Field(default_factory=dict)
    references: dict[str, int] = Field(default_factory=dict)
    embedding_model: str | None = None
    vectors: int = 0
    vectors_missing: int = 0
    diagnostics: int = 0
    changed_files: int = Field(default=0, description="Files that differ from what was indexed.")
    hint: str = ""
    freshness: Freshness | None = None


class BuildReport(Result):
    """What a build or update did. ``resolved`` counts the files of which it looked for edges anew."""

    repository: str
    full: bool
    files: int
    parsed: int
    removed: int
    resolved: int
    nodes: int
    edges: int
    references: int
    embedded: int
    vectors_missing: int
    diagnostics: tuple[str, ...] = ()
    seconds: float


class CheckState(StrEnum):
    """How a check of ``doctor`` ended: nothing to do, something is worth knowing, or something does not work."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


class Check(Result):
    """One thing that ``doctor`` looked at: what it found, and what to do about it."""

    name: str
    state: CheckState
    found: str
    advice: str = ""


class DoctorReport(Result):
    """What ``doctor`` found; ``healthy`` when no check is a problem."""

    repository: str
    healthy: bool
    checks: tuple[Check, ...]
