"""What code puts elsewhere: ``self.x = v``, ``module.x = v``, ``d[k] = v``, ``xs.append(v)``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from code_review_graph.facts import AttributeWrite, BindingKind, DefinitionKind, Tag
from code_review_graph.resolving.tables import Link, LinkKind
from code_review_graph.values import CLASS, CONTAINER, FUNCTION, INSTANCE, MODULE, Value

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

Write = tuple[int, int, int]  # scope, value expression, annotation expression
ItemEntry = tuple[int, int, int, int]  # scope, key expression, value expression, block


class Writes:
    """Tables of writes, by what they write into."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program
        self._classes: dict[int, dict[str, list[Write]]] = {}
        self._modules: dict[int, dict[str, list[tuple[int, int]]]] = {}
        self._items: dict[tuple[Any, ...], list[ItemEntry]] = defaultdict(list)

    # -- look-up

    def of_class(self, definition: int, name: str) -> list[Write]:
        """Writes of an attribute of instances of a class (or of the class), in source order."""
        self.engine.loader.need(self.program.definition_file[definition])
        table = self._classes.get(definition)
        return table.get(name, []) if table else []

    def names_of(self, definition: int) -> list[str]:
        """Attributes of a class that are written."""
        self.engine.loader.need(self.program.definition_file[definition])
        return list(self._classes.get(definition, ()))

    def of_module(self, file: int, name: str) -> list[tuple[int, int]]:
        """Writes of a module's attribute from other places: (scope, value)."""
        self.engine.loader.need(file)
        table = self._modules.get(file)
        return table.get(name, []) if table else []

    def items(self, key: Value) -> list[ItemEntry]:
        """Writes of elements into what ``item_key`` names."""
        self.engine.loader.need(self.file_of_key(key))
        return self._items.get(key, [])

    def item_key(self, value: Value) -> Value:
        """Under what the items of a container, or of a single object used as a table, are kept; () for none."""
        if value[0] == CONTAINER:
            return value
        is_object = value[0] == INSTANCE and self.program.definitions[value[1]].kind == DefinitionKind.OBJECT
        return (INSTANCE, value[1]) if is_object else ()

    def file_of_key(self, key: Value) -> int:
        """The file in which a container is made, or a single object defined."""
        return self.program.scope_file[key[1]] if key[0] == CONTAINER else self.program.definition_file[key[1]]

    # -- filling

    def add(self, link: Link) -> None:
        """Enter one write."""
        kind, _, target, entry = link
        if kind in {LinkKind.OWN_WRITE, LinkKind.WRITE}:
            definition, name, *write = entry
            self._classes.setdefault(definition, {}).setdefault(name, []).append((write[0], write[1], write[2]))
        elif kind == LinkKind.MODULE_WRITE:
            name, scope, value = entry
            self._modules.setdefault(target, {}).setdefault(name, []).append((scope, value))
        else:
            key, *item = entry
            self._items[key].append((item[0], item[1], item[2], item[3]))

    def clear(self) -> None:
        """Empty all tables."""
        self._classes.clear()
        self._modules.clear()
        self._items.clear()

    def collect(self) -> list[Link]:
        """Fill the tables of attributes: those written through a method's own receiver help to find the others."""
        files = range(len(self.program.paths))
        own = [link for file in files for link in self.own(file)]
        for link in own:
            self.add(link)
        others = [link for file in files for link in self.others(file)]
        for link in others:
            self.add(link)
        self.engine.restart()
        return own + others

    def collect_items(self, kind: LinkKind) -> list[Link]:
        """Fill the table of elements anew, by what it held."""
        found = [link for file in range(len(self.program.paths)) for link in self.put(file, kind)]
        self._items.clear()
        for link in found:
            self.add(link)
        self.engine.restart()
        return found

    # -- of one file

    def own(self, file: int) -> Iterator[Link]:
        """Writes of a file through a method's own receiver."""
        for scope, write, owner in self._attribute_writes(file):
            if owner >= 0:
                entry = (owner, write.name, scope, write.value, write.annotation)
                yield Link(LinkKind.OWN_WRITE, file, self.program.definition_file[owner], entry)

    def others(self, file: int) -> Iterator[Link]:
        """Writes of a file whose target must be evaluated; into other files' classes unless tests patch them."""
        is_trusted = not self.engine.semantics[file].testing.is_test_path(self.program.paths[file])
        for scope, write, owner in self._attribute_writes(file):
            for value in self.engine.evaluate(scope, write.target) if owner < 0 else ():
                if value[0] in {INSTANCE, CLASS, FUNCTION}:
                    target = self.program.definition_file[value[1]]
                    if is_trusted or target == file:
                        entry = (value[1], write.name, scope, write.value, write.annotation)
                        yield Link(LinkKind.WRITE, file, target, entry)
                elif value[0] == MODULE and value[1] >= 0 and is_trusted:
                    for part in self.engine.semantics[value[1]].files_of(value):
                        yield Link(LinkKind.MODULE_WRITE, file, part, (write.name, scope, write.value))

    def put(self, file: int, kind: LinkKind) -> Iterator[Link]:
        """Elements that a file puts into containers."""
        base = self.program.scope_base[file]
        for write in self.program.files[file].item_writes:
            scope = base + write.scope
            for value in self.engine.calls.expand(self.engine.evaluate(scope, write.target)):
                key = self.item_key(value)
                if key:
                    yield Link(kind, file, self.file_of_key(key), (key, scope, write.key, write.value, write.block))

    def _attribute_writes(self, file: int) -> Iterator[tuple[int, AttributeWrite, int]]:
        """Writes of a file with their scopes and the class through whose receiver they go, -1 for any other."""
        facts, base = self.program.files[file], self.program.scope_base[file]
        for write in facts.attribute_writes:
            scope = base + write.scope
            yield scope, write, self._receiver_class(scope, facts.expressions[write.target])

    def _receiver_class(self, scope: int, target: tuple[Any, ...]) -> int:
        """Class whose method's first parameter a name is; -1 for anything else."""
        if target[0] == Tag.SELF:
            return self.engine.receivers.owner(scope)[1]
        if target[0] != Tag.NAME:
            return -1
        bindings = self.engine.names.bindings(scope, target[1], target[2], target[3])
        if len(bindings) != 1:
            return -1
        where, (kind, payload, _) = bindings[0]
        if kind != BindingKind.PARAMETER or payload != 0:
            return -1
        function = self.program.owner_of(where)
        return self.program.class_of[function] if self.program.takes_receiver(function) else -1
