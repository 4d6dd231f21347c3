"""Members that stand apart from their class, and what objects get from others, before anything is resolved."""

from __future__ import annotations

from collections.abc import Iterator

from code_review_graph.facts import Tag
from code_review_graph.resolving.evaluator import Evaluator
from code_review_graph.values import CLASS, EXTERNAL, EXTERNAL_INSTANCE, FUNCTION, INSTANCE, Values

# A member may hang on an object that is itself known only through another such member.
PASSES = 3


def attach_members(engine: Evaluator) -> None:
    """Give every definition with a written owner to the class, object or function that the owner means."""
    program = engine.program
    waiting = [number for number, definition in enumerate(program.definitions) if definition.owner > 0]
    extensions = list(_extensions(engine))
    if not waiting and not extensions:
        return
    for step in range(PASSES):
        # A receiver is known once the method that it stands in has its class.
        ready = [number for number in waiting if step or not _is_receiver(engine, number)]
        found = [
            (number, _owner(engine, program.scope_of(number), program.definitions[number].owner)) for number in ready
        ]
        known = {number: owner for number, owner in found if owner >= 0}
        for number, owner in known.items():
            program.attach(number, owner)
        for scope, target, base in extensions:
            _extend(engine, scope, target, base)
        engine.restart()
        engine.members_of.classes.forget()
        waiting = [number for number in waiting if number not in known]
        if step and (not known or not waiting):
            break


def _is_receiver(engine: Evaluator, number: int) -> bool:
    program = engine.program
    owner = program.definitions[number].owner
    return bool(program.expressions[program.definition_file[number]][owner][0] == Tag.SELF)


def _extensions(engine: Evaluator) -> Iterator[tuple[int, int, int]]:
    for file, facts in enumerate(engine.program.files):
        base = engine.program.scope_base[file]
        for item in facts.extensions:
            yield base + item.scope, item.target, item.base


def _extend(engine: Evaluator, scope: int, target: int, base: int) -> None:
    owner = _owner(engine, scope, target)
    if owner < 0:
        return
    values = engine.evaluate(scope, base)
    inside = _definition(values)
    if inside >= 0:
        engine.members_of.classes.extend(owner, inside)
    else:
        for value in values:
            if value[0] in {EXTERNAL, EXTERNAL_INSTANCE}:
                engine.members_of.classes.extend(owner, value[1])
                break


def _owner(engine: Evaluator, scope: int, expression: int) -> int:
    return _definition(engine.evaluate(scope, expression))


def _definition(values: Values) -> int:
    """The class, object or function that values mean; -1 for none."""
    for value in values:
        if value[0] in {CLASS, INSTANCE, FUNCTION}:
            return int(value[1])
    return -1
