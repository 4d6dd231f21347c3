"""Class hierarchies: bases by meaning, look-up order by C3, descendants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from code_review_graph.facts import Tag
from code_review_graph.resolving.structural import find_implementers
from code_review_graph.resolving.tables import Link, LinkKind
from code_review_graph.values import CLASS, EXTERNAL, FUNCTION, INSTANCE

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

Base = int | str  # a class definition, or the dotted name of a class outside the repository


class Classes:
    """Bases and orders of classes."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program
        self._orders: dict[int, tuple[Base, ...]] = {}
        self._heirs: dict[int, list[int]] = defaultdict(list)
        self._descendants: dict[int, list[int]] = {}
        self._extensions: dict[int, list[Base]] = {}
        self._implementers: dict[int, list[int]] | None = None

    def extend(self, definition: int, base: Base) -> None:
        """Give a class, an object or a function the members of one more base."""
        known = self._extensions.setdefault(definition, [])
        if base != definition and base not in known:
            known.append(base)

    def forget(self) -> None:
        """Forget orders and heirs: the facts that they rest on have grown."""
        self._orders.clear()
        self._descendants.clear()
        self._implementers = None
        self._heirs.clear()

    def bases(self, definition: int) -> list[Base]:
        """Direct bases, in order. Parametrised bases count as their heads."""
        scope = self.program.scope_of(definition)
        found: list[Base] = []
        for expression in self.program.definitions[definition].bases:
            for value in self._heads(scope, expression):
                if value not in found and value != definition:
                    found.append(value)
        for value in self._extensions.get(definition, ()):
            if value not in found:
                found.append(value)
        return found

    def _heads(self, scope: int, expression: int) -> list[Base]:
        shape = self.program.expressions[self.program.scope_file[scope]][expression]
        if shape[0] == Tag.INDEX:  # Base[X]
            return self._heads(scope, shape[1])
        values = self.engine.evaluate(scope, expression)
        classes: list[Base] = [value[1] for value in values if value[0] == CLASS][:1]
        outside: list[Base] = [value[1] for value in values if value[0] == EXTERNAL][:1]
        # A function that makes objects, and an object that others are made after, are bases too.
        return classes or outside or [value[1] for value in values if value[0] in {FUNCTION, INSTANCE}][:1]

    def linearization(self, definition: int) -> tuple[Base, ...]:
        """The class, then its bases in the order in which attributes are looked up."""
        known = self._orders.get(definition)
        if known is not None:
            return known
        key = ("order", definition)
        order = self.engine.remember(key, lambda: self._linearized(definition), (definition,))
        if key in self.engine.memo:
            self._orders[definition] = order
        return order

    def _linearized(self, definition: int) -> tuple[Base, ...]:
        bases = self.bases(definition)
        # Behind one base alone stands what stands behind that base, in whichever order.
        if len(bases) > 1 and self._is_by_depth(definition):
            return (definition, *self._by_depth(definition, bases))
        tails: list[list[Base]] = [
            list(self.linearization(base)) if isinstance(base, int) else [base] for base in bases
        ]
        merged = tails[0] if len(tails) == 1 else _c3([*tails, list(bases)])
        return (definition, *(_depth_first(tails) if merged is None else merged))

    def _is_by_depth(self, definition: int) -> bool:
        return self.engine.semantics[self.program.definition_file[definition]].nearest_member

    def _by_depth(self, definition: int, bases: list[Base]) -> list[Base]:
        """Bases by the number of steps that lead to them."""
        found: dict[Base, None] = {}
        level = bases
        while level:
            found.update(dict.fromkeys(level))
            inner = [base for item in level if isinstance(item, int) for base in self.bases(item)]
            level = [base for base in inner if base not in found and base != definition]
        return list(found)

    def implementers(self) -> dict[int, list[int]]:
        """Classes that implement each structural interface."""
        if self._implementers is None:
            self._implementers = find_implementers(self)
        return self._implementers

    def heirs(self, definition: int) -> list[int]:
        """Direct subclasses, in order of definition."""
        self.engine.loader.need(self.program.definition_file[definition])
        return self._heirs.get(definition, [])

    def find_heirs(self) -> list[Link]:
        """Look for the heirs of all classes; whatever asks meanwhile sees none."""
        found = [link for file in range(len(self.program.paths)) for link in self.inheritance(file)]
        self.forget()
        for link in found:
            self.add(link)
        for interface, implementers in self.implementers().items():
            self._heirs[interface] += [item for item in implementers if item not in self._heirs[interface]]
        self.engine.restart()
        return found

    def add(self, link: Link) -> None:
        """Enter an heir."""
        base, child = link.entry
        self._heirs[base].append(child)

    def inheritance(self, file: int) -> Iterator[Link]:
        """The classes of a file as heirs of their bases."""
        start = self.program.definition_base[file]
        for number in range(start, start + self.program.definition_count(file)):
            if self.program.is_class(number) or number in self._extensions:
                for base in self.bases(number):
                    if isinstance(base, int):
                        yield Link(LinkKind.HEIR, file, self.program.definition_file[base], (base, number))

    def descendants(self, definition: int) -> list[int]:
        """All subclasses, nearest first."""
        known = self._descendants.get(definition)
        if known is None:
            known, seen = [], {definition}
            queue = [definition]
            for item in queue:
                for heir in self.heirs(item):
                    if heir not in seen:
                        seen.add(heir)
                        known.append(heir)
                        queue.append(heir)
            self._descendants[definition] = known
        return known


def _c3(sequences: list[list[Base]]) -> list[Base] | None:
    """C3 merge; None when the orders contradict each other."""
    merged: list[Base] = []
    sequences = [sequence for sequence in sequences if sequence]
    while sequences:
        head = next((s[0] for s in sequences if not any(s[0] in other[1:] for other in sequences)), None)
        if head is None:
            return None
        merged.append(head)
        sequences = [rest for s in sequences if (rest := s[1:] if s[0] == head else s)]
    return merged


def _depth_first(sequences: list[list[Base]]) -> list[Base]:
    return list(dict.fromkeys(item for sequence in sequences for item in sequence))
