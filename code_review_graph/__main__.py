"""``python -m code_review_graph`` and the commands ``code-review-graph`` and ``crg``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; an interrupt while it still loads ends as one later on."""
    try:
        from code_review_graph.cli import main as run  # noqa: PLC0415 - loading is what may be interrupted
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
