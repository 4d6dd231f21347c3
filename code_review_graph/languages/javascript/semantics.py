"""The family's rules for the resolving engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from code_review_graph.facts import Via
from code_review_graph.languages.javascript.builtins import CALLBACKS, call_outside, container_method
from code_review_graph.languages.javascript.classes import CALL_KEY
from code_review_graph.languages.javascript.globals import NAMES
from code_review_graph.languages.javascript.modules import Modules
from code_review_graph.languages.javascript.testing import Testing
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation, PlainSemantics, TestRules
from code_review_graph.values import (
    BOUND,
    EMPTY,
    EXACT,
    EXTERNAL_METHOD,
    FUNCTION,
    INFERRED,
    MODULE,
    Value,
    Values,
    merge,
)

# What a file gives as a whole to those that require it.
WHOLE: Final = "="
_WHOLE_KEY: Final = "export ="
_STAR_KEY: Final = "export *"
_CALLED: Final = frozenset({"call", "apply"})


class JavaScriptSemantics(PlainSemantics):
    """Rules over one program."""

    constructors: tuple[tuple[tuple[str, ...], Via | None], ...] = ((("constructor",), None),)
    call_method = CALL_KEY
    follows_functions = True
    iteration: tuple[tuple[str, ...], ...] = (("[Symbol.iterator]", "next"), ("[Symbol.asyncIterator]", "next"))

    def __init__(self, program: Program, config_files: Mapping[str, bytes]) -> None:
        self._program = program
        self._modules = Modules(program, config_files)
        self.testing: TestRules = Testing(program)

    # -- modules

    def module(self, importer: int, module: str, level: int) -> Value | None:
        """Module value of an import; None when it leads out of the repository."""
        del level
        found: Value | None = self._modules.find(importer, module)
        return found

    def module_member(self, engine: Evaluation, module: Value, name: str) -> Values | None:
        """What a file exports under a name; ``=`` is what ``require`` gives."""
        if module[1] < 0:
            return EMPTY
        if name == WHOLE:
            # Names may have been put on what the file exports, whatever that is.
            return {**engine.module_names(module[1], _WHOLE_KEY), module: EXACT}
        return self._exported(engine, module[1], name, set())

    def _exported(self, engine: Evaluation, file: int, name: str, seen: set[int]) -> Values:
        seen.add(file)
        found = engine.module_names(file, f"export {name}")
        if found:
            return found
        whole = engine.module_names(file, _WHOLE_KEY)
        if whole:
            return whole if name == "default" else engine.members(whole, name)
        if name == "default":
            return {} if self._is_module(file) else {(MODULE, file, ""): EXACT}
        return self._from_stars(engine, file, name, seen)

    def _from_stars(self, engine: Evaluation, file: int, name: str, seen: set[int]) -> Values:
        for _, payload, _ in self._exports_of(file).get(_STAR_KEY, ()):
            target = self._modules.find(file, payload[0])
            if target is None or target[1] < 0 or target[1] in seen:
                continue
            found = self._exported(engine, target[1], name, seen)
            if found:
                return found
        return EMPTY

    def _exports_of(self, file: int) -> dict[str, list[tuple[int, Any, int]]]:
        return self._program.scopes[self._program.scope_base[file]].bindings

    def _is_module(self, file: int) -> bool:
        """Whether a file exports by statements, and so has a default only where it says so."""
        return bool(self._program.files[file].exports)

    # -- values

    def function_member(self, engine: Evaluation, function: Value, name: str) -> Values:
        """``f.call`` and ``f.apply`` run f; ``f.bind`` gives it."""
        del engine
        if name in _CALLED:
            return {function: EXACT}
        return {(EXTERNAL_METHOD, function, name): EXACT}

    def is_builtin(self, name: str) -> bool:
        """Whether the language or its usual surroundings bind a name."""
        return name in NAMES

    def call_external(self, engine: Evaluation, dotted: str, scope: int, call: tuple[Any, ...]) -> Values | None:
        """Result of calling into the language's own objects; None when nothing is known."""
        return call_outside(engine, dotted, scope, call)

    def callbacks(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """Arguments that the callee calls itself."""
        return tuple(call[2][place] for place in CALLBACKS.get(dotted, ()) if place < len(call[2]))

    def call_container(self, engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
        """Result of a method of a container, and of ``f.bind``."""
        if owner[0] in {FUNCTION, BOUND}:
            return merge({}, {owner: INFERRED}) if name == "bind" else EMPTY
        return container_method(engine, owner, name, arguments)
