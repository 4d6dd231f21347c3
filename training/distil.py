"""Distil a sentence transformer into one vector a token: transformer output, PCA, frequency weights."""

from __future__ import annotations

import argparse
import json
import logging
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import AutoModel

from code_review_graph.words import words_of

log = logging.getLogger("distil")

DIMENSIONS = 256
VOCABULARY = 30_000  # x 256 int8 = 7.7 MB; with the tokenizer below 10 MB
SIF = 1e-3  # a / (a + p(token)): Arora et al. 2017, "A simple but tough-to-beat baseline for sentence embeddings"
BATCH = 1024


def word_counts(corpus: Path) -> Counter[str]:
    """How often each word occurs in names, signatures, docstrings and bodies of the corpus."""
    counts: Counter[str] = Counter()
    with corpus.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            for key in ("qualified_name", "signature", "docstring"):
                counts.update(words_of(record[key]))
            counts.update(record["body_words"].split())
    return counts


def vocabulary(counts: Counter[str], tokenizer: Tokenizer) -> list[str]:
    """Word pieces that the corpus needs, then its most frequent whole words, VOCABULARY in all; [UNK] is first."""
    pieces: Counter[str] = Counter()
    encodings = tokenizer.encode_batch(list(counts), add_special_tokens=False)
    for (_, count), encoding in zip(counts.items(), encodings, strict=True):
        for piece in encoding.tokens:
            pieces[piece] += count
    pieces.pop("[UNK]", None)
    # Every letter and digit stays, so that any identifier in ASCII can be spelt.
    characters = [prefix + chr(code) for code in (*range(48, 58), *range(97, 123)) for prefix in ("", "##")]
    original = [piece for piece, count in pieces.most_common() if count >= 5]
    words = [word for word, count in counts.most_common() if word.isascii() and count >= 20 and len(word) <= 24]
    ordered = dict.fromkeys(["[UNK]", *characters, *original, *words])
    return list(ordered)[:VOCABULARY]


@torch.no_grad()
def embed_tokens(tokens: list[str], model: torch.nn.Module, tokenizer: Tokenizer) -> NDArray[np.float32]:
    """Mean-pooled transformer output of each token alone, between [CLS] and [SEP]; shape (tokens, hidden)."""
    own = tokenizer.get_vocab()
    cls, sep, pad = own["[CLS]"], own["[SEP]"], own["[PAD]"]
    ids = [
        [cls, *([own[token]] if token in own else tokenizer.encode(token, add_special_tokens=False).ids), sep]
        for token in tokens
    ]
    rows = []
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        width = max(map(len, batch))
        inputs = torch.tensor([row + [pad] * (width - len(row)) for row in batch])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in batch])
        hidden = model(input_ids=inputs, attention_mask=mask).last_hidden_state
        rows.append(((hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)).numpy())
    return np.concatenate(rows)


def reduce(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The DIMENSIONS principal components, centred."""
    centred = vectors - vectors.mean(0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return np.asarray(centred @ axes[:, ::-1][:, :DIMENSIONS], dtype=np.float32)


def write_tokenizer(tokens: list[str], path: Path) -> None:
    """A WordPiece tokenizer over our vocabulary; it gets words that are split and lower-cased already."""
    model = {
        "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 64,
        "vocab": {token: index for index, token in enumerate(tokens)},
    }  # fmt: skip
    document = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None, "model": model,
    }  # fmt: skip
    path.write_text(json.dumps(document, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def main() -> None:
    """Write tokenizer.json and untrained vectors.npy (float32, one row a token)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="folder of the sentence transformer")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(0)
    tokenizer = Tokenizer.from_file(str(arguments.model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    counts = word_counts(arguments.corpus)
    tokens = vocabulary(counts, tokenizer)
    arguments.output.mkdir(parents=True, exist_ok=True)
    write_tokenizer(tokens, arguments.output / "tokenizer.json")
    vectors = reduce(embed_tokens(tokens, AutoModel.from_pretrained(str(arguments.model)), tokenizer))

    ours = Tokenizer.from_file(str(arguments.output / "tokenizer.json"))
    frequency = np.zeros(len(tokens))
    for (_, count), encoding in zip(counts.items(), ours.encode_batch(list(counts)), strict=True):
        np.add.at(frequency, encoding.ids, count)
    weights = SIF / (SIF + frequency / frequency.sum())
    vectors *= (weights[:, None] / np.linalg.norm(vectors, axis=1, keepdims=True).mean()).astype(np.float32)
    vectors[0] = 0  # an unknown word says nothing
    np.save(arguments.output / "vectors.npy", vectors)
    log.info("%d tokens, %d dimensions", *vectors.shape)


if __name__ == "__main__":
    main()
