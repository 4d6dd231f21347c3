"""Sites of a dirty file by the node that they belong to: those of nodes that nothing touched are as they were drawn.

Where the file was edited they may stand on other lines, and their parts may have other numbers in the file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from code_review_graph.facts import FileFacts, Site
from code_review_graph.model import EdgeKind
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.coverage import FIXTURE
from code_review_graph.resolving.partial.edit import Edit
from code_review_graph.resolving.partial.keeping import unpack_nodes
from code_review_graph.resolving.partial.nodes import PartialNodes
from code_review_graph.resolving.partial.touched import Touched
from code_review_graph.resolving.tables import Link, LinkKind

_DRAWN = (EdgeKind.CALLS, EdgeKind.REFERENCES)
_CALLS = frozenset({LinkKind.PASS, LinkKind.PASS_ON})
Placed = tuple[int, int]  # scope and expression, by their numbers in the file


class Sites:
    """Sites of one file, before and after the edit."""

    def __init__(self, edit: Edit, nodes: PartialNodes, file: int) -> None:
        self._edit = edit
        self._file = file
        program = edit.new.program
        self._facts = program.files[file]
        self._start = program.scope_base[file]
        known = [nodes.node_of[number] for number in self._numbers(program.definition_base[file], self._facts)]
        self._by_node = _by_node(self._facts, known, nodes.file_nodes[file])
        self._node_of = self._node_before = _Callers(self._facts, known, nodes.file_nodes[file])
        self._definition_lines = {node: item.line for node, item in zip(known, self._facts.definitions, strict=True)}
        self._before: dict[int, list[Site]] = {}
        self._lines_before: dict[int, int] = {}
        self._is_edited = program.paths[file] in edit.edited
        if self._is_edited and edit.before(file) >= 0:
            facts = edit.facts_before(program.paths[file])
            file_node, old = unpack_nodes(edit.source.numbering(edit.new.numbers.ids[file]))
            self._before = _by_node(facts, old, file_node)
            self._node_before = _Callers(facts, old, file_node)
            self._lines_before = {node: item.line for node, item in zip(old, facts.definitions, strict=True)}
        self._loads = {id(site) for site in self._facts.loads}
        self._always: set[int] = set()  # nodes that hand functions over: what they bring is found by drawing them
        self.drawn: set[int] = set()

    def note(self, links: Iterable[Link]) -> None:
        """Look at what the file brought before."""
        for link in links:
            if link.kind not in _CALLS:
                scope = link.entry[1 if link.kind == LinkKind.FEED else 4]
                self._always.add(self._node_before(scope - self._start))

    @staticmethod
    def _numbers(start: int, facts: FileFacts) -> range:
        return range(start, start + len(facts.definitions))

    def undrawn(self, only: Touched | None, is_asked: Callable[[Site], bool]) -> list[Site]:
        """Sites of the nodes that can be something else and were not drawn yet, in order; loads that are asked for."""
        nodes = {node for node in self._by_node if only is None or self._is_touched(node, only)} - self.drawn
        self.drawn |= nodes
        found = [site for node in nodes for site in self._by_node[node]]
        order = {id(site): place for place, site in enumerate((*self._facts.sites, *self._facts.loads))}
        asked = [site for site in found if id(site) not in self._loads or is_asked(site)]
        return sorted(asked, key=lambda site: order[id(site)])

    def _is_touched(self, node: int, only: Touched) -> bool:
        if node in self._always or (self._is_edited and self._lines(node) is None):
            return True
        slots = self._edit.slots.get(self._edit.new.numbers.ids[self._file])
        return any(
            (owner if owner < 0 or slots is None else slots.definitions[owner]) in only.callers
            for owner in {_owner(self._facts, site.scope) for site in self._by_node[node]}
        )

    def _lines(self, node: int) -> dict[int, int] | None:
        """New lines by old ones of a node's sites; None when they do not correspond."""
        before, after = self._before.get(node, []), self._by_node[node]
        if len(before) != len(after) or node not in {*self._lines_before, *self._before}:
            return None
        found: dict[int, int] = {}
        if node in self._lines_before and node in self._definition_lines:
            found[self._lines_before[node]] = self._definition_lines[node]
        for old, new in zip(before, after, strict=True):
            if found.setdefault(old.line, new.line) != new.line:
                return None
        return found

    # -- what is kept

    def merged(self, links: Iterable[Link], drawn: Iterable[Link]) -> list[Link]:
        """Links as they were brought before, of the nodes that were not drawn, with those that were; calls in order."""
        places = self._places()
        kept: list[Link] = []
        for link in links:
            if link.kind not in _CALLS:
                continue
            function, scope, call, offset = link.entry
            place = places.get((scope - self._start, call))
            if place is not None and self._node_of(place[0]) not in self.drawn:
                kept.append(link._replace(entry=(function, place[0] + self._start, place[1], offset)))
        order: dict[Placed, int] = {}
        for number, site in enumerate((*self._facts.sites, *self._facts.loads)):
            order.setdefault((site.scope, site.expression), number)
        last = len(order)
        fresh = list(drawn)
        calls = [*kept, *[link for link in fresh if link.kind in _CALLS]]
        calls.sort(key=lambda link: order.get((link.entry[1] - self._start, link.entry[2]), last))
        return [*calls, *[link for link in fresh if link.kind not in _CALLS]]

    def _places(self) -> dict[Placed, Placed]:
        """Where the sites of nodes that were not drawn stand now, by where they stood."""
        found: dict[Placed, Placed] = {}
        for node, sites in self._by_node.items():
            if node not in self.drawn:
                before = self._before[node] if self._is_edited else sites
                for old, new in zip(before, sites, strict=True):
                    found[(old.scope, old.expression)] = (new.scope, new.expression)
        return found

    def add_kept(self, collector: Collector) -> None:
        """Edges and references of the nodes that were not drawn, on their lines of now; fixtures aside."""
        nodes = [node for node in self._by_node if node not in self.drawn]
        lines = {node: self._lines(node) or {} for node in nodes} if self._is_edited else {}
        for edge in self._edit.source.edges_from(nodes, _DRAWN) if nodes else ():
            if edge.via != FIXTURE:
                for line in edge.lines:
                    now = lines[edge.source].get(line, line) if self._is_edited else line
                    collector.add(edge.kind, edge.source, edge.target, now, edge.resolution, edge.via)
        for reference in self._edit.source.references_from(nodes) if nodes else ():
            for line in reference.lines:
                now = lines[reference.source].get(line, line) if self._is_edited else line
                collector.refer(reference.kind, reference.source, reference.name, now)


class _Callers:
    """Nodes to which code in the scopes of a file belongs."""

    def __init__(self, facts: FileFacts, nodes: Sequence[int], file_node: int) -> None:
        self._facts = facts
        self._nodes = nodes
        self._file_node = file_node

    def __call__(self, scope: int) -> int:
        while scope >= 0:
            owner = self._facts.scopes[scope].definition
            if owner >= 0 and self._nodes[owner]:
                return self._nodes[owner]
            scope = self._facts.scopes[scope].parent
        return self._file_node


def _by_node(facts: FileFacts, nodes: Sequence[int], file_node: int) -> dict[int, list[Site]]:
    node_of = _Callers(facts, nodes, file_node)
    found: dict[int, list[Site]] = defaultdict(list)
    for site in (*facts.sites, *facts.loads):
        found[node_of(site.scope)].append(site)
    return found


def _owner(facts: FileFacts, scope: int) -> int:
    """Place of the definition around a scope; -1 for the module."""
    while scope >= 0:
        if facts.scopes[scope].definition >= 0:
            return facts.scopes[scope].definition
        scope = facts.scopes[scope].parent
    return -1
