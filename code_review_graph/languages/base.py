"""What a language supplies: how its files are found, parsed and lowered. The engine asks nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from code_review_graph.lowering import Lowering
from code_review_graph.program import Program
from code_review_graph.semantics import Semantics


class Handlers(Protocol):
    """Handlers of the captures of one file."""

    handlers: dict[str, Callable[[Node], None]]

    def release(self) -> None:
        """Let go of what refers back to the handlers, so that a file's memory is free at once."""
        ...


@dataclass(frozen=True, slots=True)
class Language:
    """One language. ``rules_version`` changes with the extraction rules, so that stored facts are made anew.

    Languages of one ``family`` (by default the language alone) import each other and share one semantics.
    ``prepare`` blanks what is not code of the language, byte for byte, so that every position stays.
    ``config_files`` are patterns of file names whose bytes the semantics wants. ``in_part`` says that what a name means
    follows from the files that write it: then a change can be resolved without all others.
    """

    name: str
    extensions: tuple[str, ...]
    rules_version: str
    load_grammar: Callable[[], Grammar]
    captures: str  # resource names of the query's parts, beside the language's own module
    package: str
    new_handlers: Callable[[Lowering, Parser], Handlers]
    new_semantics: Callable[[Program, Mapping[str, bytes]], Semantics]
    module_docstring: Callable[[Node], str]
    # Captures that open a region come before others that start at the same byte.
    region_captures: frozenset[str]
    # Whether the query's matches come in source order: each is complete at the one node that it captures.
    matches_in_order: bool = False
    family: str = ""
    prepare: Callable[[bytes], bytes] | None = None
    config_files: frozenset[str] = frozenset()
    in_part: bool = False
