"""Blocks of tests: what a runner is given as ``it("title", f)`` becomes a definition named by its titles."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from code_review_graph.facts import DefinitionFlag
from code_review_graph.languages.javascript.expressions import Expressions
from code_review_graph.languages.javascript.functions import FUNCTIONS
from code_review_graph.languages.javascript.testing import SUITE, TEST, block_of, holds_tests

_SEPARATOR: Final = " > "


class Blocks:
    """Follows the walk through nested blocks."""

    def __init__(self, expressions: Expressions) -> None:
        self.expr = expressions
        self._suites: list[tuple[int, str]] = []  # end byte and title of each block around

    def meet(self, node: Node) -> None:
        """A call, before its arguments are lowered: names the function that it hands to a runner."""
        block = block_of(node)
        callback = block.callback if block is not None else None
        if block is None or callback is None or callback.type not in FUNCTIONS:
            return
        facts = self.expr.low.facts
        if not holds_tests(facts.path, facts.imports):
            return  # a function of the program's own that is called the same
        while self._suites and self._suites[-1][0] <= node.start_byte:
            self._suites.pop()
        titles = [*[title for _, title in self._suites], block.title]
        name = _SEPARATOR.join(title for title in titles if title)
        if block.kind == SUITE:
            self.expr.functions.define(callback, nameless=True)
            self._suites.append((node.end_byte, block.title))
        else:
            flags = DefinitionFlag.TEST if block.kind == TEST else DefinitionFlag.FIXTURE
            self.expr.functions.define(callback, name, at=node, statement=node, flags=flags)
