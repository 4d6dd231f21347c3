"""What the engine asks of a language while it resolves, and what it offers in return. The engine names no language."""

from __future__ import annotations

from typing import Any, Final, Protocol

from code_review_graph.facts import Via
from code_review_graph.program import Program
from code_review_graph.values import EMPTY, Value, Values

# Cost of an argument of which nothing is known, beside those of conversions.
UNKNOWN_COST: Final = 8


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

    def defined(self, definition: int) -> Values:
        """What the name of a definition means."""
        ...

    def expand(self, values: Values) -> Values:
        """The same values, with what the known callers pass in place of parameters."""
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
    # Methods that a loop calls: as it starts, then at each step; of each way the first that exists.
    iteration: tuple[tuple[str, ...], ...]
    # Whether an unqualified name in a method may mean a member of the classes around it.
    members_in_scope: bool
    # Whether definitions of one name stand beside each other, to be told apart by a call's arguments.
    has_overloads: bool
    # Whether the type arguments of bases outside say what inherited members hold.
    typed_bases: bool
    # Whether functions are followed to where a function type is declared, beside what that type says.
    follows_functions: bool
    # Whether the member fewest steps away counts, whichever base is written first.
    nearest_member: bool
    # Whether other files may assign a module's own names.
    shares_variables: bool
    # Whether making a value of a class takes no call: a literal, a conversion.
    makes_without_call: bool

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

    def module_member(self, engine: Evaluation, module: Value, name: str) -> Values | None:
        """Values of ``name`` in a module; None where the names of the module's own file, then its submodules, count."""
        ...

    def ambient(self, engine: Evaluation, file: int, name: str) -> Values:
        """Values of a name that a file sees without importing it (other files of its package ...)."""
        ...

    def files_of(self, module: Value) -> tuple[int, ...]:
        """Files that make up a module."""
        ...

    def has_member(self, dotted: str, name: str) -> bool:
        """Whether a type outside is known to have a member."""
        ...

    def function_type(self, dotted: str) -> tuple[tuple[int, ...], int] | None:
        """Of a function type outside, which of its type arguments it takes and gives (-1: another type); else None."""
        ...

    def conversion(self, given: str, wanted: str) -> int | None:
        """Cost of passing a value of one outside type where another is declared (0: the same); None: impossible."""
        ...

    def function_member(self, engine: Evaluation, function: Value, name: str) -> Values:
        """Values of an attribute that every function has."""
        ...

    def object_member(self, engine: Evaluation, value: Value, name: str) -> Values:
        """Values of an attribute that every class or instance has, though nobody declares it."""
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

    def unpacked(self, dotted: str, place: int) -> Values:
        """The place-th of several values that something outside the repository gives."""
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


class NoTests:
    """Rules of a language without tests."""

    def is_test_path(self, path: str) -> bool:
        """No file belongs to the tests."""
        del path
        return False

    def is_test(self, engine: Evaluation, definition: int) -> bool:
        """No definition is a test."""
        del engine, definition
        return False

    def takes_fixtures(self, engine: Evaluation, function: int) -> bool:
        """No parameter is filled by a runner."""
        del engine, function
        return False

    def fixture(self, engine: Evaluation, function: int, name: str) -> int:
        """No fixture."""
        del engine, function, name
        return -1

    def used(self, engine: Evaluation, function: int) -> list[int]:
        """Nothing is run around a test."""
        del engine, function
        return []


class PlainSemantics:
    """The neutral answer to every question; a language overrides what it has rules for."""

    constructors: tuple[tuple[tuple[str, ...], Via | None], ...] = ()
    call_method = ""
    dynamic_attribute = ""
    setup_names: frozenset[str] = frozenset()
    iteration: tuple[tuple[str, ...], ...] = ()
    members_in_scope = False
    has_overloads = False
    typed_bases = False
    follows_functions = False
    nearest_member = False
    shares_variables = False
    makes_without_call = False
    testing: TestRules = NoTests()

    def module(self, importer: int, module: str, level: int) -> Value | None:
        """Every module is outside the repository."""
        del importer, module, level
        return None

    def submodule(self, module: Value, name: str) -> Value | None:
        """Modules contain no modules."""
        del module, name
        return None

    def module_member(self, engine: Evaluation, module: Value, name: str) -> Values | None:
        """The names of the module's own file count."""
        del engine, module, name
        return None

    def ambient(self, engine: Evaluation, file: int, name: str) -> Values:
        """Nothing is seen without an import."""
        del engine, file, name
        return EMPTY

    def files_of(self, module: Value) -> tuple[int, ...]:
        """A module is one file."""
        return (module[1],) if module[1] >= 0 else ()

    def has_member(self, dotted: str, name: str) -> bool:
        """Nothing is known of types outside."""
        del dotted, name
        return False

    def function_type(self, dotted: str) -> tuple[tuple[int, ...], int] | None:
        """No type outside is one of functions."""
        del dotted
        return None

    def conversion(self, given: str, wanted: str) -> int | None:
        """Types of one name fit; of others nothing is known."""
        return 0 if given.rsplit(".", 1)[-1] == wanted.rsplit(".", 1)[-1] else UNKNOWN_COST

    def function_member(self, engine: Evaluation, function: Value, name: str) -> Values:
        """Functions have no attributes."""
        del engine, function, name
        return EMPTY

    def object_member(self, engine: Evaluation, value: Value, name: str) -> Values:
        """Every attribute is declared."""
        del engine, value, name
        return EMPTY

    def external_module(self, module: str, level: int) -> str:
        """A module outside is known by its name as written."""
        del level
        return module

    def is_builtin(self, name: str) -> bool:
        """No name belongs to the language."""
        del name
        return False

    def external_type(self, engine: Evaluation, dotted: str, scope: int, keys: tuple[int, ...]) -> Values | None:
        """Every type outside is an ordinary one."""
        del engine, dotted, scope, keys
        return None

    def call_external(self, engine: Evaluation, dotted: str, scope: int, call: tuple[Any, ...]) -> Values | None:
        """Nothing is known of what is outside."""
        del engine, dotted, scope, call
        return None

    def unpacked(self, dotted: str, place: int) -> Values:
        """Nothing is known of what is outside."""
        del dotted, place
        return EMPTY

    def callbacks(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """No argument is called."""
        del dotted, call
        return ()

    def fed(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """No elements are passed on."""
        del dotted, call
        return ()

    def call_container(self, engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
        """Nothing is known of the methods of builtin containers."""
        del engine, owner, name, arguments
        return EMPTY

    def parameter(self, engine: Evaluation, function: int, position: int) -> Values:
        """No framework passes anything."""
        del engine, function, position
        return EMPTY

    def protocol(self, dotted: str) -> tuple[str, ...]:
        """No function outside calls a method of its argument."""
        del dotted
        return ()

    def substitutes(self, method: str) -> tuple[str, ...]:
        """A method stands for itself."""
        return (method,)

    def reflected(self, method: str) -> str:
        """No operator is mirrored."""
        del method
        return ""

    def is_enumeration(self, bases: tuple[int | str, ...]) -> bool:
        """No class enumerates its instances."""
        del bases
        return False
