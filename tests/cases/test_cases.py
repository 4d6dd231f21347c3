"""Replays a file of small inputs with right answers, given by ``CRG_CASES``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from code_review_graph.errors import CodeReviewGraphError
from code_review_graph.results import Pattern
from tests.cases import behaviour
from tests.cases.driver import Driver, is_among, is_indexed, unknown_paths
from tests.cases.materialise import materialise

CASES = os.environ.get("CRG_CASES")
Case = Mapping[str, Any]


def _cases() -> list[Any]:
    if not CASES:
        return []
    lines = Path(CASES).read_text(encoding="utf-8").splitlines()
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, filter(str.strip, lines))]


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Driver]:
    driver = Driver(tmp_path / "beside" / "repo")
    yield driver
    if driver.repo.is_dir():
        driver.close()


@pytest.mark.skipif(not CASES, reason="CRG_CASES names no file")
@pytest.mark.parametrize("case", _cases())
def test_case(case: Case, driver: Driver, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    sources = [path for path in case["files"] if not path.startswith("^/")]
    if sources and not any(map(is_indexed, sources)):
        pytest.skip(f"{case['language']} is not indexed yet")
    materialise(case, driver.repo)
    check = case["check"]
    if check["type"] == "behaviour":
        behaviour.replay(check["steps"], driver, tmp_path)
        return
    driver.build()
    # Parts in languages that are not indexed yet are left out; the rest of a mixed case counts.
    record_property("left_out", sorted(CHECKS[check["type"]](check, driver)))


def _known(entries: list[Case], left_out: set[str]) -> Iterator[Case]:
    """The entries that can be checked; the paths of the others are noted."""
    for entry in entries:
        if unknown := unknown_paths(entry):
            left_out |= unknown
        else:
            yield entry


def _check_edges(check: Case, driver: Driver) -> set[str]:
    left_out: set[str] = set()
    for entry in _known(check["expect"], left_out):
        assert _is_there(entry, driver), f"missing: {entry}"
    for entry in _known(check["forbid"], left_out):
        assert not _is_there(entry, driver), f"forbidden: {entry}"
    return left_out


def _is_there(entry: Case, driver: Driver) -> bool:
    if "rel" in entry:
        return bool(driver.certain_edges(entry))
    if "node" in entry:
        name = entry["node"].partition("::")[2].partition("@")[0].rpartition(".")[2]
        return bool(len(driver.named(name)) == entry["count"])
    if "node_name" in entry:
        return bool(driver.named(entry["node_name"]))
    if "node_in" in entry:
        return bool(driver.in_file(entry["node_in"], entry.get("name")))
    return is_among(entry["hit"], driver.search(entry["search_top"]).hits[: entry["k"]])


def _check_tests(check: Case, driver: Driver) -> set[str]:
    left_out: set[str] = set()
    for entry in _known(check["expect"], left_out):
        assert is_among(entry["test"], driver.query(Pattern.TESTS_FOR, entry["target"]).neighbours), entry
    for entry in _known([*check["forbid"], *check.get("forbid_unmarked", ())], left_out):
        assert not is_among(entry["test"], driver.query(Pattern.TESTS_FOR, entry["target"]).neighbours), entry
    return left_out


def _check_search(check: Case, driver: Driver) -> set[str]:
    left_out: set[str] = set()
    for entry in _known(check["expect"], left_out):
        if "hit" in entry:
            assert is_among(entry["hit"], driver.search(entry["query"]).hits[: entry["k"]]), entry
        elif "count" in entry:
            assert len(driver.search(entry["query"], limit=200).hits) == entry["count"], entry
        else:
            driver.search(entry["query"])
    for entry in check["forbid"]:
        try:
            driver.search(entry["query"])
        except CodeReviewGraphError as error:
            pytest.fail(f"{entry}: {error}")
    return left_out


CHECKS: dict[str, Callable[[Case, Driver], set[str]]] = {
    "edges": _check_edges,
    "tests_for": _check_tests,
    "search": _check_search,
}
