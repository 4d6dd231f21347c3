"""The command line: every tool as a command, plus embed, serve, eval and export.

Exit codes: 0 done, 1 an error (said on stderr with what to do), 2 wrong usage, 3 the target of ``query`` is unknown or
ambiguous, 130 interrupted.
"""

from __future__ import annotations

from code_review_graph.cli.commands import app


def main() -> None:
    """Run the command line and exit the process."""
    app(prog_name="code-review-graph")


__all__ = ["app", "main"]
