"""What run-time objects are in the source: code, frames, callables and call instructions to keys and call sites.

For CPython >= 3.13, which gives classes their first line and CALL instructions exact positions.
"""

from __future__ import annotations

import opcode
import os
from types import CodeType, FrameType, FunctionType, MethodType
from typing import NamedTuple

from benchmarks.syntax import CallSite, Definition, Key, Sources

CONSTRUCTORS = ("__init__", "__new__")
CALL_OPCODES = frozenset(
    number for name, number in opcode.opmap.items() if name in {"CALL", "CALL_KW", "CALL_FUNCTION_EX"}
)


class Callee(NamedTuple):
    """A callee, the constructor that runs if it is a class, and the form of call if the callee itself decides it."""

    key: Key
    constructor: Key | None
    form: str


class Identities:
    """Answers of one run; caches hold code objects alive so that their ids stay their own."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.root = str(sources.root) + os.sep
        self.wrappers: dict[Key, set[Key]] = {}  # a wrapper of the repository -> what it was seen to wrap
        self._definitions = {
            (d.key.path, d.first_line, d.bare_name): d for m in sources.modules.values() for d in m.definitions
        }
        self._classes: dict[tuple[str, int], list[Definition]] = {}
        for definition in sources.definitions.values():
            if definition.is_class:
                self._classes.setdefault((definition.key.name, definition.first_line), []).append(definition)
        self._sites = {
            path: {(s.end_line, s.end_column, s.form == "decorator"): s for s in module.sites}
            for path, module in sources.modules.items()
        }
        # Code objects are kept alive beside their id, which is far cheaper to hash than the code itself.
        self._codes: dict[int, tuple[CodeType, Key | None]] = {}
        self._offsets: dict[tuple[int, int], tuple[CallSite, bool] | None] = {}
        self._class_keys: dict[type, Key | None] = {}

    def path(self, code: CodeType) -> str | None:
        """The relative path of the code's file; None outside the repository."""
        file = code.co_filename
        if not file.startswith(self.root):
            return None
        path = file[len(self.root) :]
        return path if path in self.sources.modules else None

    def code_key(self, code: CodeType) -> Key | None:
        """The function a code object was compiled from; None for modules, class bodies, lambdas, comprehensions."""
        known = self._codes.get(id(code))
        if known is None:
            path = self.path(code)
            definition = self._definitions.get((path or "", code.co_firstlineno, code.co_name))
            known = code, definition.key if definition and not definition.is_class else None
            self._codes[id(code)] = known
        return known[1]

    def frame_key(self, frame: FrameType) -> Key | None:
        """The function that a frame belongs to, lambdas and generator expressions folded into their encloser."""
        code = frame.f_code
        key = self.code_key(code)
        if key or not code.co_name.startswith("<") or code.co_name == "<module>":
            return key
        path, name = self.path(code), code.co_qualname.replace(".<locals>", "")
        while name and path:
            name = name.rpartition(".")[0]
            folded = Key(path, name)
            if folded in self.sources.definitions:
                return folded
        return None

    def site(self, path: str, code: CodeType, offset: int) -> tuple[CallSite, bool] | None:
        """The call expression at an instruction, and whether the instruction applies it as a decorator."""
        key = id(code), offset
        if key not in self._offsets:
            self.code_key(code)  # keeps the code object alive, so that its id stays its own
            self._index(path, code)
        return self._offsets.get(key)

    def _index(self, path: str, code: CodeType) -> None:
        sites = self._sites[path]
        seen: dict[CallSite, list[int]] = {}
        opcodes = code.co_code[::2]
        for index, (_, end_line, _, end_column) in enumerate(code.co_positions()):
            offset = index * 2
            self._offsets[id(code), offset] = None
            end = end_line or 0, end_column or 0
            site = sites.get((*end, False)) or sites.get((*end, True))
            if site and opcodes[index] in CALL_OPCODES:
                seen.setdefault(site, []).append(offset)
        for site, offsets in seen.items():
            for position, offset in enumerate(offsets):
                # A called decorator has two call instructions: the call itself, then its application.
                applies = site.form == "decorator" or (site.decorates and position == len(offsets) - 1 and position > 0)
                self._offsets[id(code), offset] = site, applies

    def callee(self, value: object) -> Callee | None:
        """The definition of the repository that calling ``value`` calls; None for everything else."""
        kind = type(value)
        if issubclass(kind, type):
            return self._constructed(value)  # type: ignore[arg-type]
        function = _function(value)
        if function is not None:
            key = self._unwrapped(function)
            return Callee(key, None, "") if key else None
        wrapped = own(value).get("__wrapped__")
        if isinstance(wrapped, FunctionType):
            key = self._unwrapped(wrapped)
            return Callee(key, None, "") if key else None
        call = next((vars(c)["__call__"] for c in kind.__mro__ if "__call__" in vars(c)), None)
        if isinstance(call, FunctionType):
            key = self._unwrapped(call)
            return Callee(key, None, "instance") if key else None
        return None

    def _constructed(self, owner: type) -> Callee | None:
        key = self.class_key(owner)
        if key is None:
            return None
        for base in owner.__mro__:
            for name in CONSTRUCTORS:
                method = vars(base).get(name)
                if isinstance(method, staticmethod):
                    method = method.__func__
                if isinstance(method, FunctionType):
                    return Callee(key, self._unwrapped(method), "constructor")
        return Callee(key, None, "constructor")

    def class_key(self, owner: type) -> Key | None:
        """The ``class`` statement that made the class; by name and line, for ``__module__`` may have been rewritten."""
        if owner not in self._class_keys:
            line = vars(owner).get("__firstlineno__", 0)
            name = owner.__qualname__.replace(".<locals>", "")
            found = self._classes.get((name, line), [])
            self._class_keys[owner] = found[0].key if len(found) == 1 else None
        return self._class_keys[owner]

    def _unwrapped(self, function: FunctionType) -> Key | None:
        outer = self.code_key(function.__code__)
        inner = function
        while isinstance(wrapped := own(inner).get("__wrapped__"), FunctionType):
            inner = wrapped
        key = self.code_key(inner.__code__)
        if outer and key and outer != key:
            self.wrappers.setdefault(outer, set()).add(key)
        return key or outer


def own(value: object) -> dict[str, object]:
    """The instance's own attributes, without waking proxies."""
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def _function(value: object) -> FunctionType | None:
    while type(value) is MethodType:
        value = value.__func__
    return value if isinstance(value, FunctionType) and type(value) is FunctionType else None
