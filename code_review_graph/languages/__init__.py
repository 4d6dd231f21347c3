"""The languages that the product knows, by file extension."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from code_review_graph.languages.base import Language
from code_review_graph.languages.go import LANGUAGE as GO
from code_review_graph.languages.java import LANGUAGE as JAVA
from code_review_graph.languages.javascript import DIALECTS as JAVASCRIPT
from code_review_graph.languages.python import LANGUAGE as PYTHON

LANGUAGES: tuple[Language, ...] = (PYTHON, GO, JAVA, *JAVASCRIPT)
BY_EXTENSION: dict[str, Language] = {extension: item for item in LANGUAGES for extension in item.extensions}
BY_NAME: dict[str, Language] = {item.name: item for item in LANGUAGES}


_CONFIG_FILES: tuple[str, ...] = tuple(sorted({pattern for item in LANGUAGES for pattern in item.config_files}))


def is_config_file(path: str) -> bool:
    """Whether a file, by its name, tells a language how a repository is laid out."""
    name = PurePosixPath(path).name
    return any(fnmatchcase(name, pattern) for pattern in _CONFIG_FILES)


def language_of(path: str) -> Language | None:
    """The language of a path, by its extension; None for what is not indexed."""
    return BY_EXTENSION.get(PurePosixPath(path).suffix.lower())
