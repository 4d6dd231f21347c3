"""Task files: which repository, pinned at which commit, and the tasks of each benchmark.

A file's keys are those of ``TaskFileHeader`` and the sections of the registered benchmarks. Files of other systems
with the same tasks may carry further keys (``OTHER_KEYS``); these are accepted and left unread.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from code_review_graph.errors import EvaluationError
from code_review_graph.eval.benchmark import Benchmark, Task
from code_review_graph.eval.registry import BENCHMARKS
from code_review_graph.eval.yaml_lines import LinedYaml, Place, read_yaml

CONFIGS = Path(__file__).parent / "configs"
OTHER_KEYS = frozenset({"test_commits", "entry_points", "search_queries", "agent_questions", "size_category"})
SUFFIXES = (".yaml", ".yml")


class TaskFileHeader(BaseModel):
    """The repository that a task file is about, and the embeddings that it asks for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    url: str | None = None
    commit: str | None = Field(default=None, pattern=r"^[0-9a-fA-F]{7,64}$")
    language: str | None = None
    embedding_provider: str | None = Field(default=None, alias="_embedding_provider")
    embedding_model: str | None = Field(default=None, alias="_embedding_model")


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A validated task file; ``tasks`` are keyed by section. ``path`` is None for a dict given by a program."""

    header: TaskFileHeader
    tasks: Mapping[str, tuple[Task, ...]]
    path: Path | None = None

    def tasks_for(self, benchmark: Benchmark[Any, Any]) -> tuple[Task, ...]:
        """The tasks of one benchmark, in the file's order."""
        return self.tasks.get(benchmark.section, ())


def load_task_file(path: Path) -> TaskFile:
    """Read and validate one file; raises EvaluationError that names each fault with its line."""
    document = read_yaml(path)
    value: Any = document.value
    if not isinstance(value, dict):
        raise EvaluationError(f"{path}:1: a task file is a mapping with `name` and tasks.")
    return _validate(cast("dict[object, object]", value), document)


def task_file_of(config: Mapping[str, object]) -> TaskFile:
    """Validate a configuration given as a dict; raises EvaluationError."""
    return _validate(dict(config), None)


def find_task_files(place: Path) -> list[Path]:
    """The task files in a folder, by name; a file stands for itself. Raises EvaluationError if there is none."""
    if place.is_file():
        return [place]
    found = sorted(path for path in place.glob("*") if path.suffix in SUFFIXES) if place.is_dir() else []
    if not found:
        raise EvaluationError(f"{place} holds no task files (*.yaml).", hint="eval/README.md shows how to write one.")
    return found


def _validate(raw: Mapping[Any, object], document: LinedYaml | None) -> TaskFile:
    sections = {benchmark.section: benchmark.task for benchmark in BENCHMARKS}
    known = {str(key): value for key, value in raw.items() if key not in OTHER_KEYS}
    faults: list[str] = []
    header: TaskFileHeader | None = None
    try:
        header = TaskFileHeader.model_validate({key: value for key, value in known.items() if key not in sections})
    except ValidationError as error:
        allowed = (*_keys(TaskFileHeader), *sections, *OTHER_KEYS)
        faults += _faults(document, (), error, allowed)
    tasks: dict[str, tuple[Task, ...]] = {}
    for section, model in sections.items():
        if section in known:
            tasks[section], wrong = _validate_tasks(section, model, known[section], document)
            faults += wrong
    if header is None or faults:
        raise EvaluationError("\n".join(faults))
    return TaskFile(header, tasks, document.path if document else None)


def _validate_tasks(
    section: str, model: type[Task], raw: object, document: LinedYaml | None
) -> tuple[tuple[Task, ...], list[str]]:
    adapter: TypeAdapter[list[Task]] = TypeAdapter(list[model])  # type: ignore[valid-type]
    try:
        tasks = tuple(adapter.validate_python(raw or []))
    except ValidationError as error:
        return (), _faults(document, (section,), error, _keys(model))
    return tasks, list(_repeated_ids(section, tasks, document))


def _repeated_ids(section: str, tasks: Sequence[Task], document: LinedYaml | None) -> Iterable[str]:
    seen: set[str] = set()
    for index, task in enumerate(tasks):
        if task.id in seen:
            yield f"{_where(document, (section, index, 'id'))}the id {task.id!r} stands twice"
        seen.add(task.id)


def _keys(model: type[BaseModel]) -> tuple[str, ...]:
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _faults(document: LinedYaml | None, base: Place, error: ValidationError, allowed: Sequence[str]) -> list[str]:
    # A misspelt key comes before the missing one that it causes.
    details = sorted(error.errors(), key=lambda detail: detail["type"] != "extra_forbidden")
    return [_fault(document, base, detail, allowed) for detail in details]


def _fault(document: LinedYaml | None, base: Place, detail: ErrorDetails, allowed: Sequence[str]) -> str:
    place: Place = (*base, *detail["loc"])
    where = _where(document, place)
    if detail["type"] == "extra_forbidden":
        key = str(place[-1])
        nearest = difflib.get_close_matches(key, allowed, n=1)
        return f"{where}unknown key {key!r}" + (f"; did you mean {nearest[0]!r}?" if nearest else "")
    return f"{where}{_spelled(place)}: {detail['msg']}"


def _where(document: LinedYaml | None, place: Place) -> str:
    return f"{document.path}:{document.line_of(place)}: " if document else ""


def _spelled(place: Place) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".") or "the file"
