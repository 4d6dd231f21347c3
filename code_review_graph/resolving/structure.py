"""Edges that need no call: containment, imports, inheritance, overriding, fixtures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from code_review_graph.facts import DefinitionKind
from code_review_graph.model import EdgeKind, Resolution
from code_review_graph.program import Program
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.evaluator import Evaluator
from code_review_graph.resolving.nodes import Nodes
from code_review_graph.values import CLASS, FUNCTION, INSTANCE, MODULE, Value


def draw_containment(nodes: Nodes, collector: Collector) -> None:
    """CONTAINS: file to definition, class to member, function to what it defines."""
    for node in nodes.nodes:
        if node.parent is not None:
            collector.add(EdgeKind.CONTAINS, node.parent, node.id, node.start_line, Resolution.EXACT, None)


def draw_imports(engine: Evaluator, nodes: Nodes, collector: Collector, files: Iterable[int]) -> None:
    """IMPORTS: file to the file, and to the definition that an import names."""
    for file in files:
        source = nodes.file_nodes[file]
        for item in engine.program.files[file].imports:
            module = engine.semantics[file].module(file, item.module, item.level)
            if module is None:
                continue
            values: list[Value] = [module]
            if item.member not in {"", "*"}:
                values += list(engine.names.module_member(module, item.member))
            for value in values:
                for target in _nodes_of(value, nodes):
                    if target and target != source:
                        collector.add(EdgeKind.IMPORTS, source, target, item.line, Resolution.EXACT, None)


def _nodes_of(value: Value, nodes: Nodes) -> list[int]:
    if value[0] == MODULE:
        semantics = nodes.engine.semantics[max(value[1], 0)]
        return [nodes.file_nodes[file] for file in semantics.files_of(value)]
    is_single_object = value[0] == INSTANCE and nodes.program.definitions[value[1]].kind == DefinitionKind.OBJECT
    return [nodes.node_of[value[1]]] if value[0] in {FUNCTION, CLASS} or is_single_object else []


def draw_hierarchy(engine: Evaluator, nodes: Nodes, collector: Collector, files: Iterable[int]) -> None:
    """INHERITS: class to its bases; OVERRIDES: method to the nearest one that it replaces."""
    program = engine.program
    classes = engine.members_of.classes
    for number in _definitions(program, files):
        if not program.is_class(number) or not nodes.node_of[number]:
            continue
        for base in classes.bases(number):
            if isinstance(base, int) and nodes.node_of[base]:
                kind = _relation(program, number, base)
                child, parent = nodes.node_of[number], nodes.node_of[base]
                collector.add(kind, child, parent, program.definitions[number].line, Resolution.EXACT, None)
        _draw_overrides(engine, nodes, collector, number)


def _definitions(program: Program, files: Iterable[int]) -> Iterator[int]:
    for file in files:
        start = program.definition_base[file]
        yield from range(start, start + program.definition_count(file))


def draw_implementers(engine: Evaluator, nodes: Nodes, collector: Collector) -> None:
    """IMPLEMENTS: class to the interfaces whose methods it has, without saying so."""
    program = engine.program
    classes = engine.members_of.classes
    for interface, implementers in classes.implementers().items():
        for number in implementers:
            child, parent = nodes.node_of[number], nodes.node_of[interface]
            if child and parent:
                line = program.definitions[number].line
                collector.add(EdgeKind.IMPLEMENTS, child, parent, line, Resolution.INFERRED, None)


def _relation(program: Program, child: int, base: int) -> EdgeKind:
    """A class implements an interface; interfaces, like classes, inherit from their own kind."""
    is_interface = [program.definitions[item].kind == DefinitionKind.INTERFACE for item in (child, base)]
    return EdgeKind.IMPLEMENTS if is_interface == [False, True] else EdgeKind.INHERITS


def _draw_overrides(engine: Evaluator, nodes: Nodes, collector: Collector, number: int) -> None:
    program = engine.program
    bases = [base for base in engine.linearization(number)[1:] if isinstance(base, int)]
    for key in program.own_keys(number) if bases else ():
        for method in program.own_definitions(number, key):
            for overridden in _overridden(engine, bases, key, method) if nodes.node_of[method] else ():
                if nodes.node_of[overridden]:
                    own, line = nodes.node_of[method], program.definitions[method].line
                    collector.add(EdgeKind.OVERRIDES, own, nodes.node_of[overridden], line, Resolution.EXACT, None)


def _overridden(engine: Evaluator, bases: list[int], key: str, method: int) -> list[int]:
    """The method that one replaces, in the nearest base that has it and in interfaces that this base does not know."""
    chosen: list[int] = []
    known: set[int | str] = set()
    for base in bases:
        is_interface = engine.program.definitions[base].kind == DefinitionKind.INTERFACE
        if base in known or (chosen and not is_interface):
            continue
        found = engine.overloads.overriding(engine.program.own_definitions(base, key), method)
        found = [item for item in found if engine.overloads.may_be_overridden(item)]
        if found:
            chosen.append(found[0])
            known.update(engine.linearization(base))
    return chosen


def draw_fixtures(engine: Evaluator, nodes: Nodes, collector: Collector, files: Iterable[int]) -> None:
    """REFERENCES by fixture: from a test or fixture to the fixture that a runner calls for a parameter."""
    program = engine.program
    for number in _definitions(program, files):
        definition = program.definitions[number]
        if definition.kind != DefinitionKind.FUNCTION or not nodes.node_of[number]:
            continue
        testing = engine.semantics[program.definition_file[number]].testing
        takes = testing.takes_fixtures(engine, number)
        taken = [testing.fixture(engine, number, parameter.name) for parameter in definition.parameters if takes]
        used = testing.used(engine, number) if nodes.is_test[number] else []
        for fixture in (*taken, *used):
            if fixture >= 0 and fixture != number and nodes.node_of[fixture]:
                collector.add(
                    EdgeKind.REFERENCES, nodes.node_of[number], nodes.node_of[fixture], definition.line,
                    Resolution.EXACT, "fixture",
                )  # fmt: skip
