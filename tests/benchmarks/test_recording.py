"""The recorder on a real run of a small suite."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = """
import functools

def traced(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper

class Base:
    def __init__(self, size=0):
        self.size = size

    @property
    def double(self):
        return twice(self.size)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

class Child(Base):
    pass

@traced
def twice(value):
    return value * 2

def register(name):
    def keep(function):
        return function
    return keep
"""
TESTS = """
import lib

def test_all():
    with lib.Child(2) as child:
        assert child.double == 4
    assert lib.twice(*[3]) == 6

    @lib.register("x")
    def inner():
        return sorted([2, 1], key=lambda v: lib.twice(v))

    inner()
"""


@pytest.mark.skipif(sys.version_info < (3, 13), reason="sys.monitoring gives exact call positions from 3.13 on")
def test_record(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(LIBRARY)
    (tmp_path / "test_lib.py").write_text(TESTS)
    calls, tests = tmp_path / "calls.json", tmp_path / "tests.json"
    arguments = ["--repo", str(tmp_path), "--calls", str(calls), "--tests", str(tests)]
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-m", "benchmarks.record_calls", *arguments],
        check=True,
        capture_output=True,
        cwd=root,
    )
    rows = json.loads(calls.read_text())
    seen = {(row["caller"][1], row["callee"][1], row["form"], row["named"]) for row in rows}
    assert seen == {
        ("test_all", "Child", "constructor", True),
        ("test_all", "twice", "attribute", True),
        ("test_all", "register", "attribute", True),
        ("test_all", "register.keep", "decorator", False),
        ("test_all", "test_all.inner", "name", True),
        ("test_all.inner", "twice", "attribute", True),
        ("traced.wrapper", "twice", "name", False),
        ("Base.double", "twice", "name", True),
        ("", "traced", "decorator", True),
    }
    (child,) = [row for row in rows if row["callee"][1] == "Child"]
    assert child["constructor"][1] == "Base.__init__"
    (test,) = json.loads(tests.read_text())
    direct = {name for _, name in test["direct"]}
    assert direct == {
        "Base.__init__",
        "Child",
        "Base.__enter__",
        "Base.__exit__",
        "Base.double",
        "twice",
        "register",
        "register.keep",
    }
