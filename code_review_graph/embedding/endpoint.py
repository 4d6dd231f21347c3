"""Any OpenAI-compatible ``/embeddings`` endpoint; nothing is sent anywhere unless it was asked for by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import httpx2
import numpy as np
import tenacity
from numpy.typing import NDArray

from code_review_graph.embedding.vectors import unit_rows
from code_review_graph.errors import ModelMismatchError, ProviderError
from code_review_graph.store import EmbeddingModel

DEFAULT_BASE_URL: Final = "https://api.openai.com/v1"
DEFAULT_MODEL: Final = "text-embedding-3-small"
# Endpoints allow 2,048 inputs and some 300,000 tokens a request; smaller requests lose less when one fails.
_BATCH: Final = 128
# Models read some 8,000 tokens; code has more than one character a token even at its worst.
_CHARACTERS: Final = 8_000
_ATTEMPTS: Final = 6
_LONGEST_WAIT: Final = 60.0  # seconds; an endpoint that asks for more has run out of quota
_TRANSIENT: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_JITTERED: Final = tenacity.wait_random_exponential(multiplier=0.5, min=0.1, max=20.0)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to send texts. ``timeout`` is in seconds; the key stays out of every message."""

    base_url: str = DEFAULT_BASE_URL
    model: str = DEFAULT_MODEL
    api_key: str = field(default="", repr=False)
    timeout: float = 30.0


class _TransientError(Exception):
    """A failure that may pass; ``retry_after`` is what the server asked for, in seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class EndpointEmbedder:
    """Embeds over HTTP, in batches, patient with rate limits."""

    def __init__(self, endpoint: Endpoint, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._endpoint = endpoint
        self._url = f"{endpoint.base_url.rstrip('/')}/embeddings"
        self._dimensions: int | None = None
        self._retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(_ATTEMPTS),
            wait=_wait,
            retry=tenacity.retry_if_exception_type(_TransientError),
            sleep=sleep,
            reraise=True,
        )

    @property
    def model(self) -> EmbeddingModel:
        """Provider, model and dimensions; the first time, one short text is embedded to learn the dimensions."""
        if self._dimensions is None:
            self._request(["dimensions"])
        return EmbeddingModel("openai", self._endpoint.model, self._dimensions or 0)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows (n, d), one a text. Raises ProviderError, or ModelMismatchError when the dimensions change."""
        if not texts:
            return np.empty((0, self.model.dimensions), np.float32)
        return unit_rows(np.concatenate([self._request(batch) for batch in _batches(texts)]))

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Unit vector (d,) of a question."""
        row: NDArray[np.float32] = self.embed_documents([text])[0]
        return row

    def _request(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            body = self._retrying(self._post, texts)
        except _TransientError as error:
            raise ProviderError(
                f"The embedding endpoint {self._url} failed {_ATTEMPTS} times, last: {error}.",
                hint="Wait and run `code-review-graph embed` again; what was embedded is kept.",
            ) from error
        vectors = _vectors(body, len(texts))
        if self._dimensions not in (None, vectors.shape[1]):
            raise ModelMismatchError(
                f"The embedding endpoint answered with {vectors.shape[1]} dimensions after {self._dimensions}."
            )
        self._dimensions = int(vectors.shape[1])
        return vectors

    def _post(self, texts: list[str]) -> object:
        headers = {"Authorization": f"Bearer {self._endpoint.api_key}"} if self._endpoint.api_key else {}
        try:
            response = httpx2.post(
                self._url,
                json={"model": self._endpoint.model, "input": texts, "encoding_format": "float"},
                headers=headers,
                timeout=self._endpoint.timeout,
            )
        except httpx2.TransportError as error:
            raise _TransientError(f"{type(error).__name__}: {error}") from error
        except (httpx2.InvalidURL, UnicodeError) as error:
            raise ProviderError(f"{self._url} is not a URL that can be asked: {error}.") from error
        if response.status_code in _TRANSIENT:
            raise _TransientError(f"HTTP {response.status_code}", _retry_after(response.headers.get("retry-after")))
        if response.status_code != 200:
            raise ProviderError(
                f"The embedding endpoint {self._url} answered HTTP {response.status_code}: {_excerpt(response.text)}",
                hint="Check the base URL, the model's name and the API key.",
            )
        try:
            return response.json()
        except ValueError as error:
            raise _malformed(_excerpt(response.text)) from error


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(texts), _BATCH):
        # Endpoints refuse empty texts.
        yield [text[:_CHARACTERS] or " " for text in texts[start : start + _BATCH]]


def _vectors(body: object, count: int) -> NDArray[np.float32]:
    """Rows in the order of the inputs, whatever the order of the answer."""
    answer: Any = body
    try:
        by_index = {int(item["index"]): [float(value) for value in item["embedding"]] for item in answer["data"]}
        rows = [by_index[index] for index in range(count)]
    except (KeyError, TypeError, ValueError) as error:
        raise _malformed(f"{type(error).__name__}: {error}") from error
    if len(answer["data"]) != count or not rows[0] or len({len(row) for row in rows}) != 1:
        raise _malformed(
            f"{len(answer['data'])} vectors for {count} texts, of {sorted({len(r) for r in rows})} numbers"
        )
    vectors = np.asarray(rows, dtype=np.float32)
    if not np.isfinite(vectors).all():
        raise _malformed("numbers that are not finite")
    return vectors


def _malformed(detail: str) -> ProviderError:
    return ProviderError(
        f"The embedding endpoint gave an answer that is not in the OpenAI format ({detail}).",
        hint="The base URL should end where /embeddings begins, often with /v1.",
    )


def _excerpt(text: str) -> str:
    return " ".join(text.split())[:200] or "an empty answer"


def _wait(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after if isinstance(error, _TransientError) else None
    return min(asked, _LONGEST_WAIT) if asked is not None else _JITTERED(state)


def _retry_after(value: str | None) -> float | None:
    """Seconds that a Retry-After header asks for, in either of its two forms."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
