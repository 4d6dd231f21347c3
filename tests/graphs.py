"""Small graphs by hand, in real stores, for tests of what reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from code_review_graph.model import Edge, EdgeKind, Graph, Node, NodeKind, Reference, ReferenceKind, Resolution
from code_review_graph.store import IndexInfo, Store


@dataclass
class GraphMaker:
    """Adds nodes and edges by name; ``store`` puts them into a real index."""

    graph: Graph = field(default_factory=Graph)
    ids: dict[str, int] = field(default_factory=dict)

    def node(
        self,
        qualified_name: str,
        kind: NodeKind = NodeKind.FUNCTION,
        lines: tuple[int, int] = (1, 1),
        *,
        is_test: bool = False,
        docstring: str = "",
    ) -> GraphMaker:
        path, _, scope = qualified_name.partition("::")
        bare = scope.partition("(")[0].partition("@")[0].rpartition(".")[2] or path.rpartition("/")[2]
        parent = qualified_name.rpartition(".")[0] if "." in scope else path
        node = Node(
            id=len(self.graph.nodes) + 1,
            qualified_name=qualified_name,
            name=bare,
            kind=kind,
            path=path,
            start_line=lines[0],
            end_line=lines[1],
            language="python",
            parent=self.ids.get(parent) if scope else None,
            is_test=is_test,
            signature=f"def {bare}()" if scope else "",
            docstring=docstring,
        )
        self.graph.nodes.append(node)
        self.ids[qualified_name] = node.id
        if node.parent:
            self.graph.edges.append(Edge(EdgeKind.CONTAINS, node.parent, node.id, (), Resolution.EXACT))
        return self

    def file(self, path: str, end: int = 100) -> GraphMaker:
        return self.node(path, NodeKind.FILE, (1, end))

    def edge(
        self,
        source: str,
        target: str,
        kind: EdgeKind = EdgeKind.CALLS,
        lines: Sequence[int] = (1,),
        resolution: Resolution = Resolution.EXACT,
        distance: int | None = None,
        via: str | None = None,
    ) -> GraphMaker:
        ends = self.ids[source], self.ids[target]
        self.graph.edges.append(Edge(kind, *ends, tuple(lines), resolution, distance, via))
        return self

    def reference(self, source: str, name: str, kind: ReferenceKind, lines: Sequence[int] = (1,)) -> GraphMaker:
        self.graph.references.append(Reference(kind, self.ids[source], name, tuple(lines)))
        return self

    def store(self, folder: Path) -> Store:
        store = Store(folder)
        store.replace_graph(self.graph, IndexInfo("0" * 40, "2026-01-01T00:00:00Z", "test"))
        return store
