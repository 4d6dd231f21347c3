"""Build constraints: which files of a package are never compiled together."""

from __future__ import annotations

import re
from typing import Final

from code_review_graph.languages.go.statements import CONSTRAINT
from code_review_graph.program import Program

_SYSTEMS: Final = frozenset({
    "aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl", "netbsd",
    "openbsd", "plan9", "solaris", "wasip1", "windows", "zos",
})  # fmt: skip
_MACHINES: Final = frozenset({
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64",
    "s390x", "sparc64", "wasm",
})  # fmt: skip
_TERM: Final = re.compile(r"!?[\w.]+")


class Constraints:
    """Build constraints of a program's files."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._terms: dict[int, frozenset[str]] = {}

    def compatible(self, file: int, others: list[int]) -> list[int]:
        """Of some files, those that may be compiled together with a file."""
        if len(others) < 2:
            return others
        own = self._required(file)
        fitting = [other for other in others if not _contradict(own, self._required(other))]
        return fitting or others

    def _required(self, file: int) -> frozenset[str]:
        """Terms that all must hold for a file, as far as its name and a plain conjunction say."""
        known = self._terms.get(file)
        if known is None:
            known = self._terms[file] = self._of_name(file) | self._of_comment(file)
        return known

    def _of_name(self, file: int) -> frozenset[str]:
        stem = self._program.files[file].path.rpartition("/")[2].removesuffix(".go").removesuffix("_test")
        parts = stem.split("_")[1:][-2:]
        return frozenset(part for part in parts if part in _SYSTEMS or part in _MACHINES)

    def _of_comment(self, file: int) -> frozenset[str]:
        bindings = self._program.scopes[self._program.scope_base[file]].bindings.get(CONSTRAINT)
        if not bindings:
            return frozenset()
        text = str(self._program.expressions[file][bindings[0][1]][2])
        if "||" in text or "(" in text:
            return frozenset()
        return frozenset(_TERM.findall(text))


def _contradict(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether no build satisfies both: a term and its negation, or two systems at once."""
    together = first | second
    if any(f"!{term}" in together for term in together):
        return True
    return len(together & _SYSTEMS) > 1 or len(together & _MACHINES) > 1
