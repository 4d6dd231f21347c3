"""A raw MCP client over stdio: it sees every line that the server writes, and can misbehave on purpose."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PROTOCOL_VERSION = "2025-06-18"
CLOSE_SECONDS = 5.0


class Wire:
    """One server process; ``lines`` are all lines of its standard output so far."""

    def __init__(self, folder: Path, arguments: Sequence[str] = ()) -> None:
        self.lines: list[str] = []
        self._arrived: queue.Queue[dict[str, Any]] = queue.Queue()
        self._kept: list[dict[str, Any]] = []
        self._last_id = 1000
        self._process = subprocess.Popen(
            [sys.executable, "-m", "code_review_graph", "serve", *arguments],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        hello = self.request(
            "initialize",
            {
                "protocolVersion": PROTOCOL_VERSION,
                "capabilities": {},
                "clientInfo": {"name": "cases", "version": "1"},
            },
        )
        self.server: dict[str, Any] = hello["result"]["serverInfo"]
        self.notify("notifications/initialized", {})

    def request(self, method: str, params: Mapping[str, Any], seconds: float = 60) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        return self.answer_to(self.send(method, params), seconds)

    def send(self, method: str, params: Mapping[str, Any], request_id: int | None = None) -> int:
        """Send a request without waiting; returns its id."""
        self._last_id += 1
        number = self._last_id if request_id is None else request_id
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification."""
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def answer_to(self, number: int, seconds: float) -> dict[str, Any]:
        """The answer with that id; raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while True:
            for message in self._kept:
                if message.get("id") == number:
                    return message
            try:
                self._kept.append(self._arrived.get(timeout=max(deadline - time.monotonic(), 0.001)))
            except queue.Empty:
                raise TimeoutError(f"no answer to {number} within {seconds} s") from None

    def call(self, tool: str, arguments: Mapping[str, Any], seconds: float = 120) -> dict[str, Any]:
        """Answer of a tool: a result, or an error of the protocol."""
        return self.request("tools/call", {"name": tool, "arguments": arguments}, seconds)

    def close(self) -> float:
        """Close standard input and wait for the end; returns the seconds it took, raises TimeoutExpired."""
        started = time.monotonic()
        assert self._process.stdin is not None
        if not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=CLOSE_SECONDS)
        finally:
            if self._process.poll() is None:
                self._process.kill()
            self._reader.join(timeout=CLOSE_SECONDS)
        return time.monotonic() - started

    def _write(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line)
            try:
                self._arrived.put(json.loads(line))
            except ValueError:
                continue


def is_error(answer: Mapping[str, Any]) -> bool:
    """Whether a call was refused, by the protocol or by the tool."""
    return "error" in answer or bool(answer.get("result", {}).get("isError"))


def is_message(line: str) -> bool:
    """Whether a line is one JSON-RPC 2.0 message."""
    try:
        message = json.loads(line)
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("jsonrpc") == "2.0"
