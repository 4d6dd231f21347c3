"""Embedding an index: only texts that have no vector yet are embedded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from code_review_graph import facts as file_facts
from code_review_graph.embedding.protocol import Embedder
from code_review_graph.embedding.text import node_text
from code_review_graph.errors import ModelMismatchError
from code_review_graph.model import Node, NodeKind
from code_review_graph.progress import Progress, silent

if TYPE_CHECKING:
    from code_review_graph.store import EmbeddingModel, Store

# What is saved at once, and so what an interruption costs at most.
_BATCH: Final = 2_048
STAGE: Final = "embed"


def embed_nodes(store: Store, embedder: Embedder, progress: Progress = silent) -> int:
    """Give every node of the index a vector; returns how many texts were embedded anew.

    Raises ModelMismatchError when the index holds another model's vectors (``store.clear_vectors()`` first),
    NoGraphError and ProviderError. What was embedded before an interruption is kept.
    """
    store.require_graph()
    check_model(store.embedding_model(), embedder.model)
    hashes: dict[int, bytes] = {}
    texts: dict[bytes, str] = {}
    for node_id, text in _missing_texts(store):
        hashes[node_id] = text_hash(embedder.model, text)
        texts[hashes[node_id]] = text
    for known in store.known_vectors(texts.keys()):
        del texts[known]
    progress(STAGE, 0, len(texts))
    _embed(store, embedder, list(texts.items()), progress)
    store.map_vectors(hashes.items())
    return len(texts)


def check_model(stored: EmbeddingModel | None, wanted: EmbeddingModel) -> None:
    """Raise ModelMismatchError unless vectors of ``wanted`` may be compared with the stored ones."""
    if stored not in (None, wanted):
        assert stored is not None
        raise ModelMismatchError(
            f"The index's vectors were made by {stored.provider} {stored.model} ({stored.dimensions} dimensions), "
            f"not by {wanted.provider} {wanted.model} ({wanted.dimensions} dimensions)."
        )


def text_hash(model: EmbeddingModel, text: str) -> bytes:
    """Key of a text's vector, 16 bytes: another model or another text has another key."""
    digest = blake2b(f"{model.provider}\0{model.model}\0{model.dimensions}\0".encode(), digest_size=16)
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.digest()


def text_hashes(model: EmbeddingModel, nodes: Iterable[Node]) -> list[bytes]:
    """Keys of the vectors of these nodes, which have their body words, in their order."""
    return [text_hash(model, node_text(node)) for node in nodes]


def _embed(store: Store, embedder: Embedder, items: list[tuple[bytes, str]], progress: Progress) -> None:
    from code_review_graph.embedding.vectors import int8_rows  # noqa: PLC0415 - numpy stays out of the start-up

    for start in range(0, len(items), _BATCH):
        batch = items[start : start + _BATCH]
        rows = int8_rows(embedder.embed_documents([text for _, text in batch]))
        store.save_vectors(embedder.model, zip((key for key, _ in batch), rows, strict=True))
        progress(STAGE, start + len(batch), len(items))


def _missing_texts(store: Store) -> Iterator[tuple[int, str]]:
    missing = store.nodes(store.nodes_without_vector())
    bodies = _body_words(store, {node.path for node in missing.values()})
    for node in missing.values():
        line = 0 if node.kind is NodeKind.FILE else node.start_line
        yield node.id, node_text(node, bodies.get((node.path, line, node.name if line else ""), ""))


def _body_words(store: Store, paths: Collection[str]) -> dict[tuple[str, int, str], str]:
    """Body words by (path, line, name) of the definition, from the facts; a file's own under line 0 and no name."""
    bodies: dict[tuple[str, int, str], str] = {}
    for path, blob in store.facts() if paths else ():
        if path not in paths:
            continue
        facts = file_facts.unpack(blob)
        bodies[path, 0, ""] = facts.body_words
        for definition in facts.definitions:
            bodies[path, definition.line, definition.name] = definition.body_words
    return bodies
