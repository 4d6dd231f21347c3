"""Ask a type checker's language server (basedpyright) where the name of every call expression is defined."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from benchmarks.syntax import CallSite, Sources

WINDOW = 64  # requests in flight: enough to keep the server busy, few enough for its pipes


@dataclass(frozen=True, slots=True)
class Answer:
    """Where one call's name is defined: (relative path, line, column from 0) inside the repository, or ``external``."""

    inside: tuple[tuple[str, int, int], ...]
    external: bool


class LanguageServer:
    """A language server over stdio, with the few messages that definitions need."""

    def __init__(self, command: Sequence[str], root: Path, python: Path) -> None:
        self.root = root
        self.python = python
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)
        self.number = 0
        uri = root.as_uri()
        self.request_all(
            [
                (
                    "initialize",
                    {
                        "processId": None,
                        "rootUri": uri,
                        "workspaceFolders": [{"uri": uri, "name": root.name}],
                        "capabilities": {"workspace": {"configuration": True, "workspaceFolders": True}},
                    },
                )
            ]
        )
        self.notify("initialized", {})

    def close(self) -> None:
        """End the server."""
        self.request_all([("shutdown", None)])
        self.notify("exit", None)
        self.process.wait(timeout=30)

    def notify(self, method: str, parameters: object) -> None:
        """Send what has no answer."""
        self._send({"method": method, "params": parameters})

    def request_all(self, requests: Sequence[tuple[str, object]]) -> list[Any]:
        """Send requests, a window at a time, and return their results in order (None for an error)."""
        results: list[Any] = [None] * len(requests)
        places: dict[int, int] = {}
        waiting = 0
        for place, (method, parameters) in enumerate(requests):
            self.number += 1
            places[self.number] = place
            self._send({"id": self.number, "method": method, "params": parameters})
            waiting += 1
            while waiting >= WINDOW:
                waiting -= self._receive(results, places)
        while waiting:
            waiting -= self._receive(results, places)
        return results

    def _send(self, message: dict[str, object]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self.process.stdin
        assert stream is not None
        stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stream.flush()

    def _receive(self, results: list[Any], places: dict[int, int]) -> int:
        """Handle one message; 1 when it answered a request of ours."""
        message = self._read()
        if "method" in message:
            if "id" in message:
                self._send({"id": message["id"], "result": self._setting(message)})
            return 0
        results[places[message["id"]]] = message.get("result")
        return 1

    def _setting(self, message: dict[str, Any]) -> object:
        if message["method"] != "workspace/configuration":
            return None
        answers = {"python": {"pythonPath": str(self.python), "analysis": {"diagnosticMode": "openFilesOnly"}}}
        return [answers.get(item.get("section", ""), {}) for item in message["params"]["items"]]

    def _read(self) -> dict[str, Any]:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while (line := stream.readline()) not in {b"\r\n", b""}:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            message = "the language server closed its output"
            raise RuntimeError(message)
        found: dict[str, Any] = json.loads(stream.read(length))
        return found


def ask(sources: Sources, command: Sequence[str], python: Path) -> Iterator[tuple[str, CallSite, Answer | None]]:
    """The checker's answer for every call expression; None where it has none."""
    root = sources.root.resolve()
    server = LanguageServer(command, root, python)
    try:
        for path, module in sources.modules.items():
            uri = (root / path).as_uri()
            text = (root / path).read_text("utf-8", "replace")
            document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
            server.notify("textDocument/didOpen", {"textDocument": document})
            sites = [site for site in module.sites if site.name and site.form != "decorator"]
            requests = [
                (
                    "textDocument/definition",
                    {
                        "textDocument": {"uri": uri},
                        "position": {"line": s.line - 1, "character": _utf16(module.lines, s)},
                    },
                )
                for s in sites
            ]
            for site, result in zip(sites, server.request_all(requests), strict=True):
                yield path, site, _answer(result, root)
            server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    finally:
        server.close()


def _utf16(lines: list[str], site: CallSite) -> int:
    prefix = lines[site.line - 1].encode()[: site.column].decode("utf-8", "replace")
    return len(prefix.encode("utf-16-le")) // 2


def _answer(result: Any, root: Path) -> Answer | None:  # noqa: ANN401
    locations = [result] if isinstance(result, dict) else result or []
    inside: list[tuple[str, int, int]] = []
    external = False
    for location in locations:
        uri = location.get("uri") or location["targetUri"]
        place = location.get("range") or location["targetSelectionRange"]
        file = Path(unquote(urlparse(uri).path))
        if file.is_relative_to(root):
            start = place["start"]
            inside.append((file.relative_to(root).as_posix(), start["line"] + 1, start["character"]))
        else:
            external = True
    return Answer(tuple(sorted(set(inside))), external) if locations else None
