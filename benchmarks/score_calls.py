"""Recall of the graph's CALLS edges on the calls that really happened in a recorded run of a repository's suite.

    python -m benchmarks.score_calls --repo REPO --truth FILE.calls.json [--graph EXPORT] [--misses N]

The unit is the distinct pair (caller definition, callee definition); constructor and class are one callee, calls in a
class body belong to what encloses the class, and ``guess`` edges do not count. The headline holds the calls whose
written name is the callee's, constructors, and applied decorators: those that a reader can see. Values that merely
hold the function (``f()`` in a wrapper) are scored apart. A pair seen in several forms counts in each form's row and
once in the total.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.exported import Export, add_graph_arguments, load_export, percent
from benchmarks.syntax import Key, Sources, read_sources


class Pair(NamedTuple):
    caller: Key
    callee: Key


@dataclass(slots=True)
class Observed:
    """What the run said of a pair: its syntactic forms, its sites, and whether a reader can see it."""

    forms: set[str] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    visible: bool = False


def read_truth(path: Path, sources: Sources) -> dict[Pair, Observed]:
    """The recorded calls as pairs of folded keys."""
    truth: dict[Pair, Observed] = defaultdict(Observed)
    for row in json.loads(path.read_text()):
        caller, callee = Key(*row["caller"][:2]), Key(*row["callee"][:2])
        seen = truth[Pair(sources.calling(caller), sources.folded(callee))]
        visible = row["named"] or row["form"] == "constructor"
        seen.forms.add(row["form"] if visible else "value")
        seen.lines.add(row["line"])
        seen.visible |= visible
    return truth


def found_pairs(export: Export, sources: Sources) -> set[Pair]:
    """The graph's own pairs, folded in the same way."""
    return {Pair(sources.calling(e.source), sources.folded(e.target)) for e in export.sure("CALLS")}


def constructor_targets(path: Path, sources: Sources) -> dict[Pair, Key]:
    """For constructors: the pair (caller, class) -> the inherited ``__init__`` that ran, an answer just as right."""
    return {
        Pair(sources.calling(Key(*row["caller"][:2])), Key(*row["callee"][:2])): sources.folded(
            Key(*row["constructor"][:2])
        )
        for row in json.loads(path.read_text())
        if row["constructor"]
    }


def cause(pair: Pair, found: set[Pair], sources: Sources, guesses: set[Pair]) -> str:
    """Why a pair may be missing, as far as names tell."""
    if pair in guesses:
        return "only a guess"
    name = pair.callee.name.rpartition(".")[2]
    others = {p.callee for p in found if p.caller == pair.caller and p.callee.name.rpartition(".")[2] == name}
    if others:
        return "another definition of that name was chosen"
    return "nested callee" if "." in pair.callee.name and not _is_method(pair.callee, sources) else "no edge"


def _is_method(key: Key, sources: Sources) -> bool:
    return sources.is_class(Key(key.path, key.name.rpartition(".")[0]))


def report(truth: dict[Pair, Observed], found: set[Pair], hits: set[Pair]) -> None:
    """Print recall in all and by form."""
    visible = {pair for pair, seen in truth.items() if seen.visible}
    print(f"recall {percent(len(visible & hits), len(visible))}  (calls by name, constructors, decorators)")
    print(f"  with values called {percent(len(hits), len(truth))}; the graph has {len(found)} pairs")
    forms = sorted({form for seen in truth.values() for form in seen.forms})
    for form in forms:
        pairs = {pair for pair, seen in truth.items() if form in seen.forms}
        print(f"  {form:12} {percent(len(pairs & hits), len(pairs))}")


def print_misses(missed: dict[str, list[Pair]], truth: dict[Pair, Observed], sources: Sources, limit: int) -> None:
    """Print the missing pairs with their source lines, by form and cause."""
    for title, pairs in sorted(missed.items(), key=lambda item: -len(item[1])):
        print(f"\n{title}: {len(pairs)}")
        for pair in pairs[:limit]:
            line = min(truth[pair].lines)
            print(f"  {pair.caller.path}:{line} [{pair.caller.name or 'file'}] -> {pair.callee}")
            print(f"      {sources.modules[pair.caller.path].source(line)}")


def main() -> None:
    """Score one repository."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_graph_arguments(parser)
    parser.add_argument("--truth", type=Path, required=True, help="what record_calls wrote with --calls")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="show up to N missing pairs a cause")
    arguments = parser.parse_args()
    sources = read_sources(arguments.repo)
    export = load_export(arguments, sources)
    truth = read_truth(arguments.truth, sources)
    found = found_pairs(export, sources)
    inherited = constructor_targets(arguments.truth, sources)
    hits = {p for p in truth if p in found or (p in inherited and Pair(p.caller, inherited[p]) in found)}
    report(truth, found, hits)
    if arguments.misses:
        guesses = {
            Pair(sources.calling(e.source), sources.folded(e.target))
            for e in export.edges
            if e.kind == "CALLS" and e.resolution == "guess"
        }
        missed: dict[str, list[Pair]] = defaultdict(list)
        for pair in sorted(truth.keys() - hits):
            if truth[pair].visible:
                form = "/".join(sorted(truth[pair].forms))
                missed[f"{form}: {cause(pair, found, sources, guesses)}"].append(pair)
        print_misses(missed, truth, sources, arguments.misses)


if __name__ == "__main__":
    main()
