from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_review_graph.model import Edge, EdgeKind, Graph, Node, NodeKind, Reference, ReferenceKind, Resolution
from code_review_graph.store import Store
from code_review_graph.store.codes import pack_lines, unpack_lines
from tests.store.samples import INFO

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LINES = st.lists(st.integers(1, 1_000_000), max_size=4).map(tuple)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    count = draw(st.integers(0, 6))
    ids = st.integers(1, max(count, 1))
    nodes = [
        Node(
            number, draw(TEXT), draw(TEXT), draw(st.sampled_from(NodeKind)), draw(TEXT), draw(st.integers(0, 99)),
            draw(st.integers(0, 99)), draw(TEXT), draw(st.none() | ids), draw(st.booleans()), draw(TEXT), draw(TEXT),
        )
        for number in range(1, count + 1)
    ]  # fmt: skip
    edges = st.builds(
        Edge, st.sampled_from(EdgeKind), ids, ids, LINES, st.sampled_from(Resolution), st.none() | st.integers(0, 9),
        st.none() | TEXT,
    )  # fmt: skip
    references = st.builds(Reference, st.sampled_from(ReferenceKind), ids, TEXT, LINES)
    bound = 8 if count else 0
    return Graph(nodes, draw(st.lists(edges, max_size=bound)), draw(st.lists(references, max_size=bound)))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(first=graphs(), second=graphs())
def test_what_is_written_is_read(first: Graph, second: Graph) -> None:
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        for graph in (first, second):
            store.replace_graph(graph, INFO)
            read = Graph(list(store.iter_nodes()), list(store.iter_edges()), list(store.iter_references()))
            assert read == graph
            for node in graph.nodes:
                assert node in store.nodes_named(node.name)
                assert node in store.nodes_named(node.name, ignore_case=False)
                assert node in store.nodes_with_qualified_name(node.qualified_name, ignore_case=False)
                assert node in store.nodes_in_file(node.path)


@given(LINES)
def test_lines_are_unpacked_as_packed(lines: tuple[int, ...]) -> None:
    assert unpack_lines(pack_lines(lines)) == lines


def test_every_word_of_the_vocabulary_has_its_own_number() -> None:
    from code_review_graph.store import codes  # noqa: PLC0415 - looked through whole

    for vocabulary, numbers in (
        (NodeKind, codes.NODE_KIND_CODES),
        (EdgeKind, codes.EDGE_KIND_CODES),
        (Resolution, codes.RESOLUTION_CODES),
        (ReferenceKind, codes.REFERENCE_KIND_CODES),
    ):
        assert set(numbers) == set(vocabulary)
        assert len(set(numbers.values())) == len(numbers)


def test_nodes_are_read_with_every_field_but_their_body() -> None:
    assert {field.name for field in dataclasses.fields(Node)} == {
        "id", "qualified_name", "name", "kind", "path", "start_line", "end_line", "language", "parent", "is_test",
        "signature", "docstring", "body_words",
    }  # fmt: skip
