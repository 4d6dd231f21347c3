"""Scripts inside components: what is kept, and that nothing moves."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_review_graph.languages.javascript.scripts import MAX_TAG, blank_outside_scripts
from code_review_graph.model import NodeKind
from code_review_graph.parsing import parse_source
from code_review_graph.resolving import resolve


def _kept(source: str) -> list[str]:
    return blank_outside_scripts(source.encode()).decode().split()


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("<script>a</script>", ["a"]),
        ("<template><p>x</p></template>\n<script>\na\n</script>\n<style>p {}</style>", ["a"]),
        ("<script>a</script>\n<script setup>b</script>", ["a", "b"]),
        ('<script context="module">a</script>\n<script>b</script>', ["a", "b"]),
        ("<script module>a</script>", ["a"]),
        ('<script lang="ts">a</script>', ["a"]),
        ("<script lang=ts setup>a</script>", ["a"]),
        ("<script\n  setup\n  lang='ts'\n>a</script>", ["a"]),
        ('<script setup lang="ts" generic="T extends Map<string, U>, U">a</script>', ["a"]),
        ('<script generics=\'T extends "a" | ">"\'>a</script>', ["a"]),
        ("<SCRIPT>a</SCRIPT>", ["a"]),
        ("<script>a</ScRiPt>b", ["a"]),
        ("<script>a</script >b", ["a"]),
        ("<script>a</script\n>b", ["a"]),
        ("<script>a</scripts>b</script>c", ["a</scripts>b"]),
        ("<script>if (a < b && c > d) {}</script>", ["if", "(a", "<", "b", "&&", "c", ">", "d)", "{}"]),
        ("<script>a", ["a"]),
        ("<script></script>", []),
        ('<script src="./a.js"></script>', []),
        ('<script src="./a.js">a</script><script>b</script>', ["b"]),
        ("<script setup src='./a.js'>a</script>", []),
        ('<script src="./a.js" />\n<script>b</script>', ["b"]),
        ("<script/>a", []),
        ('<script data-src="x">a</script>', ["a"]),
        ("<script type='application/ld+json'>{}</script>", []),
        ("<script type=importmap>{}</script>", []),
        ("<script type='text/javascript'>a</script>", ["a"]),
        ('<script type="module">a</script>', ["a"]),
        ("<script type>a</script>", ["a"]),
        ("<!-- <script>a</script> --><script>b</script>", ["b"]),
        ("<!-- a --><!----><!--><script>b</script>", ["b"]),
        ("<!-- <script>a</script>", []),
        ("<script>a // <!-- b</script>c", ["a", "//", "<!--", "b"]),
        ("<scripts>a</scripts>", []),
        ("<script-x>a</script-x>", []),
        ("<p>script</p>", []),
        ("a < script", []),
        ("{@html `<script>a<\\/script>`}\n<script>b</script>", ["b"]),
        ("<script", []),
        ("<script ", []),
        ("<script a", []),
        ('<script a="', []),
        ("", []),
    ],
)
def test_kept(source: str, kept: list[str]) -> None:
    assert _kept(source) == kept
    _check_positions(source.encode())


def _check_positions(source: bytes) -> None:
    result = blank_outside_scripts(source)
    assert len(result) == len(source)
    for before, after in zip(source, result, strict=True):
        assert after == before or (after == ord(" ") and before not in b"\r\n")


_PARTS = [
    "<script",
    "</script",
    "<script>",
    "</script>",
    ">",
    "/>",
    "'",
    '"',
    "=",
    " ",
    "\r\n",
    "<!--",
    "-->",
    "src",
    "é",
]


@given(st.binary() | st.lists(st.sampled_from(_PARTS)).map(lambda parts: "".join(parts).encode()))
def test_nothing_moves(source: bytes) -> None:
    _check_positions(source)


def test_bytes_outside_of_ascii() -> None:
    source = "<p>é→😀</p>\r\n<script>é</script>".encode()
    result = blank_outside_scripts(source)
    assert result.decode().split() == ["é"]
    assert result.index(b"\r\n") == source.index(b"\r\n")


@pytest.mark.parametrize(
    "source",
    [
        b"<script " * 120_000,
        b"<script" * 120_000,
        b"<script '" * 120_000,
        b'<script a="' * 90_000,
        b"<script>" * 120_000,
        b"<script></script>" * 60_000,
        b"<!---->" * 120_000 + b"<script>a</script>",
        b"<!--" * 250_000,
        b"</script" * 120_000,
        b"<script" + b" " * 1_000_000,
        b"<script " + b"a= " * 300_000,
        b"<script a" + b"=" * 1_000_000 + b">",
        b"<script " + b"a" * 1_000_000,
    ],
    ids=lambda source: repr(source[:12]),
)
def test_time_is_in_proportion(source: bytes) -> None:
    start = time.process_time()
    blank_outside_scripts(source)
    assert time.process_time() - start < 2


def test_a_tag_of_any_length_is_none() -> None:
    assert _kept(f"<script {'a' * MAX_TAG}>a</script>") == []


def _nodes(path: str, source: str) -> set[tuple[str, int]]:
    graph = resolve([(path, parse_source(path, source.encode()).facts)])
    return {(node.name, node.start_line) for node in graph.nodes if node.kind is not NodeKind.FILE}


@pytest.mark.parametrize("path", ["A.vue", "A.svelte"])
def test_definitions_keep_their_lines(path: str) -> None:
    source = (
        "<template>\n  <p>é</p>\n</template>\n<script>\nexport function one() {}\n</script>\n<script setup lang='ts'>\n"
    )
    source += "function two(a: number) { return one() }\n</script>\n<style>\np { }\n</style>\n"
    assert _nodes(path, source) == {("one", 5), ("two", 8)}
