"""Precision and recall of CALLS edges against TypeScript's checker, read from a SCIP index.

    npx --yes @sourcegraph/scip-typescript index --output FILE.scip        (in a copy that has its npm dependencies)
    python -m benchmarks.score_scip --repo REPO --index FILE.scip --truth FILE.json --record-only
    python -m benchmarks.score_scip --repo REPO --truth FILE.json [--graph EXPORT] [--misses N] [--wrong N]

Plain JavaScript needs a tsconfig with ``allowJs`` in that copy. For the name of every call (also the ``f`` of
``f.call(...)`` and ``f.apply(...)``) the checker's word is one of

- *inside*: a function, method or class of the repository; all overloads and merged declarations are one callee;
- *external*: only definitions outside it;
- *open*: no symbol, or a variable, parameter or property without a function written for it. These are left out.

Recall: the share of the distinct (caller, callee) of inside sites that the graph has on one of their lines.

Precision, over (caller, callee, line) of the graph's edges without guesses: an edge is set against the calls of its
caller on its line, those written with the callee's name if there are any, else all; right if the checker gives its
callee for one of them, left out if one of them is open, else wrong. A ``dispatch`` edge is right too if its callee
implements what the checker gives. Edges without a call by name are left out: accessors, callbacks that are handed
over, lines without a call. A class and its constructor are one definition. A caller may be the innermost named
function or a callback in it (tests are named by their titles).
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.exported import build_export, percent
from benchmarks.scip import Document, read_index
from benchmarks.score_golden import Call, Place, read_calls
from benchmarks.scripts import Script, Spot, is_script, read_script

LOCAL = re.compile("local ")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The checker's word on one site; ``callees`` holds every declaration, ``implementers`` those that override it."""

    path: str
    line: int
    name: str
    callers: tuple[int, ...]
    first_line: int
    called: bool
    callees: frozenset[Place] = frozenset()
    implementers: frozenset[Place] = frozenset()
    open: bool = False


@dataclass(slots=True)
class Judged:
    """The graph's edges after comparison."""

    right: list[tuple[Call, int]] = field(default_factory=list)
    wrong: list[tuple[Call, int, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


class Index:
    """Where symbols are defined; local symbols belong to their file.

    A member that an assignment makes (``app.use = function``) has no defining occurrence: its place is then where the
    symbol stands as the name of a function.
    """

    def __init__(self, documents: Iterable[Document], scripts: dict[str, Script]) -> None:
        self.scripts = scripts
        self.at: dict[str, dict[Spot, list[str]]] = {}
        self.places: dict[str, list[tuple[str, Spot]]] = defaultdict(list)
        self.written: dict[str, list[tuple[str, Spot]]] = defaultdict(list)
        self.heirs: dict[str, set[str]] = defaultdict(set)
        for document in documents:
            if document.path in scripts:
                self._add(document)
        self.packages = {_package(symbol) for symbol in self.places if not LOCAL.match(symbol)}

    def _add(self, document: Document) -> None:
        used: dict[Spot, list[str]] = defaultdict(list)
        for occurrence in document.occurrences:
            symbol = _global(document.path, occurrence.symbol)
            spot = Spot(occurrence.line, occurrence.column)
            if occurrence.defines:
                self.places[symbol].append((document.path, spot))
            used[spot].append(symbol)
            if spot in self.scripts[document.path].callable and LOCAL.match(symbol):
                self.written[symbol].append((document.path, spot))
        self.at[document.path] = used
        for symbol, bases in document.implements.items():
            for base in bases:
                self.heirs[_global(document.path, base)].add(_global(document.path, symbol))

    def callees(self, symbol: str) -> frozenset[Place]:
        """The functions and classes that a symbol is written for."""
        places = self.places.get(symbol) or self.written.get(symbol) or []
        return frozenset(
            folded(Place(path, spot.line), self.scripts) for path, spot in places if spot in self.scripts[path].callable
        )

    def external(self, symbol: str) -> bool:
        """Whether a symbol is of another package; local ones and those of the repository's own package are not."""
        return symbol not in self.places and not LOCAL.match(symbol) and _package(symbol) not in self.packages


def _package(symbol: str) -> str:
    """``scheme manager name version`` of a symbol."""
    return " ".join(symbol.split(" ")[:4])


def _global(path: str, symbol: str) -> str:
    return f"{symbol} {path}" if LOCAL.match(symbol) else symbol


def folded(place: Place, scripts: dict[str, Script]) -> Place:
    """A class in place of its constructor."""
    script = scripts.get(place.path)
    return Place(place.path, script.constructors.get(place.line, place.line)) if script else place


def read_scripts(repo: Path) -> dict[str, Script]:
    """All scripts of a checkout outside of hidden folders and ``node_modules``."""
    paths = sorted(path.relative_to(repo) for path in repo.rglob("*") if is_script(path.name) and path.is_file())
    return {
        path.as_posix(): read_script(repo / path)
        for path in paths
        if not any(part.startswith(".") or part == "node_modules" for part in path.parts)
    }


def verdicts_of(index: Index) -> Iterator[Verdict]:
    """The checker's word on every site of the indexed files."""
    for path, used in index.at.items():
        for site in index.scripts[path].sites:
            symbols = used.get(site.spot, [])
            callees = frozenset[Place]().union(*map(index.callees, symbols))
            heirs = {heir for symbol in symbols for heir in index.heirs.get(symbol, ())}
            implementers = frozenset[Place]().union(*map(index.callees, heirs))
            unknown = not callees and (not symbols or not all(map(index.external, symbols)))
            yield Verdict(path, site.spot.line, site.name, site.callers, site.first_line, site.called,
                          callees, implementers, unknown)  # fmt: skip


def write_truth(verdicts: Iterable[Verdict], file: Path) -> None:
    """Keep the verdicts, one a line."""
    rows = [
        [v.path, v.line, v.name, v.callers, v.first_line, v.called, sorted(v.callees), sorted(v.implementers), v.open]
        for v in verdicts
    ]
    file.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")


def read_truth(file: Path) -> list[Verdict]:
    """What ``write_truth`` kept."""
    return [_verdict(row) for row in json.loads(file.read_text(encoding="utf-8"))]


def _verdict(row: list[Any]) -> Verdict:
    path, line, name, callers, first, called, callees, implementers, unknown = row
    places, heirs = (frozenset(Place(*place) for place in given) for given in (callees, implementers))
    return Verdict(path, line, name, tuple(callers), first, called, places, heirs, unknown)


class Judge:
    """Compares edges with verdicts."""

    def __init__(self, verdicts: Iterable[Verdict], scripts: dict[str, Script]) -> None:
        self.scripts = scripts
        self.at: dict[tuple[str, int], list[Verdict]] = defaultdict(list)
        self.pairs: dict[tuple[Place, frozenset[Place]], list[Verdict]] = defaultdict(list)
        self.counts: Counter[str] = Counter()
        for verdict in verdicts:
            for line in {verdict.line, verdict.first_line}:
                self.at[verdict.path, line].append(verdict)
            if verdict.called:
                self.counts["inside" if verdict.callees else "open" if verdict.open else "external"] += 1
                if verdict.callees:
                    self.pairs[Place(verdict.path, verdict.callers[0]), verdict.callees].append(verdict)

    def judge(self, calls: Iterable[Call]) -> Judged:
        """Sort all edges into right, wrong and left out."""
        judged = Judged()
        for call in calls:
            for line in call.lines:
                self._one(call, line, judged)
        return judged

    def _one(self, call: Call, line: int, judged: Judged) -> None:
        target = folded(call.callee, self.scripts)
        caller = {call.caller.line, folded(call.caller, self.scripts).line}
        here = [v for v in self.at.get((call.caller.path, line), ()) if caller & set(v.callers)]
        right = [v for v in here if target in v.callees or (call.resolution == "dispatch" and target in v.implementers)]
        called = [v for v in here if v.called]
        named = [v for v in called if v.name == call.name]
        reason = "" if right else self._no_call(call, called, named, here)
        if right:
            judged.right.append((call, line))
        elif reason:
            judged.left_out[reason] += 1
        elif any(v.open for v in named or called):
            judged.left_out["the checker does not say"] += 1
        else:
            given = frozenset[Place]().union(*(v.callees for v in named or called))
            judged.wrong.append((call, line, ", ".join(map(str, sorted(given))) or "external"))

    def _no_call(self, call: Call, called: list[Verdict], named: list[Verdict], here: list[Verdict]) -> str:
        """Why an edge stands for no call by name, or nothing."""
        if call.via:
            return f"via {call.via}"
        if not is_script(call.caller.path) or call.caller.path not in self.scripts:
            return "not in a script"
        if named:
            return ""
        script = self.scripts.get(call.callee.path)
        if script and call.callee.line in script.accessors:
            return "accessor"
        if any(not v.called and (v.name == call.name or v.open) for v in here):
            return "handed over"
        return "" if called else "no call of that caller on that line"


def found(judge: Judge, calls: Iterable[Call]) -> set[tuple[Place, frozenset[Place]]]:
    """The reference pairs that the graph has, on one of their lines and from one of their callers."""
    edges: dict[tuple[str, int], set[tuple[int, Place]]] = defaultdict(set)
    for call in calls:
        target = folded(call.callee, judge.scripts)
        for line in call.lines:
            edges[call.caller.path, line].add((folded(call.caller, judge.scripts).line, target))
            edges[call.caller.path, line].add((call.caller.line, target))
    return {
        pair
        for pair, verdicts in judge.pairs.items()
        if any(
            caller in v.callers and target in v.callees
            for v in verdicts
            for line in (v.line, v.first_line)
            for caller, target in edges.get((v.path, line), ())
        )
    }


def report(judge: Judge, judged: Judged, hits: set[tuple[Place, frozenset[Place]]]) -> None:
    """Print the figures."""
    right, wrong = len(judged.right), len(judged.wrong)
    print(f"calls: {dict(judge.counts)}")
    print(f"precision {percent(right, right + wrong)}   left out: {dict(judged.left_out)}")
    print(f"recall    {percent(len(hits), len(judge.pairs))}")
    for resolution in ("exact", "inferred", "dispatch"):
        good = sum(call.resolution == resolution for call, _ in judged.right)
        bad = sum(call.resolution == resolution for call, _, _ in judged.wrong)
        print(f"  {resolution:9} precision {percent(good, good + bad)}")


def show(judge: Judge, judged: Judged, missed: list[tuple[Place, frozenset[Place]]], misses: int, wrong: int) -> None:
    """Print missing pairs and wrong edges with their lines, spread evenly."""
    for caller, callees in missed[:: max(1, len(missed) // misses)][:misses] if misses else ():
        verdict = judge.pairs[caller, callees][0]
        print(f"  missing: {caller.path}:{verdict.line} [{caller.line}] -> {min(callees)}")
        print(f"      {judge.scripts[caller.path].source(verdict.line)}")
    for call, line, given in judged.wrong[:: max(1, len(judged.wrong) // wrong)][:wrong] if wrong else ():
        print(f"  wrong: {call.caller.path}:{line} [{call.caller.line}] -> {call.callee} ({call.resolution})")
        print(f"      {judge.scripts[call.caller.path].source(line)}\n      checker: {given}")


def main() -> None:
    """Read an index into a truth file, or score one repository."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repo", type=Path, required=True, help="the checkout")
    parser.add_argument("--graph", type=Path, help="an export of the graph; made now when absent")
    parser.add_argument("--truth", type=Path, required=True, help="the checker's word; written when --index is given")
    parser.add_argument("--index", type=Path, help="what scip-typescript wrote")
    parser.add_argument("--record-only", action="store_true")
    parser.add_argument("--misses", type=int, default=0, metavar="N")
    parser.add_argument("--wrong", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    scripts = read_scripts(arguments.repo)
    if arguments.index:
        write_truth(verdicts_of(Index(read_index(arguments.index.read_bytes()), scripts)), arguments.truth)
    judge = Judge(read_truth(arguments.truth), scripts)
    if arguments.record_only:
        print(f"calls: {dict(judge.counts)}; {len(judge.pairs)} pairs")
        return
    lines = arguments.graph.read_text("utf-8").splitlines() if arguments.graph else build_export(arguments.repo)
    calls = [call for call in read_calls(lines) if call.resolution != "guess"]
    judged, hits = judge.judge(calls), found(judge, calls)
    report(judge, judged, hits)
    show(judge, judged, sorted(judge.pairs.keys() - hits, key=str), arguments.misses, arguments.wrong)


if __name__ == "__main__":
    main()
