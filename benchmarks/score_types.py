"""Precision and recall of CALLS edges against what a type checker resolves.

    python -m benchmarks.score_types --repo REPO --answers FILE.types.json [--graph EXPORT] [--misses N] [--wrong N]
    (first time: --server BASEDPYRIGHT_LANGSERVER --python PROJECT_PYTHON asks the checker and writes FILE.types.json)

For the name of every call expression (``textDocument/definition``) the checker's answer is one of

- *inside*: functions, methods or classes of the repository (overloads and setters of one name are one definition);
- *external*: only definitions outside it;
- *open*: none, or a variable or parameter. Such sites are left out of everything.

Recall: the share of the reference pairs (caller definition, callee definition) of inside sites that the graph has.

Precision, over (caller, callee, line) of the graph's edges without guesses: an edge is set against the call expressions
of its caller on its line, those written with the callee's name if there are any, else all. It is right if the checker
gives its callee for one of them, left out if one of them is open, and else wrong. A ``dispatch`` edge is right if its
callee overrides what the checker gives (same name, in a class that descends from the answer's, by names of bases);
``exact`` and ``inferred`` edges get no such grace. Edges that stand for no call expression are left out: special
methods that syntax calls, properties, a decorator's application, and lines without a call of that caller.

Constructor and class are one definition, and so are a class and the inherited constructor that the graph adds to it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.checker import Answer, ask
from benchmarks.exported import Export, ExportedEdge, add_graph_arguments, load_export, percent
from benchmarks.syntax import CallSite, Key, Sources, read_sources

PROPERTIES = frozenset({"property", "cached_property", "setter", "deleter", "getter"})


class Place(NamedTuple):
    """One call expression: file, line and column of the callee's name."""

    path: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The checker's word on one call expression."""

    site: CallSite
    callees: frozenset[Key]
    open: bool


@dataclass(slots=True)
class Judged:
    """The graph's edges after comparison."""

    right: list[tuple[ExportedEdge, int]] = field(default_factory=list)
    wrong: list[tuple[ExportedEdge, int, str]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def record(sources: Sources, file: Path, server: str, python: Path) -> None:
    """Ask the checker everything and keep the answers."""
    rows = [
        [path, site.line, site.column, answer and {"inside": answer.inside, "external": answer.external}]
        for path, site, answer in ask(sources, [server, "--stdio"], python)
    ]
    file.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


def read_answers(file: Path) -> dict[Place, Answer | None]:
    """The recorded answers by place."""
    answers: dict[Place, Answer | None] = {}
    for path, line, column, answer in json.loads(file.read_text()):
        inside = tuple((p, n, c) for p, n, c in answer["inside"]) if answer else ()
        answers[Place(path, line, column)] = Answer(inside, answer["external"]) if answer else None
    return answers


class Reference:
    """The checker's verdicts, by caller and line."""

    def __init__(self, sources: Sources, answers: Mapping[Place, Answer | None]) -> None:
        self.sources = sources
        self.at: dict[tuple[Key, int], list[Verdict]] = defaultdict(list)
        self.pairs: dict[tuple[Key, Key], list[int]] = defaultdict(list)
        self.counts: Counter[str] = Counter()
        for path, module in sources.modules.items():
            for site in module.sites:
                if site.form != "decorator":
                    self._add(site, answers.get(Place(path, site.line, site.column)))

    def _add(self, site: CallSite, answer: Answer | None) -> None:
        callees = frozenset(self._callees(answer)) if answer else frozenset[Key]()
        closed = bool(answer) and (bool(callees) or (answer is not None and answer.external and not answer.inside))
        verdict = Verdict(site, callees, open=not closed)
        for line in {site.line, site.first_line}:
            self.at[site.caller, line].append(verdict)
        self.counts["inside" if callees else "external" if closed else "open"] += 1
        for callee in callees:
            self.pairs[site.caller, callee].append(site.line)

    def _callees(self, answer: Answer) -> Iterator[Key]:
        for path, line, column in answer.inside:
            module = self.sources.modules.get(path)
            definition = module.definition_at(line) if module else None
            # A parameter may stand on the line of its function's name.
            if definition and definition.column == column:
                yield self.sources.folded(definition.key)


class Judge:
    """Compares the graph's edges with the reference."""

    def __init__(self, sources: Sources, reference: Reference) -> None:
        self.sources = sources
        self.reference = reference
        self.bases: dict[str, set[str]] = defaultdict(set)
        self.applied = {
            (site.caller, line)
            for module in sources.modules.values()
            for site in module.sites
            if site.decorates
            for line in range(site.first_line, site.end_line + 1)
        }
        for definition in sources.definitions.values():
            if definition.is_class:
                self.bases[definition.bare_name] |= set(definition.bases)

    def judge(self, export: Export) -> Judged:
        """Sort all edges into right, wrong and left out."""
        judged = Judged()
        constructed = self._constructed(export)
        for edge in export.sure("CALLS"):
            for line in edge.lines:
                self._one(edge, line, judged, constructed)
        return judged

    def _constructed(self, export: Export) -> dict[tuple[Key, int], set[Key]]:
        """The classes that the graph says are constructed at a caller's line."""
        found: dict[tuple[Key, int], set[Key]] = defaultdict(set)
        for edge in export.sure("CALLS"):
            if self.sources.is_class(edge.target):
                for line in edge.lines:
                    found[self.sources.calling(edge.source), line].add(edge.target)
        return found

    def _one(self, edge: ExportedEdge, line: int, judged: Judged, constructed: dict[tuple[Key, int], set[Key]]) -> None:
        caller, target = self.sources.calling(edge.source), self.sources.folded(edge.target)
        verdicts = self.reference.at.get((caller, line), [])
        name = target.name.rpartition(".")[2]
        aliases = self.sources.modules[caller.path].aliases if caller.path in self.sources.modules else {}
        named = [v for v in verdicts if aliases.get(v.site.name, v.site.name) == name]
        reason = self._no_call(edge, target, (caller, line), verdicts, named)
        if reason:
            judged.left_out[reason] += 1
            return
        candidates = named or verdicts
        given = frozenset[Key]().union(*(v.callees for v in candidates))
        inherited = target != edge.target and bool(given & constructed.get((caller, line), set()))
        if target in given or inherited or (edge.resolution == "dispatch" and self._overrides(target, given)):
            judged.right.append((edge, line))
        elif any(v.open for v in candidates):
            judged.left_out["the checker does not say"] += 1
        else:
            judged.wrong.append((edge, line, ", ".join(sorted(map(str, given))) or "external"))

    def _no_call(
        self, edge: ExportedEdge, target: Key, place: tuple[Key, int], verdicts: list[Verdict], named: list[Verdict]
    ) -> str:
        """Why an edge stands for no call expression, or nothing."""
        bare = edge.target.name.rpartition(".")[2]
        definition = self.sources.definitions.get(target)
        if edge.via:
            return f"via {edge.via}"
        if not verdicts:
            return "no call expression on that line"
        if named:
            return ""
        if bare.startswith("__") and bare.endswith("__") and bare not in {"__init__", "__new__"}:
            return "special method"
        if definition and PROPERTIES & {d.rpartition(".")[2] for d in definition.decorators}:
            return "property"
        return "decorator applied" if place in self.applied else ""

    def _overrides(self, target: Key, given: frozenset[Key]) -> bool:
        owner, _, name = target.name.rpartition(".")
        ancestors = self._ancestors(owner.rpartition(".")[2])
        return any(
            key.name.rpartition(".")[2] == name and key.name.split(".")[-2] in ancestors
            for key in given
            if "." in key.name
        )

    def _ancestors(self, name: str) -> set[str]:
        found: set[str] = set()
        pending = [name]
        while pending:
            for base in self.bases.get(pending.pop(), ()):
                if base not in found:
                    found.add(base)
                    pending.append(base)
        return found


def found_pairs(export: Export, sources: Sources) -> set[tuple[Key, Key]]:
    """The graph's pairs, folded."""
    return {(sources.calling(e.source), sources.folded(e.target)) for e in export.sure("CALLS")}


def report(reference: Reference, judged: Judged, found: set[tuple[Key, Key]]) -> None:
    """Print the figures."""
    right, wrong = len(judged.right), len(judged.wrong)
    print(f"call expressions: {dict(reference.counts)}")
    print(f"precision {percent(right, right + wrong)}   left out: {dict(judged.left_out)}")
    print(f"recall    {percent(len(reference.pairs.keys() & found), len(reference.pairs))}")
    for resolution in ("exact", "inferred", "dispatch"):
        good = sum(edge.resolution == resolution for edge, _ in judged.right)
        bad = sum(edge.resolution == resolution for edge, _, _ in judged.wrong)
        print(f"  {resolution:9} precision {percent(good, good + bad)}")


def show_misses(sources: Sources, reference: Reference, found: set[tuple[Key, Key]], limit: int) -> None:
    """Print reference pairs that the graph lacks, spread evenly over the repository."""
    misses = sorted(reference.pairs.keys() - found)
    print(f"\nmisses: {len(misses)}")
    for caller, callee in misses[:: max(1, len(misses) // limit)][:limit]:
        line = reference.pairs[caller, callee][0]
        print(f"  {caller.path}:{line} [{caller.name or 'file'}] -> {callee}")
        print(f"      {sources.modules[caller.path].source(line)}")


def show_wrong(sources: Sources, judged: Judged, limit: int) -> None:
    """Print edges that the checker contradicts."""
    print(f"\nwrong: {len(judged.wrong)}")
    for edge, line, given in judged.wrong[:: max(1, len(judged.wrong) // limit)][:limit]:
        print(f"  {edge.source.path}:{line} [{edge.source.name or 'file'}] -> {edge.target} ({edge.resolution})")
        print(f"      {sources.modules[edge.source.path].source(line)}\n      checker: {given}")


def main() -> None:
    """Ask the checker if its answers are not there yet, then score."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_graph_arguments(parser)
    parser.add_argument("--answers", type=Path, required=True)
    parser.add_argument("--server", help="basedpyright-langserver, to record the answers")
    parser.add_argument("--python", type=Path, help="the Python that has the project's dependencies")
    parser.add_argument("--record-only", action="store_true")
    parser.add_argument("--misses", type=int, default=0, metavar="N")
    parser.add_argument("--wrong", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    sources = read_sources(arguments.repo)
    if not arguments.answers.exists():
        if not (arguments.server and arguments.python):
            parser.error(f"{arguments.answers} does not exist: give --server and --python to make it")
        record(sources, arguments.answers, arguments.server, arguments.python)
    reference = Reference(sources, read_answers(arguments.answers))
    if arguments.record_only:
        print(f"{dict(reference.counts)}; {len(reference.pairs)} pairs")
        sys.exit()
    export = load_export(arguments, sources)
    judged = Judge(sources, reference).judge(export)
    found = found_pairs(export, sources)
    report(reference, judged, found)
    if arguments.misses:
        show_misses(sources, reference, found, arguments.misses)
    if arguments.wrong:
        show_wrong(sources, judged, arguments.wrong)


if __name__ == "__main__":
    main()
