"""Which files of a repository are indexed: what git lists, or else a walk that obeys .gitignore; never a link."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from code_review_graph.errors import RepositoryError
from code_review_graph.model import Diagnostic
from code_review_graph.store.places import FOLDER
from code_review_graph.store.store import resolved_folder

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from code_review_graph.config import Settings

# Never a project's own source, even where nothing says that they are ignored.
SKIPPED_FOLDERS: Final = frozenset(
    {".git", ".hg", ".svn", FOLDER, "node_modules", "__pycache__", "site-packages", ".venv", "venv", ".tox", ".nox"}
    | {".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
)
_VENV_MARK: Final = "pyvenv.cfg"
# A folder with one of these is a repository or an environment within: not the project's own.
_PROJECT_MARKS: Final = frozenset({".git", _VENV_MARK})
_GIT_SECONDS: Final = 120
# Bundles and tables made by a program: long, with next to no line ends. Their names would drown the project's.
_MINIFIED_BYTES: Final = 20_000
_MINIFIED_LINE: Final = 500
_BINARY_SAMPLE: Final = 8192
# A run of stars says no more than one does, but takes for ever to match.
_STARS: Final = re.compile(r"\*{3,}")
_WILDCARD: Final = re.compile(r"\*+")
_MOST_WILDCARDS: Final = 3


class SourceFile(NamedTuple):
    """A file to index: relative path with slashes, size in bytes, time of its last change."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk found, by path, and what it left out although it was wanted."""

    files: list[SourceFile]
    skipped: list[Diagnostic]


def find_repository(start: Path) -> Path:
    """The nearest folder at or above ``start`` with ``.git`` or an index. Raises RepositoryError without one."""
    start = resolved_folder(start)
    home = _home()
    for folder in (start, *start.parents):
        # Not pathlib's, which raises where a folder must not be read.
        if not (os.path.exists(folder / ".git") or os.path.isdir(folder / FOLDER)):  # noqa: PTH110, PTH112
            continue
        # Dotfiles kept in git make a repository of everything below the home folder: nobody means that one.
        if folder == folder.parent or (folder == home and folder != start):
            break
        return folder
    raise RepositoryError(f"There is no repository around {start}.", hint="Name one with --repo PATH.")


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except (OSError, RuntimeError):
        return None


def check_repository(repo_path: Path) -> None:
    """Raise RepositoryError for a folder that is not indexed on purpose by anyone, such as ``/``."""
    if not os.path.isdir(repo_path):  # noqa: PTH112 - pathlib's raises where a folder must not be read
        raise RepositoryError(f"{repo_path} is not a folder.", hint="Give the root of a repository.")
    if repo_path == repo_path.parent:
        raise RepositoryError("The root of the file system is not a repository.", hint="Give a folder below it.")


def find_files(repo_path: Path, wanted: Callable[[str], bool], settings: Settings) -> Walk:
    """Every file that is ``wanted``, inside the repository, not ignored, and no larger than the settings allow."""
    paths = _listed_by_git(repo_path) or _listed_by_walking(repo_path)
    excluded = _spec(settings.exclude)
    walk = Walk([], [])
    linked: dict[str, bool] = {"": False}
    for path in sorted(_without_skipped_folders(paths)):
        if not wanted(path) or (settings.exclude and excluded.match_file(path)):
            continue
        if _under_link(repo_path, path, linked):
            continue
        found = _examined(repo_path, path, settings.max_file_bytes)
        if isinstance(found, SourceFile):
            walk.files.append(found)
        elif found is not None:
            walk.skipped.append(found)
    return walk


def find_folders(repo_path: Path) -> list[str]:
    """Every folder in which a file would be found, now or once it is there; the repository itself is ``""``."""
    ignored = _ignored_by_git(repo_path)
    if ignored is None:
        return [folder.removesuffix("/") for folder, _ in _walked(repo_path)]
    found: list[str] = []
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(repo_path / folder) as entries:
                children = {entry.name: entry for entry in entries}
        except OSError:
            continue
        if folder and not _PROJECT_MARKS.isdisjoint(children):
            continue
        found.append(folder.removesuffix("/"))
        for name, child in children.items():
            path = f"{folder}{name}/"
            if name not in SKIPPED_FOLDERS and path not in ignored and child.is_dir(follow_symlinks=False):
                pending.append(path)
    return found


def git_folder(repo_path: Path) -> Path | None:
    """The folder where git keeps what is checked out, which may lie elsewhere; None without git."""
    output = _git(repo_path, "rev-parse", "--absolute-git-dir")
    return Path(os.fsdecode(output.rstrip(b"\r\n"))) if output else None


def read_source(repo_path: Path, path: str) -> bytes | Diagnostic:
    """The bytes of a file that a walk found, or why it is not source text that anyone wrote."""
    try:
        # O_NONBLOCK: a pipe that took the file's place must not hang us.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(repo_path / path, flags), "rb") as file:
            source = file.read()
    except OSError as error:
        return Diagnostic(path, f"cannot be read: {error.strerror or error}")
    if b"\0" in source[:_BINARY_SAMPLE]:
        return Diagnostic(path, "skipped: it holds NUL bytes, so it is not source text")
    if len(source) >= _MINIFIED_BYTES and len(source) > _MINIFIED_LINE * (source.count(b"\n") + 1):
        return Diagnostic(path, "skipped: minified or generated, its lines are too long to be written by hand")
    return source


def git_commit(repo_path: Path) -> str | None:
    """The commit that is checked out; None without git or before the first commit."""
    output = _git(repo_path, "rev-parse", "--verify", "--quiet", "HEAD")
    return output.decode("ascii", "replace").strip() or None if output else None


def _examined(repo_path: Path, path: str, max_bytes: int) -> SourceFile | Diagnostic | None:
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "backslashreplace").decode()
        return Diagnostic(shown, "skipped: its name is not UTF-8")
    try:
        # Not pathlib's: it would take most of the time of a walk.
        status = os.lstat(f"{repo_path}/{path}")
    except OSError:
        # Deleted, though still in git's index.
        return None
    if stat.S_ISLNK(status.st_mode):
        return _link(repo_path, path)
    if not stat.S_ISREG(status.st_mode):
        return None
    if status.st_size > max_bytes:
        return Diagnostic(path, f"skipped: {status.st_size} bytes are more than the {max_bytes} that are indexed")
    # A copy may keep the old time of modification; the time of change it cannot keep.
    return SourceFile(path, status.st_size, max(status.st_mtime_ns, status.st_ctime_ns))


def _under_link(repo_path: Path, path: str, linked: dict[str, bool]) -> bool:
    # Git's index still lists the files of a folder that a link has replaced since.
    folder = path.rpartition("/")[0]
    known = linked.get(folder)
    if known is None:
        known = linked[folder] = os.path.islink(f"{repo_path}/{folder}") or _under_link(repo_path, folder, linked)  # noqa: PTH114
    return known


def _link(repo_path: Path, path: str) -> Diagnostic | None:
    # A link into the repository is another name of a file that is indexed under its own.
    try:
        target = (repo_path / path).resolve(strict=True)
    except (OSError, RuntimeError):
        return Diagnostic(path, "skipped: a link that leads nowhere")
    if target.is_relative_to(repo_path.resolve()):
        return None
    return Diagnostic(path, "skipped: a link that leads out of the repository")


def _without_skipped_folders(paths: Iterable[str]) -> Iterator[str]:
    unique = set(paths)
    environments = tuple(path.removesuffix(_VENV_MARK) for path in unique if path.endswith(f"/{_VENV_MARK}"))
    for path in unique:
        folders = path.split("/")[:-1]
        if SKIPPED_FOLDERS.isdisjoint(folders) and not (environments and path.startswith(environments)):
            yield path


# -- git


def _listed_by_git(repo_path: Path) -> list[str]:
    # Folders in the list are submodules or repositories within: projects of their own.
    output = _git(repo_path, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if not output:
        return []
    return [path for path in os.fsdecode(output).split("\0") if path and not path.endswith("/")]


def _ignored_by_git(repo_path: Path) -> set[str] | None:
    # A folder that is ignored as a whole is listed once, with a slash behind it.
    arguments = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    output = _git(repo_path, *arguments)
    return None if output is None else set(os.fsdecode(output).split("\0"))


def _git(repo_path: Path, *arguments: str) -> bytes | None:
    # A repository's own configuration may name programs to run; the settings given here win over it.
    command = ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        done = subprocess.run(
            command,
            cwd=repo_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


# -- without git


def _listed_by_walking(repo_path: Path) -> list[str]:
    return [path for _, paths in _walked(repo_path) for path in paths]


def _walked(repo_path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each folder that is not ignored, with a slash behind it, and the files in it that are not."""
    pending: list[tuple[str, tuple[_Ignore, ...]]] = [("", ())]
    while pending:
        folder, ignores = pending.pop()
        try:
            with os.scandir(repo_path / folder) as entries:
                children = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        ignores = (*_ignore_file(repo_path, folder), *ignores)
        found: list[str] = []
        for child in children:
            path = f"{folder}{child.name}"
            if child.is_dir(follow_symlinks=False):
                if child.name not in SKIPPED_FOLDERS and not _ignored(f"{path}/", ignores):
                    pending.append((f"{path}/", ignores))
            elif not _ignored(path, ignores):
                found.append(path)
        yield folder, found


@dataclass(frozen=True, slots=True)
class _Ignore:
    folder: str
    spec: GitIgnoreSpec


def _ignore_file(repo_path: Path, folder: str) -> list[_Ignore]:
    path = repo_path / folder / ".gitignore"
    try:
        if path.is_symlink():
            return []
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [_Ignore(folder, _spec(lines))]


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - most repositories have git

    # A pattern becomes a regular expression, and some that git knows look odd there.
    warnings.simplefilter("ignore", FutureWarning)
    usable: list[str] = []
    for line in lines:
        plain = _STARS.sub("*", line)
        if _is_costly(plain):
            continue
        try:
            GitIgnoreSpec.from_lines([plain])
        except (ValueError, re.error, OverflowError, RecursionError):
            continue
        usable.append(plain)
    return GitIgnoreSpec.from_lines(usable)


def _is_costly(pattern: str) -> bool:
    # Matching goes back over every wildcard: the time is the length of a name to the power of their number.
    parts = pattern.split("/")
    return parts.count("**") > _MOST_WILDCARDS or any(len(_WILDCARD.findall(part)) > _MOST_WILDCARDS for part in parts)


def _ignored(path: str, ignores: tuple[_Ignore, ...]) -> bool:
    # The nearest .gitignore that says anything about a path decides.
    for ignore in ignores:
        verdict = ignore.spec.check_file(path[len(ignore.folder) :]).include
        if verdict is not None:
            return verdict
    return False
