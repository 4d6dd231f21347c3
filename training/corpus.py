"""Definitions with a docstring, read out of the downloaded wheels, one JSON object a line."""

from __future__ import annotations

import argparse
import ast
import json
import logging
import re
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from packages import EXCLUDED, check_exclusions, is_excluded_path, normalise

from code_review_graph.model import Node, NodeKind
from code_review_graph.words import words_of

log = logging.getLogger("corpus")

MAX_SOURCE_BYTES = 400_000  # larger modules are nearly always generated
MAX_PER_PACKAGE = 6_000  # no project may dominate
MIN_QUERY_WORDS = 4  # "Returns foo." teaches nothing
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n\s*\n|\n\s*(?=[-:@*=]|Args|Parameters|Returns)")
_VENDORED = re.compile(r"(^|/)(_?vendor(ed)?|third_party|extern(al)?s?|_distutils)/")


@dataclass(frozen=True, slots=True)
class Record:
    """One documented definition; ``query`` is the first sentence of its docstring."""

    package: str
    path: str
    qualified_name: str
    name: str
    kind: str
    signature: str
    docstring: str
    body_words: str
    query: str

    def node(self, *, keep_docstring: bool) -> Node:
        """The definition as the product would index it."""
        docstring = self.docstring if keep_docstring else ""
        return Node(
            0, self.qualified_name, self.name, NodeKind(self.kind), self.path, 1, 1, "python",
            signature=self.signature, docstring=docstring, body_words=self.body_words,
        )  # fmt: skip


def first_sentence(docstring: str) -> str:
    """The first sentence of a docstring on one line."""
    return " ".join(_SENTENCE_END.split(docstring.strip(), maxsplit=1)[0].split())[:300]


def definitions(package: str, path: str, source: str) -> Iterator[Record]:
    """Every documented function, method and class of one module."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    yield from _walk(package, path, tree, source.splitlines(), ())


def _walk(package: str, path: str, parent: ast.AST, lines: list[str], scope: tuple[str, ...]) -> Iterator[Record]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            record = _record(package, path, node, lines, scope)
            if record:
                yield record
            yield from _walk(package, path, node, lines, (*scope, node.name))


def _record(
    package: str,
    path: str,
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
    lines: list[str],
    scope: tuple[str, ...],
) -> Record | None:
    docstring = ast.get_docstring(node) or ""
    query = first_sentence(docstring)
    if len(words_of(query)) < MIN_QUERY_WORDS or not query.isascii() or len(node.body) < 2:
        return None
    start, end = node.body[1].lineno - 1, node.end_lineno or node.lineno
    header = " ".join(" ".join(lines[node.lineno - 1 : node.body[0].lineno - 1]).split()).rstrip(":")
    is_class = isinstance(node, ast.ClassDef)
    kind = NodeKind.CLASS if is_class else NodeKind.FUNCTION
    return Record(
        package=package,
        path=path,
        qualified_name=f"{path}::{'.'.join((*scope, node.name))}",
        name=node.name,
        kind=kind.value,
        signature=header[:300],
        docstring=docstring[:1000],
        body_words=" ".join(words_of("\n".join(lines[start:end]))[:400]),
        query=query,
    )


def _is_wanted(path: str) -> bool:
    return path.endswith(".py") and not _VENDORED.search(path) and not is_excluded_path(path)


def read_wheel(wheel: Path) -> Iterator[Record]:
    """Records of one wheel, vendored copies and tests of other projects left out, without repeated queries."""
    package = normalise(wheel.name.split("-")[0])
    if package in EXCLUDED:
        raise ValueError(f"{wheel.name} must not be trained on")
    seen: set[str] = set()
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            if (
                not info.filename.endswith(".py")
                or info.file_size > MAX_SOURCE_BYTES
                or _VENDORED.search(info.filename)
            ):
                continue
            for record in definitions(package, info.filename, archive.read(info).decode("utf-8", "replace")):
                if record.query.lower() not in seen:
                    seen.add(record.query.lower())
                    yield record


def thin(records: list[Record]) -> list[Record]:
    """At most MAX_PER_PACKAGE records, evenly spread."""
    step = max(1.0, len(records) / MAX_PER_PACKAGE)
    return [records[int(i * step)] for i in range(min(len(records), MAX_PER_PACKAGE))]


def main() -> None:
    """Write the corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    check_exclusions()
    total = 0
    with arguments.output.open("w", encoding="utf-8") as output:
        for wheel in sorted(arguments.wheels.glob("*.whl")):
            records = thin(list(read_wheel(wheel)))
            total += len(records)
            log.info("%6d %s", len(records), wheel.name)
            output.writelines(json.dumps(asdict(record)) + "\n" for record in records)
    log.info("%d pairs", total)


if __name__ == "__main__":
    main()
