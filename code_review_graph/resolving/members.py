"""Attributes: of instances and classes by the real look-up order, of modules, of builtin containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_review_graph.facts import BindingKind, DefinitionFlag
from code_review_graph.resolving.classes import Classes
from code_review_graph.resolving.writes import Writes
from code_review_graph.values import (
    BOUND,
    CLASS,
    CONTAINER,
    DISPATCH,
    EMPTY,
    EXACT,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    EXTERNAL_METHOD,
    FUNCTION,
    GENERATOR,
    INFERRED,
    INSTANCE,
    LITERAL,
    MODULE,
    SUPER,
    Value,
    Values,
    at_least,
    instance,
    merge,
)

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

# Subclasses looked through for a member that a class itself lacks (a mixin calls what its user defines).
MAX_SUBCLASSES = 12
_STATIC = int(DefinitionFlag.STATIC)
_CLASS_METHOD = int(DefinitionFlag.CLASS_METHOD)
_PROPERTY = int(DefinitionFlag.PROPERTY)
_SETTER = int(DefinitionFlag.SETTER)
_DECLARED = int(BindingKind.DECLARED)
_DEFINITION = int(BindingKind.DEFINITION)
_BUILT_IN = frozenset({CONTAINER, GENERATOR, EXTERNAL_INSTANCE})


class Members:
    """Look-up of attributes."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program
        self.classes = Classes(engine)
        self.writes = Writes(engine)

    def of(self, values: Values, name: str) -> Values:
        """Values of ``.name`` on any of ``values``."""
        values = self.engine.calls.expand(values)
        found: Values = {}
        for value, certainty in values.items():
            if len(values) == 1:
                return at_least(self._of_one(value, name), certainty)
            merge(found, self._of_one(value, name), certainty)
        return found

    def _of_one(self, value: Value, name: str) -> Values:
        kind = value[0]
        if kind in {INSTANCE, CLASS}:
            return self.engine.remember(("member", value, name), lambda: self._of_class(value, name))
        if kind == MODULE:
            return self.engine.names.module_member(value, name)
        if kind == EXTERNAL:
            return {(EXTERNAL, f"{value[1]}.{name}"): EXACT}
        if kind == SUPER:
            return self._of_super(value, name)
        if kind in _BUILT_IN:
            return {(EXTERNAL_METHOD, value, name): EXACT}
        if kind == LITERAL:
            return {(EXTERNAL, f"builtins.{value[1]}.{name}"): EXACT}
        return EMPTY

    def _of_class(self, value: Value, name: str) -> Values:
        if name == "__class__" and value[0] == INSTANCE:
            return {(CLASS, value[1], value[2]): EXACT}
        order = self.classes.linearization(value[1])
        found = self._along(order, value, name)
        if found is not None:
            return found
        below = self._below(value, name)
        if below:
            return below
        for base in order:
            if isinstance(base, str) and base != "builtins.object":
                return {(EXTERNAL, f"{base}.{name}"): EXACT}
        return self._dynamic(order, value, name)

    def _along(self, order: tuple[int | str, ...], receiver: Value, name: str) -> Values | None:
        for place, base in enumerate(order):
            if isinstance(base, str):
                continue
            found = self._own(base, receiver, name)
            if found is not None:
                # A base outside that is asked earlier may answer instead.
                hidden = any(isinstance(item, str) and item != "builtins.object" for item in order[:place])
                return {item: max(level, INFERRED) for item, level in found.items()} if hidden else found
        return None

    def _own(self, owner: int, receiver: Value, name: str) -> Values | None:
        """What the class itself says of a name; None when it does not know it."""
        body = self.program.body_of(owner)
        bindings = self.program.scopes[body].bindings.get(name) if body >= 0 else None
        written = self.writes.of_class(owner, name)
        if not bindings and not written:
            return None
        declared = self._declared(body, bindings, written)
        if declared:
            return declared
        found: Values = {}
        for binding in _final(bindings) if bindings else ():
            for value, certainty in self.engine.bound((body, binding)).items():
                merge(found, self._bind(value, receiver, owner), certainty)
        for write in written:
            merge(found, self.engine.evaluate(write[0], write[1]), INFERRED)
        return found

    def _declared(
        self, body: int, bindings: list[tuple[int, object, int]] | None, written: list[tuple[int, int, int]]
    ) -> Values:
        for kind, payload, _ in bindings or ():
            if kind == _DECLARED and isinstance(payload, tuple):
                found = self.engine.types(body, payload[0])
                if any(value[0] in {INSTANCE, CLASS, EXTERNAL_INSTANCE} for value in found):
                    return found
        for scope, _, annotation in written:
            found = self.engine.types(scope, annotation)
            if any(value[0] in {INSTANCE, CLASS, EXTERNAL_INSTANCE} for value in found):
                return found
        return EMPTY

    def _bind(self, value: Value, receiver: Value, owner: int) -> Values:
        """What a class attribute becomes when it is read through an instance or the class."""
        if value[0] == INSTANCE:
            return self._descriptor(value, receiver)
        if value[0] != FUNCTION:
            if self._is_member(owner, value, receiver):
                return {instance(owner, exact=True): EXACT}
            return {value: EXACT}
        flags = self.program.definitions[value[1]].flags
        if flags & _STATIC:
            return {value: EXACT}
        if flags & _PROPERTY:
            if receiver[0] == CLASS:
                return EMPTY
            return self.engine.calls.returned({(BOUND, value[1], receiver): EXACT})
        if flags & _CLASS_METHOD:
            through = receiver if receiver[0] == CLASS else (CLASS, receiver[1], receiver[2])
            return {(BOUND, value[1], through): EXACT}
        return {(BOUND, value[1], receiver): EXACT} if receiver[0] == INSTANCE else {value: EXACT}

    def _is_member(self, owner: int, value: Value, receiver: Value) -> bool:
        if value[0] != LITERAL or receiver[0] != CLASS:
            return False
        semantics = self.engine.semantics[self.program.definition_file[owner]]
        return semantics.is_enumeration(self.classes.linearization(owner))

    def _descriptor(self, value: Value, receiver: Value) -> Values:
        getter = self._along(self.classes.linearization(value[1]), value, "__get__")
        if not getter or receiver[0] == CLASS:
            return {value: EXACT}
        return self.engine.calls.returned(getter)

    def _of_super(self, value: Value, name: str) -> Values:
        _, owner, receiver = value
        order = self.classes.linearization(receiver[1])
        after = order[order.index(owner) + 1 :] if owner in order else self.classes.linearization(owner)[1:]
        found = self._along(after, receiver, name)
        if found is not None:
            return found
        for base in after:
            if isinstance(base, str) and base != "builtins.object":
                return {(EXTERNAL, f"{base}.{name}"): EXACT}
        return {(EXTERNAL, f"builtins.object.{name}"): EXACT}

    def _below(self, receiver: Value, name: str) -> Values:
        """Members of subclasses, for a class that leaves them to its heirs."""
        if receiver[2] or name.startswith("__"):
            return EMPTY
        found: Values = {}
        for heir in self.classes.descendants(receiver[1])[:MAX_SUBCLASSES]:
            own = self._own(heir, (receiver[0], heir, False, *receiver[3:]), name)
            if own:
                merge(found, own, DISPATCH)
        return found

    def _dynamic(self, order: tuple[int | str, ...], value: Value, name: str) -> Values:
        semantics = self.engine.semantics[self.program.definition_file[value[1]]]
        hook = semantics.dynamic_attribute
        if value[0] != INSTANCE or not hook or name.startswith("__"):
            return EMPTY
        getter = self._along(order, value, hook)
        return self.engine.calls.returned(getter) if getter else EMPTY

    def method(self, definition: int, name: str) -> int:
        """Definition of a method along a class's look-up order; -1 when a base outside or nobody has it."""
        for base in self.classes.linearization(definition):
            if isinstance(base, str):
                continue
            body = self.program.body_of(base)
            for kind, payload, _ in reversed(self.program.scopes[body].bindings.get(name, ())) if body >= 0 else ():
                if kind == _DEFINITION:
                    return int(self.program.definition_base[self.program.definition_file[base]] + payload)
        return -1

    def property_getter(self, owner: Value, name: str) -> int:
        """Function behind a property of an instance; -1 for anything else."""
        getter = self.method(owner[1], name)
        if getter < 0 or not self.program.definitions[getter].flags & (_PROPERTY | _SETTER):
            return -1
        if self.program.definitions[getter].flags & _PROPERTY:
            return getter
        scope = self.program.scope_of(getter)
        base = self.program.definition_base[self.program.definition_file[getter]]
        for kind, payload, _ in self.program.scopes[scope].bindings.get(name, ()):
            if kind == _DEFINITION and self.program.definitions[base + payload].flags & _PROPERTY:
                return int(base + payload)
        return -1

    def overrides(self, receiver: Value, name: str) -> list[int]:
        """Methods of subclasses that may run instead of the one found for a receiver that is not exact."""
        found: list[int] = []
        for heir in self.classes.descendants(receiver[1]):
            body = self.program.body_of(heir)
            for kind, payload, _ in reversed(self.program.scopes[body].bindings.get(name, ())) if body >= 0 else ():
                if kind == _DEFINITION:
                    found.append(self.program.definition_base[self.program.definition_file[heir]] + payload)
                    break
        return found


def _final(bindings: list[tuple[int, object, int]]) -> list[tuple[int, object, int]]:
    """Class-body bindings that hold in the end; a setter keeps the property that it extends."""
    return bindings if len(bindings) == 1 else [bindings[0], *bindings[1:]][-3:]
