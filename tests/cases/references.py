"""References of the cases, ``path::Outer.name@line``: matched by file, last name and the line inside the node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar


class Placed(Protocol):
    """What a node of the graph and a row of an answer have in common."""

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def start_line(self) -> int: ...
    @property
    def end_line(self) -> int: ...


ItemT = TypeVar("ItemT", bound=Placed)


@dataclass(frozen=True, slots=True)
class Ref:
    """One reference; without a name it stands for every node of its file."""

    path: str
    name: str | None
    line: int | None

    @classmethod
    def parse(cls, text: str) -> Ref:
        path, _, scope = text.partition("::")
        scope, _, line = scope.partition("@")
        name = scope.rpartition(".")[2] if scope else None
        return cls(path, name, int(line) if line else None)

    def matches(self, item: Placed) -> bool:
        if item.path != self.path:
            return False
        if self.name is None:
            return True
        return item.name == self.name and (self.line is None or item.start_line <= self.line <= item.end_line)


def resolve(text: str | list[str], items: Iterable[ItemT]) -> list[ItemT]:
    """The items that a reference, or any of a list of them, means; of nested ones the innermost."""
    known = list(items)
    found: list[ItemT] = []
    for part in [text] if isinstance(text, str) else text:
        ref = Ref.parse(part)
        matching = [item for item in known if ref.matches(item)]
        if ref.name is not None and matching:
            shortest = min(item.end_line - item.start_line for item in matching)
            matching = [item for item in matching if item.end_line - item.start_line == shortest]
        found += matching
    return found


def paths_of(value: object) -> set[str]:
    """Every path that the references inside an entry of a case name."""
    if isinstance(value, list):
        return {path for item in value for path in paths_of(item)}
    if isinstance(value, str):
        return {value.partition("::")[0]}
    return set()
