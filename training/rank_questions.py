"""Plain questions over packages that the model never saw: where hybrid_search ranks the definition that answers.

``questions.yaml`` holds them with the definitions that answer, found by reading. Ranking weights are tuned on the half
``tune``; look at the half ``untouched`` only when all is decided.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from code_review_graph.embedding import Embedder, load_embedder
from code_review_graph.eval.matching import ends_with_name
from code_review_graph.indexing import build
from code_review_graph.search import hybrid_search
from code_review_graph.store import Store

log = logging.getLogger("rank_questions")

QUESTIONS = Path(__file__).with_name("questions.yaml")
DEPTH = 10


def rank_of(store: Store, embedder: Embedder, question: str, anchors: Sequence[str]) -> int | None:
    """Rank (1 = best) of the first answer among the first ten hits; None when there is none."""
    hits = hybrid_search(store, question, DEPTH, embedder=embedder).hits
    found = (
        rank
        for rank, hit in enumerate(hits, 1)
        if any(ends_with_name(hit.qualified_name, anchor) for anchor in anchors)
    )
    return next(found, None)


def source_of(folder: Path, package: str) -> Path:
    """The unpacked sdist of a package in ``folder``. Raises FileNotFoundError."""
    for path in sorted(folder.glob(f"{package}-*")):
        if path.is_dir():
            return path
    raise FileNotFoundError(f"no unpacked sdist {package}-* in {folder}")


def ranks(folder: Path, half: str) -> list[int | None]:
    """Ranks of all questions of one half."""
    packages: dict[str, list[dict[str, Any]]] = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    embedder = load_embedder()
    found: list[int | None] = []
    for package, questions in packages.items():
        wanted = [question for question in questions if question["half"] == half]
        with tempfile.TemporaryDirectory() as scratch:
            store = Store(source_of(folder, package), database=Path(scratch) / "index.db")
            with store:
                build(store, embedder=embedder)
                for item in wanted:
                    found.append(rank_of(store, embedder, item["question"], item["anchors"]))
                    log.debug("%s %s: %s", found[-1], package, item["question"])
    return found


def main() -> None:
    """Print hits at 1, recall@10 and MRR@10."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="unpacked sdists: pip download --no-deps --no-binary :all: ...")
    parser.add_argument("--half", choices=("tune", "untouched"), default="tune")
    parser.add_argument("--verbose", action="store_true", help="the rank of every question")
    arguments = parser.parse_args()
    logging.basicConfig(format="%(message)s")
    log.setLevel(logging.DEBUG if arguments.verbose else logging.INFO)
    found = ranks(arguments.folder, arguments.half)
    first, within = sum(rank == 1 for rank in found), sum(rank is not None for rank in found)
    mrr = sum(1 / rank for rank in found if rank) / len(found)
    log.info(
        "%d questions: first %.3f, recall@10 %.3f, MRR@10 %.3f",
        len(found),
        first / len(found),
        within / len(found),
        mrr,
    )


if __name__ == "__main__":
    main()
