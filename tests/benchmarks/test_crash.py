"""The rigs that kill and crowd, for as long as a test may take; a long run of them is in benchmarks/README.md."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import hammer, kills


@pytest.mark.skipif(sys.platform == "win32", reason="nothing there is like SIGKILL")
def test_nothing_is_lost_when_it_is_killed(tmp_path: Path) -> None:
    found = kills.run(None, tmp_path, kills=6, seed=3)
    assert found["wrong"] == []


def test_many_processes_on_one_index(tmp_path: Path) -> None:
    found = hammer.run(tmp_path, seconds=4)
    assert found["errors"] == []
    assert found["torn"] == []
    counts = found["counts"]
    assert isinstance(counts, dict)
    assert all(counts[f"{role}: rounds"] for role in ("reader", "updater", "builder"))
