"""doctor: does everything that answers rest on work here, and what to do where it does not. Changes nothing."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from code_review_graph import __version__
from code_review_graph.config import Settings, load_settings
from code_review_graph.errors import CodeReviewGraphError
from code_review_graph.results import Check, CheckState, DoctorReport
from code_review_graph.store import Store

_BUNDLED: Final = "static"
_PACKAGES: Final = ("apsw", "tree-sitter", "sqlite-vec", "watchfiles", "mcp")
_BUILD: Final = "Run `code-review-graph build`."
_UPDATE: Final = "Run `code-review-graph update`."

Found = tuple[CheckState, str, str]  # state, what was found, what to do


def doctor(store: Store, *, online: bool = False) -> DoctorReport:
    """Check Python and packages, settings, repository, database, lock, freshness, grammars, embeddings and watching.

    Only with ``online`` is an embedding provider asked that is reached over the network.
    """
    checks: dict[str, Callable[[], Found]] = {
        "python": _python,
        "settings": lambda: _settings(store),
        "repository": lambda: _repository(store),
        "database": lambda: _database(store),
        "lock": lambda: _lock(store),
        "freshness": lambda: _freshness(store),
        "grammars": _grammars,
        "embeddings": lambda: _embeddings(store, online=online),
        "vector extension": _extension,
        "watching": _watching,
        "leftovers": lambda: _leftovers(store),
    }
    done = tuple(_checked(name, check) for name, check in checks.items())
    healthy = all(check.state is not CheckState.PROBLEM for check in done)
    return DoctorReport(repository=str(store.repo_path), healthy=healthy, checks=done)


def _checked(name: str, check: Callable[[], Found]) -> Check:
    try:
        state, found, advice = check()
    except CodeReviewGraphError as error:
        state, found, advice = CheckState.PROBLEM, error.message, error.hint
    except Exception as error:  # noqa: BLE001 - whatever is wrong here, the other checks are worth having
        state, found, advice = CheckState.PROBLEM, f"{type(error).__name__}: {error}", "Please report this."
    return Check(name=name, state=state, found=found, advice=advice)


def _ok(found: str) -> Found:
    return CheckState.OK, found, ""


def _python() -> Found:
    return _ok(f"code-review-graph {__version__}, Python {platform.python_version()}, {', '.join(_versions())}")


def _versions() -> Iterator[str]:
    for name in _PACKAGES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield f"no {name}"


def _settings(store: Store) -> Found:
    settings = load_settings(store.repo_path)
    given = settings.model_dump(exclude_defaults=True, exclude={"openai_api_key"}, mode="json")
    said = ", ".join(f"{name} = {value}" for name, value in given.items())
    return _ok(said or "all as by default")


def _repository(store: Store) -> Found:
    from code_review_graph.walking import git_commit  # noqa: PLC0415 - as below: only who checks loads it

    root = store.repo_path
    commit = git_commit(root)
    said = f"{root}, {f'at commit {commit[:12]}' if commit else 'not under git, or without a commit'}"
    if not os.access(root, os.W_OK):
        return CheckState.WARNING, f"{said}; it cannot be written", "The index is kept in the cache folder."
    return _ok(said)


def _database(store: Store) -> Found:
    if not store.path.exists():
        return CheckState.WARNING, f"{store.path} does not exist", _BUILD
    if not store.path.is_file():
        return CheckState.PROBLEM, f"{store.path} is no file", "Move it away, then build."
    size = f"{store.path.stat().st_size / 1e6:.1f} MB"
    if not store.has_graph():
        return CheckState.WARNING, f"{store.path} ({size}) holds no graph yet", _BUILD
    faults = store.faults()
    if faults:
        return CheckState.PROBLEM, f"{store.path} is damaged: {'; '.join(faults)}", _BUILD
    info, counts = store.info(), store.counts()
    why = f", where it is since {store.place_reason}" if store.place_reason else ""
    said = f"{store.path}{why} ({size}): {counts.files} files, {sum(counts.nodes.values())} nodes, sound"
    if store.made_elsewhere():
        return CheckState.WARNING, f"{said}; it was made elsewhere, so an update makes it anew", _BUILD
    return _ok(f"{said}, made {info.built_at} by version {info.version}" if info else said)


def _lock(store: Store) -> Found:
    holder = store.holder()
    if holder is None:
        return _ok("nobody is writing")
    return CheckState.WARNING, f"process {holder} is writing the index", "Wait for it, or end it: nothing is lost."


def _freshness(store: Store) -> Found:
    if not store.path.is_file() or not store.has_graph():
        return CheckState.WARNING, "there is no index to be fresh", _BUILD
    from code_review_graph.indexing import pending  # noqa: PLC0415 - loads the parser

    found = pending(store)
    if found.files:
        return CheckState.WARNING, f"{found.files} files changed since the index was made", _UPDATE
    if found.unfinished:
        return CheckState.WARNING, "an update was interrupted, or the index was made by another version", _UPDATE
    return _ok("the index is as the files are")


def _grammars() -> Found:
    from code_review_graph.languages import LANGUAGES  # noqa: PLC0415
    from code_review_graph.parsing import parse_source  # noqa: PLC0415

    broken: list[str] = []
    for language in LANGUAGES:
        try:
            parse_source(f"check{language.extensions[0]}", b"\n")
        except Exception as error:  # noqa: BLE001 - a grammar that does not load shows itself in many ways
            broken.append(f"{language.name} ({error})")
    if broken:
        return CheckState.PROBLEM, f"cannot parse {', '.join(broken)}", "Install code-review-graph again."
    return _ok(", ".join(language.name for language in LANGUAGES))


def _embeddings(store: Store, *, online: bool) -> Found:
    settings = load_settings(store.repo_path)
    if settings.embedding_provider != _BUNDLED and not online:
        return _ok(f"provider {settings.embedding_provider} is configured; `--online` tries it")
    said = _embedded(settings)
    missing = store.vectors_missing() if store.path.is_file() and store.has_graph() else 0
    if missing:
        return CheckState.WARNING, f"{said}; {missing} definitions have no embedding", "Run `code-review-graph embed`."
    return _ok(said)


def _embedded(settings: Settings) -> str:
    from code_review_graph.embedding import load_embedder  # noqa: PLC0415 - loads megabytes

    embedder = load_embedder()
    rows = embedder.embed_documents(["def check(): pass"])
    model = embedder.model
    if rows.shape != (1, model.dimensions):
        raise ValueError(f"{settings.embedding_provider} gives vectors of shape {rows.shape}")
    return f"{model.provider} {model.model}, {model.dimensions} dimensions"


def _extension() -> Found:
    from code_review_graph.store.nearest import sqlite_vec_version  # noqa: PLC0415 - loads numpy

    found = sqlite_vec_version()
    if found is None:
        return (
            CheckState.WARNING,
            "sqlite-vec cannot be loaded; vectors are compared with numpy, with equal results",
            "",
        )
    return _ok(f"sqlite-vec {found}")


def _watching() -> Found:
    try:
        import watchfiles  # noqa: PLC0415 - a platform may lack it
    except ImportError as error:
        return CheckState.WARNING, f"watchfiles cannot be loaded ({error}); files are looked through instead", ""
    limit = Path("/proc/sys/fs/inotify/max_user_watches")
    watches = f", {limit.read_text(encoding='ascii').strip()} watches allowed" if limit.exists() else ""
    return _ok(f"watchfiles {watchfiles.VERSION}{watches}")


def _leftovers(store: Store) -> Found:
    found = store.leftovers()
    if not found:
        return _ok("none")
    names = ", ".join(path.name for path in found)
    return (
        CheckState.WARNING,
        f"{names} in {store.path.parent}",
        "Kept for you; delete them when you need them no more.",
    )
