"""Finding what an edit can reach.

A file is *dirty* when its own edges may differ. Edited files are; so is a file that uses a name which a dirty file
answers otherwise now, one whose functions are passed something else, and one that others write into otherwise. When no
dirty file answers otherwise any more, the rest of the graph is as it was.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from typing import Final

from code_review_graph.facts import Site
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.drawing import Drawer
from code_review_graph.resolving.members import MAX_SUBCLASSES
from code_review_graph.resolving.partial.answers import Answers, FileAnswers, compare
from code_review_graph.resolving.partial.calls import changed_parameters
from code_review_graph.resolving.partial.edit import Edit
from code_review_graph.resolving.partial.nodes import PartialNodes
from code_review_graph.resolving.partial.numbers import slot_of
from code_review_graph.resolving.partial.sites import Sites
from code_review_graph.resolving.partial.source import NotInPart
from code_review_graph.resolving.partial.touched import Touched
from code_review_graph.resolving.partial.world import CALL_KINDS, LEVELS, Stage, World, level_of
from code_review_graph.resolving.structure import draw_containment, draw_fixtures, draw_hierarchy, draw_imports
from code_review_graph.resolving.tables import Link, LinkKind

# More than this is no small change, and to resolve everything is not much dearer.
MAX_DIRTY: Final = 160
# CPU that may be spent: a third of what resolving everything would take, and a little for small repositories.
SECONDS_A_FILE: Final = 0.0015
FEWEST_SECONDS: Final = 1.0
_ROUNDS: Final = 12
_LOCAL: Final = (
    (Stage.NOTHING, (LinkKind.HEIR, LinkKind.OWN_WRITE)),
    (Stage.HEIRS, (LinkKind.WRITE, LinkKind.MODULE_WRITE)),
    (Stage.WRITES, (LinkKind.FIRST_ITEM,)),
    (Stage.FIRST_ITEMS, (LinkKind.ITEM,)),
)
_ON: Final = {LinkKind.PASS: LinkKind.PASS_ON, LinkKind.GIVE: LinkKind.GIVE_ON}
_NONE: Final = Touched()
_NO_ANSWERS: Final = FileAnswers({}, {}, {}, {}, {}, set())


class Spread:
    """Finds the dirty files of an edit, and draws them."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        self.old, self.new = edit.old, edit.new
        self.dirty: set[int] = set()  # by their numbers after the edit
        self.changed: set[Hashable] = set()  # definitions and parameters that answer otherwise, by lasting number
        self.gone = {edit.old.program.file_of_path[path] for path in edit.removed}
        self.dirty_before = set(self.gone)
        self.collector = Collector()
        self._names: set[str] = set()
        self._only: dict[int, Touched | None] = {}
        self._waiting: dict[int, list[tuple[int, Site]]] = defaultdict(list)
        self._open: dict[int, list[tuple[int, Site]]] = {}  # calls that are to be passed on
        self._sites: dict[int, Sites] = {}
        self._brought: dict[int, list[Link]] = {}  # calls that files brought before
        self._drawn: dict[int, list[Link]] = defaultdict(list)  # and that their sites that were drawn bring
        self._drawn_on: dict[int, list[Link]] = defaultdict(list)
        self._local: set[int] = set()
        self._passes_on = False
        self._made: set[int] = set()
        self._until = time.process_time() + max(FEWEST_SECONDS, SECONDS_A_FILE * len(edit.new.program.paths))
        books = {semantics for semantics in edit.new.engine.semantics if semantics.constructors}
        self._constructors = frozenset(name for book in books for names, _ in book.constructors for name in names)
        self.new.enter(Stage.PLAIN)
        self.nodes = PartialNodes(edit)
        self.drawer = Drawer(self.new.engine, self.nodes, self.collector)

    def run(self) -> None:
        """Find all dirty files, and draw them."""
        edited = [self.new.program.file_of_path[path] for path in self.edit.edited]
        self._add(edited)
        self._only.update({file: self.edit.touched(file) for file in edited})
        self._ask_for_modules()
        self._settle(Stage.PLAIN)
        if self._is_still():
            self._pass_on()
        else:
            for stage in LEVELS:
                self._pass(stage)
                self._settle(stage)
            self.new.enter(LEVELS[-1])
        self._draw_last()

    def _is_still(self) -> bool:
        """Whether no part of any file can answer or call otherwise: only lines have moved."""
        return not self.gone and all(only is not None and only.is_empty() for only in self._only.values())

    def hurry(self) -> None:
        """Raise NotInPart when too much was spent: whichever way is taken, the graph is the same."""
        if time.process_time() > self._until:
            raise NotInPart

    # -- becoming dirty

    def _add(self, files: Iterable[int]) -> bool:
        added = [file for file in files if file not in self.dirty]
        self.dirty.update(added)
        for file in added:
            self._only.setdefault(file, Touched())
        self.dirty_before.update(self.edit.before(file) for file in added)
        if len(self.dirty) > MAX_DIRTY:
            raise NotInPart
        return bool(added)

    def _ask_for_modules(self) -> None:
        """Of files that came or went the very names, and those of their folders, mean something else."""
        program = self.new.program
        came = [path for path in self.edit.edited if self.edit.before(program.file_of_path[path]) < 0]
        for path in (*came, *self.edit.removed):
            parts = path.rsplit(".", 1)[0].split("/")
            if parts[-1].startswith("__"):
                raise NotInPart
            self._ask(parts)

    def _ask(self, names: Iterable[str]) -> bool:
        """Files that use names which are answered otherwise become dirty."""
        fresh = set(names) - self._names
        if not fresh:
            return False
        self._names |= fresh
        added = self._add(self.edit.mentioning(fresh))
        # Whoever was dirty before may use them as well.
        return self._widen(sorted(self.dirty), self._names if added else fresh) or added

    def only(self, file: int) -> Touched | None:
        """Parts of a dirty file that can answer otherwise; None when any can."""
        return self._only[file]

    def _widen(self, files: Iterable[int], names: Iterable[str]) -> bool:
        """Parts of dirty files that use names which are answered otherwise can answer otherwise; whether any is new."""
        asked = list(names)
        grown = False
        for file in files:
            only = self._only[file]
            if only is not None:
                grown = only.add(self.edit.parts(file).using(asked)) or grown
        return grown

    def _open_all(self, files: Iterable[int]) -> bool:
        """Any part of these files can answer otherwise."""
        opened = [file for file in files if self._only.get(file, _NONE) is not None]
        grown = self._add(opened)
        self._only.update(dict.fromkeys(opened))
        return grown or bool(opened)

    # -- settling

    def _settle(self, stage: Stage) -> None:
        """Go on until no dirty file answers otherwise than was known at this stage."""
        for _ in range(_ROUNDS):
            if stage == Stage.PLAIN:
                self._bring_local()
            else:
                self._draw_new()
            if self._is_still():
                break
            self._enter(stage)
            if not self._compare():
                break
        else:
            raise NotInPart
        self._draw_new()

    def _enter(self, stage: Stage) -> None:
        self.old.enter(stage)
        self.new.enter(stage)

    def _bring_local(self) -> None:
        """What dirty files bring to others before anything is passed; who gets something else becomes dirty."""
        fresh = sorted(self.dirty - self._local)
        self._local.update(fresh)
        for stage, kinds in _LOCAL if fresh else ():
            self.new.enter(stage)
            for file in fresh:
                links = list(self._local_links(file, kinds[0]))
                if kinds[0] == LinkKind.HEIR:
                    self._check_heirs_of(file, links)
                self.new.bring(file, kinds, links)

    def _local_links(self, file: int, kind: LinkKind) -> Iterator[Link]:
        writes = self.new.engine.members_of.writes
        if kind == LinkKind.HEIR:
            yield from self.new.engine.members_of.classes.inheritance(file)
            yield from writes.own(file)
        elif kind == LinkKind.WRITE:
            yield from writes.others(file)
        else:
            yield from writes.put(file, kind)

    def _check_heirs_of(self, file: int, links: list[Link]) -> None:
        """Look at the classes that got or lost an heir in a file."""
        old_file = self.edit.before(file)
        brought = self.old.brought_by(old_file) if old_file >= 0 else {}
        before = {_heir(self.old, link): (self.old, link) for link in brought.get(LinkKind.HEIR, ())}
        now = {_heir(self.new, link): (self.new, link) for link in links if link.kind == LinkKind.HEIR}
        for told in before.keys() ^ now.keys():
            world, link = now[told] if told in now else before[told]
            self._check_heirs(world, link.entry[0])

    @staticmethod
    def _check_heirs(world: World, base: int) -> None:
        """Of very many heirs only the first are looked at: one that comes or goes may stand in another's place."""
        classes = world.engine.members_of.classes
        for ancestor in classes.linearization(base):
            if isinstance(ancestor, int) and len(classes.descendants(ancestor)) >= MAX_SUBCLASSES - 1:
                raise NotInPart

    def _compare(self) -> bool:
        """Compare the answers of all dirty files; whether anything new came of it."""
        before = Answers(self.old, self.dirty_before, set())
        now = Answers(self.new, self.dirty, self.changed)
        names: set[str] = set()
        containers: set[int] = set()
        grown = False
        known = len(self.changed)
        for file in sorted(self.dirty):
            self.hurry()
            old_file = self.edit.before(file)
            only = self.only(file)
            was = before.of_file(old_file, only) if old_file >= 0 else _NO_ANSWERS
            difference = compare(was, now.of_file(file, only), self._constructors)
            grown = self._make(difference.made) or grown
            if difference.is_nameless:
                grown = self._open_all([file]) or grown
            names |= difference.names
            containers |= difference.containers
            self.changed |= difference.definitions
        for file in self.gone:
            difference = compare(before.of_file(file), _NO_ANSWERS, self._constructors)
            names |= difference.names
            containers |= difference.containers
        holding = [self.new.numbers.file_of_id[item] for item in containers if item in self.new.numbers.file_of_id]
        grown = self._ask(names) or grown
        return self._open_all(holding) or grown or len(self.changed) > known

    def _make(self, classes: Iterable[int]) -> bool:
        """Who makes a value of a class, or of one below it, or calls a constructor from below, may do otherwise."""
        grown = False
        for lasting in set(classes) - self._made:
            self._made.add(lasting)
            number = self.new.numbers.definition_at(lasting)
            program, found = self.new.program, self.new.engine.members_of.classes
            below = [number, *found.descendants(number)]
            grown = self._ask(program.definitions[item].name for item in below) or grown
            files = {program.definition_file[item] for item in below}
            grown = self._add(files) or grown
            grown = self._widen(sorted(files), self._constructors) or grown
        return grown

    # -- drawing

    def _draw_new(self) -> None:
        """Draw what became dirty, as far as nothing has to be known of callers."""
        fresh = sorted(self.dirty - self._sites.keys())
        for file in fresh:
            brought = self.new.brought_by(file)
            self._brought[file] = [link for kind in CALL_KINDS for link in brought.get(kind, ())]
            self._sites[file] = Sites(self.edit, self.nodes, file)
            self._sites[file].note(self._brought[file])
        waiting = {file: self._undrawn(file) for file in sorted(self.dirty)}
        waiting = {file: sites for file, sites in waiting.items() if sites or file in fresh}
        if not waiting:
            return
        stage = self.new.stage
        self.new.enter(Stage.PLAIN)
        for file, sites in waiting.items():
            self.hurry()
            self._draw(file, sites)
        draw_imports(self.new.engine, self.nodes, self.collector, fresh)
        draw_hierarchy(self.new.engine, self.nodes, self.collector, fresh)
        if self._passes_on:
            self.new.enter(Stage.LEVEL_1)
            self._pass_on()
        self.new.enter(stage)

    def _undrawn(self, file: int) -> list[Site]:
        return self._sites[file].undrawn(self._only[file], lambda load: self.drawer.may_be_property(file, load))

    def _draw(self, file: int, sites: list[Site]) -> None:
        passing = self.new.engine.passing
        passing.clear_calls()
        self.drawer.open_calls = []
        self._waiting[file] += [(file, site) for site in sites if self.drawer.draw(file, site)]
        self._open[file] = self.drawer.open_calls
        self._drawn[file] += passing.links(first_only=True)
        passing.clear_calls()
        before = [link for link in self._brought[file] if link.kind not in _ON.values()]
        self.new.bring(file, CALL_KINDS[:3], self._sites[file].merged(before, self._drawn[file]))

    def _pass(self, stage: Stage) -> None:
        """What is passed at the next level; files whose functions get something else become dirty."""
        level = level_of(stage)
        self._enter(Stage(stage - 1))
        for place, values in changed_parameters(self, level).items():
            self.new.passed[level][place] = values
            self.changed.add((self.new.numbers.definition(place[0]), place[1]))
            self._fill(place[0])
        if level == 1:
            self._passes_on = True
            self.new.enter(stage)
            self._pass_on()

    def _fill(self, function: int) -> None:
        """A function that is passed something else may answer, and call, otherwise."""
        file = self.new.program.definition_file[function]
        self._add([file])
        only = self._only[file]
        if only is not None:
            slot = slot_of(self.new.numbers.definition(function))
            only.definitions.add(slot)
            only.callers.add(slot)

    def _pass_on(self) -> None:
        """What dirty files pass to functions that are known by the first level."""
        passing = self.new.engine.passing
        for file in sorted(self._open):
            passing.clear_calls()
            for item in self._open[file]:
                self.drawer.pass_on(*item)
            links = [link._replace(kind=_ON[link.kind]) for link in passing.links(first_only=True) if link.kind in _ON]
            brought = self.new.brought_by(file)
            first = {link._replace(kind=after) for kind, after in _ON.items() for link in brought.get(kind, ())}
            self._drawn_on[file] += [link for link in links if link not in first]
            before = [link for link in self._brought[file] if link.kind in _ON.values()]
            self.new.bring(file, _ON.values(), self._sites[file].merged(before, self._drawn_on[file]))
        passing.clear_calls()
        self._open.clear()

    def _draw_last(self) -> None:
        self.drawer.is_again = True
        for file in sorted(self.dirty):
            for item in self._waiting[file]:
                self.drawer.draw(*item)
        self.drawer.finish()
        draw_containment(self.nodes, self.collector)
        draw_fixtures(self.new.engine, self.nodes, self.collector, sorted(self.dirty))

    def add_kept(self) -> None:
        """What the nodes that were not drawn have in the graph."""
        for sites in self._sites.values():
            sites.add_kept(self.collector)


def _heir(world: World, link: Link) -> Hashable:
    """A base and its heir, comparable between worlds."""
    return world.numbers.definition(link.entry[0]), world.numbers.definition(link.entry[1])
