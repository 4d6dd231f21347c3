"""Small changes: what they can reach is resolved anew, and written together with the facts it was made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from code_review_graph.facts import FileFacts, unpack
from code_review_graph.model import Node
from code_review_graph.resolving.context import RepositoryContext
from code_review_graph.resolving.partial import NotInPart, PartialGraph, resolve_part
from code_review_graph.store import IndexInfo, Store, StoredFile
from code_review_graph.workers import Outcome, Task, parse_file, parse_needed

# Of fewer files to resolve all is quick, and nothing can be overlooked.
FEWEST_FILES: Final = 400
# More than this is no small change, and to resolve everything is not much dearer.
MOST_CHANGES: Final = 48


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a graph is made of beside the facts, and how it is made."""

    config_files: Mapping[str, bytes]
    info: IndexInfo


def fits(store: Store, tasks: Sequence[Task], removed: Sequence[str], inputs: Inputs, fewest_files: int) -> bool:
    """Whether a change is small, and the graph one that can be changed in part.

    Many files may have to be looked at, for their times prove nothing; few of them may have changed.
    """
    if not (tasks or removed) or not store.can_change() or not store.graph_is_current():
        return False
    changed = len(removed)
    for task in tasks:
        changed += task.known_hash is None or parse_needed(store.repo_path, task)
        if changed > MOST_CHANGES:
            return False
    known = store.info()
    return known is not None and known.inputs == inputs.info.inputs and len(store.file_records()) >= fewest_files


@dataclass(frozen=True, slots=True)
class Done:
    """How many files were read anew, and of how many edges were looked for."""

    parsed: int
    resolved: int


def update_in_part(store: Store, tasks: Sequence[Task], removed: Sequence[str], inputs: Inputs) -> Done | None:
    """Parse a small change and resolve what it can reach; None when all must be resolved.

    The facts are written with the graph, in one transaction; for None, nothing is written.
    """
    outcomes = [parse_file(store.repo_path, task) for task in tasks]
    changed = [outcome.stored for outcome in outcomes if not outcome.unchanged]
    resolved = 0
    if changed or removed:
        change = _resolved(store, changed, removed, inputs)
        if change is None or not store.change_graph(changed, change, inputs.info, _hashes(store, change)):
            return None
        resolved = len(change.files)
    _touch(store, outcomes)
    return Done(len(changed), resolved)


def _touch(store: Store, outcomes: Iterable[Outcome]) -> None:
    touched = [outcome.stored.record for outcome in outcomes if outcome.unchanged]
    if touched:
        store.touch_files(touched)


def _resolved(
    store: Store, changed: Sequence[StoredFile], removed: Sequence[str], inputs: Inputs
) -> PartialGraph | None:
    if not all(file.facts for file in changed):
        return None
    facts: dict[str, FileFacts | None] = {file.record.path: unpack(file.facts) for file in changed}
    facts |= dict.fromkeys(removed)
    try:
        with store.snapshot():
            return resolve_part(store, facts, RepositoryContext(inputs.config_files))
    except NotInPart:
        return None


def _hashes(store: Store, change: PartialGraph) -> dict[int, bytes]:
    """What tells which of the stored vectors are those of the edited nodes; nothing when there are none."""
    model = store.embedding_model()
    nodes: list[Node] = [node for file in change.files for node in file.nodes or ()]
    if model is None or not nodes:
        return {}
    from code_review_graph.embedding import text_hashes  # noqa: PLC0415 - builds without vectors do not need it

    return {node.id: key for node, key in zip(nodes, text_hashes(model, nodes), strict=True)}
