"""YAML that remembers on which line each value stands, so that errors can point at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

from code_review_graph.errors import EvaluationError

Place = tuple[str | int, ...]
MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LinedYaml:
    """The value of a YAML file and the 1-based line of every place in it."""

    path: Path
    value: object
    lines: Mapping[Place, int]

    def line_of(self, place: Place) -> int:
        """The line of ``place``, or of the nearest enclosing place that exists."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read_yaml(path: Path) -> LinedYaml:
    """Read one file with the safe loader; raises EvaluationError with file and line."""
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_BYTES:
            raise EvaluationError(f"{path}: a task file of {len(raw)} bytes is larger than {MAX_BYTES}.")
        text = raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}") from error
    try:
        return _compose(path, text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise EvaluationError(f"{path}:{line}: {error.problem or error.context}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise EvaluationError(f"{path}: not YAML that can be read: {error}") from error


def _compose(path: Path, text: str) -> LinedYaml:
    loader = yaml.SafeLoader(text)
    construct = cast("Callable[[yaml.Node], object]", loader.construct_document)  # pyright: ignore[reportUnknownMemberType]
    try:
        node = loader.get_single_node()
        if node is None:
            raise EvaluationError(f"{path}:1: the file is empty.")
        lines: dict[Place, int] = {}
        _note_lines(path, node, (), lines, ())
        return LinedYaml(path, construct(node), lines)
    finally:
        loader.dispose()


def _note_lines(
    path: Path, node: yaml.Node, place: Place, lines: dict[Place, int], enclosing: tuple[yaml.Node, ...]
) -> None:
    if node in enclosing:
        raise EvaluationError(f"{path}:{node.start_mark.line + 1}: a value that contains itself.")
    lines.setdefault(place, node.start_mark.line + 1)
    inside = (*enclosing, node)
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _note_lines(path, item, (*place, index), lines, inside)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            line = key.start_mark.line + 1
            if (*place, key.value) in lines:
                raise EvaluationError(f"{path}:{line}: the key {key.value!r} stands twice.")
            lines[*place, str(key.value)] = line
            _note_lines(path, value, (*place, str(key.value)), lines, inside)
