"""Kill builds and updates at any moment, and look whether the index lost, or invented, anything.

    python -m benchmarks.kills [REPO] [--kills 200] [--seed 0]

Works on a copy of REPO, a generated repository without one. Each round edits two files, starts a build, an update or an
update that resolves in part, and kills it (SIGKILL) at a random moment of the time that it takes. Then

- the file is sound (``PRAGMA integrity_check``), opens, and holds the graph of before or the one of after;
- the next update completes, and gives the graph of a fresh build of the same files elsewhere.

Prints what happened as JSON; the exit code is 1 when anything was wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import apsw

from benchmarks.exported import IGNORED
from code_review_graph.indexing import build, update
from code_review_graph.store import Store
from code_review_graph.updating import FEWEST_FILES

MODULES = 60
# By name: what a process does to the index.
DEEDS = {
    "build": "from code_review_graph.indexing import build as go; extra = {}",
    "update": "from code_review_graph.indexing import update as go; extra = {}",
    "part": "from code_review_graph.indexing import update as go; extra = {'fewest_files': 1}",
}
_RUN = "import sys; from code_review_graph.store import Store; {deed}; go(Store(sys.argv[1]), **extra)"


def main(arguments: list[str] | None = None) -> int:
    """Run the rounds; 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", nargs="?", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = run(options.repo, Path(folder), options.kills, options.seed)
    print(json.dumps(found, indent=2))
    return 1 if found["wrong"] else 0


def run(repo: Path | None, folder: Path, kills: int, seed: int) -> dict[str, object]:
    """``kills`` rounds in ``folder``; counts of what came of them, and what was wrong."""
    chance = random.Random(seed)
    root = folder / "repository"
    if repo is None:
        generate(root)
    else:
        shutil.copytree(repo, root, ignore=IGNORED)
    with Store(root) as store:
        build(store)
    took = {deed: _time(root, deed, chance) for deed in DEEDS}
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(kills):
        deed = chance.choice(sorted(DEEDS))
        outcome, faults = _round(root, folder / "fresh", deed, chance, took[deed])
        counts[f"{deed}: {outcome}"] += 1
        wrong += [f"round {number} ({deed}): {fault}" for fault in faults]
    return {"kills": kills, "seconds": took, "outcomes": dict(sorted(counts.items())), "wrong": wrong}


def generate(root: Path) -> None:
    """A repository of modules that call each other, with a test for each."""
    (root / "pkg").mkdir(parents=True)
    (root / "tests").mkdir()
    (root / "pkg" / "__init__.py").write_text("", encoding="utf-8")
    for number in range(MODULES):
        other = (number * 7 + 3) % MODULES
        (root / "pkg" / f"m{number}.py").write_text(
            f"from pkg import m{other}\n\n\nclass C{number}:\n    def run(self):\n"
            f"        return m{other}.f{other}(self)\n\n\n"
            f"def f{number}(x):\n    return C{number}()\n",
            encoding="utf-8",
        )
        (root / "tests" / f"test_m{number}.py").write_text(
            f"from pkg.m{number} import f{number}\n\n\ndef test_f{number}():\n    f{number}(1).run()\n",
            encoding="utf-8",
        )


def edit(root: Path, chance: random.Random) -> None:
    """Change two files: a function comes, or a line."""
    for path in chance.sample(sorted(root.rglob("*.py")), 2):
        name = f"added_{chance.randrange(10**9)}"
        path.write_text(f"{path.read_text(encoding='utf-8')}\n\ndef {name}(x):\n    return x.run()\n", encoding="utf-8")


def graph(store: Store) -> tuple[list[str], list[str]]:
    """What an index says, without ids."""
    nodes = {node.id: node for node in store.iter_nodes()}
    told = [f"{node.qualified_name} {node.kind} {node.start_line} {node.end_line}" for node in nodes.values()]
    edges = [
        f"{edge.kind} {nodes[edge.source].qualified_name} {nodes[edge.target].qualified_name} {edge.lines}"
        f" {edge.resolution} {edge.distance}"
        for edge in store.iter_edges()
    ]
    return sorted(told), sorted(edges)


def _start(root: Path, deed: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", _RUN.format(deed=DEEDS[deed]), str(root)], stderr=subprocess.DEVNULL)


def _time(root: Path, deed: str, chance: random.Random) -> float:
    edit(root, chance)
    started = time.monotonic()
    _start(root, deed).wait()
    return round(time.monotonic() - started, 3)


def _round(root: Path, fresh: Path, deed: str, chance: random.Random, seconds: float) -> tuple[str, list[str]]:
    with Store(root) as store:
        before = graph(store)
    edit(root, chance)
    process = _start(root, deed)
    time.sleep(chance.random() * seconds * 1.05)
    process.send_signal(signal.SIGKILL)
    was_done = process.wait() == 0
    after = _built(root, fresh)
    faults: list[str] = []
    with Store(root) as store:
        connection = apsw.Connection(str(store.path))
        sound = connection.execute("PRAGMA integrity_check").fetchall()
        connection.close()
        if sound != [("ok",)]:
            faults.append(f"the file is not sound: {sound[:3]}")
        now = graph(store)
        if now not in (before, after):
            faults.append("the graph is neither that of before nor that of after")
        update(store, fewest_files=1 if deed == "part" else FEWEST_FILES)
        if graph(store) != after:
            faults.append("the next update does not give what a fresh build gives")
    return "was done" if was_done else "after" if now == after else "before", faults


def _built(root: Path, fresh: Path) -> tuple[list[str], list[str]]:
    """The graph of a fresh build of the same files."""
    shutil.rmtree(fresh, ignore_errors=True)
    shutil.copytree(root, fresh, ignore=shutil.ignore_patterns(".code-review-graph"))
    with Store(fresh) as store:
        build(store)
        return graph(store)


if __name__ == "__main__":
    sys.exit(main())
