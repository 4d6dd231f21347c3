"""How fresh an index is, and bringing it up to date before an answer: at once in a command, by a keeper in a server."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from code_review_graph.config import BeforeAnswer, Settings, load_settings
from code_review_graph.errors import CodeReviewGraphError, ConfigurationError, NoGraphError, StoreError
from code_review_graph.progress import Progress, silent
from code_review_graph.results import BuildReport, Freshness, FreshnessState, UpdateAction
from code_review_graph.store import Store
from code_review_graph.tools.build import build_or_update_graph

if TYPE_CHECKING:
    from code_review_graph.watching import Keeper

_UPDATE_HINT: Final = "Run `code-review-graph update` (or the tool build_or_update_graph)."
_UNCHECKED: Final = Freshness(state=FreshnessState.UNKNOWN, hint="Nobody looked whether files have changed since.")
_COPIED: Final = Freshness(
    state=FreshnessState.UNKNOWN,
    hint=f"The index was copied here, so what has changed since cannot be told. {_UPDATE_HINT}",
)


def looked_at(store: Store, hint: str = _UPDATE_HINT) -> Freshness | None:
    """How many files have changed since the index was made, for the cost of a walk; None without an index."""
    from code_review_graph.indexing import pending  # noqa: PLC0415 - loads the parser

    try:
        if not store.has_graph():
            return None
        if store.made_elsewhere():
            return _COPIED
        found = pending(store)
    except StoreError:
        # The question itself will say what is wrong with the index.
        return None
    except CodeReviewGraphError as error:
        return Freshness(state=FreshnessState.UNKNOWN, hint=str(error))
    if not found:
        return Freshness(state=FreshnessState.FRESH)
    return Freshness(state=FreshnessState.STALE, changed_files=found.files, hint=hint)


def updated(store: Store, progress: Progress = silent) -> Freshness | None:
    """Bring the index up to date now, as ``update`` does; what hinders it is said, and the old index answers."""
    before = looked_at(store)
    if before is not None and before.state is FreshnessState.FRESH:
        return before
    try:
        report = build_or_update_graph(store, embed=before is None or _has_vectors(store), progress=progress)
    except (CodeReviewGraphError, OSError) as error:
        if before is None:
            raise
        return before.model_copy(update={"action": UpdateAction.FAILED, "hint": str(error)})
    files = report.parsed + report.removed
    if not files:
        return Freshness(state=FreshnessState.FRESH)
    return Freshness(
        state=FreshnessState.FRESH,
        action=UpdateAction.UPDATED,
        updated_files=files,
        milliseconds=max(round(report.seconds * 1000), 1),
    )


def before_answer(store: Store, wanted: BeforeAnswer, hint: str, progress: Progress = silent) -> Freshness | None:
    """Do what is wanted before an answer of a command, and say how fresh the answer will be."""
    match wanted:
        case BeforeAnswer.UPDATE:
            return updated(store, progress)
        case BeforeAnswer.CHECK:
            return looked_at(store, hint)
        case BeforeAnswer.OFF:
            return _UNCHECKED


class Keepers:
    """Keeps every index that a server answers from up to date, each by a keeper that starts with the first question."""

    def __init__(self, settings: Callable[[], Settings] = load_settings) -> None:
        self._settings = settings
        self._keepers: dict[str, Keeper] = {}
        self._changing = threading.Lock()
        self._stopped = False

    def freshness(self, store: Store, check: Callable[[], None]) -> Freshness | None:
        """Bring an index up to date within the time that the settings allow, and say how it stands; None without one.

        ``check`` is called while waiting, and may raise.
        """
        try:
            settings = self._settings()
        except ConfigurationError as error:
            return Freshness(state=FreshnessState.UNKNOWN, hint=str(error))
        wanted = settings.freshness or BeforeAnswer.UPDATE
        if wanted is not BeforeAnswer.UPDATE:
            return before_answer(store, wanted, _UPDATE_HINT)
        keeper = self._keeper(store)
        if keeper is None:
            return None
        return _COPIED if store.made_elsewhere() else keeper.freshness(settings.update_wait, check)

    def start(self, store: Store) -> None:
        """Begin to keep an index up to date before the first question; nothing where there is none, or none is kept."""
        try:
            if (self._settings().freshness or BeforeAnswer.UPDATE) is BeforeAnswer.UPDATE:
                self._keeper(store)
        except ConfigurationError:
            return

    @contextmanager
    def paused(self, store: Store, check: Callable[[], None]) -> Iterator[None]:
        """Let the caller build an index itself; its keeper, if there is one, waits."""
        with self._changing:
            keeper = self._keepers.get(str(store.path))
        if keeper is None:
            yield
            return
        with keeper.paused(check):
            yield

    def stop(self, seconds: float) -> None:
        """End all keepers, waiting so long for each to leave its index whole."""
        with self._changing:
            self._stopped = True
            keepers = list(self._keepers.values())
        for keeper in keepers:
            keeper.stop(seconds)

    def _keeper(self, store: Store) -> Keeper | None:
        try:
            if not store.has_graph():
                return None
        except StoreError:
            return None
        from code_review_graph.watching import Keeper  # noqa: PLC0415 - loads the parser

        with self._changing:
            keeper = self._keepers.get(str(store.path))
            if keeper is None and not self._stopped:
                keeper = self._keepers[str(store.path)] = Keeper(
                    store, lambda progress: _kept(store, progress), after=lambda progress: _embedded(store, progress)
                )
                keeper.start()
            return keeper


def _kept(store: Store, progress: Progress) -> BuildReport:
    """Update an index unasked: never make one, nor replace one, which takes long and only the user can want."""
    if not store.has_graph():
        raise NoGraphError(f"{store.repo_path} has no index any more.")
    if store.made_elsewhere():
        raise StoreError("The index was copied here, and has to be made anew.", hint=_UPDATE_HINT)
    return build_or_update_graph(store, embed=False, progress=progress)


def _embedded(store: Store, progress: Progress) -> None:
    """Give new definitions their vectors, where the others have theirs."""
    from code_review_graph.tools.models import embedder_of  # noqa: PLC0415 - loads numpy

    if _has_vectors(store) and store.vectors_missing():
        from code_review_graph.embedding import embed_nodes  # noqa: PLC0415 - loads numpy

        embedder = embedder_of(store)
        if embedder is not None and embedder.model == store.embedding_model():
            with store.writing():
                embed_nodes(store, embedder, progress)


def _has_vectors(store: Store) -> bool:
    return store.embedding_model() is not None
