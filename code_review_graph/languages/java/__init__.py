"""Java."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from code_review_graph.languages.base import Handlers, Language
from code_review_graph.lowering import Lowering
from code_review_graph.program import Program
from code_review_graph.semantics import Semantics


def _grammar() -> Grammar:
    import tree_sitter_java  # noqa: PLC0415  (only processes that parse load a grammar)

    return Grammar(tree_sitter_java.language())


def _handlers(lowering: Lowering, parser: Parser) -> Handlers:
    from code_review_graph.languages.java.statements import Statements  # noqa: PLC0415

    del parser
    return Statements(lowering)


def _semantics(program: Program, config_files: Mapping[str, bytes]) -> Semantics:
    from code_review_graph.languages.java.semantics import JavaSemantics  # noqa: PLC0415

    del config_files
    return JavaSemantics(program)


def _module_docstring(root: Node) -> str:
    del root
    return ""


LANGUAGE = Language(
    name="java",
    extensions=(".java",),
    rules_version="7",
    load_grammar=_grammar,
    captures="tags.scm",
    package="code_review_graph.languages.java",
    new_handlers=_handlers,
    new_semantics=_semantics,
    module_docstring=_module_docstring,
    region_captures=frozenset({"region"}),
)
