"""The languages that the product knows, by file extension."""

from __future__ import annotations

import re
from fnmatch import translate

from code_review_graph.languages.base import Language
from code_review_graph.languages.go import LANGUAGE as GO
from code_review_graph.languages.java import LANGUAGE as JAVA
from code_review_graph.languages.javascript import DIALECTS as JAVASCRIPT
from code_review_graph.languages.python import LANGUAGE as PYTHON

LANGUAGES: tuple[Language, ...] = (PYTHON, GO, JAVA, *JAVASCRIPT)
BY_EXTENSION: dict[str, Language] = {extension: item for item in LANGUAGES for extension in item.extensions}
BY_NAME: dict[str, Language] = {item.name: item for item in LANGUAGES}
_CONFIG_FILES = sorted({pattern for item in LANGUAGES for pattern in item.config_files})
_CONFIG_FILE = re.compile("|".join(map(translate, _CONFIG_FILES)))


def is_config_file(path: str) -> bool:
    """Whether a file, by its name, tells a language how a repository is laid out."""
    return _CONFIG_FILE.match(path.rpartition("/")[2]) is not None


def language_of(path: str) -> Language | None:
    """The language of a path, by its extension; None for what is not indexed."""
    # Not pathlib's suffix: every file of a repository is asked about at each look for changes.
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return BY_EXTENSION.get(name[dot:].lower()) if dot > 0 else None
