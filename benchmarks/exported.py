"""The product's exported graph (JSON lines) as the scorers see it: edges between ``Key``s."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.syntax import Key, Sources

if TYPE_CHECKING:
    import argparse

IGNORED = shutil.ignore_patterns(".git", ".code-review-graph", "__pycache__", "*.egg-info", ".venv")


class ExportedEdge(NamedTuple):
    """An edge with both ends as keys of the source, and the lines of its sites."""

    kind: str
    source: Key
    target: Key
    lines: tuple[int, ...]
    resolution: str
    distance: int | None
    via: str | None


@dataclass(frozen=True, slots=True)
class Export:
    """The edges of one graph, and the node kind of every key."""

    edges: list[ExportedEdge]
    kinds: dict[Key, str]

    def sure(self, kind: str) -> Iterator[ExportedEdge]:
        """Edges of a kind, guesses left out."""
        return (edge for edge in self.edges if edge.kind == kind and edge.resolution != "guess")


def read_export(lines: Iterator[str], sources: Sources) -> Export:
    """Read JSON lines; nodes are matched to the source by path and declared line, other nodes keep their own name."""
    keys: dict[int, Key] = {}
    kinds: dict[Key, str] = {}
    edges: list[ExportedEdge] = []
    rows = [json.loads(line) for line in lines if line.strip()]
    for row in rows:
        if row["type"] == "node":
            keys[row["id"]] = key = _key(row, sources)
            kinds.setdefault(key, row["kind"])
    for row in rows:
        if row["type"] == "edge":
            edges.append(
                ExportedEdge(
                    row["kind"],
                    keys[row["source"]],
                    keys[row["target"]],
                    tuple(row.get("lines") or ()),
                    row["resolution"],
                    row.get("distance"),
                    row.get("via"),
                )
            )
    return Export(edges, kinds)


def _key(row: dict[str, object], sources: Sources) -> Key:
    path = str(row["path"])
    if row["kind"] == "File":
        return Key(path, "")
    module = sources.modules.get(path)
    line = row["start_line"]
    definition = module.definition_at(line) if module and isinstance(line, int) else None
    if definition and definition.bare_name == row["name"]:
        return definition.key
    return Key(path, str(row["qualified_name"]).rpartition("::")[2].partition("@")[0])


def build_export(repo: Path) -> list[str]:
    """Index a fresh copy of the repository without embeddings through the command line and export it."""
    with tempfile.TemporaryDirectory(prefix="crg-bench-") as folder:
        copy = Path(folder) / repo.name
        shutil.copytree(repo, copy, ignore=IGNORED, symlinks=True)
        command = [sys.executable, "-m", "code_review_graph"]
        subprocess.run([*command, "build", "--repo", str(copy), "--no-embeddings"], check=True, stdout=subprocess.DEVNULL)
        export = [*command, "export", "--format", "jsonl", "--repo", str(copy)]
        return subprocess.run(export, check=True, capture_output=True, text=True).stdout.splitlines()


def load_export(arguments: argparse.Namespace, sources: Sources) -> Export:
    """The graph that ``--graph`` names, else one built now from ``--repo``."""
    graph: Path | None = arguments.graph
    lines = graph.read_text().splitlines() if graph else build_export(arguments.repo)
    return read_export(iter(lines), sources)


def add_graph_arguments(parser: argparse.ArgumentParser) -> None:
    """``--repo`` and ``--graph``, the same for every scorer."""
    parser.add_argument("--repo", type=Path, required=True, help="the sources that were measured")
    parser.add_argument("--graph", type=Path, help="an export of the graph; made now when absent")


def percent(part: int, whole: int) -> str:
    """``0.913 (42/46)``; a dash when there is nothing to divide by."""
    return f"{part / whole:.3f} ({part}/{whole})" if whole else "-"
