from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from code_review_graph.errors import (
    CorruptIndexError,
    ForeignDatabaseError,
    NoGraphError,
    RepositoryError,
    SchemaError,
    StoreError,
)
from code_review_graph.store import Store
from code_review_graph.store.migrations import APPLICATION_ID, SCHEMA_VERSION
from tests.store.samples import INFO, numbered, sample, stored


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A repository with an index that nobody has open."""
    with Store(tmp_path) as store:
        store.save_files([stored("a.py")])
        store.replace_graph(numbered(2000, 1), INFO)
    return tmp_path


def test_the_file_is_ours_and_ignored_by_git(store: Store) -> None:
    store.replace_graph(sample(), INFO)
    folder = store.repo_path / ".code-review-graph"
    assert store.path == folder / "index.db"
    assert (folder / ".gitignore").read_text() == "*\n"
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        strict = connection.execute("SELECT name, strict FROM pragma_table_list WHERE type = 'table'").fetchall()
    assert {name for name, is_strict in strict if not is_strict} <= {"sqlite_schema", "sqlite_temp_schema"}


def test_the_public_tools_file_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / ".code-review-graph"
    folder.mkdir()
    (folder / "graph.db").write_bytes(b"theirs")
    with Store(tmp_path) as store:
        store.replace_graph(sample(), INFO)
    assert (folder / "graph.db").read_bytes() == b"theirs"


def _other_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE nodes (x)")


def _other_application(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA application_id = 77")
        connection.execute("CREATE TABLE nodes (x)")


@pytest.mark.parametrize("make", [_other_database, _other_application])
def test_a_foreign_database_is_never_touched(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / ".code-review-graph" / "index.db"
    path.parent.mkdir()
    make(path)
    before = path.read_bytes()
    with Store(tmp_path) as store:
        for use in (
            store.has_graph,
            lambda: store.replace_graph(sample(), INFO),
            lambda: store.save_files([stored("a.py")]),
            lambda: store.set_aside("damaged"),
        ):
            with pytest.raises(ForeignDatabaseError, match="left untouched"):
                use()
    assert path.read_bytes() == before


def test_text_where_a_caller_wants_a_database_is_never_touched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes")
    with Store(tmp_path, database=path) as store:
        with pytest.raises(ForeignDatabaseError):
            store.has_graph()
        with pytest.raises(ForeignDatabaseError):
            store.replace_graph(sample(), INFO)
    assert path.read_text() == "my notes"


def test_an_empty_file_counts_as_none(tmp_path: Path) -> None:
    path = tmp_path / ".code-review-graph" / "index.db"
    path.parent.mkdir()
    path.touch()
    with Store(tmp_path) as store:
        with pytest.raises(NoGraphError):
            store.require_graph()
        store.replace_graph(sample(), INFO)
        store.require_graph()


@pytest.mark.parametrize("size", [1, 50, 100, 4096, 20_000])
def test_a_file_cut_short_is_damaged_and_can_be_set_aside(closed: Path, size: int) -> None:
    with Store(closed) as store:
        os.truncate(store.path, size)
        with pytest.raises(CorruptIndexError, match="is damaged"):
            list(store.iter_nodes())
        damaged = store.path.read_bytes()
        kept = store.set_aside("damaged")
        assert kept is not None
        assert kept.read_bytes() == damaged
        with pytest.raises(NoGraphError):
            store.require_graph()
        store.replace_graph(sample(), INFO)
        assert store.node(2) is not None
        assert store.set_aside("damaged") == kept


def test_garbage_is_damaged(closed: Path) -> None:
    with Store(closed) as store:
        store.path.write_bytes(b"garbage" * 1000)
        with pytest.raises(CorruptIndexError):
            store.has_graph()
        with pytest.raises(CorruptIndexError):
            store.replace_graph(sample(), INFO)


def test_damage_is_seen_by_a_store_that_is_open(closed: Path) -> None:
    with Store(closed) as store:
        assert store.has_graph()
        os.truncate(store.path, 100)
        with pytest.raises(CorruptIndexError):
            list(store.iter_nodes())


def test_a_missing_table_is_damage(closed: Path) -> None:
    with Store(closed) as store:
        with sqlite3.connect(store.path) as connection:
            connection.execute("DROP TABLE edge")
        with pytest.raises(CorruptIndexError, match="edge"):
            list(store.iter_edges())


def test_a_newer_schema_is_refused_in_words_even_by_a_store_that_is_open(closed: Path) -> None:
    with Store(closed) as store, Store(closed) as opened:
        assert opened.has_graph()
        with sqlite3.connect(store.path) as connection:
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1000}")
        for reader in (store, opened):
            with pytest.raises(SchemaError, match="newer version"):
                reader.nodes_named("x")
            with pytest.raises(SchemaError, match="newer version"):
                reader.replace_graph(sample(), INFO)
        assert store.set_aside("other-schema") is not None
        opened.replace_graph(sample(), INFO)
        assert store.node(2) is not None


def test_a_store_that_is_open_notices_that_the_file_was_replaced(closed: Path, tmp_path: Path) -> None:
    with Store(closed) as store:
        assert store.nodes_named("f5_of_1")
        shutil.rmtree(store.path.parent)
        with pytest.raises(NoGraphError):
            store.nodes_named("f5_of_1")
        with Store(closed) as other:
            other.replace_graph(numbered(9, 2), INFO)
        assert store.nodes_named("f5_of_2")


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("linked", ["folder", "file"])
def test_a_link_does_not_lead_writes_out_of_the_repository(tmp_path: Path, linked: str) -> None:
    outside, repo = tmp_path / "outside", tmp_path / "repo"
    outside.mkdir()
    repo.mkdir()
    if linked == "folder":
        (repo / ".code-review-graph").symlink_to(outside)
    else:
        (repo / ".code-review-graph").mkdir()
        (repo / ".code-review-graph" / "index.db").symlink_to(outside / "index.db")
    with Store(repo) as store, pytest.raises(RepositoryError, match="link"):
        store.replace_graph(sample(), INFO)
    assert list(outside.iterdir()) == []


def test_a_repository_has_to_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="not a folder"):
        Store(tmp_path / "nowhere")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with Store(tmp_path) as store, pytest.raises(StoreError, match="cannot be written"):
        store.replace_graph(sample(), INFO)
    tmp_path.chmod(0o700)


def test_each_thread_has_its_own_connection(closed: Path) -> None:
    found: list[int] = []
    with Store(closed) as store:

        def read() -> None:
            found.append(len(store.nodes(range(1, 2001))))

        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [2000] * 8


def test_a_snapshot_does_not_change_while_others_write(closed: Path) -> None:
    with Store(closed) as store, Store(closed) as other:
        with store.snapshot():
            assert store.nodes_named("f5_of_1")
            other.replace_graph(numbered(9, 2), INFO)
            with store.snapshot():
                assert store.nodes_named("f5_of_1")
                assert not store.nodes_named("f5_of_2")
        assert store.nodes_named("f5_of_2")


def test_the_write_ahead_log_does_not_stay(closed: Path) -> None:
    with Store(closed) as store:
        store.replace_graph(numbered(3000, 2), INFO)
        assert store.path.with_name("index.db-wal").stat().st_size == 0
        with Store(closed) as reader, reader.snapshot():
            started = time.monotonic()
            store.replace_graph(numbered(3000, 3), INFO)
            assert time.monotonic() - started < 10
            assert reader.nodes_named("f5_of_2")


def test_closing_while_another_thread_reads(closed: Path) -> None:
    errors: list[BaseException] = []
    with Store(closed) as store:

        def read() -> None:
            for _ in range(30):
                try:
                    store.nodes(range(1, 2001))
                except StoreError:
                    continue
                except Exception as error:  # noqa: BLE001 - any is a failure
                    errors.append(error)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(30):
            store.close()
        for thread in threads:
            thread.join()
        assert errors == []
        assert len(store.nodes(range(1, 2001))) == 2000


def test_a_failed_write_leaves_nothing_behind(closed: Path) -> None:
    def files() -> object:
        yield stored("new.py")
        raise RuntimeError("the parser failed")

    with Store(closed) as store:
        with pytest.raises(RuntimeError):
            store.save_files(files())  # type: ignore[arg-type]
        assert list(store.file_records()) == ["a.py"]
        store.save_files([stored("other.py")])
        assert list(store.file_records()) == ["a.py", "other.py"]


SUFFIXES = ["-wal", "-shm", "-journal", ".lock", ".new", ".new-journal", ".new-wal"]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_link_beside_the_index_is_followed(closed: Path, suffix: str) -> None:
    victim = closed / "precious"
    victim.write_text("kept")
    with Store(closed) as store:
        link = store.path.with_name(f"{store.path.name}{suffix}")
        link.unlink(missing_ok=True)
        link.symlink_to(victim)
        for use in (store.has_graph, lambda: store.replace_graph(sample(), INFO)):
            with pytest.raises(RepositoryError, match="is a link"):
                use()
    assert victim.read_text() == "kept"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_an_index_is_not_read_through_a_link(closed: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / ".code-review-graph").mkdir(parents=True)
    (other / ".code-review-graph" / "index.db").symlink_to(closed / ".code-review-graph" / "index.db")
    with Store(other) as store, pytest.raises(RepositoryError, match="is a link"):
        store.has_graph()


def test_a_journal_that_came_from_elsewhere_is_not_played(closed: Path) -> None:
    with Store(closed) as store:
        journal = store.path.with_name("index.db-journal")
        journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(504))
        with pytest.raises(CorruptIndexError, match="journal"):
            store.has_graph()
        assert store.set_aside("damaged") is not None
        assert not journal.exists()
        assert store.path.with_name("index.db.damaged-journal").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON facts BEGIN DELETE FROM facts; END",
        "CREATE VIEW v AS SELECT 1",
    ],
)
def test_views_and_triggers_are_damage(closed: Path, statement: str) -> None:
    with sqlite3.connect(closed / ".code-review-graph" / "index.db") as connection:
        connection.execute(statement)
    with Store(closed) as store, pytest.raises(CorruptIndexError, match="views or triggers"):
        store.has_graph()


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("UPDATE node SET kind = 99", lambda store: store.node(2)),
        ("UPDATE node SET name = CAST(x'fffe' AS TEXT)", lambda store: store.node(2)),
        ("UPDATE edge SET resolution = 99", lambda store: list(store.iter_edges())),
        ("UPDATE edge SET lines = 'one,two'", lambda store: list(store.iter_edges())),
        ("UPDATE meta SET value = '{' WHERE key = 'counts'", lambda store: store.counts()),
        ("DELETE FROM meta WHERE key = 'commit'", lambda store: store.info()),
        ("INSERT INTO meta VALUES ('provider', 'static')", lambda store: store.embedding_model()),
    ],
)
def test_nonsense_in_the_tables_is_damage(closed: Path, statement: str, read: Callable[[Store], object]) -> None:
    with sqlite3.connect(closed / ".code-review-graph" / "index.db") as connection:
        connection.execute(statement)
    with Store(closed) as store, pytest.raises(CorruptIndexError):
        read(store)


@pytest.mark.parametrize("name", ["index.db.lock", "index.db.new", "index.db"])
def test_a_folder_in_the_place_of_a_file(tmp_path: Path, name: str) -> None:
    (tmp_path / ".code-review-graph" / name / "theirs").mkdir(parents=True)
    with Store(tmp_path) as store, pytest.raises(StoreError, match="cannot be"):
        store.replace_graph(sample(), INFO)
    assert (tmp_path / ".code-review-graph" / name / "theirs").is_dir()


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_folder_whose_name_is_not_utf8(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    folder.mkdir()
    with pytest.raises(RepositoryError, match="not UTF-8"):
        Store(folder)


@pytest.mark.parametrize("name", ["loop", "~nobody-of-this-name/x", "x" * 5000, "nul\0"])
def test_what_is_no_folder_is_said_in_words(tmp_path: Path, name: str) -> None:
    if name == "loop" and os.name != "nt":
        (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(RepositoryError):
        Store(name if name.startswith("~") else tmp_path / name)
