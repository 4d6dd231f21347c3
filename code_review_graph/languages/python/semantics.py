"""Python's rules for the resolving engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from code_review_graph.facts import Via
from code_review_graph.languages.python.builtins import CALLBACKS, FED, NAMES, RULES, container_method
from code_review_graph.languages.python.modules import Modules
from code_review_graph.languages.python.protocols import PROTOCOLS, REFLECTED, SUBSTITUTES
from code_review_graph.languages.python.testing import SETUP_NAMES, Testing, read_patterns
from code_review_graph.program import Program
from code_review_graph.semantics import Evaluation, PlainSemantics, TestRules
from code_review_graph.values import CLASS, EMPTY, EXACT, INSTANCE, Value, Values, external_instance, merge

_TYPING: Final = ("typing.", "typing_extensions.", "types.", "builtins.", "collections.abc.")
_TRANSPARENT: Final = frozenset({"Optional", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "Annotated",
                                 "TypeGuard", "InitVar"})  # fmt: skip
_SILENT: Final = frozenset({"Any", "object", "None", "NoReturn", "Never", "Self", "Literal", "LiteralString"})


class PythonSemantics(PlainSemantics):
    """Rules over one program."""

    constructors: tuple[tuple[tuple[str, ...], Via | None], ...] = (
        (("__init__",), None),
        (("__new__",), Via.OPERATOR),
        (("__init__", "__post_init__"), Via.OPERATOR),
    )
    call_method = "__call__"
    dynamic_attribute = "__getattr__"
    setup_names: frozenset[str] = SETUP_NAMES
    iteration: tuple[tuple[str, ...], ...] = (("__iter__", "__next__"), ("__aiter__", "__anext__"))

    def __init__(self, program: Program, config_files: Mapping[str, bytes]) -> None:
        self._program = program
        if Modules not in program.by_paths:
            program.by_paths[Modules] = Modules(program)
        self._modules: Modules = program.by_paths[Modules]
        self.tests = Testing(program, read_patterns(config_files))
        self.testing: TestRules = self.tests

    def module(self, importer: int, module: str, level: int) -> Value | None:
        """Module value of an import; None when it leads out of the repository."""
        return self._modules.find(importer, module, level)

    def submodule(self, module: Value, name: str) -> Value | None:
        """Module ``name`` inside a package."""
        return self._modules.submodule(module, name)

    def external_module(self, module: str, level: int) -> str:
        """Dotted name of a module outside the repository."""
        return "." * level + module

    def is_builtin(self, name: str) -> bool:
        """Whether Python itself binds a name."""
        return name in NAMES

    def external_type(self, engine: Evaluation, dotted: str, scope: int, keys: tuple[int, ...]) -> Values | None:
        """Meaning of the special forms of ``typing``."""
        if not dotted.startswith(_TYPING):
            return None
        name = dotted.rsplit(".", 1)[-1]
        if name in _SILENT:
            return EMPTY
        if name in _TRANSPARENT:
            return engine.types(scope, keys[0]) if keys else EMPTY
        if name == "Union":
            found: Values = {}
            for key in keys:
                merge(found, engine.types(scope, key))
            return found
        if name in {"type", "Type"} and keys:
            admitted = engine.types(scope, keys[0])
            return {(CLASS, value[1], False): level for value, level in admitted.items() if value[0] == INSTANCE}
        if name == "Callable":
            return {external_instance("typing.Callable", engine.types(scope, keys[-1])): EXACT} if keys else None
        return None

    def call_external(self, engine: Evaluation, dotted: str, scope: int, call: tuple[Any, ...]) -> Values | None:
        """Result of calling into the standard library; None when nothing is known."""
        rule = RULES.get(dotted)
        return None if rule is None else rule(engine, scope, call)

    def callbacks(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """Arguments that the callee calls itself."""
        places = CALLBACKS.get(dotted) or CALLBACKS.get(f".{dotted.rsplit('.', 1)[-1]}", ())
        found = [call[2][place] for place in places if isinstance(place, int) and place < len(call[2])]
        return (*found, *[expression for name, expression in call[3] if name in places])

    def fed(self, dotted: str, call: tuple[Any, ...]) -> tuple[int, ...]:
        """Sequences whose elements a builtin passes to its callback."""
        if dotted == "builtins.map":
            return tuple(call[2][1:])
        place = FED.get(dotted, -1)
        return (call[2][place],) * 2 if 0 <= place < len(call[2]) else ()

    def call_container(self, engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
        """Result of a method of a builtin container."""
        return container_method(engine, owner, name, arguments)

    def parameter(self, engine: Evaluation, function: int, position: int) -> Values:
        """What pytest passes to a test or fixture."""
        return self.tests.passed(engine, function, position)

    def protocol(self, dotted: str) -> tuple[str, ...]:
        """Methods that a builtin calls on its argument."""
        return PROTOCOLS.get(dotted, ())

    def substitutes(self, method: str) -> tuple[str, ...]:
        """An implicitly called method, then what Python falls back to."""
        return SUBSTITUTES.get(method, (method,))

    def reflected(self, method: str) -> str:
        """``__radd__`` for ``__add__``; the mirrored comparison for a comparison."""
        return REFLECTED.get(method, "")

    def is_enumeration(self, bases: tuple[int | str, ...]) -> bool:
        """Whether a class derives from an Enum of the standard library."""
        return any(isinstance(base, str) and base.startswith("enum.") for base in bases)
