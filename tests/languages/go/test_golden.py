"""Real repositories against lists that were read by hand; ``CRG_CHECKOUTS`` names the folder with the checkouts."""

from __future__ import annotations

import os
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from code_review_graph.model import EdgeKind, Resolution
from tests.languages.annotations import load

CHECKOUTS = os.environ.get("CRG_CHECKOUTS")
REPOSITORIES = ("gin", "cobra")
MIN_RECALL = 0.9
MIN_KEPT = 0.97

pytestmark = pytest.mark.skipif(not CHECKOUTS, reason="CRG_CHECKOUTS names no folder")


@cache
def calls(repository: str) -> set[tuple[str, str]]:
    graph = load(Path(CHECKOUTS or "") / repository).graph
    names = [node.qualified_name for node in graph.nodes]
    return {
        (names[edge.source - 1], names[edge.target - 1])
        for edge in graph.edges
        if edge.kind is EdgeKind.CALLS and edge.resolution is not Resolution.GUESS
    }


def golden(repository: str) -> tuple[dict[str, list[str]], list[tuple[str, str]]]:
    """Callers by function, and the edges that were read and found right."""
    callers: dict[str, list[str]] = defaultdict(list)
    edges: list[tuple[str, str]] = []
    current = ""
    for line in (Path(__file__).parent / "golden" / f"{repository}.txt").read_text("utf-8").splitlines():
        text = line.strip()
        if text.startswith("callers "):
            current = text.removeprefix("callers ")
        elif text == "edges":
            current = ""
        elif current and not text.startswith("#"):
            callers[current].append(text)
        elif " -> " in text and not text.startswith(("?", "#")):
            source, _, target = text.partition(" -> ")
            edges.append((source, target))
    return callers, edges


@pytest.mark.parametrize("repository", REPOSITORIES)
def test_callers_are_found(repository: str) -> None:
    callers, _ = golden(repository)
    wanted = {(source, target) for target, sources in callers.items() for source in sources}
    missing = sorted(wanted - calls(repository))
    assert len(missing) <= (1 - MIN_RECALL) * len(wanted), missing


@pytest.mark.parametrize("repository", REPOSITORIES)
def test_edges_that_were_read_are_kept(repository: str) -> None:
    _, edges = golden(repository)
    lost = sorted(set(edges) - calls(repository))
    assert len(lost) <= (1 - MIN_KEPT) * len(edges), lost
