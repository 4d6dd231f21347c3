"""The server as clients run it: a process, its stdin and its stdout."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

SERVE = [sys.executable, "-m", "code_review_graph", "serve"]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
GOOD = {"pattern": "callers_of", "target": "hub"}


class Wire:
    """A client that speaks raw JSON-RPC and keeps every line that it is sent."""

    def __init__(self, cwd: Path, *arguments: str) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "CLAUDE_PROJECT_DIR"}
        self.process = subprocess.Popen(
            [*SERVE, *arguments],
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.lines: list[str] = []
        self._arrived: queue.Queue[dict[str, Any]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.request(1, "initialize", HELLO)
        assert "error" not in self.answer(1)
        self.send({"method": "notifications/initialized"})

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)
            self._arrived.put(json.loads(line))

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, number: int, method: str, params: dict[str, Any] | None = None) -> None:
        self.send({"id": number, "method": method, "params": params or {}})

    def call(self, number: int, tool: str, arguments: dict[str, Any], seconds: float = 120) -> dict[str, Any]:
        self.request(number, "tools/call", {"name": tool, "arguments": arguments})
        return dict(self.answer(number, seconds)["result"])

    def answer(self, number: int, seconds: float = 60) -> dict[str, Any]:
        """The answer to one request; whatever comes before it is passed over."""
        end = time.monotonic() + seconds
        while True:
            message = self._arrived.get(timeout=max(end - time.monotonic(), 0.01))
            if message.get("id") == number and "method" not in message:
                return message

    def close_stdin(self, seconds: float = 5) -> int:
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(seconds)


@contextmanager
def wire(cwd: Path, *arguments: str) -> Iterator[Wire]:
    connected = Wire(cwd, *arguments)
    try:
        yield connected
    finally:
        connected.process.kill()
        connected.process.wait()


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A repository that takes a while to build."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "hub.py").write_text("def hub(x):\n    return x\n")
    (tmp_path / "m").mkdir()
    for number in range(1500):
        text = f"from hub import hub\n\n\ndef f{number}():\n    return hub({number})\n"
        (tmp_path / "m" / f"f{number}.py").write_text(text)
    return tmp_path


def test_stdout_carries_the_protocol_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def one():\n    return two()\n\n\ndef two():\n    return 1\n")
    with wire(tmp_path, "--repo", str(tmp_path)) as client:
        assert client.call(2, "hybrid_search", {"query": "one"})["isError"]
        assert not client.call(3, "build_or_update_graph", {"full": True}).get("isError")
        assert not client.call(4, "hybrid_search", {"query": "one"}).get("isError")
        assert client.call(5, "hybrid_search", {"bogus": 1})["isError"]
        assert client.call(6, "no_such_tool", {})["isError"]
        client.request(7, "no/such/method")
        assert "error" in client.answer(7)
        assert client.close_stdin() == 0
        assert client.lines
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in client.lines)


def test_it_starts_in_a_folder_without_a_repository(tmp_path: Path) -> None:
    with wire(tmp_path) as client:
        client.request(2, "tools/list")
        assert len(client.answer(2)["result"]["tools"]) >= 4
        result = client.call(3, "build_or_update_graph", {})
        assert result["isError"]
        assert "no repository around" in result["content"][0]["text"]
        assert client.close_stdin() == 0
    assert not list(tmp_path.iterdir())


def test_the_project_folder_of_the_client_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    (project / ".git").mkdir(parents=True)
    elsewhere.mkdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(project))
    request = {"id": 1, "method": "initialize", "params": HELLO}
    call = {"id": 2, "method": "tools/call", "params": {"name": "graph_status", "arguments": {}}}
    messages: list[dict[str, Any]] = [request, {"method": "notifications/initialized"}, call]
    with subprocess.Popen(SERVE, cwd=elsewhere, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        process.stdin.close()
        assert process.wait(5) == 0
    assert answers[1]["result"]["structuredContent"]["repository"] == str(project)


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.5, 1.5])
def test_a_cancelled_build_leaves_the_server_and_the_index_whole(wide: Path, delay: float) -> None:
    with wire(wide) as client:
        client.request(7, "tools/call", {"name": "build_or_update_graph", "arguments": {"full": True}})
        time.sleep(delay)
        client.send({"method": "notifications/cancelled", "params": {"requestId": 7}})
        client.request(8, "ping")
        client.answer(8, 2)
        built = client.call(9, "build_or_update_graph", {})
        assert not built.get("isError"), built
        found = client.call(10, "query_graph", {**GOOD, "limit": 1})
        assert found["structuredContent"]["total"] == 1500
        assert client.close_stdin() == 0
        assert sum(json.loads(line).get("id") == 7 for line in client.lines) <= 1


def test_the_old_index_answers_while_a_build_runs_and_after_its_cancel(
    wide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRG_FRESHNESS", "check")
    with wire(wide) as client:
        assert not client.call(2, "build_or_update_graph", {"embed": False}).get("isError")
        (wide / "hub.py").write_text("def renamed(x):\n    return x\n")
        client.request(3, "tools/call", {"name": "build_or_update_graph", "arguments": {"full": True}})
        during = client.call(4, "query_graph", GOOD, 20)
        client.send({"method": "notifications/cancelled", "params": {"requestId": 3}})
        after = client.call(5, "query_graph", GOOD, 20)
        assert during["structuredContent"]["total"] == after["structuredContent"]["total"] == 1500
        assert after["structuredContent"]["freshness"]["state"] == "stale"


def test_it_ends_when_stdin_closes_during_a_build(wide: Path) -> None:
    with wire(wide) as client:
        client.request(2, "tools/call", {"name": "build_or_update_graph", "arguments": {"full": True}})
        time.sleep(0.5)
        client.close_stdin(5)


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_real_client_builds_searches_and_walks_flask(tmp_path: Path, mode: Any) -> None:
    spec = find_spec("flask")
    assert spec
    assert spec.origin
    shutil.copytree(Path(spec.origin).parent, tmp_path / "flask", ignore=shutil.ignore_patterns("__pycache__"))
    seen: list[tuple[float, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert total is None
        seen.append((progress, message))

    parameters = StdioServerParameters(command=sys.executable, args=[*SERVE[1:], "--repo", str(tmp_path)])
    async with Client(parameters, mode=mode) as client:
        built = await client.call_tool("build_or_update_graph", {"full": True}, progress_callback=note)
        assert not built.is_error
        question = {"query": "where is a request turned into a response by calling the view", "kinds": ["Method"]}
        found = await client.call_tool("hybrid_search", question)
        assert found.structured_content
        names = [hit["qualified_name"] for hit in found.structured_content["hits"]]
        assert "flask/app.py::Flask.dispatch_request" in names
        walked = await client.call_tool("query_graph", {"pattern": "callers_of", "target": "Flask.dispatch_request"})
        assert walked.structured_content
        assert "flask/app.py::Flask.full_dispatch_request" in [
            item["qualified_name"] for item in walked.structured_content["neighbours"]
        ]
        status = await client.call_tool("graph_status", {})
        assert status.structured_content
        assert status.structured_content["vectors_missing"] == 0
    assert seen
    assert [value for value, _ in seen] == sorted({value for value, _ in seen})


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
