"""``python -m code_review_graph`` and the commands ``code-review-graph`` and ``crg``."""

from __future__ import annotations

from code_review_graph.cli import main

if __name__ == "__main__":
    main()
