"""Java's CALLS edges against the byte code that javac makes: every ``invoke`` names the method that it means.

    javac -g -d /tmp/classes $(find SRC -name '*.java')
    python -m benchmarks.score_javap --repo CHECKOUT --classes /tmp/classes [--graph EXPORT] [--misses N]

The unit is (caller method, callee method), by file and line: a method is the node whose lines hold its first
instruction. Only callees that the repository's sources write down count. Lambdas belong to the method that they stand
in, initialisers to their class. Calls that javac adds itself (``super()`` of a constructor without one, accessors,
bridges) are left out of what is asked, and so are calls to methods that no source declares. ``guess`` and ``dispatch``
edges do not count. A method reference is a call of what it names, and a reference by it is enough. What the constructor
of a class without a name calls, its maker calls, and so does the base's constructor where a class declares none. A
drawn call whose name the caller's byte code calls on a type outside the repository (a variable declared as
``Iterator``) is not judged.
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
_CLASS = re.compile(r"^(?:[\w ]*\b)?(?:class|interface|enum|@interface) ([\w.$]+)(.*)$")
_SUPER = re.compile(r"[\w$]+(?:\.[\w$]+)+")
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_SOURCE = re.compile(r'^ *Compiled from "([^"]+)"')
_METHOD = re.compile(r"^  (?! )(?:.*[ ])?([\w$.<>]+)\((.*)\)(?: throws .*)?;$")
_STATIC = re.compile(r"^  static \{\};$")
_DESCRIPTOR = re.compile(r"^    descriptor: (\S+)")
_INVOKE = re.compile(r"^ +(\d+): invoke(\w+) .*?// (?:Interface)?Method (\S+)$")
_DYNAMIC = re.compile(r"^ +(\d+): invokedynamic .*?// InvokeDynamic #(\d+):")
_BOOTSTRAP = re.compile(r"^  (\d+): #\d+ REF_invokeStatic")
_HANDLE = re.compile(r"^      #\d+ REF_\w+ ([\w/$]+)\.(\"?<?[\w$]+>?\"?):(\S+)")
_NAMELESS = re.compile(r"\$\d+$")
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
    invokes: list[tuple[int, Method]] = field(default_factory=list[tuple[int, Method]])
    handed: list[tuple[int, Method]] = field(default_factory=list[tuple[int, Method]])
    dynamic: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    lines: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def line_at(self, offset: int) -> int:
        """Source line of an instruction."""
        return max(((start, line) for line, start in self.lines if start <= offset), default=(0, 0))[1]

    def first_line(self) -> int:
        """Line of the first instruction; 0 for none."""
        return self.lines[0][0] if self.lines else 0


@dataclass(slots=True)
class Program:
    """All methods of a disassembly, and what each class derives from in the order that a look-up takes."""

    methods: dict[Method, Compiled] = field(default_factory=dict[Method, Compiled])
    bases: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def declaring(self, callee: Method) -> Method:
        """The method itself where javac names a class that only inherits it."""
        waiting, seen = [callee.owner], set[str]()
        while waiting:
            owner = waiting.pop(0)
            found = callee._replace(owner=owner)
            if found in self.methods:
                return found
            if owner not in seen:
                seen.add(owner)
                waiting += self.bases.get(owner, [])
        return callee


def disassemble(classes: Path) -> Iterator[str]:
    """Lines of ``javap`` for all class files of a folder."""
    files = sorted(str(path) for path in classes.rglob("*.class"))
    for start in range(0, len(files), BATCH):
        command = ["javap", "-p", "-v", *files[start : start + BATCH]]
        yield from subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


class Reader:
    """Reads a disassembly line by line."""

    def __init__(self) -> None:
        self.program = Program()
        self._source = self._owner = self._name = ""
        self._current: Compiled | None = None
        self._own: list[Compiled] = []
        self._handles: dict[int, list[Method]] = defaultdict(list)
        self._bootstrap = -1

    def read(self, lines: Iterable[str]) -> Program:
        """The program that some lines show."""
        for line in lines:
            if match := _SOURCE.match(line):
                self.finish_class()
                self._source = match[1]
            elif not line.startswith(" ") and (match := _CLASS.match(line)):
                self._start_class(match[1].replace(".", "/"), match[2])
            elif not self._read_heading(line):
                self._read_code(line)
        self.finish_class()
        return self.program

    def finish_class(self) -> None:
        """Give each method the references that the class's bootstrap methods name."""
        for compiled in self._own:
            for offset, number in compiled.dynamic:
                compiled.handed += [(offset, method) for method in self._handles.get(number, ())]
        self._own, self._handles, self._bootstrap, self._current = [], defaultdict(list), -1, None

    def _start_class(self, owner: str, rest: str) -> None:
        self._owner = owner
        before = ""
        while before != rest:
            before, rest = rest, _TYPE_ARGUMENTS.sub("", rest)
        self.program.bases[owner] = [name.replace(".", "/") for name in _SUPER.findall(rest)]

    def _read_heading(self, line: str) -> bool:
        if _STATIC.match(line):
            self._name = "<clinit>"
        elif match := _METHOD.match(line):
            written = match[1].replace(".", "/")
            self._name = "<init>" if written == self._owner else written.rpartition("/")[2]
        elif match := _DESCRIPTOR.match(line):
            self._current = Compiled(self._source)
            if match[1].startswith("("):
                self._own.append(self._current)
                self.program.methods[Method(self._owner, self._name, match[1])] = self._current
        else:
            return False
        return True

    def _read_code(self, line: str) -> None:
        if match := _BOOTSTRAP.match(line):
            self._bootstrap = int(match[1])
        elif self._bootstrap >= 0 and (match := _HANDLE.match(line)):
            self._handles[self._bootstrap].append(Method(match[1], match[2].strip('"'), match[3]))
        elif self._current is None:
            return
        elif match := _INVOKE.match(line):
            self._current.invokes.append((int(match[1]), _called(match[3], self._owner)))
        elif match := _DYNAMIC.match(line):
            self._current.dynamic.append((int(match[1]), int(match[2])))
        elif match := _LINE.match(line):
            self._current.lines.append((int(match[1]), int(match[2])))


def read_program(lines: Iterable[str]) -> Program:
    """Methods of a disassembly with what they invoke."""
    return Reader().read(lines)


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
    references: set[tuple[int, int]]
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
    references: set[tuple[int, int]] = set()
    by_id: dict[int, Node] = {}
    for row in map(json.loads, lines):
        if row["type"] == "node":
            node = Node(row["id"], row["path"], row["start_line"], row["end_line"], row["kind"], row["name"])
            nodes[row["path"].rpartition("/")[2]].append(node)
            by_id[node.id] = node
        elif row["kind"] == "CALLS" and row["resolution"] not in UNCERTAIN:
            calls[(row["source"], row["target"])] = row["resolution"]
        elif row["kind"] == "REFERENCES" and row["resolution"] not in UNCERTAIN:
            references.add((row["source"], row["target"]))
    return Graph(nodes, calls, references, by_id)


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


class Truth(NamedTuple):
    """(caller, callee) pairs with the line of a call or of a reference; (caller, name) of calls that lead outside."""

    calls: dict[tuple[int, int], int]
    handed: dict[tuple[int, int], int]
    outside: set[tuple[int, str]]


class Oracle:
    """What the byte code calls, in nodes of a graph."""

    def __init__(self, program: Program, graph: Graph) -> None:
        self._program = program
        self._graph = graph
        self.places = {
            method: node for method, item in program.methods.items() if (node := node_of(method, item, graph))
        }

    def truth(self) -> Truth:
        """Calls and references between methods of the repository."""
        found = Truth({}, {}, set())
        for method, compiled in self._program.methods.items():
            caller = self.places.get(method)
            is_bridge = "$" in method.name and not method.name.startswith("lambda$")
            if caller is not None and not is_bridge:
                self._add(found, method, compiled, caller)
        return found

    def _add(self, found: Truth, method: Method, compiled: Compiled, caller: Node) -> None:
        for line, written in self._invoked(compiled):
            self._note(found.calls, found.outside, caller, line, written, method)
        for offset, written in compiled.handed:
            if not written.name.startswith("lambda$"):
                self._note(found.handed, found.outside, caller, compiled.line_at(offset), written, method)

    def _note(
        self,
        into: dict[tuple[int, int], int],
        outside: set[tuple[int, str]],
        caller: Node,
        line: int,
        written: Method,
        method: Method,
    ) -> None:
        callee = self._program.declaring(written)
        target = self.places.get(callee)
        source = _initialiser(caller, line, self._graph)
        if target is None:
            outside.add((source.id, callee.name))
        elif target.kind == "Method" and not _is_added(method, callee, line, caller):
            into.setdefault((source.id, target.id), line)

    def _invoked(self, compiled: Compiled) -> Iterator[tuple[int, Method]]:
        """Lines and callees, those of methods without a node of their own with them."""
        waiting = [(compiled.line_at(offset), callee) for offset, callee in compiled.invokes]
        seen: set[Method] = set()
        for line, callee in waiting:
            inner = self._program.methods.get(callee)
            is_nameless = callee.name == "<init>" and bool(_NAMELESS.search(callee.owner))
            if inner is not None and callee not in seen and (is_nameless or callee.name.startswith("access$")):
                seen.add(callee)
                waiting += [(inner.line_at(place) if is_nameless else line, item) for place, item in inner.invokes]
            elif inner is not None and callee not in seen and self._is_implicit(callee):
                seen.add(callee)
                bases = self._program.bases[callee.owner]
                waiting += [(line, item) for _, item in inner.invokes if item.name == "<init>" and item.owner in bases]
            else:
                yield line, callee

    def _is_implicit(self, callee: Method) -> bool:
        place = self.places.get(callee)
        return callee.name == "<init>" and place is not None and place.kind == "Class"


def truth(program: Program, graph: Graph) -> Truth:
    """What the byte code calls."""
    return Oracle(program, graph).truth()


def _is_added(method: Method, callee: Method, line: int, caller: Node) -> bool:
    """Whether javac wrote a call: the constructor of the base at the very line that declares a constructor."""
    is_base = method.name == "<init>" and callee.name == "<init>" and callee.owner != method.owner
    return is_base and line == caller.start


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
    program = read_program(disassemble(arguments.classes))
    oracle = truth(program, graph)
    compiled = {node.id for method, item in program.methods.items() if (node := node_of(method, item, graph))}
    calls = {
        (source, target)
        for source, target in graph.calls
        if target in compiled and (source in compiled or graph.by_id[source].kind in {"Class", "Interface"})
        and graph.by_id[target].kind == "Method" and _is_compiled(graph.by_id[source], graph, compiled)
    }  # fmt: skip
    wanted = oracle.handed | oracle.calls
    drawn = {
        (source, target)
        for source, target in calls
        if (source, target) in wanted or (source, graph.by_id[target].name) not in oracle.outside
    }
    drawn |= oracle.handed.keys() & graph.references
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
