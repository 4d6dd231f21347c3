"""Hostile and generated Python: nothing fails, nothing takes long, what can be read is read."""

from __future__ import annotations

import pytest

from code_review_graph.model import EdgeKind
from code_review_graph.parsing import parse_source, rules_version
from code_review_graph.resolving import resolve

MANY = 2000
CALM = "\n\ndef calm():\n    return still()\n\n\ndef still():\n    return 1\n"

SOURCES = {
    "long and": "def f(x):\n    return " + " and ".join(["x"] * MANY),
    "long and of isinstance": "def f(x):\n    if " + " and ".join(["isinstance(x, int)"] * MANY) + ":\n        x.a()",
    "long sum": "y = " + " + ".join(["x"] * MANY),
    "many nots": "y = " + "not " * MANY + "x",
    "parentheses": "y = " + "(" * MANY + "x" + ")" * MANY,
    "nested targets": "(" * MANY + "a" + ",)" * MANY + " = z",
    "nested lists": "y = " + "[" * MANY + "]" * MANY,
    "call chain": "y = a" + ".b()" * MANY,
    "member chain": "y = a" + ".b" * MANY,
    "bases of bases": "class C0: ...\n"
    + "".join(f"class C{i}(C{i - 1}): ...\n" for i in range(1, MANY))
    + "C1999().m()",
    "bases below": "".join(f"class D{i}(D{i + 1}): ...\n" for i in range(MANY)) + "D0().m()",
    "elif table": "def f(x):\n    if x: ...\n" + "    elif isinstance(x, str): x.a()\n" * MANY,
    "rebinding in a loop": "def g(): ...\nfor i in z:\n" + "    x = g\n    x()\n" * MANY,
    "aliases of aliases": "a0 = f\n" + "".join(f"a{i} = a{i - 1}\n" for i in range(1, MANY)) + "a1999()\ndef f(): ...",
    "returns of returns": "".join(f"def r{i}():\n    return r{i + 1}()\n" for i in range(MANY)) + "r0().x()",
    "nested types": "def f(x: " + "Optional[" * MANY + "int" + "]" * MANY + "): x.a()",
    "nested pattern": "match x:\n    case " + "[" * MANY + "a" + "]" * MANY + ": ...",
    "contradicting bases": "class A: ...\nclass B(A): ...\nclass C(B, A): ...\nclass D(A, B): ...\nD().x()",
    "calls itself": "def f(a):\n    return a(a)\nf(f)",
    "NUL bytes": "x = 1\0\n",
    "unfinished": "class A:\n    def f(self:\n        if (\n",
}


@pytest.mark.timeout(30)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_hostile_source_costs_only_itself(source: str) -> None:
    bad = parse_source("bad.py", source.encode())
    good = parse_source("good.py", CALM.encode())
    graph = resolve([("bad.py", bad.facts), ("good.py", good.facts)])
    names = {node.id: node.qualified_name for node in graph.nodes}
    calls = {(names[edge.source], names[edge.target]) for edge in graph.edges if edge.kind is EdgeKind.CALLS}
    assert ("good.py::calm", "good.py::still") in calls


def test_text_in_other_encodings() -> None:
    latin = parse_source("a.py", "# Größe\ndef größe(): ...\n".encode("latin-1"))
    assert "Latin-1" in latin.diagnostics[0].message
    marked = parse_source("a.py", b"\xef\xbb\xbfdef first():\r\n    return second()\r\n\r\ndef second(): ...\r\n")
    graph = resolve([("a.py", marked.facts)])
    assert [node.name for node in graph.nodes] == ["a.py", "first", "second"]
    assert [edge.lines for edge in graph.edges if edge.kind is EdgeKind.CALLS] == [(2,)]


def test_a_path_of_no_language_is_refused() -> None:
    assert rules_version("a.txt") == ""
    with pytest.raises(ValueError, match=r"a\.txt"):
        parse_source("a.txt", b"")


def test_minified_text_is_known_but_its_definitions_are_left_out() -> None:
    bundle = ("/* lib */" + "def f(a): return a;" * 5000).encode()
    for path, source in (("bundle.py", bundle), ("lib.min.py", b"def f(a): return a\n")):
        parsed = parse_source(path, source)
        graph = resolve([(path, parsed.facts)])
        assert [node.qualified_name for node in graph.nodes] == [path]
        assert "minified" in parsed.diagnostics[0].message
