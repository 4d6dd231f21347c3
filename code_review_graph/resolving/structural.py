"""Structural interfaces: whatever has all the methods of one implements it, without saying so."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from code_review_graph.facts import DefinitionFlag, DefinitionKind
from code_review_graph.program import Program

if TYPE_CHECKING:
    from code_review_graph.resolving.classes import Classes

_STRUCTURAL: Final = int(DefinitionFlag.STRUCTURAL)

Method = tuple[str, int]  # name and number of parameters, the receiver aside


def find_implementers(classes: Classes) -> dict[int, list[int]]:
    """Classes that implement each structural interface of a program, in order of definition."""
    program = classes.program
    interfaces = [number for number, definition in enumerate(program.definitions) if definition.flags & _STRUCTURAL]
    if not interfaces:
        return {}
    methods_of: dict[int, set[Method]] = {}
    having: dict[Method, list[int]] = defaultdict(list)
    language_of = {number: program.files[program.definition_file[number]].language for number in interfaces}
    languages = set(language_of.values())
    for number, definition in enumerate(program.definitions):
        is_candidate = program.is_class(number) and definition.kind != DefinitionKind.INTERFACE
        if is_candidate and program.files[program.definition_file[number]].language in languages:
            methods_of[number] = _methods(classes, number)
            for method in methods_of[number]:
                having[method].append(number)
    found: dict[int, list[int]] = {}
    for interface in interfaces:
        wanted = _methods(classes, interface)
        if wanted:
            rarest = min(wanted, key=lambda method: len(having[method]))
            found[interface] = [number for number in having[rarest] if wanted <= methods_of[number]]
    return found


def _methods(classes: Classes, definition: int) -> set[Method]:
    """All methods of a class or interface, inherited and promoted ones included."""
    program = classes.program
    found: dict[str, int] = {}
    for base in [base for base in classes.linearization(definition) if isinstance(base, int)]:
        for key in program.own_keys(base):
            for method in program.own_definitions(base, key)[-1:]:
                if program.class_of[method] >= 0:
                    found.setdefault(key, _arity(program, method))
    return set(found.items())


def _arity(program: Program, method: int) -> int:
    return len(program.definitions[method].parameters) - int(program.takes_receiver(method))
