"""Runs benchmarks: picks the task files of a checkout, opens its index, and lets each benchmark answer its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from code_review_graph import __version__, indexing
from code_review_graph.embedding import Embedder, embed_nodes, load_embedder
from code_review_graph.errors import EvaluationError
from code_review_graph.eval.benchmark import Benchmark, Workbench
from code_review_graph.eval.checkouts import Checkout, fetch_pinned, inspect_checkout
from code_review_graph.eval.config import CONFIGS, TaskFile, find_task_files, load_task_file, task_file_of
from code_review_graph.eval.registry import find_benchmark
from code_review_graph.eval.report import BenchmarkRun, summarise
from code_review_graph.progress import Progress, silent
from code_review_graph.store import Store


@dataclass(frozen=True, slots=True)
class EvalRequest:
    """What to run. Without ``repo``, every task file is run on a fetched checkout, which ``clone`` must allow."""

    benchmarks: tuple[str, ...] = ("multi_hop",)
    repo: Path | None = None
    configs: Path | None = None
    clone: bool = False
    build: bool = False
    cache: Path | None = None


class BenchmarkRunner:
    """Runs what a request selects, or one benchmark of one configuration on an open store."""

    def __call__(self, request: EvalRequest, progress: Progress = silent) -> list[BenchmarkRun]:
        """One run for each benchmark and task file that has tasks for it.

        Raises EvaluationError when nothing can be run, and whatever makes an index unusable.
        """
        benchmarks = list({b.name: b for b in map(find_benchmark, request.benchmarks)}.values())
        runs: list[BenchmarkRun] = []
        for repo, task_file in _selected(request):
            wanted = [benchmark for benchmark in benchmarks if task_file.tasks_for(benchmark)]
            if wanted:
                with _indexed(repo, task_file, progress, build=request.build) as store:
                    runs += [self.run(benchmark, repo, store, task_file, progress) for benchmark in wanted]
        if not runs:
            names = ", ".join(benchmark.name for benchmark in benchmarks)
            raise EvaluationError(f"The selected task files hold no tasks for {names}.")
        return runs

    def run_multi_hop(
        self, repo_path: str | Path, store: Store, config: Mapping[str, object], progress: Progress = silent
    ) -> BenchmarkRun:
        """Run the ``multi_hop_tasks`` of one configuration on an open, embedded index.

        Raises EvaluationError for a faulty configuration, NoGraphError, NoEmbeddingsError and ModelMismatchError
        for an index that cannot answer.
        """
        return self.run(find_benchmark("multi_hop"), Path(repo_path), store, task_file_of(config), progress)

    def run(
        self,
        benchmark: Benchmark[Any, Any],
        repo_path: Path,
        store: Store,
        task_file: TaskFile,
        progress: Progress = silent,
    ) -> BenchmarkRun:
        """Run one benchmark with the tasks of one file on an open store."""
        header = task_file.header
        bench = Workbench(header.name, repo_path, store, header.embedding_provider, header.embedding_model)
        rows = benchmark.run(bench, task_file.tasks_for(benchmark), progress)
        checkout = inspect_checkout(repo_path)
        model = store.embedding_model()
        return BenchmarkRun(
            benchmark=benchmark.name,
            repository=header.name,
            commit=checkout.commit,
            pinned_commit=header.commit,
            version=__version__,
            embedding_model=f"{model.provider}/{model.model}" if model else None,
            summary=summarise(rows, benchmark.measures(rows)),
            notices=tuple(_notices(checkout, store, header.commit)),
            rows=tuple(rows),
        )


run_benchmarks = BenchmarkRunner()


def task_files(configs: Path | None) -> tuple[list[TaskFile], list[TaskFile]]:
    """The user's task files and the bundled ones; a bundled file of the same name gives way."""
    own = [load_task_file(path) for path in find_task_files(configs)] if configs else []
    names = {task_file.header.name.casefold() for task_file in own}
    bundled = [load_task_file(path) for path in find_task_files(CONFIGS)]
    return own, [task_file for task_file in bundled if task_file.header.name.casefold() not in names]


def choose_task_files(checkout: Checkout, configs: Path | None) -> list[TaskFile]:
    """The task files that are about a checkout, by git remote or folder name.

    Of the user's files where none names the checkout, those that name no URL apply, and if nothing else does, all of
    them. Raises EvaluationError if nothing applies.
    """
    own, bundled = task_files(configs)
    named = [file for file in own if _is_about(file, checkout)]
    chosen = named or [file for file in own if file.header.url is None]
    chosen += [file for file in bundled if _is_about(file, checkout)]
    if chosen or own:
        return chosen or own
    known = ", ".join(file.header.name for file in bundled)
    raise EvaluationError(
        f"No task file is about {checkout.path} (by git remote or folder name).",
        hint=f"Write one (eval/README.md) and pass its folder with --configs. Bundled: {known}.",
    )


def _is_about(task_file: TaskFile, checkout: Checkout) -> bool:
    return checkout.is_of(task_file.header.name, task_file.header.url)


def _selected(request: EvalRequest) -> Iterator[tuple[Path, TaskFile]]:
    if request.repo is not None:
        if not request.repo.is_dir():
            raise EvaluationError(f"{request.repo} is not a folder.", hint="--repo takes a checkout.")
        for task_file in choose_task_files(inspect_checkout(request.repo), request.configs):
            yield request.repo, task_file
        return
    if not request.clone:
        raise EvaluationError("No checkout to run on.", hint="Pass --repo PATH, or --clone to fetch pinned commits.")
    own, bundled = task_files(request.configs)
    for task_file in own or bundled:
        header = task_file.header
        yield fetch_pinned(header.name, header.url, header.commit, request.cache), task_file


@contextmanager
def _indexed(repo: Path, task_file: TaskFile, progress: Progress, *, build: bool) -> Iterator[Store]:
    """An open store of a checkout; with ``build``, graph and vectors are made where they are missing."""
    with Store(repo) as store:
        if build and not store.has_graph():
            indexing.build(store, embedder=_embedder(task_file), progress=progress)
        elif build and not store.vector_count():
            embed_nodes(store, _embedder(task_file), progress)
        yield store


def _embedder(task_file: TaskFile) -> Embedder:
    return load_embedder(task_file.header.embedding_provider, task_file.header.embedding_model)


def _notices(checkout: Checkout, store: Store, pinned: str | None) -> Iterator[str]:
    """What a reader of the figures must know: another commit, local changes, an index that is behind."""
    if pinned and not (checkout.commit or "").startswith(pinned.lower()):
        at = checkout.commit[:12] if checkout.commit else "no commit"
        yield f"The tasks are pinned to {pinned[:12]}, but the checkout is at {at}: expected names may not hold."
    if checkout.changed:
        yield "The checkout has local changes."
    info = store.info()
    if info and info.commit and checkout.commit and info.commit != checkout.commit:
        yield f"The index was built at {info.commit[:12]}, the checkout is at {checkout.commit[:12]}: update it."
    if missing := store.vectors_missing():
        yield f"{missing} definitions have no embedding yet: run `code-review-graph embed`."


def names_of(benchmarks: Sequence[str]) -> tuple[str, ...]:
    """Benchmark names from command-line values, each of which may list several between commas."""
    return tuple(name for value in benchmarks for part in value.split(",") if (name := part.strip()))
