"""Freshness without asking: notices that files have changed, and keeps an index up to date."""

from code_review_graph.watching.keeper import Keeper, Update

__all__ = ["Keeper", "Update"]
