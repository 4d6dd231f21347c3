"""hybrid_search as a tool: the search of code_review_graph.search with the index's own model at hand."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from code_review_graph.errors import ConfigurationError, EmbeddingError, QueryError
from code_review_graph.model import NodeKind
from code_review_graph.results import SearchResult
from code_review_graph.store import Store
from code_review_graph.tools.models import embedder_of
from code_review_graph.tools.paths import inside, readable

MAX_LIMIT = 200
# The whole of a long issue fits; an answer repeats its question, so more would drown the hits.
MAX_QUERY = 20_000
DEFAULT_LIMIT = 10


def hybrid_search(
    store: Store,
    query: Annotated[
        str,
        Field(description="A question in plain words, an identifier, a dotted name, a path, or 'path:line'."),
    ],
    limit: Annotated[int, Field(description=f"Most hits to return, 1 to {MAX_LIMIT}.")] = DEFAULT_LIMIT,
    kinds: Annotated[list[NodeKind] | None, Field(description="Only these kinds of definition.")] = None,
    paths: Annotated[
        list[str] | None,
        Field(description="Only these files or folders, relative to the repository; globs such as 'src/**/*.py' work."),
    ] = None,
) -> SearchResult:
    """Find definitions by meaning or by name: functions, classes, methods, tests, files.

    Start here when you know what the code does but not where it is. Each hit has its qualified name, path, lines,
    signature, and why it was found. Pass a hit's qualified_name to query_graph to walk on.

    Raises QueryError for an empty query or a limit out of range, NoGraphError when nothing is indexed yet, and
    RepositoryError for a path outside the repository.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise QueryError(f"limit is {limit}.", hint=f"Give 1 to {MAX_LIMIT}.")
    query = readable(query)
    if len(query) > MAX_QUERY:
        raise QueryError(f"The query is {len(query)} characters long.", hint=f"At most {MAX_QUERY}: ask for less.")
    store.require_graph()
    wanted = [inside(store.repo_path, path) for path in paths or ()]
    if "." in wanted:  # the repository itself: no filter at all
        wanted = []
    from code_review_graph import search  # noqa: PLC0415 - numpy and the tokenizer load with the first search

    try:
        embedder, notice = embedder_of(store), ""
    except (ConfigurationError, EmbeddingError) as error:
        embedder, notice = None, str(error)
    result = search.hybrid_search(store, query, limit, kinds, wanted or None, embedder=embedder)
    return result.model_copy(update={"notices": (*result.notices, notice)}) if notice else result
