"""The index flow: walk, parse what changed, resolve all, replace the graph at once, embed."""

from __future__ import annotations

import gc
import hashlib
import time
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from code_review_graph import __version__
from code_review_graph.config import Settings, load_settings
from code_review_graph.errors import CorruptIndexError, SchemaError
from code_review_graph.languages import is_config_file
from code_review_graph.model import Diagnostic, Graph
from code_review_graph.parsing import language_name, rules_version
from code_review_graph.progress import Progress, silent
from code_review_graph.resolving import resolve_all
from code_review_graph.resolving.context import RepositoryContext
from code_review_graph.results import BuildReport
from code_review_graph.store import FileRecord, IndexInfo, Store, StoredFile
from code_review_graph.updating import FEWEST_FILES, Done, Inputs, fits, update_in_part
from code_review_graph.walking import SourceFile, Walk, check_repository, find_files, git_commit, read_source
from code_review_graph.workers import Task, parse_files, parse_needed

if TYPE_CHECKING:
    from code_review_graph.embedding import Embedder

# Stages, as progress is told.
WALK: Final = "walk"
PARSE: Final = "parse"
STORE: Final = "store"

# What is saved at once, and so what an interruption costs at most.
_BATCH_FILES: Final = 512
_SHOWN_DIAGNOSTICS: Final = 50


def build(
    store: Store,
    *,
    full: bool = True,
    embedder: Embedder | None = None,
    progress: Progress = silent,
    settings: Settings | None = None,
) -> BuildReport:
    """Index the repository; with ``full`` every file is parsed again, unless an earlier first build was interrupted.

    An index that is damaged, or that a newer version wrote, is set aside and made anew. ``progress`` may raise to
    interrupt: the previous graph stays as it was. Raises RepositoryError, LockedError and ForeignDatabaseError.
    """
    check_repository(store.repo_path)
    with store.writing():
        try:
            store.info()
        except SchemaError:
            store.set_aside("other-schema")
        return _indexed(store, _Run(store, embedder, progress, settings or load_settings(store.repo_path), full=full))


def update(
    store: Store,
    *,
    embedder: Embedder | None = None,
    progress: Progress = silent,
    settings: Settings | None = None,
    fewest_files: int = FEWEST_FILES,
) -> BuildReport:
    """Bring the index up to date with the files as they are now, committed or not; builds it where there is none.

    In a repository of ``fewest_files`` or more, a small change costs what it can reach, not what the repository holds.
    Raises SchemaError for an index that a newer version wrote, and what ``build`` raises.
    """
    check_repository(store.repo_path)
    with store.writing():
        run = _Run(store, embedder, progress, settings or load_settings(store.repo_path), fewest_files=fewest_files)
        return _indexed(store, run)


@dataclass(slots=True)
class _Run:
    store: Store
    embedder: Embedder | None
    progress: Progress
    settings: Settings
    full: bool = False
    fewest_files: int = FEWEST_FILES
    started: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class _Changes:
    """What differs between the files and the facts."""

    tasks: list[Task]
    removed: list[str]


def _indexed(store: Store, run: _Run) -> BuildReport:
    try:
        if store.made_elsewhere():
            # Nothing in it can be trusted to be what it says.
            store.set_aside("elsewhere")
        return _index(run)
    except CorruptIndexError:
        store.set_aside("damaged")
        return _index(run)


def _index(run: _Run) -> BuildReport:
    store = run.store
    run.progress(WALK, 0, 0)
    walk = find_files(store.repo_path, _is_wanted, run.settings)
    sources = [file for file in walk.files if language_name(file.path) is not None]
    changes = _changes(sources, store.file_records(), trust=not run.full or not store.has_graph(), full=run.full)
    run.progress(WALK, len(sources), len(sources))
    inputs = _inputs(run, walk)
    done = _update_in_part(run, changes, inputs) or _update_whole(run, changes, inputs)
    _note_skipped(store, walk)
    embedded = _embed(run)
    return _report(run, len(sources), done, len(changes.removed), embedded)


def changed_files(store: Store, settings: Settings | None = None) -> int:
    """How many files of the repository differ from what was indexed: changed, added, or gone."""
    return pending(store, settings).files


class Pending(NamedTuple):
    """What an update would find: how many files differ, and whether the graph lags behind what is known of them."""

    files: int
    unfinished: bool

    def __bool__(self) -> bool:
        """Whether there is anything to do."""
        return self.files > 0 or self.unfinished


def pending(store: Store, settings: Settings | None = None) -> Pending:
    """What has changed since the index was made; costs a walk, and reads only files whose size or time differs."""
    run = _Run(store, None, silent, settings or load_settings(store.repo_path))
    walk = find_files(store.repo_path, _is_wanted, run.settings)
    sources = [file for file in walk.files if language_name(file.path) is not None]
    changes = _changes(sources, store.file_records(), trust=True, full=False)
    files = sum(_differs(store, task) for task in changes.tasks) + len(changes.removed)
    info, unfinished = store.info(), not store.graph_is_current()
    if info is not None and info.inputs and info.inputs != _digest(_config_files(run, walk)):
        # Files that say how the repository is laid out are known by one digest of them all, and of our version.
        files += info.version == __version__
        unfinished |= info.version != __version__
    return Pending(files, unfinished)


def _differs(store: Store, task: Task) -> bool:
    return task.known_hash is None or parse_needed(store.repo_path, task)


def _is_wanted(path: str) -> bool:
    return language_name(path) is not None or is_config_file(path)


def _changes(files: list[SourceFile], records: Mapping[str, FileRecord], *, trust: bool, full: bool) -> _Changes:
    """Files to parse. Without ``trust`` all; with ``full`` contents are compared, whatever sizes and times say."""
    tasks: list[Task] = []
    for file in files:
        record = records.get(file.path) if trust else None
        if record is None or record.rules_version != rules_version(file.path):
            tasks.append(Task(file))
        elif full or (record.size, record.mtime_ns) != (file.size, file.mtime_ns):
            tasks.append(Task(file, record.content_hash or None))
    present = {file.path for file in files}
    return _Changes(tasks, [path for path in records if path not in present])


def _parse(run: _Run, tasks: list[Task]) -> int:
    """Parse and save in batches; returns how many files had changed."""
    parsed = done = 0
    pending: list[StoredFile] = []
    touched: list[FileRecord] = []
    run.progress(PARSE, 0, len(tasks))
    with closing(parse_files(run.store.repo_path, tasks, run.settings.workers)) as chunks:
        for chunk in chunks:
            done += len(chunk)
            touched += [outcome.stored.record for outcome in chunk if outcome.unchanged]
            pending += [outcome.stored for outcome in chunk if not outcome.unchanged]
            if len(pending) >= _BATCH_FILES:
                run.store.save_files(pending)
                parsed += len(pending)
                pending = []
            run.progress(PARSE, done, len(tasks))
    if pending:
        run.store.save_files(pending)
    if touched:
        run.store.touch_files(touched)
    return parsed + len(pending)


def _note_skipped(store: Store, walk: Walk) -> None:
    if walk.skipped != store.skipped():
        store.replace_skipped(walk.skipped)


def _config_files(run: _Run, walk: Walk) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for file in walk.files:
        if is_config_file(file.path):
            content = read_source(run.store.repo_path, file.path)
            if isinstance(content, bytes):
                found[file.path] = content
    return found


def _inputs(run: _Run, walk: Walk) -> Inputs:
    config_files = _config_files(run, walk)
    info = IndexInfo(
        commit=git_commit(run.store.repo_path),
        built_at=datetime.now(UTC).isoformat(timespec="seconds"),
        version=__version__,
        inputs=_digest(config_files),
    )
    return Inputs(config_files, info)


def _update_in_part(run: _Run, changes: _Changes, inputs: Inputs) -> Done | None:
    """Resolve no more than a small change can reach; None when it is none."""
    if run.full or not fits(run.store, changes.tasks, changes.removed, inputs, run.fewest_files):
        return None
    run.progress(PARSE, 0, len(changes.tasks))
    with collector_paused():
        done = update_in_part(run.store, changes.tasks, changes.removed, inputs)
    if done is not None:
        run.progress(PARSE, len(changes.tasks), len(changes.tasks))
        _note_commit(run.store, inputs.info)
    return done


def _update_whole(run: _Run, changes: _Changes, inputs: Inputs) -> Done:
    parsed = _parse(run, changes.tasks)
    if changes.removed:
        run.store.remove_files(changes.removed)
    return Done(parsed, _resolve(run, inputs))


def _note_commit(store: Store, info: IndexInfo) -> None:
    known = store.info()
    if known is not None and known.commit != info.commit:
        store.save_info(info)


def _resolve(run: _Run, inputs: Inputs) -> int:
    """Make the graph anew if anything that it is made of has changed; of how many files."""
    store, info = run.store, inputs.info
    known = store.info()
    if not run.full and known is not None and known.inputs == info.inputs and store.graph_is_current():
        _note_commit(store, info)
        return 0
    with collector_paused():
        _make_graph(run, inputs)
    return store.counts().files


def _make_graph(run: _Run, inputs: Inputs) -> None:
    # A function of its own, so that the graph is gone before the collector looks at all there is.
    store = run.store
    graph, kept = resolve_all(store.facts(), RepositoryContext(inputs.config_files), run.progress, store.file_ids())
    run.progress(STORE, 0, len(graph.nodes))
    store.replace_graph(graph, inputs.info, _text_hashes(store, graph), kept)
    run.progress(STORE, len(graph.nodes), len(graph.nodes))


def _text_hashes(store: Store, graph: Graph) -> list[bytes]:
    """What tells which of the stored vectors are those of the new nodes; nothing when there are none."""
    model = store.embedding_model()
    if model is None:
        return []
    from code_review_graph.embedding import text_hashes  # noqa: PLC0415 - builds without vectors do not need it

    return text_hashes(model, graph.nodes)


def _digest(config_files: dict[str, bytes]) -> str:
    digest = hashlib.blake2b(__version__.encode(), digest_size=16)
    for path, content in sorted(config_files.items()):
        digest.update(f"\0{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


@contextmanager
def collector_paused() -> Generator[None]:
    """Keep the garbage collector out."""
    # Resolving makes a million objects that all live: to look through them for cycles is vain and dear.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _embed(run: _Run) -> int:
    if run.embedder is None or not run.store.vectors_missing():
        return 0
    from code_review_graph.embedding import embed_nodes  # noqa: PLC0415 - builds without vectors do not need it

    return embed_nodes(run.store, run.embedder, run.progress)


def _report(run: _Run, files: int, done: Done, removed: int, embedded: int) -> BuildReport:
    store = run.store
    counts = store.counts()
    return BuildReport(
        repository=str(store.repo_path),
        full=run.full,
        files=files,
        parsed=done.parsed,
        removed=removed,
        resolved=done.resolved,
        nodes=sum(counts.nodes.values()),
        edges=sum(counts.edges.values()),
        references=sum(counts.references.values()),
        embedded=embedded,
        vectors_missing=store.vectors_missing(),
        diagnostics=_shown(store.diagnostics()),
        seconds=round(time.monotonic() - run.started, 3),
    )


def _shown(diagnostics: list[Diagnostic]) -> tuple[str, ...]:
    lines = [
        f"{entry.path}{'' if entry.line is None else f':{entry.line}'}: {entry.message}"
        for entry in diagnostics[:_SHOWN_DIAGNOSTICS]
    ]
    more = len(diagnostics) - len(lines)
    return (*lines, f"and {more} more") if more > 0 else tuple(lines)
