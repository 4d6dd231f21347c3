"""The default embedder: token vectors that ship in the wheel, summed; no network and no torch.

A text's vector is the sum of its tokens' vectors, each weighted by the root of its count, scaled to length 1. The
vectors were distilled from a transformer and trained on docstrings and code; their lengths carry how much a token says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from code_review_graph.embedding.vectors import unit_rows
from code_review_graph.errors import ProviderError
from code_review_graph.store import EmbeddingModel
from code_review_graph.words import words_of

# Bump when the files in static_model/ change, so that older indexes are embedded again.
MODEL_NAME: Final = "code-static-256-v1"
# One dense product of counts and word vectors a batch; larger batches would mostly multiply zeros.
_BATCH: Final = 128
# Repositories hold some 10^5 distinct words; what a hostile one holds beyond that is embedded without being remembered.
_WORDS_KEPT: Final = 1 << 18


class StaticEmbedder:
    """Embeds without a transformer, some thousands of texts a CPU-second."""

    def __init__(self) -> None:
        folder = files("code_review_graph.embedding") / "static_model"
        try:
            with (folder / "vectors.npy").open("rb") as stream:
                rows: NDArray[np.int8] = np.load(stream)
            with (folder / "scales.npy").open("rb") as stream:
                scales: NDArray[np.float32] = np.load(stream)
            self._tokenizer: Any = Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ProviderError(
                f"The built-in model cannot be read: {error}.", hint="Reinstall the package."
            ) from error
        self._vectors: NDArray[np.float32] = rows.astype(np.float32) * scales[:, None]
        self._tokens: dict[str, tuple[int, ...]] = {}

    @property
    def model(self) -> EmbeddingModel:
        """Provider, model and dimensions."""
        return EmbeddingModel("static", MODEL_NAME, int(self._vectors.shape[1]))

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows (n, d), one a text; zero rows for texts without a known word."""
        bags = self._bags(texts)
        parts = [self._sum(bags[start : start + _BATCH]) for start in range(0, len(bags), _BATCH)]
        return unit_rows(np.concatenate(parts)) if parts else np.empty((0, self._vectors.shape[1]), np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Unit vector (d,) of a question."""
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row

    def _bags(self, texts: Sequence[str]) -> list[Counter[int]]:
        words = [words_of(text) for text in texts]
        unknown = list({word for row in words for word in row if word not in self._tokens})
        fresh = {
            word: tuple(encoding.ids)
            for word, encoding in zip(unknown, self._tokenizer.encode_batch_fast(unknown), strict=True)
        }
        if len(self._tokens) < _WORDS_KEPT:
            self._tokens |= fresh
        tokens = self._tokens | fresh if unknown and fresh.keys() - self._tokens.keys() else self._tokens
        return [Counter(token for word in row for token in tokens[word]) for row in words]

    def _sum(self, bags: list[Counter[int]]) -> NDArray[np.float32]:
        lengths = [len(bag) for bag in bags]
        ids = np.fromiter((token for bag in bags for token in bag), dtype=np.int64, count=sum(lengths))
        counts = np.fromiter((count for bag in bags for count in bag.values()), dtype=np.float32, count=sum(lengths))
        distinct, columns = np.unique(ids, return_inverse=True)
        weights = np.zeros((len(bags), len(distinct)), dtype=np.float32)
        weights[np.repeat(np.arange(len(bags)), lengths), columns] = np.sqrt(counts)
        return np.asarray(weights @ self._vectors[distinct], dtype=np.float32)
