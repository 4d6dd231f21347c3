"""Precision and recall on PyCG's micro-benchmark (github.com/vitsalis/PyCG, ``micro-benchmark/snippets``).

    python -m benchmarks.pycg SNIPPETS [--graphs FOLDER]

Every snippet is indexed as a repository of its own. Its ``callgraph.json`` names definitions by dotted module path;
so do we: ``pkg/mod.py::A.f`` is ``pkg.mod.A.f``, the file itself ``pkg.mod``. How the two are compared:

- only edges whose two ends are in the snippet: callees that are builtins or of modules that do not exist are left out;
- their truth names constructors ``Class.__init__`` and has nothing where a class has none: our edge to the class itself
  (which stands beside the one to ``__init__``) is left out;
- a call made in their ``<lambdaN>`` is made by what encloses it, for that is where the graph puts it; a call of a
  lambda has no callee that the graph names, so it is left out on both sides. ``strict`` counts all of those as missing;
- calls in a class body belong to what encloses the class; guesses do not count.

PyCG itself was published at recall 0.94 and precision 0.98 on these snippets.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.exported import build_export, percent, read_export
from benchmarks.syntax import Key, Sources, read_sources


class Named(NamedTuple):
    caller: str
    callee: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """One snippet: what was right, missing and extra; ``lambdas`` counts the truth's edges to lambdas."""

    name: str
    right: set[Named]
    missing: set[Named]
    extra: set[Named]
    lambdas: int

    @property
    def category(self) -> str:
        return self.name.partition("/")[0]


def dotted_module(path: str) -> str:
    """``pkg/mod.py`` -> ``pkg.mod``; ``pkg/__init__.py`` -> ``pkg``."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def dotted(key: Key) -> str:
    """The benchmark's name of a definition."""
    module = dotted_module(key.path)
    return f"{module}.{key.name}" if key.name else module


def folded(name: str) -> str:
    """A lambda's name becomes that of its encloser."""
    while "<lambda" in (last := name.rpartition("."))[2]:
        name = last[0]
    return name


def truth_edges(path: Path, modules: set[str]) -> tuple[set[Named], int]:
    """The in-repository edges of a ``callgraph.json``, and the number of edges to lambdas left out of them."""
    edges: set[Named] = set()
    lambdas = 0
    for caller, callees in json.loads(path.read_text()).items():
        inside = [callee for callee in callees if _inside(callee, modules)]
        lambdas += sum("<lambda" in callee for callee in inside)
        edges |= {Named(folded(caller), callee) for callee in inside if "<lambda" not in callee}
    return edges, lambdas


def _inside(name: str, modules: set[str]) -> bool:
    return any(name == module or name.startswith(module + ".") for module in modules)


def our_edges(lines: list[str], sources: Sources) -> set[Named]:
    """The graph's edges in the benchmark's names."""
    edges: set[Named] = set()
    for edge in read_export(iter(lines), sources).sure("CALLS"):
        source, target = sources.calling(edge.source), edge.target
        if sources.is_class(target) or not target.name or target not in sources.definitions:
            continue
        edges.add(Named(dotted(_known(source, sources)), dotted(target)))
    return edges


def _known(key: Key, sources: Sources) -> Key:
    """A named lambda's node is no ``def``: its calls belong to what encloses it."""
    while key.name and key not in sources.definitions:
        key = Key(key.path, key.name.rpartition(".")[0])
    return key


def run_snippet(folder: Path, name: str, graphs: Path | None) -> Outcome:
    """Index (or read the export of) one snippet and compare."""
    sources = read_sources(folder)
    modules = {dotted_module(path) for path in sources.modules}
    truth, lambdas = truth_edges(folder / "callgraph.json", modules)
    saved = graphs / f"{name.replace('/', '_')}.jsonl" if graphs else None
    ours = our_edges(saved.read_text().splitlines() if saved else build_export(folder), sources)
    return Outcome(name, truth & ours, truth - ours, ours - truth, lambdas)


def totals(outcomes: list[Outcome]) -> str:
    """``recall …  precision …`` of several snippets."""
    count: Counter[str] = Counter()
    for outcome in outcomes:
        count.update(right=len(outcome.right), missing=len(outcome.missing), extra=len(outcome.extra))
    right, missing, extra = count["right"], count["missing"], count["extra"]
    return f"recall {percent(right, right + missing)}  precision {percent(right, right + extra)}"


def main() -> None:
    """Run all snippets and print totals, categories and failures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("snippets", type=Path)
    parser.add_argument("--graphs", type=Path, help="exports made before: CATEGORY_SNIPPET.jsonl")
    parser.add_argument("--only", default="", help="snippets whose name contains this")
    arguments = parser.parse_args()
    root: Path = arguments.snippets
    names = sorted(p.parent.relative_to(root).as_posix() for p in root.glob("*/*/callgraph.json"))
    outcomes = [run_snippet(root / name, name, arguments.graphs) for name in names if arguments.only in name]
    categories: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        categories[outcome.category].append(outcome)
    for category, members in sorted(categories.items()):
        print(f"{category:14} {totals(members)}")
    for outcome in outcomes:
        if outcome.missing or outcome.extra:
            print(f"\n{outcome.name}")
            for sign, edges in (("missing", outcome.missing), ("extra", outcome.extra)):
                for edge in sorted(edges):
                    print(f"  {sign:8} {edge.caller} -> {edge.callee}")
    lambdas = sum(outcome.lambdas for outcome in outcomes)
    right = sum(len(outcome.right) for outcome in outcomes)
    truth = right + sum(len(outcome.missing) for outcome in outcomes)
    print(f"\n{len(outcomes)} snippets: {totals(outcomes)}")
    print(f"strict (edges to lambdas all missing): recall {percent(right, truth + lambdas)}")


if __name__ == "__main__":
    main()
