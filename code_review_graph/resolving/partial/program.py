"""A program of which a file is opened when something of it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from code_review_graph.facts import Definition, Expression, FileFacts, Scope
from code_review_graph.outlines import unpack_marks
from code_review_graph.program import Program
from code_review_graph.resolving.partial.source import FileEntry


class OnDemand(list[Any]):
    """A list whose parts come with their file."""

    def __init__(self, size: int, open_at: Callable[[int], None]) -> None:
        super().__init__([None] * size)
        self._open_at = open_at

    def __getitem__(self, index: Any) -> Any:  # noqa: ANN401 - as the list's own
        """As of any list; what is not there yet comes with its file."""
        found = super().__getitem__(index)
        if found is None:
            self._open_at(index)
            found = super().__getitem__(index)
        return found


class PartialProgram(Program):
    """Numbered as the whole program is, by outlines alone.

    ``facts_of`` opens a file; ``defining`` names the files in which something of a name may be defined.
    """

    def __init__(
        self,
        entries: Sequence[FileEntry],
        facts_of: Callable[[FileEntry], FileFacts],
        defining: Callable[[str], Iterable[int]],
    ) -> None:
        self.entries = entries
        self._facts_of = facts_of
        self._defining = defining
        self._counts = [entry.definitions for entry in entries]
        self._known_names: dict[tuple[str, bool], bool] = {}
        super().__init__(())
        self.paths = [entry.path for entry in entries]
        self.languages = [entry.language for entry in entries]
        self.file_of_path = {path: file for file, path in enumerate(self.paths)}
        for file, entry in enumerate(entries):
            self.scope_base.append(len(self.scope_file))
            self.definition_base.append(len(self.definition_file))
            self.scope_file += [file] * entry.scopes
            self.definition_file += [file] * entry.definitions
        self.files: list[FileFacts] = OnDemand(len(entries), self._open)
        self.expressions: list[list[Expression]] = OnDemand(len(entries), self._open)
        self.scopes: list[Scope] = OnDemand(len(self.scope_file), self._open_scope)
        self.parents: list[int] = OnDemand(len(self.scope_file), self._open_scope)
        self.definitions: list[Definition] = OnDemand(len(self.definition_file), self._open_definition)
        self.class_of: list[int] = OnDemand(len(self.definition_file), self._open_definition)

    def _open_scope(self, scope: int) -> None:
        self._open(self.scope_file[scope])

    def _open_definition(self, definition: int) -> None:
        self._open(self.definition_file[definition])

    def _open(self, file: int) -> None:
        facts = self._facts_of(self.entries[file])
        self.files[file] = facts
        self.expressions[file] = facts.expressions
        start = self.scope_base[file]
        for place, scope in enumerate(facts.scopes, start):
            self.scopes[place] = scope
            self.parents[place] = scope.parent + start if scope.parent >= 0 else -1
        first = self.definition_base[file]
        for place, definition in enumerate(facts.definitions, first):
            self.definitions[place] = definition
        for place in range(first, first + len(facts.definitions)):
            self.class_of[place] = self._enclosing_class(place)

    def definition_count(self, file: int) -> int:
        """How many definitions a file has."""
        return self._counts[file]

    def end_of_scopes(self, file: int) -> int:
        """The first scope after those of a file."""
        return self.scope_base[file] + self.entries[file].scopes

    def own_definitions(self, owner: int, key: str) -> list[int]:
        """Members of one name that are definitions, in order; of the class itself, not of its bases."""
        body = self.body_of(owner) if self.is_class(owner) else -1
        bindings = self.scopes[body].bindings.get(key, ()) if body >= 0 else ()
        base = self.definition_base[self.definition_file[owner]]
        return [base + payload for kind, payload, _ in bindings if kind == 0]

    def having(self, owners: Sequence[int | str], key: str) -> list[int]:
        """Those classes, in their order, that have a member of their own which is a definition of this name."""
        classes = [owner for owner in owners if isinstance(owner, int)]
        if len(classes) > 8:  # to ask where the name is defined is dearer than to open a few files
            files = set(self._defining(key))
            classes = [owner for owner in classes if self.definition_file[owner] in files]
        return [owner for owner in classes if self.own_definitions(owner, key)]

    def marked(self, flag: int) -> list[tuple[str, int]]:
        """Definitions with a flag that marks them, in order: (name to find it by, number)."""
        found: list[tuple[str, int]] = []
        for file, entry in enumerate(self.entries):
            if len(entry.marks) > 5:  # the packed empty list
                base = self.definition_base[file]
                found += [(mark.name, base + mark.place) for mark in unpack_marks(entry.marks) if mark.flags & flag]
        return found

    def is_defined(self, name: str) -> bool:
        """Whether any definition has a name."""
        return self._knows(name, members=False)

    def is_member(self, name: str) -> bool:
        """Whether any definition of a class has a name."""
        return self._knows(name, members=True)

    def _knows(self, name: str, *, members: bool) -> bool:
        key = (name, members)
        if key not in self._known_names:
            self._known_names[key] = any(self._has(file, name, members=members) for file in self._defining(name))
        return self._known_names[key]

    def _has(self, file: int, name: str, *, members: bool) -> bool:
        if not members:
            return any((item.key or item.name) == name for item in self.files[file].definitions)
        base = self.definition_base[file]
        return any(
            (item.key or item.name) == name and self.class_of[base + place] >= 0
            for place, item in enumerate(self.files[file].definitions)
        )
