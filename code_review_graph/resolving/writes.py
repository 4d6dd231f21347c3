"""What code puts elsewhere: ``self.x = v``, ``module.x = v``, ``d[k] = v``, ``xs.append(v)``."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from code_review_graph.facts import AttributeWrite, BindingKind, DefinitionKind, Tag
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
        self.items: dict[tuple[Any, ...], list[ItemEntry]] = defaultdict(list)
        self._deferred: list[tuple[int, int, AttributeWrite]] = []

    def of_class(self, definition: int, name: str) -> list[Write]:
        """Writes of an attribute of instances of a class (or of the class), in source order."""
        table = self._classes.get(definition)
        return table.get(name, []) if table else []

    def of_module(self, file: int, name: str) -> list[tuple[int, int]]:
        """Writes of a module's attribute from other places: (scope, value)."""
        table = self._modules.get(file)
        return table.get(name, []) if table else []

    def collect(self, trusted: list[bool]) -> None:
        """Fill the tables: writes through a method's own receiver first, then those whose target must be evaluated.

        ``trusted`` says for each file whether its writes into other files' classes count (tests patch things).
        """
        for file, facts in enumerate(self.program.files):
            base = self.program.scope_base[file]
            for write in facts.attribute_writes:
                scope = base + write.scope
                owner = self._receiver_class(scope, facts.expressions[write.target])
                if owner >= 0:
                    self._add(owner, write.name, (scope, write.value, write.annotation))
                else:
                    self._deferred.append((file, scope, write))
        found = [(item, self.engine.evaluate(item[1], item[2].target)) for item in self._deferred]
        for (file, scope, write), values in found:
            for value in values:
                if value[0] in {INSTANCE, CLASS, FUNCTION}:
                    if trusted[file] or self.program.definition_file[value[1]] == file:
                        self._add(value[1], write.name, (scope, write.value, write.annotation))
                elif value[0] == MODULE and value[1] >= 0 and trusted[file]:
                    for part in self.engine.semantics[value[1]].files_of(value):
                        table = self._modules.setdefault(part, {})
                        table.setdefault(write.name, []).append((scope, write.value))
        self._deferred.clear()
        self.engine.restart()

    def collect_items(self, passes: int = 2) -> None:
        """Fill the table of container elements; a container inside a container is found in the second pass."""
        for _ in range(passes):
            found = []
            for file, facts in enumerate(self.program.files):
                base = self.program.scope_base[file]
                for write in facts.item_writes:
                    scope = base + write.scope
                    values = self.engine.calls.expand(self.engine.evaluate(scope, write.target))
                    entry = (scope, write.key, write.value, write.block)
                    found += [(key, entry) for value in values if (key := self.item_key(value))]
            self.items.clear()
            for value, entry in found:
                self.items[value].append(entry)
            self.engine.restart()

    def item_key(self, value: Value) -> Value:
        """Under what the items of a container, or of a single object used as a table, are kept; () for none."""
        if value[0] == CONTAINER:
            return value
        is_object = value[0] == INSTANCE and self.program.definitions[value[1]].kind == DefinitionKind.OBJECT
        return (INSTANCE, value[1]) if is_object else ()

    def _add(self, definition: int, name: str, write: Write) -> None:
        self._classes.setdefault(definition, {}).setdefault(name, []).append(write)

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
