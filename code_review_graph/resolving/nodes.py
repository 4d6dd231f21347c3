"""Definitions to nodes: kinds, qualified names, numbering."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

from code_review_graph.facts import DefinitionFlag, DefinitionKind, ScopeKind
from code_review_graph.model import Node, NodeKind
from code_review_graph.resolving.evaluator import Evaluator

_OVERLOAD = int(DefinitionFlag.OVERLOAD)
_OVERLOADABLE = int(DefinitionFlag.OVERLOADABLE)

_KINDS = {
    DefinitionKind.CLASS: NodeKind.CLASS,
    DefinitionKind.CONSTANT: NodeKind.CONSTANT,
    DefinitionKind.TYPE: NodeKind.TYPE,
    DefinitionKind.INTERFACE: NodeKind.INTERFACE,
    DefinitionKind.OBJECT: NodeKind.CONSTANT,
    DefinitionKind.NAMESPACE: NodeKind.MODULE,
}


class Nodes:
    """Nodes of a program, numbered from 1 file by file; ``node_of`` maps definitions (0: it has no node)."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program
        self.nodes: list[Node] = []
        self.file_nodes: list[int] = []
        self.node_of: list[int] = [0] * len(self.program.definitions)
        self.is_test: list[bool] = [False] * len(self.program.definitions)
        self._definitions: dict[int, int] = {}
        self._callers: dict[int, int] = {}
        self._qualified: list[str] = [""] * len(self.program.definitions)
        self._add_all()

    def _add_all(self) -> None:
        for file in range(len(self.program.paths)):
            self.file_nodes.append(self.add_file(file))
        self._adopt()

    def _adopt(self) -> None:
        """Members that stand elsewhere belong to their class, wherever that is."""
        for owner, members in self.program.attached.items():
            parent = self.node_of[owner]
            for number in [item for same in members.values() for item in same] if parent else ():
                node = self.node_of[number]
                if node:
                    self.nodes[node - 1] = replace(self.nodes[node - 1], parent=parent)

    def add_file(self, file: int) -> int:
        """Make the nodes of a file; returns that of the file itself."""
        facts = self.program.files[file]
        testing = self.engine.semantics[file].testing
        in_tests = testing.is_test_path(facts.path)
        identity = self.identify(file, -1)
        self.nodes.append(
            Node(
                id=identity,
                qualified_name=facts.path,
                name=PurePosixPath(facts.path).name,
                kind=NodeKind.FILE,
                path=facts.path,
                start_line=1,
                end_line=max(facts.line_count, 1),
                language=facts.language,
                is_test=in_tests,
                docstring=facts.docstring,
                body_words=facts.body_words,
            )
        )
        taken: set[str] = set()
        base = self.program.definition_base[file]
        for number in range(base, base + len(facts.definitions)):
            if self._has_node(number):
                self._add_definition(number, taken, identity, in_tests=in_tests)
        return identity

    def identify(self, file: int, number: int) -> int:
        """The id of the next node: of a definition, or with -1 of a file."""
        del file, number
        return len(self.nodes) + 1

    def _has_node(self, number: int) -> bool:
        definition = self.program.definitions[number]
        if not definition.name:
            return False
        if definition.flags & _OVERLOAD:
            return not self._has_implementation(number)
        return True

    def _has_implementation(self, number: int) -> bool:
        """An overload signature is one with the implementation that follows it."""
        base = self.program.definition_base[self.program.definition_file[number]]
        bindings = self.program.scopes[self.program.scope_of(number)].bindings.get(self.program.key_of(number), ())
        return any(
            kind == 0 and not self.program.definitions[base + payload].flags & _OVERLOAD
            for kind, payload, _ in bindings
        )

    def _add_definition(self, number: int, taken: set[str], file_node: int, *, in_tests: bool) -> None:
        definition = self.program.definitions[number]
        file = self.program.definition_file[number]
        path = self.program.paths[file]
        prefix = self._prefix(number)
        qualified = f"{prefix}.{definition.name}" if prefix else definition.name
        if definition.flags & _OVERLOADABLE and self._has_overloads(number):
            qualified = f"{qualified}({definition.parameter_types})"
        if qualified in taken:
            qualified = f"{qualified}@{definition.line}"
        taken.add(qualified)
        self._qualified[number] = qualified
        identity = self.identify(file, number)
        self.node_of[number] = identity
        self._definitions[identity] = number
        self.is_test[number] = self.engine.semantics[file].testing.is_test(self.engine, number)
        self.nodes.append(
            Node(
                id=identity,
                qualified_name=f"{path}::{qualified}",
                name=definition.name,
                kind=self._kind(number),
                path=path,
                start_line=definition.line,
                end_line=definition.end_line,
                language=self.program.languages[file],
                parent=self._holder(self._outer_scope(number)) or file_node,
                is_test=in_tests,
                signature=definition.signature,
                docstring=definition.docstring,
                body_words=definition.body_words,
            )
        )

    def _prefix(self, number: int) -> str:
        """Qualified name, within its file, of what a definition is a member of or stands in."""
        definition = self.program.definitions[number]
        if definition.owner > 0:
            owner = self.program.class_of[number]
            found = self._written_name(owner) if owner >= 0 else ""
            if found or definition.qualifier:
                return found or definition.qualifier
        owner = self.program.owner_of(self._outer_scope(number))
        while owner >= 0 and not self._qualified[owner]:
            owner = self.program.owner_of(self._outer_scope(owner))
        return self._qualified[owner] if owner >= 0 else ""

    def _written_name(self, number: int) -> str:
        """A definition's name after those of what it stands in; it may not have been reached yet."""
        if self._qualified[number]:
            return self._qualified[number]
        definition = self.program.definitions[number]
        prefix = self._prefix(number)
        return f"{prefix}.{definition.name}" if prefix and definition.name else definition.name or prefix

    def _has_overloads(self, number: int) -> bool:
        owner = self.program.class_of[number]
        key = self.program.key_of(number)
        if owner >= 0:
            return len(self.program.own_definitions(owner, key)) > 1
        return len(self.program.scopes[self.program.scope_of(number)].bindings.get(key, ())) > 1

    def _outer_scope(self, number: int) -> int:
        scope = self.program.scope_of(number)
        while self.program.scopes[scope].kind == ScopeKind.INLINE:
            scope = self.program.parent_of(scope)
        return scope

    def _kind(self, number: int) -> NodeKind:
        kind = self.program.definitions[number].kind
        if self.is_test[number]:
            return NodeKind.TEST
        known = _KINDS.get(DefinitionKind(kind))
        if known is not None:
            return known
        return NodeKind.METHOD if self.program.class_of[number] >= 0 else NodeKind.FUNCTION

    def definition_of(self, node: int) -> int:
        """Definition behind a node; -1 for a file."""
        return self._definitions.get(node, -1)

    def caller(self, scope: int) -> int:
        """Node to which code in a scope belongs: the nearest definition with a node, else the file."""
        known = self._callers.get(scope)
        if known is None:
            known = self._callers[scope] = self._find_caller(scope)
        return known

    def _find_caller(self, scope: int) -> int:
        return self._holder(scope) or self.file_nodes[self.program.scope_file[scope]]

    def _holder(self, scope: int) -> int:
        """Node of the nearest definition around that has one; 0 for none."""
        while scope >= 0:
            owner = self.program.owner_of(scope)
            if owner >= 0 and self.node_of[owner]:
                return self.node_of[owner]
            scope = self.program.parent_of(scope)
        return 0
