"""Small Java sources that say in comments what each line calls; see ``annotations`` for how to write one."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_review_graph.model import NodeKind
from tests.languages.annotations import Case, cases, check, load

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases(FIXTURES)])
def test_line(case: Case) -> None:
    check(load(case.root), case.item)


def names(topic: str, kind: NodeKind) -> set[str]:
    return {node.qualified_name.partition("::")[2] for node in load(FIXTURES / topic).graph.nodes if node.kind is kind}


def test_what_the_runners_run() -> None:
    assert names("testing", NodeKind.TEST) == {
        "MeterTest.keepsSign", "MeterTest.Edge.zero", "MeterTest.table", "OldTest.testRead", "NgTest.reads",
        "NgTest.everyPublicMethod", "VintageTest.works",
    }  # fmt: skip


def test_overloads_are_nodes_of_their_own() -> None:
    methods = names("overloads", NodeKind.METHOD)
    assert {"Sink.put(int)", "Sink.put(long)", "Sink.put(Object)", "Sink.put(String,Object...)", "Sink.only"} <= methods


def test_kinds() -> None:
    assert "Shape" in names("types", NodeKind.INTERFACE)
    assert {"Circle", "Point", "Level", "Box"} <= names("types", NodeKind.CLASS)
    assert {"Level.LOW", "Level.HIGH", "Circle.PI"} <= names("types", NodeKind.CONSTANT)
    assert "Point.x" in names("types", NodeKind.METHOD)


def test_documentation_and_signatures() -> None:
    nodes = load(FIXTURES / "types").graph.nodes
    by_name = {node.qualified_name.partition("::")[2]: node for node in nodes}
    assert by_name["Shape.area"].docstring == "The area of the shape."
    assert by_name["Shapes.scaled"].signature == "public static <T extends Shape> T scaled(T shape, double factor)"
