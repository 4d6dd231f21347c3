"""Costs of whole process trees."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.measuring import run

BURN = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass\n"


def test_children_count(tmp_path: Path) -> None:
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BURN!r}], check=True); print('done')"
    cost = run([sys.executable, "-c", code], tmp_path)
    assert cost.output == "done\n"
    assert cost.cpu >= 0.4
    assert cost.tree_mb > 0
    assert cost.largest_mb > 0


def test_failure_is_raised(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        run([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)
