"""The commands; each opens the store of a repository, calls one function and prints its result."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from code_review_graph import __version__
from code_review_graph.cli.output import FAILED, NOT_ANSWERED, Group, progress_bar, show
from code_review_graph.config import BeforeAnswer, load_settings
from code_review_graph.model import NodeKind
from code_review_graph.results import Freshness, Pattern, QueryStatus
from code_review_graph.store import Store
from code_review_graph.tools import build_or_update_graph, graph_status, hybrid_search, query_graph
from code_review_graph.tools.freshness import before_answer
from code_review_graph.tools.query import DEFAULT_LIMIT as QUERY_LIMIT
from code_review_graph.tools.registry import with_freshness
from code_review_graph.tools.search import DEFAULT_LIMIT as SEARCH_LIMIT
from code_review_graph.tools.workspace import Workspace

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: code-review-graph build && code-review-graph search 'where are sessions opened'",
)

Repo = Annotated[
    Path | None,
    typer.Option("--repo", metavar="PATH", help="Repository to use.  [default: the one around this folder]"),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Update = Annotated[bool, typer.Option("--update", help="Bring the index up to date first.")]
NoCheck = Annotated[bool, typer.Option("--no-check", help="Do not look whether files have changed since.")]
NoEmbed = Annotated[bool, typer.Option("--no-embed", help="Leave embeddings out; `embed` makes them later.")]

_UPDATE_HINT = "Run `code-review-graph update`, or ask with --update."


class ExportFormat(StrEnum):
    """How a graph can be written."""

    JSONL = "jsonl"


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"code-review-graph {__version__}")
        raise typer.Exit


@app.callback()
def common(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """A local graph of a repository's code: definitions, who calls whom, tests, and search."""


@app.command()
def build(repo: Repo = None, no_embed: NoEmbed = False, as_json: Json = False) -> None:
    """Index a repository from scratch, and embed its definitions.

    The old index answers until the new one is complete; an interrupted build changes nothing.

    \b
    Examples:
      code-review-graph build
      code-review-graph build --repo ~/src/flask --no-embed
    """
    with _store(repo) as store, progress_bar() as progress:
        report = build_or_update_graph(store, full=True, embed=not no_embed, progress=progress)
    show(report, as_json=as_json)


@app.command()
def update(repo: Repo = None, no_embed: NoEmbed = False, as_json: Json = False) -> None:
    """Bring the index up to date: only changed files are read again. Builds it if there is none.

    \b
    Examples:
      code-review-graph update
      code-review-graph update --repo ~/src/flask --json
    """
    with _store(repo) as store, progress_bar() as progress:
        report = build_or_update_graph(store, embed=not no_embed, progress=progress)
    show(report, as_json=as_json)


@app.command()
def watch(repo: Repo = None, no_embed: NoEmbed = False, as_json: Json = False) -> None:
    """Update the index whenever files change, until Ctrl-C or SIGTERM. Builds it if there is none.

    Prints a line for each update; with --json the same as `update --json`, one object a line.

    \b
    Examples:
      code-review-graph watch
      code-review-graph watch --repo ~/src/flask --no-embed
      code-review-graph watch --json
    """
    from code_review_graph.cli.watch import watch_repository  # noqa: PLC0415 - loads the parser

    with _store(repo) as store:
        watch_repository(store, embed=not no_embed, as_json=as_json)


@app.command()
def embed(
    repo: Repo = None,
    provider: Annotated[
        str | None, typer.Option(help="static, sentence-transformers or openai.  [default: the index's own, or static]")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Model of the provider: a name, or a local path.")] = None,
    as_json: Json = False,
) -> None:
    """Embed the definitions that have no vector yet, or all of them again with another model.

    \b
    Examples:
      code-review-graph embed
      code-review-graph embed --provider sentence-transformers --model all-MiniLM-L6-v2
    """
    from code_review_graph.tools.embed import embed_graph  # noqa: PLC0415 - loads numpy

    with _store(repo) as store, progress_bar() as progress:
        report = embed_graph(store, provider, model, progress)
    show(report, as_json=as_json)


@app.command()
def status(repo: Repo = None, update: Update = False, no_check: NoCheck = False, as_json: Json = False) -> None:
    """Tell what the index holds, how it was made, what is missing, and how many files have changed since.

    \b
    Examples:
      code-review-graph status
      code-review-graph status --json
    """
    with _asking(repo, update=update, no_check=no_check) as (store, freshness):
        show(with_freshness(graph_status(store, freshness=freshness), freshness), as_json=as_json)


@app.command()
def doctor(
    repo: Repo = None,
    online: Annotated[bool, typer.Option("--online", help="Ask an embedding provider on the network, too.")] = False,
    as_json: Json = False,
) -> None:
    """Check database, grammars, embeddings, extension, lock and freshness, and say what to do. Changes nothing.

    The exit code is 1 when something does not work.

    \b
    Examples:
      code-review-graph doctor
      code-review-graph doctor --json
    """
    from code_review_graph.tools.doctor import doctor as check  # noqa: PLC0415 - no other command needs it

    with _store(repo) as store:
        report = check(store, online=online)
    show(report, as_json=as_json)
    if not report.healthy:
        raise typer.Exit(FAILED)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="A question in plain words, a name, a path, or path:line.")],
    repo: Repo = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most hits to print.")] = SEARCH_LIMIT,
    kind: Annotated[list[NodeKind] | None, typer.Option(help="Only this kind; may be repeated.")] = None,
    path: Annotated[list[str] | None, typer.Option(help="Only under this path or glob; may be repeated.")] = None,
    update: Update = False,
    no_check: NoCheck = False,
    as_json: Json = False,
) -> None:
    """Find definitions by meaning or by name.

    \b
    Examples:
      code-review-graph search "where are request sessions opened"
      code-review-graph search Flask.run
      code-review-graph search "parse a cookie" --kind Function --path src -n 5
      code-review-graph search Flask.run --update
    """
    with _asking(repo, update=update, no_check=no_check) as (store, freshness):
        result = hybrid_search(store, query, limit, kind or None, path or None)
    show(with_freshness(result, freshness), as_json=as_json)


@app.command()
def query(
    pattern: Annotated[Pattern, typer.Argument(help="Which relation to walk.")],
    target: Annotated[str, typer.Argument(help="A name, a qualified name or a suffix of it, a path, or path:line.")],
    repo: Repo = None,
    depth: Annotated[int, typer.Option("--depth", "-d", help="Hops to walk.")] = 1,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Most neighbours to print.")] = QUERY_LIMIT,
    everything: Annotated[bool, typer.Option("--all", help="Print all neighbours, however many.")] = False,
    update: Update = False,
    no_check: NoCheck = False,
    as_json: Json = False,
) -> None:
    """Walk from one definition: its callers, callees, tests, imports, subclasses, members.

    Exits with 3 when the target is unknown or ambiguous; the candidates are printed.

    \b
    Examples:
      code-review-graph query callers_of Flask.run
      code-review-graph query tests_for src/app.py:120
      code-review-graph query callees_of Flask.dispatch_request --depth 2
      code-review-graph query file_summary src/app.py --all
    """
    with _asking(repo, update=update, no_check=no_check) as (store, freshness):
        result = query_graph(store, pattern, target, depth, None if everything else limit)
    show(with_freshness(result, freshness), as_json=as_json)
    if result.status is not QueryStatus.OK:
        raise typer.Exit(NOT_ANSWERED)


@app.command()
def serve(repo: Repo = None) -> None:
    """Serve the tools to an MCP client over stdin and stdout.

    A client starts this itself. Its configuration names the interpreter that this package is installed in:

    \b
      {"mcpServers": {"crg": {"command": "/path/to/python", "args": ["-m", "code_review_graph", "serve"]}}}

    \b
    Examples:
      code-review-graph serve
      code-review-graph serve --repo ~/src/flask
    """
    from code_review_graph.server import serve as run_server  # noqa: PLC0415 - the protocol's library is large

    run_server(repo)


@app.command("eval")
def evaluate(
    repo: Repo = None,
    benchmark: Annotated[
        list[str] | None, typer.Option(help="Benchmarks, between commas or repeated.  [default: multi_hop]")
    ] = None,
    configs: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of your own task files, beside the bundled ones.")
    ] = None,
    clone: Annotated[
        bool, typer.Option("--clone", help="Fetch the pinned commits of the task files and run on those.")
    ] = False,
    make_index: Annotated[bool, typer.Option("--build", help="Make the index where it is missing.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the CSV and JSON files.  [default: .code-review-graph/eval]"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Replay task files against the functions that agents call, and print the measures.

    Exits with 1 when a task failed with an error; its row says why.

    \b
    Examples:
      code-review-graph eval --benchmark multi_hop --repo ~/src/flask --build
      code-review-graph eval --configs my-tasks --repo .
      code-review-graph eval --clone --json
    """
    from code_review_graph.eval.report import as_json as json_of  # noqa: PLC0415 - loads the whole harness
    from code_review_graph.eval.report import as_text, write_files  # noqa: PLC0415
    from code_review_graph.eval.runner import EvalRequest, names_of, run_benchmarks  # noqa: PLC0415

    folder = None if clone and repo is None else _folder(repo)
    request = EvalRequest(
        benchmarks=names_of(benchmark or ["multi_hop"]), repo=folder, configs=configs, clone=clone, build=make_index
    )
    with progress_bar() as progress:
        runs = run_benchmarks(request, progress)
    typer.echo(json_of(runs) if as_json else as_text(runs))
    for path in write_files(runs, output or (folder or Path.cwd()) / ".code-review-graph" / "eval"):
        typer.echo(f"Written: {path}", err=True)
    if any(run.summary.errors for run in runs):
        raise typer.Exit(FAILED)


@app.command()
def export(
    repo: Repo = None,
    _format: Annotated[ExportFormat, typer.Option("--format", help="One JSON object a line.")] = ExportFormat.JSONL,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write.  [default: stdout]")
    ] = None,
) -> None:
    """Write the whole graph, one JSON object a line: nodes first, then edges, which name nodes by id.

    \b
    Examples:
      code-review-graph export --format jsonl > graph.jsonl
      code-review-graph export --output graph.jsonl
    """
    from code_review_graph.tools.export import export_graph  # noqa: PLC0415 - no other command needs it

    with _store(repo) as store:
        store.require_graph()
        if output is None:
            export_graph(store, sys.stdout)
            return
        with output.open("w", encoding="utf-8", errors="backslashreplace") as stream:
            count = export_graph(store, stream)
    typer.echo(f"{count} lines written to {output}", err=True)


@contextmanager
def _store(repo: Path | None) -> Iterator[Store]:
    workspace = Workspace(repo, Path.cwd())
    try:
        yield workspace.store()
    finally:
        workspace.close()


@contextmanager
def _asking(repo: Path | None, *, update: bool, no_check: bool) -> Iterator[tuple[Store, Freshness | None]]:
    """A store to ask, and how fresh it is after what the options or the settings say is done first."""
    if update and no_check:
        raise typer.BadParameter("--update and --no-check exclude each other.")
    with _store(repo) as store:
        wanted = load_settings().freshness or BeforeAnswer.CHECK
        if update or no_check:
            wanted = BeforeAnswer.UPDATE if update else BeforeAnswer.OFF
        with progress_bar() as progress:
            freshness = before_answer(store, wanted, _UPDATE_HINT, progress)
        yield store, freshness


def _folder(repo: Path | None) -> Path:
    return Workspace(repo, Path.cwd()).store().repo_path
