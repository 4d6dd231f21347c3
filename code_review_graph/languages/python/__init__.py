"""Python."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from code_review_graph.languages.base import Handlers, Language
from code_review_graph.lowering import Lowering
from code_review_graph.program import Program
from code_review_graph.semantics import Semantics


def _grammar() -> Grammar:
    from code_review_graph.languages.python.grammar import GRAMMAR  # noqa: PLC0415  (only who parses loads a grammar)

    return GRAMMAR


def _handlers(lowering: Lowering, parser: Parser) -> Handlers:
    from code_review_graph.languages.python.statements import Statements  # noqa: PLC0415

    return Statements(lowering, parser)


def _semantics(program: Program, config_files: Mapping[str, bytes]) -> Semantics:
    from code_review_graph.languages.python.semantics import PythonSemantics  # noqa: PLC0415

    return PythonSemantics(program, config_files)


def _module_docstring(root: Node) -> str:
    from code_review_graph.languages.python.definitions import docstring_of  # noqa: PLC0415

    return docstring_of(root)


LANGUAGE = Language(
    name="python",
    extensions=(".py", ".pyi", ".pyw"),
    rules_version="2",
    load_grammar=_grammar,
    captures="tags.scm",
    package="code_review_graph.languages.python",
    new_handlers=_handlers,
    new_semantics=_semantics,
    module_docstring=_module_docstring,
    region_captures=frozenset({"suite", "branch"}),
    matches_in_order=True,
    # They say where tests live and what they are called.
    config_files=frozenset({"pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg"}),
    in_part=True,
)
