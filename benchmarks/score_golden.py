"""Callers that people found by reading against the graph's; and random edges to be read by eye.

    python -m benchmarks.score_golden --repo CHECKOUT --golden eval/golden/NAME.json [--graph EXPORT] [--misses N]
    python -m benchmarks.score_golden --repo CHECKOUT --sample 100 --seed 1

A golden file lists functions with all their callers, each as ``path::Type.name@line`` (line of the declared name): a
caller is the innermost named definition around the call, or the file. Definitions are matched by path and line. Where
the file says ``scope``, only callers in paths that start so were looked for.
Finding these is neither asked nor wrong: ``dispatch_callers`` reach the function only through an interface or a base,
``implicit_callers`` a constructor that nobody writes (``super()``, a class without its own), ``references`` take it as
a value. ``not_callers`` says what a search for the name finds besides.
Callers that the graph has as ``guess`` or ``dispatch`` do not count.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.exported import build_export, percent

POSSIBLE = ("dispatch_callers", "implicit_callers", "references")
UNCERTAIN = frozenset({"guess", "dispatch"})


class Place(NamedTuple):
    """A definition by the line of its name; line 0 is the file itself."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Call(NamedTuple):
    """One CALLS edge; ``name`` is the callee's."""

    caller: Place
    callee: Place
    lines: tuple[int, ...]
    resolution: str
    name: str = ""
    via: str | None = None


@dataclass(frozen=True, slots=True)
class Golden:
    """One function and who calls it, as people read it."""

    callee: Place
    callers: frozenset[Place]
    possible: frozenset[Place]


def read_place(written: str) -> Place:
    """``path::Type.name@line`` or ``path``."""
    path, separator, scope = written.partition("::")
    return Place(path, int(scope.rpartition("@")[2])) if separator else Place(path, 0)


def read_golden(path: Path) -> list[Golden]:
    """Functions of a golden file."""
    return [
        Golden(
            read_place(row["callee"]),
            frozenset(map(read_place, row["callers"])),
            frozenset(read_place(caller) for key in POSSIBLE for caller in row.get(key, ())),
        )
        for row in json.loads(path.read_text(encoding="utf-8"))["functions"]
    ]


def read_scope(path: Path) -> str:
    """Start of the paths in which callers were looked for."""
    return str(json.loads(path.read_text(encoding="utf-8")).get("scope", ""))


def read_calls(rows: Iterable[str]) -> Iterator[Call]:
    """CALLS edges of an export; several definitions on one line are one place."""
    places: dict[int, Place] = {}
    names: dict[int, str] = {}
    edges: list[dict[str, Any]] = []
    for row in map(json.loads, rows):
        if row["type"] == "node":
            places[row["id"]] = Place(row["path"], 0 if row["kind"] == "File" else row["start_line"])
            names[row["id"]] = row.get("name", "")
        elif row["kind"] == "CALLS":
            edges.append(row)
    for row in edges:
        source, target = row["source"], row["target"]
        yield Call(
            places[source], places[target], tuple(row["lines"]), row["resolution"], names[target], row.get("via")
        )


def score(golden: list[Golden], calls: list[Call]) -> tuple[list[tuple[Place, Place]], list[tuple[Place, Place]], int]:
    """Missing and false (callee, caller) pairs, and how many were found."""
    found: dict[Place, set[Place]] = {}
    for call in calls:
        if call.resolution not in UNCERTAIN:
            found.setdefault(call.callee, set()).add(call.caller)
    missing: list[tuple[Place, Place]] = []
    false: list[tuple[Place, Place]] = []
    hits = 0
    for item in golden:
        callers = found.get(item.callee, set())
        hits += len(item.callers & callers)
        missing += [(item.callee, caller) for caller in sorted(item.callers - callers)]
        false += [(item.callee, caller) for caller in sorted(callers - item.callers - item.possible)]
    return missing, false, hits


def print_sample(calls: list[Call], repo: Path, count: int, seed: int) -> None:
    """Random edges with the line of their first site and the line that declares the callee."""
    chosen = random.Random(seed).sample(calls, min(count, len(calls)))
    texts: dict[str, list[str]] = {}
    for number, call in enumerate(sorted(chosen), 1):
        site = call.lines[0] if call.lines else call.caller.line
        print(f"{number:3} {call.resolution:8} {call.caller} at line {site}")
        for place in (Place(call.caller.path, site), call.callee):
            text = texts.setdefault(place.path, (repo / place.path).read_text("utf-8", "replace").splitlines())
            line = text[place.line - 1].strip() if 0 < place.line <= len(text) else ""
            print(f"        {place}  {line[:140]}")


def main() -> None:
    """Score one golden file, or print a sample."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repo", type=Path, required=True, help="the checkout")
    parser.add_argument("--graph", type=Path, help="an export of the graph; made now when absent")
    parser.add_argument("--golden", type=Path, help="callers found by reading")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="show up to N missing and false callers")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="print N random edges instead")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    lines = arguments.graph.read_text("utf-8").splitlines() if arguments.graph else build_export(arguments.repo)
    calls = list(read_calls(lines))
    if arguments.sample:
        print_sample(calls, arguments.repo, arguments.sample, arguments.seed)
    if arguments.golden:
        golden, scope = read_golden(arguments.golden), read_scope(arguments.golden)
        missing, false, hits = score(golden, [call for call in calls if call.caller.path.startswith(scope)])
        print(f"{len(golden)} functions; recall {percent(hits, hits + len(missing))}, "
              f"precision {percent(hits, hits + len(false))}")  # fmt: skip
        for title, pairs in (("missing", missing), ("false", false)):
            for callee, caller in pairs[: arguments.misses]:
                print(f"  {title}: {caller} -> {callee}")


if __name__ == "__main__":
    main()
