"""Checkouts of the repositories that task files are about: whose are they, at which commit, and how to get one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from code_review_graph.errors import EvaluationError

FETCH_SECONDS = 600
_SCHEME = re.compile(r"^(?:https?|ssh|git|file)://", re.IGNORECASE)
_SCP_FORM = re.compile(r"^(?:[\w.-]+@)?(?P<host>[\w.-]+):(?P<path>[^/].*)$")
_FULL_COMMIT = re.compile(r"^[0-9a-fA-F]{40}(?:[0-9a-fA-F]{24})?$")

_GIT_PLACES = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"})


@dataclass(frozen=True, slots=True)
class Checkout:
    """What git says about a folder; all unknown outside a git work tree."""

    path: Path
    commit: str | None
    remotes: tuple[str, ...]
    changed: bool

    def is_of(self, name: str, url: str | None) -> bool:
        """Whether this is the repository ``name`` at ``url``: by a remote, or by the folder's or a remote's name."""
        names = {self.path.name.casefold(), *(_last_part(remote) for remote in self.remotes)}
        urls = {normal_url(remote) for remote in self.remotes}
        return name.casefold() in names or (url is not None and normal_url(url) in urls)


def inspect_checkout(path: Path) -> Checkout:
    """Read commit, remotes and local changes of a folder; never writes to it."""
    path = path.resolve()
    top = _git(path, "rev-parse", "--show-toplevel")
    if not top or Path(top).resolve() != path:
        return Checkout(path, None, (), changed=False)
    commit = _git(path, "rev-parse", "--verify", "--quiet", "HEAD")
    remotes = _git(path, "config", "--get-regexp", r"^remote\..*\.url$")
    changed = _git(path, "status", "--porcelain", "--untracked-files=no") if commit else ""
    urls = tuple(line.split(" ", 1)[1] for line in remotes.splitlines() if " " in line)
    return Checkout(path, commit or None, urls, bool(changed))


def normal_url(url: str) -> str:
    """One spelling for the https, ssh and scp-like forms of a git URL."""
    if not _SCHEME.match(url) and (short := _SCP_FORM.match(url)):
        url = f"{short['host']}/{short['path']}"
    url = re.sub(r"^(?:[^/@]*@)", "", _SCHEME.sub("", url))
    return url.rstrip("/").removesuffix(".git").casefold()


def _last_part(url: str) -> str:
    return normal_url(url).replace(":", "/").rsplit("/", 1)[-1]


def cache_folder() -> Path:
    """Where fetched repositories are kept: ``code-review-graph/repositories`` under the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "code-review-graph" / "repositories"


def fetch_pinned(name: str, url: str | None, commit: str | None, cache: Path | None = None) -> Path:
    """A checkout of exactly ``commit``, fetched without history on first use.

    Raises EvaluationError if the task file pins nothing that can be fetched, or git cannot get it.
    """
    if url is None or commit is None or not _FULL_COMMIT.match(commit):
        raise EvaluationError(
            f"The task file of {name!r} does not say what to fetch.", hint="Give it `url` and a full `commit`."
        )
    if not _SCHEME.match(url) and not _SCP_FORM.match(url):
        raise EvaluationError(f"{url!r} is not a URL that git can be trusted with.", hint="Use https, ssh or file.")
    folder = re.sub(r"[^\w.-]", "-", name)
    target = (cache or cache_folder()) / commit[:12] / folder
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    # A fetch that is killed half-way must not look like a checkout, so it appears under its name only when whole.
    scratch = Path(tempfile.mkdtemp(prefix=".fetching-", dir=target.parent))
    try:
        _fetch(scratch / folder, url, commit)
        (scratch / folder).rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return target


def _fetch(folder: Path, url: str, commit: str) -> None:
    folder.mkdir()
    for arguments in (
        ("init", "--quiet"),
        ("remote", "add", "origin", url),
        ("fetch", "--quiet", "--depth", "1", "origin", commit),
        ("checkout", "--quiet", "--detach", "FETCH_HEAD"),
    ):
        try:
            done = _run(folder, *arguments)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EvaluationError(f"git could not fetch {url}: {error}") from error
        if done.returncode:
            raise EvaluationError(
                f"git could not fetch {commit[:12]} of {url}: {done.stderr.strip()}",
                hint="Check the network, or pass a checkout with --repo.",
            )


def _git(folder: Path, *arguments: str) -> str:
    """Standard output of a git command, or nothing where git or a repository is missing."""
    try:
        done = _run(folder, *arguments)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # A git hook's GIT_DIR would silently point every command at another repository.
    inherited = {key: value for key, value in os.environ.items() if key not in _GIT_PLACES}
    environment = {**inherited, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=FETCH_SECONDS,
        env=environment,
    )
