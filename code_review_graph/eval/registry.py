"""Every benchmark by name. A new one is a module under ``benchmarks/`` and a line here."""

from __future__ import annotations

import difflib
from typing import Any

from code_review_graph.errors import EvaluationError
from code_review_graph.eval.benchmark import Benchmark
from code_review_graph.eval.benchmarks import multi_hop_retrieval

BENCHMARKS: tuple[Benchmark[Any, Any], ...] = (multi_hop_retrieval.BENCHMARK,)


def find_benchmark(name: str) -> Benchmark[Any, Any]:
    """The benchmark of that name or alias; raises EvaluationError naming the nearest."""
    for benchmark in BENCHMARKS:
        if name in (benchmark.name, *benchmark.aliases):
            return benchmark
    names = [spelling for benchmark in BENCHMARKS for spelling in (benchmark.name, *benchmark.aliases)]
    nearest = difflib.get_close_matches(name, names, n=1)
    raise EvaluationError(
        f"There is no benchmark {name!r}.",
        hint=f"Did you mean {nearest[0]!r}?" if nearest else f"There is: {', '.join(names)}.",
    )
