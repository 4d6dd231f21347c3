from __future__ import annotations

from code_review_graph.embedding import node_text
from code_review_graph.model import Node, NodeKind


def node(docstring: str = "", body_words: str = "") -> Node:
    return Node(
        1, "pkg/web_app.py::HttpServer.sendReply", "sendReply", NodeKind.METHOD, "pkg/web_app.py", 3, 9, "python",
        signature="def sendReply(self, code: int)", docstring=docstring, body_words=body_words,
    )  # fmt: skip


def test_names_in_words_place_and_signature() -> None:
    assert node_text(node("Answer a client with a status code.")).splitlines() == [
        "http server send reply",
        "send reply",
        "pkg/web_app.py::HttpServer.sendReply",
        "def sendReply(self, code: int)",
        "Answer a client with a status code.",
    ]


def test_body_words_are_told_once_and_only_when_nothing_else_tells_them() -> None:
    assert node_text(node(), "socket write socket code flush").splitlines()[-1] == "socket write flush"
    assert node_text(node(body_words="socket write")).endswith("socket write")
    assert node_text(node("Write to a client."), "socket write").splitlines()[-1] == "socket"


def test_long_parts_are_cut() -> None:
    text = node_text(node("word " * 1000), "w" * 10)
    assert len(text) < 500
    assert len(node_text(node(), " ".join(f"word{n}" for n in range(1000)))) < 600
