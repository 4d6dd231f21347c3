"""The bundled tasks on real checkouts: ``CRG_PINNED`` names a folder with flask, httpx, ... at the pinned commits."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from code_review_graph import indexing
from code_review_graph.embedding import load_embedder
from code_review_graph.eval.benchmarks.multi_hop_retrieval import BENCHMARK, MultiHopRow, MultiHopTask, judge
from code_review_graph.eval.checkouts import inspect_checkout
from code_review_graph.eval.config import CONFIGS, TaskFile, find_task_files, load_task_file
from code_review_graph.eval.matching import ends_with_name
from code_review_graph.eval.runner import run_benchmarks
from code_review_graph.store import Store
from code_review_graph.tools.query import query_graph

PINNED = os.environ.get("CRG_PINNED")
pytestmark = pytest.mark.skipif(not PINNED, reason="CRG_PINNED names no folder of checkouts")


@pytest.fixture(scope="module", params=find_task_files(CONFIGS), ids=lambda path: path.stem)
def task_file(request: pytest.FixtureRequest) -> TaskFile:
    return load_task_file(request.param)


@pytest.fixture(scope="module")
def store(task_file: TaskFile, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An embedded index of a copy, so that the checkout stays as it is."""
    header = task_file.header
    original = Path(PINNED or "") / header.name
    if inspect_checkout(original).commit != header.commit:
        pytest.skip(f"{original} is not at {header.commit}")
    copy = tmp_path_factory.mktemp("pinned") / header.name
    shutil.copytree(original, copy, symlinks=True)
    with Store(copy) as store:
        indexing.build(store, embedder=load_embedder("static"))
        yield store


def test_tasks_of_the_public_system_score_one(task_file: TaskFile, store: Store) -> None:
    run = run_benchmarks.run(BENCHMARK, store.repo_path, store, task_file)
    public = {task.id for task in tasks_of(task_file) if task.source == "public"}
    rows = [row for row in run if isinstance(row, MultiHopRow) and row.task_id in public]
    assert {row.task_id: row.score for row in rows} == dict.fromkeys(public, 1.0)
    assert run.notices == ()


def test_walk_from_every_anchor_is_complete_and_true(task_file: TaskFile, store: Store) -> None:
    """The second step alone, so that a weak search cannot hide a wrong edge."""
    faults: dict[str, object] = {}
    for task in tasks_of(task_file):
        (anchor,) = [n for n in store.iter_nodes() if ends_with_name(n.qualified_name, task.anchor_qualified_suffix)]
        verdict = judge(task, query_graph(store, task.traversal_pattern, anchor.qualified_name, limit=None))
        if verdict.missing or verdict.false_neighbors:
            faults[task.id] = verdict
    assert not faults


def tasks_of(task_file: TaskFile) -> list[MultiHopTask]:
    return [task for task in task_file.tasks_for(BENCHMARK) if isinstance(task, MultiHopTask)]
