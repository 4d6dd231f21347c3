"""The tools: one typed function each, ``fn(store, ...) -> Result``. Server and command line read the list TOOLS.

To add a tool, write its function in a module here and add one line to TOOLS.
"""

from __future__ import annotations

from code_review_graph.tools.build import build_or_update_graph
from code_review_graph.tools.query import query_graph
from code_review_graph.tools.registry import Tool
from code_review_graph.tools.search import hybrid_search
from code_review_graph.tools.status import graph_status

TOOLS: tuple[Tool, ...] = (
    Tool(hybrid_search, "Search definitions", read_only=True),
    Tool(query_graph, "Walk the call graph", read_only=True),
    Tool(build_or_update_graph, "Build or update the index", read_only=False),
    Tool(graph_status, "Index status", read_only=True),
)

__all__ = ["TOOLS", "Tool", "build_or_update_graph", "graph_status", "hybrid_search", "query_graph"]
