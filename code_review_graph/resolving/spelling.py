"""How callees are written, for what no definition answers."""

from __future__ import annotations

from code_review_graph.facts import Tag
from code_review_graph.program import Program


def written_name(program: Program, file: int, expression: int) -> str:
    """A callee as the source writes it: ``a.b.c``; what is not a name is left out."""
    parts: list[str] = []
    shape = program.expressions[file][expression]
    if shape[0] == Tag.CONSTRUCT:
        shape = program.expressions[file][shape[1]]
        if shape[0] == Tag.INDEX:  # new C<T>
            shape = program.expressions[file][shape[1]]
    while shape[0] == Tag.MEMBER:
        if not shape[2].startswith("<"):
            parts.append(shape[2].removesuffix("()"))
        shape = program.expressions[file][shape[1]]
    if shape[0] == Tag.NAME:
        parts.append(shape[1].removesuffix("()"))
    elif shape[0] == Tag.SELF and parts:
        parts.append("this")
    elif shape[0] == Tag.SUPER:
        parts.append("super()")
    elif parts:
        parts.append("()" if shape[0] == Tag.CALL else "")
    return ".".join(reversed(parts)).lstrip(".")
