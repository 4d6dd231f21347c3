"""The sentence beside an answer: why it is empty, what could not be resolved, where to look next."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from code_review_graph.model import Node
from code_review_graph.results import Pattern
from code_review_graph.store import Store
from code_review_graph.traversal import walk

_OF_MEMBERS = frozenset({Pattern.CALLERS_OF, Pattern.CALLEES_OF, Pattern.TESTS_FOR, Pattern.REFERENCES_TO})
_MAX_MEMBERS = 200  # members looked at for a hint; an answer must stay fast on a file of thousands

_NOTHING: Mapping[Pattern, str] = MappingProxyType(
    {
        Pattern.CALLERS_OF: "No call of '{name}' in the repository could be resolved to it.",
        Pattern.CALLEES_OF: "'{name}' calls nothing that is defined in the repository.",
        Pattern.TESTS_FOR: "No test calls '{name}' itself or through the tests' own helpers; callers_of with a "
        "greater depth shows longer ways.",
        Pattern.TESTED_BY: "'{name}' is not a test that calls a definition of the repository; tests_for asks the "
        "other way round.",
        Pattern.IMPORTS_OF: "'{name}' imports nothing from the repository.",
        Pattern.IMPORTERS_OF: "No file of the repository imports '{name}'.",
        Pattern.INHERITORS_OF: "Nothing in the repository inherits from '{name}'.",
        Pattern.BASES_OF: "'{name}' has no base that is defined in the repository.",
        Pattern.CHILDREN_OF: "'{name}' contains no definitions.",
        Pattern.REFERENCES_TO: "'{name}' is not used as a value anywhere in the repository.",
        Pattern.FILE_SUMMARY: "'{name}' holds no definitions.",
    }
)


def answer_hint(store: Store, pattern: Pattern, node: Node, *, is_empty: bool, references_cut: int) -> str:
    """What a reader of the answer must know besides its rows; empty when the rows say everything."""
    notes = [
        _NOTHING[pattern].format(name=node.name) if is_empty else "",
        _members_note(store, pattern, node) if is_empty else "",
        _unresolved_note(store, node) if pattern is Pattern.CALLERS_OF else "",
        f"{references_cut} more outside callees were cut: raise limit to see them." if references_cut else "",
    ]
    return " ".join(note for note in notes if note)


def _unresolved_note(store: Store, node: Node) -> str:
    """How many sites may be callers too: calls of this bare name that nothing could resolve."""
    count = store.unresolved_sites(node.name)
    if not count:
        return ""
    sites = "1 call site" if count == 1 else f"{count} call sites"
    return f"{sites} of some '{node.name}' could not be resolved and may be callers too."


def _members_note(store: Store, pattern: Pattern, node: Node) -> str:
    """Members that have what the target itself lacks."""
    if pattern not in _OF_MEMBERS:
        return ""
    members = walk(store, node, Pattern.CHILDREN_OF, depth=1)[:_MAX_MEMBERS]
    having = [member.node.name for member in members if walk(store, member.node, pattern, depth=1)]
    if not having:
        return ""
    count = "1 member has" if len(having) == 1 else f"{len(having)} members have"
    return f"{count} some ({', '.join(having[:5])}): ask {pattern} of those."
