"""Settings, read and checked once.

What says where source text is sent, or which model is loaded, comes from the environment alone: a repository is
hostile text, and may only say which of its own files to leave out.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, cast

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from code_review_graph.errors import ConfigurationError

DEFAULT_MAX_FILE_BYTES: Final = 2 << 20
_LARGEST_FILE_BYTES: Final = 64 << 20

# Setting -> environment variables, the first that is set wins.
ENVIRONMENT: Final[Mapping[str, tuple[str, ...]]] = {
    "embedding_provider": ("CRG_EMBEDDING_PROVIDER",),
    "embedding_model": ("CRG_EMBEDDING_MODEL",),
    "openai_base_url": ("CRG_OPENAI_BASE_URL", "OPENAI_BASE_URL"),
    "openai_api_key": ("CRG_OPENAI_API_KEY", "OPENAI_API_KEY"),
    "max_file_bytes": ("CRG_MAX_FILE_BYTES",),
    "workers": ("CRG_WORKERS",),
    "freshness": ("CRG_FRESHNESS",),
    "update_wait": ("CRG_UPDATE_WAIT",),
    "index_folder": ("CRG_INDEX_FOLDER",),
}
# Keys of [tool.code-review-graph] in the repository's pyproject.toml.
REPOSITORY_KEYS: Final[Mapping[str, str]] = {"max-file-bytes": "max_file_bytes", "exclude": "exclude"}


class BeforeAnswer(StrEnum):
    """What is done before an answer about files that changed: the index updated, the lag said, or nothing at all."""

    UPDATE = "update"
    CHECK = "check"
    OFF = "off"


class Settings(BaseModel):
    """All settings. Sizes are in bytes; ``exclude`` are patterns as in a .gitignore, from the repository's root."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    embedding_provider: str = Field(default="static", pattern=r"^[a-z][a-z0-9-]*$")
    embedding_model: str | None = Field(default=None, min_length=1)
    openai_base_url: str | None = Field(default=None, pattern=r"^https?://")
    openai_api_key: SecretStr | None = None
    max_file_bytes: int = Field(default=DEFAULT_MAX_FILE_BYTES, ge=1, le=_LARGEST_FILE_BYTES)
    workers: int | None = Field(default=None, ge=1, le=256, description="Processes that parse; the CPUs by default.")
    freshness: BeforeAnswer | None = Field(default=None, description="Without, each surface does what suits it.")
    update_wait: float = Field(default=2.0, ge=0, le=300, description="Seconds that an answer waits for an update.")
    index_folder: Path | None = Field(default=None, description="Where indexes lie; in the repositories by default.")
    exclude: tuple[str, ...] = ()


def load_settings(repo_path: Path | None = None, environment: Mapping[str, str] = os.environ) -> Settings:
    """Defaults, then what the repository says, then the environment. Raises ConfigurationError."""
    values: dict[str, Any] = {} if repo_path is None else _repository_values(repo_path / "pyproject.toml")
    for setting, names in ENVIRONMENT.items():
        given = next((environment[name] for name in names if environment.get(name)), None)
        if given is not None:
            values[setting] = given
    try:
        return Settings(**values)
    except ValidationError as error:
        problem = error.errors()[0]
        setting = str(problem["loc"][0])
        raise ConfigurationError(f"{_spelling(setting)}: {problem['msg']}.", hint="Correct or unset it.") from error


def _repository_values(path: Path) -> dict[str, Any]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        # A project file that cannot be read is a fault of the project, and no reason not to index it.
        return {}
    table = _table(_table(document, "tool"), "code-review-graph")
    unknown = sorted(set(table) - set(REPOSITORY_KEYS))
    if unknown:
        raise ConfigurationError(
            f"[tool.code-review-graph] of {path} has {', '.join(unknown)}.",
            hint=f"It may hold {' and '.join(REPOSITORY_KEYS)}; all else comes from the environment.",
        )
    return {REPOSITORY_KEYS[key]: value for key, value in table.items()}


def _table(parent: dict[str, object], key: str) -> dict[str, object]:
    found = parent.get(key)
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _spelling(setting: str) -> str:
    names = [*ENVIRONMENT.get(setting, ())]
    names += [f"{key} of [tool.code-review-graph]" for key, value in REPOSITORY_KEYS.items() if value == setting]
    return " or ".join(names) or setting


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where what can be made again lies on this machine, for this user."""
    if os.name == "nt":
        base = environment.get("LOCALAPPDATA") or "~/AppData/Local"
    else:
        base = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "code-review-graph"


def index_folder(environment: Mapping[str, str] = os.environ) -> Path | None:
    """Where indexes lie, when not in the repositories."""
    given = next((environment[name] for name in ENVIRONMENT["index_folder"] if environment.get(name)), None)
    return None if given is None else Path(given).expanduser()
