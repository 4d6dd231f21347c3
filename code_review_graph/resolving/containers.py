"""What is inside: displays and comprehensions, builtin collections, generators, iterators, context managers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from code_review_graph.facts import NO_EXPRESSION, BindingKind, DefinitionFlag, DefinitionKind, Expression, Tag
from code_review_graph.resolving.writes import ItemEntry
from code_review_graph.values import (
    BOUND,
    CLASS,
    CONTAINER,
    EMPTY,
    EXACT,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    GENERATOR,
    INFERRED,
    INSTANCE,
    LITERAL,
    Value,
    Values,
    as_values,
    merge,
)

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

_MAPPINGS: Final = ("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict", "DefaultDict")
# Elements of a display that are looked at; more are data.
MAX_ITEMS: Final = 64
_AWAITABLES: Final = ("Awaitable", "Coroutine", "Future", "Task")


class Containers:
    """Looks into containers."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program

    # -- elements

    def elements(self, values: Values, key: Value | None = None) -> Values:
        """Values inside containers: what ``x[key]`` gives; under any key when it is not known."""
        found: Values = {}
        for value, certainty in self.engine.calls.expand(values).items():
            merge(found, self._elements_of(value, key), max(certainty, INFERRED))
        return found

    def _elements_of(self, value: Value, key: Value | None) -> Values:
        if value[0] == CONTAINER:
            return self.engine.remember(("elements", value, key), lambda: self._inside(value, key))
        if value[0] == EXTERNAL_INSTANCE and value[2]:
            if value[1].endswith(_MAPPINGS):
                return as_values(value[2][-1])
            if value[1].endswith(("tuple", "Tuple")):
                return self._tuple_item(value, key)
            return as_values(value[2][0])
        if value[0] == INSTANCE:
            field = self._field(value, key)
            item = field or self.engine.calls.returned(self.engine.members({value: EXACT}, "__getitem__"))
            return item or self._table(value, key) or self.elements(self.engine.calls.underlying(value[1]), key)
        if value[0] == GENERATOR:
            return self._yielded(value)
        if value[0] == CLASS and self.engine.members_of.is_enumeration(value[1]):
            return {(INSTANCE, value[1], True, ()): INFERRED}
        return EMPTY

    def _table(self, value: Value, key: Value | None) -> Values:
        """Members of a single object that is used as a table: the named one, or any of a few."""
        if self.program.definitions[value[1]].kind != DefinitionKind.OBJECT:
            return EMPTY
        names = [key[2]] if key is not None else self.program.own_keys(value[1])[:MAX_ITEMS]
        found: Values = {}
        for name in names:
            merge(found, self.engine.members({value: EXACT}, name) if isinstance(name, str) else EMPTY)
        for where, key_expression, item, _ in self.engine.members_of.writes.items((INSTANCE, value[1])):
            if self._may_match(where, key_expression, key):
                merge(found, self.engine.evaluate(where, item))
        return found

    def _field(self, value: Value, key: Value | None) -> Values:
        """A field of a named tuple by its place, of a typed dictionary by its name."""
        if key is None or not {"typing.NamedTuple", "typing.TypedDict"} & set(self.engine.linearization(value[1])):
            return EMPTY
        name = key[2]
        if isinstance(name, int):
            scope = self.program.scopes[self.program.body_of(value[1])]
            fields = [item for item, bindings in scope.bindings.items() if bindings[0][0] == BindingKind.DECLARED]
            name = fields[name] if -len(fields) <= name < len(fields) else ""
        return self.engine.members({value: EXACT}, name) if isinstance(name, str) and name else EMPTY

    def _tuple_item(self, value: Value, key: Value | None) -> Values:
        items = value[2]
        place = key[2] if key is not None and key[1] == "int" else None
        if isinstance(place, int) and -len(items) <= place < len(items):
            return as_values(items[place])
        found: Values = {}
        for item in items:
            merge(found, as_values(item))
        return found

    def _inside(self, value: Value, key: Value | None) -> Values:
        _, scope, expression = value
        shape = self.program.expressions[self.program.scope_file[scope]][expression]
        writes = self.engine.members_of.writes.items(value)
        found: Values = {}
        if not self._is_overwritten(scope, key, writes):
            merge(found, self._displayed(scope, shape, key))
        for where, key_expression, item, _ in writes:
            if self._may_match(where, key_expression, key):
                merge(found, self.engine.evaluate(where, item))
        return found

    def _displayed(self, scope: int, shape: Expression, key: Value | None) -> Values:
        """What the expression that makes a container puts into it."""
        tag = shape[0]
        if tag == Tag.SEQUENCE:
            return self._listed(scope, shape[2], key)
        if tag == Tag.MAPPING:
            return self._mapped(scope, shape[1], key)
        if tag == Tag.GENERATE:
            inner = self.program.scope_base[self.program.scope_file[scope]] + shape[1]
            return self.engine.evaluate(inner, shape[2])
        found: Values = {}
        for argument in shape[2] if tag == Tag.CALL else ():
            merge(found, self.iterate(self.engine.evaluate(scope, argument)))
        return found

    def _listed(self, scope: int, items: tuple[int, ...], key: Value | None) -> Values:
        place = key[2] if key is not None and key[1] == "int" else None
        if isinstance(place, int) and -len(items) <= place < len(items):
            return self.engine.evaluate(scope, items[place])
        found: Values = {}
        for item in items[:MAX_ITEMS] if key is None or key[1] == "int" else ():
            merge(found, self.engine.evaluate(scope, item))
        return found

    def _mapped(self, scope: int, pairs: tuple[tuple[int, int], ...], key: Value | None) -> Values:
        found: Values = {}
        for key_expression, item in pairs[:MAX_ITEMS]:
            if key_expression == NO_EXPRESSION:
                merge(found, self.elements(self.engine.evaluate(scope, item), key))
            elif self._may_match(scope, key_expression, key):
                merge(found, self.engine.evaluate(scope, item))
        return found

    def _may_match(self, scope: int, key_expression: int, key: Value | None) -> bool:
        if key is None or key_expression == NO_EXPRESSION:
            return True
        keys = self.engine.calls.expand(self.engine.evaluate(scope, key_expression))
        known = [value for value in keys if value[0] == LITERAL and value[2] is not None]
        return not known or len(known) < len(keys) or key in known

    def _is_overwritten(self, scope: int, key: Value | None, writes: Sequence[ItemEntry]) -> bool:
        """A later plain assignment under the same key, in the same straight line of code, replaces the first value."""
        if key is None:
            return False
        root = self.program.scopes[scope].block
        for where, key_expression, _, block in writes:
            if where == scope and block == root and key_expression != NO_EXPRESSION:
                keys = self.engine.evaluate(where, key_expression)
                if list(keys) == [key]:
                    return True
        return False

    # -- unpacking

    def unpack(self, values: Values, place: int, scope: int) -> Values:
        """The place-th of an unpacked value."""
        semantics = self.engine.semantics[self.program.scope_file[scope]]
        found: Values = {}
        for value, certainty in self.engine.calls.expand(values).items():
            key = (LITERAL, "int", place)
            if value[0] in {CONTAINER, EXTERNAL_INSTANCE} or (value[0] == INSTANCE and self._field(value, key)):
                merge(found, self._elements_of(value, key), max(certainty, INFERRED))
            elif value[0] == EXTERNAL:
                merge(found, semantics.unpacked(value[1], place), INFERRED)
            else:
                merge(found, self.iterate({value: certainty}))
        return found

    def slice(self, values: Values, start: int | None) -> Values:
        """A part of a sequence: its first element when the start is known, else some element."""
        found: Values = {}
        for value, certainty in self.engine.calls.expand(values).items():
            shape = self._shape(value)
            if shape is not None and shape[0] == Tag.SEQUENCE and start is not None and start >= 0:
                rest = self._rest(value, shape, start)
                merge(found, {rest: certainty})
            elif value[0] in {CONTAINER, EXTERNAL_INSTANCE}:
                merge(found, {value: certainty})
            elif value[0] == INSTANCE:
                merge(found, self._elements_of(value, None), INFERRED)
        return found

    def _shape(self, value: Value) -> Expression | None:
        if value[0] != CONTAINER:
            return None
        return self.program.expressions[self.program.scope_file[value[1]]][value[2]]

    def _rest(self, value: Value, shape: Expression, start: int) -> Value:
        """A typed tuple that holds what is left of a display."""
        items: tuple[int, ...] = shape[2]
        rest = tuple([frozenset(self.engine.evaluate(value[1], item)) for item in items[start : start + 16]])
        return (EXTERNAL_INSTANCE, "builtins.tuple", rest)

    # -- iteration

    def iterate(self, values: Values) -> Values:
        """Values that a loop over these sees."""
        found: Values = {}
        for value, certainty in self.engine.calls.expand(values).items():
            merge(found, self._iterated(value), max(certainty, INFERRED))
        return found

    def _iterated(self, value: Value) -> Values:
        if value[0] == EXTERNAL_INSTANCE and value[2] and value[1].endswith(_MAPPINGS):
            return as_values(value[2][0])
        if value[0] == CONTAINER and (self._shape(value) or (0,))[0] == Tag.MAPPING:
            return EMPTY
        if value[0] == INSTANCE:
            found = self._by_protocol(value) or self.iterate(self.engine.calls.underlying(value[1]))
            return found or self._of_bases(value)
        return self._elements_of(value, None)

    def _of_bases(self, value: Value) -> Values:
        """What a loop sees in a value whose base outside is a collection."""
        if not self.engine.semantics[self.program.definition_file[value[1]]].typed_bases:
            return EMPTY
        for base in self.engine.linearization(value[1]):
            view = self.engine.generics.seen_as(value[1], value[3], base) if isinstance(base, str) else None
            if view is not None and view[2]:
                return self._iterated(view)
        return EMPTY

    def _by_protocol(self, value: Value) -> Values:
        found: Values = {}
        semantics = self.engine.semantics[self.program.definition_file[value[1]]]
        for names in semantics.iteration:
            iterators = self.engine.calls.returned(self._own_method(value, names[0]))
            for iterator, certainty in iterators.items():
                if iterator[0] == INSTANCE:
                    merge(found, self.engine.calls.returned(self._own_method(iterator, names[-1])), certainty)
                elif iterator != value:
                    merge(found, self._iterated(iterator), certainty)
        return found

    def _own_method(self, value: Value, name: str) -> Values:
        methods = self.engine.members({value: EXACT}, name)
        return {method: level for method, level in methods.items() if method[0] in {BOUND, FUNCTION}}

    def _yielded(self, value: Value) -> Values:
        return self.engine.remember(("yields", value[1]), lambda: self._all_yields(value[1]))

    def _all_yields(self, function: int) -> Values:
        body = self.program.body_of(function)
        found: Values = {}
        for expression in self.program.definitions[function].yields:
            merge(found, self.engine.evaluate(body, expression))
        return found

    # -- context managers and awaitables

    def enter(self, values: Values) -> Values:
        """Values that these context managers yield."""
        found: Values = {}
        for value, certainty in self.engine.calls.expand(values).items():
            merge(found, self._entered(value), max(certainty, INFERRED))
        return found

    def _entered(self, value: Value) -> Values:
        if value[0] == GENERATOR:
            return self._yielded(value)
        if value[0] == EXTERNAL_INSTANCE:
            return as_values(value[2][0]) if value[2] else {value: INFERRED}
        if value[0] == EXTERNAL:
            return {value: INFERRED}
        if value[0] != INSTANCE:
            return EMPTY
        found: Values = {}
        for method in ("__enter__", "__aenter__"):
            bound = self._own_method(value, method)
            results = self.engine.calls.returned(bound)
            merge(found, results)
            if bound and not results and self._is_silent(bound):
                merge(found, {value: INFERRED})
        if found:
            return found
        order = self.engine.linearization(value[1])
        return {value: INFERRED} if any(isinstance(base, str) for base in order) else EMPTY

    def _is_silent(self, methods: Values) -> bool:
        """Whether a method says nothing of its result: an ``__enter__`` without one mostly returns its receiver."""
        return all(
            not self.program.definitions[method[1]].results
            and bool(self.program.definitions[method[1]].flags & DefinitionFlag.ABSTRACT)
            for method in methods
        )

    def awaited(self, values: Values) -> Values:
        """Results of awaitables; a coroutine's own result is carried as it is."""
        found: Values = {}
        for value, certainty in values.items():
            if value[0] == EXTERNAL_INSTANCE and value[1].endswith(_AWAITABLES) and value[2]:
                merge(found, as_values(value[2][-1]), certainty)
            elif value[0] == INSTANCE:
                bound = self._own_method(value, "__await__")
                merge(found, self.engine.calls.returned(bound) if bound else {value: certainty})
            else:
                merge(found, {value: certainty})
        return found
