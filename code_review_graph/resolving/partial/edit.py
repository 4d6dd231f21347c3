"""The two states of a repository that an edit lies between, each evaluated as far as it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from code_review_graph.facts import FileFacts, unpack
from code_review_graph.languages import BY_NAME
from code_review_graph.outlines import mentions_any, name_hash, outline_of
from code_review_graph.resolving.partial.numbers import Slots, unpack_slots
from code_review_graph.resolving.partial.program import PartialProgram
from code_review_graph.resolving.partial.slots import assign_slots
from code_review_graph.resolving.partial.source import FileEntry, NotInPart, Source
from code_review_graph.resolving.partial.touched import Parts, Touched, find_touched
from code_review_graph.resolving.partial.world import World


class Edit:
    """The two states, and what is known of how they differ."""

    def __init__(
        self, source: Source, changes: Mapping[str, FileFacts | None], config_files: Mapping[str, bytes]
    ) -> None:
        self.source = source
        before = [FileEntry._make(row) for row in source.entries()]
        known = {entry.path: entry for entry in before}
        self._facts: dict[int, FileFacts] = {}
        self._parts: dict[int, Parts] = {}
        self._mentions: list[tuple[int, bytes]] | None = None
        self.removed = [path for path, facts in changes.items() if facts is None and path in known]
        self.edited = {path: facts for path, facts in changes.items() if facts is not None}
        family = _family(known, changes)
        kept = source.slots()
        self.slots_before = {file_id: unpack_slots(packed) for file_id, packed in kept.items()}
        self.slots: dict[int, Slots | None] = dict(self.slots_before)
        after = self._entries_after(before, known)
        old = PartialProgram(before, self._stored, self._defining_before)
        new = PartialProgram(after, self._current, self.defining_after)
        if old.paths == new.paths:
            new.by_paths = old.by_paths
        self._ids_before = {entry.id: file for file, entry in enumerate(before)}
        self._ids_after = {entry.id: file for file, entry in enumerate(after)}
        self._edited_ids = {known[path].id for path in self.edited if path in known}
        self._gone_ids = {known[path].id for path in self.removed}
        self.old = World(old, source, config_files, family, lambda file: self.slots_before.get(before[file].id))
        self.new = World(new, source, config_files, family, lambda file: self.slots.get(after[file].id))
        self._was_mine = [(BY_NAME[name].family or name) == family for name in old.languages]
        self._is_mine = [(BY_NAME[name].family or name) == family for name in new.languages]

    def _entries_after(self, before: list[FileEntry], known: Mapping[str, FileEntry]) -> list[FileEntry]:
        after = {entry.path: entry for entry in before}
        for path in self.removed:
            del after[path]
        free = max((entry.id for entry in before), default=0) + 1
        free = max(free, self.source.next_file())
        for path, facts in sorted(self.edited.items()):
            outline = outline_of(facts)
            entry = known.get(path)
            if entry is not None:
                self.slots[entry.id] = assign_slots(self._stored(entry), self.slots_before.get(entry.id), facts)
            identity = entry.id if entry is not None else free
            free += entry is None
            after[path] = FileEntry(identity, path, facts.language, outline.scopes, outline.definitions, outline.marks)
        return sorted(after.values(), key=lambda entry: entry.path)

    # -- facts

    def facts_before(self, path: str) -> FileFacts:
        """Facts of a file before the edit."""
        return self.old.program.files[self.old.program.file_of_path[path]]

    def _stored(self, entry: FileEntry) -> FileFacts:
        facts = self._facts.get(entry.id)
        if facts is None:
            facts = self._facts[entry.id] = unpack(self.source.packed_facts(entry.id))
        return facts

    def _current(self, entry: FileEntry) -> FileFacts:
        return self.edited.get(entry.path) or self._stored(entry)

    def _defining_before(self, name: str) -> Iterable[int]:
        files = [self._ids_before[item] for item in self.source.defining(name) if item in self._ids_before]
        return [file for file in files if self._was_mine[file]]

    def defining_after(self, name: str) -> Iterable[int]:
        """Files after the edit in which something of a name may be defined."""
        untouched = [item for item in self.source.defining(name) if item not in self._edited_ids]
        files = [self._ids_after[item] for item in untouched if item in self._ids_after]
        files = [file for file in files if self._is_mine[file]]
        for path, facts in self.edited.items():
            if any((item.key or item.name) == name for item in facts.definitions):
                files.append(self.new.program.file_of_path[path])
        return files

    def touched(self, file: int) -> Touched | None:
        """Parts of an edited file that say something else; None for a new one, of which all does."""
        entry = self.new.program.entries[file]
        if self.before(file) < 0:
            return None
        slots = self.slots_before.get(entry.id), self.slots.get(entry.id)
        return find_touched(self._stored(entry), slots[0], self.edited[entry.path], slots[1])

    def parts(self, file: int) -> Parts:
        """Parts of a file after the edit, to be found by the names that they use."""
        if file not in self._parts:
            entry = self.new.program.entries[file]
            self._parts[file] = Parts(self.new.program.files[file], self.slots.get(entry.id))
        return self._parts[file]

    def after(self, file: int) -> int:
        """The number after the edit of a file before it; -1 when it is gone."""
        return self._ids_after.get(self.old.numbers.ids[file], -1)

    def before(self, file: int) -> int:
        """The number before the edit of a file after it; -1 when it is new."""
        return self._ids_before.get(self.new.numbers.ids[file], -1)

    def mentioning(self, names: Iterable[str]) -> list[int]:
        """Files after the edit, not edited, of the family, that may use one of some names."""
        hashes = frozenset(map(name_hash, names))
        if self._mentions is None:
            self._mentions = self.source.mentions()
        mentioning = [file_id for file_id, packed in self._mentions if mentions_any(packed, hashes)]
        found = [self._ids_after[item] for item in mentioning if item in self._ids_after]
        return [file for file in found if self._is_mine[file] and self.new.numbers.ids[file] not in self._edited_ids]


def _family(known: Mapping[str, FileEntry], changes: Mapping[str, FileFacts | None]) -> str:
    names = {facts.language for facts in changes.values() if facts is not None}
    names |= {known[path].language for path in changes if path in known}
    languages = [BY_NAME[name] for name in names]
    families = {language.family or language.name for language in languages}
    if len(families) != 1 or not all(language.in_part for language in languages):
        raise NotInPart
    return families.pop()
