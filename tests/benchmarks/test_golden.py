"""Scoring callers found by reading, on a graph written down by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.score_golden import Call, Place, print_sample, read_calls, read_golden, score

GOLDEN = Path(__file__).parents[2] / "eval" / "golden"
LINES = [
    {"type": "node", "id": 1, "kind": "File", "path": "a.go", "start_line": 1},
    {"type": "node", "id": 2, "kind": "Function", "path": "a.go", "start_line": 3},
    {"type": "node", "id": 3, "kind": "Method", "path": "a.go", "start_line": 5},
    {"type": "edge", "kind": "CALLS", "source": 3, "target": 2, "lines": [6], "resolution": "exact"},
    {"type": "edge", "kind": "CALLS", "source": 1, "target": 2, "lines": [1], "resolution": "guess"},
    {"type": "edge", "kind": "CONTAINS", "source": 1, "target": 2, "lines": [], "resolution": "exact"},
]
CALLS = list(read_calls(json.dumps(line) for line in LINES))


def test_calls_are_read_by_path_and_line() -> None:
    assert CALLS[0] == Call(Place("a.go", 5), Place("a.go", 3), (6,), "exact")
    assert CALLS[1].caller == Place("a.go", 0)


@pytest.mark.parametrize(
    ("callers", "possible", "missing", "false"),
    [
        (["a.go::T.m@5"], [], 0, 0),
        (["a.go::T.m@5", "a.go"], [], 1, 0),
        ([], [], 0, 1),
        ([], ["a.go::T.m@5"], 0, 0),
    ],
)
def test_guesses_do_not_count_and_dispatch_is_not_asked(
    tmp_path: Path, callers: list[str], possible: list[str], missing: int, false: int
) -> None:
    golden = {"functions": [{"callee": "a.go::f@3", "callers": callers, "dispatch_callers": possible}]}
    (tmp_path / "g.json").write_text(json.dumps(golden))
    missed, wrong, hits = score(read_golden(tmp_path / "g.json"), CALLS)
    assert (len(missed), len(wrong), hits) == (missing, false, len(callers) - missing)


def test_a_sample_shows_the_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.go").write_text("package a\n\nfunc f() {}\n\nfunc (t T) m() {\n\tf()\n}\n")
    print_sample(CALLS[:1], tmp_path, 5, seed=1)
    shown = capsys.readouterr().out
    assert "a.go:6  f()" in shown
    assert "a.go:3  func f() {}" in shown


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_golden_files_are_whole(path: Path) -> None:
    golden = read_golden(path)
    assert len(golden) >= 30
    assert len({item.callee for item in golden}) == len(golden)
    header = json.loads(path.read_text())
    assert header["url"].startswith("https://")
    assert len(header["commit"]) == 40
