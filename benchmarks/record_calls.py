"""Record which calls and which tests really happen while a repository's own pytest suite runs.

Run it with the CPython >= 3.13 that has the project and its test dependencies (3.12 loses calls with star arguments)::

    PYTHONPATH=CHECKOUT PROJECT_PYTHON -m benchmarks.record_calls --repo REPO --calls FILE --tests FILE [-- PYTEST ARGS]

What counts as an explicit call
    A ``sys.monitoring`` CALL event in code of the repository, at an instruction whose position is that of a call
    expression of the source, or of a decorator being applied, whose callee is a definition of the repository:

    - a function or method written there (bound methods, static and class methods are unwrapped);
    - a function behind wrappers that keep ``__wrapped__`` (``functools.wraps``, ``lru_cache``, ``contextmanager``):
      the callee is the innermost function, the one whose name the source calls; a wrapper without ``__wrapped__`` is
      the callee itself, for nothing says what it wraps;
    - a class written there: the callee is the class; the ``__init__`` (else ``__new__``) of the repository that its MRO
      finds is kept beside it as ``constructor``, and an edge to either is the same answer;
    - an instance whose class has ``__call__`` in the repository (form ``instance``).

    Lambdas are no definitions, so calling one is not recorded; calls made in one belong to its encloser. The implicit
    ``__exit__`` of ``with`` has the position of the context expression and is dropped. Operators, properties, iteration
    and callbacks made by foreign code are not calls here.

    ``named`` tells the calls whose written name (imports' ``as`` undone) is the callee's own name. Constructors of any
    spelling (``cls()``, ``self.response_class()``) are marked ``constructor``. A call that is neither (a value that
    happens to hold the function: ``f(*args)`` in a wrapper) is recorded and left to the scorer.

What counts for tests
    ``direct``: definitions that the test's own body calls: explicit calls as above, and every frame of the repository
    that starts with the test function as its nearest frame of the repository (properties, operators, callbacks through
    foreign code, first steps of generators and coroutines). A wrapper that the repository itself put around a
    definition gives way to that definition. ``executed``: definitions with a frame that started, and classes that were
    constructed, during the test's setup, call and teardown, in any thread.

Tests run without assertion rewriting, so that positions are those of the source.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.identities import CONSTRUCTORS, Identities, own
from benchmarks.syntax import CallSite, Key, Sources, read_sources

if TYPE_CHECKING:
    from collections.abc import Iterator

TOOL = 3  # a free tool id of sys.monitoring
MONITORING: Any = vars(sys).get("monitoring")  # None before CPython 3.12


class Call(NamedTuple):
    """One call site and what it called; ``named`` when the written name is the callee's."""

    caller: Key
    callee: Key
    constructor: Key | None
    site: CallSite
    form: str
    named: bool


@dataclass(slots=True)
class _Test:
    node: str
    key: Key
    line: int
    direct: set[Key] = field(default_factory=set)
    executed: set[Key] = field(default_factory=set)


class Recorder:
    """Collects calls and per-test definitions; a pytest plugin."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.identities = Identities(sources)
        self.calls: Counter[Call] = Counter()
        self.tests: dict[Key, _Test] = {}
        self.current: _Test | None = None

    def start(self) -> None:
        """Begin to listen."""
        monitoring = MONITORING
        monitoring.use_tool_id(TOOL, "record_calls")
        monitoring.register_callback(TOOL, monitoring.events.CALL, self.on_call)
        monitoring.register_callback(TOOL, monitoring.events.PY_START, self.on_start)
        monitoring.set_events(TOOL, monitoring.events.CALL | monitoring.events.PY_START)

    def stop(self) -> None:
        """Stop listening."""
        MONITORING.set_events(TOOL, 0)
        MONITORING.free_tool_id(TOOL)

    # -- events -------------------------------------------------------------------------------------------------------

    def on_call(self, code: CodeType, offset: int, callee: object, _first: object) -> object:
        """A call instruction is about to run."""
        path = self.identities.path(code)
        if path is None:
            return MONITORING.DISABLE
        found = self.identities.site(path, code, offset)
        if found is None:
            return MONITORING.DISABLE
        site, applies = found
        answer = self.identities.callee(callee)
        if answer is None:
            return None
        key, constructor, kind = answer
        name = key.name.rpartition(".")[2]
        if name in {"__exit__", "__aexit__"} and site.name != name:
            return None
        written = self.sources.modules[path].aliases.get(site.name, site.name)
        named = not (applies and site.form != "decorator") and written == name
        form = "decorator" if applies else kind or site.form
        self.calls[Call(site.caller, key, constructor, site, form, named)] += 1
        test = self.current
        if test:
            test.executed.add(key)
            if site.caller == test.key:
                test.direct.add(key)
        return None

    def on_start(self, code: CodeType, _offset: int) -> object:
        """A frame starts."""
        if self.identities.path(code) is None:
            return MONITORING.DISABLE
        test = self.current
        if test is None:
            return None
        key = self.identities.code_key(code)
        if key is None:
            return None
        test.executed.add(key)
        frame = sys._getframe(1)  # noqa: SLF001
        if code.co_name in CONSTRUCTORS and code.co_argcount:
            self._executed_class(test, frame, code)
        caller = self._nearest(frame)
        if caller and key in self.identities.wrappers.get(self.identities.frame_key(caller) or key, ()):
            caller = self._nearest(caller)
        if caller and self.identities.frame_key(caller) == test.key and key not in self.identities.wrappers:
            test.direct.add(key)
        return None

    def _nearest(self, frame: FrameType) -> FrameType | None:
        """The nearest calling frame whose code is in the repository."""
        caller = frame.f_back
        while caller is not None and self.identities.path(caller.f_code) is None:
            caller = caller.f_back
        return caller

    def _executed_class(self, test: _Test, frame: FrameType, code: CodeType) -> None:
        value = frame.f_locals.get(code.co_varnames[0])
        owner: type = value if isinstance(value, type) else type(value)
        key = self.identities.class_key(owner)
        if key:
            test.executed.add(key)

    # -- pytest -------------------------------------------------------------------------------------------------------

    def pytest_runtest_protocol(self, item: Any) -> None:  # noqa: ANN401
        """Remember which test the frames belong to."""
        function = getattr(item, "function", None)
        while isinstance(wrapped := own(function).get("__wrapped__"), FunctionType):
            function = wrapped
        if not isinstance(function, FunctionType):
            return
        key = self.identities.code_key(function.__code__)
        if key:
            line = self.sources.definitions[key].line
            node = item.nodeid.partition("[")[0]
            self.current = self.tests.setdefault(key, _Test(node, key, line))

    def pytest_runtest_logfinish(self) -> None:
        """The test is over."""
        self.current = None


def calls_json(recorder: Recorder) -> Iterator[dict[str, object]]:
    """One row a distinct (caller, callee, site): keys, lines of definitions, form, how often."""
    definitions = recorder.sources.definitions
    for edge, count in sorted(recorder.calls.items(), key=lambda item: str(item[0])):
        caller, callee, constructor, site, form, named = edge
        yield {
            "caller": [*caller, definitions[caller].line if caller.name else 0],
            "callee": [*callee, definitions[callee].line],
            "constructor": [*constructor, definitions[constructor].line] if constructor else None,
            "line": site.line,
            "first_line": site.first_line,
            "name": site.name,
            "form": form,
            "syntax": site.form,
            "named": named,
            "count": count,
        }


def tests_json(recorder: Recorder) -> Iterator[dict[str, object]]:
    """One row a test function: the definitions called from its body, and those executed."""
    for test in sorted(recorder.tests.values(), key=lambda test: test.key):
        inner = test.key.name + "."
        direct = test.direct - recorder.identities.wrappers.keys()
        yield {
            "test": [*test.key, test.line],
            "node": test.node,
            "direct": sorted(k for k in direct if not (k.path == test.key.path and k.name.startswith(inner))),
            "executed": sorted(test.executed | direct),
        }


def main() -> int:
    """Run the suite under the recorder and write both files; returns pytest's exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repo", type=Path, required=True, help="a copy of the repository, installed as editable")
    parser.add_argument("--calls", type=Path, required=True)
    parser.add_argument("--tests", type=Path, required=True)
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    arguments = parser.parse_args()
    if sys.version_info < (3, 13):
        parser.error("needs CPython 3.13 or later")
    root = arguments.repo.resolve()
    calls, tests = arguments.calls.resolve(), arguments.tests.resolve()
    recorder = Recorder(read_sources(root))
    here = str(Path(__file__).resolve().parent.parent)
    sys.path[:] = [entry for entry in sys.path if entry and Path(entry).resolve() != Path(here)]
    os.chdir(root)
    import pytest  # noqa: PLC0415

    recorder.start()
    code = pytest.main(["-q", "--assert=plain", "-p", "no:cacheprovider", *arguments.pytest], plugins=[recorder])
    recorder.stop()
    calls.write_text(json.dumps(list(calls_json(recorder)), indent=0) + "\n")
    tests.write_text(json.dumps(list(tests_json(recorder)), indent=0) + "\n")
    print(f"{len(recorder.calls)} distinct calls, {len(recorder.tests)} tests")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
