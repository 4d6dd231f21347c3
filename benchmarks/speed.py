"""Cost of a cold build, and latency of warm queries, of one repository.

    python -m benchmarks.speed REPO [--peer PYTHON] [--only PHASE ...]

Every measurement runs in a process of its own on one fresh copy of the repository:

- *build*: index without embeddings, from nothing; CPU of worker processes included;
- *embed*: embed all definitions of that index with the default model, loading it included;
- *query*: one warm process; the median and the 95th percentile of ``query_graph`` (callers, callees, tests of sampled
  definitions) and ``hybrid_search`` (names, docstring lines, plain questions), after an untimed round of other targets.

``--peer`` names the Python of an environment that has the public tool of the same name (2.3.9); it gets a copy of its
own and builds in the same way, one after the other, and the ratio of CPU is printed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from benchmarks.exported import IGNORED
from benchmarks.measuring import Cost, run

if TYPE_CHECKING:
    from code_review_graph.model import Node
    from code_review_graph.store import Store

T = TypeVar("T")
PHASES = ("build", "embed", "query")
SAMPLES = 200
QUESTIONS = (
    "where are incoming requests matched to a handler",
    "convert a value to a string safe for html",
    "retry after a failure with a growing delay",
    "parse the configuration file and apply defaults",
    "close the connection when the work is done",
    "check that the user may do this",
)


def build_phase(repo: Path) -> dict[str, object]:
    """Index the repository from nothing, without embeddings."""
    from code_review_graph.indexing import build  # noqa: PLC0415 - each phase loads only what it measures
    from code_review_graph.store import Store  # noqa: PLC0415

    with Store(repo) as store:
        build(store, full=True, embedder=None)
        counts = store.counts()
    return {"counts": repr(counts), "index_mb": round(_size(repo / ".code-review-graph") / 1e6, 1)}


def embed_phase(repo: Path) -> dict[str, object]:
    """Embed every definition with the default model."""
    from code_review_graph.embedding import embed_nodes, load_embedder  # noqa: PLC0415
    from code_review_graph.progress import silent  # noqa: PLC0415
    from code_review_graph.store import Store  # noqa: PLC0415

    with Store(repo) as store:
        embedded = embed_nodes(store, load_embedder(), silent)
        vectors = store.vector_count()
    return {"embedded": embedded, "vectors": vectors, "index_mb": round(_size(repo / ".code-review-graph") / 1e6, 1)}


def query_phase(repo: Path) -> dict[str, object]:
    """Latencies in milliseconds of one warm process."""
    from code_review_graph.store import Store  # noqa: PLC0415
    from code_review_graph.tools.query import query_graph  # noqa: PLC0415
    from code_review_graph.tools.search import hybrid_search  # noqa: PLC0415

    with Store(repo) as store:
        warm, timed = _sampled(store)
        patterns = ("callers_of", "callees_of", "tests_for")

        def ask(question: tuple[str, str]) -> object:
            return query_graph(store, question[0], question[1])  # type: ignore[arg-type]

        def search(text: str) -> object:
            return hybrid_search(store, text)

        return {
            "query_graph": _latency(ask, _walks(patterns, warm), _walks(patterns, timed)),
            "hybrid_search": _latency(search, _texts(warm), _texts(timed)),
        }


def _sampled(store: Store) -> tuple[list[Node], list[Node]]:
    """Two disjoint spreads of definitions over the whole repository."""
    nodes = [node for node in store.iter_nodes() if node.kind in {"Function", "Method", "Class"}]
    step = max(1, len(nodes) // (2 * SAMPLES))
    spread = nodes[::step]
    return spread[1::2][:SAMPLES], spread[::2][:SAMPLES]


def _walks(patterns: Sequence[str], nodes: list[Node]) -> list[tuple[str, str]]:
    return [(pattern, node.qualified_name) for pattern, node in zip(itertools.cycle(patterns), nodes, strict=False)]


def _texts(nodes: list[Node]) -> list[str]:
    """A third names, a third docstring lines, a third questions."""
    lines = [node.docstring.strip().partition("\n")[0] for node in nodes]
    kinds = itertools.cycle((0, 1, 2))
    questions = itertools.cycle(QUESTIONS)
    return [
        (node.name, line or node.name.replace("_", " "), next(questions))[kind]
        for node, line, kind in zip(nodes, lines, kinds, strict=False)
    ]


def _latency(call: Callable[[T], object], warm: list[T], timed: list[T]) -> dict[str, float]:
    for item in warm:
        call(item)
    taken = []
    for item in timed:
        start = time.perf_counter()
        call(item)
        taken.append((time.perf_counter() - start) * 1000)
    ordered = sorted(taken)
    return {"p50": round(statistics.median(ordered), 2), "p95": round(ordered[int(len(ordered) * 0.95)], 2)}


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def measure(phase: str, copy: Path) -> Cost:
    """Run one phase in a process of its own."""
    cost = run([sys.executable, "-m", "benchmarks.speed", str(copy), "--inside", phase], Path.cwd())
    print(f"{phase:6} {cost}\n       {cost.output.strip()}", flush=True)
    return cost


def measure_peer(python: str, copy: Path) -> Cost:
    """Build with the public tool, which needs a git repository to find files."""
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "snapshot"]):
        subprocess.run([*git, *command], cwd=copy, check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull})
    cost = run([python, "-P", "-m", "code_review_graph", "build", "--repo", str(copy), "-q"], copy)
    print(f"peer   {cost}", flush=True)
    return cost


def main() -> None:
    """Measure, or be the measured process (``--inside``)."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repo", type=Path)
    parser.add_argument("--peer", metavar="PYTHON", help="also build with the public tool of that environment")
    parser.add_argument("--only", choices=PHASES, action="append", help="phases to run (default: all)")
    parser.add_argument("--inside", choices=PHASES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        phases = {"build": build_phase, "embed": embed_phase, "query": query_phase}
        print(json.dumps(phases[arguments.inside](arguments.repo)))
        return
    with tempfile.TemporaryDirectory(prefix="crg-speed-") as folder:
        ours = Path(folder) / "ours" / arguments.repo.resolve().name
        shutil.copytree(arguments.repo, ours, ignore=IGNORED, symlinks=True)
        costs = {phase: measure(phase, ours) for phase in arguments.only or PHASES}
        if arguments.peer:
            theirs = Path(folder) / "peer" / ours.name
            shutil.copytree(arguments.repo, theirs, ignore=IGNORED, symlinks=True)
            peer = measure_peer(arguments.peer, theirs)
            if "build" in costs:
                print(f"the peer's build takes {peer.cpu / costs['build'].cpu:.1f} times our CPU")


if __name__ == "__main__":
    main()
