"""Calls: what functions return, what callers pass, how arguments meet parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_review_graph.facts import Binding, BindingKind, DefinitionFlag, Expression, ParameterKind, Tag
from code_review_graph.resolving.passing import Incoming, collected
from code_review_graph.values import (
    BOUND,
    CLASS,
    EMPTY,
    EXACT,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    EXTERNAL_METHOD,
    FUNCTION,
    GENERATOR,
    INFERRED,
    INSTANCE,
    OWN_INSTANCE,
    PARAMETER,
    TYPE_VARIABLE,
    Value,
    Values,
    as_values,
    at_least,
    instance,
    merge,
)

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

_CLASS_METHOD = int(DefinitionFlag.CLASS_METHOD)
_OVERLOAD = int(DefinitionFlag.OVERLOAD)

_OPEN: Final = frozenset({PARAMETER, TYPE_VARIABLE, OWN_INSTANCE})


class Calls:
    """Evaluates calls and parameters."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program

    # -- parameters

    def receiver(self, function: int) -> Values:
        """Values of a method's own receiver."""
        owner = self.program.class_of[function]
        definition = self.program.definitions[function]
        is_class = definition.flags & _CLASS_METHOD or definition.name in {
            "__new__",
            "__init_subclass__",
            "__class_getitem__",
        }
        exact = self.engine.types_of.is_final(owner)
        return {((CLASS, owner, exact) if is_class else instance(owner, exact=exact)): EXACT}

    def parameter(self, function: int, position: int) -> Values:
        """Values of a parameter: its receiver, its declared type, what a framework passes, else what callers pass."""
        return self.engine.remember(("parameter", function, position), lambda: self._parameter(function, position))

    def _parameter(self, function: int, position: int) -> Values:
        definition = self.program.definitions[function]
        parameter = definition.parameters[position]
        if position == 0 and parameter.kind == ParameterKind.POSITIONAL and self.program.takes_receiver(function):
            return self.receiver(function)
        scope = self.program.scope_of(function)
        declared = self.engine.types(scope, parameter.annotation)
        if parameter.kind in {ParameterKind.STAR, ParameterKind.DOUBLE_STAR}:
            passed: Values = {(PARAMETER, function, position): INFERRED}
            if not declared:
                return passed
            listed: Values = {collected(parameter.kind, declared): EXACT}
            return listed | passed if self.engine.types_of.leaves_open(scope, declared) else listed
        if declared:
            is_open = self.engine.types_of.leaves_open(scope, declared)
            return declared | {(PARAMETER, function, position): INFERRED} if is_open else declared
        semantics = self.engine.semantics[self.program.definition_file[function]]
        passed = semantics.parameter(self.engine, function, position)
        if passed:
            return passed
        found: Values = {(PARAMETER, function, position): INFERRED}
        if parameter.default > 0:
            merge(found, self.engine.evaluate(scope, parameter.default), INFERRED)
        return found

    def expand(self, values: Values) -> Values:
        """Replace parameters by what the known callers pass."""
        for value in values:
            if value[0] in _OPEN:
                break
        else:
            return values
        found: Values = {}
        for value, certainty in values.items():
            if value[0] == PARAMETER:
                merge(found, self.engine.passing.of(value[1], value[2]), max(certainty, INFERRED))
            elif value[0] == TYPE_VARIABLE:
                merge(found, self.engine.generics.bound(value), certainty)
            elif value[0] == OWN_INSTANCE:
                merge(found, {self._own_instance(value[1], None): max(certainty, INFERRED)})
            else:
                merge(found, {value: certainty})
        return found

    # -- results

    def returned(self, callees: Values) -> Values:
        """Results of calling without arguments (properties, protocols)."""
        return self.results(callees, 0, (Tag.CALL, 0, (), (), False))

    def results(self, callees: Values, scope: int, call: Expression) -> Values:
        """Results of calling any of ``callees`` with the arguments of a call expression."""
        found: Values = {}
        for callee, certainty in self.engine.overloads.choose(self.expand(callees), scope, call).items():
            merge(found, self._result(callee, scope, call), certainty)
        return found

    def _result(self, callee: Value, scope: int, call: Expression) -> Values:
        kind = callee[0]
        if kind == FUNCTION:
            return self._substitute(self.returns(callee[1]), callee[1], None, (scope, call, 0))
        if kind == BOUND:
            offset = int(self.program.takes_receiver(callee[1]))
            return self._substitute(self.returns(callee[1]), callee[1], callee[2], (scope, call, offset))
        if kind == CLASS:
            inferred = self._inferred_arguments(callee[1], scope, call)
            return {instance(callee[1], exact=callee[2], arguments=inferred): INFERRED}
        if kind == INSTANCE:
            semantics = self.engine.semantics[self.program.definition_file[callee[1]]]
            methods = self.engine.members({callee: EXACT}, semantics.call_method) if semantics.call_method else EMPTY
            return self.results(methods or self.underlying(callee[1]), scope, call)
        if kind in {EXTERNAL, EXTERNAL_INSTANCE}:
            return self._external(callee[1] if kind == EXTERNAL else f"{callee[1]}()", callee, scope, call)
        if kind == EXTERNAL_METHOD:
            arguments = self.engine.evaluate(scope, call[2][0]) if call[2] else EMPTY
            semantics = self.engine.semantics[self.program.scope_file[scope]]
            return semantics.call_container(self.engine, callee[1], callee[2], arguments)
        return EMPTY

    def _external(self, dotted: str, callee: Value, scope: int, call: Expression) -> Values:
        semantics = self.engine.semantics[self.program.scope_file[scope]]
        known = semantics.call_external(self.engine, dotted, scope, call)
        if known is not None:
            return known
        if callee[0] == EXTERNAL_INSTANCE:
            return as_values(callee[2][-1]) if dotted.endswith("Callable()") and callee[2] else EMPTY
        return {(EXTERNAL, f"{dotted}()"): INFERRED} if len(dotted) < 120 else EMPTY

    def _substitute(self, values: Values, function: int, receiver: Value | None, site: Incoming) -> Values:
        """Put a call's own arguments in place of the function's parameters."""
        values = self.engine.generics.substitute(values, lambda v: self.meaning(v, function, receiver, site))
        if receiver is None and not any(value[0] in {PARAMETER, OWN_INSTANCE} for value in values):
            return values
        found: Values = {}
        for value, certainty in values.items():
            if value[0] == PARAMETER and value[1] == function:
                merge(found, self._argument_values(function, value[2], receiver, site), max(certainty, INFERRED))
            elif value[0] == OWN_INSTANCE and value[1] == function:
                merge(found, {self._own_instance(function, receiver): max(certainty, INFERRED)})
            elif value[0] == GENERATOR and value[1] == function:
                merge(found, {(GENERATOR, function, receiver): certainty})
            else:
                merge(found, {value: certainty})
        return found

    def underlying(self, definition: int) -> Values:
        """Values of the type that a named type is made of."""
        made_of = self.program.definitions[definition].underlying
        return self.engine.types(self.program.scope_of(definition), made_of) if made_of > 0 else EMPTY

    def _inferred_arguments(self, definition: int, scope: int, call: Expression) -> tuple[frozenset[Value], ...]:
        """Type arguments of a generic class, as the arguments of its constructor show them."""
        written = [self.engine.types(scope, expression) for name, expression in call[3] if name.startswith("[")]
        if written:
            return tuple([frozenset(values) for values in written])
        variables = self.engine.generics.parameters(definition)
        constructor = self._constructor(definition, scope, call) if variables else -1
        if constructor < 0 or self.program.class_of[constructor] != definition:
            return ()
        site = (scope, call, int(self.program.takes_receiver(constructor)))
        return tuple([frozenset(self.meaning(item, constructor, None, site)) for item in variables])

    def _constructor(self, definition: int, scope: int, call: Expression) -> int:
        semantics = self.engine.semantics[self.program.definition_file[definition]]
        for names, _ in semantics.constructors[:1]:
            found = self.engine.overloads.among(self.engine.members_of.methods(definition, names[0]), scope, call)
            return found[-1] if found else -1
        return -1

    def meaning(self, variable: Value, function: int, receiver: Value | None, site: Incoming) -> Values:
        """What a type variable in a function's result stands for at one call."""
        found = self.engine.generics.of_receiver(receiver, self.program.class_of[function], variable)
        found = found or self.engine.generics.written(variable, function, site[0], site[1])
        if found:
            return found
        scope = self.program.scope_of(function)
        for position, parameter in enumerate(self.program.definitions[function].parameters):
            if parameter.annotation > 0:
                passed = self._argument_values(function, position, receiver, site)
                found = self.engine.generics.of_argument(scope, parameter.annotation, self.expand(passed), variable)
                if found:
                    return found
        return EMPTY

    def _own_instance(self, function: int, receiver: Value | None) -> Value:
        if receiver is not None and receiver[0] in {INSTANCE, CLASS}:
            return instance(receiver[1], exact=receiver[2])
        return instance(self.program.class_of[function], exact=False)

    def _argument_values(self, function: int, position: int, receiver: Value | None, site: Incoming) -> Values:
        if position == 0 and receiver is not None and self.program.takes_receiver(function):
            return {receiver: EXACT}
        found: Values = {}
        for scope, expression in self.engine.passing.argument(function, position, site):
            merge(found, self.engine.evaluate(scope, expression))
        return found

    def returns(self, definition: int) -> Values:
        """What a function returns; its own parameters stand for what a call passes."""
        return self.engine.remember(("returns", definition), lambda: self._returns(definition))

    def _returns(self, function: int) -> Values:
        definition = self.program.definitions[function]
        if definition.returns > 0:
            declared = self._linked(function) or self.engine.types(self.program.scope_of(function), definition.returns)
            if declared and not self.engine.types_of.leaves_open(self.program.body_of(function), declared):
                return declared
            if declared:
                return declared | at_least(self._returned_values(function), INFERRED)
        signatures = self._overloaded(function)
        if signatures:
            return signatures
        if definition.yields:
            return {(GENERATOR, function, None): EXACT}
        return self._returned_values(function)

    def _returned_values(self, function: int) -> Values:
        """What the return statements of a function give back."""
        body = self.program.body_of(function)
        found: Values = {}
        for expression in self.program.definitions[function].results:
            own = self._own_parameter(function, body, expression)
            if own is not None:
                merge(found, {own: INFERRED})
            else:
                merge(found, self.engine.evaluate(body, expression), EXACT)
        return self._not_surer(found)

    def _overloaded(self, function: int) -> Values:
        """Results that the overload signatures of an implementation declare."""
        definition = self.program.definitions[function]
        scope = self.program.scope_of(function)
        base = self.program.definition_base[self.program.definition_file[function]]
        found: Values = {}
        for kind, payload, _ in self.program.scopes[scope].bindings.get(definition.name, ()):
            if kind == BindingKind.DEFINITION and self.program.definitions[base + payload].flags & _OVERLOAD:
                merge(found, self.engine.types(scope, self.program.definitions[base + payload].returns))
        return found

    @staticmethod
    def _not_surer(values: Values) -> Values:
        return {v: max(c, INFERRED) if v[0] == INSTANCE else c for v, c in values.items()}

    def _own_parameter(self, function: int, body: int, expression: int) -> Value | None:
        """``return self`` and ``return cls()``: by the receiver of the call, not just the class that has the method."""
        if not self.program.is_method(function):
            return None
        shape = self._shape(body, expression)
        if shape[0] == Tag.SELF:
            return (OWN_INSTANCE, function)
        if shape[0] == Tag.CALL:
            return (OWN_INSTANCE, function) if self._is_own_class(body, shape[1]) else None
        binding = self._only_binding(body, shape)
        if binding is None:
            return None
        if binding[0] == BindingKind.VALUE:
            made = self._shape(body, binding[1])
            own = made[0] == Tag.CALL and self._is_own_class(body, made[1])
            return (OWN_INSTANCE, function) if own else None
        is_receiver = binding[0] == BindingKind.PARAMETER and binding[1] == 0 and self.program.takes_receiver(function)
        return (PARAMETER, function, 0) if is_receiver else None

    def _is_own_class(self, body: int, expression: int) -> bool:
        """``cls``, ``type(self)`` or ``self.__class__`` in a method."""
        shape = self._shape(body, expression)
        if shape[0] == Tag.MEMBER and shape[2] == "__class__":
            shape = self._shape(body, shape[1])
        elif shape[0] == Tag.CALL and len(shape[2]) == 1 and self._shape(body, shape[1])[:2] == (Tag.NAME, "type"):
            shape = self._shape(body, shape[2][0])
        elif not self.program.definitions[self.program.owner_of(body)].flags & _CLASS_METHOD:
            return False
        binding = self._only_binding(body, shape)
        return binding is not None and binding[0] == BindingKind.PARAMETER and binding[1] == 0

    def _shape(self, scope: int, expression: int) -> Expression:
        return self.program.expressions[self.program.scope_file[scope]][max(expression, 0)]

    def _only_binding(self, body: int, shape: Expression) -> Binding | None:
        """The one binding of a name in the body itself."""
        if shape[0] != Tag.NAME:
            return None
        bindings = self.engine.names.bindings(body, shape[1], shape[2], shape[3])
        return bindings[0][1] if len(bindings) == 1 and bindings[0][0] == body else None

    def _linked(self, function: int) -> Values:
        """A declared ``-> Self``: the receiver of the call."""
        definition = self.program.definitions[function]
        scope = self.program.scope_of(function)
        shape = self.program.expressions[self.program.scope_file[scope]][definition.returns]
        if shape[0] == Tag.SELF:
            return {(OWN_INSTANCE, function): EXACT} if self.program.is_method(function) else EMPTY
        if shape[0] not in {Tag.NAME, Tag.MEMBER}:
            return EMPTY
        named = self.engine.evaluate(scope, definition.returns)
        is_self = any(value[0] == EXTERNAL and value[1].endswith(".Self") for value in named)
        return {(PARAMETER, function, 0): EXACT} if is_self and self.program.is_method(function) else EMPTY

    def returns_of_value(self, value: Value) -> Values:
        """Results of one callee called without arguments."""
        return at_least(self.returned({value: EXACT}), INFERRED)
