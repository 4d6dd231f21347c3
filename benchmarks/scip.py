"""Reads the few fields of a SCIP index (protobuf wire format) that call edges need; no generated code, no dependency.

Field numbers are those of ``scip.proto`` (github.com/sourcegraph/scip).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

DEFINITION = 1  # bit of Occurrence.symbol_roles
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Occurrence(NamedTuple):
    """A name in the text: line from 1, column in UTF-16 units from 0."""

    line: int
    column: int
    symbol: str
    defines: bool


@dataclass(slots=True)
class Document:
    """One file of the index; ``implements`` maps a symbol to those that it implements or overrides."""

    path: str
    occurrences: list[Occurrence] = field(default_factory=list)
    implements: dict[str, list[str]] = field(default_factory=dict)


def read_index(data: bytes) -> list[Document]:
    """The documents of an index."""
    return [_document(value) for number, value in _fields(data) if number == 2 and isinstance(value, bytes)]


def _document(data: bytes) -> Document:
    document = Document("")
    for number, value in _fields(data):
        if not isinstance(value, bytes):
            continue
        if number == 1:
            document.path = value.decode()
        elif number == 2:
            document.occurrences.append(_occurrence(value))
        elif number == 3:
            symbol, bases = _symbol(value)
            if bases:
                document.implements[symbol] = bases
    return document


def _occurrence(data: bytes) -> Occurrence:
    place: list[int] = []
    symbol, roles = "", 0
    for number, value in _fields(data):
        if number == 1:
            place += _packed(value) if isinstance(value, bytes) else [value]
        elif number == 2 and isinstance(value, bytes):
            symbol = value.decode()
        elif number == 3 and isinstance(value, int):
            roles = value
    return Occurrence(place[0] + 1, place[1], symbol, bool(roles & DEFINITION))


def _symbol(data: bytes) -> tuple[str, list[str]]:
    symbol, bases = "", []
    for number, value in _fields(data):
        if number == 1 and isinstance(value, bytes):
            symbol = value.decode()
        elif number == 4 and isinstance(value, bytes):
            relation = dict(_fields(value))
            base = relation.get(1)
            if relation.get(3) and isinstance(base, bytes):
                bases.append(base.decode())
    return symbol, bases


def _packed(data: bytes) -> list[int]:
    values, at = [], 0
    while at < len(data):
        value, at = _varint(data, at)
        values.append(value)
    return values


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        size = {FIXED64: 8, FIXED32: 4}.get(kind, 0)
        if kind == BYTES:
            size, at = _varint(data, at)
        elif not size:
            raise ValueError(f"wire type {kind} at byte {at}")
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
