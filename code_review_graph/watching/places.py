"""Where changes are looked for, and which of them can matter: the same files that a walk would find."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from code_review_graph.languages import is_config_file, language_of
from code_review_graph.walking import SKIPPED_FOLDERS, find_folders, git_folder

# Each folder is watched by itself where the system asks for one watch a folder anyway: so ignored ones cost nothing.
# Elsewhere the system watches whole trees.
WATCHES_FOLDERS: Final = sys.platform == "linux"
# What git changes in its own folder when it checks out, commits, stashes or resets, or when more is ignored.
_GIT_FILES: Final = frozenset({"HEAD", "index", "logs/HEAD", "info/exclude"})
_GIT_FOLDERS: Final = ("", "logs", "info")
_IGNORE_FILE: Final = ".gitignore"
# File systems that others may write to without this machine's knowing, or whose watching is known not to work.
_REMOTE: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "drvfs", "vboxsf", "ceph", "lustre", "afs", "glusterfs", "beegfs"}
    | {"virtiofs", "fakeowner", "osxfs"}
)
_MOUNTS: Final = Path("/proc/self/mountinfo")
_OCTAL: Final = re.compile(r"\\([0-7]{3})")


@dataclass(slots=True)
class Noticed:
    """What some events mean: ``paths`` of sources that may differ, and whether other ``folders`` are to be watched."""

    paths: set[str] = field(default_factory=set)
    folders: bool = False
    git: bool = False

    def __bool__(self) -> bool:
        """Whether an update could find anything."""
        return bool(self.paths) or self.folders or self.git


class Places:
    """The folders of one repository, as they were when this was made."""

    def __init__(self, repo_path: Path) -> None:
        self._root = str(repo_path)
        self._git = git_folder(repo_path)
        self._folders = frozenset(find_folders(repo_path))

    def to_watch(self) -> list[str]:
        """The folders to watch, those that may be read."""
        inside = [os.path.join(self._root, folder) if folder else self._root for folder in self._folders]  # noqa: PTH118
        if not WATCHES_FOLDERS:
            inside = [self._root]
        git = [str(self._git / folder) for folder in _GIT_FOLDERS] if self._git else []
        return [folder for folder in (*inside, *git) if _is_text(folder) and os.access(folder, os.R_OK | os.X_OK)]

    def meaning(self, events: set[tuple[int, str]]) -> Noticed:
        """What (kind, path) events of these folders say."""
        noticed = Noticed()
        for _, path in events:
            if self._git is not None and path.startswith(f"{self._git}{os.sep}"):
                self._note_git(noticed, path[len(str(self._git)) + 1 :].replace(os.sep, "/"))
            elif path.startswith(f"{self._root}{os.sep}"):
                self._note(noticed, path, path[len(self._root) + 1 :].replace(os.sep, "/"))
        return noticed

    def _note_git(self, noticed: Noticed, path: str) -> None:
        noticed.git |= path in _GIT_FILES
        noticed.folders |= path == "info/exclude"

    def _note(self, noticed: Noticed, path: str, relative: str) -> None:
        parts = relative.split("/")
        if not SKIPPED_FOLDERS.isdisjoint(parts):
            return
        if parts[-1] == _IGNORE_FILE or relative in self._folders or os.path.isdir(path):  # noqa: PTH112 - speed
            noticed.folders = True
        elif language_of(relative) is not None or is_config_file(relative):
            noticed.paths.add(relative)

    def __eq__(self, other: object) -> bool:
        """Whether the same folders are there."""
        return isinstance(other, Places) and (self._folders, self._git) == (other._folders, other._git)

    def __hash__(self) -> int:
        """By the folders."""
        return hash(self._folders)


def _is_text(path: str) -> bool:
    # Files below a folder whose name is none are not indexed either.
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def file_system(path: Path) -> str:
    """The kind of file system that holds a path; empty where the system does not tell."""
    best, kind = -1, ""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    for line in lines:
        before, _, after = line.partition(" - ")
        # Blanks and the like stand there in octal.
        mount = _OCTAL.sub(lambda found: chr(int(found[1], 8)), before.split()[4])
        if (path == Path(mount) or path.is_relative_to(mount)) and len(mount) >= best:
            best, kind = len(mount), after.split()[0]
    return kind


def is_remote(kind: str) -> bool:
    """Whether changes on such a file system may come unnoticed."""
    return kind in _REMOTE or (kind.startswith("fuse") and kind not in {"fuseblk", "fuse.fuse-overlayfs"})
