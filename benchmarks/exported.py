"""The product's exported graph (JSON lines) as the scorers see it: edges between ``Key``s."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

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
    rows = [json.loads(line) for line in lines if line.strip()]
    for row in rows:
        if row["type"] == "node":
            keys[row["id"]] = key = _key(row, sources)
            kinds.setdefault(key, row["kind"])
    return Export([_edge(row, keys) for row in rows if row["type"] == "edge"], kinds)


def _edge(row: dict[str, Any], keys: dict[int, Key]) -> ExportedEdge:
    return ExportedEdge(
        row["kind"],
        keys[row["source"]],
        keys[row["target"]],
        tuple(row.get("lines") or ()),
        row["resolution"],
        row.get("distance"),
        row.get("via"),
    )


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
    """Index a fresh copy of the repository without embeddings, and export it."""
    from code_review_graph.store import Store  # noqa: PLC0415 - scoring a given export needs no product
    from code_review_graph.tools.build import build_or_update_graph  # noqa: PLC0415
    from code_review_graph.tools.export import graph_lines  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="crg-bench-") as folder:
        copy = Path(folder) / repo.resolve().name
        shutil.copytree(repo, copy, ignore=IGNORED, symlinks=True)
        with Store(copy) as store:
            build_or_update_graph(store, full=True, embed=False)
            return list(graph_lines(store))


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
