"""Scoring against a SCIP index, on an index written by hand in the wire format."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.scip import Occurrence, read_index
from benchmarks.score_golden import Call, Place
from benchmarks.score_scip import Index, Judge, found, read_scripts, read_truth, verdicts_of, write_truth
from benchmarks.scripts import Spot, read_script

LIBRARY = """\
export function make() { return new Shape(); }
export class Shape {
  constructor() { this.draw(); }
  draw() { return help('ä', () => make()); }
  get size() { return 1; }
}
const help = (text, run) => run(text);
lib.use = function use(one) { return lib.use(one); };
test('a title', () => { make.call(null); });
"""
OCCURRENCES = [
    # line, column, symbol, defines
    (1, 16, "npm pkg 1 make().", True),
    (1, 36, "npm pkg 1 Shape#", False),
    (2, 13, "npm pkg 1 Shape#", True),
    (3, 23, "npm pkg 1 Shape#draw().", False),
    (4, 2, "npm pkg 1 Shape#draw().", True),
    (4, 18, "npm pkg 1 help.", False),
    (4, 34, "npm pkg 1 make().", False),
    (7, 6, "npm pkg 1 help.", True),
    (7, 28, "local 1", False),
    (8, 4, "local 2", False),
    (8, 41, "local 2", False),
    (9, 0, "npm other 1 test().", False),
    (9, 24, "npm pkg 1 make().", False),
]


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def encoded() -> bytes:
    document = field(1, b"lib.ts")
    for line, column, symbol, defines in OCCURRENCES:
        place = varint(line - 1) + varint(column) + varint(column + 1)
        name = f"scip {symbol}" if not symbol.startswith("local") else symbol
        document += field(2, field(1, place) + field(2, name.encode()) + field(3, int(defines)))
    relation = field(1, b"scip npm pkg 1 Base#draw().") + field(3, 1)
    document += field(3, field(1, b"scip npm pkg 1 Shape#draw().") + field(4, relation))
    return field(1, field(2, b"meta")) + field(2, document)


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    (tmp_path / "lib.ts").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "other.js").write_text("f()")
    scripts = read_scripts(tmp_path)
    assert list(scripts) == ["lib.ts"]
    truth = tmp_path / "truth.json"
    write_truth(verdicts_of(Index(read_index(encoded()), scripts)), truth)
    return Judge(read_truth(truth), scripts)


def test_the_wire_format_is_read() -> None:
    (document,) = read_index(encoded())
    assert document.path == "lib.ts"
    assert document.occurrences[0] == Occurrence(1, 16, "scip npm pkg 1 make().", defines=True)
    assert document.implements == {"scip npm pkg 1 Shape#draw().": ["scip npm pkg 1 Base#draw()."]}


def test_an_unknown_wire_type_is_refused() -> None:
    with pytest.raises(ValueError, match="wire type"):
        read_index(b"\x0b")


def test_columns_are_utf16(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("'😀ä'; f()", encoding="utf-8")
    assert read_script(tmp_path / "a.js").sites[0].spot == Spot(1, 7)


def call(caller: int, callee: int, line: int, name: str, resolution: str = "exact", via: str | None = None) -> Call:
    return Call(Place("lib.ts", caller), Place("lib.ts", callee), (line,), resolution, name, via)


def test_sites_are_counted(judge: Judge) -> None:
    assert judge.counts == {"inside": 6, "external": 1, "open": 2}
    assert {(caller.line, min(callees).line) for caller, callees in judge.pairs} == {
        (1, 2), (3, 4), (4, 7), (4, 1), (8, 8), (9, 1),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("edge", "outcome"),
    [
        (call(1, 2, 1, "Shape"), "right"),
        (call(1, 3, 1, "constructor"), "right"),
        (call(3, 4, 3, "draw"), "right"),
        (call(4, 1, 4, "make"), "right"),
        (call(9, 1, 9, "make"), "right"),
        (call(0, 1, 9, "make"), "right"),
        (call(3, 7, 3, "draw"), "wrong"),
        (call(3, 7, 4, "help"), "no call of that caller on that line"),
        (call(7, 1, 7, "run"), "the checker does not say"),
        (call(4, 5, 4, "size"), "accessor"),
        (call(1, 7, 1, "help", via="callback"), "via callback"),
    ],
)
def test_edges_are_judged(judge: Judge, edge: Call, outcome: str) -> None:
    judged = judge.judge([edge])
    assert (len(judged.right), len(judged.wrong)) == ((outcome == "right") * 1, (outcome == "wrong") * 1)
    assert list(judged.left_out) == ([] if outcome in {"right", "wrong"} else [outcome])


def test_recall_is_by_pair(judge: Judge) -> None:
    assert len(found(judge, [call(1, 2, 1, "Shape"), call(3, 4, 4, "draw"), call(8, 8, 8, "use")])) == 2
