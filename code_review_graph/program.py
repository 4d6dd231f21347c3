"""All files of a repository side by side, with one numbering for their scopes and definitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from code_review_graph.facts import (
    BindingKind,
    Definition,
    DefinitionFlag,
    DefinitionKind,
    Expression,
    FileFacts,
    Scope,
    ScopeKind,
    Tag,
)

_STATIC = int(DefinitionFlag.STATIC)
_NO_RECEIVER = int(DefinitionFlag.STATIC | DefinitionFlag.RECEIVER_APART)
_STRUCTURAL = int(DefinitionFlag.STRUCTURAL)
_DEFINITION = int(BindingKind.DEFINITION)
_LAMBDA = int(DefinitionKind.LAMBDA)
_CLASS_LIKE = frozenset(
    {
        int(DefinitionKind.CLASS),
        int(DefinitionKind.INTERFACE),
        int(DefinitionKind.OBJECT),
        int(DefinitionKind.NAMESPACE),
    }
)


class Program:
    """Facts of every file. Scopes and definitions have repository-wide numbers; expressions stay per file."""

    def __init__(self, files: Iterable[FileFacts]) -> None:
        self.files: list[FileFacts] = list(files)
        self.paths: list[str] = [facts.path for facts in self.files]
        self.languages: list[str] = [facts.language for facts in self.files]
        self.file_of_path: dict[str, int] = {path: index for index, path in enumerate(self.paths)}
        self.scopes: list[Scope] = []
        self.scope_file: list[int] = []
        self.scope_base: list[int] = []
        self.definitions: list[Definition] = []
        self.definition_file: list[int] = []
        self.definition_base: list[int] = []
        self.expressions: list[list[Expression]] = [facts.expressions for facts in self.files]
        for index, facts in enumerate(self.files):
            self.scope_base.append(len(self.scopes))
            self.definition_base.append(len(self.definitions))
            self.scopes.extend(facts.scopes)
            self.scope_file.extend([index] * len(facts.scopes))
            self.definitions.extend(facts.definitions)
            self.definition_file.extend([index] * len(facts.definitions))
        self.parents: list[int] = [
            scope.parent + self.scope_base[file] if scope.parent >= 0 else -1
            for scope, file in zip(self.scopes, self.scope_file, strict=True)
        ]
        self.by_paths: dict[object, Any] = {}  # what was made of the paths alone, by whoever made it
        self._call_indexes: dict[int, dict[Expression, int]] = {}
        self._with_lambdas: dict[int, bool] = {}
        self.attached: dict[int, dict[str, list[int]]] = {}
        self._members: dict[str, dict[int, list[int]]] | None = None
        self.class_of: list[int] = [self._enclosing_class(number) for number in range(len(self.definitions))]

    def definition_count(self, file: int) -> int:
        """How many definitions a file has."""
        return len(self.files[file].definitions)

    def end_of_scopes(self, file: int) -> int:
        """The first scope after those of a file."""
        return self.scope_base[file] + len(self.files[file].scopes)

    def expression_index(self, file: int, shape: Expression) -> int:
        """Index of a call expression in its file; 0 when it is not one of the file's own."""
        known = self._call_indexes.get(file)
        if known is None:
            known = {item: index for index, item in enumerate(self.expressions[file]) if item[0] == Tag.CALL}
            self._call_indexes[file] = known
        return known.get(shape, 0)

    def _enclosing_class(self, definition: int) -> int:
        scope = self.scopes[self.scope_of(definition)]
        if scope.kind != ScopeKind.CLASS:
            return -1
        return self.definition_base[self.definition_file[definition]] + scope.definition

    def scope_of(self, definition: int) -> int:
        """Scope in which a definition's name is bound."""
        return self.scope_base[self.definition_file[definition]] + self.definitions[definition].scope

    def body_of(self, definition: int) -> int:
        """Scope that a definition opens; -1 if it has none."""
        body = self.definitions[definition].body
        return -1 if body < 0 else self.scope_base[self.definition_file[definition]] + body

    def parent_of(self, scope: int) -> int:
        """The scope around a scope; -1 around a module."""
        return self.parents[scope]

    def owner_of(self, scope: int) -> int:
        """Definition whose body a scope is; -1 for a module or a comprehension."""
        definition = self.scopes[scope].definition
        return -1 if definition < 0 else self.definition_base[self.scope_file[scope]] + definition

    def is_method(self, definition: int) -> bool:
        """Whether a function is called on an instance or its class."""
        return self.class_of[definition] >= 0 and not self.definitions[definition].flags & _STATIC

    def function_around(self, scope: int) -> int:
        """The function in whose body a scope stands, past comprehensions; -1 in a module or class body."""
        while self.scopes[scope].kind == ScopeKind.INLINE:
            scope = self.parent_of(scope)
        return self.owner_of(scope) if self.scopes[scope].kind == ScopeKind.FUNCTION else -1

    def takes_receiver(self, definition: int) -> bool:
        """Whether the first parameter of a function is the receiver."""
        owner = self.class_of[definition]
        if owner < 0 or self.definitions[definition].flags & _NO_RECEIVER:
            return False
        return not self.definitions[owner].flags & _STRUCTURAL

    def is_class(self, definition: int) -> bool:
        """Whether a definition has members: a class, an interface, a single object, a namespace."""
        return self.definitions[definition].kind in _CLASS_LIKE

    def key_of(self, definition: int) -> str:
        """Name under which a definition is bound."""
        found = self.definitions[definition]
        return found.key or found.name

    def attach(self, definition: int, owner: int) -> None:
        """Make a definition that stands elsewhere a member of ``owner``."""
        self.class_of[definition] = owner
        self.attached.setdefault(owner, {}).setdefault(self.key_of(definition), []).append(definition)
        self._members = None

    def attached_to(self, owner: int, key: str) -> list[int]:
        """Members of one name that stand elsewhere."""
        members = self.attached.get(owner)
        return members.get(key, []) if members else []

    def own_definitions(self, owner: int, key: str) -> list[int]:
        """Members of one name that are definitions, in order; of the class itself, not of its bases."""
        return self._members_called(key).get(owner, [])

    def having(self, owners: Sequence[int | str], key: str) -> list[int]:
        """Those classes, in their order, that have a member of their own which is a definition of this name."""
        known = self._members_called(key)
        return [owner for owner in owners if owner in known] if known else []

    def marked(self, flag: int) -> list[tuple[str, int]]:
        """Definitions with a flag that marks them (see ``outlines``), in order: (name to find it by, number)."""
        return [
            (definition.alias or definition.name, number)
            for number, definition in enumerate(self.definitions)
            if definition.flags & flag
        ]

    def is_defined(self, name: str) -> bool:
        """Whether any definition has a name."""
        return name in self._names

    def is_member(self, name: str) -> bool:
        """Whether any definition of a class has a name."""
        return name in self._member_names

    def has_lambdas(self, file: int) -> bool:
        """Whether functions without a name stand in a file."""
        if file not in self._with_lambdas:
            self._with_lambdas[file] = any(item.kind == _LAMBDA for item in self.files[file].definitions)
        return self._with_lambdas[file]

    @cached_property
    def _names(self) -> set[str]:
        return {definition.key or definition.name for definition in self.definitions}

    @cached_property
    def _member_names(self) -> set[str]:
        found = zip(self.definitions, self.class_of, strict=True)
        return {definition.key or definition.name for definition, owner in found if owner >= 0}

    def _members_called(self, key: str) -> dict[int, list[int]]:
        if self._members is None:
            self._members = self._find_members()
        return self._members.get(key, {})

    def _find_members(self) -> dict[str, dict[int, list[int]]]:
        found: dict[str, dict[int, list[int]]] = {}
        for owner in range(len(self.definitions)):
            body = self.body_of(owner) if self.is_class(owner) else -1
            base = self.definition_base[self.definition_file[owner]]
            for key, bindings in self.scopes[body].bindings.items() if body >= 0 else ():
                own = [base + payload for kind, payload, _ in bindings if kind == _DEFINITION]
                if own:
                    found.setdefault(key, {})[owner] = own
        for owner, members in self.attached.items():
            for key, apart in members.items():
                found.setdefault(key, {}).setdefault(owner, []).extend(apart)
        return found

    def own_keys(self, owner: int) -> list[str]:
        """Names of all members of a class itself."""
        body = self.body_of(owner) if self.is_class(owner) else -1
        names = list(self.scopes[body].bindings) if body >= 0 else []
        return list(dict.fromkeys((*names, *self.attached.get(owner, ()))))
