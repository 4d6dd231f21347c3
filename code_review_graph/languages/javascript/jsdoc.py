"""Types that documentation comments declare: ``@param {Store} store``, ``@returns {Promise<Row>}``, ``@type {Row}``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from code_review_graph.facts import NO_EXPRESSION, BindingKind, Parameter, Tag
from code_review_graph.languages.javascript.globals import NAMES
from code_review_graph.lowering import Lowering

if TYPE_CHECKING:
    from code_review_graph.languages.javascript.expressions import Expressions

_PARAMETER: Final = re.compile(r"@param\s*\{([^\n]+?)\}\s+\[?([\w$]+)(?![\w$.])")
_RETURNS: Final = re.compile(r"@returns?\s*\{([^\n]+)\}")
_TYPE: Final = re.compile(r"@type\s*\{([^\n]+)\}")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$")
_IMPORTED: Final = re.compile(r"import\((['\"])([^'\"]+)\1\)\.([\w$]+)$")
_TYPEDEF: Final = re.compile(r"@typedef\s*\{\s*import\(['\"]([^'\"\n]+)['\"]\)\.([\w$]+)\s*\}\s*([\w$]+)")
_GENERIC: Final = re.compile(r"([A-Za-z_$][\w$.]*?)\.?<(.+)>$")
_PLAIN: Final = frozenset({"string", "number", "boolean", "object", "function", "any", "void", "symbol", "bigint",
                           "undefined", "null", "this", "unknown", "never"})  # fmt: skip
_LISTS: Final = frozenset({"Array", "Set", "Iterable", "ReadonlyArray"})
_SAME: Final = frozenset({"Promise", "Partial", "Readonly", "Required", "Awaited"})
MAX_DEPTH: Final = 6


def bind_typedefs(low: Lowering) -> None:
    """Bind what ``@typedef {import("./m").T} T`` names, for the types of the comments that follow."""
    if b"@typedef" not in low.source:
        return
    for module, member, name in _TYPEDEF.findall(low.source.decode("utf-8", "replace")):
        low.bind(name, BindingKind.IMPORT, (module, 0, member))


def parameters_of(expr: Expressions, docstring: str, parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """Parameters with the types that a comment declares, where the code declares none."""
    if "@param" not in docstring:
        return parameters
    declared = {name: text for text, name in _PARAMETER.findall(docstring)}
    return tuple(
        item._replace(annotation=_type(expr, declared[item.name]))
        if item.annotation < 0 and item.name in declared
        else item
        for item in parameters
    )


def result_of(expr: Expressions, docstring: str) -> int:
    """The declared result; ``NO_EXPRESSION`` for none."""
    found = _RETURNS.search(docstring) if "@return" in docstring else None
    return _type(expr, found[1]) if found is not None else NO_EXPRESSION


def type_of(expr: Expressions, docstring: str) -> int:
    """The declared type of a variable; ``NO_EXPRESSION`` for none."""
    found = _TYPE.search(docstring) if "@type" in docstring else None
    return _type(expr, found[1]) if found is not None else NO_EXPRESSION


def _type(expr: Expressions, text: str, depth: int = 0) -> int:
    """Expression of a written type; ``NO_EXPRESSION`` for what says nothing of members."""
    if depth > MAX_DEPTH:
        return NO_EXPRESSION
    parts = [_single(expr, part.strip(), depth) for part in _split(text, "|")]
    known = expr.either(*parts)
    # A union of which a part is not understood may be anything.
    return known if known > 0 and all(part >= 0 for part in parts) else NO_EXPRESSION


def _single(expr: Expressions, text: str, depth: int) -> int:
    """One alternative: 0 for plain data, ``NO_EXPRESSION`` for what is not understood."""
    text = text.lstrip("?!").removesuffix("=").strip()
    if text.startswith("(") and text.endswith(")"):
        return _type(expr, text[1:-1], depth + 1)
    if text in _PLAIN:
        return 0
    if text.endswith("[]"):
        inner = _type(expr, text[:-2], depth + 1)
        return expr.annotations.outside("builtins.list", inner) if inner > 0 else NO_EXPRESSION
    imported = _IMPORTED.match(text)
    if imported is not None:
        return expr.low.intern((int(Tag.IMPORTED), imported[2], 0, imported[3]))
    generic = _GENERIC.match(text)
    if generic is not None:
        return _applied(expr, generic[1], generic[2], depth)
    return _named(expr, text) if _NAME.match(text) else NO_EXPRESSION


def _applied(expr: Expressions, head: str, text: str, depth: int) -> int:
    arguments = [_type(expr, part, depth + 1) for part in _split(text, ",")]
    if head in _SAME:
        return arguments[0]
    if head in _LISTS:
        return expr.annotations.outside("builtins.list", arguments[0]) if arguments[0] > 0 else NO_EXPRESSION
    if head == "Map" and len(arguments) == 2:
        return expr.annotations.map_of(arguments[0], arguments[1])
    return expr.annotations.apply(_named(expr, head), arguments)


def _named(expr: Expressions, text: str) -> int:
    first, *rest = text.split(".")
    if first in NAMES and not expr.is_bound(first):
        return NO_EXPRESSION
    value = expr.any_binding(first)
    for part in rest:
        value = expr.member(value, part)
    return value


def _split(text: str, separator: str) -> list[str]:
    """Parts between separators that stand outside of brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "<({[") - (letter in ">)}]")
        if letter == separator and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]
