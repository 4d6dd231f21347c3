"""Random edits of Python sources that still compile, and the graph that everything resolved anew would have."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path

from code_review_graph.config import load_settings
from code_review_graph.languages import is_config_file
from code_review_graph.model import Edge, Node, Reference
from code_review_graph.parsing import language_name
from code_review_graph.resolving import RepositoryContext, resolve
from code_review_graph.store import Store
from code_review_graph.walking import find_files, read_source

_FUNCTION = re.compile(r"^( *)def (\w+)\(([^)]*)\)[^:\n]*:\n", re.MULTILINE)
_RETURN = re.compile(r"^( +)return (.+)$", re.MULTILINE)
_OPENING = (":", "(", "[", "{", ",", '"""', "\\")

Change = Callable[[str, random.Random, int], str | None]


def told(nodes: Iterable[Node], edges: Iterable[Edge], references: Iterable[Reference]) -> list[str]:
    """A graph without ids, comparable."""
    by_id = {node.id: node for node in nodes}
    names = {number: node.qualified_name for number, node in by_id.items()} | {None: ""}
    rows = [
        f"N {n.qualified_name} {n.kind} {n.start_line} {n.end_line} {n.is_test} {names[n.parent]} {n.signature!r}"
        for n in by_id.values()
    ]
    rows += [
        f"E {e.kind} {names[e.source]} {names[e.target]} {e.lines} {e.resolution} {e.via} {e.distance}" for e in edges
    ]
    rows += [f"R {r.kind} {names[r.source]} {r.name} {r.lines}" for r in references]
    return sorted(rows)


def stored(store: Store) -> list[str]:
    """The graph of an index."""
    return told(store.iter_nodes(), store.iter_edges(), store.iter_references())


def resolved_anew(store: Store) -> list[str]:
    """What resolving everything makes of the facts that an index holds."""
    settings = load_settings(store.repo_path)
    walk = find_files(store.repo_path, lambda path: bool(language_name(path)) or is_config_file(path), settings)
    contents = {file.path: read_source(store.repo_path, file.path) for file in walk.files if is_config_file(file.path)}
    found = {path: content for path, content in contents.items() if isinstance(content, bytes)}
    graph = resolve(store.facts(), RepositoryContext(found))
    return told(graph.nodes, graph.edges, graph.references)


def _functions(source: str) -> list[re.Match[str]]:
    return list(_FUNCTION.finditer(source))


def comment(source: str, chance: random.Random, _number: int) -> str | None:
    """Lines move."""
    return source + "\n# end\n" if chance.random() < 0.5 else "# start\n" + source


def call(source: str, chance: random.Random, _number: int) -> str | None:
    """One function calls another."""
    found = _functions(source)
    if not found:
        return None
    caller, callee = chance.choice(found), chance.choice(found)
    return f"{source[: caller.end()]}{caller[1]}    {callee[2]}()\n{source[caller.end() :]}"


def function(source: str, chance: random.Random, number: int) -> str | None:
    """A function comes."""
    found = _functions(source)
    body = f"return {chance.choice(found)[2]}()" if found else "pass"
    return f"{source}\n\ndef added_{number}(a, b=1):\n    {body}\n"


def method(source: str, chance: random.Random, number: int) -> str | None:
    """A method comes, and writes an attribute."""
    found = [item for item in _functions(source) if item[1] == "    " and "self" in item[3]]
    if not found:
        return None
    place, other = chance.choice(found), chance.choice(found)
    kept = f"self.kept_{number}"
    text = f"    def method_{number}(self):\n        {kept} = self.{other[2]}()\n        return {kept}\n\n"
    return source[: place.start()] + text + source[place.start() :]


def rename(source: str, chance: random.Random, _number: int) -> str | None:
    """A function bears another name."""
    found = [item for item in _functions(source) if not item[2].startswith("__")]
    if not found:
        return None
    item = chance.choice(found)
    return f"{source[: item.start(2)]}{item[2]}_renamed{source[item.end(2) :]}"


def result(source: str, chance: random.Random, _number: int) -> str | None:
    """A function gives back something else."""
    found = list(_RETURN.finditer(source))
    if not found:
        return None
    item = chance.choice(found)
    return source[: item.start(2)] + chance.choice(["None", "self", "[]", "str(1)"]) + source[item.end(2) :]


def without(source: str, chance: random.Random, _number: int) -> str | None:
    """A function goes."""
    found = _functions(source)
    pairs = [(one, other) for one, other in pairwise(found) if one[1] == other[1]]
    if not pairs:
        return None
    one, other = chance.choice(pairs)
    return source[: one.start()] + source[other.start() :]


def heir(source: str, chance: random.Random, number: int) -> str | None:
    """A class comes."""
    bases = re.findall(r"^class (\w+)", source, re.MULTILINE)
    base = chance.choice(bases) if bases else "object"
    return f"{source}\n\nclass Heir{number}({base}):\n    def close(self, x):\n        return x.run_{number}()\n"


def line(source: str, chance: random.Random, _number: int) -> str | None:
    """A statement goes."""
    lines = source.split("\n")
    places = [n for n, text in enumerate(lines) if text.strip() and not text.rstrip().endswith(_OPENING)]
    if not places:
        return None
    place = chance.choice(places)
    lines[place] = " " * (len(lines[place]) - len(lines[place].lstrip())) + "pass"
    return "\n".join(lines)


CHANGES: tuple[Change, ...] = (comment, call, call, function, method, rename, result, without, heir, line, line)


def edit(files: list[Path], chance: random.Random, number: int) -> str:
    """Change one of some files; returns what was done."""
    for _ in range(200):
        path, change = chance.choice(files), chance.choice(CHANGES)
        before = path.read_text(encoding="utf-8")
        after = change(before, chance, number)
        if after is None or after == before:
            continue
        try:
            compile(after, str(path), "exec")
        except (SyntaxError, ValueError):
            continue
        path.write_text(after, encoding="utf-8")
        return f"{change.__name__} in {path.name}"
    raise AssertionError("no file could be changed")
