"""From the scores of several signals to one ranking: pure functions with few, committed weights.

A node's score is a sum: how relevant it is (its score in each signal over the best score there), how well its name
agrees with the question, what its members and heirs add, and a prior for what it is and where it stands.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Self

from code_review_graph.model import Node, NodeKind
from code_review_graph.words import split_identifier, words_of

# What the best score of a signal adds.
SIGNAL_WEIGHTS: Final[Mapping[str, float]] = {
    "mention": 1.0,  # the question spells the name as code
    "vector": 1.0,  # meaning: finds what other words describe
    "text": 0.8,  # BM25 over everything, bodies too
}

# What a question is after, other things being equal: added to the score, whose relevance is about 1 to 2.
KIND_PRIORS: Final[Mapping[NodeKind, float]] = {
    NodeKind.FUNCTION: 0.0,
    NodeKind.METHOD: 0.0,
    NodeKind.CLASS: -0.05,  # questions ask what does something; who names a class finds it by its name
    NodeKind.INTERFACE: -0.05,
    NodeKind.TYPE: -0.1,
    NodeKind.TEST: 0.0,  # is_test decides
    NodeKind.MODULE: -0.3,
    NodeKind.SECTION: -0.2,
    NodeKind.CONSTANT: -0.4,  # shares its name with what it configures
    NodeKind.FILE: -0.5,  # holds the words of all that it defines
}
# A test repeats the words of what it tests, often more of them.
TEST_PRIOR: Final = -1.0
# Folders of code that shows, moves or copies other code.
SIDE_FOLDERS: Final = frozenset(
    {"benchmarks", "docs", "docs_src", "demo", "demos", "example", "examples", "node_modules", "samples"}
    | {"scripts", "third_party", "tutorial", "tutorials", "vendor", "_vendor"}
)
SIDE_FOLDER_PRIOR: Final = -0.8
# Stubs and dunder plumbing say little; the definition that does the work says more.
PLUMBING_PRIOR: Final = -0.2
# An error class repeats the words of the code that raises it.
ERROR_PRIOR: Final = -0.25
# A function inside a function is a detail of it.
NESTED_PRIOR: Final = -0.15
# A name must agree with this much of the question before it counts: one common word in a plain question is chance.
NAME_THRESHOLD: Final = 0.45
NAME_BONUS: Final = 5.0
# For each doubling of the number of callers; a little, or helpers would always win.
CALLED_BONUS: Final = 0.02
# What the best member adds to its class: a class is often described by what it does.
MEMBER_BONUS: Final = 0.2
# Who asks for a common parent means a class that others inherit from, described by what its heirs do.
PARENT_BONUS: Final = 0.5
HEIR_BONUS: Final = 0.3
# What relevant callers and tests add: the names of tests are often the plainest words about what a definition does.
CALLER_BONUS: Final = 0.1
TEST_BONUS: Final = 0.2

_ERROR_ENDINGS: Final = ("Error", "Exception", "Warning")
# The longest ending that leaves three letters.
_ENDING: Final = re.compile(
    r"(?<=\w{3})(?:i[sz]ations?|at(?:e|es|ed|ing|ions?|ors?)|ings?|ions?|ers?|ors?|ants?|ents?|anc(?:es?|y|ies)"
    r"|enc(?:es?|y|ies)|ments?|ies|ied|ed|es|s|e|y)$"
)

# Ranked (node id, score) pairs, the best first; scores are positive.
Ranking = Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the graph says around the candidates.

    ``parents`` holds at least their parents; ``called`` says from how many definitions a node is called; ``callers``
    and ``tests`` are the leading candidates that call or test a node; ``heirs`` are the direct heirs of a class, given
    only when the question asks for a common parent.
    """

    parents: Mapping[int, Node] = field(default_factory=dict)
    called: Mapping[int, int] = field(default_factory=dict)
    callers: Mapping[int, Sequence[int]] = field(default_factory=dict)
    tests: Mapping[int, Sequence[int]] = field(default_factory=dict)
    heirs: Mapping[int, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node with its score and its rank (1 = best) in each signal that found it."""

    node: Node
    score: float
    ranks: Mapping[str, int]


def rerank(
    nodes: Iterable[Node],
    signals: Mapping[str, Ranking],
    words: Iterable[str],
    around: Surroundings,
    *,
    wants_tests: bool,
) -> list[Candidate]:
    """The nodes in the order of their scores; ties by place, so that the order never changes.

    Adds the signal ``name``: how well a name agrees with the question's ``words``.
    """
    pool = {node.id: node for node in nodes}
    aside = {node.id for node in pool.values() if is_aside(node, wants_tests=wants_tests)}
    names = {node.id: NameStems.of(node) for node in pool.values()}
    weights = stem_weights({stem(word) for word in words}, list(names.values()))
    agreement = {node_id: name.agreement(weights) for node_id, name in names.items()}
    ranks = _ranks({signal: [i for i, _ in ranking if i in pool] for signal, ranking in signals.items()}, aside)
    for node_id, rank in _shared_ranks(agreement, aside).items():
        ranks[node_id]["name"] = rank
    relevant = relevance(pool, signals, aside)
    scores = {
        node.id: relevant[node.id]
        + NAME_BONUS * max(0.0, agreement[node.id] - NAME_THRESHOLD)
        + CALLED_BONUS * math.log2(1 + around.called.get(node.id, 0))
        + prior(node, around.parents, wants_tests=wants_tests)
        for node in pool.values()
    }
    for node_id, bonus in _family_bonuses(pool, relevant, aside, around).items():
        scores[node_id] += bonus
    candidates = [Candidate(node, scores[node.id], ranks[node.id]) for node in pool.values()]
    return sorted(candidates, key=lambda c: (-c.score, c.node.path, c.node.start_line, c.node.qualified_name))


def relevance(pool: Iterable[int], signals: Mapping[str, Ranking], aside: Set[int]) -> dict[int, float]:
    """For each node the weighted sum of its scores, each over the best score of its signal among what is not aside."""
    total = dict.fromkeys(pool, 0.0)
    for signal, ranking in signals.items():
        scores = {node_id: score for node_id, score in ranking if node_id in total}
        best = max((score for node_id, score in scores.items() if node_id not in aside), default=0.0)
        best = best or max(scores.values(), default=0.0)
        if best <= 0:
            continue
        # Everything has some meaning: what the list does not reach is about as near as its last.
        unlisted = ranking[-1][1] if signal == "vector" else 0.0
        for node_id in total:
            total[node_id] += SIGNAL_WEIGHTS[signal] * min(scores.get(node_id, unlisted) / best, 1.0)
    return total


def _family_bonuses(
    pool: Mapping[int, Node], relevant: Mapping[int, float], aside: Set[int], around: Surroundings
) -> dict[int, float]:
    """What nodes gain from their relatives: classes from members, parents from heirs, all from callers and tests."""
    floor = min(relevant.values(), default=0.0)
    best: defaultdict[int, float] = defaultdict(float)
    for node in pool.values():
        if node.parent is not None and node.parent in pool and node.id not in aside:
            best[node.parent] = max(best[node.parent], relevant[node.id] - floor)
    bonuses = {node_id: MEMBER_BONUS * value for node_id, value in best.items() if _is_class(pool[node_id])}
    kin = (
        (around.heirs, PARENT_BONUS, HEIR_BONUS),
        (around.callers, 0.0, CALLER_BONUS),
        (around.tests, 0.0, TEST_BONUS),
    )
    for relatives, flat, bonus in kin:
        for node_id, others in relatives.items():
            if node_id in pool:
                two = sorted((relevant.get(other, floor) - floor for other in others), reverse=True)[:2]
                bonuses[node_id] = bonuses.get(node_id, 0.0) + flat + bonus * sum(two) / 2
    return bonuses


def _is_class(node: Node) -> bool:
    return node.kind in (NodeKind.CLASS, NodeKind.INTERFACE)


def _ranks(signals: Mapping[str, Sequence[int]], aside: Set[int]) -> defaultdict[int, dict[str, int]]:
    """For each node its rank (1 = best) in each signal; nodes that stand aside take no places from others."""
    ranks: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for signal, ids in signals.items():
        for rank, node_id in enumerate(sorted(ids, key=aside.__contains__), 1):
            ranks[node_id][signal] = rank
    return ranks


def _shared_ranks(agreement: Mapping[int, float], aside: Set[int]) -> dict[int, int]:
    """Ranks by agreement, equals on one rank; none for those that do not agree at all."""
    levels = {(node_id in aside, -round(value, 4)) for node_id, value in agreement.items() if value > 0}
    place = {level: rank for rank, level in enumerate(sorted(levels), 1)}
    return {node_id: place[node_id in aside, -round(value, 4)] for node_id, value in agreement.items() if value > 0}


def is_aside(node: Node, *, wants_tests: bool) -> bool:
    """Whether a node only uses what others define: a test that was not asked for, or code in a side folder.

    Such nodes take no places away from others: a signal's ranks count them last.
    """
    if node.is_test and not wants_tests:
        return True
    return _is_on_the_side(node.path)


@lru_cache(maxsize=1 << 14)
def _is_on_the_side(path: str) -> bool:
    *folders, file = path.lower().split("/")
    return not SIDE_FOLDERS.isdisjoint(folders) or ("migrations" in folders and file[:1].isdigit())


def prior(node: Node, parents: Mapping[int, Node], *, wants_tests: bool) -> float:
    """How likely a node of this kind, in this place, is what a question is after: 0 or less."""
    value = KIND_PRIORS[node.kind]
    if node.is_test and not wants_tests:
        value += TEST_PRIOR
    if _is_on_the_side(node.path):
        value += SIDE_FOLDER_PRIOR
    if node.path.endswith(".pyi") or node.name.startswith("__"):
        value += PLUMBING_PRIOR
    if node.kind is NodeKind.CLASS and node.name.endswith(_ERROR_ENDINGS):
        value += ERROR_PRIOR
    parent = parents.get(node.parent or 0)
    if parent and parent.kind in (NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.TEST):
        value += NESTED_PRIOR
    return value


@dataclass(frozen=True, slots=True)
class NameStems:
    """Stems of a node's own name, and of its name together with the scopes around it."""

    own: frozenset[str]
    scoped: frozenset[str]

    @classmethod
    def of(cls, node: Node) -> Self:
        """Stems of a node; a file has none, its path is looked at elsewhere."""
        if node.kind is NodeKind.FILE:
            return cls(frozenset(), frozenset())
        return cls(*_stems_of(node.name, node.qualified_name.partition("::")[2]))

    def agreement(self, weights: Mapping[str, float]) -> float:
        """0 to 1: the better of the name alone and the name with its scopes."""
        return max(_agreement(self.own, weights), _agreement(self.scoped, weights)) if weights else 0.0


def stem_weights(stems: Iterable[str], names: Sequence[NameStems]) -> dict[str, float]:
    """How much each stem of the question tells candidates apart: the rarer among their names, the more."""
    total = len(names)
    return {
        wanted: math.log(1 + total / (0.5 + sum(wanted in name.scoped for name in names))) for wanted in sorted(stems)
    }


def _agreement(name: frozenset[str], weights: Mapping[str, float]) -> float:
    """F1 of a name's stems against the question's, each stem by its weight."""
    common = sum(weights[part] for part in name if part in weights)
    if not common:
        return 0.0
    # A part of the name that the question lacks counts like an average word of the question.
    strange = sum(part not in weights for part in name) * sum(weights.values()) / len(weights)
    return 2 * common / (common + strange + sum(weights.values()))


@lru_cache(maxsize=1 << 15)
def _stems_of(name: str, scope: str) -> tuple[frozenset[str], frozenset[str]]:
    own = frozenset(stem(word) for word in split_identifier(name))
    return own, own | {stem(word) for word in words_of(scope)}


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A crude stem, the same for ``dispatches``, ``dispatcher`` and ``dispatch``."""
    return _ENDING.sub("", word)
