"""Bytes of a file and its language -> facts. Names no language, touches no disk, runs in worker processes."""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import chain, islice
from typing import Final

from tree_sitter import Node, Parser, Query, QueryCursor

from code_review_graph.facts import FACTS_VERSION, FileFacts, pack
from code_review_graph.languages import language_of
from code_review_graph.languages.base import Language
from code_review_graph.lowering import Lowering
from code_review_graph.model import Diagnostic
from code_review_graph.outlines import Outline, outline_of
from code_review_graph.recursion import deep_recursion
from code_review_graph.words import split_identifier

# Whatever is no letter, digit or underscore becomes a space.
_TOKENS = bytes(code if code >= 128 or code == ord("_") or chr(code).isalnum() else ord(" ") for code in range(256))
_BOM = b"\xef\xbb\xbf"
# Words of one definition kept for full text; more adds size, not meaning.
MAX_WORDS = 400
# Tokens whose words are remembered.
MAX_TOKENS: Final = 1 << 16
# Text of at least so many bytes whose lines are longer than so many on average was written by a program for a program.
MINIFIED_SIZE = 60_000
MINIFIED_LINE = 500
_MINIFIED_NAME = re.compile(r"[.-]min\.\w+$")


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """Facts of one file, packed for the store, and what could not be read."""

    path: str
    language: str
    rules_version: str
    facts: bytes
    outline: Outline
    diagnostics: tuple[Diagnostic, ...] = ()


def language_name(path: str) -> str | None:
    """Name of the language of a path; None when it is not indexed."""
    language = language_of(path)
    return None if language is None else language.name


def rules_version(path: str) -> str:
    """Version of the rules that make the facts of a path."""
    language = language_of(path)
    return "" if language is None else f"{FACTS_VERSION}.{marshal.version}.{language.name}.{language.rules_version}"


def parse_source(path: str, source: bytes) -> ParsedFile:
    """Lower one file. Hostile text costs itself at most: what parses is kept, the rest becomes a diagnostic.

    Raises ``ValueError`` when no language knows the path.
    """
    language = language_of(path)
    if language is None:
        raise ValueError(f"no language is known for {path}")
    with deep_recursion():
        facts, diagnostics = lower_source(path, source, language)
    return ParsedFile(path, language.name, rules_version(path), pack(facts), outline_of(facts), diagnostics)


def lower_source(path: str, source: bytes, language: Language) -> tuple[FileFacts, tuple[Diagnostic, ...]]:
    """Facts of one file, unpacked."""
    diagnostics: list[Diagnostic] = []
    source, note = _readable(source)
    if note:
        diagnostics.append(Diagnostic(path, note))
    line_count = source.count(b"\n") + (not source.endswith(b"\n"))
    if _is_minified(path, len(source), line_count):
        diagnostics.append(
            Diagnostic(path, "minified: its lines are not made to be read; its definitions are left out")
        )
        left_out = Lowering(path, language.name, b"").facts  # with the scope that every file has
        left_out.line_count = line_count
        return left_out, tuple(diagnostics)
    if language.prepare is not None:
        source = language.prepare(source)
    parser, query = _tools(language.name)
    tree = parser.parse(source)
    lowering = Lowering(path, language.name, source)
    lowering.facts.line_count = line_count
    if tree.root_node.has_error:
        line = _first_error_line(tree.root_node)
        diagnostics.append(Diagnostic(path, "syntax error; the parts that parse are indexed", line))
    _walk(lowering, language, parser, query, tree.root_node)
    words = _words(lowering)
    facts = lowering.finish(words[1:])
    facts.body_words = words[0]
    facts.docstring = language.module_docstring(tree.root_node)
    return facts, tuple(diagnostics)


def _is_minified(path: str, size: int, line_count: int) -> bool:
    return bool(_MINIFIED_NAME.search(path)) or (size > MINIFIED_SIZE and size > MINIFIED_LINE * line_count)


def _walk(lowering: Lowering, language: Language, parser: Parser, query: Query, root: Node) -> None:
    lowered = language.new_handlers(lowering, parser)
    regions = lowering.regions
    for handler, node in _events(lowered.handlers, language, QueryCursor(query), root):
        if regions and regions[-1][0] <= node.start_byte:
            lowering.leave_regions(node.start_byte)
        handler(node)
    lowered.release()


def _events(
    handlers: dict[str, Callable[[Node], None]], language: Language, cursor: QueryCursor, root: Node
) -> list[tuple[Callable[[Node], None], Node]]:
    """What is to be done for which node, in source order, outer nodes first."""
    if language.matches_in_order:
        return [(handlers[name], captured[name][0]) for _, captured in cursor.matches(root) for name in captured]
    events = []
    order = 0
    for name, nodes in cursor.captures(root).items():
        handler = handlers[name]
        first = 0 if name in language.region_captures else 1
        for node in nodes:
            order += 1
            events.append((node.start_byte, -node.end_byte, first, order, handler, node))
    events.sort()  # the order of capture is unique: handlers and nodes are never compared
    return [event[4:] for event in events]


@lru_cache(maxsize=32)
def _tools(name: str) -> tuple[Parser, Query]:
    from code_review_graph.languages import BY_NAME  # noqa: PLC0415  (cached by name: languages are not hashable)

    language = BY_NAME[name]
    grammar = language.load_grammar()
    folder = files(language.package)
    source = "\n".join(folder.joinpath(name).read_text(encoding="utf-8") for name in language.captures.split())
    return Parser(grammar), Query(grammar, source)


def _readable(source: bytes) -> tuple[bytes, str]:
    if source.startswith(_BOM):
        source = source[3:]
    if b"\0" in source:
        return source.replace(b"\0", b" "), "NUL bytes were read as spaces"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return source.decode("latin-1").encode("utf-8"), "not UTF-8; read as Latin-1"
    return source, ""


def _first_error_line(root: Node) -> int | None:
    node = root
    while node.has_error and not node.is_error:
        inner = next((child for child in node.children if child.has_error or child.is_missing), None)
        if inner is None:
            break
        node = inner
    return node.start_point[0] + 1


def _words(lowering: Lowering) -> list[str]:
    """Words of the module and then of each definition, each from its own text, inner definitions aside."""
    source, spans = lowering.source.translate(_TOKENS), lowering.spans
    order = sorted(range(len(spans)), key=lambda index: (spans[index][0], -spans[index][1]))
    pieces: list[list[bytes]] = [[] for _ in range(len(spans) + 1)]
    for owner, start, end in _pieces(spans, order, len(source)):
        pieces[owner + 1].append(source[start:end])
    return [_split(b" ".join(parts)) for parts in pieces]


def _pieces(spans: list[tuple[int, int]], order: list[int], length: int) -> Iterator[tuple[int, int, int]]:
    open_spans: list[tuple[int, int]] = [(-1, length)]
    position = 0
    for index in order:
        start, end = spans[index]
        while len(open_spans) > 1 and open_spans[-1][1] <= start:
            owner, stop = open_spans.pop()
            yield owner, position, stop
            position = max(position, stop)
        yield open_spans[-1][0], position, start
        position = start
        open_spans.append((index, end))
    while open_spans:
        owner, stop = open_spans.pop()
        yield owner, position, stop
        position = max(position, stop)


def _split(text: bytes) -> str:
    parts = chain.from_iterable(map(_WORDS.__getitem__, dict.fromkeys(text.split())))
    return " ".join(islice(dict.fromkeys(parts), MAX_WORDS))


class _Words(dict[bytes, tuple[str, ...]]):
    """Words of tokens, made when they are first asked for; leading digits are no part of an identifier."""

    def __missing__(self, token: bytes) -> tuple[str, ...]:
        if len(self) >= MAX_TOKENS:
            self.clear()
        identifier = token.lstrip(b"0123456789")
        words = split_identifier(identifier.decode("utf-8", "replace")) if len(identifier) > 1 else ()
        self[token] = words
        return words


_WORDS: Final = _Words()
