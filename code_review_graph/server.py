"""The MCP server: every tool of TOOLS over stdio, with errors translated once. Imported only by ``serve``."""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool as ProtocolTool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import PrivateAttr, ValidationError

from code_review_graph import __version__
from code_review_graph.errors import CodeReviewGraphError
from code_review_graph.results import Result
from code_review_graph.tools import TOOLS, Tool
from code_review_graph.tools.freshness import Keepers
from code_review_graph.tools.text import as_text
from code_review_graph.tools.workspace import Workspace

# Clients prefix tool names with it, twice in plug-ins, and refuse names of more than 64 characters.
SERVER_NAME = "crg"
INSTRUCTIONS = """\
A graph of this repository's code: every definition, who calls whom, which tests cover what. Ask it instead of grepping.
1. hybrid_search finds definitions from plain words or a name.
2. query_graph walks from one: callers_of, callees_of, tests_for, importers_of, inheritors_of, file_summary.
If there is no index yet, call build_or_update_graph once. From then on it follows the files by itself: every answer
says whether it is fresh, or how many files have changed since. Empty answers say why.

Every edge says how sure it is: exact, inferred (by types), dispatch (an override that may run). Guesses by name
alone come apart and last. Lines are 1-based. graph_status tells what is indexed and what is missing."""
# Between two notices of the same stage, in seconds: more often helps nobody and costs a thread switch each.
_PROGRESS_INTERVAL = 0.1
# A build notices that it must stop at its next unit of work; clients expect the end within five seconds.
_SHUTDOWN_SECONDS = 3.0
# When the protocol is up for sure, in seconds after the start: only then the first look for changes.
_WARM_UP_SECONDS = 1.0

_log = logging.getLogger(__name__)
Answer = Callable[[Tool, dict[str, Any], "Context[Any, Any]"], Awaitable[CallToolResult]]


def serve(repo: Path | None) -> None:
    """Serve a repository over stdin and stdout until stdin closes, then end the process.

    Without ``repo``, the repository around CLAUDE_PROJECT_DIR or else around the current folder is served.
    """
    workspace = Workspace(repo, Path(os.environ.get("CLAUDE_PROJECT_DIR") or Path.cwd()))
    calls = Calls(workspace)
    server = make_server(calls)
    warm_up = threading.Timer(_WARM_UP_SECONDS, calls.warm_up)
    warm_up.daemon = True
    warm_up.start()
    status = 0
    try:
        server.run("stdio")
    except KeyboardInterrupt:
        status = 130
    finally:
        calls.stop(_SHUTDOWN_SECONDS)
        _end_process(status)


def make_server(calls: Calls) -> MCPServer[Any]:
    """A server that offers every tool of TOOLS."""
    return MCPServer(
        SERVER_NAME,
        title="Code Review Graph",
        version=__version__,
        instructions=INSTRUCTIONS,
        tools=[_protocol_tool(tool, calls.answer) for tool in TOOLS],
        log_level="WARNING",
    )


class Calls:
    """Runs tool calls on worker threads: one writer at a time, each stopped when its caller cancels."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._keepers = Keepers()
        self._writer = threading.Lock()
        self._running: set[threading.Event] = set()

    async def answer(self, tool: Tool, given: dict[str, Any], context: Context[Any, Any]) -> CallToolResult:
        """The result of one call, or an error that says what happened and what to do."""
        with self._stopping() as stop:
            try:
                # Abandoned on cancel, so that the caller is free at once; the thread sees `stop` and ends soon after.
                work = partial(self._run, tool, given, _Reporter(stop, context))
                result = await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
            except CodeReviewGraphError as error:
                return _failure(str(error))
            except Exception as error:
                _log.exception("%s failed", tool.name)
                return _failure(
                    f"{tool.name} failed unexpectedly ({type(error).__name__}: {error}). This is a fault of the "
                    "server; its log on stderr has the details. graph_status tells whether the index is usable."
                )
        return _success(result)

    def warm_up(self) -> None:
        """Begin to keep the index up to date before the first call; what is wrong is said when asked."""
        with suppress(CodeReviewGraphError):
            self._keepers.start(self._workspace.store())

    def stop(self, seconds: float) -> None:
        """Ask every running call to stop, and wait so long for each writer to leave its index whole."""
        for event in list(self._running):
            event.set()
        self._keepers.stop(seconds)
        if self._writer.acquire(timeout=seconds):
            self._workspace.close()
            self._writer.release()

    @contextmanager
    def _stopping(self) -> Iterator[threading.Event]:
        stop = threading.Event()
        self._running.add(stop)
        try:
            yield stop
        finally:
            stop.set()
            self._running.discard(stop)

    def _run(self, tool: Tool, given: dict[str, Any], reporter: _Reporter) -> Result:
        store = self._workspace.store()
        if tool.read_only:
            freshness = self._keepers.freshness(store, reporter.check)
            return tool.answer(store, given, progress=reporter, freshness=freshness)
        # A build that was cancelled a moment ago may still be on its way out.
        while not self._writer.acquire(timeout=_PROGRESS_INTERVAL):
            reporter.check()
        try:
            with self._keepers.paused(store, reporter.check):
                return tool.answer(store, given, progress=reporter)
        finally:
            self._writer.release()


class _Stopped(Exception):  # noqa: N818 - not an error: the caller asked for it
    """Raised inside a build when its caller has gone."""


class _Reporter:
    """Progress from a worker thread to the client, a few times a second; raises when the call was cancelled."""

    def __init__(self, stop: threading.Event, context: Context[Any, Any]) -> None:
        self._stop = stop
        self._context = context
        self._stage = ""
        self._stages = -1
        self._sent = -1.0
        self._sent_at = 0.0

    def check(self) -> None:
        """Raise when the call was cancelled."""
        if self._stop.is_set():
            raise _Stopped

    def __call__(self, stage: str, done: int, total: int, /) -> None:
        self.check()
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._stages = stage, self._stages + 1
        elif done != total and now - self._sent_at < _PROGRESS_INTERVAL:
            return
        # The protocol wants a number that only grows: finished stages plus the part of the present one.
        value = self._stages + (min(done / total, 1.0) if total else 0.0)
        if value > self._sent:
            self._sent, self._sent_at = value, now
            message = f"{stage}: {done} of {total}" if total else stage
            anyio.from_thread.run(self._context.report_progress, value, None, message)


class _GraphTool(ProtocolTool):
    """A tool whose calls go to ``Calls``, and whose refusals are in our words."""

    _answer: Callable[[dict[str, Any], Any], Awaitable[CallToolResult]] = PrivateAttr()

    def answer_with(self, answer: Callable[[dict[str, Any], Any], Awaitable[CallToolResult]]) -> None:
        """Give valid arguments to ``answer`` from now on."""
        self._answer = answer

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:  # noqa: ARG002, FBT001, FBT002
        """Validate the arguments, then answer."""
        try:
            given = self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            return _failure(_refusal(self, error))
        return await self._answer(given, context)


def _protocol_tool(tool: Tool, answer: Answer) -> _GraphTool:
    async def shown(**_given: Any) -> None:
        """Stand for the tool while the SDK reads its signature; never called."""

    shown.__name__ = tool.name
    shown.__signature__ = tool.signature  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]
    made = _GraphTool.from_function(
        shown,
        title=tool.title,
        description=tool.description,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )
    assert isinstance(made, _GraphTool)
    made.answer_with(partial(answer, tool))
    model = made.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    made.parameters = _without_titles(model.model_json_schema(by_alias=True))
    made.fn_metadata.output_schema = _without_titles(made.fn_metadata.output_schema)
    return made


def _success(result: Result) -> CallToolResult:
    """Both forms say the same: some clients show only the text, others only the structure."""
    return CallToolResult(content=[TextContent(type="text", text=as_text(result))], structured_content=concise(result))


def _failure(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def concise(result: Result) -> dict[str, Any]:
    """A result as JSON without what says nothing: rows leave out defaults, the top level only empty text and null."""
    rows = result.model_dump(mode="json", exclude_defaults=True)
    whole = result.model_dump(mode="json", exclude_none=True)
    return {name: rows.get(name, value) for name, value in whole.items() if value != ""}


def _refusal(tool: ProtocolTool, error: ValidationError) -> str:
    faults = "; ".join(_fault(item) for item in error.errors(include_url=False, include_input=False))
    known = ", ".join(tool.parameters.get("properties", {}))
    return f"{tool.name} cannot take these arguments: {faults}. Its parameters are: {known}."


def _fault(item: Any) -> str:
    where = ".".join(str(part)[:80] for part in item["loc"])
    match item["type"]:
        case "extra_forbidden":
            return f"there is no parameter '{where}'"
        case "missing":
            return f"'{where}' is missing"
        case _:
            return f"'{where}': {item['msg']}"


def _without_titles(schema: Any) -> Any:
    """A JSON schema without the titles that pydantic derives from names; they cost a client tokens and say nothing."""
    if isinstance(schema, list):
        items: list[Any] = schema  # pyright: ignore[reportUnknownVariableType]
        return [_without_titles(item) for item in items]
    if not isinstance(schema, dict):
        return schema
    parts: dict[str, Any] = schema  # pyright: ignore[reportUnknownVariableType]
    # A parameter may be called "title" too: its schema is not text.
    return {key: _without_titles(item) for key, item in parts.items() if key != "title" or not isinstance(item, str)}


def _end_process(status: int) -> None:
    """End at once: a thread that still works must not hold the process, nor late output reach the protocol's stream."""
    for child in multiprocessing.active_children():
        child.terminate()
    sys.stderr.flush()
    os._exit(status)
