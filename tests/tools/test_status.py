"""graph_status: what an index says of itself, and how it says that files have changed since."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_review_graph.results import Pattern
from code_review_graph.store import Store
from code_review_graph.tools.build import build_or_update_graph
from code_review_graph.tools.query import query_graph
from code_review_graph.tools.search import hybrid_search
from code_review_graph.tools.status import graph_status


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "shop.py").write_text("def price(x):\n    return x\n\n\ndef total(xs):\n    return price(xs)\n")
    (tmp_path / "till.py").write_text("from shop import total\n\n\ndef ring(xs):\n    return total(xs)\n")
    found = Store(tmp_path)
    build_or_update_graph(found, full=True, embed=False)
    return found


def test_a_fresh_index_has_no_changed_files(store: Store) -> None:
    status = graph_status(store)
    assert (status.changed_files, status.files) == (0, 2)
    assert "changed since" not in status.hint


def test_changed_added_and_removed_files_are_counted(store: Store) -> None:
    (store.repo_path / "shop.py").write_text("def price(x):\n    return 2 * x\n")
    (store.repo_path / "new.py").write_text("")
    (store.repo_path / "till.py").unlink()
    status = graph_status(store)
    assert status.changed_files == 3
    assert "3 files have changed since: run `code-review-graph update`" in status.hint
    build_or_update_graph(store, embed=False)
    assert graph_status(store).changed_files == 0


def test_a_touched_file_is_not_a_changed_one(store: Store) -> None:
    path = store.repo_path / "shop.py"
    path.write_text(path.read_text())
    assert graph_status(store).changed_files == 0


def test_a_call_may_be_pasted_as_a_target(store: Store) -> None:
    (caller,) = query_graph(store, Pattern.CALLERS_OF, "price()").neighbours
    assert caller.qualified_name == "shop.py::total"


def test_an_empty_search_says_so(store: Store) -> None:
    found = hybrid_search(store, "price", paths=["nowhere"])
    assert found.hits == ()
    assert "ask without them" in " ".join(found.notices)
