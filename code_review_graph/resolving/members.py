"""Attributes: of instances and classes by the real look-up order, of modules, of builtin containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_review_graph.facts import Binding, BindingKind, DefinitionFlag
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
    TYPE_VARIABLE,
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
_TYPED = frozenset({INSTANCE, CLASS, FUNCTION, EXTERNAL_INSTANCE, TYPE_VARIABLE})
_STATIC = int(DefinitionFlag.STATIC)
_CLASS_METHOD = int(DefinitionFlag.CLASS_METHOD)
_PROPERTY = int(DefinitionFlag.PROPERTY)
_SETTER = int(DefinitionFlag.SETTER)
_OVERLOADABLE = int(DefinitionFlag.OVERLOADABLE)
_STRUCTURAL = int(DefinitionFlag.STRUCTURAL)
_VALUE = int(BindingKind.VALUE)
# What the builtin that makes a property gives back; its first argument is the getter.
PROPERTY_OBJECT = "builtins.property"
_DECLARED = int(BindingKind.DECLARED)
_DEFINITION = int(BindingKind.DEFINITION)
_OBJECT = "builtins.object"
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
        return self._of_function(value, name) if kind in {FUNCTION, BOUND} else EMPTY

    def _of_function(self, value: Value, name: str) -> Values:
        """What was put on a function, else what every function of its language has."""
        order = self.classes.linearization(value[1])
        found = self._along(order, (CLASS, value[1], True), name)
        if found is not None:
            return found
        semantics = self.engine.semantics[self.program.definition_file[value[1]]]
        return semantics.function_member(self.engine, value, name)

    def inside(self, receiver: Value, name: str) -> Values:
        """A member that a class or its bases in the repository have."""
        found = self._along(self.classes.linearization(receiver[1]), receiver, name)
        return EMPTY if found is None else found

    def outside(self, receiver: Value, name: str) -> Values:
        """A member that a base outside the repository may have."""
        return self._from_outside(receiver, self.classes.linearization(receiver[1]), name)

    def _from_outside(self, value: Value, order: tuple[int | str, ...], name: str) -> Values:
        """A member that a base outside may have; of a base with type arguments, one of a value of that base."""
        found = _outside(order, name)
        semantics = self.engine.semantics[self.program.definition_file[value[1]]]
        if not found or value[0] != INSTANCE or not semantics.typed_bases:
            return found
        bases = [base for base in order if isinstance(base, str)]
        for base in [base for base in bases if semantics.has_member(base, name)] or bases:
            view = self.engine.generics.seen_as(value[1], value[3], base)
            if view is not None and view[2]:
                return {(EXTERNAL_METHOD, view, name): EXACT}
        return found

    def _of_class(self, value: Value, name: str) -> Values:
        if name == "__class__" and value[0] == INSTANCE:
            return {(CLASS, value[1], value[2]): EXACT}
        order = self.classes.linearization(value[1])
        found = self._along(order, value, name)
        if found is not None:
            return found
        found = self._from_outside(value, order, name) or self._below(value, name) or self._dynamic(order, value, name)
        found = found or self._of_underlying(value, name)
        semantics = self.engine.semantics[self.program.definition_file[value[1]]]
        return found or semantics.object_member(self.engine, value, name)

    def _of_underlying(self, value: Value, name: str) -> Values:
        """What a named type has from the one that it is made of: fields; methods from an interface alone."""
        found: Values = {}
        for inner, level in self.engine.calls.underlying(value[1]).items() if value[0] == INSTANCE else ():
            if inner[0] != INSTANCE or inner[1] == value[1]:
                continue
            keeps_methods = self.engine.types_of.is_structural(inner[1])
            members = self._of_one(inner, name)
            merge(found, {item: c for item, c in members.items() if keeps_methods or item[0] != BOUND}, level)
        return found

    def _along(self, order: tuple[int | str, ...], receiver: Value, name: str) -> Values | None:
        for place, base in enumerate(order):
            if isinstance(base, str):
                continue
            found = self.own(base, receiver, name)
            if found is not None:
                # A base outside that is asked earlier may answer instead.
                hidden = any(isinstance(item, str) and item != _OBJECT for item in order[:place])
                if self.engine.overloads.is_overloaded(found):
                    found = self._with_inherited(found, order[place + 1 :], receiver, name)
                return {item: max(level, INFERRED) for item, level in found.items()} if hidden else found
        return None

    def _with_inherited(self, own: Values, order: tuple[int | str, ...], receiver: Value, name: str) -> Values:
        """Overloads of a class and those of its bases that it does not override."""
        found = dict(own)
        for base in order:
            inherited = self.own(base, receiver, name) if isinstance(base, int) else None
            if inherited:
                merge(found, self.engine.overloads.not_overridden(inherited, found))
        return found

    def own(self, owner: int, receiver: Value, name: str) -> Values | None:
        """What the class itself says of a name; None when it does not know it."""
        body = self.program.body_of(owner) if self.program.is_class(owner) else -1
        bindings = self.program.scopes[body].bindings.get(name) if body >= 0 else None
        written = self.writes.of_class(owner, name)
        attached = self.program.attached_to(owner, name) if self.program.attached else ()
        if not bindings and not written and not attached:
            return None
        declared = self._declared(body, bindings, written)
        if declared and not (written and self.engine.types_of.leaves_open(body, declared)):
            return self._concrete(declared, receiver, owner)
        if bindings and receiver[0] == CLASS and self._is_enumerated(owner, name, bindings):
            return {instance(owner, exact=True): EXACT}
        found: Values = {}
        for binding in self._final(owner, bindings) if bindings else ():
            for value, certainty in self.engine.bound((body, binding)).items():
                merge(found, self._bind(value, receiver), certainty)
        for member in attached:
            for value, certainty in self.engine.defined(member).items():
                merge(found, self._bind(value, receiver), certainty)
        for write in written:
            merge(found, self.engine.evaluate(write[0], write[1]), INFERRED)
        return self._concrete(found, receiver, owner)

    def _concrete(self, values: Values, receiver: Value, owner: int) -> Values:
        """Values of an attribute with the receiver's type arguments in place of the class's type variables."""
        generics = self.engine.generics
        return generics.substitute(values, lambda v: generics.of_receiver(receiver, owner, v))

    def _declared(
        self, body: int, bindings: list[tuple[int, object, int]] | None, written: list[tuple[int, int, int]]
    ) -> Values:
        for kind, payload, block in bindings or ():
            if kind == _DECLARED and isinstance(payload, tuple):
                # A field's type may be read in the scope around: a field hides no type of its name.
                around = body if block >= -1 else self.program.scope_base[self.program.scope_file[body]] - block - 2
                found = self.engine.types(around, payload[0])
                if any(value[0] in _TYPED for value in found):
                    return found
        for scope, _, annotation in written:
            found = self.engine.types(scope, annotation)
            if any(value[0] in _TYPED for value in found):
                return found
        return EMPTY

    def _bind(self, value: Value, receiver: Value) -> Values:
        """What a class attribute becomes when it is read through an instance or the class."""
        if value[0] == INSTANCE:
            return self._descriptor(value, receiver)
        if value[0] != FUNCTION:
            if value[0] == EXTERNAL_INSTANCE and value[1] == PROPERTY_OBJECT:
                return self._property_object(value, receiver)
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

    def _is_enumerated(self, owner: int, name: str, bindings: list[Binding]) -> bool:
        """Whether an attribute of a class is one of its enumerated instances."""
        return bindings[-1][0] == _VALUE and not name.startswith("_") and self.is_enumeration(owner)

    def is_enumeration(self, definition: int) -> bool:
        """Whether a class enumerates its instances."""
        semantics = self.engine.semantics[self.program.definition_file[definition]]
        return semantics.is_enumeration(self.classes.linearization(definition))

    def _property_object(self, value: Value, receiver: Value) -> Values:
        """``x = property(getter)`` in a class body."""
        found: Values = {}
        for getter in value[2][0] if value[2] and receiver[0] == INSTANCE else ():
            merge(found, self.engine.calls.returned({(BOUND, getter[1], receiver): EXACT}))
        return found

    def _descriptor(self, value: Value, receiver: Value) -> Values:
        getter = self._along(self.classes.linearization(value[1]), value, "__get__")
        if not getter or receiver[0] == CLASS:
            return {value: EXACT}
        return self.engine.calls.returned(getter)

    def _of_super(self, value: Value, name: str) -> Values:
        _, owner, receiver = value
        if receiver[0] not in {INSTANCE, CLASS}:  # what is not known is at least one of the class written
            receiver = instance(owner, exact=False)
        after = self.after(receiver[1], owner)
        found = self._along(after, receiver, name)
        found = {} if found is None else dict(found)
        for heir in () if receiver[2] else self.classes.descendants(receiver[1])[:MAX_SUBCLASSES]:
            # An heir with further bases may put a sibling between the class and its own base.
            if len(self.classes.bases(heir)) > 1:
                merge(found, self._along(self.after(heir, owner), receiver, name) or EMPTY, DISPATCH)
        if found:
            # Which method runs is settled: nothing below the class can replace it.
            return {(*v, True) if v[0] == BOUND and len(v) == 3 else v: level for v, level in found.items()}
        return self._from_outside(receiver, after, name) or {(EXTERNAL, f"{_OBJECT}.{name}"): EXACT}

    def after(self, definition: int, owner: int) -> tuple[int | str, ...]:
        """Look-up order of a class past one of its bases: what ``super()`` in that base looks through."""
        order = self.classes.linearization(definition)
        return order[order.index(owner) + 1 :] if owner in order else self.classes.linearization(owner)[1:]

    def _below(self, receiver: Value, name: str) -> Values:
        """Members of subclasses, for a class that leaves them to its heirs."""
        if receiver[2] or name.startswith("__"):
            return EMPTY
        found: Values = {}
        for heir in self.classes.descendants(receiver[1])[:MAX_SUBCLASSES]:
            own = self._along(self.classes.linearization(heir), (receiver[0], heir, False, *receiver[3:]), name)
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
        found = self.methods(definition, name)
        return found[-1] if found else -1

    def methods(self, definition: int, name: str) -> list[int]:
        """Definitions of a method in the first class along the look-up order that has it: one, or all its overloads."""
        having = self.program.having(self.classes.linearization(definition), name)
        return self.own_methods(having[0], name) if having else []

    def own_methods(self, definition: int, name: str) -> list[int]:
        """Definitions of a method in a class itself: the last one, or all overloads."""
        own = self.program.own_definitions(definition, name)
        return own if own and self.program.definitions[own[-1]].flags & _OVERLOADABLE else own[-1:]

    def property_function(self, owner: Value, name: str, *, setter: bool = False) -> int:
        """Function that reading (or setting) a property of an instance runs; -1 for anything else."""
        is_super = owner[0] == SUPER
        order = self.after(owner[2][1], owner[1]) if is_super else self.classes.linearization(owner[1])
        wanted = _SETTER if setter else _PROPERTY
        for base in order:
            for member in self.program.attached_to(base, name) if isinstance(base, int) else ():
                if self.program.definitions[member].flags & wanted:
                    return member
            body = self.program.body_of(base) if isinstance(base, int) and self.program.is_class(base) else -1
            bindings = self.program.scopes[body].bindings.get(name) if body >= 0 else None
            if isinstance(base, int) and bindings:
                offset = self.program.definition_base[self.program.definition_file[base]]
                for kind, payload, _ in reversed(bindings):
                    if kind == _DEFINITION and self.program.definitions[offset + payload].flags & wanted:
                        return int(offset + payload)
                return -1
        return -1

    def overrides(self, receiver: Value, method: int) -> list[int]:
        """Methods of subclasses that may run instead of the one found for a receiver that is not exact."""
        key = ("overrides", receiver[1], method)
        return self.engine.remember(key, lambda: self._find_overrides(receiver[1], method), [])

    def _find_overrides(self, owner: int, method: int) -> list[int]:
        if not self.engine.overloads.may_be_overridden(method):
            return []
        name = self.program.key_of(method)
        # Whatever has an interface's methods implements it, be they its own or promoted.
        is_structural = bool(self.program.definitions[owner].flags & _STRUCTURAL)
        of_heir = self.methods if is_structural else self.own_methods
        heirs = self.classes.descendants(owner)
        found: list[int] = []
        for heir in heirs if is_structural else self.program.having(heirs, name):
            found += self.engine.overloads.overriding(of_heir(heir, name), method)
        return list(dict.fromkeys(found))

    def _are_overloads(self, owner: int, bindings: list[Binding]) -> bool:
        kind, payload, _ = bindings[-1]
        base = self.program.definition_base[self.program.definition_file[owner]]
        return kind == _DEFINITION and bool(self.program.definitions[base + payload].flags & _OVERLOADABLE)

    def _final(self, owner: int, bindings: list[Binding]) -> list[Binding]:
        """Class-body bindings that hold in the end; a setter keeps the property that it extends."""
        if len(bindings) == 1 or self._are_overloads(owner, bindings):
            return bindings
        root = self.program.scopes[self.program.body_of(owner)].block
        base = self.program.definition_base[self.program.definition_file[owner]]
        chosen: list[Binding] = []
        for binding in reversed(bindings):
            is_setter = binding[0] == _DEFINITION and self.program.definitions[base + binding[1]].flags & _SETTER
            if not is_setter:
                chosen.append(binding)
            if binding[2] == root and not is_setter:
                break
        return chosen


def _outside(order: tuple[int | str, ...], name: str) -> Values:
    """A member that the nearest base outside the repository may have."""
    base = next((item for item in order if isinstance(item, str) and item != _OBJECT), None)
    return {(EXTERNAL, f"{base}.{name}"): EXACT} if base is not None else EMPTY
