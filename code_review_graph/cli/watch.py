"""The command ``watch``: updates as files change, one line each, until it is interrupted."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from types import FrameType

import typer

from code_review_graph.cli.output import INTERRUPTED, progress_bar
from code_review_graph.progress import Progress
from code_review_graph.results import BuildReport
from code_review_graph.store import Store
from code_review_graph.tools import build_or_update_graph
from code_review_graph.tools.text import counted
from code_review_graph.watching import Keeper


class _Terminated(BaseException):
    """Raised in the main thread when the process is asked to end."""


def watch_repository(store: Store, *, embed: bool, as_json: bool) -> None:
    """Bring the index up to date, then again whenever files change; each update is a line on stdout.

    Raises RepositoryError when the repository's folder goes, and what makes the first update impossible.
    """

    def update(progress: Progress) -> BuildReport:
        with progress_bar() as shown:

            def both(stage: str, done: int, total: int, /) -> None:
                progress(stage, done, total)
                shown(stage, done, total)

            return build_or_update_graph(store, embed=embed, progress=both)

    def report(done: BuildReport) -> None:
        typer.echo(done.model_dump_json() if as_json else _line(done))

    typer.echo(f"Watching {store.repo_path}; Ctrl-C ends it.", err=True)
    try:
        with _terminated_by_signal():
            Keeper(store, update, report=report).run()
    except KeyboardInterrupt:
        typer.echo("Stopped; the index is as the last update left it.", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except _Terminated:
        raise typer.Exit from None


def _line(done: BuildReport) -> str:
    embedded = f", {done.embedded} embedded" if done.embedded else ""
    missing = f", {done.vectors_missing} without embedding" if done.vectors_missing else ""
    return (
        f"{datetime.now().astimezone():%H:%M:%S} {counted(done.parsed, 'file')} read, {done.removed} removed in "
        f"{done.seconds:.2f} s: {done.nodes} nodes, {done.edges} edges{embedded}{missing}"
    )


@contextmanager
def _terminated_by_signal() -> Iterator[None]:
    def end(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise _Terminated

    previous = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
