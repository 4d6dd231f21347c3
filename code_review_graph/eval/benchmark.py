"""What every benchmark is made of: a task model, a row model, and a run over one repository."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from code_review_graph.progress import Progress
from code_review_graph.results import Result
from code_review_graph.store import Store


class Task(BaseModel):
    """One question of a task file; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    id: str = Field(min_length=1, description="Unique within its file.")


class Row(Result):
    """What one task gave. ``score`` lies in 0..1; a tool that raised leaves ``error`` and scores 0."""

    COLUMNS: ClassVar[tuple[str, ...]] = ("task_id", "score")

    repository: str
    task_id: str
    score: float
    error: str | None = None
    seconds: float = 0.0

    def remark(self) -> str:
        """What a reader of the table should know beside the measures: at least the error."""
        return self.error or ""


@dataclass(frozen=True, slots=True)
class Workbench:
    """What a benchmark may use: a checkout, its index, and the model that a task file asks for."""

    repository: str
    repo_path: Path
    store: Store
    embedding_provider: str | None = None
    embedding_model: str | None = None


TaskT = TypeVar("TaskT", bound=Task)
RowT = TypeVar("RowT", bound=Row)


@dataclass(frozen=True, slots=True)
class Benchmark(Generic[TaskT, RowT]):
    """One benchmark. ``section`` is the key of a task file under which its tasks stand.

    ``run`` answers every task in order; it raises only for what makes the whole run meaningless.
    """

    name: str
    aliases: tuple[str, ...]
    explanation: str
    section: str
    task: type[TaskT]
    row: type[RowT]
    run: Callable[[Workbench, Sequence[TaskT], Progress], list[RowT]]
    measures: Callable[[Sequence[RowT]], dict[str, float | None]]


def mean(values: Sequence[float]) -> float | None:
    """Arithmetic mean, or None of nothing."""
    return sum(values) / len(values) if values else None
