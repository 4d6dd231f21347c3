"""Search: the right definition from a plain question."""

from code_review_graph.search.flow import MAX_LIMIT, hybrid_search

__all__ = ["MAX_LIMIT", "hybrid_search"]
