"""Runs of benchmarks, and how they are written: table, JSON, CSV; files named by benchmark, repository and commit."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

from pydantic import Field, SerializeAsAny, TypeAdapter
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from code_review_graph.errors import EvaluationError
from code_review_graph.eval.benchmark import Row, mean
from code_review_graph.results import Result

TEXT_WIDTH = 160
_RUN_COLUMNS = ("benchmark", "repository", "commit", "version", "embedding_model")


class Summary(Result):
    """Means over the rows of one run; ``strict_mean`` counts a failed task as 0, ``scored_mean`` leaves it out."""

    tasks: int
    errors: int
    strict_mean: float | None
    scored_mean: float | None
    measures: dict[str, float | None] = Field(default_factory=dict, description="The benchmark's own means.")


class BenchmarkRun(Result):
    """The rows of one benchmark on one repository, and what they were measured on.

    Iterating, indexing and ``len()`` give the rows; ``str()`` is a readable table.
    """

    benchmark: str
    repository: str
    commit: str | None = None
    pinned_commit: str | None = None
    version: str
    embedding_model: str | None = None
    summary: Summary
    notices: tuple[str, ...] = ()
    rows: tuple[SerializeAsAny[Row], ...] = ()

    def __iter__(self) -> Iterator[Row]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        """The rows, in the order of the tasks."""
        return iter(self.rows)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def __getitem__(self, index: int) -> Row:
        """One row."""
        return self.rows[index]

    def __str__(self) -> str:
        """The run as a plain text table."""
        return as_text([self])


def summarise(rows: Sequence[Row], measures: dict[str, float | None]) -> Summary:
    """Count the rows and average their scores with and without the failed ones."""
    return Summary(
        tasks=len(rows),
        errors=sum(row.error is not None for row in rows),
        strict_mean=mean([0.0 if row.error else row.score for row in rows]),
        scored_mean=mean([row.score for row in rows if row.error is None]),
        measures=measures,
    )


def as_table(runs: Iterable[BenchmarkRun]) -> RenderableType:
    """A rich table for each run, with its notices and means below."""
    return Group(*(part for run in runs for part in _run_table(run)))


def as_text(runs: Iterable[BenchmarkRun], width: int = TEXT_WIDTH) -> str:
    """The same tables as plain text."""
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None, force_terminal=False).print(as_table(runs))
    return stream.getvalue().rstrip()


def as_json(runs: Sequence[BenchmarkRun]) -> str:
    """A JSON array with one object a run."""
    return TypeAdapter(list[BenchmarkRun]).dump_json(list(runs), indent=2).decode()


def as_csv(run: BenchmarkRun) -> str:
    """One line a row; lists are JSON in their cell."""
    columns = [*_RUN_COLUMNS, *(name for name in _row_columns(run.rows) if name not in _RUN_COLUMNS)]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    about = run.model_dump(mode="json", include=set(_RUN_COLUMNS))
    for row in run.rows:
        cells = about | row.model_dump(mode="json")
        writer.writerow({name: _csv_cell(cells[name]) for name in columns})
    return stream.getvalue()


def write_files(runs: Iterable[BenchmarkRun], folder: Path) -> list[Path]:
    """Write ``<benchmark>-<repository>-<commit>`` as .csv and .json; returns the paths.

    Raises :class:`EvaluationError` where a link stands in the way: a repository may have planted it.
    """
    _refuse_link(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for run in runs:
        parts = (run.benchmark, run.repository, run.commit[:12] if run.commit else "uncommitted")
        stem = "-".join(re.sub(r"[^\w.-]+", "-", part) for part in parts)
        for suffix, text in ((".csv", as_csv(run)), (".json", run.model_dump_json(indent=2) + "\n")):
            path = folder / (stem + suffix)
            _refuse_link(path)
            path.write_text(text, encoding="utf-8")
            written.append(path)
    return written


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise EvaluationError(f"{path} is a link; nothing was written.", hint="Remove it, or give another --output.")


def _run_table(run: BenchmarkRun) -> list[RenderableType]:
    commit = f" at {run.commit[:12]}" if run.commit else ""
    table = Table(title=f"{run.benchmark}: {run.repository}{commit}", title_justify="left", title_style="bold")
    for name in (columns := _shown_columns(run.rows)):
        number = all(isinstance(getattr(row, name), int | float | None) for row in run.rows)
        table.add_column(name.replace("_", " "), justify="right" if number else "left", overflow="fold")
    table.add_column("remark", ratio=1, overflow="fold")
    for row in run.rows:
        cells = [*(_cell(getattr(row, name)) for name in columns), row.remark()]
        table.add_row(*map(Text, cells), style="red" if row.error else None)
    return [table, Text(_means(run)), *(Text(f"! {notice}", style="yellow") for notice in run.notices)]


def _shown_columns(rows: Sequence[Row]) -> list[str]:
    """The row model's columns; those that say something only now and then are left out while empty."""
    names = rows[0].COLUMNS if rows else Row.COLUMNS
    return [name for name in names if any(_cell(getattr(row, name)) for row in rows)]


def _means(run: BenchmarkRun) -> str:
    summary = run.summary
    parts = [f"{summary.tasks} tasks", f"{summary.errors} errors", f"mean score {_cell(summary.strict_mean)}"]
    if summary.errors:
        parts.append(f"of those without error {_cell(summary.scored_mean)}")
    parts += [f"{name} {_cell(value)}" for name, value in summary.measures.items() if value is not None]
    return ", ".join(parts)


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3f}"
        case tuple():
            return ", ".join(map(str, cast("tuple[object, ...]", value)))
        case _:
            return str(value)


def _csv_cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def _row_columns(rows: Sequence[Row]) -> list[str]:
    model = type(rows[0]) if rows else Row
    return list(model.model_fields)
