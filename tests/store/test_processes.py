"""What holds between processes: real ones, killed for real."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from code_review_graph.errors import LockedError
from code_review_graph.store import Store
from tests.store.samples import INFO, numbered, stored

ROOT = Path(__file__).resolve().parents[2]
NODES = 3000


def start(repo: Path, program: str) -> subprocess.Popen[str]:
    """Another process with ``store`` open on the same repository."""
    head = f"""
        from code_review_graph.store import Store
        from tests.store.samples import INFO, numbered, stored
        store = Store({str(repo)!r})
    """
    source = textwrap.dedent(head) + textwrap.dedent(program)
    return subprocess.Popen(
        [sys.executable, "-c", source],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def generations(store: Store) -> set[str]:
    """Which writings the nodes that are read belong to."""
    with store.snapshot():
        nodes = list(store.iter_nodes())
        edges = list(store.iter_edges())
    assert len(nodes) == NODES
    assert len(edges) == NODES - 1
    return {node.name.rpartition("_")[2] for node in nodes[1:]}


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2])
def test_killing_a_writer_leaves_the_old_graph_or_the_new_one(tmp_path: Path, delay: float) -> None:
    with Store(tmp_path) as store:
        store.replace_graph(numbered(NODES, 0), INFO)
        writer = start(
            tmp_path,
            f"""
            graphs = [numbered({NODES}, number) for number in range(4)]
            print("ready", flush=True)
            while True:
                for graph in graphs:
                    store.replace_graph(graph, INFO)
            """,
        )
        assert line(writer) == "ready"
        time.sleep(delay)
        os.kill(writer.pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        end(writer)
        assert len(generations(store)) == 1
        with store.snapshot() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        store.replace_graph(numbered(NODES, 9), INFO)
        assert generations(store) == {"9"}


def test_a_reader_beside_a_writer_sees_whole_graphs_only(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.replace_graph(numbered(NODES, 0), INFO)
        writer = start(
            tmp_path,
            f"""
            for number in range(1, 6):
                store.replace_graph(numbered({NODES}, number), INFO)
            """,
        )
        try:
            while writer.poll() is None:
                assert len(generations(store)) == 1
        finally:
            end(writer)
        assert generations(store) == {"5"}


def test_two_writers_both_finish(tmp_path: Path) -> None:
    program = """
        for number in range({first}, {first} + 25):
            store.save_files([stored(f"f{{number}}.py")])
        store.replace_graph(numbered(50, 1), INFO)
    """
    writers = [start(tmp_path, program.format(first=first)) for first in (0, 100, 200)]
    for writer in writers:
        assert writer.wait(timeout=60) == 0
        end(writer)
    with Store(tmp_path) as store:
        assert len(store.file_records()) == 75
        assert store.has_graph()


def test_a_second_writer_is_told_who_holds_the_lock_and_a_dead_one_holds_none(tmp_path: Path) -> None:
    holder = start(
        tmp_path,
        """
        import time
        with store.writing():
            print("held", flush=True)
            time.sleep(60)
        """,
    )
    with Store(tmp_path) as store:
        assert line(holder) == "held"
        with pytest.raises(LockedError, match=f"Process {holder.pid} "), store.writing(timeout=0.2):
            pass
        end(holder)
        with store.writing(timeout=5):
            store.save_files([stored("a.py")])


def test_the_lock_is_for_one_thread_which_may_take_it_again(tmp_path: Path) -> None:
    refused: list[str] = []

    def other() -> None:
        try:
            with store.writing(timeout=0.1):
                pass
        except LockedError as error:
            refused.append(error.message)

    with Store(tmp_path) as store, Store(tmp_path) as second, store.writing(), store.writing():
        store.save_files([stored("a.py")])
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert refused == ["Another thread of this process is writing the index."]
        with pytest.raises(LockedError, match=str(os.getpid())), second.writing(timeout=0.1):
            pass
