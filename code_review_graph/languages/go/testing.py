"""What ``go test`` and testify collect and run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Final

from code_review_graph.facts import DefinitionKind, Expression, ScopeKind, Tag
from code_review_graph.languages.go.packages import Package, Packages
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation
from code_review_graph.values import EXTERNAL, INSTANCE

_PREFIXES: Final = {"Test": "testing.T", "Benchmark": "testing.B", "Fuzz": "testing.F"}
_EXAMPLE: Final = "Example"
_MAIN: Final = "TestMain"
_SUITE_PACKAGE: Final = "testify/suite"
_SUITE: Final = f"{_SUITE_PACKAGE}.Suite"
_RUN: Final = f"{_SUITE_PACKAGE}.Run"
_RUN_ARGUMENTS: Final = 2
_AROUND_SUITE: Final = (
    "SetupSuite", "SetupTest", "BeforeTest", "SetupSubTest", "TearDownSubTest", "AfterTest", "TearDownTest",
    "TearDownSuite",
)  # fmt: skip


class Testing:
    """Test rules over one program."""

    def __init__(self, program: Program, packages: Packages) -> None:
        self._program = program
        self._packages = packages
        self._calls = self._suite_calls()
        self._mains: dict[str, list[int]] = {}  # TestMain by folder
        for number, definition in enumerate(program.definitions):
            file = program.definition_file[number]
            package = packages.package_of.get(file)
            is_main = definition.name == _MAIN and definition.owner < 0
            if is_main and package is not None and packages.is_test_file(file):
                self._mains.setdefault(package[0], []).append(number)

    def _suite_calls(self) -> dict[int, list[tuple[int, Expression]]]:
        """Calls that may run a suite, by the function that makes them, with their scopes."""
        found: dict[int, list[tuple[int, Expression]]] = defaultdict(list)
        for file, facts in enumerate(self._program.files):
            if not any(item.module.endswith(_SUITE_PACKAGE) for item in facts.imports):
                continue
            for site in facts.sites:
                scope, call = self._program.scope_base[file] + site.scope, facts.expressions[site.expression]
                if call[0] == Tag.CALL and len(call[2]) == _RUN_ARGUMENTS:
                    found[self._program.function_around(scope)].append((scope, call))
        return found

    def is_test_path(self, path: str) -> bool:
        """Whether only ``go test`` compiles a file."""
        return path.endswith("_test.go")

    def is_test(self, engine: Evaluation, definition: int) -> bool:
        """Whether ``go test`` runs a function, or testify a method of a suite."""
        facts = self._program.definitions[definition]
        file = self._program.definition_file[definition]
        if facts.kind != DefinitionKind.FUNCTION or not self._packages.is_test_file(file):
            return False
        owner = self._program.class_of[definition]
        if facts.owner > 0:
            return facts.name.startswith("Test") and owner >= 0 and self._is_suite(engine, owner)
        if self._program.scopes[self._program.scope_of(definition)].kind != ScopeKind.MODULE:
            return False
        if _has_prefix(facts.name, _EXAMPLE):
            return not facts.parameters and facts.returns < 0
        wanted = next((kind for prefix, kind in _PREFIXES.items() if _has_prefix(facts.name, prefix)), "")
        if not wanted or len(facts.parameters) != 1 or facts.returns > 0:
            return False
        scope = self._program.scope_of(definition)
        return (EXTERNAL, wanted) in engine.types(scope, facts.parameters[0].annotation)

    @staticmethod
    def _is_suite(engine: Evaluation, owner: int) -> bool:
        return any(isinstance(base, str) and base.endswith(_SUITE) for base in engine.linearization(owner))

    def takes_fixtures(self, engine: Evaluation, function: int) -> bool:
        """No parameter is filled by name."""
        del engine, function
        return False

    def fixture(self, engine: Evaluation, function: int, name: str) -> int:
        """No fixtures."""
        del engine, function, name
        return -1

    def used(self, engine: Evaluation, function: int) -> list[int]:
        """The package's TestMain, and what a suite runs around its tests."""
        file = self._program.definition_file[function]
        package: Package | None = self._packages.package_of.get(file)
        found = list(self._mains.get(package[0], ())) if package is not None else []
        owner = self._program.class_of[function]
        if owner >= 0:
            found += self._methods(engine, owner, lambda name: name in _AROUND_SUITE)
        for suite in self._suites_run(engine, function):
            found += self._methods(engine, suite, lambda name: name.startswith("Test"))
        return [item for item in found if item != function]

    def _methods(self, engine: Evaluation, owner: int, is_wanted: Callable[[str], bool]) -> list[int]:
        """Methods of a type, promoted ones included, by their names."""
        found: list[int] = []
        for base in engine.linearization(owner):
            for name in filter(is_wanted, self._program.own_keys(base) if isinstance(base, int) else ()):
                found += self._program.own_definitions(int(base), name)
        return found

    def _suites_run(self, engine: Evaluation, function: int) -> list[int]:
        """Types of the suites that a test hands to testify."""
        found: list[int] = []
        for scope, call in self._calls.get(function, ()):
            if any(value[0] == EXTERNAL and value[1].endswith(_RUN) for value in engine.evaluate(scope, call[1])):
                found += [value[1] for value in engine.evaluate(scope, call[2][1]) if value[0] == INSTANCE]
        return found


def _has_prefix(name: str, prefix: str) -> bool:
    """The rule of ``go test``: the prefix alone, or before anything but a lower-case letter."""
    return name.startswith(prefix) and not name[len(prefix) : len(prefix) + 1].islower()
