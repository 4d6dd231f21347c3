"""Go."""

from __future__ import annotations

from collections.abc import Mapping

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from code_review_graph.languages.base import Handlers, Language
from code_review_graph.lowering import Lowering
from code_review_graph.program import Program
from code_review_graph.semantics import Semantics


def _grammar() -> Grammar:
    import tree_sitter_go  # noqa: PLC0415  (only processes that parse load a grammar)

    return Grammar(tree_sitter_go.language())


def _handlers(lowering: Lowering, parser: Parser) -> Handlers:
    from code_review_graph.languages.go.statements import Statements  # noqa: PLC0415

    del parser
    return Statements(lowering)


def _semantics(program: Program, config_files: Mapping[str, bytes]) -> Semantics:
    from code_review_graph.languages.go.semantics import GoSemantics  # noqa: PLC0415

    return GoSemantics(program, config_files)


def _module_docstring(root: Node) -> str:
    from code_review_graph.languages.go.syntax import package_comment  # noqa: PLC0415

    return package_comment(root)


LANGUAGE = Language(
    name="go",
    extensions=(".go",),
    rules_version="1",
    load_grammar=_grammar,
    captures="tags.scm",
    package="code_review_graph.languages.go",
    new_handlers=_handlers,
    new_semantics=_semantics,
    module_docstring=_module_docstring,
    region_captures=frozenset({"region", "loop"}),
    # They say under which paths folders are imported.
    config_files=frozenset({"go.mod", "go.work"}),
)
