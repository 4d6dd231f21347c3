"""Runs written as table, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from code_review_graph.eval.benchmarks.multi_hop_retrieval import BENCHMARK, MultiHopRow
from code_review_graph.eval.report import BenchmarkRun, as_csv, as_json, as_text, summarise, write_files
from code_review_graph.results import Pattern

ROWS = (
    MultiHopRow(
        repository="a/b",
        task_id="good",
        score=1.0,
        nl_query="where, exactly?",
        traversal_pattern=Pattern.CALLERS_OF,
        k=10,
        anchor="x.py::f",
        anchor_found=True,
        anchor_rank=2,
        neighbor_count=3,
        neighbor_recall=1.0,
        matched=("g", "h"),
    ),
    MultiHopRow(
        repository="a/b",
        task_id="broken",
        score=0.0,
        error="ProviderError: [red] no answer",
        nl_query="q",
        traversal_pattern=Pattern.TESTS_FOR,
        k=5,
        missing=("t",),
    ),
)
RUN = BenchmarkRun(
    benchmark="multi_hop",
    repository="a/b",
    commit="0123456789abcdef0123456789abcdef01234567",
    version="1.0",
    summary=summarise(ROWS, BENCHMARK.measures(ROWS)),
    notices=("The checkout has local changes.",),
    rows=ROWS,
)


def test_summary_counts_errors_in_the_strict_mean() -> None:
    assert (RUN.summary.tasks, RUN.summary.errors) == (2, 1)
    assert (RUN.summary.strict_mean, RUN.summary.scored_mean) == (0.5, 1.0)
    assert RUN.summary.measures["anchor_rank"] == 2.0
    assert RUN.summary.measures["anchor_mrr"] == 0.25


def test_text_shows_errors_and_notices() -> None:
    text = as_text([RUN])
    assert "ProviderError: [red] no answer" in text
    assert "! The checkout has local changes." in text
    assert "2 tasks, 1 errors, mean score 0.500" in text
    assert "neighbor precision" not in text


def test_json_keeps_every_field_of_a_row() -> None:
    (run,) = json.loads(as_json([RUN]))
    assert run["rows"][0]["matched"] == ["g", "h"]
    assert run["rows"][0]["anchor_rank"] == 2
    assert run["summary"]["strict_mean"] == 0.5


def test_csv_has_one_line_a_row() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(RUN))))
    assert [row["task_id"] for row in rows] == ["good", "broken"]
    assert rows[0]["nl_query"] == "where, exactly?"
    assert rows[0]["matched"] == '["g", "h"]'
    assert rows[1]["anchor_rank"] == ""


def test_files_are_named_by_benchmark_repository_and_commit(tmp_path: Path) -> None:
    paths = write_files([RUN], tmp_path / "new" / "folder")
    assert [path.name for path in paths] == ["multi_hop-a-b-0123456789ab.csv", "multi_hop-a-b-0123456789ab.json"]
    assert json.loads(paths[1].read_text(encoding="utf-8"))["benchmark"] == "multi_hop"


def test_run_is_a_sequence_of_rows() -> None:
    assert len(RUN) == 2
    assert RUN[0].task_id == "good"
    assert [row.task_id for row in RUN] == ["good", "broken"]


def test_no_rows() -> None:
    empty = BenchmarkRun(benchmark="multi_hop", repository="r", version="1", summary=summarise((), {}))
    assert "0 tasks" in as_text([empty])
    assert as_csv(empty).count("\n") == 1
