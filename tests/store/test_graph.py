from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from code_review_graph.errors import NoGraphError, QueryError
from code_review_graph.model import Edge, EdgeKind, Graph, NodeKind, Reference, ReferenceKind, Resolution
from code_review_graph.store import Store
from tests.store.samples import INFO, function, numbered, sample

WEIGHTS = (5.0, 3.0, 2.0, 1.0, 1.0, 1.0)


@pytest.fixture
def filled(store: Store) -> Store:
    store.replace_graph(sample(), INFO)
    return store


def test_reading_without_an_index_makes_no_file(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        assert not store.has_graph()
        assert store.info() is None
        assert store.file_records() == {}
        assert list(store.facts()) == []
        assert store.diagnostics() == []
        assert store.vector_count() == store.vectors_missing() == 0
        with pytest.raises(NoGraphError, match="has no index"):
            store.require_graph()
        with pytest.raises(NoGraphError):
            store.nodes_named("x")
    assert list(tmp_path.iterdir()) == []


def test_facts_alone_are_no_graph(store: Store) -> None:
    store.save_files([])
    assert not store.has_graph()
    with pytest.raises(NoGraphError):
        store.require_graph()


def test_nodes_come_back_without_body_words(filled: Store) -> None:
    expected = [function(2, "loadUser", line=3), function(3, "Outer.save_all", line=6)]
    assert filled.node(2) == expected[0]
    assert filled.node(9) is None
    assert list(filled.nodes([3, 2, 2, 77]).values()) == expected
    assert [node.id for node in filled.iter_nodes()] == [1, 2, 3]
    assert [node.id for node in filled.nodes_in_file("pkg/a.py")] == [1, 2, 3]
    assert filled.nodes_in_file("pkg/A.py") == []
    assert filled.paths() == ["pkg/a.py"]


@pytest.mark.parametrize(
    ("name", "ignore_case", "found"),
    [
        ("loadUser", True, [2]),
        ("LOADUSER", True, [2]),
        ("LOADUSER", False, []),
        ("loadUser", False, [2]),
        ("", True, []),
    ],
)
def test_names(filled: Store, name: str, ignore_case: bool, found: list[int]) -> None:
    assert [node.id for node in filled.nodes_named(name, ignore_case=ignore_case)] == found
    qualified = f"pkg/a.py::{name}"
    assert [node.id for node in filled.nodes_with_qualified_name(qualified, ignore_case=ignore_case)] == found


def test_edges_by_end_and_kind(filled: Store) -> None:
    calls, guess, tested = sample().edges
    assert filled.edges_from([3], [EdgeKind.CALLS]) == [calls]
    assert filled.edges_from([3, 1, 3], set(EdgeKind)) == [guess, calls]
    assert filled.edges_to([2, 3], [EdgeKind.CALLS]) == [calls, guess]
    assert filled.edges_to([3], [EdgeKind.TESTED_BY]) == [tested]
    assert filled.edges_to([3], []) == filled.edges_to([], [EdgeKind.CALLS]) == []
    assert list(filled.iter_edges()) == [calls, guess, tested]
    assert filled.references_from([1, 3]) == list(filled.iter_references()) == sample().references
    assert filled.in_degrees([1, 2, 3]) == {1: 0, 2: 1, 3: 1}


def test_many_ids_at_once(store: Store) -> None:
    store.replace_graph(numbered(3000, 1), INFO)
    assert len(store.nodes(range(1, 3001))) == 3000
    assert len(store.edges_from(range(1, 3001), [EdgeKind.CALLS])) == 2999


def test_counts(filled: Store) -> None:
    counts = filled.counts()
    assert counts.files == 1
    assert counts.nodes == {NodeKind.FILE: 1, NodeKind.FUNCTION: 2}
    assert counts.edges == {EdgeKind.CALLS: 2, EdgeKind.TESTED_BY: 1}
    assert counts.resolutions == {Resolution.EXACT: 1, Resolution.INFERRED: 1, Resolution.GUESS: 1}
    assert counts.references == {ReferenceKind.EXTERNAL: 1}
    assert counts.diagnostics == 0


def test_a_graph_replaces_the_one_before_it(filled: Store) -> None:
    later = INFO._replace(commit=None, version="2")
    filled.replace_graph(numbered(5, 7), later)
    assert filled.info() == later
    assert filled.nodes_named("loadUser") == []
    assert filled.full_text("settings", 9, WEIGHTS) == []
    assert [node.name for node in filled.iter_nodes()][1:] == [f"f{n}_of_7" for n in range(2, 6)]
    filled.save_info(INFO)
    assert filled.info() == INFO
    assert len(filled.nodes(range(10))) == 5


@pytest.mark.parametrize(
    "broken",
    [
        lambda graph: graph.nodes.pop(0),
        lambda graph: graph.edges.append(Edge(EdgeKind.CALLS, 1, 4, (), Resolution.EXACT)),
        lambda graph: graph.edges.append(Edge(EdgeKind.CALLS, 0, 1, (), Resolution.EXACT)),
        lambda graph: graph.references.append(graph.references[0]._replace(source=99)),
        lambda graph: graph.nodes.append(replace(function(4, "x"), parent=5)),
    ],
    ids=["ids", "target", "source", "reference", "parent"],
)
def test_a_graph_that_is_not_sound_is_refused(filled: Store, broken: Callable[[Graph], object]) -> None:
    graph = sample()
    broken(graph)
    with pytest.raises(ValueError, match=r"not in the graph|dense"):
        filled.replace_graph(graph, INFO)
    assert filled.node(2) == function(2, "loadUser", line=3)


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ('"user"', [2]),
        ('"load" OR "save"', [2, 3]),
        ('"settings"', [2]),
        ('"setting"', [2]),
        ('"pkg" AND "outer"', [3]),
        ('body : "settings"', [2]),
        ('name : "settings"', []),
        ('"nothing"', []),
    ],
)
def test_full_text(filled: Store, expression: str, found: list[int]) -> None:
    hits = filled.full_text(expression, 10, WEIGHTS)
    assert sorted(node_id for node_id, _ in hits) == found
    assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)


def test_full_text_weighs_columns_and_cuts(filled: Store) -> None:
    assert len(filled.full_text('"about"', 1, WEIGHTS)) == 1
    only_body = filled.full_text('"user"', 10, (0, 0, 0, 0, 0, 1))
    assert only_body[0][1] == 0.0
    with pytest.raises(ValueError, match="weights"):
        filled.full_text('"user"', 10, (1.0,))


@pytest.mark.parametrize("expression", ["foo(", '"', "", "a AND", "nosuch : x"])
def test_an_expression_that_fts5_refuses_is_a_query_error(filled: Store, expression: str) -> None:
    with pytest.raises(QueryError, match="full-text expression"):
        filled.full_text(expression, 10, WEIGHTS)


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("laodUser", "loadUser"),
        ("SAVE_ALL", "save_all"),
        ("saveall", "save_all"),
        ("zzz", None),
        ("", None),
        ("x" * 500, None),
    ],
)
def test_similar_names(filled: Store, name: str, best: str | None) -> None:
    found = filled.similar_names(name, 3)
    assert (found[0] if found else None) == best


def test_similar_names_of_many_are_found_at_once(store: Store) -> None:
    graph = numbered(40_000, 1)
    graph.nodes[7] = replace(graph.nodes[7], name="resolve_reverse_relation")
    store.replace_graph(graph, INFO)
    started = time.process_time()
    assert store.similar_names("resolve_revrese_relatoin", 3) == ["resolve_reverse_relation"]
    assert store.similar_names("xyzzy_plugh_nothing_like_it", 3) == []
    assert time.process_time() - started < 1


def test_unresolved_sites_are_counted_by_the_last_name(store: Store) -> None:
    graph = sample()
    unresolved = [("client.get", (1, 2)), ("get", (5,)), ("items[].get()", (6,)), ("getter", (7,)), ("()", (8,))]
    graph.references.extend(Reference(ReferenceKind.UNRESOLVED, 2, name, lines) for name, lines in unresolved)
    graph.references.append(Reference(ReferenceKind.EXTERNAL, 2, "os.environ.get", (9,)))
    store.replace_graph(graph, INFO)
    assert [store.unresolved_sites(name) for name in ("get", "getter", "Get", "client", "")] == [4, 1, 0, 0, 0]


def test_answers_use_indexes(filled: Store) -> None:
    with filled.snapshot() as connection:
        for sql in (
            "SELECT 1 FROM json_each('[1]') AS wanted CROSS JOIN edge ON edge.source = wanted.value WHERE kind IN (1)",
            "SELECT 1 FROM json_each('[1]') AS wanted CROSS JOIN edge ON edge.target = wanted.value WHERE kind IN (1)",
            "SELECT 1 FROM node WHERE name = 'x' COLLATE NOCASE",
            "SELECT 1 FROM node WHERE qualified_name = 'x' COLLATE NOCASE",
            "SELECT 1 FROM path JOIN node ON node.path_id = path.id WHERE path.path = 'x'",
            "SELECT lines FROM reference WHERE member = 'x'",
        ):
            plan = " ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}"))
            assert "SCAN node" not in plan
            assert "SCAN edge" not in plan
            assert "SCAN path" not in plan
            assert "SCAN reference" not in plan


def test_foreign_keys_hold_after_a_write(filled: Store) -> None:
    with filled.snapshot() as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA foreign_keys").fetchall() == [(1,)]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
