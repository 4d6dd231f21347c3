from __future__ import annotations

import gzip
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from code_review_graph.errors import SchemaError
from code_review_graph.indexing import build, update
from code_review_graph.results import Pattern
from code_review_graph.store import Store
from code_review_graph.store.migrations import MIGRATIONS, SCHEMA_VERSION, migrate, version_of
from code_review_graph.store.sql import Connection
from code_review_graph.tools import hybrid_search, query_graph
from tests.store.samples import INFO, sample


@pytest.fixture
def old(tmp_path: Path) -> Iterator[Connection]:
    """A file of version 1."""
    connection = apsw.Connection(str(tmp_path / "old.db"))
    connection.execute("CREATE TABLE thing (name TEXT); INSERT INTO thing VALUES ('kept'); PRAGMA user_version = 1")
    yield connection
    connection.close()


def add_size(connection: Connection) -> None:
    connection.execute("ALTER TABLE thing ADD COLUMN size INTEGER DEFAULT 3")


def double_size(connection: Connection) -> None:
    connection.execute("UPDATE thing SET size = size * 2")


def fail(connection: Connection) -> None:
    connection.execute("DELETE FROM thing")
    raise RuntimeError("half-way")


def test_missing_steps_run_in_order_and_once(old: Connection) -> None:
    migrate(old, (add_size,))
    migrate(old, (add_size, double_size))
    migrate(old, (add_size, double_size))
    assert old.execute("SELECT * FROM thing").fetchall() == [("kept", 6)]
    assert version_of(old) == 3


def test_a_step_that_fails_changes_nothing(old: Connection) -> None:
    with pytest.raises(RuntimeError):
        migrate(old, (add_size, fail))
    assert old.execute("SELECT * FROM thing").fetchall() == [("kept",)]
    assert version_of(old) == 1


def test_a_version_that_never_was_is_refused(old: Connection) -> None:
    old.execute("PRAGMA user_version = 0")
    with pytest.raises(SchemaError, match="no version wrote"):
        migrate(old, (add_size,))


def test_the_version_counts_the_migrations() -> None:
    assert len(MIGRATIONS) + 1 == SCHEMA_VERSION


def test_an_index_of_the_first_version_still_opens(tmp_path: Path) -> None:
    folder = tmp_path / ".code-review-graph"
    folder.mkdir()
    shutil.copy(Path(__file__).parent / "version1.db", folder / "index.db")
    with Store(tmp_path) as store:
        assert [node.name for node in store.iter_nodes()] == ["a.py", "loadUser", "save_all"]
        assert list(store.iter_edges()) == sample().edges
        assert store.info() == INFO
        store.replace_graph(sample(), INFO)
    with sqlite3.connect(folder / "index.db") as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)


def test_a_file_without_a_version_is_refused_in_words(store: Store) -> None:
    store.replace_graph(sample(), INFO)
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("PRAGMA user_version = 0")
    with pytest.raises(SchemaError):
        store.has_graph()


SOURCES = {
    "lib.py": 'class Base:\n    def run(self):\n        """Runs the machine."""\n        return self.step()\n\n'
    "    def step(self):\n        return 1\n",
    "use.py": "from lib import Base\n\n\ndef main():\n    return Base().run()\n\n\ndef test_main():\n    main()\n",
}
STORED = sorted((Path(__file__).parent / "data").glob("schema-*.db.gz"))


@pytest.mark.parametrize("stored", STORED, ids=lambda path: path.name)
def test_an_index_of_every_earlier_schema_answers_and_is_brought_up_to_date(tmp_path: Path, stored: Path) -> None:
    for path, text in SOURCES.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    database = tmp_path / ".code-review-graph" / "index.db"
    database.parent.mkdir()
    database.write_bytes(gzip.decompress(stored.read_bytes()))
    with sqlite3.connect(database) as connection:  # as if it had been made here
        connection.execute("UPDATE meta SET value = ? WHERE key = 'origin'", (database.stat().st_ino,))
    connection.close()
    with Store(tmp_path) as store:
        answer = query_graph(store, Pattern.CALLERS_OF, "Base.run")
        assert [neighbour.name for neighbour in answer.neighbours] == ["main"]
        assert [hit.name for hit in hybrid_search(store, "runs the machine", limit=1).hits] == ["run"]
        update(store)
        assert store.can_change()
        renewed = sorted(node.qualified_name for node in store.iter_nodes()), len(list(store.iter_edges()))
    assert list(database.parent.glob("index.db.*.*")) == []
    shutil.rmtree(database.parent)
    with Store(tmp_path) as store:
        build(store)
        assert renewed == (sorted(node.qualified_name for node in store.iter_nodes()), len(list(store.iter_edges())))
