"""The builder that languages fill while they walk a file: scopes, blocks, bindings, sites, interned expressions.

Captured syntax nodes arrive in source order; a node that opens a region (a scope or a block) names its end, and the
builder closes regions as the walk passes them. Names are interned with the version of their binding, so that what a
name means depends on where it stands without an expression for every use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Final

from code_review_graph.facts import (
    NO_EXPRESSION,
    AttributeWrite,
    Binding,
    BindingKind,
    Block,
    Definition,
    Expression,
    Extension,
    FileFacts,
    Import,
    ItemWrite,
    Parameter,
    Scope,
    ScopeKind,
    Site,
    Tag,
    Via,
)

_UNKNOWN: Expression = (Tag.UNKNOWN,)
_NAME: Final = Tag.NAME
_INLINE: Final = int(ScopeKind.INLINE)
# What the constructor of a named tuple does, without a call in between: there are many sites.
_tuple: Final = tuple.__new__


class DefinitionDraft:
    """A definition while its body is still being read."""

    __slots__ = ("body", "fields", "results", "yields")

    def __init__(self, fields: Definition) -> None:
        self.fields = fields
        self.body = -1
        self.results: list[int] = []
        self.yields: list[int] = []

    def finish(self, body_words: str) -> Definition:
        """The finished definition."""
        fields = self.fields
        results, yields = tuple(self.results), tuple(self.yields)
        return _tuple(Definition, (*fields[:3], self.body, *fields[4:14], results, yields, body_words, *fields[17:]))


class Lowering:
    """Facts of one file in the making."""

    def __init__(self, path: str, language: str, source: bytes) -> None:
        self.source = source
        self.facts = FileFacts(path=path, language=language)
        self.drafts: list[DefinitionDraft] = []
        self.spans: list[tuple[int, int]] = []  # bytes of each definition
        self.node_expressions: dict[int, int] = {}  # syntax node id -> expression
        self.pending_regions: dict[int, tuple[str, int]] = {}  # syntax node id of a suite -> region it opens
        self._interned: dict[Expression, int] = {_UNKNOWN: 0}
        self.facts.expressions.append(_UNKNOWN)
        self.facts.blocks.append(Block(-1, is_loop=False))
        self.facts.scopes.append(Scope(int(ScopeKind.MODULE), -1, -1, {}, 0))
        self.scope = 0
        self.block = 0
        self.loop_depth = 0
        # end byte; scope, block, loop depth to return to; what to do then
        self.regions: list[tuple[int, int, int, int, Callable[[], None] | None]] = []
        self._texts: dict[bytes, str] = {}
        self._redirects: dict[tuple[int, str], int] = {}

    # -- regions

    def leave_regions(self, position: int) -> None:
        """Close every region that ends at or before a byte position."""
        regions = self.regions
        while regions and regions[-1][0] <= position:
            _, self.scope, self.block, self.loop_depth, action = regions.pop()
            if action is not None:
                action()

    def after(self, end: int, action: Callable[[], None]) -> None:
        """Do something once the walk has passed byte ``end``, in the scope and block of now."""
        self._enter(end, action)

    def _enter(self, end: int, action: Callable[[], None] | None = None) -> None:
        self.regions.append((end, self.scope, self.block, self.loop_depth, action))

    def open_scope(self, kind: ScopeKind, definition: int, end: int) -> int:
        """Open a scope that reaches to byte ``end``; returns its index."""
        self._enter(end)
        scopes = self.facts.scopes
        blocks = self.facts.blocks
        blocks.append(_tuple(Block, (self.block if kind is ScopeKind.INLINE else -1, False)))
        self.block = len(blocks) - 1
        scopes.append(_tuple(Scope, (int(kind), self.scope, definition, {}, self.block)))
        self.scope = len(scopes) - 1
        if kind is not ScopeKind.INLINE:
            self.loop_depth = 0
        return self.scope

    def close_region(self) -> None:
        """Close the region opened last, wherever it ends."""
        _, self.scope, self.block, self.loop_depth, _ = self.regions.pop()

    def reopen_scope(self, scope: int, end: int) -> None:
        """Stand in a scope again that was opened and closed before."""
        self._enter(end)
        self.scope = scope
        self.block = self.facts.scopes[scope].block

    def open_block(self, end: int, *, is_loop: bool = False) -> None:
        """Open a branch or loop body that reaches to byte ``end``."""
        self._enter(end)
        blocks = self.facts.blocks
        blocks.append(_tuple(Block, (self.block, is_loop)))
        self.block = len(blocks) - 1
        if is_loop:
            self.loop_depth += 1

    # -- names

    def text(self, start: int, end: int) -> str:
        """The name between two bytes; equal names are one object, hashed and stored once."""
        raw = self.source[start:end]
        text = self._texts.get(raw)
        if text is None:
            text = self._texts[raw] = sys.intern(str(raw, "utf-8", "replace"))
        return text

    def redirect(self, name: str, scope: int) -> None:
        """Make ``name`` in the current scope mean the name of another scope (global, nonlocal)."""
        self._redirects[(self.function_scope(), name)] = scope

    def function_scope(self) -> int:
        """The nearest scope that is not a comprehension."""
        scope = self.scope
        scopes = self.facts.scopes
        while scopes[scope].kind == _INLINE:
            scope = scopes[scope].parent
        return scope

    def bind(self, name: str, kind: BindingKind, payload: object, scope: int | None = None) -> None:
        """Record that a name gets a value here."""
        target = self.scope if scope is None else scope
        block = self.block
        redirected = self._redirects.get((target, name))
        if redirected is not None:
            target, block = redirected, -self.scope - 2  # says which scope the value belongs to
        entry: Binding = (int(kind), payload, block)
        bindings = self.facts.scopes[target].bindings
        bound = bindings.get(name)
        if bound is None:
            bindings[name] = [entry]
        else:
            bound.append(entry)

    def is_bound_here(self, name: str) -> bool:
        """Whether the current function scope has bound the name already."""
        return name in self.facts.scopes[self.function_scope()].bindings

    def name(self, name: str) -> int:
        """Expression of a name used at the current place."""
        scopes = self.facts.scopes
        kind, parent, _, bindings, _ = scopes[self.scope]
        bound = bindings.get(name)
        while bound is None and kind == _INLINE:
            kind, parent, _, bindings, _ = scopes[parent]
            bound = bindings.get(name)
        version = len(bound) if bound else 0
        expression = (_NAME, name, version, self.block if version > 1 or self.loop_depth else 0)
        # As `intern` does, which a call would make a third slower for what is looked up most.
        expressions = self.facts.expressions
        count = len(expressions)
        index = self._interned.setdefault(expression, count)
        if index == count:
            expressions.append(expression)
        return index

    # -- expressions and facts

    def intern(self, expression: Expression) -> int:
        """Index of an expression, the same for equal ones."""
        expressions = self.facts.expressions
        count = len(expressions)
        index = self._interned.setdefault(expression, count)
        if index == count:
            expressions.append(expression)
        return index

    def define(self, definition: Definition, span: tuple[int, int]) -> int:
        """Add a definition (not bound to its name yet); returns its index."""
        self.drafts.append(DefinitionDraft(definition))
        self.spans.append(span)
        return len(self.drafts) - 1

    def enter_body(self, definition: int, kind: ScopeKind, end: int, parameters: Sequence[Parameter] = ()) -> None:
        """Open the body scope of a definition and bind its parameters in it."""
        self.drafts[definition].body = self.open_scope(kind, definition, end)
        for position, parameter in enumerate(parameters):
            self.bind(parameter.name, BindingKind.PARAMETER, position)

    def owner(self) -> DefinitionDraft | None:
        """The function whose body is being read, if any."""
        index = self.facts.scopes[self.function_scope()].definition
        return self.drafts[index] if index >= 0 else None

    def site(self, line: int, expression: int, via: Via = Via.CALL) -> None:
        """Record a place where code may run."""
        self.facts.sites.append(_tuple(Site, (self.scope, line, expression, int(via))))

    def load(self, line: int, expression: int, via: Via = Via.PROPERTY) -> None:
        """Record that a member is read (or, by ``Via.SETTER``, set)."""
        self.facts.loads.append(_tuple(Site, (self.scope, line, expression, int(via))))

    def write_attribute(self, target: int, name: str, value: int, annotation: int = NO_EXPRESSION) -> None:
        """Record ``target.name = value``."""
        self.facts.attribute_writes.append(AttributeWrite(self.scope, target, name, value, annotation))

    def write_item(self, target: int, key: int, value: int) -> None:
        """Record ``target[key] = value``."""
        self.facts.item_writes.append(ItemWrite(self.scope, target, key, value, self.block))

    def extend(self, target: int, base: int) -> None:
        """Record that ``target`` also has the members of ``base``."""
        self.facts.extensions.append(Extension(self.scope, target, base))

    def add_import(self, line: int, module: str, level: int, member: str) -> None:
        """Record an import statement's one name."""
        self.facts.imports.append(Import(self.scope, line, module, level, member))

    def finish(self, body_words: Sequence[str]) -> FileFacts:
        """The finished facts; ``body_words`` has one entry a definition."""
        self.facts.definitions = [draft.finish(words) for draft, words in zip(self.drafts, body_words, strict=True)]
        return self.facts
