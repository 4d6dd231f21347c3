"""Callers, forms and folding as every rig sees them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.syntax import Key, Sources, is_test_path, read_sources

SOURCE = """
import other as renamed

@decorate
@app.route("/")
def view(request, default=make_default()):
    return [helper(x) for x in (lambda: produce())()]

class Base:
    registry = build()

    def __init__(self):
        self.start()

class Child(Base):
    def __init__(self):
        super().__init__()
        (self.first()
             .second())
"""


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "mod.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("def (:\n")
    return read_sources(tmp_path)


@pytest.mark.parametrize(
    ("name", "caller", "form", "line"),
    [
        ("decorate", "", "decorator", 4),
        ("route", "", "attribute", 5),
        ("make_default", "", "name", 6),
        ("helper", "view", "name", 7),
        ("produce", "view", "name", 7),
        ("build", "", "name", 10),
        ("start", "Base.__init__", "self", 13),
        ("__init__", "Child.__init__", "super", 17),
        ("first", "Child.__init__", "self", 18),
        ("second", "Child.__init__", "attribute", 19),
    ],
)
def test_call_sites(sources: Sources, name: str, caller: str, form: str, line: int) -> None:
    (site,) = [site for site in sources.modules["pkg/mod.py"].sites if site.name == name]
    assert (site.caller, site.form, site.line) == (Key("pkg/mod.py", caller), form, line)


def test_definitions_know_their_name_and_decorators(sources: Sources) -> None:
    view = sources.definitions[Key("pkg/mod.py", "view")]
    assert (view.line, view.column, view.first_line, view.end_line) == (6, 4, 4, 7)
    assert view.decorators == ("decorate", "app.route")
    assert sources.definitions[Key("pkg/mod.py", "Child")].bases == ("Base",)
    assert sources.modules["pkg/mod.py"].aliases == {"renamed": "other"}


def test_unparsable_files_are_left_out(sources: Sources) -> None:
    assert list(sources.modules) == ["pkg/mod.py"]


def test_folding(sources: Sources) -> None:
    child = Key("pkg/mod.py", "Child")
    assert sources.folded(Key("pkg/mod.py", "Child.__init__")) == child
    assert sources.folded(Key("pkg/mod.py", "view")) == Key("pkg/mod.py", "view")
    assert sources.calling(child) == Key("pkg/mod.py", "")


@pytest.mark.parametrize(
    ("path", "expected"),
    [("tests/common.py", True), ("src/test_a.py", True), ("conftest.py", True), ("src/testing.py", False)],
)
def test_test_paths(path: str, expected: bool) -> None:
    assert is_test_path(path) is expected
