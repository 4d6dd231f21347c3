"""What is kept of resolving everything, so that a part can be resolved anew later."""

from __future__ import annotations

import marshal
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from code_review_graph.languages import BY_NAME
from code_review_graph.program import Program
from code_review_graph.resolving.nodes import Nodes
from code_review_graph.resolving.partial.numbers import Numbers
from code_review_graph.resolving.partial.source import LinkRow
from code_review_graph.resolving.tables import Entry, Link, LinkKind
from code_review_graph.values import Values

Passed = dict[tuple[int, int], Values]


@dataclass(slots=True)
class Kept:
    """Rows for the store: node ids by file id, links, and what is passed by file id and level."""

    nodes: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    links: list[LinkRow] = field(default_factory=list[LinkRow])
    passed: list[tuple[int, int, bytes]] = field(default_factory=list[tuple[int, int, bytes]])


class Keeper:
    """Packs what languages that can be resolved in part need; ``ids`` are the files' ids, in their order."""

    def __init__(self, program: Program, ids: Sequence[int]) -> None:
        self._program = program
        self._numbers = Numbers(program, ids, lambda _: None)
        self._is_kept = [BY_NAME[name].in_part for name in program.languages]
        self._links: list[Link] = []
        self.kept = Kept()

    def links(self, links: Iterable[Link]) -> None:
        """Keep links."""
        is_kept = self._is_kept
        self._links += [item for item in links if is_kept[item.source] and is_kept[item.target]]

    def passed(self, level: int, table: Passed) -> None:
        """Keep what is passed at a level."""
        by_file: dict[int, Passed] = defaultdict(dict)
        for place, values in table.items():
            by_file[self._program.definition_file[place[0]]][place] = values
        for file, found in by_file.items():
            if self._is_kept[file]:
                self.kept.passed.append((self._numbers.ids[file], level, self._numbers.pack_passed(found)))

    def finish(self, nodes: Nodes) -> None:
        """Keep which definition is which node, and pack the links."""
        self.kept.links += packed(self._numbers, self._links)
        for file, is_kept in enumerate(self._is_kept):
            if is_kept:
                start = self._program.definition_base[file]
                end = start + self._program.definition_count(file)
                self.kept.nodes.append(
                    (self._numbers.ids[file], pack_nodes(nodes.file_nodes[file], nodes.node_of[start:end]))
                )


def pack_nodes(file_node: int, nodes: Sequence[int]) -> bytes:
    """Node ids of a file and of its definitions, 0 for none."""
    return marshal.dumps((file_node, tuple(nodes)))


def unpack_nodes(packed_nodes: bytes) -> tuple[int, tuple[int, ...]]:
    """Inverse of ``pack_nodes``."""
    file_node, nodes = marshal.loads(packed_nodes)  # noqa: S302 - our own bytes
    return file_node, nodes


def packed(numbers: Numbers, links: Iterable[Link]) -> Iterator[LinkRow]:
    """Links as rows, one for each kind and pair of files; entries keep their order.

    Elements as they are known at first are mostly those of later: they have rows of their own only where they are not.
    """
    rows: dict[tuple[int, int, int], list[Entry]] = defaultdict(list)
    for link in links:
        rows[(int(link.kind), link.source, link.target)].append(numbers.entry(link))
    first, later = int(LinkKind.FIRST_ITEM), int(LinkKind.ITEM)
    for pair in {key[1:] for key in rows if key[0] in {first, later}}:
        if rows[(first, *pair)] == rows.get((later, *pair), []):
            del rows[(first, *pair)]
    for (kind, source, target), entries in rows.items():
        yield LinkRow(kind, numbers.ids[source], numbers.ids[target], marshal.dumps(entries))
