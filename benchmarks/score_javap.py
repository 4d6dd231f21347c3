"""Java's CALLS edges against the byte code that javac makes: every ``invoke`` names the method that it means.

    javac -g -d /tmp/classes $(find SRC -name '*.java')
    python -m benchmarks.score_javap --repo CHECKOUT --classes /tmp/classes [--graph EXPORT] [--misses N]

The unit is (caller method, callee method), by file and line: a method is the node whose lines hold its first
instruction. Only callees that the repository's sources write down count. Lambdas belong to the method that they stand
in, initialisers to their class. Calls that javac adds itself (``super()`` of a constructor without one, accessors,
bridges) are left out of what is asked, and so are calls to methods that no source declares. ``guess`` and ``dispatch``
edges do not count.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.exported import build_export, percent

UNCERTAIN = frozenset({"guess", "dispatch"})
BATCH = 200
_CLASS = re.compile(r"^(?:[\w ]*\b)?(?:class|interface|enum|@interface) ([\w.$]+)")
_SOURCE = re.compile(r'^Compiled from "([^"]+)"')
_METHOD = re.compile(r"^  (?! )(?:.*[ ])?([\w$.<>]+)\((.*)\)(?: throws .*)?;$")
_STATIC = re.compile(r"^  static \{\};$")
_DESCRIPTOR = re.compile(r"^    descriptor: (\S+)")
_INVOKE = re.compile(r"^ +(\d+): invoke(\w+) .*?// (?:Interface)?Method (\S+)$")
_HANDLE = re.compile(r"REF_\w+ ([\w/$]+)\.(\"?<?[\w$]+>?\"?):(\S+)")
_LINE = re.compile(r"^ +line (\d+): (\d+)$")


class Method(NamedTuple):
    """A compiled method."""

    owner: str
    name: str
    descriptor: str


@dataclass(slots=True)
class Compiled:
    """What ``javap`` shows of one method."""

    source: str
    invokes: list[tuple[int, str, Method]] = field(default_factory=list[tuple[int, str, Method]])
    lines: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def line_at(self, offset: int) -> int:
        """Source line of an instruction."""
        return max(((start, line) for line, start in self.lines if start <= offset), default=(0, 0))[1]

    def first_line(self) -> int:
        """Line of the first instruction; 0 for none."""
        return self.lines[0][0] if self.lines else 0


def disassemble(classes: Path) -> Iterator[str]:
    """Lines of ``javap`` for all class files of a folder."""
    files = sorted(str(path) for path in classes.rglob("*.class"))
    for start in range(0, len(files), BATCH):
        command = ["javap", "-p", "-c", "-l", "-s", *files[start : start + BATCH]]
        yield from subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def read_methods(lines: Iterable[str]) -> dict[Method, Compiled]:
    """Methods of a disassembly with what they invoke."""
    found: dict[Method, Compiled] = {}
    source = owner = name = ""
    current: Compiled | None = None
    for line in lines:
        if match := _SOURCE.match(line):
            source = match[1]
        elif not line.startswith(" ") and (match := _CLASS.match(line)):
            owner = match[1].replace(".", "/")
        elif _STATIC.match(line):
            name = "<clinit>"
        elif match := _METHOD.match(line):
            written = match[1].replace(".", "/")
            name = "<init>" if written == owner else written.rpartition("/")[2]
        elif match := _DESCRIPTOR.match(line):
            current = Compiled(source)
            if match[1].startswith("("):
                found[Method(owner, name, match[1])] = current
        elif current is not None and (match := _INVOKE.match(line)):
            current.invokes.append((int(match[1]), match[2], _called(match[3], owner)))
        elif current is not None and (match := _LINE.match(line)):
            current.lines.append((int(match[1]), int(match[2])))
    return found


def _called(written: str, owner: str) -> Method:
    head, _, descriptor = written.partition(":")
    holder, _, name = head.rpartition(".")
    return Method(holder.strip('"') or owner, name.strip('"'), descriptor)


class Node(NamedTuple):
    """A definition of the graph."""

    id: int
    path: str
    start: int
    end: int
    kind: str
    name: str


@dataclass(slots=True)
class Graph:
    """Nodes by file name, and CALLS edges."""

    nodes: dict[str, list[Node]]
    calls: dict[tuple[int, int], str]
    by_id: dict[int, Node]

    def around(self, source: str, package: str, line: int, name: str) -> Node | None:
        """The innermost method of a file around a line that has a name ("": a class)."""
        folder = f"/{package}/" if package else "/"
        best: Node | None = None
        for node in self.nodes.get(source, ()):
            inside = node.start <= line <= node.end and f"/{node.path}".rpartition("/")[0].endswith(folder.rstrip("/"))
            fits = (node.kind in {"Class", "Interface"}) if not name else node.name == name
            if inside and fits and (best is None or node.start >= best.start):
                best = node
        return best


def read_graph(lines: Iterable[str]) -> Graph:
    """Nodes and certain CALLS edges of an export."""
    nodes: dict[str, list[Node]] = defaultdict(list)
    calls: dict[tuple[int, int], str] = {}
    by_id: dict[int, Node] = {}
    for row in map(json.loads, lines):
        if row["type"] == "node":
            node = Node(row["id"], row["path"], row["start_line"], row["end_line"], row["kind"], row["name"])
            nodes[row["path"].rpartition("/")[2]].append(node)
            by_id[node.id] = node
        elif row["kind"] == "CALLS" and row["resolution"] not in UNCERTAIN:
            calls[(row["source"], row["target"])] = row["resolution"]
    return Graph(nodes, calls, by_id)


def node_of(method: Method, compiled: Compiled, graph: Graph) -> Node | None:
    """The node that a compiled method is; of a lambda the method around, of an initialiser the class."""
    package, _, simple = method.owner.rpartition("/")
    line = compiled.first_line()
    if method.name.startswith("lambda$"):
        name = method.name.split("$")[1]
        name = simple.rpartition("$")[2] if name == "new" else "" if name == "static" else name
        return graph.around(compiled.source, package, line, name)
    if method.name == "<clinit>":
        return graph.around(compiled.source, package, line, "")
    if method.name == "<init>":
        name = simple.rpartition("$")[2]
        return graph.around(compiled.source, package, line, name)
    return graph.around(compiled.source, package, line, method.name)


def truth(methods: dict[Method, Compiled], graph: Graph) -> dict[tuple[int, int], int]:
    """(caller, callee) pairs that the byte code calls, with a line of a call."""
    places = {method: node for method, compiled in methods.items() if (node := node_of(method, compiled, graph))}
    found: dict[tuple[int, int], int] = {}
    for method, compiled in methods.items():
        caller = places.get(method)
        if caller is None or "$" in method.name.removeprefix("lambda$"):
            caller = caller if method.name.startswith("lambda$") else None
        for offset, _, callee in compiled.invokes if caller is not None else ():
            target = places.get(inherited(callee, methods))
            line = compiled.line_at(offset)
            if target is None or target.kind != "Method" or caller is None or _is_added(method, callee, line, caller):
                continue
            source = _initialiser(caller, line, graph)
            found.setdefault((source.id, target.id), line)
    return found


def inherited(callee: Method, methods: dict[Method, Compiled]) -> Method:
    """The method itself where javac names a class that only inherits it; the bases are not known here."""
    if callee in methods:
        return callee
    same = [item for item in methods if item.name == callee.name and item.descriptor == callee.descriptor]
    return same[0] if len(same) == 1 and callee.name != "<init>" and _in_repository(callee, methods) else callee


def _in_repository(callee: Method, methods: dict[Method, Compiled]) -> bool:
    return any(item.owner == callee.owner for item in methods)


def _is_added(method: Method, callee: Method, line: int, caller: Node) -> bool:
    """Whether javac wrote a call: the constructor of the base at the very line that declares a constructor."""
    is_base = method.name == "<init>" and callee.name == "<init>" and callee.owner != method.owner
    return (is_base and line == caller.start) or callee.name.startswith("access$")


def _initialiser(caller: Node, line: int, graph: Graph) -> Node:
    """The class around for code that stands outside of the constructor which runs it."""
    if caller.start <= line <= caller.end:
        return caller
    around = [n for n in graph.nodes[caller.path.rpartition("/")[2]]
              if n.path == caller.path and n.kind in {"Class", "Interface"} and n.start <= line <= n.end]  # fmt: skip
    return max(around, key=lambda node: node.start, default=caller)


def main() -> None:
    """Score one repository."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repo", type=Path, required=True, help="the checkout")
    parser.add_argument("--classes", type=Path, required=True, help="what javac -g made of its sources")
    parser.add_argument("--graph", type=Path, help="an export of the graph; made now when absent")
    parser.add_argument("--misses", type=int, default=0, metavar="N", help="show up to N missing and false calls")
    arguments = parser.parse_args()
    lines = arguments.graph.read_text("utf-8").splitlines() if arguments.graph else build_export(arguments.repo)
    graph = read_graph(lines)
    methods = read_methods(disassemble(arguments.classes))
    wanted = truth(methods, graph)
    compiled = {node.id for method, item in methods.items() if (node := node_of(method, item, graph))}
    drawn = {
        (source, target)
        for source, target in graph.calls
        if target in compiled and (source in compiled or graph.by_id[source].kind in {"Class", "Interface"})
        and graph.by_id[target].kind == "Method" and _is_compiled(graph.by_id[source], graph, compiled)
    }  # fmt: skip
    hits = wanted.keys() & drawn
    print(f"recall {percent(len(hits), len(wanted))}, precision {percent(len(hits), len(drawn))}")
    for title, pairs in (("missing", wanted.keys() - drawn), ("false", drawn - wanted.keys())):
        for source, target in sorted(pairs)[: arguments.misses]:
            one, other = graph.by_id[source], graph.by_id[target]
            print(f"  {title}: {one.path}:{wanted.get((source, target), one.start)} [{one.name}] -> "
                  f"{other.name} {other.path}:{other.start}")  # fmt: skip


def _is_compiled(source: Node, graph: Graph, compiled: set[int]) -> bool:
    """Whether a class or method belongs to a file that was compiled."""
    return any(node.id in compiled for node in graph.nodes[source.path.rpartition("/")[2]] if node.path == source.path)


if __name__ == "__main__":
    main()
