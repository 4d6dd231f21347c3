from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent

from code_review_graph.model import EdgeKind, NodeKind, ReferenceKind, Resolution
from code_review_graph.server import INSTRUCTIONS, SERVER_NAME, Calls, make_server
from code_review_graph.tools import TOOLS
from code_review_graph.tools.workspace import Workspace
from tests.graphs import GraphMaker

pytestmark = pytest.mark.anyio
READING = {
    "hybrid_search": {"query": "x"},
    "query_graph": {"pattern": "callers_of", "target": "x"},
    "graph_status": {},
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    maker = GraphMaker().file("a.py").file("test_a.py")
    maker.node("a.py::one", lines=(1, 3), docstring="The first.").node("a.py::two", lines=(5, 9))
    maker.node("test_a.py::test_two", NodeKind.TEST, (1, 2), is_test=True)
    maker.edge("a.py::one", "a.py::two", lines=(2, 3), resolution=Resolution.INFERRED, via="operator")
    maker.edge("test_a.py::test_two", "a.py::two", lines=(2,), resolution=Resolution.GUESS)
    maker.edge("a.py::two", "test_a.py::test_two", EdgeKind.TESTED_BY, (2,), distance=0)
    maker.reference("a.py::two", "os.getcwd", ReferenceKind.EXTERNAL, (6,))
    maker.store(tmp_path).close()
    return tmp_path


@asynccontextmanager
async def client(repo: Path | None, start: Path = Path("/")) -> AsyncIterator[Client]:
    calls = Calls(Workspace(repo, start))
    try:
        async with Client(make_server(calls)) as connected:
            yield connected
    finally:
        calls.stop(10)


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if isinstance(value, bool) else [str(value)]


async def test_tools_fit_every_client(repo: Path) -> None:
    async with client(repo) as connected:
        tools = (await connected.list_tools()).tools
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    for tool in tools:
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", f"mcp__plugin_{SERVER_NAME}_{SERVER_NAME}__{tool.name}")
        assert tool.title
        assert tool.description
        assert len(tool.description) < 2048
        assert tool.input_schema["additionalProperties"] is False
        assert "store" not in tool.input_schema["properties"]
        assert "progress" not in tool.input_schema["properties"]
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), f"{tool.name}.{name}"
            assert "title" not in schema
        assert tool.output_schema
        assert tool.annotations
        assert tool.annotations.read_only_hint is (tool.name in READING)
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False
    shown = [{"name": t.name, "description": t.description, "schema": t.input_schema} for t in tools]
    assert len(json.dumps(shown)) < 8000  # about 2,000 tokens


def test_the_first_512_characters_of_the_instructions_stand_alone() -> None:
    first = INSTRUCTIONS[:512]
    assert "hybrid_search" in first
    assert "query_graph" in first
    assert "build_or_update_graph" in first
    assert len(INSTRUCTIONS) < 2048


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": "callers_of", "target": "two"},
        {"pattern": "callees_of", "target": "two"},
        {"pattern": "tests_for", "target": "a.py::two"},
        {"pattern": "file_summary", "target": "a.py"},
        {"pattern": "callers_of", "target": "tow"},
    ],
)
async def test_text_and_structure_say_the_same(repo: Path, arguments: dict[str, Any]) -> None:
    async with client(repo) as connected:
        result = await connected.call_tool("query_graph", arguments)
    assert not result.is_error
    # "ok" and "nothing cut" go without saying.
    said = text(result).replace("_", " ")
    told = [leaf.replace("_", " ") for leaf in leaves(result.structured_content) if leaf not in {"ok", "0"}]
    assert [leaf for leaf in told if leaf not in said] == []


@pytest.mark.parametrize("freshness", ["update", "check", "off"])
async def test_freshness_says_the_same_in_both_forms(
    repo: Path, freshness: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRG_FRESHNESS", freshness)
    (repo / "new.py").write_text("")
    async with client(repo) as connected:
        result = await connected.call_tool("query_graph", {"pattern": "file_summary", "target": "new.py"})
    assert result.structured_content
    told = leaves(result.structured_content["freshness"])
    assert told
    assert [leaf for leaf in told if leaf not in text(result)] == []


async def test_status_says_the_same_in_both_forms(repo: Path) -> None:
    async with client(repo) as connected:
        result = await connected.call_tool("graph_status", {})
    assert result.structured_content
    assert result.structured_content["indexed"] is True
    assert [leaf for leaf in leaves(result.structured_content) if leaf not in text(result)] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("query_graph", {"pattern": "callers_of", "target": "two", "bogus": 1}, "no parameter 'bogus'"),
        ("query_graph", {"pattern": "callers_of"}, "'target' is missing"),
        ("query_graph", {"pattern": "friends_of", "target": "two"}, "callers_of"),
        ("query_graph", {"pattern": "callers_of", "target": 7}, "string"),
        ("query_graph", {"pattern": "callers_of", "target": ["a"]}, "string"),
        ("query_graph", {"pattern": "callers_of", "target": None}, "string"),
        ("query_graph", {"pattern": "callers_of", "target": "two", "depth": "deep"}, "integer"),
        ("query_graph", {"pattern": "callers_of", "target": "two", "depth": 10**30}, "1 to 10"),
        ("query_graph", {"pattern": "callers_of", "target": "two", "limit": -1}, "1 or more"),
        ("query_graph", {"pattern": "callers_of", "target": "t" * 1_000_000}, "1000000 characters"),
        ("query_graph", {"pattern": "callers_of", "target": "a.py\0.txt"}, "NUL"),
        ("query_graph", {"pattern": "file_summary", "target": "../../etc/passwd"}, "not inside the repository"),
        ("hybrid_search", {"query": "x", "paths": ["/etc"]}, "not inside the repository"),
        ("hybrid_search", {"query": "x", "kinds": ["Gadget"]}, "Function"),
        ("hybrid_search", {"query": "x", "limit": 0}, "1 to"),
        ("hybrid_search", {"query": "x", "repo_root": "/does/not/exist"}, "no parameter 'repo_root'"),
        ("build_or_update_graph", {"repo_root": "/"}, "no parameter 'repo_root'"),
        ("build_or_update_graph", {"full": "perhaps"}, "boolean"),
        ("graph_status", {"verbose": True}, "no parameter 'verbose'"),
        ("no_such_tool", {}, "no_such_tool"),
    ],
)
async def test_refusals_say_what_is_wrong(repo: Path, tool: str, arguments: dict[str, Any], said: str) -> None:
    async with client(repo) as connected:
        result = await connected.call_tool(tool, arguments)
        assert result.is_error
        assert said in text(result)
        assert "pydantic" not in text(result)
        assert len(text(result)) < 2000
        again = await connected.call_tool("query_graph", {"pattern": "callers_of", "target": "two"})
        assert not again.is_error


@pytest.mark.parametrize(("tool", "arguments"), READING.items())
async def test_outside_a_repository(tmp_path: Path, tool: str, arguments: dict[str, Any]) -> None:
    async with client(None, tmp_path) as connected:
        assert len((await connected.list_tools()).tools) == len(TOOLS)
        result = await connected.call_tool(tool, arguments)
    assert result.is_error
    assert "no repository around" in text(result)
    assert "--repo" in text(result)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("tool", ["hybrid_search", "query_graph"])
async def test_no_index_yet(tmp_path: Path, tool: str) -> None:
    async with client(tmp_path) as connected:
        result = await connected.call_tool(tool, READING[tool])
        status = await connected.call_tool("graph_status", {})
    assert result.is_error
    assert "build_or_update_graph" in text(result)
    assert status.structured_content
    assert status.structured_content["indexed"] is False
    assert "build_or_update_graph" in text(status)
    assert not list(tmp_path.iterdir())


async def test_a_damaged_index_is_told_apart(repo: Path) -> None:
    (repo / ".code-review-graph" / "index.db").write_bytes(b"not a database" * 100)
    async with client(repo) as connected:
        result = await connected.call_tool("graph_status", {})
    assert result.is_error
    assert "index.db" in text(result)


async def test_many_calls_at_once(repo: Path) -> None:
    async with client(repo) as connected:

        async def ask() -> None:
            result = await connected.call_tool("query_graph", {"pattern": "callers_of", "target": "two"})
            assert result.structured_content
            assert result.structured_content["total"] == 2

        async with anyio.create_task_group() as group:
            for _ in range(30):
                group.start_soon(ask)
