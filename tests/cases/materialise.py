"""Writes the files of a case to a folder, and speaks git there."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

OUTSIDE = "^/"
BOM = b"\xef\xbb\xbf"


def materialise(case: Mapping[str, Any], repo: Path) -> Path:
    """Make the repository of a case; unless it says ``git: false``, everything is committed on ``main``."""
    repo.mkdir(parents=True, exist_ok=True)
    for path, content in case["files"].items():
        write_file(repo, path, content)
    if case.get("git", True):
        git(repo, "init", "-q")
        commit(repo)
    return repo


def write_file(repo: Path, path: str, content: Any) -> None:
    """Write one file; ``^/`` puts it beside the repository instead of inside."""
    target = repo.parent / path.removeprefix(OUTSIDE) if path.startswith(OUTSIDE) else repo / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict) and "symlink" in content:
        target.symlink_to(content["symlink"])
    else:
        target.write_bytes(content_bytes(content))


def content_bytes(content: Any) -> bytes:
    """Bytes of a case's content: text, base64, repeated pieces, or text with encoding, newlines and BOM."""
    if isinstance(content, str):
        return content.encode()
    if "b64" in content:
        return base64.b64decode(content["b64"])
    if "concat" in content:
        pieces = (piece if isinstance(piece, str) else piece["repeat"] * piece["n"] for piece in content["concat"])
        return "".join(pieces).encode()
    text: str = content["text"]
    if content.get("newline") == "CRLF":
        text = text.replace("\n", "\r\n")
    return (BOM if content.get("bom") else b"") + text.encode(content.get("encoding", "utf-8"))


def commit(repo: Path) -> None:
    """Commit everything, even nothing."""
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "--allow-empty", "-m", "case")


def git(repo: Path, *arguments: str) -> str:
    """Run git with an identity of its own and no one else's settings."""
    settings = ("user.name=t", "user.email=t@example.org", "init.defaultBranch=main", "protocol.file.allow=always")
    options = [part for setting in settings for part in ("-c", setting)]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *options, "-C", str(repo), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    return done.stdout
