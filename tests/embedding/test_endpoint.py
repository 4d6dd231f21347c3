from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import numpy as np
import pytest

from code_review_graph.embedding import load_embedder
from code_review_graph.embedding.endpoint import Endpoint, EndpointEmbedder
from code_review_graph.errors import ModelMismatchError, ProviderError
from code_review_graph.store import EmbeddingModel

Answer = tuple[int, dict[str, str], Any]


def vector(text: str) -> list[float]:
    return [float(len(text)), 1.0, 0.0]


class Server(ThreadingHTTPServer):
    """An endpoint on this machine that answers properly once its scripted answers are used up."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Answer] = []
        self.requests: list[tuple[str, dict[str, Any], str | None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append((self.path, body, self.headers.get("authorization")))
        rows = [{"index": i, "embedding": vector(text)} for i, text in enumerate(body["input"])]
        # Nothing says that the rows come in order.
        status, headers, answer = self.server.script.pop(0) if self.server.script else (200, {}, {"data": rows[::-1]})
        payload = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_arguments: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Server]:
    with Server() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def sleeps() -> list[float]:
    return []


@pytest.fixture
def embedder(server: Server, sleeps: list[float]) -> EndpointEmbedder:
    return EndpointEmbedder(Endpoint(server.url, "ada", "secret", timeout=5), sleep=sleeps.append)


def data(*rows: list[float] | dict[str, Any]) -> Answer:
    items = [row if isinstance(row, dict) else {"index": i, "embedding": row} for i, row in enumerate(rows)]
    return 200, {}, {"data": items}


def test_rows_follow_the_texts_whatever_the_order_of_the_answer(server: Server, embedder: EndpointEmbedder) -> None:
    rows = embedder.embed_documents(["a", "bbbb"])
    assert rows == pytest.approx(np.array([[1, 1, 0], [4, 1, 0]]) / np.sqrt([[2], [17]]), abs=1e-6)
    assert server.requests == [
        ("/v1/embeddings", {"model": "ada", "input": ["a", "bbbb"], "encoding_format": "float"}, "Bearer secret")
    ]
    assert embedder.model == EmbeddingModel("openai", "ada", 3)


def test_texts_go_in_batches_cut_and_never_empty(server: Server, embedder: EndpointEmbedder) -> None:
    assert embedder.embed_documents(["x" * 20_000, "", *["t"] * 200]).shape == (202, 3)
    assert [len(body["input"]) for _, body, _ in server.requests] == [128, 74]
    assert [len(text) for text in server.requests[0][1]["input"][:2]] == [8000, 1]


def test_nothing_is_sent_before_it_is_needed(server: Server, embedder: EndpointEmbedder) -> None:
    assert server.requests == []
    assert embedder.model.dimensions == 3
    assert embedder.model.dimensions == 3
    assert len(server.requests) == 1
    assert embedder.embed_documents([]).shape == (0, 3)


def test_a_rate_limit_is_waited_out_as_asked(server: Server, embedder: EndpointEmbedder, sleeps: list[float]) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    server.script = [
        (429, {"retry-after": "7"}, {}),
        (503, {"retry-after": later}, {}),
        (429, {"retry-after": "86400"}, {}),
        (500, {}, b"oops"),
    ]
    assert embedder.embed_query("abc").shape == (3,)
    assert sleeps[0] == 7
    assert 25 <= sleeps[1] <= 30
    assert sleeps[2] == 60
    assert 0 < sleeps[3] <= 21


def test_giving_up(server: Server, embedder: EndpointEmbedder, sleeps: list[float]) -> None:
    server.script = [(429, {}, {})] * 6
    with pytest.raises(ProviderError, match=r"failed 6 times, last: HTTP 429.*embed"):
        embedder.embed_query("abc")
    assert len(sleeps) == 5


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((401, {}, {"error": {"message": "bad key"}}), "HTTP 401.*bad key.*API key"),
        ((404, {}, b""), "HTTP 404: an empty answer"),
        ((200, {}, b"<html>not json"), "not in the OpenAI format"),
        ((200, {}, {"vectors": []}), "not in the OpenAI format"),
        ((200, {}, [1]), "not in the OpenAI format"),
        (data([1.0, 2.0]), "not in the OpenAI format"),
        (data([1.0, 2.0], [1.0]), r"of \[1, 2\] numbers"),
        (data([1.0], [2.0], [3.0]), "3 vectors for 2 texts"),
        (data({"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}), "not in the OpenAI format"),
        (data([float("nan")], [1.0]), "not finite"),
        (data([], []), "not in the OpenAI format"),
        (data({"index": 0, "embedding": "AAAA"}, [1.0]), "not in the OpenAI format"),
    ],
)
def test_wrong_answers(server: Server, embedder: EndpointEmbedder, answer: Answer, message: str) -> None:
    server.script = [answer]
    with pytest.raises(ProviderError, match=message) as caught:
        embedder.embed_documents(["a", "b"])
    assert "secret" not in str(caught.value)
    assert len(server.requests) == 1


def test_dimensions_that_change(server: Server, embedder: EndpointEmbedder) -> None:
    embedder.embed_query("a")
    server.script = [data([1.0, 0.0])]
    with pytest.raises(ModelMismatchError, match="2 dimensions after 3"):
        embedder.embed_query("b")


def test_nobody_listens(sleeps: list[float]) -> None:
    with serving() as server:
        url = server.url
    with pytest.raises(ProviderError, match="failed 6 times, last: Connect"):
        EndpointEmbedder(Endpoint(url), sleep=sleeps.append).embed_query("a")


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/v1", "http://[", "http://127.0.0.1:99999/v1"])
def test_what_is_no_url(url: str, sleeps: list[float]) -> None:
    with pytest.raises(ProviderError):
        EndpointEmbedder(Endpoint(url, timeout=1), sleep=sleeps.append).embed_query("a")


def test_the_key_is_not_shown() -> None:
    assert "secret" not in repr(Endpoint("http://127.0.0.1", "ada", "secret"))


def test_it_is_configured_by_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "CRG_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CRG_OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert load_embedder("openai", "text-embedding-ada-002").model == EmbeddingModel(
        "openai", "text-embedding-ada-002", 3
    )
    assert [authorization for _, _, authorization in server.requests] == ["Bearer k"]


def test_without_configuration_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "CRG_OPENAI_BASE_URL", "OPENAI_API_KEY", "CRG_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ProviderError, match="OPENAI_API_KEY"):
        load_embedder("openai")
