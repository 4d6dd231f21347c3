"""Values that ``pytest.mark.parametrize`` passes to a test."""

from __future__ import annotations

from code_review_graph.facts import Expression, Tag
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation
from code_review_graph.values import EMPTY, INFERRED, LITERAL, Values, merge


def parametrized(engine: Evaluation, program: Program, function: int, name: str) -> Values:
    """Values of one parametrised argument; plain literals aside."""
    scope = program.scope_of(function)
    shapes = program.expressions[program.definition_file[function]]
    found: Values = {}
    for decorator in program.definitions[function].decorators:
        call = shapes[max(decorator, 0)]
        if call[0] != Tag.CALL or len(call[2]) < 2 or shapes[call[1]][-1] != "parametrize":
            continue
        names = _names(shapes, call[2][0])
        rows = shapes[call[2][1]]
        if name not in names or rows[0] != Tag.SEQUENCE:
            continue
        for row in rows[2]:
            cell = row if len(names) == 1 else _cell(shapes, row, names.index(name))
            merge(found, engine.evaluate(scope, _unwrapped(shapes, cell)), INFERRED)
    return {value: level for value, level in found.items() if value[0] != LITERAL} or EMPTY


def _names(shapes: list[Expression], expression: int) -> list[str]:
    shape = shapes[expression]
    if shape[0] == Tag.LITERAL and isinstance(shape[2], str):
        return [part.strip() for part in shape[2].split(",")]
    items = [shapes[item] for item in shape[2]] if shape[0] == Tag.SEQUENCE else []
    return [str(item[2]) for item in items if item[0] == Tag.LITERAL]


def _cell(shapes: list[Expression], row: int, place: int) -> int:
    """One argument of a row: of a tuple, or of ``pytest.param(...)``."""
    shape = shapes[row]
    if shape[0] in {Tag.SEQUENCE, Tag.CALL} and place < len(shape[2]):
        return int(shape[2][place])
    return 0


def _unwrapped(shapes: list[Expression], cell: int) -> int:
    """The value in ``pytest.param(value)``."""
    shape = shapes[cell]
    if shape[0] == Tag.CALL and len(shape[2]) == 1 and shapes[shape[1]][-1] == "param":
        return int(shape[2][0])
    return cell
