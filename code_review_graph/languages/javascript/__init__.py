"""JavaScript and its kin: one family, whose files import each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from code_review_graph.languages.base import Handlers, Language
from code_review_graph.lowering import Lowering
from code_review_graph.program import Program
from code_review_graph.semantics import Semantics

_FAMILY = "javascript"
_RULES_VERSION = "2"


def _javascript() -> Grammar:
    import tree_sitter_javascript  # noqa: PLC0415  (only processes that parse load a grammar)

    return Grammar(tree_sitter_javascript.language())


def _typescript() -> Grammar:
    import tree_sitter_typescript  # noqa: PLC0415

    return Grammar(tree_sitter_typescript.language_typescript())


def _tsx() -> Grammar:
    import tree_sitter_typescript  # noqa: PLC0415

    return Grammar(tree_sitter_typescript.language_tsx())


def _handlers(lowering: Lowering, parser: Parser) -> Handlers:
    from code_review_graph.languages.javascript.statements import Statements  # noqa: PLC0415

    del parser
    return Statements(lowering)


def _semantics(program: Program, config_files: Mapping[str, bytes]) -> Semantics:
    from code_review_graph.languages.javascript.semantics import JavaScriptSemantics  # noqa: PLC0415

    return JavaScriptSemantics(program, config_files)


def _module_docstring(root: Node) -> str:
    from code_review_graph.languages.javascript.syntax import opening_comment  # noqa: PLC0415

    return opening_comment(root)


def _scripts(source: bytes) -> bytes:
    from code_review_graph.languages.javascript.scripts import blank_outside_scripts  # noqa: PLC0415

    return bytes(blank_outside_scripts(source))


def _dialect(
    name: str,
    extensions: tuple[str, ...],
    load_grammar: Callable[[], Grammar],
    captures: str,
    prepare: Callable[[bytes], bytes] | None = None,
) -> Language:
    return Language(
        name=name,
        extensions=extensions,
        rules_version=_RULES_VERSION,
        load_grammar=load_grammar,
        captures=captures,
        package="code_review_graph.languages.javascript",
        new_handlers=_handlers,
        new_semantics=_semantics,
        module_docstring=_module_docstring,
        region_captures=frozenset(),
        family=_FAMILY,
        prepare=prepare,
        # They say how modules are found.
        config_files=frozenset({"package.json", "tsconfig*.json", "jsconfig*.json", "pnpm-workspace.yaml"}),
    )


DIALECTS: tuple[Language, ...] = (
    _dialect("javascript", (".js", ".jsx", ".mjs", ".cjs"), _javascript, "tags.scm fields.scm jsx.scm"),
    _dialect("typescript", (".ts", ".mts", ".cts"), _typescript, "tags.scm types.scm"),
    _dialect("tsx", (".tsx",), _tsx, "tags.scm types.scm jsx.scm"),
    _dialect("vue", (".vue",), _tsx, "tags.scm types.scm jsx.scm", _scripts),
    _dialect("svelte", (".svelte",), _tsx, "tags.scm types.scm jsx.scm", _scripts),
)
