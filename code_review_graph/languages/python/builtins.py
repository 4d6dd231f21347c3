"""What calls into Python's builtins and standard library give back, as far as it leads to the repository again."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, Final

from code_review_graph.semantics import Evaluation
from code_review_graph.values import (
    CLASS,
    CONTAINER,
    EMPTY,
    FUNCTION,
    INFERRED,
    INSTANCE,
    LITERAL,
    Value,
    Values,
    external_instance,
    instance,
    merge,
)

NAMES: Final = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__", "__path__", "__spec__", "reveal_type"}

Call = tuple[Any, ...]
Rule = Callable[[Evaluation, int, Call], Values]


def _argument(engine: Evaluation, scope: int, call: Call, place: int, keyword: str = "") -> Values:
    positional, keywords = call[2], call[3]
    if place < len(positional):
        return engine.evaluate(scope, positional[place])
    for name, expression in keywords:
        if name == keyword:
            return engine.evaluate(scope, expression)
    return EMPTY


def _same(place: int = 0) -> Rule:
    return lambda engine, scope, call: _argument(engine, scope, call, place)


def _list_of(engine: Evaluation, scope: int, call: Call) -> Values:
    if not call[2]:
        return EMPTY
    inside = engine.iterate(_argument(engine, scope, call, 0))
    return {external_instance("builtins.list", inside): INFERRED} if inside else EMPTY


def _element(engine: Evaluation, scope: int, call: Call) -> Values:
    return engine.iterate(_argument(engine, scope, call, 0))


def _enumerate(engine: Evaluation, scope: int, call: Call) -> Values:
    inside = engine.iterate(_argument(engine, scope, call, 0))
    pair = {external_instance("builtins.tuple", EMPTY, inside): INFERRED}
    return {external_instance("builtins.list", pair): INFERRED} if inside else EMPTY


def _zip(engine: Evaluation, scope: int, call: Call) -> Values:
    columns = [engine.iterate(engine.evaluate(scope, item)) for item in call[2]]
    row = {external_instance("builtins.tuple", *columns): INFERRED}
    return {external_instance("builtins.list", row): INFERRED} if any(columns) else EMPTY


def _map(engine: Evaluation, scope: int, call: Call) -> Values:
    # Both orders, because it is the mapped function that leads back to the repository.
    found: Values = {}
    for place in range(len(call[2])):
        others = tuple([item for index, item in enumerate(call[2]) if index != place])
        values = engine.call(_argument(engine, scope, call, place), scope, (call[0], 0, others, (), False))
        merge(found, {value: level for value, level in values.items() if value[0] != LITERAL})
    return {external_instance("builtins.list", found): INFERRED} if found else EMPTY


def _filter(engine: Evaluation, scope: int, call: Call) -> Values:
    inside = engine.iterate(_argument(engine, scope, call, 1))
    return {external_instance("builtins.list", inside): INFERRED} if inside else EMPTY


def _cast(engine: Evaluation, scope: int, call: Call) -> Values:
    return engine.types(scope, call[2][0]) if call[2] else EMPTY


def _getattr(engine: Evaluation, scope: int, call: Call) -> Values:
    found: Values = {}
    for name in _argument(engine, scope, call, 1):
        if name[0] == LITERAL and isinstance(name[2], str):
            merge(found, engine.members(_argument(engine, scope, call, 0), name[2]), INFERRED)
    return merge(found, _argument(engine, scope, call, 2), INFERRED)


def _type(engine: Evaluation, scope: int, call: Call) -> Values:
    if len(call[2]) != 1:
        return EMPTY
    values = _argument(engine, scope, call, 0)
    return {(CLASS, value[1], value[2]): level for value, level in values.items() if value[0] == INSTANCE}


def _enter(engine: Evaluation, scope: int, call: Call) -> Values:
    return engine.enter(_argument(engine, scope, call, 0))


def _fresh(engine: Evaluation, scope: int, call: Call) -> Values:
    """A new container: what is put into it is found under the place that made it."""
    file = engine.program.scope_file[scope]
    index = engine.program.expression_index(file, call)
    return {(CONTAINER, scope, index): INFERRED} if index > 0 else EMPTY


def _wraps(_engine: Evaluation, _scope: int, _call: Call) -> Values:
    return {external_instance("functools.wraps"): INFERRED}


def _reference(engine: Evaluation, scope: int, call: Call) -> Values:
    """``weakref.ref(x)``: something that gives x when it is called."""
    return {external_instance("typing.Callable", _argument(engine, scope, call, 0)): INFERRED}


def _property(engine: Evaluation, scope: int, call: Call) -> Values:
    getters = {
        value: level for value, level in _argument(engine, scope, call, 0, "fget").items() if value[0] == FUNCTION
    }
    return {external_instance("builtins.property", getters): INFERRED} if getters else EMPTY


def _new(engine: Evaluation, scope: int, call: Call) -> Values:
    classes = _argument(engine, scope, call, 0)
    return {instance(value[1], exact=value[2]): INFERRED for value in classes if value[0] == CLASS}


def _gather(engine: Evaluation, scope: int, call: Call) -> Values:
    results = [engine.evaluate(scope, item) for item in call[2]]
    return {external_instance("builtins.tuple", *results): INFERRED} if any(results) else EMPTY


RULES: Final[dict[str, Rule]] = {
    "builtins.list": _fresh,
    "builtins.dict": _fresh,
    "builtins.set": _fresh,
    "collections.defaultdict": _fresh,
    "collections.OrderedDict": _fresh,
    "collections.deque": _fresh,
    "weakref.WeakKeyDictionary": _fresh,
    "weakref.WeakValueDictionary": _fresh,
    "weakref.WeakSet": _fresh,
    "builtins.tuple": _list_of,
    "builtins.frozenset": _list_of,
    "builtins.sorted": _list_of,
    "builtins.reversed": _list_of,
    "builtins.iter": _list_of,
    "itertools.chain.from_iterable": _list_of,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.next": _element,
    "builtins.anext": _element,
    "builtins.min": _element,
    "builtins.max": _element,
    "builtins.getattr": _getattr,
    "builtins.type": _type,
    "builtins.property": _property,
    "builtins.object.__new__": _new,
    "asyncio.gather": _gather,
    "dataclasses.replace": _same(),
    "builtins.staticmethod": _same(),
    "builtins.classmethod": _same(),
    "typing.cast": _cast,
    "typing_extensions.cast": _cast,
    "copy.copy": _same(),
    "copy.deepcopy": _same(),
    "functools.partial": _same(),
    "functools.partialmethod": _same(),
    "functools.lru_cache": _same(),
    "functools.cache": _same(),
    "functools.update_wrapper": _same(),
    "functools.wraps": _wraps,
    "functools.wraps()": _same(),
    "inspect.unwrap": _same(),
    "contextlib.nullcontext": _same(),
    "contextlib.closing": _same(),
    "contextlib.ExitStack().enter_context": _enter,
    "contextlib.AsyncExitStack().enter_async_context": _enter,
    "contextlib.contextmanager": _same(),
    "contextlib.asynccontextmanager": _same(),
    "asyncio.run": _same(),
    "asyncio.wait_for": _same(),
    "asyncio.create_task": _same(),
    "asyncio.shield": _same(),
    "weakref.proxy": _same(),
    "weakref.ref": _reference,
}

# Functions that call an argument themselves -> places (and keywords) of that argument. A dot in front: any receiver.
CALLBACKS: Final[dict[str, tuple[int | str, ...]]] = {
    "builtins.map": (0, 1),
    "builtins.filter": (0,),
    "builtins.sorted": ("key",),
    "builtins.min": ("key",),
    "builtins.max": ("key",),
    "functools.reduce": (0,),
    "itertools.starmap": (0,),
    "threading.Thread": ("target",),
    "threading.Timer": (1, "function"),
    "multiprocessing.Process": ("target",),
    "atexit.register": (0,),
    "pytest.raises": (1,),
    "pytest.warns": (1,),
    ".assertRaises": (1,),
    ".assertRaisesRegex": (2,),
    ".assertWarns": (1,),
    ".map": (0,),
    ".starmap": (0,),
    ".apply_async": (0,),
    "asyncio.to_thread": (0,),
    ".submit": (0,),
    ".run_in_executor": (1,),
    ".call_soon": (0,),
    ".call_later": (1,),
    ".add_done_callback": (0,),
    ".run_sync": (0,),
}

# Of these, the place of the sequence whose elements reach the callback.
FED: Final = {
    "builtins.filter": 1,
    "builtins.sorted": 0,
    "builtins.min": 0,
    "builtins.max": 0,
    "functools.reduce": 1,
}

_ELEMENT: Final = frozenset({"get", "pop", "setdefault", "__getitem__", "popleft", "popitem", "__next__", "send"})
_WHOLE: Final = frozenset({"copy", "union", "intersection", "difference", "__iter__", "__enter__", "__or__", "__add__"})


def container_method(engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
    """Result of a method of a builtin container, generator or awaitable."""
    values = {owner: INFERRED}
    if name in _ELEMENT:
        keys = [value for value in arguments if value[0] == LITERAL and value[2] is not None]
        key = keys[0] if len(keys) == 1 and owner[0] == CONTAINER else None
        return engine.elements(values, key)
    if name in _WHOLE:
        return values
    if name == "values":
        return {external_instance("builtins.list", engine.elements(values)): INFERRED}
    if name == "items":
        keys_inside = engine.iterate(values)
        pair = {external_instance("builtins.tuple", keys_inside, engine.elements(values)): INFERRED}
        return {external_instance("builtins.list", pair): INFERRED}
    if name == "keys":
        return {external_instance("builtins.list", engine.iterate(values)): INFERRED}
    return EMPTY
