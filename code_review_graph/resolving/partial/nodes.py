"""Nodes of a program that is opened in part: those of edited files are made, those of all others were."""

from __future__ import annotations

from typing import Any

from code_review_graph.resolving.nodes import Nodes
from code_review_graph.resolving.partial.edit import Edit
from code_review_graph.resolving.partial.keeping import unpack_nodes
from code_review_graph.resolving.partial.numbers import Stale
from code_review_graph.resolving.partial.program import OnDemand


class PartialNodes(Nodes):
    """As all nodes; ``nodes`` holds those of the edited files alone. What was there before the edit keeps its id."""

    def __init__(self, edit: Edit) -> None:
        self._edit = edit
        self._entries = edit.new.program.entries
        self._free = edit.source.next_node()
        self._known: dict[int, int] = {}  # by definition, of the file whose nodes are being made
        super().__init__(edit.new.engine)

    def _add_all(self) -> None:
        self.file_nodes: Any = OnDemand(len(self._entries), self._open)
        self.node_of: Any = OnDemand(len(self.program.definition_file), self._open_definition)
        self.is_test: Any = OnDemand(len(self.program.definition_file), self._ask)
        for path in sorted(self._edit.edited):
            file = self.program.file_of_path[path]
            self._known = self._nodes_before(file)
            start = self.program.definition_base[file]
            for number in range(start, start + self.program.definition_count(file)):
                self.node_of[number] = 0
            self.file_nodes[file] = self.add_file(file)

    def _nodes_before(self, file: int) -> dict[int, int]:
        before = self._edit.before(file)
        if before < 0:
            return {}
        file_node, nodes = unpack_nodes(self._edit.source.numbering(self._entries[file].id))
        known = {-1: file_node}
        for number, node in enumerate(nodes, self._edit.old.program.definition_base[before]):
            try:
                known[self._edit.new.numbers.definition_at(self._edit.old.numbers.definition(number))] = node
            except Stale:
                continue
        return known

    def identify(self, file: int, number: int) -> int:
        """The id that a node had before, else a new one."""
        del file
        known = self._known.get(number, 0)
        if not known:
            known = self._free
            self._free += 1
        return known

    def _ask(self, number: int) -> None:
        semantics = self.engine.semantics[self.program.definition_file[number]]
        self.is_test[number] = semantics.testing.is_test(self.engine, number)

    def _open_definition(self, number: int) -> None:
        self._open(self.program.definition_file[number])

    def _open(self, file: int) -> None:
        file_node, numbers = unpack_nodes(self._edit.source.numbering(self._entries[file].id))
        self.file_nodes[file] = file_node
        start = self.program.definition_base[file]
        for place, node in enumerate(numbers, start):
            self.node_of[place] = node
            if node:
                self._definitions[node] = place
