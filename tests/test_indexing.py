from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from code_review_graph.config import Settings
from code_review_graph.embedding import load_embedder
from code_review_graph.errors import ForeignDatabaseError, LockedError, RepositoryError, SchemaError
from code_review_graph.indexing import build, update
from code_review_graph.model import EdgeKind
from code_review_graph.store import Store
from code_review_graph.tools.models import embedder_of
from tests.conftest import MakeRepository, commit_all, git, write_files
from tests.test_workers import children, linux, many

ROOT = Path(__file__).resolve().parents[1]
SMALL = {"lib.py": "def fn(x):\n    return x\n", "use.py": "from lib import fn\n\n\ndef main():\n    return fn(1)\n"}


class Interruption(Exception):  # noqa: N818 - no error
    """Raised by a reporter that wants the work to stop."""


def contents(store: Store) -> object:
    """All that an index says, without ids."""
    nodes = {node.id: node for node in store.iter_nodes()}
    names = {number: f"{node.qualified_name}@{node.start_line}" for number, node in nodes.items()}
    return (
        sorted((names[number], node.kind, node.path, node.end_line, node.docstring) for number, node in nodes.items()),
        sorted(
            (e.kind, names[e.source], names[e.target], e.lines, e.resolution, e.distance) for e in store.iter_edges()
        ),
        sorted((r.kind, names[r.source], r.name, r.lines) for r in store.iter_references()),
    )


def assert_same_as_fresh(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "fresh.db"
    with Store(store.repo_path, database=path) as fresh:
        build(fresh)
        assert contents(store) == contents(fresh)
    path.unlink()


def callers(store: Store, qualified_name: str) -> set[str]:
    targets = store.nodes_with_qualified_name(qualified_name)
    edges = store.edges_to([node.id for node in targets], [EdgeKind.CALLS])
    return {node.qualified_name for node in store.nodes(edge.source for edge in edges).values()}


def names(store: Store) -> set[str]:
    return {node.qualified_name for node in store.iter_nodes()}


def test_a_build_makes_an_index(repository: MakeRepository) -> None:
    root = repository(SMALL)
    stages: list[str] = []
    with Store(root) as store:
        report = build(store, progress=lambda stage, _done, _total: stages.append(stage))
        assert callers(store, "lib.py::fn") == {"use.py::main"}
        assert (report.files, report.parsed, report.removed, report.embedded) == (2, 2, 0, 0)
        assert report.full
        assert report.nodes == len(names(store)) == report.vectors_missing
        info = store.info()
        assert info is not None
        assert info.commit == git(root, "rev-parse", "HEAD")
        assert store.graph_is_current()
    assert list(dict.fromkeys(stages))[:2] == ["walk", "parse"]
    assert "store" in stages
    assert git(root, "status", "--porcelain") == ""


def test_an_update_without_an_index_builds_it(folder: MakeRepository) -> None:
    with Store(folder(SMALL)) as store:
        assert update(store).parsed == 2
        assert callers(store, "lib.py::fn") == {"use.py::main"}


def test_nothing_changed_writes_nothing(repository: MakeRepository) -> None:
    with Store(repository(SMALL)) as store:
        build(store)
        before = store.info()
        stages: list[str] = []
        report = update(store, progress=lambda stage, _done, _total: stages.append(stage))
        assert (report.files, report.parsed, report.removed) == (2, 0, 0)
        assert store.info() == before
        assert "store" not in stages


def test_a_new_commit_of_the_same_files_is_noted(repository: MakeRepository) -> None:
    root = repository(SMALL)
    with Store(root) as store:
        build(store)
        commit = commit_all(root, "Nothing")
        update(store)
        info = store.info()
        assert info is not None
        assert info.commit == commit


def test_edits_are_found_by_content(repository: MakeRepository, tmp_path: Path) -> None:
    root = repository(SMALL)
    with Store(root) as store:
        build(store)
        write_files(
            root, {"lib.py": '"""Now with a docstring."""\n\n\ndef fn(x):\n    """Return x."""\n    return x\n'}
        )
        assert update(store).parsed == 1
        assert callers(store, "lib.py::fn") == {"use.py::main"}
        assert_same_as_fresh(store, tmp_path)
        write_files(root, {"lib.py": SMALL["lib.py"].replace("fn", "gn")})
        assert update(store).parsed == 1
        assert "lib.py::fn" not in names(store)
        assert "lib.py::gn" in names(store)
        assert_same_as_fresh(store, tmp_path)
        write_files(root, SMALL)
        update(store)
        assert callers(store, "lib.py::fn") == {"use.py::main"}
        assert_same_as_fresh(store, tmp_path)


def test_an_edit_of_the_same_size_and_time_is_found(repository: MakeRepository) -> None:
    root = repository({"a.py": "def aa(): pass\n"})
    with Store(root) as store:
        build(store)
        for name in ("bb", "cc", "dd"):
            before = (root / "a.py").stat()
            write_files(root, {"a.py": f"def {name}(): pass\n"})
            os.utime(root / "a.py", ns=(before.st_atime_ns, before.st_mtime_ns))
            update(store)
            assert names(store) == {"a.py", f"a.py::{name}"}


def test_files_come_and_go(repository: MakeRepository, tmp_path: Path) -> None:
    root = repository(SMALL)
    with Store(root) as store:
        build(store)
        (root / "lib.py").unlink()
        write_files(root, {"more.py": "from use import main\n\n\ndef extra():\n    return main()\n"})
        report = update(store)
        assert (report.files, report.parsed, report.removed) == (2, 1, 1)
        assert names(store) == {"use.py", "use.py::main", "more.py", "more.py::extra"}
        assert_same_as_fresh(store, tmp_path)
        git(root, "checkout", "-q", "--", "lib.py")
        (root / "more.py").unlink()
        update(store)
        assert callers(store, "lib.py::fn") == {"use.py::main"}
        assert_same_as_fresh(store, tmp_path)


def test_a_file_that_was_only_touched_is_not_parsed_again(repository: MakeRepository) -> None:
    root = repository(SMALL)
    with Store(root) as store:
        build(store)
        (root / "lib.py").touch()
        before = store.info()
        assert update(store).parsed == 0
        assert store.info() == before


def test_configuration_of_tests_is_part_of_the_input(repository: MakeRepository) -> None:
    root = repository(SMALL | {"pytest.ini": "[pytest]\n"})
    with Store(root) as store:
        build(store)
        before = store.info()
        write_files(root, {"pytest.ini": "[pytest]\npython_functions = check_*\n"})
        assert update(store).parsed == 0
        after = store.info()
        assert before is not None
        assert after is not None
        assert before.inputs != after.inputs


def test_what_was_left_out_is_said(repository: MakeRepository) -> None:
    root = repository(SMALL | {"nul.py": b"\0\0", "min.py": b"x=1;" * 10_000, "big.py": b"x = 1\n" * 10_000})
    write_files(root, {"bad.py": "def broken(:\n    pass\n\n\ndef whole():\n    pass\n"})
    with Store(root) as store:
        report = build(store, settings=Settings(max_file_bytes=50_000))
        assert {line.partition(":")[0] for line in report.diagnostics} == {"bad.py", "big.py", "min.py", "nul.py"}
        assert "bad.py::whole" in names(store)
        again = update(store, settings=Settings(max_file_bytes=50_000))
        assert again.parsed == 0
        assert again.diagnostics == report.diagnostics
        (root / "nul.py").write_text("def now():\n    pass\n")
        assert update(store, settings=Settings(max_file_bytes=50_000)).parsed == 1
        assert "nul.py::now" in names(store)


def test_an_empty_repository_is_an_empty_graph(repository: MakeRepository) -> None:
    root = repository(SMALL)
    with Store(root) as store:
        build(store)
        for name in SMALL:
            (root / name).unlink()
        assert update(store).removed == 2
        assert store.has_graph()
        assert names(store) == set()


@linux
@pytest.mark.parametrize("stage", ["walk", "parse", "store"])
@pytest.mark.parametrize("error", [Interruption, KeyboardInterrupt])
def test_an_interruption_leaves_the_graph_before_it(
    folder: MakeRepository, stage: str, error: type[BaseException]
) -> None:
    root = folder(SMALL)
    before = children()

    def interrupt(current: str, done: int, total: int) -> None:
        if current == stage and (done or stage != "parse"):
            raise error

    with Store(root) as store:
        build(store)
        expected = contents(store)
        write_files(root, many(40))
        with pytest.raises(error):
            update(store, progress=interrupt)
        assert not children() - before
        assert contents(store) == expected
        with store.writing(timeout=0):
            pass
        update(store)
        assert "pkg/m39.py" in names(store)


def test_an_interrupted_first_build_goes_on_where_it_was(folder: MakeRepository) -> None:
    root = folder(SMALL)

    def interrupt(stage: str, done: int, total: int) -> None:
        if stage == "store":
            raise Interruption

    with Store(root) as store:
        with pytest.raises(Interruption):
            build(store, progress=interrupt)
        assert not store.has_graph()
        assert build(store).parsed == 0
        assert callers(store, "lib.py::fn") == {"use.py::main"}
        assert build(store).parsed == 2


@pytest.mark.skipif(os.name == "nt", reason="kills as POSIX does")
@pytest.mark.parametrize("delay", [0.3, 0.6, 0.9, 1.2])
def test_killing_a_build_leaves_an_index_that_works(folder: MakeRepository, tmp_path: Path, delay: float) -> None:
    root = folder(SMALL)
    with Store(root) as store:
        build(store)
        expected = contents(store)
        write_files(root, many(40))
        program = (
            "import sys; from code_review_graph.store import Store; from code_review_graph.indexing import update; "
            "update(Store(sys.argv[1]))"
        )
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen([sys.executable, "-c", program, str(root)], env=environment)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert contents(store) == expected or "pkg/m39.py" in names(store)
        update(store)
        assert_same_as_fresh(store, tmp_path)


@pytest.mark.parametrize("size", [0, 50, 100, 5000])
def test_a_damaged_index_is_set_aside_and_made_anew(repository: MakeRepository, tmp_path: Path, size: int) -> None:
    root = repository(SMALL)
    with Store(root) as store:
        build(store)
    os.truncate(store.path, size)
    with Store(root) as store:
        report = update(store)
        assert report.parsed == 2
        assert_same_as_fresh(store, tmp_path)
        assert store.path.with_name("index.db.damaged").exists() == (size > 0)


def test_a_newer_index_is_rebuilt_by_build_alone(repository: MakeRepository) -> None:
    root = repository(SMALL)
    with Store(root) as store:
        build(store)
        with sqlite3.connect(store.path) as connection:
            connection.execute("PRAGMA user_version = 1001")
        with pytest.raises(SchemaError):
            update(store)
        assert build(store).parsed == 2
        assert callers(store, "lib.py::fn") == {"use.py::main"}


def test_a_foreign_file_is_left_alone(repository: MakeRepository) -> None:
    root = repository(SMALL)
    path = root / ".code-review-graph" / "index.db"
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with Store(root) as store:
        for make in (build, update):
            with pytest.raises(ForeignDatabaseError):
                make(store)
    assert path.read_bytes() == before


def test_a_second_build_waits_for_the_first(repository: MakeRepository) -> None:
    with Store(repository(SMALL)) as store, Store(store.repo_path) as other:
        with other.writing(), pytest.raises(LockedError), store.writing(timeout=0.1):
            pass
        build(store)


def test_the_root_of_the_file_system_is_refused(tmp_path: Path) -> None:
    with Store(Path(tmp_path.anchor), database=tmp_path / "index.db") as store, pytest.raises(RepositoryError):
        build(store)
    assert not (tmp_path / "index.db").exists()


def test_vectors_are_made_once_for_each_text(repository: MakeRepository) -> None:
    root = repository(SMALL)
    embedder = load_embedder("static")
    with Store(root) as store:
        first = build(store, embedder=embedder)
        assert first.embedded > 0
        assert first.vectors_missing == 0
        assert build(store, embedder=embedder).embedded == 0
        assert update(store, embedder=embedder).vectors_missing == 0
        write_files(root, {"lib.py": SMALL["lib.py"] + "\n\ndef other():\n    '''Write a file.'''\n"})
        report = update(store, embedder=embedder)
        assert 1 <= report.embedded <= 2
        assert report.vectors_missing == 0
        assert store.nearest(embedder.embed_query("write a file"), 3)


@pytest.mark.parametrize("make", [build, update])
def test_vectors_outlive_a_build_without_an_embedder(repository: MakeRepository, make: Callable[..., object]) -> None:
    root = repository(SMALL)
    embedder = load_embedder("static")
    with Store(root) as store:
        build(store, embedder=embedder)
        whole = store.vector_count()
        write_files(root, {"aaa.py": "def first():\n    return 'moves every id'\n"})
        make(store)
        assert (store.vector_count(), store.vectors_missing()) == (whole, 2)
        node_id, cosine = store.nearest(embedder.embed_query("lib fn"), 1)[0]
        assert store.nodes([node_id])[node_id].qualified_name in {"lib.py", "lib.py::fn"}
        assert cosine > 0.3
        assert update(store, embedder=embedder).embedded == 2
        assert store.vectors_missing() == 0


def test_an_index_that_came_from_elsewhere_is_made_anew(repository: MakeRepository, tmp_path: Path) -> None:
    root = repository(SMALL)
    with Store(root) as store:
        build(store, embedder=load_embedder("static"))
    other = tmp_path / "other"
    shutil.copytree(root, other)
    with sqlite3.connect(other / ".code-review-graph" / "index.db") as connection:
        connection.execute("UPDATE meta SET value = 'openai' WHERE key = 'provider'")
        connection.execute("UPDATE node SET docstring = 'Planted.'")
    with Store(other) as store:
        assert embedder_of(store) is None
        assert update(store).parsed == 2
        assert store.embedding_model() is None
        assert store.path.with_name("index.db.elsewhere").exists()
        assert_same_as_fresh(store, tmp_path)
        assert update(store).parsed == 0
