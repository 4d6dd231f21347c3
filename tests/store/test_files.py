from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from code_review_graph.errors import CorruptIndexError
from code_review_graph.model import Diagnostic
from code_review_graph.store import Store
from tests.store.samples import INFO, sample, stored


def test_facts_are_kept_by_path_and_ordered(store: Store) -> None:
    store.save_files([stored("b.py", b"2"), stored("a.py", b"1")])
    store.save_files([stored("b.py", b"3", digest="new")])
    assert list(store.facts()) == [("a.py", b"1"), ("b.py", b"3")]
    assert store.file_records()["b.py"] == stored("b.py", digest="new").record
    assert store.diagnostics() == [Diagnostic("a.py", "odd", 2), Diagnostic("b.py", "odd", 2)]
    store.remove_files(["a.py", "never.py"])
    assert list(store.file_records()) == ["b.py"]
    assert store.diagnostics() == [Diagnostic("b.py", "odd", 2)]


def test_a_file_without_facts_has_only_a_record(store: Store) -> None:
    store.save_files([stored("a.py", b"1")])
    store.save_files([stored("a.py", b"")])
    assert list(store.facts()) == []
    assert list(store.file_records()) == ["a.py"]


def test_touching_a_file_leaves_its_facts(store: Store) -> None:
    store.save_files([stored("a.py", b"1")])
    store.replace_graph(sample(), INFO)
    touched = stored("a.py").record._replace(size=11, mtime_ns=99)
    store.touch_files([touched])
    assert store.file_records() == {"a.py": touched}
    assert store.graph_is_current()


def test_what_was_skipped_is_replaced_whole(store: Store) -> None:
    store.save_files([stored("a.py")])
    first, second = Diagnostic("x.bin", "binary"), Diagnostic("y.js", "minified", 1)
    store.replace_skipped([second, first])
    assert store.skipped() == [second, first]
    store.replace_skipped([first])
    assert store.diagnostics() == [Diagnostic("a.py", "odd", 2), first]


def test_a_graph_is_current_until_facts_change(store: Store) -> None:
    assert not store.graph_is_current()
    store.save_files([stored("a.py")])
    assert not store.graph_is_current()
    store.replace_graph(sample(), INFO)
    assert store.graph_is_current()
    store.save_files([stored("a.py", b"other")])
    assert not store.graph_is_current()
    store.replace_graph(sample(), INFO)
    store.remove_files(["a.py"])
    assert not store.graph_is_current()


def test_facts_may_be_read_while_others_are_saved(store: Store) -> None:
    store.save_files([stored(f"f{number:03}.py", bytes([number])) for number in range(250)])
    seen = 0
    for path, _facts in store.facts():
        store.save_files([stored(path, b"later")])
        seen += 1
    assert seen == 250


def test_damaged_facts_are_a_damaged_index(store: Store) -> None:
    store.save_files([stored("a.py")])
    with store.writing(), sqlite3.connect(store.path) as connection:
        connection.execute("UPDATE facts SET facts = x'00'")
    with pytest.raises(CorruptIndexError, match="facts"):
        list(store.facts())


def test_facts_of_an_index_that_came_from_elsewhere_are_not_read(store: Store, tmp_path: Path) -> None:
    store.save_files([stored("a.py"), stored("b.py")])
    store.replace_graph(sample(), INFO)
    store.close()
    copy = tmp_path / "copy"
    shutil.copytree(store.path.parent, copy / ".code-review-graph")
    with Store(copy) as moved:
        assert moved.node(2) is not None
        assert list(moved.facts()) == []
        assert moved.file_records() == {}
        assert not moved.graph_is_current()
        moved.save_files([stored("b.py", b"new")])
        assert list(moved.facts()) == [("b.py", b"new")]
    assert len(list(store.facts())) == 2
