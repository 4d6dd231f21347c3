"""Identifiers to words: the one splitter that index, query and embedding share."""

from __future__ import annotations

import re
from functools import lru_cache

IDENTIFIER = re.compile(r"[^\W\d]\w*")
# Runs of capitals end before a capital that starts a word: XMLParser -> XML, Parser; HTTP2Server -> HTTP, 2, Server.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_A-Za-z0-9]+")


@lru_cache(maxsize=1 << 18)
def split_identifier(identifier: str) -> tuple[str, ...]:
    """Lower-cased words of one identifier: ``loadUserProfile`` -> ``("load", "user", "profile")``."""
    return tuple(" ".join(_PART.findall(identifier)).lower().split())


def words_of(text: str) -> list[str]:
    """Every word of a text with its identifiers split, in order."""
    return [word for identifier in IDENTIFIER.findall(text) for word in split_identifier(identifier)]
