"""What commands print: results on stdout, everything else on stderr; and how they end when something fails."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from code_review_graph.errors import CodeReviewGraphError
from code_review_graph.progress import Progress, silent
from code_review_graph.results import Result
from code_review_graph.tools.text import as_text

FAILED = 1
NOT_ANSWERED = 3
INTERRUPTED = 130
_DEBUG = "CRG_DEBUG"


class Group(TyperGroup):
    """The commands, with every error turned into a message, a hint and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run one command."""
        for stream in (sys.stdout, sys.stderr):
            # Names in a repository may be in any script, the terminal may not.
            getattr(stream, "reconfigure", silent_reconfigure)(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except CodeReviewGraphError as error:
            complain(error.message, error.hint)
            raise typer.Exit(FAILED) from error
        except KeyboardInterrupt:
            complain("Interrupted.", "The previous index is as it was.")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader of our output has had enough; nothing must be flushed into the closed pipe at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(FAILED) from None
        except OSError as error:
            if os.environ.get(_DEBUG):
                raise
            where = f"{error.filename}: " if error.filename else ""
            complain(f"{where}{error.strerror or error}.", "Check that it exists, its permissions and the free space.")
            raise typer.Exit(FAILED) from error
        except Exception as error:
            if _is_usage(error) or os.environ.get(_DEBUG):
                raise
            complain(f"Unexpected {type(error).__name__}: {error}", f"Set {_DEBUG}=1 to see where it comes from.")
            raise typer.Exit(FAILED) from error


def silent_reconfigure(**_options: str) -> None:
    """Stand for the ``reconfigure`` that a replaced stream does not have."""


def _is_usage(error: Exception) -> bool:
    """Whether the command-line library itself speaks: exits and wrong usage."""
    return type(error).__module__.startswith(("click", "typer"))


def complain(message: str, hint: str) -> None:
    """Say on stderr what happened, and what to do."""
    typer.secho(f"Error: {message}", fg="red", err=True)
    if hint:
        typer.secho(hint, err=True)


def show(result: Result, *, as_json: bool) -> None:
    """Print a result on stdout."""
    typer.echo(result.model_dump_json(indent=2) if as_json else as_text(result))


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Progress on stderr while it is a terminal, silence otherwise."""
    # There is no stderr at all in a process that was started without one.
    if not (sys.stderr and sys.stderr.isatty()):
        yield silent
        return
    # Only a terminal needs the bar's library.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (TextColumn("{task.description:<12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int, /) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total or None)
            bar.update(tasks[stage], completed=done, total=total or None)

        yield report
