"""Every error that the product raises on purpose.

::

    CodeReviewGraphError
    ├── ConfigurationError        a setting or an argument that cannot be used
    ├── RepositoryError           the repository cannot be read, or a path leaves it
    ├── StoreError
    │   ├── NoGraphError          nothing has been indexed yet
    │   ├── ForeignDatabaseError  the file is not one of ours
    │   ├── SchemaError           written by a newer version
    │   ├── CorruptIndexError     the file is damaged
    │   └── LockedError           another process is writing
    ├── EmbeddingError
    │   ├── NoEmbeddingsError     the index holds no vectors
    │   ├── ModelMismatchError    the index's vectors belong to another model
    │   └── ProviderError         the embedding provider failed
    ├── QueryError                a question that has no answer as asked
    └── EvaluationError           a task file or a benchmark that cannot run

``str(error)`` says what happened; ``error.hint`` says what to do next.
"""

from __future__ import annotations


class CodeReviewGraphError(Exception):
    """Base of all errors; carries a hint that says what to do."""

    default_hint = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint

    def __str__(self) -> str:
        """What happened, then what to do."""
        return f"{self.message} {self.hint}".strip() if self.hint else self.message


class ConfigurationError(CodeReviewGraphError):
    """A setting or an argument that cannot be used."""


class RepositoryError(CodeReviewGraphError):
    """The repository cannot be read, or a path leaves it."""


class StoreError(CodeReviewGraphError):
    """The index file cannot be used."""


class NoGraphError(StoreError):
    """Nothing has been indexed yet."""

    default_hint = "Run `code-review-graph build` (or the tool build_or_update_graph) first."


class ForeignDatabaseError(StoreError):
    """The file is not an index of this product; it was left untouched."""

    default_hint = "Move that file away, then run `code-review-graph build`."


class SchemaError(StoreError):
    """The index was written by a newer version."""

    default_hint = "Upgrade code-review-graph, or rebuild with `code-review-graph build`."


class CorruptIndexError(StoreError):
    """The index file is damaged."""

    default_hint = "Rebuild it with `code-review-graph build`; the damaged file is kept beside it."


class LockedError(StoreError):
    """Another process is writing the index."""

    default_hint = "Wait for the other build to finish, then try again."


class EmbeddingError(CodeReviewGraphError):
    """Embeddings cannot be made or used."""


class NoEmbeddingsError(EmbeddingError):
    """The index holds no vectors."""

    default_hint = "Run `code-review-graph embed` to make them."


class ModelMismatchError(EmbeddingError):
    """The index's vectors belong to another provider or model."""

    default_hint = "Run `code-review-graph embed` with the provider that you want, to embed again."


class ProviderError(EmbeddingError):
    """The embedding provider failed."""


class QueryError(CodeReviewGraphError):
    """A question that has no answer as asked."""


class EvaluationError(CodeReviewGraphError):
    """A task file or a benchmark that cannot run."""
