"""The scorers on a small repository whose right answers are read off by eye."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import pycg, score_calls, score_tests, score_types
from benchmarks.checker import Answer
from benchmarks.exported import Export, read_export
from benchmarks.syntax import Key, Sources, read_sources

LIBRARY = """
class Base:
    def run(self):
        return self.step()

    def step(self):
        return 1

class Child(Base):
    def __init__(self):
        self.size = len("x")

    def step(self):
        return 2

def make():
    return Child()
"""
TEST = """
from lib import make

def test_run(value):
    assert make().run() == value()
"""
NODES = {
    ("lib.py", ""): 1,
    ("lib.py", "Base"): 2,
    ("lib.py", "Base.run"): 3,
    ("lib.py", "Base.step"): 6,
    ("lib.py", "Child"): 9,
    ("lib.py", "Child.__init__"): 10,
    ("lib.py", "Child.step"): 13,
    ("lib.py", "make"): 16,
    ("test_lib.py", "test_run"): 4,
}


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    (tmp_path / "lib.py").write_text(LIBRARY)
    (tmp_path / "test_lib.py").write_text(TEST)
    return read_sources(tmp_path)


def export(sources: Sources, *edges: tuple[str, str, str, int, str]) -> Export:
    """Edges as (kind, source, target, line, resolution) between the names above, in the product's export form."""
    ids = {name: number for number, (_, name) in enumerate(NODES, 1)}
    rows: list[dict[str, object]] = [
        {
            "type": "node",
            "id": ids[name],
            "qualified_name": f"{path}::{name}" if name else path,
            "name": name.rpartition(".")[2] or path,
            "kind": "Function" if name else "File",
            "path": path,
            "start_line": line,
            "end_line": line,
            "is_test": False,
        }
        for (path, name), line in NODES.items()
    ]
    for kind, source, target, line, resolution in edges:
        rows.append(
            {
                "type": "edge",
                "kind": kind,
                "source": ids[source],
                "target": ids[target],
                "lines": [line],
                "resolution": resolution,
                "distance": 0 if kind == "TESTED_BY" else None,
            }
        )
    return read_export(iter([json.dumps(row) for row in rows]), sources)


def call(caller: str, callee: str, line: int, *, constructor: str = "", named: bool = True) -> dict[str, object]:
    path = "test_lib.py" if caller.startswith("test") else "lib.py"
    return {
        "caller": [path, caller, 0],
        "callee": ["lib.py", callee, 0],
        "constructor": ["lib.py", constructor, 0] if constructor else None,
        "line": line,
        "form": "constructor" if constructor else "attribute",
        "named": named,
    }


def test_recorded_calls_fold_constructors_and_ignore_guesses(sources: Sources, tmp_path: Path) -> None:
    truth_file = tmp_path / "calls.json"
    rows = [
        call("make", "Child", 17, constructor="Child.__init__"),
        call("Base.run", "Child.step", 4),
        call("test_run", "make", 5),
    ]
    truth_file.write_text(json.dumps(rows))
    truth = score_calls.read_truth(truth_file, sources)
    graph = export(
        sources,
        ("CALLS", "make", "Child.__init__", 17, "exact"),
        ("CALLS", "Base.run", "Child.step", 4, "guess"),
        ("CALLS", "test_run", "make", 5, "exact"),
    )
    found = score_calls.found_pairs(graph, sources)
    assert truth.keys() - found == {score_calls.Pair(Key("lib.py", "Base.run"), Key("lib.py", "Child.step"))}


def test_recorded_tests(sources: Sources, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tests.json"
    row = {
        "test": ["test_lib.py", "test_run", 4],
        "direct": [["lib.py", "make"], ["lib.py", "Base.run"]],
        "executed": [["lib.py", "Child.__init__"], ["lib.py", "Child.step"]],
    }
    file.write_text(json.dumps([row]))
    run = score_tests.read_run(file, sources)
    graph = export(
        sources,
        ("TESTED_BY", "make", "test_run", 5, "exact"),
        ("TESTED_BY", "Child", "test_run", 5, "inferred"),
        ("TESTED_BY", "Base.step", "test_run", 5, "inferred"),
        ("TESTED_BY", "Base.run", "test_run", 5, "guess"),
    )
    misses, unconfirmed = score_tests.score(run, score_tests.returned_pairs(graph, sources))
    test = Key("test_lib.py", "test_run")
    assert misses == {(Key("lib.py", "Base.run"), test)}
    assert unconfirmed == {(Key("lib.py", "Base.step"), test)}
    assert "recall 0.500 (1/2)\nobserved 0.667 (2/3)" in capsys.readouterr().out


@pytest.fixture
def reference(sources: Sources) -> score_types.Reference:
    answers = {
        score_types.Place("lib.py", 4, 20): Answer((("lib.py", 6, 8),), external=False),
        score_types.Place("lib.py", 11, 20): Answer((), external=True),
        score_types.Place("lib.py", 17, 11): Answer((("lib.py", 9, 6),), external=False),
        score_types.Place("test_lib.py", 5, 11): Answer((("lib.py", 16, 4),), external=False),
        score_types.Place("test_lib.py", 5, 18): Answer((("lib.py", 3, 8),), external=False),
        # ``value`` is a parameter on the line of the test's own name: no definition.
        score_types.Place("test_lib.py", 5, 27): Answer((("test_lib.py", 4, 13),), external=False),
    }
    return score_types.Reference(sources, answers)


def test_reference_of_the_checker(reference: score_types.Reference) -> None:
    assert reference.counts == {"inside": 4, "external": 1, "open": 1}
    assert set(reference.pairs) == {
        (Key("lib.py", "Base.run"), Key("lib.py", "Base.step")),
        (Key("lib.py", "make"), Key("lib.py", "Child")),
        (Key("test_lib.py", "test_run"), Key("lib.py", "make")),
        (Key("test_lib.py", "test_run"), Key("lib.py", "Base.run")),
    }


@pytest.mark.parametrize(
    ("source", "target", "line", "resolution", "verdict"),
    [
        pytest.param("Base.run", "Base.step", 4, "exact", "right", id="the checker's own answer"),
        pytest.param("Base.run", "Child.step", 4, "dispatch", "right", id="an override, said to be one"),
        pytest.param("Base.run", "Child.step", 4, "exact", "wrong", id="an override, said to be certain"),
        pytest.param("make", "Child.__init__", 17, "exact", "right", id="constructor for class"),
        pytest.param("Child.__init__", "make", 11, "exact", "wrong", id="an external call given a definition"),
        pytest.param("test_run", "Base.step", 5, "exact", "left out", id="could be the open call of that line"),
        pytest.param("make", "Base.run", 16, "exact", "left out", id="no call on that line"),
        pytest.param("Base.run", "make", 4, "guess", "ignored", id="guess"),
    ],
)
def test_judgement(
    sources: Sources,
    reference: score_types.Reference,
    source: str,
    target: str,
    line: int,
    resolution: str,
    verdict: str,
) -> None:
    graph = export(sources, ("CALLS", source, target, line, resolution))
    judged = score_types.Judge(sources, reference).judge(graph)
    got = (len(judged.right), len(judged.wrong), judged.left_out.total())
    assert got == {"right": (1, 0, 0), "wrong": (0, 1, 0), "left out": (0, 0, 1), "ignored": (0, 0, 0)}[verdict]


def test_pycg_names(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("from pkg import f\n\nx = lambda: f()\nx()\nclass A:\n    y = f()\n")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("def f():\n    pass\n")
    (tmp_path / "callgraph.json").write_text(
        json.dumps({"main": ["main.<lambda1>", "<builtin>.len", "pkg.f"], "main.<lambda1>": ["pkg.f"], "pkg": []})
    )
    edges, lambdas = pycg.truth_edges(tmp_path / "callgraph.json", {"main", "pkg"})
    assert (edges, lambdas) == ({("main", "pkg.f")}, 1)
    assert pycg.dotted(Key("pkg/__init__.py", "f")) == "pkg.f"
    rows = [
        '{"type":"node","id":1,"qualified_name":"main.py::A","name":"A","kind":"Class","path":"main.py","start_line":5}',
        (
            '{"type":"node","id":2,"qualified_name":"pkg/__init__.py::f","name":"f","kind":"Function",'
            '"path":"pkg/__init__.py","start_line":1}'
        ),
        '{"type":"edge","kind":"CALLS","source":1,"target":2,"lines":[6],"resolution":"exact","distance":null}',
    ]
    assert pycg.our_edges(rows, read_sources(tmp_path)) == {("main", "pkg.f")}
