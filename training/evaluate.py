"""Docstring retrieval: the first sentence finds its function among all others, docstrings removed from the texts."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import numpy as np
from corpus import Record, definitions

from code_review_graph.embedding import load_embedder, node_text
from code_review_graph.model import NodeKind

log = logging.getLogger("evaluate")


def records_of(folder: Path) -> list[Record]:
    """Documented functions and methods of a source tree, tests left out."""
    found: list[Record] = []
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        if not any(part.startswith("test") for part in name.split("/")):
            source = path.read_text(encoding="utf-8", errors="replace")
            found += (r for r in definitions(folder.name, name, source) if r.kind == NodeKind.FUNCTION.value)
    return found


def main() -> None:
    """Print MRR@10 for each source tree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--provider", default="static")
    parser.add_argument("--model")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    embedder = load_embedder(arguments.provider, arguments.model)
    for folder in arguments.folders:
        records = records_of(folder)
        documents = embedder.embed_documents([node_text(record.node(keep_docstring=False)) for record in records])
        scores = embedder.embed_documents([record.query for record in records]) @ documents.T
        ranks = (scores > np.diag(scores)[:, None]).sum(1) + 1
        log.info("%s: MRR@10 %.3f over %d", folder.name, np.where(ranks <= 10, 1 / ranks, 0).mean(), len(records))


if __name__ == "__main__":
    main()
