"""Fusion and priors: pure functions from ranked lists to one ranking."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

from code_review_graph.model import Node, NodeKind
from code_review_graph.words import split_identifier, words_of

# Reciprocal rank fusion: small, so that the first places of a good signal count (60, the usual value, flattens them).
RRF_K: Final = 10.0
# How much one signal's first place weighs against another's.
SIGNAL_WEIGHTS: Final[Mapping[str, float]] = {
    "mention": 3.0,  # the question spells the name as code
    "text": 1.0,  # BM25 over everything, bodies too
    "name": 1.25,  # a name made of the question's words: rarely chance, and bodies cannot drown it
    "vector": 1.25,  # meaning: finds what other words describe
}

# What a question is after, other things being equal.
KIND_PRIORS: Final[Mapping[NodeKind, float]] = {
    NodeKind.FUNCTION: 1.0,
    NodeKind.METHOD: 1.0,
    NodeKind.CLASS: 0.85,  # questions ask what does something; who names a class finds it by its name
    NodeKind.INTERFACE: 0.85,
    NodeKind.TYPE: 0.8,
    NodeKind.TEST: 1.0,  # is_test decides
    NodeKind.MODULE: 0.6,
    NodeKind.SECTION: 0.7,
    NodeKind.CONSTANT: 0.4,  # shares its name with what it configures
    NodeKind.FILE: 0.5,  # holds the words of all that it defines
}
# A test repeats the words of what it tests, often more of them.
TEST_PRIOR: Final = 0.35
# Folders of code that shows, moves or copies other code.
SIDE_FOLDERS: Final = frozenset(
    {"benchmarks", "docs", "docs_src", "demo", "demos", "example", "examples", "node_modules", "samples"}
    | {"scripts", "third_party", "tutorial", "tutorials", "vendor", "_vendor"}
)
SIDE_FOLDER_PRIOR: Final = 0.6
# Stubs and dunder plumbing say little; the definition that does the work says more.
PLUMBING_PRIOR: Final = 0.6
# An error class repeats the words of the code that raises it.
ERROR_PRIOR: Final = 0.6
# A function inside a function is a detail of it.
NESTED_PRIOR: Final = 0.7
# How much a name that agrees with the question in full adds to the score.
NAME_BONUS: Final = 1.5
# What is called from many places is more often asked about; a little, or helpers would always win.
CALLED_BONUS: Final = 0.03
# A file named after one of the question's words is likely where its subject lives.
STEM_BONUS: Final = 1.1

_ERROR_ENDINGS: Final = ("Error", "Exception", "Warning")
# The longest ending that leaves three letters.
_ENDING: Final = re.compile(
    r"(?<=\w{3})(?:i[sz]ations?|at(?:e|es|ed|ing|ions?|ors?)|ings?|ions?|ers?|ors?|ants?|ents?|anc(?:es?|y|ies)"
    r"|enc(?:es?|y|ies)|ments?|ies|ied|ed|es|s|e|y)$"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node with its score and its rank (1 = best) in each signal that found it."""

    node: Node
    score: float
    ranks: Mapping[str, int]


def rerank(
    nodes: Iterable[Node],
    parents: Mapping[int, Node],
    signals: Mapping[str, Sequence[int]],
    words: Iterable[str],
    *,
    wants_tests: bool,
    called: Mapping[int, int] | None = None,
) -> list[Candidate]:
    """The nodes in order of fused score times priors; ties by place, so that the order never changes.

    ``parents`` holds at least the parents of ``nodes``; ``signals`` are ranked node ids; ``called`` says from how many
    definitions a node is called. Adds the signal ``name``: how well a name agrees with the question's ``words``.
    """
    pool = {node.id: node for node in nodes}
    aside = {node.id for node in pool.values() if is_aside(node, wants_tests=wants_tests)}
    names = {node.id: NameStems.of(node) for node in pool.values()}
    weights = stem_weights({stem(word) for word in words}, list(names.values()))
    agreement = {node_id: name.agreement(weights) for node_id, name in names.items()}
    ranks = _ranks({signal: [i for i in ids if i in pool] for signal, ids in signals.items()}, aside)
    for node_id, rank in _shared_ranks(agreement, aside).items():
        ranks[node_id]["name"] = rank
    calls = called or {}

    def score(node: Node) -> float:
        value = fused(ranks[node.id]) * prior(node, parents, wants_tests=wants_tests)
        value *= 1 + NAME_BONUS * agreement[node.id] + CALLED_BONUS * math.log2(1 + calls.get(node.id, 0))
        return value * STEM_BONUS if _file_agrees(node, weights) else value

    candidates = [Candidate(node, score(node), ranks[node.id]) for node in pool.values()]
    return sorted(candidates, key=lambda c: (-c.score, c.node.path, c.node.start_line, c.node.qualified_name))


def fused(ranks: Mapping[str, int]) -> float:
    """Weighted reciprocal rank fusion: sum of weight / (k + rank) over the signals (Cormack et al. 2009)."""
    return sum(SIGNAL_WEIGHTS[signal] / (RRF_K + rank) for signal, rank in ranks.items())


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
    """How likely a node of this kind, in this place, is what a question is after."""
    value = KIND_PRIORS[node.kind]
    if node.is_test and not wants_tests:
        value *= TEST_PRIOR
    if _is_on_the_side(node.path):
        value *= SIDE_FOLDER_PRIOR
    if node.path.endswith(".pyi") or node.name.startswith("__"):
        value *= PLUMBING_PRIOR
    if node.kind is NodeKind.CLASS and node.name.endswith(_ERROR_ENDINGS):
        value *= ERROR_PRIOR
    parent = parents.get(node.parent or 0)
    if parent and parent.kind in (NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.TEST):
        value *= NESTED_PRIOR
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
        own = frozenset(stem(word) for word in split_identifier(node.name))
        scope = node.qualified_name.partition("::")[2]
        return cls(own, own | {stem(word) for word in words_of(scope)})

    def agreement(self, weights: Mapping[str, float]) -> float:
        """0 to 1: the better of the name alone and the name with its scopes."""
        return max(_agreement(self.own, weights), _agreement(self.scoped, weights)) if weights else 0.0


def stem_weights(stems: Iterable[str], names: Sequence[NameStems]) -> dict[str, float]:
    """How much each stem of the question tells candidates apart: the rarer among their names, the more."""
    total = len(names)
    return {
        wanted: math.log(1 + total / (0.5 + sum(wanted in name.scoped for name in names))) for wanted in sorted(stems)
    }


def _file_agrees(node: Node, weights: Mapping[str, float]) -> bool:
    return any(stem(word) in weights for word in words_of(node.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]))


def _agreement(name: frozenset[str], weights: Mapping[str, float]) -> float:
    """F1 of a name's stems against the question's, each stem by its weight."""
    common = sum(weights[part] for part in name if part in weights)
    if not common:
        return 0.0
    # A part of the name that the question lacks counts like an average word of the question.
    strange = sum(part not in weights for part in name) * sum(weights.values()) / len(weights)
    return 2 * common / (common + strange + sum(weights.values()))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A crude stem, the same for ``dispatches``, ``dispatcher`` and ``dispatch``."""
    return _ENDING.sub("", word)
