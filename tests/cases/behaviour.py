"""Replays the steps of a behaviour case; a step that nobody knows how to drive skips the case."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from code_review_graph.errors import CorruptIndexError, EmbeddingError, SchemaError
from code_review_graph.results import QueryStatus, SearchMode
from code_review_graph.store import EmbeddingModel
from tests.cases.driver import Driver, is_among
from tests.cases.materialise import commit, git, write_file
from tests.cases.wire import Wire, is_error, is_message

Step = Mapping[str, Any]
# The cases' names for tools of that purpose.
TOOL_NAMES = {
    "build": "build_or_update_graph",
    "search": "hybrid_search",
    "query_graph": "query_graph",
    "status": "graph_status",
}


@dataclass(frozen=True)
class HashEmbedder:
    """A deterministic model of any name and width, for cases about which model made what."""

    model: EmbeddingModel

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(f"{self.model.model} {text}".encode()).digest()[:8], "big")
        row = np.random.default_rng(seed).standard_normal(self.model.dimensions).astype(np.float32)
        return row / np.linalg.norm(row)


@dataclass
class Replay:
    """What the steps of one case share."""

    driver: Driver
    scratch: Path
    wires: list[Wire] = field(default_factory=list)
    folder_before: list[str] = field(default_factory=list)

    @property
    def wire(self) -> Wire:
        return self.wires[-1]


def replay(steps: Sequence[Step], driver: Driver, scratch: Path) -> None:
    """Run all steps in order."""
    unknown = sorted({step["op"] for step in steps} - set(OPERATIONS))
    if unknown:
        pytest.skip(f"steps not driven here: {', '.join(unknown)}")
    state = Replay(driver, scratch)
    try:
        for step in steps:
            OPERATIONS[step["op"]](state, step)
    finally:
        for wire in state.wires:
            wire.close()


def _embedder(step: Step) -> HashEmbedder | None:
    fake = step.get("embedder")
    return HashEmbedder(EmbeddingModel("hash", fake["name"], fake["dim"])) if fake else None


def _commit(state: Replay, _step: Step) -> None:
    commit(state.driver.repo)


def _build(state: Replay, step: Step) -> None:
    try:
        state.driver.build(_embedder(step))
    except EmbeddingError:
        # Another model than the index's: saying so is as good as embedding again, which the user has to ask for.
        state.driver.build(None)


def _update(state: Replay, step: Step) -> None:
    try:
        state.driver.update(_embedder(step))
    except EmbeddingError:
        state.driver.update(None)
    except CorruptIndexError:
        state.driver.build(None)


def _write(state: Replay, step: Step) -> None:
    write_file(state.driver.repo, step["path"], step["text"])


def _write_many(state: Replay, step: Step) -> None:
    for number in range(step["n"]):
        path, text = (step[key].replace("{i}", str(number)) for key in ("path", "text"))
        write_file(state.driver.repo, path, text)


def _git(state: Replay, step: Step) -> None:
    git(state.driver.repo, *step["args"])


def _query(state: Replay, step: Step) -> None:
    try:
        answer = state.driver.query(step["pattern"], step["target"])
    except (CorruptIndexError, SchemaError) as error:
        assert "or_report" in step, error
        assert error.hint
        return
    assert answer.status is QueryStatus.OK or not step.get("expect"), answer
    for wanted in step.get("expect", ()):
        assert is_among(wanted, answer.neighbours), (step, answer)
    for unwanted in step.get("forbid", ()):
        assert not is_among(unwanted, answer.neighbours), (step, answer)


def _search(state: Replay, step: Step) -> None:
    try:
        answer = state.driver.search(step["query"], embedder=_embedder(step))
    except EmbeddingError as error:
        assert "or_report" in step, error
        assert error.hint
        answer = state.driver.search(step["query"])
    if "expect_top" in step:
        assert is_among(step["expect_top"], answer.hits[:1]), (step, answer)
    if step.get("expect_none"):
        assert not [hit for hit in answer.hits if hit.name == step["query"]], answer
    if "expect_mode" in step:
        assert answer.mode is SearchMode(step["expect_mode"])


def _same_as_fresh(state: Replay, _step: Step) -> None:
    fresh = Driver(state.driver.repo, database=state.scratch / f"fresh-{time.monotonic_ns()}" / "index.db")
    fresh.build()
    nodes, edges = fresh.contents()
    fresh.close()
    ours_nodes, ours_edges = state.driver.contents()
    assert ours_nodes == nodes
    assert ours_edges == edges


def _db_schema(state: Replay, _step: Step) -> None:
    path = state.driver.store.path
    _reopen(state)
    connection = apsw.Connection(str(path))
    version = connection.pragma("user_version")
    assert isinstance(version, int)
    connection.pragma("user_version", version + 1000)
    connection.close()


def _db_truncate(state: Replay, step: Step) -> None:
    path = state.driver.store.path
    _reopen(state)
    with path.open("r+b") as stream:
        stream.truncate(step["bytes"])


def _reopen(state: Replay) -> None:
    state.driver.close()
    del state.driver.store


def _vector_models(state: Replay, _step: Step) -> None:
    """All vectors have the width of the one model that the index names."""
    model = state.driver.store.embedding_model()
    assert model is not None
    connection = apsw.Connection(str(state.driver.store.path), flags=apsw.SQLITE_OPEN_READONLY)
    widths = {width for (width,) in connection.execute("SELECT length(embedding) FROM vector")}
    connection.close()
    assert widths == {model.dimensions}


def _mcp_start(state: Replay, step: Step) -> None:
    folder = state.driver.repo
    if "cwd" in step:
        folder = state.scratch / "empty"
        folder.mkdir(exist_ok=True)
    state.folder_before = sorted(str(path) for path in folder.rglob("*"))
    state.wires.append(Wire(folder))


def _mcp_call(state: Replay, step: Step) -> None:
    answer = state.wire.call(TOOL_NAMES[step["tool"]], step["args"], step.get("within_s", 120))
    if step.get("expect_error") or "or_report" in step:
        assert is_error(answer), answer
    elif "bogus" not in step["args"]:
        assert not is_error(answer), answer


def _mcp_call_async(state: Replay, step: Step) -> None:
    params = {"name": TOOL_NAMES[step["tool"]], "arguments": step["args"]}
    state.wire.send("tools/call", params, step["id"])


def _mcp_notify(state: Replay, step: Step) -> None:
    wire, number = state.wire, step["params"]["requestId"]
    # The call is cancelled at each of the given moments; for all but the first it is made anew.
    for turn, delay in enumerate(step.get("after_ms", [0])):
        if turn:
            number = wire.send("tools/call", {"name": TOOL_NAMES["build"], "arguments": {"full": True}})
        time.sleep(delay / 1000)
        wire.notify(step["method"], {"requestId": number})
        assert "error" not in wire.request("ping", {}, 2)


def _mcp_ping(state: Replay, step: Step) -> None:
    assert state.wire.request("ping", {}, step["within_s"])["result"] == {}


def _mcp_list_tools(state: Replay, step: Step) -> None:
    names = [tool["name"] for tool in state.wire.request("tools/list", {})["result"]["tools"]]
    assert names
    wanted = step["expect"]
    assert all(re.match(wanted["regex"], name) for name in names)
    server = state.wire.server["name"]
    for prefix, most in wanted["max_len_with_prefix"].items():
        ours = prefix.replace("code-review-graph", server)
        assert max(len(ours + name) for name in names) <= most, names


def _mcp_close_stdin(state: Replay, _step: Step) -> None:
    assert state.wire.close() < 5


def _stdout_lines(state: Replay, _step: Step) -> None:
    for wire in state.wires:
        wire.close()
        assert wire.lines
        assert all(map(is_message, wire.lines))


def _no_file_created(state: Replay, _step: Step) -> None:
    assert sorted(str(path) for path in (state.scratch / "empty").rglob("*")) == state.folder_before


def _mcp_call_each(state: Replay, step: Step) -> None:
    calls: list[Callable[[str], tuple[str, dict[str, Any]]]] = [
        lambda value: ("hybrid_search", {"query": "token", "paths": [value]}),
        lambda value: ("query_graph", {"pattern": "file_summary", "target": value}),
        lambda value: ("query_graph", {"pattern": "callers_of", "target": f"{value}:1"}),
    ]
    for value in step["values"]:
        for call in calls:
            answer = state.wire.call(*call(value))
            text = str(answer)
            assert is_error(answer) or "not_found" in text or '"hits": []' in text or "'hits': []" in text, answer
            assert not [secret for secret in step["never_contains"] if secret in text]


OPERATIONS: dict[str, Callable[[Replay, Step], None]] = {
    "build": _build,
    "commit": _commit,
    "db_schema": _db_schema,
    "db_truncate": _db_truncate,
    "git": _git,
    "mcp_call": _mcp_call,
    "mcp_call_async": _mcp_call_async,
    "mcp_call_each": _mcp_call_each,
    "mcp_close_stdin": _mcp_close_stdin,
    "mcp_list_tools": _mcp_list_tools,
    "mcp_notify": _mcp_notify,
    "mcp_ping": _mcp_ping,
    "mcp_start": _mcp_start,
    "no_file_created": _no_file_created,
    "query": _query,
    "same_as_fresh": _same_as_fresh,
    "search": _search,
    "stdout_lines": _stdout_lines,
    "update": _update,
    "vector_models": _vector_models,
    "write": _write,
    "write_many": _write_many,
}
