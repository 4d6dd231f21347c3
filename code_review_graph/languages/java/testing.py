"""What JUnit 3, 4 and 5 and TestNG collect and run."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

from code_review_graph.facts import DefinitionFlag, DefinitionKind
from code_review_graph.languages.java.marks import NESTED
from code_review_graph.languages.java.syntax import method_key
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation

_ENDINGS: Final = ("Test", "Tests", "IT", "TestCase", "Spec")
_OLD_SETUPS: Final = ("setUp", "tearDown")
_OLD_BASE: Final = "TestCase"
_RUNNERS: Final = ("org.junit", "junit.", "org.testng", "net.jqwik")
_FOLDERS: Final = frozenset({"test", "tests", "androidTest", "integrationTest", "testFixtures", "it"})


class Testing:
    """Test rules over one program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def is_test_path(self, path: str) -> bool:
        """Whether a file belongs to the tests, by its source root or its name."""
        pure = PurePosixPath(path)
        if not _FOLDERS.isdisjoint(pure.parts[:-1]):
            return True
        stem = pure.stem
        return stem.endswith(_ENDINGS) or (stem.startswith("Test") and stem[4:5].isupper())

    def is_test(self, engine: Evaluation, definition: int) -> bool:
        """Whether a runner runs a method."""
        facts = self._program.definitions[definition]
        owner = self._program.class_of[definition]
        if facts.kind != DefinitionKind.FUNCTION or owner < 0 or facts.flags & DefinitionFlag.FIXTURE:
            return False
        if facts.flags & DefinitionFlag.TEST:
            return self._has_runner(self._program.definition_file[definition])
        is_public = facts.signature.startswith("public ") and not facts.flags & DefinitionFlag.STATIC
        if not is_public or facts.key == "<init>":
            return False
        if self._program.definitions[owner].flags & DefinitionFlag.TEST:  # TestNG: all public methods of the class
            return True
        is_named = facts.name.startswith("test") and not facts.parameters
        return is_named and self._is_old(engine, owner)

    def _has_runner(self, file: int) -> bool:
        """Whether a file takes its annotations from a test runner, as far as its imports and its place tell."""
        facts = self._program.files[file]
        return self.is_test_path(facts.path) or any(item.module.startswith(_RUNNERS) for item in facts.imports)

    @staticmethod
    def _is_old(engine: Evaluation, owner: int) -> bool:
        bases = engine.linearization(owner)
        return any(isinstance(base, str) and base.rpartition(".")[2] == _OLD_BASE for base in bases)

    def takes_fixtures(self, engine: Evaluation, function: int) -> bool:
        """No parameter is filled by name."""
        del engine, function
        return False

    def fixture(self, engine: Evaluation, function: int, name: str) -> int:
        """No fixtures."""
        del engine, function, name
        return -1

    def used(self, engine: Evaluation, function: int) -> list[int]:
        """What runs around a test: setups of its class, of its bases and of the classes around, and its providers."""
        owner = self._program.class_of[function]
        uses = self._program.definitions[function].uses
        found: list[int] = []
        while owner >= 0:
            is_old = self._is_old(engine, owner)
            for base in engine.linearization(owner):
                if isinstance(base, int):
                    found += self._of_class(base, uses, is_old=is_old)
            owner = self._around(owner)
        return list(dict.fromkeys(found))

    def _around(self, owner: int) -> int:
        """The class around a nested class of tests; -1 for any other."""
        if self._program.definitions[owner].alias != NESTED:
            return -1
        return self._program.owner_of(self._program.scope_of(owner))

    def _of_class(self, owner: int, uses: tuple[str, ...], *, is_old: bool) -> list[int]:
        found: list[int] = []
        for key in self._program.own_keys(owner):
            for method in self._program.own_definitions(owner, key):
                facts = self._program.definitions[method]
                is_setup = bool(facts.flags & DefinitionFlag.AUTOUSE)
                is_setup = is_setup or (is_old and key in {method_key(name) for name in _OLD_SETUPS})
                if is_setup or (uses and (facts.name in uses or facts.alias in uses)):
                    found.append(method)
        return found
