"""Run a command and measure it whole: CPU of the process and all its children, and memory of the tree."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
SAMPLE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU is user + system in seconds, waited-for children included; memory in MB (10**6 bytes).

    ``largest_mb`` is the peak resident set of the largest single process (the kernel's figure); ``tree_mb`` the
    largest sum over the living tree, sampled, with shared pages counted once a process: an upper bound.
    """

    output: str
    wall: float
    cpu: float
    largest_mb: float
    tree_mb: float

    def __str__(self) -> str:
        return (
            f"{self.cpu:7.1f} CPU s  {self.wall:7.1f} s  {self.largest_mb:6.0f} MB largest process  "
            f"{self.tree_mb:6.0f} MB tree"
        )


def run(command: Sequence[str], cwd: Path) -> Cost:
    """Run to the end and measure; raises CalledProcessError when the command fails."""
    start = time.perf_counter()
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, text=True) as process:
        peak = [0]
        done = threading.Event()
        sampler = threading.Thread(target=_sample, args=(process.pid, peak, done), daemon=True)
        sampler.start()
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        done.set()
        sampler.join()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    wall = time.perf_counter() - start
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(output, wall, cpu, usage.ru_maxrss * 1024 / 1e6, peak[0] / 1e6)


def _sample(pid: int, peak: list[int], done: threading.Event) -> None:
    while not done.wait(SAMPLE_SECONDS):
        peak[0] = max(peak[0], sum(_resident(member) for member in _tree(pid)))


def _tree(pid: int) -> list[int]:
    members = [pid]
    for member in members:
        for task in Path(f"/proc/{member}/task").glob("*/children"):
            try:
                members.extend(map(int, task.read_text().split()))
            except OSError:
                continue  # the thread or process ended between listing and reading
    return members


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0
