"""Freshness as clients see it: a real server process, the SDK's client, and files that change between two questions."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import CallToolResult, TextContent

from code_review_graph.store import Store
from code_review_graph.tools import build_or_update_graph
from tests.conftest import MakeRepository, commit_all, git, write_files

pytestmark = pytest.mark.anyio
SERVE = ["-m", "code_review_graph", "serve", "--repo"]
SHOP = "def price(item):\n    return item.cents\n\n\ndef total(items):\n    return len(items)\n"
FRESH = {"state": "fresh"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def repo(repository: MakeRepository) -> Path:
    root = repository({"shop.py": SHOP, "till.py": "from shop import total\n\n\ndef ring(x):\n    return total(x)\n"})
    with Store(root) as store:
        build_or_update_graph(store)
    return root


class Asking:
    """A client's questions, as short as tests want them."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result
        assert result.structured_content
        return dict(result.structured_content)

    async def callers(self, target: str) -> dict[str, Any]:
        return await self("query_graph", pattern="callers_of", target=target)

    async def until(self, ask: Callable[[], Awaitable[dict[str, Any]]], state: str = "fresh") -> dict[str, Any]:
        end = time.monotonic() + 30
        while True:
            answer = await ask()
            if answer["freshness"]["state"] == state or time.monotonic() > end:
                assert answer["freshness"]["state"] == state, answer
                return answer


@asynccontextmanager
async def server(repo: Path, command: list[str] | None = None, **environment: str) -> AsyncIterator[Asking]:
    # An answer waits long, so that a slow machine changes none.
    settings = {**os.environ, "CRG_UPDATE_WAIT": "60", **environment}
    program, *arguments = command or [sys.executable, *SERVE, str(repo)]
    async with Client(StdioServerParameters(command=program, args=arguments, env=settings)) as client:
        yield Asking(client)


def names(answer: dict[str, Any]) -> list[str]:
    return [item["name"] for item in answer["neighbours"]]


def text(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


async def test_an_edit_is_in_the_next_answer(repo: Path) -> None:
    async with server(repo) as ask:
        assert (await ask.callers("price"))["freshness"] == FRESH
        for number in range(3):
            write_files(repo, {"new.py": f"from shop import price\n\n\ndef f{number}(x):\n    return price(x)\n"})
            answer = await ask.callers("price")
            assert names(answer) == [f"f{number}"]
            told = answer["freshness"]
            assert (told["state"], told["action"], told["updated_files"]) == ("fresh", "updated", 1)
            assert told["milliseconds"] > 0
        assert (await ask.callers("price"))["freshness"] == FRESH


async def test_every_tool_says_it_in_both_forms(repo: Path) -> None:
    calls: dict[str, dict[str, Any]] = {
        "hybrid_search": {"query": "price"},
        "query_graph": {"pattern": "callers_of", "target": "total"},
        "graph_status": {},
    }
    async with server(repo) as ask:
        for number, (tool, arguments) in enumerate(calls.items()):
            write_files(repo, {f"n{number}.py": "def n():\n    return 1\n"})
            result = await ask.client.call_tool(tool, arguments)
            assert result.structured_content
            told = result.structured_content["freshness"]
            assert told["action"] == "updated"
            assert f"index: fresh, updated 1 file in {told['milliseconds']} ms" in text(result)
            again = await ask.client.call_tool(tool, arguments)
            assert text(again).endswith("\nindex: fresh")
        status = await ask("graph_status")
        assert (status["files"], status["changed_files"]) == (5, 0)


async def test_deleted_and_renamed(repo: Path) -> None:
    async with server(repo) as ask:
        assert names(await ask.callers("total")) == ["ring"]
        (repo / "till.py").rename(repo / "desk.py")
        answer = await ask.callers("total")
        assert [item["path"] for item in answer["neighbours"]] == ["desk.py"]
        assert answer["freshness"]["updated_files"] == 2
        (repo / "desk.py").unlink()
        assert names(await ask.callers("total")) == []


async def test_branches_and_stashes(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "other")
    write_files(repo, {"till.py": "from shop import total\n\n\ndef other(x):\n    return total(x)\n"})
    commit_all(repo)
    git(repo, "checkout", "-q", "main")
    async with server(repo) as ask:
        assert names(await ask.callers("total")) == ["ring"]
        git(repo, "checkout", "-q", "other")
        assert names(await ask.callers("total")) == ["other"]
        write_files(repo, {"till.py": "x = 1\n"})
        assert names(await ask.callers("total")) == []
        git(repo, "stash")
        assert names(await ask.callers("total")) == ["other"]
        head = git(repo, "rev-parse", "HEAD")
        end = time.monotonic() + 30
        while (await ask("graph_status"))["commit"] != head and time.monotonic() < end:
            time.sleep(0.05)
        assert (await ask("graph_status"))["commit"] == head


async def test_a_file_that_is_ignored_now_has_gone(repo: Path) -> None:
    git(repo, "rm", "-q", "--cached", "till.py")
    async with server(repo) as ask:
        assert names(await ask.callers("total")) == ["ring"]
        write_files(repo, {".gitignore": "till.py\n"})
        assert names(await ask.callers("total")) == []


async def test_new_definitions_get_their_vectors_in_the_background(repo: Path) -> None:
    write_files(repo, {"new.py": "def mend_a_broken_umbrella():\n    return 1\n"})
    async with server(repo) as ask:
        assert names(await ask.callers("mend_a_broken_umbrella")) == []
        end = time.monotonic() + 30
        while (await ask("graph_status"))["vectors_missing"] and time.monotonic() < end:
            time.sleep(0.05)
        assert (await ask("graph_status"))["vectors_missing"] == 0


async def test_two_servers_on_one_repository(repo: Path) -> None:
    async with server(repo) as first, server(repo) as second:
        for number in range(4):
            write_files(repo, {"new.py": f"from shop import price\n\n\ndef f{number}(x):\n    return price(x)\n"})
            for ask in (first, second):
                answer = await ask.callers("price")
                assert (names(answer), answer["freshness"]["state"]) == ([f"f{number}"], "fresh")


async def test_without_time_to_wait_the_last_state_answers_and_says_so(repo: Path) -> None:
    async with server(repo, CRG_UPDATE_WAIT="0") as ask:
        await ask.callers("price")
        write_files(repo, {"new.py": "from shop import price\n\n\ndef late(x):\n    return price(x)\n"})
        result = await ask.client.call_tool("query_graph", {"pattern": "callers_of", "target": "price"})
        answer = result.structured_content
        assert answer
        if answer["freshness"]["state"] == "stale":  # or the update was quicker than the question
            told = answer["freshness"]
            assert (told["changed_files"], told["action"], names(answer)) == (1, "updating", [])
            assert "1 file changed since the index was made, updating in the background" in text(result)
        assert names(await ask.until(lambda: ask.callers("price"))) == ["late"]


async def test_only_looking_and_not_even_that(repo: Path) -> None:
    async with server(repo, CRG_FRESHNESS="check") as ask, server(repo, CRG_FRESHNESS="off") as blind:
        write_files(repo, {"new.py": "from shop import price\n\n\ndef late(x):\n    return price(x)\n"})
        told = (await ask.callers("price"))["freshness"]
        assert (told["state"], told["changed_files"]) == ("stale", 1)
        assert "build_or_update_graph" in told["hint"]
        assert (await blind.callers("price"))["freshness"]["state"] == "unknown"
        await ask("build_or_update_graph")
        answer = await ask.callers("price")
        assert (names(answer), answer["freshness"]) == (["late"], FRESH)


async def test_a_wrong_setting_is_said_and_harms_nothing(repo: Path) -> None:
    async with server(repo, CRG_FRESHNESS="sometimes") as ask:
        answer = await ask.callers("total")
        assert names(answer) == ["ring"]
        assert "CRG_FRESHNESS" in answer["freshness"]["hint"]


async def test_an_index_that_was_copied_here_is_not_made_anew_unasked(repo: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(repo, copy)
    write_files(copy, {"till.py": ""})
    async with server(copy) as ask:
        answer = await ask.callers("total")
        assert (names(answer), answer["freshness"]["state"]) == (["ring"], "unknown")
        assert "build_or_update_graph" in answer["freshness"]["hint"]
        await ask("build_or_update_graph")
        answer = await ask.callers("total")
        assert (names(answer), answer["freshness"]["state"]) == ([], "fresh")
        write_files(copy, {"till.py": "from shop import total\n\n\ndef again(x):\n    return total(x)\n"})
        assert names(await ask.callers("total")) == ["again"]


async def test_the_index_is_not_made_unasked(repository: MakeRepository) -> None:
    root = repository({"a.py": ""})
    async with server(root) as ask:
        status = await ask("graph_status")
        assert (status["indexed"], "freshness" in status) == (False, False)
        assert not (root / ".code-review-graph").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="mounts are made by Linux's means")
async def test_a_repository_that_cannot_be_written(repo: Path) -> None:
    read_only = f"mount --bind {repo} {repo} && mount -o remount,ro,bind {repo}"
    if os.system(f"unshare -rm sh -c '{read_only}' 2>/dev/null"):
        pytest.skip("no rights to mount")
    command = ["unshare", "-rm", "sh", "-c", f"{read_only} && exec {sys.executable} {' '.join(SERVE)} {repo}"]
    async with server(repo, command) as ask:
        assert (await ask.callers("total"))["freshness"] == FRESH
        write_files(repo, {"till.py": ""})
        for _ in range(2):
            answer = await ask.callers("total")
            told = answer["freshness"]
            assert (names(answer), told["state"], told["action"]) == (["ring"], "stale", "failed")
            assert told["changed_files"] == 1
            assert "Read-only" in told["hint"]
