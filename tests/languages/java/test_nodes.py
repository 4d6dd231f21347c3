"""Nodes: names, kinds, signatures, documentation; what runners collect."""

from __future__ import annotations

from pathlib import Path

from code_review_graph.languages.java import testing
from code_review_graph.model import Node, NodeKind
from code_review_graph.program import Program
from tests.languages.annotations import load

FIXTURES = Path(__file__).parent / "fixtures"


def nodes(topic: str) -> dict[str, Node]:
    return {node.qualified_name.partition("::")[2]: node for node in load(FIXTURES / topic).graph.nodes}


def test_names_and_kinds() -> None:
    found = {name: node.kind for name, node in nodes("nodes").items() if name}
    assert found == {
        "Nodes": NodeKind.CLASS,
        "Nodes.MAX_COUNT": NodeKind.CONSTANT,
        "Nodes.MIN_COUNT": NodeKind.CONSTANT,
        "Nodes.Nodes": NodeKind.METHOD,
        "Nodes.run": NodeKind.METHOD,
        "Nodes.run.Local": NodeKind.CLASS,
        "Nodes.run.Local.inside": NodeKind.METHOD,
        "Nodes.run.run": NodeKind.METHOD,
        "Nodes.find(Entry,int[],U[]...)": NodeKind.METHOD,
        "Nodes.find(String)": NodeKind.METHOD,
        "Nodes.find(List,int[])": NodeKind.METHOD,
        "Nodes.Mark": NodeKind.INTERFACE,
        "Nodes.Mark.value": NodeKind.METHOD,
        "Nodes.Level": NodeKind.CLASS,
        "Nodes.Level.LOW": NodeKind.CONSTANT,
        "Nodes.Level.HIGH": NodeKind.CONSTANT,
        "Nodes.Pair": NodeKind.CLASS,
        "Nodes.Pair.left": NodeKind.METHOD,
        "Nodes.Pair.right": NodeKind.METHOD,
        "Nodes.Part": NodeKind.INTERFACE,
        "Nodes.Part.LIMIT": NodeKind.CONSTANT,
        "Nodes.Part.part": NodeKind.METHOD,
    }


def test_headers_and_documentation() -> None:
    found = nodes("nodes")
    whole = found["Nodes"]
    assert whole.signature == "public abstract class Nodes<T extends Comparable<T>> implements Runnable"
    assert whole.docstring.startswith("Says what nodes are made, with code and markup.")
    assert found["Nodes.Nodes"].signature == (
        "protected Nodes(final int count, String... names) throws IllegalStateException"
    )
    assert found["Nodes.Nodes"].docstring == ""
    assert found["Nodes.run"].signature == "public final void run()"
    assert found["Nodes.run"].docstring == "Does it."
    assert found["Nodes.MAX_COUNT"].docstring == "How many at most."
    assert found["Nodes.run"].start_line == 25


def test_what_runners_collect() -> None:
    assert {name for name, node in nodes("runners").items() if node.kind is NodeKind.TEST} == {
        "ModernTest.plain", "ModernTest.table", "ModernTest.values", "ModernTest.again", "ModernTest.made",
        "ModernTest.qualified", "ModernTest.Nested.inside", "OldTest.testClose", "JUnit4Test.works",
        "AbstractStoreTest.contract", "TestNgCase.given", "TestNgCase.implied",
    }  # fmt: skip


def test_paths_of_tests() -> None:
    rules = testing.Testing(Program([]))
    tests = [
        "src/test/java/a/Helper.java",
        "core/ParserTest.java",
        "ParserTests.java",
        "ParserIT.java",
        "TestParser.java",
    ]
    others = ["src/main/java/a/Parser.java", "Testing.java", "src/main/java/Latest.java", "Contest.java"]
    assert [path for path in (*tests, *others) if rules.is_test_path(path)] == tests
