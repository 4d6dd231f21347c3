"""Rules of the code that no linter knows, checked on the code itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "code_review_graph"
MODULES = sorted(PACKAGE.rglob("*.py"))
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 50


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_sizes(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_MODULE_LINES
    long = [item.name for item in functions(tree_of(path)) if _length(item) > MAX_FUNCTION_LINES]
    assert long == []


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    assert function.end_lineno
    first = function.body[0]
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    documented = (first.end_lineno or first.lineno) - first.lineno + 1 if has_docstring else 0
    return function.end_lineno - function.lineno + 1 - documented


@pytest.mark.parametrize("path", [path for path in MODULES if "languages" not in path.parts], ids=name_of)
def test_no_language_is_asked_for_outside_languages(path: Path) -> None:
    compared = [
        ast.unparse(node)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Compare) and ast.unparse(node.left).split(".")[-1] == "language"
        if any(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in node.comparators)
    ]
    assert compared == []


def test_the_tests_mock_nothing() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    assert not [source for source in sources if "unittest.mock" in source or "MagicMock" in source]
