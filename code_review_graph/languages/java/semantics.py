"""Java's rules for the resolving engine."""

from __future__ import annotations

from typing import Any, Final

from code_review_graph.facts import Via
from code_review_graph.languages.java.conversions import conversion_cost
from code_review_graph.languages.java.expressions import PAIRED, RECEIVER
from code_review_graph.languages.java.library import function_type, library_type, result_of
from code_review_graph.languages.java.packages import Packages
from code_review_graph.languages.java.standard import (
    INHERENT,
    OF_ENUMS,
    call_outside,
    container_method,
    inherent_method,
)
from code_review_graph.languages.java.statements import STARS, STATIC_STARS
from code_review_graph.languages.java.syntax import CONSTRUCTOR
from code_review_graph.languages.java.testing import Testing
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation, PlainSemantics, TestRules
from code_review_graph.values import (
    BOUND,
    CLASS,
    EMPTY,
    EXACT,
    EXTERNAL,
    EXTERNAL_METHOD,
    FUNCTION,
    INSTANCE,
    Value,
    Values,
)

# Methods that functional interfaces of the library have beside the one that runs the function.
_COMBINING: Final = frozenset({"andThen()", "compose()", "negate()", "and()", "or()", "reversed()", "thenComparing()"})
# Methods whose function takes two elements.
_PAIRS: Final = frozenset({"sort()", "sorted()", "reduce()", "max()", "min()"})


class JavaSemantics(PlainSemantics):
    """Rules over one program."""

    constructors: tuple[tuple[tuple[str, ...], Via | None], ...] = (((CONSTRUCTOR,), None),)
    iteration: tuple[tuple[str, ...], ...] = (("iterator()", "hasNext()", "next()"),)
    members_in_scope = True
    has_overloads = True
    typed_bases = True

    def __init__(self, program: Program) -> None:
        self._program = program
        self._packages = Packages(program)
        self.testing: TestRules = Testing(program)

    # -- packages

    def module(self, importer: int, module: str, level: int) -> Value | None:
        """Module value of a package or of a type; None when it leads out of the repository."""
        del level
        return self._packages.find(importer, module)

    def files_of(self, module: Value) -> tuple[int, ...]:
        """The file of an imported type; a package as a whole is no file."""
        return () if self._packages.is_package(module) else (module[1],)

    def module_member(self, engine: Evaluation, module: Value, name: str) -> Values | None:
        """A type of a package; a member of a type."""
        if self._packages.is_package(module):
            files = self._packages.declaring(module[2], name, module[1])
            return engine.module_names(files[0], name) if files else EMPTY
        return engine.members(self._type(engine, module), name)

    def _type(self, engine: Evaluation, module: Value) -> Values:
        _, path = self._packages.split(module[2])
        values = engine.module_names(module[1], path[0]) if path else EMPTY
        for name in path[1:]:
            values = engine.members(values, name)
        return {value: level for value, level in values.items() if value[0] == CLASS}

    def ambient(self, engine: Evaluation, file: int, name: str) -> Values:
        """A type of the same package, of a package imported as a whole, or of the language."""
        package = self._packages.package_of(file)
        files = [item for item in self._packages.declaring(package, name, file) if item != file]
        if files:
            return engine.module_names(files[0], name)
        return self._from_stars(engine, file, name) or self._of_language(file, name)

    def _from_stars(self, engine: Evaluation, file: int, name: str) -> Values:
        bindings = self._program.scopes[self._program.scope_base[file]].bindings
        for _, payload, _ in (*bindings.get(STARS, ()), *bindings.get(STATIC_STARS, ())):
            module = self._packages.find(file, payload[0])
            found = self.module_member(engine, module, name) if module is not None else EMPTY
            known = {value: level for value, level in (found or EMPTY).items() if value[0] != EXTERNAL}
            if known:
                return known
        return EMPTY

    def _of_language(self, file: int, name: str) -> Values:
        if library_type(f"java.lang.{name}") is not None:
            return {(EXTERNAL, f"java.lang.{name}"): EXACT}
        bindings = self._program.scopes[self._program.scope_base[file]].bindings
        key = STATIC_STARS if name.endswith("()") else STARS
        outside = [p[0] for _, p, _ in bindings.get(key, ()) if self._packages.find(file, p[0]) is None]
        if not outside or not (name[:1].isupper() or key == STATIC_STARS):
            return EMPTY
        known = next((item for item in outside if library_type(f"{item}.{name}") is not None), outside[0])
        return {(EXTERNAL, f"{known}.{name}"): EXACT}

    # -- values

    def function_member(self, engine: Evaluation, function: Value, name: str) -> Values:
        """Calling the method of a functional interface runs the function that stands for it."""
        del engine
        return {function: EXACT} if name.endswith("()") and name not in _COMBINING else EMPTY

    def object_member(self, engine: Evaluation, value: Value, name: str) -> Values:
        """Methods of ``Object``, and those that every enum has."""
        del engine
        if name in OF_ENUMS:
            definition = self._program.definitions[value[1]]
            is_known = "enum" in definition.signature.partition(definition.name)[0].split()
        else:
            is_known = name in INHERENT
        return {(EXTERNAL_METHOD, value, name): EXACT} if is_known else EMPTY

    def call_external(self, engine: Evaluation, dotted: str, scope: int, call: tuple[Any, ...]) -> Values | None:
        """Result of calling into the library; None when nothing is known."""
        return call_outside(engine, dotted, scope, call)

    def call_container(self, engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
        """Result of a method of a value from outside."""
        if owner[0] in {FUNCTION, BOUND}:
            return EMPTY
        if owner[0] in {INSTANCE, CLASS}:
            return inherent_method(engine, owner, name.removesuffix("()"))
        return container_method(engine, owner, name.removesuffix("()"), arguments)

    def callbacks(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """Functions that are handed to the library are there to be called."""
        del dotted
        return tuple(call[2])

    def fed(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """What a function that is handed to a method of a container is called with."""
        found = tuple(expression for key, expression in call[3] if key in {RECEIVER, PAIRED})
        return found * 2 if dotted in _PAIRS and len(found) == 1 else found

    def has_member(self, dotted: str, name: str) -> bool:
        """Whether a type of the library has a method that gives something."""
        return result_of(dotted, (), name.removesuffix("()")) is not None

    def function_type(self, dotted: str) -> tuple[tuple[int, ...], int] | None:
        """Places of the type arguments that a functional interface takes and gives."""
        known = function_type(dotted)
        if known is None:
            return None
        places = [int(item) if item.isdigit() else -1 for item in (*known.parameters, known.result)]
        return tuple(places[:-1]), places[-1]

    def conversion(self, given: str, wanted: str) -> int | None:
        """Cost of a conversion that a call makes."""
        return conversion_cost(given, wanted)
