"""Reads what a fixture says of itself: the expected edges stand in comments behind or under the call.

``# -> a.py::f, inferred ::C.m``  these edges leave this line; a resolution is checked where it is named
``# only-> a.py::f``              as ``->``, and no other definition of the fixture is called from this line
``# not-> b.py::f``               no edge to this definition from this line (a guess is no edge)
``# none``                        nothing of the fixture is called from this line
``# external [name]``, ``# unresolved [name]``   the line has such a reference
``# tested-by [distance] t.py::test_x`` and ``# not-tested-by t.py::test_x``   behind the line of a definition

Several stand in one comment, divided by semicolons. A path is seen from the fixture's folder and left out for the file
itself; ``::f#2`` is the second definition of that name. A comment that fills its line speaks of the code above it.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_DIRECTIVE = re.compile(r"(->|only->|not->|none|external|unresolved|tested-by|not-tested-by)(?:\s+(.*))?$")
_REFERENCE = re.compile(r"(?:(exact|inferred|dispatch|\d+) )?(\S*)$")
_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


class Expectation(NamedTuple):
    """What one line must show; ``detail`` is a resolution or a distance, ``line`` 1-based."""

    path: str
    line: int
    rule: str
    reference: str = ""
    detail: str = ""


def read_expectations(root: Path) -> Iterator[Expectation]:
    """Expectations of all Python files under a fixture's folder, in order."""
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root).as_posix()
        for line, text in _comments(file.read_text("utf-8")):
            for part in text.split(";"):
                yield from _parse(path, line, part.strip())


def _comments(source: str) -> Iterator[tuple[int, str]]:
    last_code = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            behind_code = bool(token.line[: token.start[1]].strip())
            yield token.start[0] if behind_code else last_code, token.string.lstrip("# ").strip()
        elif token.type not in _LAYOUT:
            last_code = token.end[0]


def _parse(path: str, line: int, text: str) -> Iterator[Expectation]:
    directive = _DIRECTIVE.match(text)
    if directive is None:
        return
    rule, operands = directive[1], directive[2] or ""
    if rule == "only->":
        targets = [item.reference for item in _references(path, line, "->", operands)]
        yield from _references(path, line, "->", operands)
        yield Expectation(path, line, "only->", ", ".join(targets))
    elif rule in {"none", "external", "unresolved"}:
        yield Expectation(path, line, rule, operands)
    else:
        yield from _references(path, line, rule, operands)


def _references(path: str, line: int, rule: str, operands: str) -> Iterator[Expectation]:
    for item in operands.split(","):
        reference = _REFERENCE.match(item.strip())
        if reference is None or not reference[2]:
            raise ValueError(f"{path}:{line}: cannot read {item!r}")
        target = f"{path}{reference[2]}" if reference[2].startswith("::") else reference[2]
        yield Expectation(path, line, rule, target, reference[1] or "")
