"""Where the index of a repository lies."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from code_review_graph.config import cache_folder, index_folder

FOLDER: Final = ".code-review-graph"
FILE: Final = "index.db"


class Place(NamedTuple):
    """An index file; ``reason`` says why it is not in the repository, and is empty where it is."""

    path: Path
    reason: str = ""


def place_of(repo_path: Path) -> Place:
    """In the repository; in the folder that the user names; or, where a repository cannot be written, in the cache.

    Outside, each repository has a folder of its own, and so has each of its worktrees. An index that lies in a
    repository that cannot be written is read until there is one in the cache.
    """
    asked = index_folder()
    if asked is not None:
        return Place(_own(asked, repo_path), "the folder is set by CRG_INDEX_FOLDER")
    inside = repo_path / FOLDER / FILE
    if not _is_writable(inside):
        outside = _own(cache_folder(), repo_path)
        if outside.exists() or not inside.exists():
            return Place(outside, "the repository cannot be written")
    return Place(inside)


def _own(base: Path, repo_path: Path) -> Path:
    key = blake2b(str(repo_path).encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()
    return base.absolute() / f"{repo_path.name or 'root'}-{key}" / FILE


def _is_writable(database: Path) -> bool:
    folder = database.parent
    return os.access(folder if folder.exists() else folder.parent, os.W_OK)
