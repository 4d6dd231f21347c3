"""Results as compact lines of text, with everything that the structured form says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import singledispatch

from code_review_graph.results import (
    BuildReport,
    DoctorReport,
    ExternalReference,
    Freshness,
    FreshnessState,
    GraphStatus,
    Neighbour,
    QueryResult,
    QueryStatus,
    Result,
    SearchHit,
    SearchResult,
    Symbol,
    UpdateAction,
)

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != 0x09}

_ACTIONS = {UpdateAction.UPDATING: "updating in the background", UpdateAction.FAILED: "the update failed"}


@singledispatch
def as_text(result: Result) -> str:
    """A result as lines for a reader, model or human."""
    return result.model_dump_json(exclude_defaults=True)


@as_text.register
def _(result: SearchResult) -> str:
    head = f"{len(result.hits)} of {result.total} hits for {result.query!r} ({result.mode} search)"
    hits = [line for rank, hit in enumerate(result.hits, 1) for line in _hit_lines(rank, hit)]
    return _lines([head, *hits, *(f"! {notice}" for notice in result.notices), _freshness(result.freshness)])


@as_text.register
def _(result: QueryResult) -> str:
    if result.status is not QueryStatus.OK:
        head = f"{result.pattern} {result.target!r}: {result.status.replace('_', ' ')}"
        candidates = [line for item in result.candidates for line in _symbol_lines(item)]
        more = f"{result.cut} more candidates" if result.cut else ""
        return _lines([head, *candidates, more, f"! {result.hint}", _freshness(result.freshness)])
    target = _place(result.resolved_target) if result.resolved_target else result.target
    asked = f" (asked: {result.target!r})"
    cut = f", {result.cut} cut" if result.cut else ""
    head = f"{result.pattern} {target}{asked}: {result.total} found{cut}"
    rows = [line for item in result.neighbours for line in _neighbour_lines(item)]
    guesses = [line for item in result.guesses for line in _neighbour_lines(item)]
    outside = [_reference_line(item) for item in result.references]
    return _lines(
        [
            head,
            *(_details(result.resolved_target) if result.resolved_target else ()),
            *rows,
            *_titled("Guesses, by name alone:", guesses),
            *_titled("Callees outside the repository, or unresolved:", outside),
            f"! {result.hint}" if result.hint else "",
            _freshness(result.freshness),
        ]
    )


@as_text.register
def _(result: DoctorReport) -> str:
    rows = [
        f"{check.state:<8} {check.name}: {check.found}{f'. {check.advice}' if check.advice else ''}"
        for check in result.checks
    ]
    return _lines([result.repository, *rows, "everything works" if result.healthy else "something does not work"])


@as_text.register
def _(result: GraphStatus) -> str:
    if not result.indexed:
        return _lines([f"{result.repository}: not indexed (database {result.database})", f"! {result.hint}"])
    schema = "" if result.schema_version is None else f" (schema {result.schema_version})"
    commit = f" at commit {result.commit}" if result.commit else ""
    return _lines(
        [
            f"{result.repository}: {result.files} files indexed{commit}, built {result.built_at}",
            f"database: {result.database}{schema}{f' ({result.database_reason})' if result.database_reason else ''}",
            f"nodes: {_counts(result.nodes)}",
            f"edges: {_counts(result.edges)}",
            f"resolutions: {_counts(result.resolutions)}",
            f"references without a definition: {_counts(result.references)}",
            f"embeddings: {result.vectors} by {result.embedding_model or 'no model'}, {result.vectors_missing} missing",
            f"diagnostics: {result.diagnostics}",
            f"! {result.hint}" if result.hint else "",
            _freshness(result.freshness),
        ]
    )


@as_text.register
def _(result: BuildReport) -> str:
    return _lines(
        [
            f"{result.repository}: {'full build' if result.full else 'update'} in {result.seconds:.2f} s",
            f"files: {result.files} ({result.parsed} parsed, {result.removed} removed, {result.resolved} resolved)",
            f"graph: {result.nodes} nodes, {result.edges} edges, {result.references} references without a definition",
            f"embeddings: {result.embedded} made, {result.vectors_missing} missing",
            *(f"! {diagnostic}" for diagnostic in result.diagnostics),
        ]
    )


def _freshness(freshness: Freshness | None) -> str:
    """One line at the end of an answer; empty where nobody can say."""
    if freshness is None:
        return ""
    parts = [str(freshness.state)]
    if freshness.state is FreshnessState.STALE:
        changed = freshness.changed_files
        parts.append(f"{counted(changed, 'file')} changed since the index was made" if changed else "behind the files")
    if freshness.action is UpdateAction.UPDATED:
        parts.append(f"updated {counted(freshness.updated_files, 'file')} in {freshness.milliseconds} ms")
    elif freshness.action is not UpdateAction.NONE:
        parts.append(_ACTIONS[freshness.action])
    return f"index: {', '.join(parts)}" + (f". {freshness.hint}" if freshness.hint else "")


def counted(count: int, noun: str) -> str:
    """A number with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _hit_lines(rank: int, hit: SearchHit) -> Iterator[str]:
    why = ", ".join(f"{signal.name} {signal.rank}" for signal in hit.why)
    yield f"{rank}. {_place(hit)}  score {hit.score:.4g}" + (f" ({why})" if why else "")
    yield from _details(hit)


def _neighbour_lines(item: Neighbour) -> Iterator[str]:
    sites = f" at {item.site_path}:{','.join(map(str, item.lines))}" if item.lines else f" in {item.site_path}"
    via = f" via {item.via}" if item.via else ""
    yield f"- {_place(item)}  {item.edge} {item.resolution}, distance {item.distance}{via}{sites}"
    yield from _details(item)


def _symbol_lines(item: Symbol) -> Iterator[str]:
    yield f"- {_place(item)}"
    yield from _details(item)


def _place(item: Symbol) -> str:
    """Qualified name (which holds the path and, for all but files, the name), lines and kind."""
    path = "" if item.qualified_name.partition("::")[0] == item.path else f" in {item.path}"
    test = ", test" if item.is_test else ""
    return f"{item.qualified_name}{path}:{item.start_line}-{item.end_line} [{item.kind}{test}]"


def _details(item: Symbol) -> Iterator[str]:
    if item.signature:
        yield f"    {item.signature}"
    if item.summary:
        yield f"    {item.summary}"


def _reference_line(item: ExternalReference) -> str:
    return f"- {item.name} [{item.kind}] at line {','.join(map(str, item.lines))}"


def _titled(title: str, lines: list[str]) -> list[str]:
    return [title, *lines] if lines else []


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def _lines(lines: Iterable[str]) -> str:
    # File names may hold line ends, and source any byte: none may pass for a line of ours or speak to the terminal.
    return "\n".join(line.translate(_CONTROLS) for line in lines if line)
