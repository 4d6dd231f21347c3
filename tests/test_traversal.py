from __future__ import annotations

from pathlib import Path

import pytest

from code_review_graph.model import EdgeKind, Node, Resolution
from code_review_graph.results import Pattern
from code_review_graph.store import Store
from code_review_graph.traversal import STEPS, innermost, walk
from tests.graphs import GraphMaker


def node(store: Store, qualified_name: str) -> Node:
    (found,) = store.nodes_with_qualified_name(qualified_name, ignore_case=False)
    return found


def reached(store: Store, start: str, pattern: Pattern, depth: int = 1) -> list[tuple[str, int, str]]:
    hits = walk(store, node(store, start), pattern, depth)
    return [(hit.node.name, hit.distance, str(hit.resolution)) for hit in hits]


def chain() -> GraphMaker:
    """One calls two calls three calls one."""
    maker = GraphMaker().file("a.py")
    for line, name in enumerate(("one", "two", "three"), 1):
        maker.node(f"a.py::{name}", lines=(line * 10, line * 10 + 5))
    return maker.edge("a.py::one", "a.py::two").edge("a.py::two", "a.py::three").edge("a.py::three", "a.py::one")


def test_every_pattern_has_a_step() -> None:
    assert set(STEPS) == set(Pattern)


@pytest.mark.parametrize(
    ("pattern", "depth", "expected"),
    [
        (Pattern.CALLEES_OF, 1, [("two", 1)]),
        (Pattern.CALLEES_OF, 2, [("two", 1), ("three", 2)]),
        (Pattern.CALLERS_OF, 1, [("three", 1)]),
        pytest.param(Pattern.CALLERS_OF, 10, [("three", 1), ("two", 2)], id="a-cycle-ends-where-it-closes"),
    ],
)
def test_hops(tmp_path: Path, pattern: Pattern, depth: int, expected: list[tuple[str, int]]) -> None:
    store = chain().store(tmp_path)
    assert [hit[:2] for hit in reached(store, "a.py::one", pattern, depth)] == expected


def test_recursion_shows_the_definition_as_its_own_caller(tmp_path: Path) -> None:
    store = chain().edge("a.py::two", "a.py::two", lines=(22,)).store(tmp_path)
    assert reached(store, "a.py::two", Pattern.CALLERS_OF) == [("one", 1, "exact"), ("two", 1, "exact")]


def test_nearest_then_surest_then_place(tmp_path: Path) -> None:
    maker = GraphMaker().file("a.py").file("b.py")
    for name, line in (("target", 1), ("by_type", 10), ("by_name", 20), ("by_override", 30)):
        maker.node(f"a.py::{name}", lines=(line, line + 5))
    maker.node("b.py::certain", lines=(5, 6))
    maker.edge("a.py::by_override", "a.py::target", resolution=Resolution.DISPATCH)
    maker.edge("a.py::by_name", "a.py::target", resolution=Resolution.GUESS)
    maker.edge("a.py::by_type", "a.py::target", resolution=Resolution.INFERRED)
    maker.edge("b.py::certain", "a.py::target")
    assert [hit[0] for hit in reached(maker.store(tmp_path), "a.py::target", Pattern.CALLERS_OF)] == [
        "certain",
        "by_type",
        "by_override",
        "by_name",
    ]


def test_a_guess_is_not_walked_on_from_and_gives_way_to_a_certain_edge(tmp_path: Path) -> None:
    maker = chain()
    maker.node("a.py::behind", lines=(90, 91)).node("a.py::guessed", lines=(80, 81))
    maker.edge("a.py::one", "a.py::three", resolution=Resolution.GUESS)
    maker.edge("a.py::one", "a.py::guessed", resolution=Resolution.GUESS).edge("a.py::guessed", "a.py::behind")
    store = maker.store(tmp_path)
    assert reached(store, "a.py::one", Pattern.CALLEES_OF, 3) == [
        ("two", 1, "exact"),
        ("guessed", 1, "guess"),
        ("three", 2, "exact"),
    ]


def test_sites_of_one_pair_come_together(tmp_path: Path) -> None:
    maker = GraphMaker().file("a.py").node("a.py::f").node("a.py::g")
    maker.edge("a.py::f", "a.py::g", lines=(7,), via="operator")
    maker.edge("a.py::f", "a.py::g", lines=(3, 5), resolution=Resolution.INFERRED)
    store = maker.store(tmp_path)
    (hit,) = walk(store, node(store, "a.py::f"), Pattern.CALLEES_OF, 1)
    assert (hit.lines, hit.resolution, hit.via, hit.site_path) == ((3, 5, 7), Resolution.EXACT, None, "a.py")


def test_tests_keep_their_own_distance(tmp_path: Path) -> None:
    maker = GraphMaker().file("a.py").node("a.py::f").file("t.py")
    maker.node("t.py::test_near", is_test=True).node("t.py::test_far", is_test=True)
    maker.edge("a.py::f", "t.py::test_far", EdgeKind.TESTED_BY, distance=2)
    maker.edge("a.py::f", "t.py::test_near", EdgeKind.TESTED_BY, lines=(7,), distance=0)
    store = maker.store(tmp_path)
    near, _ = walk(store, node(store, "a.py::f"), Pattern.TESTS_FOR, 1)
    assert (near.site_path, near.lines) == ("t.py", (7,))
    assert [hit[:2] for hit in reached(store, "a.py::f", Pattern.TESTS_FOR)] == [("test_near", 0), ("test_far", 2)]
    assert [hit[:2] for hit in reached(store, "t.py::test_far", Pattern.TESTED_BY)] == [("f", 2)]


def test_a_summary_is_of_the_whole_file(tmp_path: Path) -> None:
    maker = GraphMaker().file("a.py").node("a.py::C", lines=(1, 9)).node("a.py::C.m", lines=(2, 3))
    store = maker.store(tmp_path)
    assert [hit[:2] for hit in reached(store, "a.py", Pattern.FILE_SUMMARY)] == [("C", 1), ("m", 2)]
    assert [hit[:2] for hit in reached(store, "a.py", Pattern.CHILDREN_OF)] == [("C", 1)]


def test_interfaces_count_as_bases(tmp_path: Path) -> None:
    maker = GraphMaker().file("a.py").node("a.py::I").node("a.py::C").node("a.py::D")
    maker.edge("a.py::C", "a.py::I", EdgeKind.IMPLEMENTS).edge("a.py::D", "a.py::C", EdgeKind.INHERITS)
    store = maker.store(tmp_path)
    assert [hit[0] for hit in reached(store, "a.py::I", Pattern.INHERITORS_OF, 2)] == ["C", "D"]
    assert [hit[0] for hit in reached(store, "a.py::D", Pattern.BASES_OF, 2)] == ["C", "I"]


@pytest.mark.parametrize(("line", "name"), [(1, "C"), (2, "m"), (4, "C"), (50, "a.py")])
def test_innermost(tmp_path: Path, line: int, name: str) -> None:
    maker = GraphMaker().file("a.py").node("a.py::C", lines=(1, 9)).node("a.py::C.m", lines=(2, 3))
    found = innermost(maker.store(tmp_path).nodes_in_file("a.py"), line)
    assert found is not None
    assert found.name == name
