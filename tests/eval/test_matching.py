"""Suffixes meet qualified names at name boundaries only."""

from __future__ import annotations

import pytest

from code_review_graph.eval.matching import ends_with_name

MATCHES = [
    pytest.param("src/flask/app.py::Flask.run", "src/flask/app.py::Flask.run", id="whole"),
    pytest.param("src/flask/app.py::Flask.run", "flask/app.py::flask.RUN", id="after a slash, other case"),
    pytest.param("src/flask/app.py::Flask.run", "Flask.run", id="after colons"),
    pytest.param("src/flask/app.py::Flask.run", "run", id="after a dot"),
    pytest.param("a.py::outer.inner@14", "outer.inner", id="redefinition"),
    pytest.param("a.py::outer@3.inner@14", "outer.inner", id="redefinition inside a redefinition"),
    pytest.param("a.py::outer@3.inner@14", "inner@14", id="redefinition spelled out"),
    pytest.param("A.java::A.f(int)", "A.f", id="overload"),
    pytest.param("A.java::A.f(int,java.util.List)", "A.f(int,java.util.List)", id="overload spelled out"),
]
MISSES = [
    pytest.param("a.py::AsyncClient.request", "Client.request", id="inside a name"),
    pytest.param("a.py::Base.get_user", "user", id="after an underscore"),
    pytest.param("a.py::f", "b.py::f", id="another file"),
    pytest.param("a.py::f@3", "f@4", id="another redefinition"),
    pytest.param("a.py::f", "", id="nothing"),
    pytest.param("f", "a.py::f", id="longer than the name"),
]


@pytest.mark.parametrize(("qualified_name", "suffix"), MATCHES)
def test_match(qualified_name: str, suffix: str) -> None:
    assert ends_with_name(qualified_name, suffix)


@pytest.mark.parametrize(("qualified_name", "suffix"), MISSES)
def test_miss(qualified_name: str, suffix: str) -> None:
    assert not ends_with_name(qualified_name, suffix)
