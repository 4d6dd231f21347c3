"""Small repositories for tests of the harness, and an endpoint that embeds by words."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from code_review_graph.words import words_of

DIMENSIONS = 64
# A question that holds this word is refused by the endpoint.
REFUSED = "unembeddable"

USERS = {
    "services.py": (
        "class UserService:\n"
        '    """Accounts."""\n\n'
        "    def create_user(self, name):\n"
        '        """Function that creates a user."""\n'
        "        return {'name': name}\n\n\n"
        "class TeamService:\n"
        "    def create_user(self, name):\n"
        "        return name\n"
    ),
    "controllers.py": (
        "from services import TeamService, UserService\n\n\n"
        "class UserController:\n"
        "    def __init__(self, service: UserService):\n"
        "        self.service = service\n\n"
        "    def register_user(self, name):\n"
        "        return self.service.create_user(name)\n\n\n"
        "class TeamController:\n"
        "    def join(self, name):\n"
        "        return TeamService().create_user(name)\n"
    ),
    "api.py": (
        "import json\n\nfrom services import UserService\n\n\n"
        "class UserAPI:\n"
        "    def create(self, body):\n"
        "        return UserService().create_user(json.loads(body))\n"
    ),
}


def write_repository(folder: Path, files: dict[str, str] = USERS) -> Path:
    """Write the files of a repository."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


def users_config(**changes: Any) -> dict[str, Any]:
    """A configuration with one task for the repository of users."""
    task = {
        "id": "example-1",
        "nl_query": "Where is the function that creates a user?",
        "anchor_qualified_suffix": "UserService.create_user",
        "traversal_pattern": "callers_of",
        "expected_neighbor_names": ["UserController.register_user", "UserAPI.create"],
        "k": 10,
    }
    return {"name": "my-repo", "multi_hop_tasks": [task | changes]}


def _vector(text: str) -> list[float]:
    row = [0.0] * DIMENSIONS
    for word in words_of(text):
        row[hashlib.sha256(word.encode()).digest()[0] % DIMENSIONS] += 1.0
    return row


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        refused = any(REFUSED in text for text in texts)
        data = [{"object": "embedding", "index": i, "embedding": _vector(text)} for i, text in enumerate(texts)]
        answer = {"error": {"message": "cannot embed this"}} if refused else {"data": data, "model": body["model"]}
        content = json.dumps(answer).encode()
        self.send_response(400 if refused else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        return


@contextmanager
def embedding_endpoint() -> Iterator[str]:
    """Base URL of an endpoint on this machine that speaks the embeddings protocol."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
