"""What ``go test`` and testify collect and run."""

from __future__ import annotations

from typing import Final

from code_review_graph.facts import DefinitionKind, ScopeKind
from code_review_graph.languages.go.packages import Package, Packages
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation
from code_review_graph.values import EXTERNAL

_PREFIXES: Final = {"Test": "testing.T", "Benchmark": "testing.B", "Fuzz": "testing.F"}
_EXAMPLE: Final = "Example"
_MAIN: Final = "TestMain"
_SUITE: Final = "testify/suite.Suite"
_AROUND_SUITE: Final = (
    "SetupSuite", "SetupTest", "BeforeTest", "SetupSubTest", "TearDownSubTest", "AfterTest", "TearDownTest",
    "TearDownSuite",
)  # fmt: skip


class Testing:
    """Test rules over one program."""

    def __init__(self, program: Program, packages: Packages) -> None:
        self._program = program
        self._packages = packages
        self._mains: dict[str, list[int]] = {}  # TestMain by folder
        for number, definition in enumerate(program.definitions):
            file = program.definition_file[number]
            package = packages.package_of.get(file)
            is_main = definition.name == _MAIN and definition.owner < 0
            if is_main and package is not None and packages.is_test_file(file):
                self._mains.setdefault(package[0], []).append(number)

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
        package: Package | None = self._packages.package_of.get(self._program.definition_file[function])
        found = list(self._mains.get(package[0], ())) if package is not None else []
        owner = self._program.class_of[function]
        for base in engine.linearization(owner) if owner >= 0 else ():
            for name in _AROUND_SUITE if isinstance(base, int) else ():
                found += self._program.own_definitions(int(base), name)
        return [item for item in found if item != function]


def _has_prefix(name: str, prefix: str) -> bool:
    """The rule of ``go test``: the prefix alone, or before anything but a lower-case letter."""
    return name.startswith(prefix) and not name[len(prefix) : len(prefix) + 1].islower()
