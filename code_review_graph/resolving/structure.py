"""Edges that need no call: containment, imports, inheritance, overriding, fixtures."""

from __future__ import annotations

from code_review_graph.facts import BindingKind, DefinitionKind
from code_review_graph.model import EdgeKind, Resolution
from code_review_graph.resolving.collecting import Collector
from code_review_graph.resolving.evaluator import Evaluator
from code_review_graph.resolving.nodes import Nodes
from code_review_graph.values import CLASS, FUNCTION, MODULE, Value


def draw_containment(nodes: Nodes, collector: Collector) -> None:
    """CONTAINS: file to definition, class to member, function to what it defines."""
    for node in nodes.nodes:
        if node.parent is not None:
            collector.add(EdgeKind.CONTAINS, node.parent, node.id, node.start_line, Resolution.EXACT, None)


def draw_imports(engine: Evaluator, nodes: Nodes, collector: Collector) -> None:
    """IMPORTS: file to the file, and to the definition that an import names."""
    for file, facts in enumerate(engine.program.files):
        source = nodes.file_nodes[file]
        for item in facts.imports:
            module = engine.semantics[file].module(file, item.module, item.level)
            if module is None:
                continue
            values: list[Value] = [module]
            if item.member not in {"", "*"}:
                values += list(engine.names.module_member(module, item.member))
            for value in values:
                target = _node_of(value, nodes)
                if target and target != source:
                    collector.add(EdgeKind.IMPORTS, source, target, item.line, Resolution.EXACT, None)


def _node_of(value: Value, nodes: Nodes) -> int:
    if value[0] == MODULE:
        return nodes.file_nodes[value[1]] if value[1] >= 0 else 0
    return nodes.node_of[value[1]] if value[0] in {FUNCTION, CLASS} else 0


def draw_hierarchy(engine: Evaluator, nodes: Nodes, collector: Collector) -> None:
    """INHERITS: class to its bases; OVERRIDES: method to the nearest one that it replaces."""
    program = engine.program
    classes = engine.members_of.classes
    for number, definition in enumerate(program.definitions):
        if not program.is_class(number) or not nodes.node_of[number]:
            continue
        for base in classes.bases(number):
            if isinstance(base, int) and nodes.node_of[base]:
                child, parent = nodes.node_of[number], nodes.node_of[base]
                collector.add(EdgeKind.INHERITS, child, parent, definition.line, Resolution.EXACT, None)
        _draw_overrides(engine, nodes, collector, number)


def _draw_overrides(engine: Evaluator, nodes: Nodes, collector: Collector, number: int) -> None:
    program = engine.program
    bases = [base for base in engine.linearization(number)[1:] if isinstance(base, int)]
    body = program.body_of(number)
    offset = program.definition_base[program.definition_file[number]]
    for name, bindings in program.scopes[body].bindings.items() if bases and body >= 0 else ():
        for kind, payload, _ in bindings:
            own = nodes.node_of[offset + payload] if kind == BindingKind.DEFINITION else 0
            overridden = next((m for base in bases if (m := _own_method(engine, base, name)) >= 0), -1)
            if own and overridden >= 0 and nodes.node_of[overridden]:
                line = program.definitions[offset + payload].line
                collector.add(EdgeKind.OVERRIDES, own, nodes.node_of[overridden], line, Resolution.EXACT, None)


def _own_method(engine: Evaluator, owner: int, name: str) -> int:
    body = engine.program.body_of(owner)
    for kind, payload, _ in engine.program.scopes[body].bindings.get(name, ()) if body >= 0 else ():
        if kind == BindingKind.DEFINITION:
            return engine.program.definition_base[engine.program.definition_file[owner]] + int(payload)
    return -1


def draw_fixtures(engine: Evaluator, nodes: Nodes, collector: Collector) -> None:
    """REFERENCES by fixture: from a test or fixture to the fixture that a runner calls for a parameter."""
    program = engine.program
    for number, definition in enumerate(program.definitions):
        if definition.kind != DefinitionKind.FUNCTION or not nodes.node_of[number]:
            continue
        testing = engine.semantics[program.definition_file[number]].testing
        if not testing.takes_fixtures(engine, number):
            continue
        taken = [testing.fixture(engine, number, parameter.name) for parameter in definition.parameters]
        used = testing.used(engine, number) if nodes.is_test[number] else []
        for fixture in (*taken, *used):
            if fixture >= 0 and fixture != number and nodes.node_of[fixture]:
                collector.add(
                    EdgeKind.REFERENCES, nodes.node_of[number], nodes.node_of[fixture], definition.line,
                    Resolution.EXACT, "fixture",
                )  # fmt: skip
