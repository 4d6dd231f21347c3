"""The lists of what the built-in model learnt from, and of what it must never see."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

TRAINING = Path(__file__).parents[2] / "training"


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    namespace: dict[str, object] = {}
    source = (TRAINING / "packages.py").read_text(encoding="utf-8")
    exec(compile(source, "packages.py", "exec"), namespace)
    return namespace


def test_no_evaluated_repository_is_trained_on(packages: dict[str, object]) -> None:
    packages["check_exclusions"]()  # type: ignore[operator]
    excluded = packages["EXCLUDED"]
    evaluated = {"flask", "httpx", "fastapi", "starlette", "django", "werkzeug", "code-review-graph", "gin", "express"}
    assert isinstance(excluded, frozenset)
    assert excluded >= evaluated | {"requests", "pylint", "seaborn", "pytest", "sphinx", "pycg"}


def test_no_package_that_the_ranking_is_judged_on_is_trained_on(packages: dict[str, object]) -> None:
    excluded = packages["EXCLUDED"]
    assert isinstance(excluded, frozenset)
    judged = yaml.safe_load((TRAINING / "questions.yaml").read_text(encoding="utf-8"))
    assert len(judged) >= 6
    assert excluded >= set(judged)


def test_an_excluded_package_on_the_list_is_refused(packages: dict[str, object]) -> None:
    packages["TRAINING_PACKAGES"] = ("Django",)
    with pytest.raises(ValueError, match="django"):
        packages["check_exclusions"]()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("path", "excluded"), [("pkg/_vendor/requests/api.py", True), ("Flask/app.py", True), ("pkg/flask.py", False)]
)
def test_vendored_copies_are_skipped(packages: dict[str, object], path: str, excluded: bool) -> None:
    assert packages["is_excluded_path"](path) is excluded  # type: ignore[operator]
