"""Go's lexical blocks: a declaration opens a scope that reaches to the end of the block around it."""

from __future__ import annotations

from typing import Final

from code_review_graph.facts import NO_EXPRESSION, Binding, BindingKind, ScopeKind, Tag
from code_review_graph.languages.go.syntax import BLANK
from code_review_graph.lowering import Lowering

_FIXED: Final = frozenset({int(BindingKind.IMPORT), int(BindingKind.DEFINITION)})

# A name and how it gets its value.
Declared = tuple[str, BindingKind, object]


class Scoping:
    """Declares and assigns names; ``used`` has the names that were read here with a meaning from further out."""

    def __init__(self, lowering: Lowering) -> None:
        self.low = lowering
        self.used: set[str] = set()
        self._ends: dict[int, int] = {}  # scope -> byte at which its block ends
        self._types: dict[tuple[int, str], int] = {}  # declared types of local names

    def enter_function(self, end: int) -> None:
        """Note that the scope opened last is the body of a function."""
        self._ends[self.low.scope] = end
        if self.low.facts.scopes[self.low.scope].parent == 0:
            self.used.clear()

    def at_package_level(self) -> bool:
        """Whether the walk stands outside of every function."""
        return self.low.function_scope() == 0

    def declare(self, declared: list[Declared]) -> None:
        """Bind new names from here to the end of the block around."""
        low = self.low
        end = low.regions[-1][0] if low.regions else len(low.source)
        around = low.scope
        here = low.facts.scopes[around].bindings
        # A name that meant something before its declaration gets a scope of its own: what was read stays what it was.
        # So does one of a loop's head that its body declares again: without a new name it would be no declaration.
        is_again = all(name in here for name, _, _ in declared)
        if self._ends.get(around) != end or is_again or any(self._hides(name) for name, _, _ in declared):
            low.open_scope(ScopeKind.INLINE, NO_EXPRESSION, end)
            self._ends[low.scope] = end
        for name, kind, payload in declared:
            if name == BLANK:
                continue
            if low.scope == around:
                low.bind(name, kind, payload)
            else:
                self.bind_from(around, low.scope, name, kind, payload)
            if kind is BindingKind.DECLARED and isinstance(payload, tuple):
                self._types[(low.scope, name)] = payload[0]

    def _hides(self, name: str) -> bool:
        """Whether a declaration gives a name that has a meaning here another one."""
        scope = self.scope_of(name)
        return scope != self.low.scope and (scope > 0 or name in self.used)

    def bind_from(self, source: int, scope: int, name: str, kind: BindingKind, payload: object) -> None:
        """Bind a name in one scope to a value that is read in another."""
        entry: Binding = (int(kind), payload, -source - 2)
        self.low.facts.scopes[scope].bindings.setdefault(name, []).append(entry)

    def declare_after(self, end: int, declared: list[Declared]) -> None:
        """Bind new names once the walk has passed the statement that declares them."""
        self.low.after(end, lambda: self.declare(declared))

    def type_parameter(self, name: str, annotation: int) -> None:
        """Note the declared type of a parameter or result of the function entered last."""
        self._types[(self.low.scope, name)] = annotation

    def scope_of(self, name: str) -> int:
        """The scope of this file that declares a name; -1 for none."""
        scopes = self.low.facts.scopes
        scope = self.low.scope
        while scope >= 0 and name not in scopes[scope].bindings:
            scope = scopes[scope].parent
        return scope

    def assign(self, name: str, value: int, *, only_typed: bool = False) -> None:
        """Give a declared name a further value; ``only_typed``: where what it is does not rest on its values."""
        scope = self.scope_of(name)
        if scope < 0:  # a variable that another file of the package declares
            here = self.low.intern((int(Tag.IMPORTED), ".", 0, ""))
            self.low.write_attribute(here, name, value)
            return
        if self.low.facts.scopes[scope].bindings[name][0][0] in _FIXED:
            return
        declared = self._types.get((scope, name))
        if declared is None and only_typed:
            return
        kind, payload = (BindingKind.VALUE, value) if declared is None else (BindingKind.DECLARED, (declared, value))
        if scope == self.low.scope:
            self.low.bind(name, kind, payload)
        else:
            self.bind_from(self.low.scope, scope, name, kind, payload)

    def is_shadowed(self, name: str) -> bool:
        """Whether the file gives a predeclared name another meaning here."""
        return self.scope_of(name) >= 0

    def is_type_parameter(self, name: str) -> bool:
        """Whether a name is a type parameter of a function around."""
        scope = self.scope_of(name)
        if scope <= 0:
            return False
        kind, payload, _ = self.low.facts.scopes[scope].bindings[name][-1]
        return kind == BindingKind.VALUE and self.low.facts.expressions[max(payload, 0)][0] == Tag.TYPE_PARAMETER

    def is_local(self, name: str) -> bool:
        """Whether a name belongs to a function around."""
        return self.scope_of(name) > 0
