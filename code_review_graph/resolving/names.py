"""What a name means where it stands: scopes, flow within a scope, imports and re-exports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from code_review_graph.facts import Binding, BindingKind, Block, ScopeKind
from code_review_graph.semantics import Semantics
from code_review_graph.values import EMPTY, EXACT, EXTERNAL, Value, Values, instance, merge

if TYPE_CHECKING:
    from code_review_graph.resolving.evaluator import Evaluator

BoundName = tuple[int, Binding]  # the scope that binds, and how
STAR: Final = "*"
# Of a name that is bound more often in one scope, the bindings nearest to a use count.
MAX_BINDINGS: Final = 64
_NARROWINGS: Final = frozenset({int(BindingKind.NARROWED), int(BindingKind.EXCLUDED)})
_CLASS: Final = int(ScopeKind.CLASS)
_FUNCTION: Final = int(ScopeKind.FUNCTION)


class Names:
    """Look-up of names."""

    def __init__(self, engine: Evaluator) -> None:
        self.engine = engine
        self.program = engine.program
        self._is_shared = [semantics.shares_variables for semantics in engine.semantics]
        self._sees_members = [semantics.members_in_scope for semantics in engine.semantics]

    def values(self, scope: int, name: str, version: int, block: int) -> Values:
        """Values of a name used in ``scope`` after ``version`` of its bindings."""
        if self._sees_members[self.program.scope_file[scope]]:
            return self._with_members(scope, name, version, block)
        bindings = self.bindings(scope, name, version, block)
        if bindings and self._is_shared[self.program.scope_file[scope]] and self.program.parents[bindings[0][0]] < 0:
            return self._with_writes(bindings, self.program.scope_file[scope], name)
        return self._values_of(bindings) if bindings else self._unbound(scope, name)

    def _with_writes(self, bindings: list[BoundName], file: int, name: str) -> Values:
        """Values of a module's own name that other files assign as well."""
        values = self._values_of(bindings)
        written = self.engine.members_of.writes.of_module(file, name)
        if not written:
            return values
        found = dict(values)
        for scope, expression in written:
            merge(found, self.engine.evaluate(scope, expression))
        return found

    def _values_of(self, bindings: list[BoundName]) -> Values:
        if len(bindings) == 1:
            return self.engine.bound(bindings[0])
        found: Values = {}
        for binding in bindings:
            merge(found, self.engine.bound(binding))
        return found

    def _unbound(self, scope: int, name: str) -> Values:
        """Values of a name that no scope around binds."""
        file = self.program.scope_file[scope]
        return self.from_stars(file, name) or self._ambient(file, name) or self._builtin(scope, name)

    def _ambient(self, file: int, name: str) -> Values:
        semantics = self.engine.semantics[file]
        return self.engine.remember(("ambient", file, name), lambda: semantics.ambient(self.engine, file, name))

    def _with_members(self, scope: int, name: str, version: int, block: int) -> Values:
        """Values of a name that may also be a member, own or inherited, of a class around."""
        program, start = self.program, scope
        outside: Values = EMPTY
        semantics = self.engine.semantics[program.scope_file[scope]]
        while scope >= 0:
            here = program.scopes[scope]
            if here.kind == _CLASS:
                receiver = instance(program.owner_of(scope), exact=False)
                found = self.engine.members_of.inside(receiver, name)
                if found:
                    return found
                outside = outside or self.engine.members_of.outside(receiver, name)
                inherent = EMPTY if outside else semantics.object_member(self.engine, receiver, name)
                if inherent:
                    return inherent
            elif name in here.bindings:
                return self._values_of(self.bindings(scope, name, version, block))
            scope = program.parents[scope]
        return self._unbound(start, name) or outside

    def _builtin(self, scope: int, name: str) -> Values:
        semantics = self.engine.semantics[self.program.scope_file[scope]]
        return {(EXTERNAL, f"builtins.{name}"): EXACT} if semantics.is_builtin(name) else EMPTY

    def bindings(self, scope: int, name: str, version: int = 0, block: int = 0) -> list[BoundName]:
        """Bindings that may reach a use of ``name``; none when only a star import or the language may know it."""
        program = self.program
        start, crossed = scope, False
        sees_members = self._sees_members[program.scope_file[scope]]
        while scope >= 0:
            here = program.scopes[scope]
            bindings = here.bindings.get(name)
            if bindings and (not crossed or here.kind != _CLASS or sees_members):
                if len(bindings) == 1:
                    return [(scope, bindings[0])]
                if crossed or version == 0:
                    chosen = _latest(bindings, here.block) if crossed else bindings
                else:
                    chosen = _reaching(bindings, version, block, program.files[program.scope_file[start]].blocks)
                return [(scope, binding) for binding in chosen]
            crossed = crossed or here.kind == _FUNCTION
            scope = program.parents[scope]
        return []

    def from_stars(self, file: int, name: str) -> Values:
        """Values of a name that the file's star imports bring."""
        stars = self.program.scopes[self.program.scope_base[file]].bindings.get(STAR)
        if not stars or name.startswith("__"):
            return EMPTY
        semantics = self.engine.semantics[file]
        for _, (module, level, _), _ in reversed(stars):
            target = semantics.module(file, module, level)
            if target is not None and target[1] >= 0 and self._is_exported(target[1], name):
                values = self.in_module(target[1], name)
                if values:
                    return values
        return EMPTY

    def _is_exported(self, file: int, name: str) -> bool:
        exports = self.program.files[file].exports
        return not name.startswith("_") if exports is None else name in exports

    def in_module(self, file: int, name: str) -> Values:
        """Values of a name in a module's own scope, its re-exports included."""
        return self.engine.remember(("module", file, name), lambda: self._in_module(file, name))

    def _in_module(self, file: int, name: str) -> Values:
        scope = self.program.scope_base[file]
        bindings = self.program.scopes[scope].bindings.get(name)
        found: Values = {}
        for binding in _latest(bindings, 0) if bindings else ():
            merge(found, self.engine.bound((scope, binding)))
        for write in self.engine.members_of.writes.of_module(file, name):
            merge(found, self.engine.evaluate(*write))
        if bindings or found:
            return found
        return self.from_stars(file, name)

    def module_member(self, module: Value, name: str) -> Values:
        """Values of ``module.name``."""
        file = module[1]
        if file < 0:
            return self._submodule(self.engine.families, module, name)
        semantics = self.engine.semantics[file]
        known = semantics.module_member(self.engine, module, name)
        if known is not None:
            return known
        values = self.in_module(file, name) or self._submodule((semantics,), module, name)
        if not values and semantics.dynamic_attribute:
            for value in self.in_module(file, semantics.dynamic_attribute):
                return self.engine.calls.returns_of_value(value)
        return values

    @staticmethod
    def _submodule(families: Iterable[Semantics], module: Value, name: str) -> Values:
        for semantics in families:
            inner = semantics.submodule(module, name)
            if inner is not None:
                return {inner: EXACT}
        return EMPTY

    def imported(self, scope: int, kind: int, payload: Any) -> Values:  # noqa: ANN401  (shape depends on the kind)
        """Values that an import binds."""
        file = self.program.scope_file[scope]
        semantics = self.engine.semantics[file]
        if kind == BindingKind.PACKAGE:
            top = payload.split(".", 1)[0]
            module = semantics.module(file, top, 0)
            return {module: EXACT} if module is not None else {(EXTERNAL, top): EXACT}
        name, level, member = payload
        module = semantics.module(file, name, level)
        if module is None:
            dotted = semantics.external_module(name, level)
            return {(EXTERNAL, f"{dotted}.{member}" if member else dotted): EXACT}
        if not member:
            return {module: EXACT}
        return self.engine.remember(("import", module, member, file), lambda: self.module_member(module, member))


def _latest(bindings: list[Binding], root: int) -> list[Binding]:
    """Bindings that hold once a scope has run to its end."""
    chosen: list[Binding] = []
    for binding in reversed(bindings):
        chosen.append(binding)
        if binding[2] == root and binding[0] not in _NARROWINGS:
            break
    return chosen


def _reaching(bindings: list[Binding], version: int, block: int, blocks: list[Block]) -> list[Binding]:
    """Bindings that reach a use in ``block`` after ``version`` of them: back to the first that must have run."""
    around = _ancestors(block, blocks)
    chosen: list[Binding] = []
    for binding in reversed(bindings[max(0, version - MAX_BINDINGS) : version]):
        reaches = version == 1 or binding[2] in around
        # What a condition says of a name says nothing outside of where it holds.
        if reaches or binding[0] not in _NARROWINGS:
            chosen.append(binding)
        if reaches:
            break
    loops = [item for item in around if blocks[item].is_loop]
    if loops:
        later = [item for item in bindings[version : version + MAX_BINDINGS] if item[0] not in _NARROWINGS]
        chosen += [item for item in later if any(loop in _ancestors(item[2], blocks) for loop in loops)]
    return chosen or bindings


def _ancestors(block: int, blocks: list[Block]) -> list[int]:
    chain: list[int] = []
    while block >= 0:
        chain.append(block)
        block = blocks[block].parent
    return chain
