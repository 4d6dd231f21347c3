"""Recall of TESTED_BY at distance 0 on the tests whose body really called the definition, and how much was observed.

    python -m benchmarks.score_tests --repo REPO --truth FILE.tests.json [--graph EXPORT] [--misses N] [--wrong N]

Recall: of the (definition, test) pairs that a run showed to be called from the test's own body (properties, operators
and callbacks through foreign code count, see record_calls), the share that the graph returns at distance 0. Observed:
of the pairs returned at distance 0 for tests that ran, the share whose definition was executed while the test ran
(its setup included); ``called from the body`` is the stricter share. Definitions in the tests' own files (helpers,
fixtures, classes made for a test) are left out of both; a line of its own counts them in. Guesses are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from benchmarks.exported import Export, add_graph_arguments, load_export, percent
from benchmarks.syntax import Key, Sources, is_test_path, read_sources


class Tested(NamedTuple):
    definition: Key
    test: Key


@dataclass(frozen=True, slots=True)
class Run:
    """What a recorded run showed."""

    direct: set[Tested]
    executed: set[Tested]
    tests: set[Key]


def read_run(path: Path, sources: Sources) -> Run:
    """The recorded tests as folded pairs."""
    direct: set[Tested] = set()
    executed: set[Tested] = set()
    tests: set[Key] = set()
    for row in json.loads(path.read_text()):
        test = Key(*row["test"][:2])
        tests.add(test)
        direct |= {Tested(sources.folded(Key(*key)), test) for key in row["direct"]}
        executed |= {Tested(sources.folded(Key(*key)), test) for key in row["executed"]}
    return Run(direct, executed | direct, tests)


def returned_pairs(export: Export, sources: Sources) -> set[Tested]:
    """The graph's pairs at distance 0; folded, and without a test as its own definition."""
    pairs = {
        Tested(sources.folded(edge.source), edge.target) for edge in export.sure("TESTED_BY") if edge.distance == 0
    }
    return {pair for pair in pairs if pair.definition != pair.test}


def score(run: Run, returned: set[Tested]) -> tuple[set[Tested], set[Tested]]:
    """Print the figures; returns the misses and the pairs that no run confirmed."""
    judged = {pair for pair in returned if pair.test in run.tests}
    confirmed = judged & run.executed
    print(f"recall {percent(len(run.direct & returned), len(run.direct))}")
    print(f"observed {percent(len(confirmed), len(judged))}")
    print(f"  called from the body {percent(len(judged & run.direct), len(judged))}")
    print(f"  pairs returned for tests that did not run: {len(returned) - len(judged)}")
    return run.direct - returned, judged - confirmed


def show(title: str, pairs: set[Tested], limit: int) -> None:
    """Print pairs, those of the commonest definitions first."""
    if not limit:
        return
    common = Counter(pair.definition for pair in pairs)
    print(f"\n{title}: {len(pairs)}; commonest:")
    for definition, count in common.most_common(limit):
        example = min(pair.test for pair in pairs if pair.definition == definition)
        print(f"  {count:4} {definition}   e.g. {example}")


def main() -> None:
    """Score one repository."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_graph_arguments(parser)
    parser.add_argument("--truth", type=Path, required=True, help="what record_calls wrote with --tests")
    parser.add_argument("--misses", type=int, default=0, metavar="N")
    parser.add_argument("--wrong", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    sources = read_sources(arguments.repo)
    run = read_run(arguments.truth, sources)
    everything = returned_pairs(load_export(arguments, sources), sources)
    direct = {pair for pair in run.direct if not is_test_path(pair.definition.path)}
    returned = {pair for pair in everything if not is_test_path(pair.definition.path)}
    misses, unconfirmed = score(Run(direct, run.executed, run.tests), returned)
    judged = {pair for pair in everything if pair.test in run.tests}
    print(
        "with definitions in the tests' own files: "
        f"recall {percent(len(run.direct & everything), len(run.direct))}, "
        f"observed {percent(len(judged & run.executed), len(judged))}"
    )
    show("misses", misses, arguments.misses)
    show("never observed", unconfirmed, arguments.wrong)


if __name__ == "__main__":
    main()
