"""What the engine asks of a language while it resolves, and what it offers in return. The engine names no language."""

from __future__ import annotations

from typing import Any, Protocol

from code_review_graph.facts import Via
from code_review_graph.program import Program
from code_review_graph.values import Value, Values


class Evaluation(Protocol):
    """The part of the engine that languages use."""

    program: Program

    def evaluate(self, scope: int, expression: int) -> Values:
        """Possible values of an expression."""
        ...

    def types(self, scope: int, expression: int) -> Values:
        """Values that an annotation admits."""
        ...

    def elements(self, values: Values, key: Value | None = None) -> Values:
        """Values inside containers; under one key when it is known."""
        ...

    def iterate(self, values: Values) -> Values:
        """Values that a loop over these sees."""
        ...

    def enter(self, values: Values) -> Values:
        """Values that these context managers yield."""
        ...

    def members(self, values: Values, name: str) -> Values:
        """Values of an attribute."""
        ...

    def call(self, values: Values, scope: int, call: tuple[Any, ...]) -> Values:
        """Results of calling these with the arguments of a call expression."""
        ...

    def returns(self, definition: int) -> Values:
        """What a function returns, whoever calls it."""
        ...

    def module_names(self, file: int, name: str) -> Values:
        """Values of a name in a module's own scope, its re-exports included."""
        ...

    def linearization(self, definition: int) -> tuple[int | str, ...]:
        """A class and its bases in look-up order; bases outside the repository by dotted name."""
        ...


class TestRules(Protocol):
    """What a language's test runners collect and pass."""

    def is_test_path(self, path: str) -> bool:
        """Whether a file belongs to the tests."""
        ...

    def is_test(self, engine: Evaluation, definition: int) -> bool:
        """Whether a runner collects a definition as a test."""
        ...

    def takes_fixtures(self, engine: Evaluation, function: int) -> bool:
        """Whether a runner fills the parameters of a function."""
        ...

    def fixture(self, engine: Evaluation, function: int, name: str) -> int:
        """Definition that a runner calls for a parameter; -1 for none."""
        ...

    def used(self, engine: Evaluation, function: int) -> list[int]:
        """Definitions that a runner calls for a test which does not take their result."""
        ...


class Semantics(Protocol):
    """Rules of one language over one program."""

    # Methods that a constructor call runs, of each group the first that the class has, and how the edge says so.
    constructors: tuple[tuple[tuple[str, ...], Via | None], ...]
    call_method: str
    dynamic_attribute: str
    setup_names: frozenset[str]

    @property
    def testing(self) -> TestRules:
        """Rules for tests."""
        ...

    def module(self, importer: int, module: str, level: int) -> Value | None:
        """Module value of an import in file ``importer``; None when it leads out of the repository."""
        ...

    def submodule(self, module: Value, name: str) -> Value | None:
        """Module value of ``name`` inside a package."""
        ...

    def external_module(self, module: str, level: int) -> str:
        """Dotted name under which a module outside the repository is known."""
        ...

    def is_builtin(self, name: str) -> bool:
        """Whether a name that no scope binds belongs to the language."""
        ...

    def external_type(self, engine: Evaluation, dotted: str, scope: int, keys: tuple[int, ...]) -> Values | None:
        """Meaning of an annotation whose head is outside the repository; None for an ordinary type."""
        ...

    def call_external(self, engine: Evaluation, dotted: str, scope: int, call: tuple[Any, ...]) -> Values | None:
        """Result of calling something outside the repository; None when nothing is known."""
        ...

    def callbacks(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """Arguments (expressions) that a function outside the repository calls itself."""
        ...

    def fed(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """Sequences (expressions) whose elements such a function passes on, one for each argument of the callback."""
        ...

    def call_container(self, engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
        """Result of calling a method of a builtin container."""
        ...

    def parameter(self, engine: Evaluation, function: int, position: int) -> Values:
        """Values that a framework passes to a parameter (test fixtures ...)."""
        ...

    def protocol(self, dotted: str) -> tuple[str, ...]:
        """Methods that a function outside the repository calls on its first argument; the first that exists runs."""
        ...

    def substitutes(self, method: str) -> tuple[str, ...]:
        """An implicitly called method, then what runs where a class lacks it."""
        ...

    def reflected(self, method: str) -> str:
        """Method of the right operand that may run for an operator; "" for none."""
        ...

    def is_enumeration(self, bases: tuple[int | str, ...]) -> bool:
        """Whether members of such a class are its instances."""
        ...
