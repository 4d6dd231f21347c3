"""The vocabulary of the graph: nodes, edges, references, and how sure an edge is.

Everything here is immutable and imports nothing of the rest of the package.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class NodeKind(StrEnum):
    """What a definition is."""

    FILE = "File"
    MODULE = "Module"
    CLASS = "Class"
    INTERFACE = "Interface"
    FUNCTION = "Function"
    METHOD = "Method"
    TEST = "Test"
    TYPE = "Type"
    CONSTANT = "Constant"
    SECTION = "Section"


class EdgeKind(StrEnum):
    """What relates two definitions; the direction is given in words."""

    CALLS = "CALLS"  # caller -> callee
    TESTED_BY = "TESTED_BY"  # definition -> test
    IMPORTS = "IMPORTS"  # file -> file or definition
    INHERITS = "INHERITS"  # child -> base
    IMPLEMENTS = "IMPLEMENTS"  # implementer -> interface
    OVERRIDES = "OVERRIDES"  # overrider -> overridden
    CONTAINS = "CONTAINS"  # container -> member
    REFERENCES = "REFERENCES"  # user -> definition taken as a value
    MENTIONS = "MENTIONS"  # prose -> definition


class Resolution(StrEnum):
    """How an edge was found, from the surest to the least sure."""

    EXACT = "exact"  # scope, import or declared type
    INFERRED = "inferred"  # type inference
    DISPATCH = "dispatch"  # an override or implementer of the resolved method
    GUESS = "guess"  # the name alone


class ReferenceKind(StrEnum):
    """Why a call site has no edge."""

    EXTERNAL = "external"  # the name leads out of the repository
    UNRESOLVED = "unresolved"  # nothing says what the name means


@dataclass(frozen=True, slots=True)
class Node:
    """One definition (or file) of a repository.

    ``start_line`` is the 1-based line of the declared name, decorators aside; ``end_line`` is inclusive.
    ``body_words`` are the words of the definition's own text, already split and lower-cased, for full text.
    """

    id: int
    qualified_name: str
    name: str
    kind: NodeKind
    path: str
    start_line: int
    end_line: int
    language: str
    parent: int | None = None
    is_test: bool = False
    signature: str = ""
    docstring: str = ""
    body_words: str = ""


class Edge(NamedTuple):
    """A relation that a rule drew. ``lines`` are the 1-based lines of the sites, in the source node's file.

    ``via`` names the language construct when the site is not a plain call (``operator``, ``with``, ``decorator``,
    ``property``, ``iteration`` ...); ``distance`` is only set on TESTED_BY (0 = the test's own body).
    """

    kind: EdgeKind
    source: int
    target: int
    lines: tuple[int, ...]
    resolution: Resolution
    distance: int | None = None
    via: str | None = None


class Reference(NamedTuple):
    """Call sites in ``source`` that no definition of the repository answers; ``name`` is as written."""

    kind: ReferenceKind
    source: int
    name: str
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """The whole resolved graph of a repository; node ids are dense from 1."""

    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Something about a file that could not be read or parsed as it stands; indexing went on."""

    path: str
    message: str
    line: int | None = None
