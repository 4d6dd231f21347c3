"""Sites to edges: one rule for each construct, and what is left becomes a reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from code_review_graph.facts import DefinitionFlag, DefinitionKind, Expression, Site, Tag, Via
from code_review_graph.model import EdgeKind, ReferenceKind, Resolution
from code_review_graph.program import Program
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.evaluator import Evaluator
from code_review_graph.resolving.handing import Handing
from code_review_graph.resolving.nodes import Nodes
from code_review_graph.resolving.passing import Incoming
from code_review_graph.resolving.spelling import written_name
from code_review_graph.semantics import Semantics
from code_review_graph.values import (
    BOUND,
    CLASS,
    DISPATCH,
    EMPTY,
    EXACT,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    EXTERNAL_METHOD,
    FUNCTION,
    INFERRED,
    INSTANCE,
    SUPER,
    Value,
    Values,
    instance,
    is_settled,
)

RESOLUTIONS: Final = {EXACT: Resolution.EXACT, INFERRED: Resolution.INFERRED, DISPATCH: Resolution.DISPATCH}
VIA_NAMES: Final[dict[int, str | None]] = {
    Via.CALL: None,
    Via.OPERATOR: "operator",
    Via.WITH: "with",
    Via.ITERATION: "iteration",
    Via.DECORATOR: "decorator",
    Via.RAISE: "raise",
    Via.PROPERTY: "property",
    Via.CALLBACK: "callback",
    Via.FIXTURE: "fixture",
    Via.SETTER: "property",
}
# More overrides than this say that anything may run.
MAX_OVERRIDES: Final = 16
# Links of a chain of calls that evaluation follows at once.
LONG_CHAIN: Final = 16
_LINKS: Final = frozenset({Tag.CALL, Tag.MEMBER, Tag.INDEX})
_NAME: Final = Tag.NAME
_MEMBER: Final = Tag.MEMBER
_PROPERTY: Final = int(DefinitionFlag.PROPERTY)
_INTERFACE: Final = int(DefinitionKind.INTERFACE)
_NAMESPACE: Final = int(DefinitionKind.NAMESPACE)
_OUTSIDE: Final = frozenset({EXTERNAL, EXTERNAL_METHOD})
_PROTOCOLS: Final = frozenset({int(Tag.ITERATE), int(Tag.ENTER)})
_ENTERING: Final = (("__enter__", "__exit__"), ("__aenter__", "__aexit__"))

OpenReference = tuple[ReferenceKind, int, str, int]


class Drawer:
    """Draws the edges of all sites of a program into a collector."""

    def __init__(self, engine: Evaluator, nodes: Nodes, collector: Collector) -> None:
        self.engine = engine
        self.program: Program = engine.program
        self.nodes = nodes
        self.collector = collector
        self._has_overloads = [semantics.has_overloads for semantics in engine.semantics]
        self.handing = Handing(engine)
        self._properties = {name for name, _ in self.program.marked(_PROPERTY)}
        self._unanswered: OpenReference | None = None
        self.is_again = False  # whether sites come that were drawn before
        self.open_calls: list[tuple[int, Site]] = []  # calls of what may be known better as more callers become known
        self.open_references: dict[tuple[int, Site], OpenReference] = {}

    def draw_file(self, file: int) -> list[tuple[int, Site]]:
        """Draw all sites of a file; returns those of which the answer may grow as more callers become known."""
        facts = self.program.files[file]
        loads = [site for site in facts.loads if self.may_be_property(file, site)]
        return [(file, site) for site in (*facts.sites, *loads) if self.draw(file, site)]

    def may_be_property(self, file: int, load: Site) -> bool:
        """Whether an attribute that is read is the name of any property: few are."""
        return self.program.expressions[file][load.expression][-1] in self._properties

    # -- one site

    def draw(self, file: int, site: Site) -> bool:
        """Draw what a site runs; True when the answer may grow as more callers become known."""
        scope = self.program.scope_base[file] + site.scope
        shape = self.program.expressions[file][site.expression]
        before = self.engine.taint
        self._unanswered = None
        if shape[0] == Tag.CALL:
            self._draw_call(file, scope, site, shape)
        elif shape[0] == Tag.OPERATOR:
            self._draw_operator(scope, site, shape)
        elif shape[0] in _PROTOCOLS:
            self._draw_protocol(scope, site, shape)
        elif shape[0] == Tag.MEMBER:
            self._draw_property(scope, site, shape)
        return self._settle(file, site, is_open=self.engine.taint != before)

    def _settle(self, file: int, site: Site, *, is_open: bool) -> bool:
        """Keep an unanswered site back while its answer may still come."""
        unanswered = self._unanswered
        if unanswered is not None and is_open:
            self.open_references[(file, site)] = unanswered
            return True
        if self.is_again:
            self.open_references.pop((file, site), None)
        if unanswered is not None:
            self.collector.refer(*unanswered)
        return is_open

    def finish(self) -> None:
        """Sites that stayed open and unanswered to the end become references."""
        for reference in self.open_references.values():
            self.collector.refer(*reference)
        self.open_references.clear()

    def pass_on(self, file: int, site: Site) -> None:
        """Note what a call passes to the functions that it calls by the level reached."""
        scope = self.program.scope_base[file] + site.scope
        shape = self.program.expressions[file][site.expression]
        for callee, certainty in self._callees(file, scope, shape).items():
            for target, _, _ in self.targets(callee, certainty, scope, shape):
                self._pass_arguments(target, callee, scope, site.expression)

    def _callees(self, file: int, scope: int, shape: Expression) -> Values:
        callees = self.engine.calls.expand(self.engine.evaluate(scope, shape[1]))
        if len(callees) > 1 or self._has_overloads[file]:
            return self.engine.overloads.choose(callees, scope, shape)
        return callees

    def _draw_call(self, file: int, scope: int, site: Site, shape: Expression) -> None:
        self._unwind(scope, shape[1])
        before = self.engine.taint
        callees = self._callees(file, scope, shape)
        if self.engine.taint != before and not self.is_again:
            self.open_calls.append((file, site))
        caller = self.nodes.caller(scope)
        via = site.via
        drawn = False
        for callee, certainty in callees.items():
            for target, level, place in self.targets(callee, certainty, scope, shape):
                drawn = True
                how = via if place is None or via != Via.CALL else place
                self._edge(caller, target, site.line, level, how)
                self._pass_arguments(target, callee, scope, site.expression)
        if not drawn and via != Via.RAISE:
            self._refer(file, caller, site, shape, callees)
        self._draw_callbacks(scope, caller, site.line, shape, callees)
        if shape[2]:
            self._draw_builtin(scope, site, shape, callees)

    def _unwind(self, scope: int, expression: int) -> None:
        """Evaluate a long chain ``a.b().c()...`` from its start: from its end it goes deeper than evaluation does."""
        shapes = self.program.expressions[self.program.scope_file[scope]]
        part = expression
        for _ in range(LONG_CHAIN):
            if shapes[part][0] not in _LINKS:
                return
            part = shapes[part][1]
        if self.engine.is_known(scope, part):
            return
        chain = []
        while shapes[part][0] in _LINKS:
            chain.append(part)
            part = shapes[part][1]
        for link in reversed(chain):
            self.engine.evaluate(scope, link)

    def _draw_builtin(self, scope: int, site: Site, shape: Expression, callees: Values) -> None:
        """``len(x)`` runs ``x.__len__``."""
        semantics = self.engine.semantics[self.program.scope_file[scope]]
        for callee in callees:
            for name in semantics.protocol(callee[1]) if callee[0] == EXTERNAL else ():
                self._draw_implicit(scope, site, shape[2][0], semantics.substitutes(name))

    def targets(
        self, callee: Value, certainty: int, scope: int, call: Expression
    ) -> Iterator[tuple[int, int, Via | None]]:
        """Definitions that run when a value is called."""
        kind = callee[0]
        if kind == FUNCTION:
            yield callee[1], certainty, None
        elif kind == BOUND:
            yield callee[1], certainty, None
            yield from self._dispatch(callee)
        elif kind == CLASS and self.program.definitions[callee[1]].kind != _NAMESPACE:
            yield callee[1], certainty, None
            for overloads, via in self._constructors(callee[1]):
                chosen = self.engine.overloads.among(overloads, scope, call)
                for constructor in chosen:
                    yield constructor, certainty if len(chosen) == 1 else DISPATCH, via
        elif kind == INSTANCE:
            name = self._semantics(callee[1]).call_method
            method = self.engine.members({callee: certainty}, name) if name else EMPTY
            for bound, level in method.items():
                if bound[0] in {BOUND, FUNCTION}:
                    yield bound[1], max(level, certainty), Via.OPERATOR

    def _constructors(self, definition: int) -> list[tuple[list[int], Via | None]]:
        """Methods that a call of a class runs, each with its overloads."""
        return self.engine.remember(("constructors", definition), lambda: self._find_constructors(definition), [])

    def _find_constructors(self, definition: int) -> list[tuple[list[int], Via | None]]:
        found: list[tuple[list[int], Via | None]] = []
        for names, via in self._semantics(definition).constructors:
            methods = (self.engine.members_of.methods(definition, name) for name in names)
            first = next((overloads for overloads in methods if overloads), None)
            if first:
                found.append((first, via))
        return found

    def _semantics(self, definition: int) -> Semantics:
        return self.engine.semantics[self.program.definition_file[definition]]

    def _dispatch(self, callee: Value) -> Iterator[tuple[int, int, Via | None]]:
        receiver = self._dispatching(callee)
        if is_settled(callee) or receiver is None or receiver[0] not in {INSTANCE, CLASS} or receiver[2]:
            return
        if self._is_constructor(callee[1]):
            return
        overrides = self.engine.members_of.overrides(receiver, callee[1])
        if len(overrides) <= MAX_OVERRIDES:
            for override in overrides:
                if override != callee[1]:
                    yield override, DISPATCH, None

    def _dispatching(self, callee: Value) -> Value | None:
        """Receiver of a method; of one promoted from a structural interface, whatever implements that."""
        receiver: Value | None = callee[2]
        owner, is_structural = self.program.class_of[callee[1]], self.engine.types_of.is_structural
        if receiver is None or receiver[0] != INSTANCE or owner < 0 or not is_structural(owner):
            return receiver
        return receiver if is_structural(receiver[1]) else instance(owner, exact=False)

    def _is_constructor(self, function: int) -> bool:
        name = self.program.key_of(function)
        return any(name in names for names, _ in self._semantics(function).constructors)

    def _pass_arguments(self, target: int, callee: Value, scope: int, number: int) -> None:
        if not self.program.definitions[target].parameters:
            return
        call = self.program.expressions[self.program.scope_file[scope]][number]
        is_bound = callee[0] == BOUND or (callee[0] in {CLASS, INSTANCE} and target != callee[1])
        site = (scope, call, int(is_bound and self.program.takes_receiver(target)))
        self.engine.passing.add_caller(target, site, number)
        if not self.program.has_lambdas(self.program.scope_file[scope]):
            return
        for place, argument in enumerate(call[2]):
            if self.program.expressions[self.program.scope_file[scope]][argument][0] == Tag.LAMBDA:
                self._give_context(target, place + site[2], argument, callee, (site, number))

    def _give_context(
        self, target: int, position: int, argument: int, callee: Value, where: tuple[Incoming, int]
    ) -> None:
        """A function written as an argument gets its parameters' types from the parameter that takes it."""
        parameters = self.program.definitions[target].parameters
        position = min(position, len(parameters) - 1)
        if parameters[position].annotation <= 0:
            return
        receiver = callee[2] if callee[0] == BOUND else None
        site, number = where
        for value in self.engine.evaluate(site[0], argument):
            if value[0] == FUNCTION:
                self.engine.passing.contexts.give(value[1], (target, position, receiver, site), number)

    def _edge(self, caller: int, target: int, line: int, level: int, via: int) -> None:
        node = self.nodes.node_of[target]
        if node:
            kind = EdgeKind.REFERENCES if self._is_made_otherwise(target) else EdgeKind.CALLS
            self.collector.add(kind, caller, node, line, RESOLUTIONS[level], VIA_NAMES[via])

    def _is_made_otherwise(self, target: int) -> bool:
        """Whether no call makes a value of a class: an interface has no constructor."""
        if not self.program.is_class(target):
            return False
        is_interface = self.program.definitions[target].kind == _INTERFACE
        return is_interface or self._semantics(target).makes_without_call

    # -- what no definition answers

    def _refer(self, file: int, caller: int, site: Site, shape: Expression, callees: Values) -> None:
        name = written_name(self.program, file, shape[1])
        if not name:
            return
        external = any(value[0] in {EXTERNAL, EXTERNAL_METHOD, EXTERNAL_INSTANCE} for value in callees)
        kind = ReferenceKind.EXTERNAL if external else ReferenceKind.UNRESOLVED
        if kind is ReferenceKind.UNRESOLVED and self._is_local_value(callees):
            return
        self._unanswered = (kind, caller, name, site.line)

    def _is_local_value(self, callees: Values) -> bool:
        """An unnamed lambda, whose own calls stand in the encloser already; a value of a function type."""
        return any(
            value[0] == FUNCTION or (value[0] == INSTANCE and self.program.definitions[value[1]].underlying > 0)
            for value in callees
        )

    # -- values handed over

    def _draw_callbacks(self, scope: int, caller: int, line: int, shape: Expression, callees: Values) -> None:
        if not shape[2] and not shape[3]:
            return
        run: set[int] = set()
        fed: tuple[int, ...] = ()
        called = [value[2 if value[0] == EXTERNAL_METHOD else 1] for value in callees if value[0] in _OUTSIDE]
        if called:
            semantics = self.engine.semantics[self.program.scope_file[scope]]
            run = {item for name in called for item in semantics.callbacks(name, shape)}
            fed = next((found for name in called if (found := semantics.fed(name, shape))), ()) if run else ()
        arguments = (*shape[2], *[item for _, item in shape[3]]) if shape[3] else shape[2]
        for argument in [item for item in arguments if item in run or self._may_be_definition(scope, item)]:
            for value, certainty in self.handing.values(scope, argument, shape, callees, fed).items():
                if fed and value[0] == FUNCTION and argument in run:
                    self.engine.passing.feed(value[1], scope, fed)
                if value[0] not in {FUNCTION, BOUND, CLASS} or not self.nodes.node_of[value[1]]:
                    continue
                if argument in run:
                    self._edge(caller, value[1], line, max(certainty, INFERRED), Via.CALLBACK)
                else:
                    node = self.nodes.node_of[value[1]]
                    self.collector.add(EdgeKind.REFERENCES, caller, node, line, RESOLUTIONS[certainty], None)

    def _may_be_definition(self, scope: int, expression: int) -> bool:
        shape = self.program.expressions[self.program.scope_file[scope]][expression]
        name = shape[1] if shape[0] == _NAME else shape[2] if shape[0] == _MEMBER else ""
        return bool(name) and self.program.is_defined(name)

    # -- constructs that call without saying so

    def _draw_operator(self, scope: int, site: Site, shape: Expression) -> None:
        semantics = self.engine.semantics[self.program.scope_file[scope]]
        names = [name for name in semantics.substitutes(shape[1]) if self.program.is_member(name)]
        drawn = names and self._draw_implicit(scope, site, shape[2], names)
        mirrored = semantics.reflected(shape[1])
        if not drawn and len(shape[3]) == 1 and self.program.is_member(mirrored):
            self._draw_implicit(scope, site, shape[3][0], list(semantics.substitutes(mirrored)))

    def _draw_implicit(self, scope: int, site: Site, operand: int, names: Sequence[str]) -> bool:
        """Draw the first of some methods that each possible value of an operand has; whether any was found."""
        drawn = False
        for owner, certainty in self.engine.calls.expand(self.engine.evaluate(scope, operand)).items():
            for name in names:
                if self._draw_special(scope, site, owner, name, certainty):
                    drawn = True
                    break
        return drawn

    def _draw_protocol(self, scope: int, site: Site, shape: Expression) -> None:
        owners = self.engine.calls.expand(self.engine.evaluate(scope, shape[1]))
        for owner, certainty in owners.items():
            if owner[0] != INSTANCE:
                continue
            ways = self._semantics(owner[1]).iteration if shape[0] == Tag.ITERATE else _ENTERING
            for names in ways[len(shape) - 2 :][:1]:
                self._draw_special(scope, site, owner, names[0], certainty)
                steps = self._stepping(owner, names[0]) if shape[0] == Tag.ITERATE else [owner]
                for stepping in steps:
                    for name in names[1:]:
                        self._draw_special(scope, site, stepping, name, certainty)

    def _stepping(self, owner: Value, name: str) -> list[Value]:
        """What a loop over a value asks at each step: what the value gives as it starts, else itself."""
        if not self.program.is_member(name):
            return [owner]
        methods = self.engine.members({owner: EXACT}, name)
        iterators = self.engine.calls.returned(methods)
        return [value for value in iterators if value[0] == INSTANCE] if iterators else [owner]

    def _draw_special(self, scope: int, site: Site, owner: Value, name: str, certainty: int) -> bool:
        """Draw a method that a construct calls on a value; whether the value's class has it."""
        if owner[0] != INSTANCE or not self.program.is_member(name):
            return False
        drawn = False
        for bound, level in self.engine.members({owner: EXACT}, name).items():
            if bound[0] in {BOUND, FUNCTION}:
                found = max(level, certainty, INFERRED)
                via = Via.OPERATOR if site.via == Via.CALL else site.via
                self._edge(self.nodes.caller(scope), bound[1], site.line, found, via)
                drawn = True
        return drawn

    def _draw_property(self, scope: int, site: Site, shape: Expression) -> None:
        for owner, certainty in self.engine.calls.expand(self.engine.evaluate(scope, shape[1])).items():
            if owner[0] not in {INSTANCE, SUPER} or (owner[0] == SUPER and owner[2][0] != INSTANCE):
                continue
            run = self.engine.members_of.property_function(owner, shape[2], setter=site.via == Via.SETTER)
            if run >= 0:
                self._edge(self.nodes.caller(scope), run, site.line, max(certainty, EXACT), Via.PROPERTY)
