"""The integers that stand for the graph's vocabulary in the file. Numbers are never reused: old files hold them."""

from __future__ import annotations

from typing import Final, TypeVar

from code_review_graph.errors import CorruptIndexError
from code_review_graph.model import EdgeKind, NodeKind, ReferenceKind, Resolution

_Word = TypeVar("_Word")


class _Known(dict[int, _Word]):
    """Words by code; a code that no version writes is damage."""

    def __missing__(self, code: object) -> _Word:
        raise CorruptIndexError(f"The index holds the code {code!r}, which stands for nothing.")


NODE_KIND_CODES: Final = {
    NodeKind.FILE: 1,
    NodeKind.MODULE: 2,
    NodeKind.CLASS: 3,
    NodeKind.INTERFACE: 4,
    NodeKind.FUNCTION: 5,
    NodeKind.METHOD: 6,
    NodeKind.TEST: 7,
    NodeKind.TYPE: 8,
    NodeKind.CONSTANT: 9,
    NodeKind.SECTION: 10,
}
EDGE_KIND_CODES: Final = {
    EdgeKind.CALLS: 1,
    EdgeKind.TESTED_BY: 2,
    EdgeKind.IMPORTS: 3,
    EdgeKind.INHERITS: 4,
    EdgeKind.IMPLEMENTS: 5,
    EdgeKind.OVERRIDES: 6,
    EdgeKind.CONTAINS: 7,
    EdgeKind.REFERENCES: 8,
    EdgeKind.MENTIONS: 9,
}
RESOLUTION_CODES: Final = {
    Resolution.EXACT: 1,
    Resolution.INFERRED: 2,
    Resolution.DISPATCH: 3,
    Resolution.GUESS: 4,
}
REFERENCE_KIND_CODES: Final = {ReferenceKind.EXTERNAL: 1, ReferenceKind.UNRESOLVED: 2}

NODE_KINDS: Final = _Known({code: kind for kind, code in NODE_KIND_CODES.items()})
EDGE_KINDS: Final = _Known({code: kind for kind, code in EDGE_KIND_CODES.items()})
RESOLUTIONS: Final = _Known({code: resolution for resolution, code in RESOLUTION_CODES.items()})
REFERENCE_KINDS: Final = _Known({code: kind for kind, code in REFERENCE_KIND_CODES.items()})


def pack_lines(lines: tuple[int, ...]) -> int | str | None:
    """One line as an integer, several as text, none as null: most edges have one site."""
    if len(lines) == 1:
        return lines[0]
    return ",".join(map(str, lines)) if lines else None


def unpack_lines(packed: int | str | None) -> tuple[int, ...]:
    """The inverse of ``pack_lines``."""
    if packed is None:
        return ()
    if isinstance(packed, int):
        return (packed,)
    try:
        return tuple(map(int, packed.split(",")))
    except (AttributeError, ValueError) as error:
        raise CorruptIndexError(f"The index holds {packed!r} where lines should be.") from error
