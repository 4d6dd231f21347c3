"""Numbers of the grammar's node kinds and fields: a node is asked by number in half the time that a name takes."""

from __future__ import annotations

from typing import Final

import tree_sitter_python
from tree_sitter import Language

GRAMMAR: Final = Language(tree_sitter_python.language())


def kind(name: str, *, named: bool = True) -> int:
    """The number of a kind of nodes, as ``Node.kind_id`` gives it."""
    number = GRAMMAR.id_for_node_kind(name, named)
    if number is None:
        raise LookupError(f"the grammar has no node kind {name}")
    return number


def field(name: str) -> int:
    """The number of a field, as ``Node.child_by_field_id`` takes it."""
    number = GRAMMAR.field_id_for_name(name)
    if number is None:
        raise LookupError(f"the grammar has no field {name}")
    return number
