"""Go's rules for the resolving engine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from code_review_graph.facts import BindingKind
from code_review_graph.languages.go.constraints import Constraints
from code_review_graph.languages.go.packages import Packages
from code_review_graph.languages.go.standard import (
    NAMES,
    PROTOCOLS,
    RULES,
    callback_places,
    external_type,
)
from code_review_graph.languages.go.statements import DOT_IMPORTS
from code_review_graph.languages.go.testing import Testing
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation, PlainSemantics, TestRules
from code_review_graph.values import EMPTY, EXACT, EXTERNAL, Value, Values, merge

_IMPORT: Final = int(BindingKind.IMPORT)


class GoSemantics(PlainSemantics):
    """Rules over one program."""

    follows_functions = True
    nearest_member = True
    shares_variables = True
    makes_without_call = True

    def __init__(self, program: Program, config_files: Mapping[str, bytes]) -> None:
        self._program = program
        self._packages = Packages(program, config_files)
        self._constraints = Constraints(program)
        self.testing: TestRules = Testing(program, self._packages)

    # -- packages

    def module(self, importer: int, module: str, level: int) -> Value | None:
        """Module value of an import path; None when it leads out of the repository."""
        del level
        return self._packages.find(importer, module)

    def files_of(self, module: Value) -> tuple[int, ...]:
        """Files of a package that others can import."""
        package = self._packages.package_of.get(module[1])
        if package is None:
            return ()
        return tuple([file for file in self._packages.files[package] if not self._packages.is_test_file(file)])

    def module_member(self, engine: Evaluation, module: Value, name: str) -> Values | None:
        """A name that a package declares, in whichever file."""
        package = self._packages.package_of.get(module[1])
        if package is None:
            return None
        files = self._packages.declaring(package, name)
        sources = [file for file in files if not self._packages.is_test_file(file)]
        return self._declared(engine, sources or files, name)

    def _declared(self, engine: Evaluation, files: list[int], name: str) -> Values:
        found: Values = {}
        for file in files:
            merge(found, engine.module_names(file, name))
        return found

    def ambient(self, engine: Evaluation, file: int, name: str) -> Values:
        """A name that another file of the package declares, or that a dot import brings."""
        package = self._packages.package_of.get(file)
        if package is None:
            return EMPTY
        files = [other for other in self._packages.declaring(package, name) if other != file]
        if not self._packages.is_test_file(file):
            files = [other for other in files if not self._packages.is_test_file(other)]
        if files:
            return self._declared(engine, self._constraints.compatible(file, files), name)
        return self._imported(engine, file, name) or self._renamed(file, name)

    def _imported(self, engine: Evaluation, file: int, name: str) -> Values:
        """Names of the packages that a file imports with a dot."""
        scope = self._program.scopes[self._program.scope_base[file]]
        outside: Values = EMPTY
        if not name[:1].isupper():
            return outside
        for _, payload, _ in scope.bindings.get(DOT_IMPORTS, ()):
            module = self._packages.find(file, payload[0])
            if module is None:
                outside = outside or {(EXTERNAL, f"{payload[0]}.{name}"): EXACT}
                continue
            found = self.module_member(engine, module, name)
            if found:
                return found
        return outside

    def _renamed(self, file: int, name: str) -> Values:
        """A package whose clause calls it otherwise than its import path suggests."""
        for item in self._program.files[file].imports:
            module = self._packages.find(file, item.module)
            if module is None:
                # `go-syslog` may be gsyslog, `json-iterator/go` jsoniter.
                parts = re.split(r"[./-]", item.module)
                if any(len(part) > 2 and (part in name or name in part) for part in parts[1:]):
                    return {(EXTERNAL, item.module): EXACT}
            elif self._program.files[module[1]].package == name:
                return {module: EXACT}
        return EMPTY

    # -- what is outside

    def is_builtin(self, name: str) -> bool:
        """Whether Go itself declares a name."""
        return name in NAMES

    def external_type(self, engine: Evaluation, dotted: str, scope: int, keys: tuple[int, ...]) -> Values | None:
        """A type from outside: known by its name alone, unless it holds something."""
        return external_type(engine, dotted, scope, keys)

    def call_external(self, engine: Evaluation, dotted: str, scope: int, call: tuple[Any, ...]) -> Values | None:
        """Result of calling into the standard library; None when nothing is known."""
        rule = RULES.get(dotted)
        return None if rule is None else rule(engine, scope, call)

    def unpacked(self, dotted: str, place: int) -> Values:
        """One of the results of a function from outside."""
        return {(EXTERNAL, f"{dotted}[{place}]"): EXACT} if len(dotted) < 120 else EMPTY

    def callbacks(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """Arguments that the callee calls itself."""
        return tuple([call[2][place] for place in callback_places(dotted) if place < len(call[2])])

    def protocol(self, dotted: str) -> tuple[str, ...]:
        """Methods that a function of the standard library calls on its argument."""
        return PROTOCOLS.get(dotted, ())
