"""What the resolver may know of a repository beside its source files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RepositoryContext:
    """Configuration files by repository path."""

    config_files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
