"""Structural interfaces: whatever has all the methods of one implements it, without saying so."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from code_review_graph.facts import DefinitionFlag, DefinitionKind
from code_review_graph.program import Program

if TYPE_CHECKING:
    from code_review_graph.resolving.classes import Classes

_STRUCTURAL: Final = int(DefinitionFlag.STRUCTURAL)

Shape = tuple[int, str]  # number of parameters, the receiver aside, and their types as written ("": not told)


def find_implementers(classes: Classes) -> dict[int, list[int]]:
    """Classes that implement each structural interface of a program, in order of definition."""
    program = classes.program
    interfaces = [number for number, definition in enumerate(program.definitions) if definition.flags & _STRUCTURAL]
    if not interfaces:
        return {}
    methods_of: dict[int, dict[str, Shape]] = {}
    having: dict[tuple[str, int], list[int]] = defaultdict(list)
    languages = {program.languages[program.definition_file[number]] for number in interfaces}
    for number, definition in enumerate(program.definitions):
        is_candidate = program.is_class(number) and definition.kind != DefinitionKind.INTERFACE
        if is_candidate and program.languages[program.definition_file[number]] in languages:
            methods_of[number] = _methods(classes, number)
            for name, shape in methods_of[number].items():
                having[(name, shape[0])].append(number)
    found: dict[int, list[int]] = {}
    for interface in interfaces:
        wanted = _methods(classes, interface)
        if wanted:
            rarest = min(((name, shape[0]) for name, shape in wanted.items()), key=lambda method: len(having[method]))
            found[interface] = [number for number in having[rarest] if _has_all(methods_of[number], wanted)]
    return found


def _has_all(methods: dict[str, Shape], wanted: dict[str, Shape]) -> bool:
    return all((shape := methods.get(name)) is not None and _fits(shape, want) for name, want in wanted.items())


def _fits(shape: Shape, wanted: Shape) -> bool:
    return shape[0] == wanted[0] and (shape[1] == wanted[1] or not shape[1] or not wanted[1])


def _methods(classes: Classes, definition: int) -> dict[str, Shape]:
    """All methods of a class or interface, inherited and promoted ones included."""
    program = classes.program
    found: dict[str, Shape] = {}
    for base in [base for base in classes.linearization(definition) if isinstance(base, int)]:
        for key in program.own_keys(base):
            for method in program.own_definitions(base, key)[-1:]:
                if program.class_of[method] >= 0:
                    found.setdefault(key, _shape(program, method))
    return found


def _shape(program: Program, method: int) -> Shape:
    definition = program.definitions[method]
    return len(definition.parameters) - int(program.takes_receiver(method)), definition.parameter_types
