from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from code_review_graph.indexing import build
from code_review_graph.results import Check, CheckState, DoctorReport
from code_review_graph.store import Store
from code_review_graph.tools.doctor import doctor

CHECKS = (
    "python", "settings", "repository", "database", "lock", "freshness", "grammars", "embeddings", "vector extension",
    "watching", "leftovers",
)  # fmt: skip


@pytest.fixture
def indexed(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("def a():\n    return 1\n", encoding="utf-8")
    with Store(tmp_path) as store:
        build(store)
    return tmp_path


def checked(root: Path, name: str) -> Check:
    with Store(root) as store:
        return next(check for check in doctor(store).checks if check.name == name)


def test_a_good_index(indexed: Path) -> None:
    with Store(indexed) as store:
        report = doctor(store)
    assert tuple(check.name for check in report.checks) == CHECKS
    assert report.healthy
    assert {check.name for check in report.checks if check.state is not CheckState.OK} <= {"embeddings", "watching"}


def _database(root: Path) -> Path:
    return root / ".code-review-graph" / "index.db"


def _cut(root: Path) -> None:
    path = _database(root)
    path.write_bytes(path.read_bytes()[:5000])


def _garbled(root: Path) -> None:
    _database(root).write_bytes(b"no database at all" * 100)


def _folder(root: Path) -> None:
    _database(root).unlink()
    _database(root).mkdir()


def _gone(root: Path) -> None:
    _database(root).unlink()


def _edited(root: Path) -> None:
    (root / "a.py").write_text("def b():\n    return 2\n", encoding="utf-8")


def _left(root: Path) -> None:
    _database(root).with_name("index.db.damaged").write_bytes(b"x")


def _misspelt(root: Path) -> None:
    (root / "pyproject.toml").write_text("[tool.code-review-graph]\nexclud = []\n", encoding="utf-8")


STATES: dict[str, tuple[Callable[[Path], None], str, CheckState]] = {
    "cut short": (_cut, "database", CheckState.PROBLEM),
    "no database": (_garbled, "database", CheckState.PROBLEM),
    "a folder in its place": (_folder, "database", CheckState.PROBLEM),
    "gone": (_gone, "database", CheckState.WARNING),
    "an edited file": (_edited, "freshness", CheckState.WARNING),
    "something left over": (_left, "leftovers", CheckState.WARNING),
    "a misspelt setting": (_misspelt, "settings", CheckState.PROBLEM),
}


@pytest.mark.parametrize("name", STATES)
def test_each_state_is_seen_and_left_alone(indexed: Path, name: str) -> None:
    change, check, state = STATES[name]
    change(indexed)
    before = sorted((path.name, path.stat().st_size) for path in (indexed / ".code-review-graph").iterdir())
    found = checked(indexed, check)
    assert found.state is state, found
    assert found.advice
    after = sorted((path.name, path.stat().st_size) for path in (indexed / ".code-review-graph").iterdir())
    assert [item for item in after if not item[0].endswith(("-wal", "-shm"))] == before


def test_who_writes_is_named(indexed: Path) -> None:
    with Store(indexed) as writer, writer.writing(), Store(indexed) as store:
        found = next(check for check in doctor(store).checks if check.name == "lock")
    assert found.state is CheckState.WARNING


@pytest.mark.parametrize("broken", [False, True])
def test_the_command(indexed: Path, broken: bool) -> None:
    if broken:
        _garbled(indexed)
    command = [sys.executable, "-m", "code_review_graph", "doctor", "--repo", str(indexed), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    report = DoctorReport.model_validate(json.loads(done.stdout))
    assert done.returncode == int(broken), done.stderr
    assert report.healthy is not broken
    assert "Traceback" not in done.stderr
