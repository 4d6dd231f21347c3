"""What the resolver may know of a repository beside its source files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

# Files, at any depth, whose bytes the resolver wants: they say where tests live and what they are called.
CONFIG_FILES: Final = frozenset({"pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg"})


@dataclass(frozen=True, slots=True)
class RepositoryContext:
    """Configuration files by repository path."""

    config_files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
