"""Small packages that say in comments what each line calls; see ``annotations`` for how to write one."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_review_graph.model import NodeKind
from tests.languages.annotations import Case, cases, check, load

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases(FIXTURES)])
def test_line(case: Case) -> None:
    check(load(case.root), case.item)


def test_what_go_test_runs() -> None:
    graph = load(FIXTURES / "testing").graph
    tests = {node.qualified_name.partition("::")[2] for node in graph.nodes if node.kind is NodeKind.TEST}
    assert tests == {
        "TestAdd", "Test", "Test_lower", "BenchmarkAdd", "FuzzAdd", "ExampleAdd", "TestTable", "TestSubtests",
        "CalcSuite.TestDiv", "TestCalcSuite",
    }  # fmt: skip
