"""The guard that every path argument passes: nothing outside the repository is read, named or confirmed."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from code_review_graph.errors import RepositoryError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def readable(text: str) -> str:
    """An argument as text that can be stored and shown: halves of characters and bytes of no encoding replaced."""
    return text.encode("utf-8", "replace").decode()


def inside(repo_path: Path, text: str) -> str:
    """A path argument as a posix path relative to the repository, links followed for the check alone.

    Raises RepositoryError when it cannot be a path, or leads out of the repository.
    """
    if "\0" in text:
        raise RepositoryError("A path holds no NUL character.", hint="Give a path relative to the repository.")
    posix = text.replace("\\", "/")
    if _SCHEME.match(text) or (_DRIVE.match(text) and not Path(text).is_absolute()):
        raise _outside(text)
    root = repo_path.resolve()
    try:
        resolved = (root / posix).resolve()
    except (OSError, RuntimeError):
        # A loop of links, or a name that is too long: no file of ours.
        raise _outside(text) from None
    if resolved != root and root not in resolved.parents:
        raise _outside(text)
    if ".." in PurePosixPath(posix).parts or PurePosixPath(posix).is_absolute():
        return resolved.relative_to(root).as_posix()
    return PurePosixPath(posix).as_posix()


def _outside(text: str) -> RepositoryError:
    shown = text if len(text) <= 200 else f"{text[:200]}..."
    return RepositoryError(
        f"The path {shown!r} is not inside the repository.", hint="Give a path relative to the repository's root."
    )
