"""The evaluation of one state of a repository, a file at a time, stage by stage as everything is resolved."""

from __future__ import annotations

import marshal
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Final

from code_review_graph.languages import BY_NAME
from code_review_graph.program import Program
from code_review_graph.resolving.evaluator import Evaluator
from code_review_graph.resolving.partial.numbers import Numbers, Slots, Stale
from code_review_graph.resolving.partial.program import PartialProgram
from code_review_graph.resolving.partial.source import LinkRow, NotInPart, Source
from code_review_graph.resolving.tables import Link, LinkKind
from code_review_graph.semantics import PlainSemantics, Semantics
from code_review_graph.values import Values


class Stage(IntEnum):
    """Steps of resolving; each knows more than the one before."""

    NOTHING = 0
    HEIRS = 1
    WRITES = 2
    FIRST_ITEMS = 3
    PLAIN = 4
    LEVEL_1 = 5
    LEVEL_2 = 6
    LEVEL_3 = 7


_WRITTEN: Final = (LinkKind.WRITE, LinkKind.MODULE_WRITE)
_KINDS: Final[Mapping[Stage, tuple[LinkKind, ...]]] = {
    Stage.NOTHING: (),
    Stage.HEIRS: (LinkKind.HEIR, LinkKind.OWN_WRITE),
    Stage.WRITES: (LinkKind.HEIR, LinkKind.OWN_WRITE, *_WRITTEN),
    Stage.FIRST_ITEMS: (LinkKind.HEIR, LinkKind.OWN_WRITE, *_WRITTEN, LinkKind.FIRST_ITEM),
    Stage.PLAIN: (LinkKind.HEIR, LinkKind.OWN_WRITE, *_WRITTEN, LinkKind.ITEM),
}
CALL_KINDS: Final = (LinkKind.PASS, LinkKind.FEED, LinkKind.GIVE, LinkKind.PASS_ON, LinkKind.GIVE_ON)
LEVELS: Final = (Stage.LEVEL_1, Stage.LEVEL_2, Stage.LEVEL_3)


# Kinds that are read together.
_GROUPS: Final = (
    (LinkKind.HEIR, LinkKind.OWN_WRITE, *_WRITTEN),
    (LinkKind.FIRST_ITEM,),
    (LinkKind.ITEM,),
    CALL_KINDS,
)
_BY_LEVEL: Final = frozenset({Stage.PLAIN, *LEVELS})


def level_of(stage: Stage) -> int:
    """The level of what callers pass that a stage knows."""
    return max(stage - Stage.PLAIN, 0)


class World:
    """One state of the facts. What dirty files bring is in ``overlay``; what all others bring comes from the source."""

    def __init__(
        self,
        program: PartialProgram,
        source: Source,
        config_files: Mapping[str, bytes],
        family: str,
        slots: Callable[[int], Slots | None],
    ) -> None:
        self.program = program
        self.source = source
        self.numbers = Numbers(program, [entry.id for entry in program.entries], slots)
        self.engine = Evaluator(program, _rules(program, config_files, family))
        self.engine.loader = self
        self.stage = Stage.NOTHING
        self.overlay: dict[LinkKind, dict[int, list[Link]]] = defaultdict(dict)
        self.passed: dict[int, dict[tuple[int, int], Values]] = defaultdict(dict)  # by level; empty: nothing is passed
        self._loaded: set[int] = set()
        self._is_stale = False
        self._rows: dict[tuple[int, LinkKind], dict[int, list[Link]]] = {}
        self._passed: dict[tuple[int, int], dict[tuple[int, int], Values]] = {}

    def enter(self, stage: Stage) -> None:
        """Go to a stage, forgetting what was evaluated at another, or by other tables."""
        if stage == self.stage and not self._is_stale:
            return
        before, self.stage = self.stage, stage
        if {before, stage} <= _BY_LEVEL and not self._is_stale:
            self._go_level(level_of(stage))
            return
        self._is_stale = False
        self._loaded.clear()
        self.engine.members_of.writes.clear()
        self.engine.members_of.classes.forget()
        self.engine.passing.clear()
        self.engine.restart()

    def _go_level(self, level: int) -> None:
        """Only what is passed differs between levels."""
        passing = self.engine.passing
        passing.known.clear()
        for file in self._loaded if level else ():
            passing.known.update(self.passed_to(file, level))
        self.engine.next_level()

    def bring(self, source: int, kinds: Iterable[LinkKind], links: Iterable[Link]) -> None:
        """Put what a file brings in the place of what it brought before."""
        for kind in kinds:
            self.overlay[kind][source] = []
            self._is_stale = self._is_stale or kind not in CALL_KINDS
        for link in links:
            self.overlay[link.kind][source].append(link)

    # -- tables on demand

    def need(self, file: int) -> None:
        """Make sure that what others bring to a file is in the tables."""
        if file in self._loaded or file < 0:
            return
        self._loaded.add(file)
        writes, classes = self.engine.members_of.writes, self.engine.members_of.classes
        level = level_of(self.stage)
        for kind in _KINDS[min(self.stage, Stage.PLAIN)]:
            for link in self.brought_to(file, kind):
                if kind == LinkKind.HEIR:
                    classes.add(link)
                else:
                    writes.add(link)
        if level:
            self.engine.passing.known.update(self.passed_to(file, level))

    def brought_to(self, file: int, kind: LinkKind) -> list[Link]:
        """Links of one kind to a file, by the order of their sources."""
        brought = self.overlay.get(kind, {})
        kept = self._stored(file, kind)
        found = [link for source, links in kept.items() if source not in brought for link in links]
        found += [link for links in brought.values() for link in links if link.target == file]
        return sorted(found, key=lambda link: link.source)

    def _stored(self, file: int, kind: LinkKind) -> dict[int, list[Link]]:
        """Stored links of one kind to a file, by source."""
        key = (file, kind)
        if key not in self._rows:
            group = next(group for group in _GROUPS if kind in group)
            for one in group:
                self._rows[(file, one)] = {}
            rows = self.source.links_to(self.numbers.ids[file], group)
            by_source = self._unpacked(map(LinkRow._make, rows))
            for (one, source, _), links in by_source.items():
                self._rows[(file, one)][source] = links
        found = self._rows[key]
        return {**self._stored(file, LinkKind.ITEM), **found} if kind == LinkKind.FIRST_ITEM else found

    def _unpacked(self, rows: Iterable[LinkRow]) -> dict[tuple[LinkKind, int, int], list[Link]]:
        """Links by kind, source and target; without what is gone."""
        found: dict[tuple[LinkKind, int, int], list[Link]] = {}
        for row in rows:
            kind = LinkKind(row.kind)
            try:
                source, target = self.numbers.file(row.source), self.numbers.file(row.target)
            except Stale:
                continue
            links = found[(kind, source, target)] = []
            for entry in marshal.loads(row.entries):  # noqa: S302 - our own bytes
                try:
                    links.append(self.numbers.link(kind, source, target, entry))
                except Stale:
                    continue
        return found

    def brought_by(self, file: int) -> dict[LinkKind, list[Link]]:
        """All links that a file brings, by kind and by target, those to one in order; first items only where stored."""
        rows = map(LinkRow._make, self.source.links_from(self.numbers.ids[file]))
        stored = self._unpacked(row for row in rows if file not in self.overlay.get(LinkKind(row.kind), {}))
        found: dict[LinkKind, list[Link]] = defaultdict(list)
        for (kind, _, _), links in stored.items():
            found[kind] += links
        for kind, brought in self.overlay.items():
            if file in brought:
                found[kind] = list(brought[file])
        ids = self.numbers.ids
        return {kind: sorted(links, key=lambda link: ids[link.target]) for kind, links in found.items()}

    def passed_to(self, file: int, level: int) -> dict[tuple[int, int], Values]:
        """What is passed for the parameters of a file's functions at a level."""
        key = (file, level)
        if key not in self._passed:
            packed = self.source.passed(self.numbers.ids[file], level)
            self._passed[key] = {} if packed is None else self.numbers.unpack_passed(file, packed)
        found = self._passed[key]
        changed = {
            place: values
            for place, values in self.passed[level].items()
            if self.program.definition_file[place[0]] == file
        }
        return {place: values for place, values in {**found, **changed}.items() if values} if changed else found

    def load_calls(self, file: int, *, with_passed_on: bool) -> None:
        """Enter the call sites of a file's functions."""
        for kind in CALL_KINDS if with_passed_on else CALL_KINDS[:3]:
            for link in self.brought_to(file, kind):
                self.engine.passing.add(link)


def _rules(program: Program, config_files: Mapping[str, bytes], family: str) -> list[Semantics]:
    """Semantics by file: of the one family that is looked at; the others are never asked."""
    mine: Semantics | None = None
    found: list[Semantics] = []
    other: Semantics = PlainSemantics()
    for name in program.languages:
        language = BY_NAME[name]
        if (language.family or name) != family:
            found.append(other)
            continue
        if mine is None:
            mine = language.new_semantics(program, config_files)
        found.append(mine)
    if mine is None:
        raise NotInPart
    return found
