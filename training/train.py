"""Train the distilled token vectors: docstring sentence -> definition, other definitions of the batch as negatives."""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from corpus import Record
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch.nn import functional

from code_review_graph.embedding.text import node_text
from code_review_graph.words import words_of

log = logging.getLogger("train")

SEED = 20
EPOCHS = 3
BATCH = 512
LEARNING_RATE = 2e-3
SCALE = 20.0  # inverse temperature of the softmax over cosines, as in MultipleNegativesRankingLoss
KEEP_DOCSTRING = 0.15  # mostly dropped, so that names and bodies must carry the meaning
KEEP_DETAILS = 0.25  # the docstring without the sentence that is the question, as long as real ones are
SHORTEN = 0.5  # how often a sentence loses words: questions are shorter than docstrings
SHORTEN_KEEPS = 0.55
DROP_NAME = 0.3  # a question often avoids the words of the name
AS_QUESTION = 0.4
QUESTIONS = (
    "where {}", "where does it {}", "where is the code to {}", "which function {}", "what {}", "how does it {}",
    "how {}", "find the code that {}", "which method {}", "who {}", "which class {}", "where the code {}",
)  # fmt: skip

Bag = tuple[list[int], list[float]]  # token ids and their weights


class Bags:
    """Texts to bags of token ids weighted by the root of their count, as the product's static embedder does."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._known: dict[str, list[int]] = {}

    def __call__(self, text: str) -> Bag:
        """Bag of one text."""
        counts: Counter[int] = Counter()
        for word in words_of(text):
            ids = self._known.get(word)
            if ids is None:
                ids = self._known[word] = self._tokenizer.encode(word).ids
            counts.update(ids)
        return list(counts), [count**0.5 for count in counts.values()]


def document(record: Record, rng: random.Random) -> str:
    """Text of the definition with its docstring, and sometimes its name, left out."""
    chance = rng.random()
    node = record.node(keep_docstring=chance < KEEP_DOCSTRING + KEEP_DETAILS)
    if KEEP_DOCSTRING <= chance < KEEP_DOCSTRING + KEEP_DETAILS:
        details = " ".join(node.docstring.split()).removeprefix(record.query)
        node = dataclasses.replace(node, docstring=details)
    if rng.random() < DROP_NAME:
        scope = node.qualified_name.removesuffix(node.name)
        signature = node.signature.replace(node.name, "", 1)
        node = dataclasses.replace(node, name="", qualified_name=scope, signature=signature)
    return node_text(node)


def question(record: Record, rng: random.Random) -> str:
    """The first docstring sentence, at times with fewer words or dressed as a question."""
    sentence = record.query
    if rng.random() < SHORTEN:
        words = words_of(sentence)
        sentence = " ".join(word for word in words if rng.random() < SHORTEN_KEEPS) or sentence
    return rng.choice(QUESTIONS).format(sentence) if rng.random() < AS_QUESTION else sentence


def batches(records: list[Record], rng: random.Random) -> Iterator[list[Record]]:
    """Half of the batches from one package each (its own definitions are the hard negatives), half mixed."""
    order = records[:]
    rng.shuffle(order)
    half = len(order) // 2
    by_package = sorted(order[:half], key=lambda record: record.package)
    chunks = [part[i : i + BATCH] for part in (by_package, order[half:]) for i in range(0, len(part), BATCH)]
    rng.shuffle(chunks)
    yield from (chunk for chunk in chunks if len(chunk) > 1)


def bag_tensors(bags: list[Bag]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Flat ids, offsets and weights for an EmbeddingBag."""
    offsets = np.cumsum([0, *(len(ids) for ids, _ in bags[:-1])])
    ids = [i for ids, _ in bags for i in ids]
    weights = [w for _, weights in bags for w in weights]
    return torch.tensor(ids), torch.from_numpy(offsets), torch.tensor(weights)


def train(vectors: NDArray[np.float32], tokenizer: Tokenizer, records: list[Record]) -> NDArray[np.float32]:
    """Trained token vectors of the same shape."""
    rng = random.Random(SEED)
    torch.manual_seed(SEED)
    to_bag = Bags(tokenizer)
    bag = torch.nn.EmbeddingBag.from_pretrained(torch.from_numpy(vectors), freeze=False, mode="sum")
    optimiser = torch.optim.Adam(bag.parameters(), lr=LEARNING_RATE)
    steps = EPOCHS * (len(records) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, LEARNING_RATE, total_steps=steps + 400, pct_start=0.1)
    for epoch in range(EPOCHS):
        losses: list[float] = []
        for batch in batches(records, rng):
            pair = []
            for texts in ([question(r, rng) for r in batch], [document(r, rng) for r in batch]):
                ids, offsets, weights = bag_tensors([to_bag(text) for text in texts])
                pair.append(functional.normalize(bag(ids, offsets, per_sample_weights=weights), dim=1))
            scores = SCALE * pair[0] @ pair[1].T
            target = torch.arange(len(batch))
            loss = (functional.cross_entropy(scores, target) + functional.cross_entropy(scores.T, target)) / 2
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            schedule.step()
            losses.append(float(loss))
        log.info("epoch %d loss %.4f", epoch + 1, float(np.mean(losses[-100:])))
    trained: NDArray[np.float32] = bag.weight.detach().numpy()
    trained[0] = 0
    return trained


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """int8 rows and one float32 scale a row: vector = row * scale."""
    scales = np.maximum(np.abs(vectors).max(1), 1e-9) / 127
    return np.round(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def main() -> None:
    """Train, then write the model files that the package ships."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("distilled", type=Path, help="folder written by distil.py")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("output", type=Path, help="code_review_graph/embedding/static_model")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    with arguments.corpus.open(encoding="utf-8") as lines:
        records = [Record(**json.loads(line)) for line in lines]
    tokenizer_file = arguments.distilled / "tokenizer.json"
    vectors = np.load(arguments.distilled / "vectors.npy")
    rows, scales = quantise(train(vectors, Tokenizer.from_file(str(tokenizer_file)), records))
    arguments.output.mkdir(parents=True, exist_ok=True)
    np.save(arguments.output / "vectors.npy", rows)
    np.save(arguments.output / "scales.npy", scales)
    (arguments.output / "tokenizer.json").write_bytes(tokenizer_file.read_bytes())


if __name__ == "__main__":
    main()
