"""What a question says: its words, the names it mentions, and whether it is after tests. Any text is a question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from code_review_graph.errors import QueryError
from code_review_graph.search.walks import wants_parent, without_walk
from code_review_graph.words import IDENTIFIER, split_identifier

# A pasted stack trace fits; what lies beyond adds only common words.
_CHARACTERS: Final = 4_000
# An OR over more words reads most of the index and finds nothing better.
MAX_WORDS: Final = 40
_MAX_MENTIONS: Final = 12
# Names of more words are not spelt out.
_SPELT: Final = 4

# Words that carry a question and not its subject; without them the full-text index reads half as many rows.
STOP_WORDS: Final = frozenset(
    """
a about actually all an and any anything are as at be been being between both but by can code could did do does
doing done each either even every find for from function get gets give given goes had happen happens has have how i
if implemented in into is it its itself kind like live located logic look made make makes may me method might more
most much must my near need no not of on one onto or other our out over own part per place please show so some
something such take takes tell than that the their them then there these they thing this those through to under up
upon us used uses using via was way we were what whatever when where whether which while who whom whose why will
with within without would you your
""".split()  # noqa: SIM905 - a list of a hundred lines would say no more
)
# "tests covering X" asks about X; what tests it is a walk from there.
_ABOUT_TESTS: Final = re.compile(
    r"\b(?:(?:unit|integration|regression)\s+)?tests?\s+(?:that\s+|which\s+)?"
    r"(?:cover(?:s|ing)?|exercis(?:es?|ing)|check(?:s|ing)?|verif(?:y|ies|ying)|validat(?:es?|ing)|for|of)\b"
    r"|\b(?:is|are|gets?)\s+(?:\w+\s+)?tested\b|\btest\s+coverage\s+(?:of|for)\b|\b(?:covered|exercised)\s+by\s+tests?\b",
    re.IGNORECASE,
)
_WANTS_TESTS: Final = re.compile(
    r"\btest_\w+|\bTest[A-Z]\w+|\b(?:fixtures?|test\s+(?:cases?|suite|modules?)|conftest)\b"
    r"|^\W*(?:the\s+|a\s+)?tests?\s+(?:that|where|when)\b",
    re.IGNORECASE,
)
_TRACE_LINE: Final = re.compile(r"File \"([^\"\n]+)\", line (\d+)")
_SEPARATOR: Final = re.compile(r"::|->|[./\\#]")
_DOTTED: Final = re.compile(r"\.{0,2}[/\\]?[\w\-]+(?:(?:::|->|[./\\#])[\w\-]+)+")
_BEFORE: Final = re.compile(r"^[^\w./]+")
_AFTER: Final = re.compile(r"\W+$")
_LINE: Final = re.compile(r"^(.+?):(\d+)(?::\d+)?$")
_CAMEL: Final = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z]+[a-z]")
_ABBREVIATIONS: Final = frozenset({"e.g", "i.e", "etc", "vs", "and/or", "or/and"})


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that a question holds: its parts between separators, as written, and a line for ``path:line``."""

    parts: tuple[str, ...]
    line: int | None = None
    is_path: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart.

    ``text`` is what is looked for, without the walk that is to follow; ``mentions`` are names in it; ``is_name``: it is
    one name and nothing else; ``wants_parent``: it speaks of what several classes have in common.
    """

    text: str
    words: tuple[str, ...]
    mentions: tuple[Mention, ...]
    is_name: bool
    wants_tests: bool
    wants_parent: bool


def understand(query: str) -> Question:
    """Take a question apart. Raises QueryError when there is nothing in it."""
    if not query.strip():
        raise QueryError("The query is empty.", hint="Ask in plain words, or give a name, a path or path:line.")
    text = query[:_CHARACTERS]
    wants_tests = bool(_WANTS_TESTS.search(text))
    about = text if wants_tests else _ABOUT_TESTS.sub(" ", without_walk(text))
    text = about if IDENTIFIER.search(about) else text
    chunks = [chunk for chunk in text.split() if _plain(chunk)]
    chunks = [chunk for chunk in chunks if _plain(chunk).lower() not in STOP_WORDS] or chunks
    is_name = len(chunks) == 1
    mentions = dict.fromkeys([*_trace_mentions(text), *_mentions(chunks, lonely=is_name), *_spelt(chunks)])
    return Question(text, _words(text), tuple(mentions)[:_MAX_MENTIONS], is_name, wants_tests, wants_parent(text))


def _words(text: str) -> tuple[str, ...]:
    """Distinct words to look up; identifiers of several words also in one piece, as the index holds them."""
    found: dict[str, None] = {}
    for identifier in IDENTIFIER.findall(text):
        parts = split_identifier(identifier)
        found.update(dict.fromkeys(parts))
        if len(parts) > 1:
            found["".join(parts)] = None
    telling = [word for word in found if word not in STOP_WORDS]
    return tuple((telling or list(found))[:MAX_WORDS])


def _trace_mentions(text: str) -> list[Mention]:
    return [
        Mention(tuple(part for part in _SEPARATOR.split(path) if part), int(line), is_path=True)
        for path, line in _TRACE_LINE.findall(text)
    ]


def _mentions(chunks: list[str], *, lonely: bool) -> list[Mention]:
    found = [_mention(chunk, lonely=lonely) for chunk in chunks]
    return [mention for mention in found if mention]


def _spelt(chunks: list[str]) -> list[Mention]:
    """The names that a few plain words may spell: ``retry policy`` means RetryPolicy and retry_policy too."""
    words = [_plain(chunk) for chunk in chunks]
    if not 2 <= len(words) <= _SPELT or not all(IDENTIFIER.fullmatch(word) for word in words):
        return []
    return [Mention(("".join(words),)), Mention(("_".join(words),))]


def _mention(chunk: str, *, lonely: bool) -> Mention | None:
    plain = _plain(chunk)
    line = _LINE.match(plain)
    if line and _DOTTED.fullmatch(line[1]):
        return Mention(_parts(line[1]), int(line[2]), is_path=True)
    if _DOTTED.fullmatch(plain) and plain.lower() not in _ABBREVIATIONS:
        return Mention(_parts(plain), is_path="/" in plain or "\\" in plain)
    if IDENTIFIER.fullmatch(plain) and (lonely or _is_code(chunk, plain)):
        return Mention((plain,))
    return None


def _plain(chunk: str) -> str:
    """A chunk without the punctuation around it and the arguments behind it."""
    return _AFTER.sub("", _BEFORE.sub("", chunk).split("(", 1)[0])


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part for part in _SEPARATOR.split(dotted) if part)


def _is_code(chunk: str, plain: str) -> bool:
    """Whether a single word is written as code: snake_case, camelCase, called, or in backquotes."""
    return "_" in plain.strip("_") or bool(_CAMEL.search(plain)) or f"{plain}(" in chunk or f"`{plain}" in chunk
