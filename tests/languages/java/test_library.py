"""What is known of Java's own library, and what conversions of arguments cost."""

from __future__ import annotations

import pytest

from code_review_graph.languages.java.conversions import conversion_cost
from code_review_graph.languages.java.library import distances, function_type, kind_of_result, result_of
from code_review_graph.values import INFERRED, external_instance

ITEM = {external_instance("Item"): INFERRED}
NAME = {external_instance("Name"): INFERRED}


@pytest.mark.parametrize(
    ("kind", "method", "expected"),
    [
        ("java.util.ArrayList", "get", ITEM),
        ("java.util.ArrayList", "iterator", {external_instance("java.util.Iterator", ITEM): INFERRED}),
        ("java.util.ArrayList", "stream", {external_instance("java.util.stream.Stream", ITEM): INFERRED}),
        ("java.util.ArrayList", "size", {external_instance("int"): INFERRED}),
        ("java.util.ArrayList", "unknown", None),
        ("org.other.List", "get", None),
    ],
)
def test_results_by_the_receivers_type_arguments(kind: str, method: str, expected: object) -> None:
    assert result_of(kind, [ITEM], method) == expected


def test_maps_and_their_entries() -> None:
    entry = external_instance("java.util.Map.Entry", NAME, ITEM)
    assert result_of("java.util.HashMap", [NAME, ITEM], "values") == {
        external_instance("java.util.Collection", ITEM): INFERRED
    }
    assert result_of("java.util.TreeMap", [NAME, ITEM], "entrySet") == {
        external_instance("java.util.Set", {entry: INFERRED}): INFERRED
    }


def test_a_shorter_overload_of_a_base_counts() -> None:
    assert kind_of_result("java.text.SimpleDateFormat", "format") == "java.lang.String"
    assert kind_of_result("java.lang.StringBuilder", "append") == "java.lang.StringBuilder"


def test_supertypes_and_functions() -> None:
    assert distances("java.util.ArrayList")["java.util.Collection"] == 2
    assert "java.lang.Appendable" in distances("java.lang.StringBuilder")
    unary = function_type("java.util.function.BinaryOperator")
    assert unary is not None
    assert (unary.parameters, unary.result) == (("0", "0"), "0")
    assert function_type("java.util.List") is None


@pytest.mark.parametrize(
    ("given", "better", "worse"),
    [
        ("java.lang.String", "java.lang.String", "java.lang.Object"),
        ("java.util.ArrayList", "java.util.List", "java.lang.Iterable"),
        ("int", "long", "java.lang.Integer"),
        ("char", "int", "double"),
        ("null", "java.lang.String", "java.lang.Object"),
        ("com.acme.BrokenException", "java.lang.Exception", "java.lang.Throwable"),
        ("=java.lang.Integer.MAX_VALUE", "int", "long"),
        ("String[]", "String[]", "Object[]"),
    ],
)
def test_the_nearer_type_costs_less(given: str, better: str, worse: str) -> None:
    one, other = conversion_cost(given, better), conversion_cost(given, worse)
    assert one is not None
    assert other is not None
    assert one < other


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("java.lang.String", "java.util.function.Supplier"),
        ("java.lang.Object", "java.lang.String"),
        ("long", "int"),
        ("null", "int"),
        ("int[]", "Object[]"),
        ("java.util.Iterator", "java.lang.Iterable"),
        ("function0", "java.util.function.Function"),
        ("function1", "java.lang.Runnable"),
        ("=java.lang.String.trim()", "java.lang.String"),
        ("object", "java.lang.String"),
    ],
)
def test_what_the_compiler_forbids(given: str, wanted: str) -> None:
    assert conversion_cost(given, wanted) is None
