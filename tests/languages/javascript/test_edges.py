"""Small programs that say in comments what each line calls; see ``annotations`` for how to write one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.languages.annotations import Case, cases, check, load
from tests.languages.javascript.known_failures import KNOWN_FAILURES

CASES = cases(Path(__file__).parent / "fixtures")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=case.name,
            marks=[pytest.mark.xfail(strict=True, reason=KNOWN_FAILURES[case.name])]
            if case.name in KNOWN_FAILURES
            else [],
        )
        for case in CASES
    ],
)
def test_line(case: Case) -> None:
    check(load(case.root), case.item)


def test_known_failures_exist() -> None:
    assert not KNOWN_FAILURES.keys() - {case.name for case in CASES}
