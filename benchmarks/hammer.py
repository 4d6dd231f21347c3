"""Many processes on one index: six that read, one that updates, one that builds.

    python -m benchmarks.hammer [--seconds 120]

The functions of a generated repository carry a version in their names; one process writes version after version and
updates the index, another builds it anew again and again. Each reader opens the index like any client, and counts as an

- *error* whatever is raised (`database is locked` above all);
- *torn read* an answer of two states: an edge between functions of two versions, or nodes and edges of one view of the
  file that are not as many as that view says they are.

Prints the counts as JSON; the exit code is 1 for any error or torn read.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from code_review_graph.indexing import build, update
from code_review_graph.results import Pattern
from code_review_graph.store import Store
from code_review_graph.tools.query import query_graph
from code_review_graph.tools.search import hybrid_search

MODULES = 40
READERS = 6
_SHOWN = 5
_VERSION = re.compile(r"_v(\d+)_")


def main(arguments: list[str] | None = None) -> int:
    """Let the processes run; 1 when any of them met an error or a torn read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--role", choices=sorted(ROLES), help=argparse.SUPPRESS)
    parser.add_argument("--repo", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.role:
        print(json.dumps(work(options.role, options.repo, options.seconds)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), options.seconds)
    print(json.dumps(found, indent=2))
    return 1 if found["errors"] or found["torn"] else 0


def run(root: Path, seconds: float) -> dict[str, object]:
    """All processes on a repository in ``root`` for so many seconds; what they counted."""
    write(root, 0)
    with Store(root) as store:
        build(store)
    roles = ["reader"] * READERS + ["updater", "builder"]
    command = [sys.executable, "-m", "benchmarks.hammer", "--repo", str(root), "--seconds", str(seconds), "--role"]
    processes = [subprocess.Popen([*command, role], stdout=subprocess.PIPE, text=True) for role in roles]
    counts: Counter[str] = Counter()
    errors: list[str] = []
    torn: list[str] = []
    for role, process in zip(roles, processes, strict=True):
        output, _ = process.communicate()
        if process.returncode:
            errors.append(f"{role} ended with {process.returncode}")
            continue
        told = json.loads(output)
        counts[f"{role}: rounds"] += told["rounds"]
        errors += told["errors"]
        torn += told["torn"]
    return {"seconds": seconds, "counts": dict(counts), "errors": errors, "torn": torn}


def write(root: Path, version: int) -> None:
    """One version of the repository."""
    for number in range(MODULES):
        following = (number + 1) % MODULES
        text = (
            f"from m{following} import f_v{version}_{following}\n\n\ndef f_v{version}_{number}():\n"
            f"    return f_v{version}_{following}()\n"
        )
        (root / f"m{number}.py").write_text(text, encoding="utf-8")


def work(role: str, root: Path, seconds: float) -> dict[str, object]:
    """What one process does until its time is over."""
    errors: list[str] = []
    torn: list[str] = []
    rounds = 0
    until = time.monotonic() + seconds
    with Store(root) as store:
        while time.monotonic() < until:
            rounds += 1
            try:
                torn += ROLES[role](store, rounds)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
                errors.append(f"{role}: {type(error).__name__}: {error}")
    return {"rounds": rounds, "errors": errors[:_SHOWN], "torn": torn[:_SHOWN]}


def _read(store: Store, number: int) -> list[str]:
    torn = _look(store)
    with store.snapshot():
        names = [node.name for node in store.iter_nodes() if _VERSION.search(node.name)]
    if names:
        answer = query_graph(store, Pattern.CALLERS_OF, names[number % len(names)])
        wanted = _VERSION.search(names[number % len(names)])
        for neighbour in answer.neighbours:
            met = _VERSION.search(neighbour.name)
            if wanted and met and met[1] != wanted[1]:
                torn.append(f"{neighbour.qualified_name} calls {names[number % len(names)]}")
    hybrid_search(store, "function that returns the following", limit=5)
    return torn


def _look(store: Store) -> list[str]:
    """Whether one view of the file is of one state."""
    with store.snapshot():
        counts = store.counts()
        nodes = sum(1 for _ in store.iter_nodes())
        edges = list(store.iter_edges())
        names = {node.id: node.name for node in store.iter_nodes()}
    torn: list[str] = []
    if nodes != sum(counts.nodes.values()) or len(edges) != sum(counts.edges.values()):
        torn.append(f"{nodes} nodes and {len(edges)} edges where {counts} is said")
    for edge in edges:
        ends = [_VERSION.search(names[end]) for end in (edge.source, edge.target)]
        if ends[0] and ends[1] and ends[0][1] != ends[1][1]:
            torn.append(f"an edge from {names[edge.source]} to {names[edge.target]}")
    return torn


def _update(store: Store, number: int) -> list[str]:
    write(store.repo_path, number)
    update(store, fewest_files=1 if number % 2 else 10**6)
    return []


def _build(store: Store, _number: int) -> list[str]:
    build(store)
    return []


ROLES = {"reader": _read, "updater": _update, "builder": _build}


if __name__ == "__main__":
    sys.exit(main())
