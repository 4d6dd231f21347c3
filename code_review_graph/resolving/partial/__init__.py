"""Resolving a part of a repository anew: what an edit can reach, exactly as resolving everything would have it."""

from __future__ import annotations

from collections.abc import Mapping

from code_review_graph.facts import FileFacts
from code_review_graph.recursion import deep_recursion
from code_review_graph.resolving.context import RepositoryContext
from code_review_graph.resolving.partial.edit import Edit
from code_review_graph.resolving.partial.output import changed_graph
from code_review_graph.resolving.partial.source import (
    FileChange,
    FileEntry,
    LinkRow,
    NotInPart,
    PartialGraph,
    Source,
)
from code_review_graph.resolving.partial.spread import Spread

__all__ = ["FileChange", "FileEntry", "LinkRow", "NotInPart", "PartialGraph", "Source", "resolve_part"]


def resolve_part(
    source: Source, changes: Mapping[str, FileFacts | None], context: RepositoryContext | None = None
) -> PartialGraph:
    """Resolve what changed facts can reach; ``None`` stands for a file that is gone.

    Raises NotInPart where everything has to be resolved.
    """
    with deep_recursion():
        spread = Spread(Edit(source, changes, {} if context is None else context.config_files))
        spread.run()
        return changed_graph(spread)
