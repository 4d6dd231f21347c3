"""What pytest and unittest take for a test, and what they pass to one."""

from __future__ import annotations

import configparser
import fnmatch
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from code_review_graph.facts import DefinitionFlag, DefinitionKind
from code_review_graph.languages.python.parametrize import parametrized
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation
from code_review_graph.values import BOUND, EMPTY, FUNCTION, GENERATOR, Values, instance

_FIXTURE = int(DefinitionFlag.FIXTURE)
_AUTOUSE = int(DefinitionFlag.AUTOUSE)
# Nearness of fixtures; a conftest's is its depth.
_OF_CLASS: Final = 2000
_OF_MODULE: Final = 1000

_DEFAULT_FILES: Final = ("test_*.py", "*_test.py")
_UNITTEST_FILES: Final = ("test*.py",)
# "test" is also what packages call their own test support, so it counts at the top only.
_FOLDER, _TOP_FOLDER = "tests", "test"
# Methods and functions that run around each test of their class or module.
SETUP_NAMES: Final = frozenset(
    [
        "setUp",
        "setUpClass",
        "asyncSetUp",
        "setUpTestData",
        "setUpModule",
        "tearDown",
        "tearDownClass",
        "asyncTearDown",
        "tearDownModule",
        "setup",
        "setup_method",
        "setup_class",
        "setup_module",
        "setup_function",
        "teardown_method",
        "teardown_class",
        "teardown_module",
        "teardown_function",
    ]
)


@dataclass(frozen=True, slots=True)
class Patterns:
    """What the repository's pytest configuration calls a test."""

    files: tuple[str, ...] = _DEFAULT_FILES
    functions: tuple[str, ...] = ("test*",)
    classes: tuple[str, ...] = ("Test*",)
    # Folders of the tests, where the file patterns alone would take every file.
    folders: tuple[str, ...] = ()

    def takes(self, path: str) -> bool:
        """Whether pytest collects a file."""
        name = path.rpartition("/")[2]
        if self.folders and not any(path.startswith(f"{folder}/") or path == folder for folder in self.folders):
            return False
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in self.files)


def read_patterns(config_files: Mapping[str, bytes]) -> Patterns:
    """Patterns of the configuration nearest to the repository's root; pytest's own defaults otherwise."""
    for path in sorted(config_files, key=lambda item: (item.count("/"), item)):
        options = _options(PurePosixPath(path).name, config_files[path])
        if options:
            files = _split(options.get("python_files")) or _DEFAULT_FILES
            return Patterns(
                files=files,
                folders=_folders(path, options) if {"*", "*.py"} & set(files) else (),
                functions=_prefixes(options.get("python_functions")) or ("test*",),
                classes=_prefixes(options.get("python_classes")) or ("Test*",),
            )
    return Patterns()


def _options(name: str, content: bytes) -> dict[str, object]:
    text = content.decode("utf-8", "replace")
    if name == "pyproject.toml":
        try:
            found = tomllib.loads(text).get("tool", {}).get("pytest", {}).get("ini_options", {})
        except (tomllib.TOMLDecodeError, AttributeError):
            return {}
        return found if isinstance(found, dict) else {}
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    section = "tool:pytest" if name == "setup.cfg" else "pytest"
    return dict(parser.items(section)) if parser.has_section(section) else {}


def _split(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.split())
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


def _folders(path: str, options: Mapping[str, object]) -> tuple[str, ...]:
    """``testpaths`` from the repository's root; "tests" where nothing is said."""
    root = PurePosixPath(path).parent
    return tuple(str(root / item.rstrip("/")) for item in _split(options.get("testpaths")) or ("tests",))


def _prefixes(value: object) -> tuple[str, ...]:
    """Names as pytest reads them: a plain one is a prefix."""
    return tuple(item if "*" in item else f"{item}*" for item in _split(value))


class Testing:
    """Tests and fixtures of one program."""

    def __init__(self, program: Program, patterns: Patterns) -> None:
        self._program = program
        self._patterns = patterns
        self._fixtures: dict[str, list[int]] = {}
        for name, number in program.marked(_FIXTURE):
            self._fixtures.setdefault(name, []).append(number)
        self._everywhere = [number for _, number in program.marked(_AUTOUSE)]
        self._collected: dict[int, bool] = {}

    def _is_collected(self, path: str) -> bool:
        name = PurePosixPath(path).name
        return self._patterns.takes(path) or any(fnmatch.fnmatchcase(name, p) for p in _UNITTEST_FILES)

    def _is_test_file(self, file: int) -> bool:
        known = self._collected.get(file)
        if known is None:
            known = self._collected[file] = self._is_collected(self._program.paths[file])
        return known

    def is_test_path(self, path: str) -> bool:
        """Whether a file belongs to the tests: collected, a conftest, or a helper in a folder of tests."""
        pure = PurePosixPath(path)
        return (
            self._patterns.takes(path)
            or pure.name == "conftest.py"
            or _FOLDER in pure.parts[:-1]
            or (len(pure.parts) > 1 and pure.parts[0] == _TOP_FOLDER)
        )

    def is_test(self, engine: Evaluation, definition: int) -> bool:
        """Whether a runner collects a definition as a test."""
        facts = self._program.definitions[definition]
        file = self._program.definition_file[definition]
        if facts.kind != DefinitionKind.FUNCTION or not self._is_test_file(file):
            return False
        if facts.flags & _FIXTURE:
            return False
        owner = self._program.class_of[definition]
        pytest_file = self._patterns.takes(self._program.paths[file])
        if owner < 0:
            at_top = self._program.scopes[self._program.scope_of(definition)].kind == 0
            return at_top and pytest_file and self._matches(facts.name, self._patterns.functions)
        if self._is_unittest(engine, owner):
            return facts.name.startswith("test")
        named = self._matches(self._program.definitions[owner].name, self._patterns.classes)
        return named and pytest_file and self._matches(facts.name, self._patterns.functions)

    @staticmethod
    def _matches(name: str, patterns: tuple[str, ...]) -> bool:
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)

    @staticmethod
    def _is_unittest(engine: Evaluation, owner: int) -> bool:
        return any(isinstance(base, str) and base.endswith("TestCase") for base in engine.linearization(owner))

    def fixture(self, engine: Evaluation, function: int, name: str) -> int:
        """Fixture that a parameter name means: of the class, the module, then conftests upwards; -1 for none."""
        candidates = [item for item in self._fixtures.get(name, ()) if item != function]
        if not candidates:
            return -1
        file = self._program.definition_file[function]
        best, best_rank = -1, -1
        for item in candidates:
            rank = self._rank(engine, item, file, self._program.class_of[function])
            if rank > best_rank or (rank == best_rank and rank >= 0):
                best, best_rank = item, rank
        return best if best_rank >= 0 else -1

    def _rank(self, engine: Evaluation, fixture: int, file: int, owner: int) -> int:
        """How near a fixture is to a test of ``file`` and class ``owner``; -1 where it cannot be seen."""
        where = self._program.definition_file[fixture]
        holder = self._program.class_of[fixture]
        if holder >= 0:
            return _OF_CLASS if owner >= 0 and holder in engine.linearization(owner) else -1
        if where == file:
            return _OF_MODULE
        folder = PurePosixPath(self._program.paths[file]).parent
        pure = PurePosixPath(self._program.paths[where])
        if pure.name == "conftest.py":
            return len(pure.parts) if pure.parent == folder or pure.parent in folder.parents else -1
        name = self._program.definitions[fixture].name
        if (FUNCTION, fixture) in engine.module_names(file, name):
            return _OF_MODULE - 1
        return -1 if self._is_test_file(where) else 0  # a plugin module of the repository

    def used(self, engine: Evaluation, function: int) -> list[int]:
        """Fixtures that a test uses without taking them: marked ones, and those that every test near them uses."""
        owner = self._program.class_of[function]
        names = list(self._program.definitions[function].uses)
        for base in engine.linearization(owner) if owner >= 0 else ():
            names += self._program.definitions[base].uses if isinstance(base, int) else ()
        found = [self.fixture(engine, function, name) for name in names]
        file = self._program.definition_file[function]
        found += [item for item in self._everywhere if self._rank(engine, item, file, owner) > 0]
        return [item for item in dict.fromkeys(found) if item >= 0]

    def takes_fixtures(self, engine: Evaluation, function: int) -> bool:
        """Whether a runner fills the parameters of a function."""
        facts = self._program.definitions[function]
        if facts.flags & _FIXTURE:
            return True
        return self._is_test_file(self._program.definition_file[function]) and self.is_test(engine, function)

    def passed(self, engine: Evaluation, function: int, position: int) -> Values:
        """What the runner passes for a parameter: what its fixture returns or yields."""
        if not self.takes_fixtures(engine, function):
            return EMPTY
        name = self._program.definitions[function].parameters[position].name
        fixture = self.fixture(engine, function, name)
        if fixture < 0:
            return parametrized(engine, self._program, function, name)
        owner = self._program.class_of[fixture]
        callee = (FUNCTION, fixture) if owner < 0 else (BOUND, fixture, instance(owner, exact=False))
        results = engine.call({callee: 0}, 0, (3, 0, (), (), False))
        if any(value[0] == GENERATOR and value[1] == fixture for value in results):
            return engine.iterate(results)
        if self._program.definitions[fixture].yields:
            return engine.iterate(results)
        return results
