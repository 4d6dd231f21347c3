"""What calls into the language's own objects give back, as far as it leads to the repository again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from code_review_graph.languages.javascript.annotations import MAP
from code_review_graph.semantics import Evaluation
from code_review_graph.values import (
    BOUND,
    CLASS,
    CONTAINER,
    EMPTY,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INFERRED,
    LITERAL,
    Value,
    Values,
    as_values,
    external_instance,
    merge,
)

Call = tuple[Any, ...]
Rule = Callable[[Evaluation, int, Call], Values]
_LIST: Final = "builtins.list"


def _argument(engine: Evaluation, scope: int, call: Call, place: int = 0) -> Values:
    return engine.evaluate(scope, call[2][place]) if place < len(call[2]) else EMPTY


def _same(engine: Evaluation, scope: int, call: Call) -> Values:
    return _argument(engine, scope, call)


def _called(engine: Evaluation, scope: int, call: Call) -> Values:
    return engine.call(_argument(engine, scope, call), scope, (call[0], 0, (), (), False))


def _list_of(engine: Evaluation, scope: int, call: Call) -> Values:
    inside = engine.iterate(_argument(engine, scope, call))
    if len(call[2]) > 1 and inside:
        mapped = engine.call(_argument(engine, scope, call, 1), scope, (call[0], 0, (), (), False))
        inside = mapped or inside
    return {external_instance(_LIST, inside): INFERRED} if inside else EMPTY


def _values_of(engine: Evaluation, scope: int, call: Call) -> Values:
    inside = engine.elements(_argument(engine, scope, call))
    return {external_instance(_LIST, inside): INFERRED} if inside else EMPTY


def _entries_of(engine: Evaluation, scope: int, call: Call) -> Values:
    inside = engine.elements(_argument(engine, scope, call))
    pair = {external_instance("builtins.tuple", EMPTY, inside): INFERRED}
    return {external_instance(_LIST, pair): INFERRED} if inside else EMPTY


def _fresh(engine: Evaluation, scope: int, call: Call) -> Values:
    """A new container: what is put into it is found under the place that made it."""
    index = engine.program.expression_index(engine.program.scope_file[scope], call)
    return {(CONTAINER, scope, index): INFERRED} if index > 0 else EMPTY


def _first_element(engine: Evaluation, scope: int, call: Call) -> Values:
    return engine.iterate(_argument(engine, scope, call))


def _holder(engine: Evaluation, scope: int, call: Call) -> Values:
    """``useState(x)``: the value, and what sets it."""
    values = _argument(engine, scope, call)
    return {external_instance("builtins.tuple", values, EMPTY): INFERRED} if values else EMPTY


def _lazy(engine: Evaluation, scope: int, call: Call) -> Values:
    """``lazy(() => import("./m"))``: what m exports by default."""
    return engine.members(_called(engine, scope, call), "default")


RULES: Final[dict[str, Rule]] = {
    "builtins.Array": _fresh,
    "builtins.Map": _fresh,
    "builtins.Set": _fresh,
    "builtins.WeakMap": _fresh,
    "builtins.WeakSet": _fresh,
    "builtins.Array.from": _list_of,
    "builtins.Object.freeze": _same,
    "builtins.Object.seal": _same,
    "builtins.Object.preventExtensions": _same,
    "builtins.Object.setPrototypeOf": _same,
    "builtins.Object.defineProperty": _same,
    "builtins.Object.defineProperties": _same,
    "builtins.Object.values": _values_of,
    "builtins.Object.entries": _entries_of,
    "builtins.Object": _same,
    "builtins.Promise.resolve": _same,
    "builtins.Promise.all": _same,
    "builtins.Promise.allSettled": _same,
    "builtins.Promise.race": _first_element,
    "builtins.Promise.any": _first_element,
    "builtins.structuredClone": _same,
    "builtins.Proxy": _same,
    "react.useCallback": _same,
    "react.useMemo": _called,
    "react.useState": _holder,
    "react.memo": _same,
    "react.forwardRef": _same,
    "react.lazy": _lazy,
    "next/dynamic.default": _lazy,
    "react.useContext": _same,
    "util.promisify": _same,
    "node:util.promisify": _same,
    "vue.markRaw": _same,
    "vue.reactive": _same,
    "vue.readonly": _same,
}

# Functions that call an argument themselves -> places of that argument.
CALLBACKS: Final[dict[str, tuple[int, ...]]] = {
    "builtins.setTimeout": (0,),
    "builtins.setInterval": (0,),
    "builtins.setImmediate": (0,),
    "builtins.queueMicrotask": (0,),
    "builtins.requestAnimationFrame": (0,),
    "builtins.requestIdleCallback": (0,),
    "builtins.process.nextTick": (0,),
    "builtins.Promise": (0,),
    "builtins.Array.from": (1,),
    "react.useEffect": (0,),
    "react.useLayoutEffect": (0,),
    "react.useMemo": (0,),
    "react.useReducer": (0,),
}

# Functions of libraries, by their last name, that give back what they are given in other clothes.
_WRAPPERS: Final = frozenset(
    {"asyncHandler", "connect()", "debounce", "inject()", "memoize", "observer", "once", "promisify", "throttle"}
)


def call_outside(engine: Evaluation, dotted: str, scope: int, call: Call) -> Values | None:
    """Result of calling something outside the repository; None when nothing is known."""
    rule = RULES.get(dotted) or RULES.get(dotted.replace("react.default.", "react."))
    if rule is not None:
        return rule(engine, scope, call)
    name = dotted.rsplit(".", 1)[-1]
    if name in _WRAPPERS or (name.startswith("with") and name[4:5].isupper()):
        wrapped = _argument(engine, scope, call)
        return {value: INFERRED for value in wrapped if value[0] in {FUNCTION, BOUND, CLASS}} or None
    return None


_ELEMENT: Final = frozenset({"find", "findLast", "pop", "shift", "at", "get", "next", "reduce"})
_WHOLE: Final = frozenset(
    {"filter", "slice", "sort", "toSorted", "reverse", "toReversed", "concat", "splice", "fill", "values", "flat",
     "[Symbol.iterator]", "then", "catch", "finally", "set", "add", "push", "keys"}
)  # fmt: skip


def container_method(engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
    """Result of a method of an array, a map, a set or a generator."""
    values = {owner: INFERRED}
    if owner[0] == EXTERNAL_INSTANCE and owner[1] == MAP:
        return _of_map(owner, name)
    if name in _ELEMENT:
        keys = [value for value in arguments if value[0] == LITERAL and value[2] is not None]
        key = keys[0] if name in {"at", "get"} and len(keys) == 1 and owner[0] == CONTAINER else None
        return engine.elements(values, key)
    if name in _WHOLE:
        return values
    if name in {"map", "flatMap"}:
        inside = engine.call(arguments, 0, (3, 0, (), (), False))
        inside = engine.iterate(inside) or inside if name == "flatMap" else inside
        return {external_instance(_LIST, inside): INFERRED} if inside else EMPTY
    if name == "entries":
        pair = {external_instance("builtins.tuple", EMPTY, engine.elements(values)): INFERRED}
        return {external_instance(_LIST, pair): INFERRED}
    return EMPTY


def _of_map(owner: Value, name: str) -> Values:
    pairs, inside = as_values(owner[2][0]), as_values(owner[2][1])
    if name == "get":
        return inside
    if name == "values":
        return {external_instance(_LIST, inside): INFERRED}
    if name in {"entries", "[Symbol.iterator]"}:
        return {external_instance(_LIST, pairs): INFERRED}
    if name == "keys":
        keys: Values = {}
        for pair in pairs:
            merge(keys, as_values(pair[2][0]))
        return {external_instance(_LIST, keys): INFERRED}
    return {owner: INFERRED} if name in {"set", "forEach"} else EMPTY
