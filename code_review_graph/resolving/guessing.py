"""Guesses: where nothing says what a method call means but only one or two definitions bear its name.

They are rare by design, apart in every answer, and never drawn for a name that builtin types have too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from code_review_graph.model import EdgeKind, Reference, ReferenceKind, Resolution
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.nodes import Nodes

MAX_CANDIDATES: Final = 2
MIN_LENGTH: Final = 4
_COMMON: Final = frozenset(
    name
    for kind in (str, bytes, list, dict, set, int, float, tuple, BaseException, object)
    for name in dir(kind)
) | frozenset({
    "close", "open", "read", "write", "send", "recv", "run", "start", "stop", "put", "push", "next", "save", "load",
    "delete", "create", "filter", "first", "last", "name", "value", "group", "match", "search", "submit", "cancel",
    "result", "connect", "execute", "commit", "flush", "seek", "tell", "exists", "resolve", "parse", "render",
    "call", "apply", "process", "handle", "wait", "acquire", "release", "info", "debug", "warning", "error",
    "exception", "log", "equals", "hashCode", "toString", "getClass", "compareTo", "clone", "notify", "getName",
    "getValue", "getKey", "size", "isEmpty", "contains", "containsKey", "iterator", "hasNext", "stream", "forEach",
    "toArray", "substring", "charAt", "length", "indexOf", "trim", "shift", "slice", "splice", "concat", "reduce",
    "some", "every", "find", "findIndex", "includes", "then", "catch", "finally", "bind", "entries", "emit", "once",
    "test", "exec", "toJSON", "valueOf", "hasOwnProperty", "assign", "freeze", "addEventListener", "querySelector",
    "String", "Error", "Len", "Less", "Swap", "Close", "Read", "Write", "Next", "Value", "Lock", "Unlock", "Done",
})  # fmt: skip


def draw_guesses(nodes: Nodes, collector: Collector) -> None:
    """Draw guess edges for unresolved method calls; the reference itself stays."""
    families = [id(semantics) for semantics in nodes.engine.semantics]
    family_of = {node.id: families[nodes.program.file_of_path[node.path]] for node in nodes.nodes}
    by_name: dict[tuple[int, str], list[int]] = defaultdict(list)
    for number, node in enumerate(nodes.node_of):
        if node and nodes.program.class_of[number] >= 0 and not nodes.nodes[node - 1].is_test:
            by_name[(family_of[node], nodes.program.definitions[number].name)].append(node)
    add_guesses(collector, lambda source, name: by_name.get((family_of[source], name), ()))


def add_guesses(collector: Collector, bearing: Callable[[int, str], Sequence[int]]) -> None:
    """Draw guess edges, where ``bearing`` gives the nodes of the product's methods of a name, for a node that calls.

    They are of the caller's language or one that it can import from.
    """
    for reference in collector.references():
        for target in _candidates(reference, bearing):
            for line in reference.lines:
                collector.add(EdgeKind.CALLS, reference.source, target, line, Resolution.GUESS, None)


def _candidates(reference: Reference, bearing: Callable[[int, str], Sequence[int]]) -> Sequence[int]:
    owner, _, name = reference.name.rpartition(".")
    if reference.kind is not ReferenceKind.UNRESOLVED or not owner:
        return ()
    if len(name) < MIN_LENGTH or name in _COMMON or name.startswith("__"):
        return ()
    found = bearing(reference.source, name)
    return found if len(found) <= MAX_CANDIDATES else ()
