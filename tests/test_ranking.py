from __future__ import annotations

import random

import pytest

from code_review_graph.model import Node, NodeKind
from code_review_graph.ranking import (
    MEMBER_BONUS,
    SIGNAL_WEIGHTS,
    NameStems,
    Surroundings,
    relevance,
    rerank,
    stem,
    stem_weights,
)


def node(node_id: int, qualified_name: str, kind: NodeKind = NodeKind.FUNCTION, parent: int | None = None) -> Node:
    path, _, scope = qualified_name.partition("::")
    is_test = path.startswith("tests/")
    return Node(
        node_id, qualified_name, scope.split(".")[-1] or path, kind, path, node_id, node_id, "python", parent, is_test
    )


def scored(ids: list[int]) -> list[tuple[int, float]]:
    """A ranking whose scores fall slowly."""
    return [(node_id, 10.0 - place / 10) for place, node_id in enumerate(ids)]


def order(nodes: list[Node], text: list[int], words: tuple[str, ...] = (), *, wants_tests: bool = False) -> list[int]:
    around = Surroundings({n.id: n for n in nodes})
    ranked = rerank(nodes, {"text": scored(text)}, words, around, wants_tests=wants_tests)
    return [candidate.node.id for candidate in ranked]


def test_relevance_is_the_weighted_share_of_the_best_score() -> None:
    found = relevance([1, 2, 3], {"text": [(1, 8.0), (2, 2.0)], "vector": [(2, 0.5), (1, 0.25)]}, frozenset())
    assert found[1] == pytest.approx(SIGNAL_WEIGHTS["text"] + SIGNAL_WEIGHTS["vector"] / 2)
    assert found[2] == pytest.approx(SIGNAL_WEIGHTS["text"] / 4 + SIGNAL_WEIGHTS["vector"])
    assert found[3] == pytest.approx(SIGNAL_WEIGHTS["vector"] / 2)


def test_what_stands_aside_is_no_measure_for_others() -> None:
    found = relevance([1, 2], {"text": [(1, 80.0), (2, 2.0)]}, {1})
    assert found == {1: SIGNAL_WEIGHTS["text"], 2: SIGNAL_WEIGHTS["text"]}
    assert relevance([1], {"text": []}, frozenset()) == {1: 0}


def test_two_signals_beat_one() -> None:
    nodes = [node(1, "a.py::x"), node(2, "a.py::y"), node(3, "a.py::z")]
    signals = {"text": scored([1, 2]), "vector": [(3, 0.5), (2, 0.4), (1, 0.1)]}
    ranked = rerank(nodes, signals, (), Surroundings(), wants_tests=False)
    assert ranked[0].node.id == 2
    assert ranked[0].ranks == {"text": 2, "vector": 2}


def test_a_class_gains_from_its_best_member() -> None:
    nodes = [
        node(1, "a.py::Pool", NodeKind.CLASS),
        node(2, "a.py::Pool.take", NodeKind.METHOD, parent=1),
        node(3, "a.py::Pond", NodeKind.CLASS),
    ]
    ranked = rerank(nodes, {"text": [(2, 9.0), (1, 3.0), (3, 3.0)]}, (), Surroundings(), wants_tests=False)
    assert [candidate.node.id for candidate in ranked] == [2, 1, 3]
    share = SIGNAL_WEIGHTS["text"] * 2 / 3
    assert ranked[1].score - ranked[2].score == pytest.approx(MEMBER_BONUS * share)


def test_a_common_parent_gains_from_its_heirs() -> None:
    nodes = [node(n, f"a.py::C{n}", NodeKind.CLASS) for n in (1, 2, 3, 4)]
    text = [(3, 9.0), (4, 8.0), (1, 5.0), (2, 5.0)]
    assert rerank(nodes, {"text": text}, (), Surroundings(), wants_tests=False)[0].node.id == 3
    assert rerank(nodes, {"text": text}, (), Surroundings(heirs={2: [3, 4]}), wants_tests=False)[0].node.id == 2


def test_relevant_callers_and_tests_speak_for_what_they_use() -> None:
    nodes = [node(1, "a.py::a"), node(2, "a.py::b"), node(3, "a.py::c"), node(4, "tests/t.py::t", NodeKind.TEST)]
    text = [(4, 9.0), (3, 5.0), (1, 4.0), (2, 4.0)]
    plain = rerank(nodes, {"text": text}, (), Surroundings(), wants_tests=False)
    assert [candidate.node.id for candidate in plain] == [3, 1, 2, 4]
    for around in (Surroundings(callers={2: [3]}), Surroundings(tests={2: [4]})):
        ranked = rerank(nodes, {"text": text}, (), around, wants_tests=False)
        assert [candidate.node.id for candidate in ranked] == [3, 2, 1, 4]


def test_a_name_made_of_the_questions_words_wins() -> None:
    nodes = [node(1, "a.py::full_dispatch_request"), node(2, "a.py::dispatch_request"), node(3, "a.py::other")]
    assert order(nodes, [3, 1, 2], ("dispatches", "requests"))[0] == 2


def test_a_class_and_its_method_agree_together() -> None:
    nodes = [node(1, "a.py::Client.request"), node(2, "a.py::AsyncClient.request")]
    assert order(nodes, [1, 2], ("async", "client", "request"))[0] == 2


def test_tests_and_side_folders_stand_aside_and_take_no_ranks() -> None:
    nodes = [node(1, "tests/t.py::a", NodeKind.TEST), node(2, "examples/e.py::b"), node(3, "src/s.py::c")]
    ranked = rerank(nodes, {"text": scored([1, 2, 3])}, (), Surroundings(), wants_tests=False)
    assert [candidate.node.id for candidate in ranked] == [3, 2, 1]
    assert ranked[0].ranks == {"text": 1}
    assert order(nodes, [1, 2, 3], wants_tests=True)[0] == 1


def test_kinds_and_nesting() -> None:
    nodes = [
        node(1, "a.py", NodeKind.FILE),
        node(2, "a.py::NAME", NodeKind.CONSTANT),
        node(3, "a.py::f", parent=1),
        node(4, "a.py::f.inner", parent=3),
        node(5, "a.py::C.__repr__", NodeKind.METHOD),
    ]
    assert order(nodes, [1, 2, 4, 5, 3])[0] == 3


def test_ties_are_broken_by_place_whatever_the_order_of_arrival() -> None:
    nodes = [node(n, f"a{n % 3}.py::same") for n in range(1, 20)]
    expected = order(nodes, [], ("same",))
    shuffled = nodes[:]
    random.Random(7).shuffle(shuffled)
    assert order(shuffled, [], ("same",)) == expected
    assert expected == [n.id for n in sorted(nodes, key=lambda n: (n.path, n.start_line))]


def test_rare_stems_tell_more() -> None:
    stems = [NameStems.of(node(n, f"a.py::get_item_{n}")) for n in range(20)] + [
        NameStems.of(node(99, "a.py::get_cookie"))
    ]
    weights = stem_weights({"get", "cooki", "cookie"}, stems)
    assert weights["cookie"] > weights["get"]


@pytest.mark.parametrize(
    ("left", "right"),
    [("dispatches", "dispatch"), ("dispatcher", "dispatching"), ("requests", "request"), ("dependency", "dependant"),
     ("handles", "handle"), ("validation", "validates"), ("users", "user"), ("uri", "uri")],
)  # fmt: skip
def test_stems(left: str, right: str) -> None:
    assert stem(left) == stem(right)
