"""Values that pass through Java's library: containers, streams, optionals, futures, functional interfaces."""

from __future__ import annotations

from typing import Final

from code_review_graph.languages.java.library import kind_of_result, library_type, result_of
from code_review_graph.semantics import Evaluation
from code_review_graph.values import (
    BOUND,
    CLASS,
    EMPTY,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INFERRED,
    Value,
    Values,
    as_values,
    at_least,
    external_instance,
    instance,
    merge,
)

STRING: Final = "java.lang.String"
MAX_CHAIN: Final = 120
_OPTIONAL: Final = "java.util.Optional"
_STREAM: Final = "java.util.stream.Stream"
_COLLECTORS: Final = "java.util.stream.Collectors."
_SET: Final = "java.util.Set"
_LIST: Final = "java.util.List"
_MAP: Final = "java.util.Map"
_ENTRY: Final = "java.util.Map.Entry"

# -- methods of containers that are not Java's own, by what methods of these names give everywhere

_SAME: Final = frozenset({
    "stream", "parallelStream", "iterator", "listIterator", "filter", "sorted", "distinct", "limit", "skip", "peek",
    "takeWhile", "dropWhile", "parallel", "sequential", "subList", "reversed", "or", "clone",
})  # fmt: skip
_ELEMENT: Final = frozenset({
    "get", "next", "previous", "orElse", "orElseThrow", "orElseGet", "getFirst", "getLast", "first", "last", "pop",
    "poll", "remove", "removeFirst", "removeLast", "join", "set", "orNull", "block",
})  # fmt: skip
_MAP_VALUE: Final = frozenset({"get", "put", "getOrDefault", "computeIfAbsent", "computeIfPresent", "compute", "merge",
                               "putIfAbsent", "remove", "replace", "getIfPresent", "getUnchecked"})  # fmt: skip
_MAP_KEY: Final = frozenset({"firstKey", "lastKey"})
# Methods whose result is what the function handed over gives, inside a container.
_MAPPING: Final = frozenset({"map", "thenApply", "thenApplyAsync", "mapToObj", "transform", "handle", "handleAsync"})
_FLAT: Final = frozenset({"flatMap", "thenCompose", "thenComposeAsync", "mapMulti", "concatMap"})
_SUPPLYING: Final = frozenset({"java.util.concurrent.CompletableFuture.supplyAsync", "java.util.stream.Stream.generate",
                               "java.lang.ThreadLocal.withInitial"})  # fmt: skip
# Methods of anything at all, by what they give.
_PLAIN: Final = {
    "toString": STRING, "hashCode": "int", "equals": "boolean", "length": "int", "size": "int", "indexOf": "int",
    "isEmpty": "boolean", "contains": "boolean", "containsKey": "boolean", "intValue": "int", "longValue": "long",
    "doubleValue": "double", "booleanValue": "boolean", "getName": STRING, "getSimpleName": STRING, "name": STRING,
    "ordinal": "int", "getMessage": STRING, "getClass": "java.lang.Class", "compareTo": "int", "hasNext": "boolean",
    "isPresent": "boolean",
}  # fmt: skip
_FACTORIES: Final = frozenset({
    "java.util.List.of", "java.util.Set.of", "java.util.stream.Stream.of", "java.util.Collections.singletonList",
    "java.util.Collections.singleton", "java.util.Optional.of", "java.util.Optional.ofNullable",
    "java.util.concurrent.CompletableFuture.completedFuture", "java.util.Arrays.asList", "java.util.EnumSet.of",
})  # fmt: skip
# What gives a container of what is inside of its argument.
_RETYPED: Final = {
    "java.util.Arrays.stream": _STREAM, "java.util.Arrays.asList": _LIST, "java.util.List.of": _LIST,
    "java.util.stream.Stream.of": _STREAM, "java.util.List.copyOf": _LIST, "java.util.Set.copyOf": _SET,
    "java.util.stream.StreamSupport.stream": _STREAM, "java.util.Collections.enumeration": "java.util.Enumeration",
    "java.util.EnumSet.copyOf": _SET, "java.util.stream.Stream.concat": _STREAM,
}  # fmt: skip
_INSIDE: Final = frozenset({"java.util.Collections.max", "java.util.Collections.min"})
_SAME_FACTORIES: Final = frozenset({
    "java.util.Collections.unmodifiableList", "java.util.Collections.unmodifiableSet", "java.util.Map.copyOf",
    "java.util.Collections.unmodifiableCollection", "java.util.Collections.unmodifiableMap",
    "java.util.Collections.synchronizedList", "java.util.Collections.synchronizedMap",
    "java.util.Collections.unmodifiableSortedMap", "java.util.Collections.unmodifiableSortedSet",
    "java.util.Objects.requireNonNull", "java.util.Arrays.copyOf", "java.util.Arrays.copyOfRange",
    "java.util.Objects.requireNonNullElse", "java.lang.Math.max", "java.lang.Math.min", "java.lang.Math.abs",
})  # fmt: skip
_COLLECTED: Final = {
    "joining": STRING, "counting": "java.lang.Long", "groupingBy": _MAP, "toMap": _MAP, "partitioningBy": _MAP,
    "toConcurrentMap": _MAP, "groupingByConcurrent": _MAP, "toUnmodifiableMap": _MAP, "toSet": _SET,
    "toUnmodifiableSet": _SET,
}  # fmt: skip
# What every object has, and every enum.
INHERENT: Final = frozenset({
    "equals()", "hashCode()", "toString()", "getClass()", "notify()", "notifyAll()", "wait()", "clone()", "finalize()",
})  # fmt: skip
OF_ENUMS: Final = frozenset({"name()", "ordinal()", "compareTo()", "values()", "valueOf()", "getDeclaringClass()"})
# Static methods that give a value of the type that has them.
_MAKERS: Final = frozenset(
    {"valueOf", "of", "getInstance", "newInstance", "now", "copyOf", "ofEntries", "noneOf", "allOf", "builder"}
)


def inherent_method(engine: Evaluation, owner: Value, name: str) -> Values:
    """Result of a method that every object or enum has."""
    itself: Values = {instance(owner[1], exact=False): INFERRED}
    if name == "values":
        return {external_instance(f"{engine.program.definitions[owner[1]].name}[]", itself): INFERRED}
    return itself if name in {"valueOf", "clone"} else _plain_result(name)


def made(dotted: str, values: Values) -> Values:
    """A container of values; nothing where nothing is inside."""
    return {external_instance(dotted, values): INFERRED} if values else EMPTY


def _plain_result(name: str) -> Values:
    kind = _PLAIN.get(name)
    return {external_instance(kind): INFERRED} if kind is not None else EMPTY


# -- methods of values


def container_method(engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
    """Result of a method of a value from outside."""
    kind = str(owner[1])
    held = [as_values(item) for item in owner[2]] if owner[0] == EXTERNAL_INSTANCE else []
    if kind.endswith("[]"):
        return {owner: INFERRED} if name == "clone" else _plain_result(name)
    special = _by_arguments(engine, owner, name, arguments)
    known = special or result_of(kind, held, name)
    if known or (known is not None and library_type(kind) is not None):
        return known
    if library_type(kind) is None and held:
        known = _of_pairs(held, name) if len(held) > 1 else _of_elements(engine, owner, name)
    known = known or _plain_result(name)
    # What nobody knows is still a value from outside.
    return known or ({(EXTERNAL, f"{kind}.{name}()()"): INFERRED} if len(kind) < MAX_CHAIN else EMPTY)


def _by_arguments(engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
    """Result of a method that depends on what is passed."""
    kind = str(owner[1])
    if name in _MAPPING:
        return made(kind_of_result(kind, name) or _STREAM, _results(engine, arguments))
    if name in _FLAT:
        return made(kind_of_result(kind, name) or _STREAM, engine.iterate(_results(engine, arguments)))
    if name == "collect":
        return _collected(engine, owner, arguments)
    if name == "toArray":
        return {v: INFERRED for v in arguments if v[0] == EXTERNAL_INSTANCE and str(v[1]).endswith("[]")}
    return EMPTY


def _collected(engine: Evaluation, owner: Value, collectors: Values) -> Values:
    inside = engine.iterate({owner: INFERRED})
    names = [str(value[1]).removeprefix(_COLLECTORS) for value in collectors if value[0] == EXTERNAL_INSTANCE]
    kind = next((_COLLECTED[name] for name in names if name in _COLLECTED), _LIST)
    if kind in {_LIST, _SET}:
        return {external_instance(kind, inside): INFERRED}
    if kind == _MAP and "groupingBy" in names:
        return {external_instance(kind, EMPTY, made(_LIST, inside)): INFERRED}
    return {external_instance(kind): INFERRED}


def _of_pairs(held: list[Values], name: str) -> Values:
    keys, values = held[0], held[-1]
    if name in _MAP_VALUE or name == "getValue":
        return values
    if name in _MAP_KEY or name == "getKey":
        return keys
    entry: Values = {external_instance(_ENTRY, keys, values): INFERRED}
    inside = {"keySet": keys, "values": values, "entrySet": entry, "keys": keys, "entries": entry}.get(name, EMPTY)
    return made(_SET, inside)


def _of_elements(engine: Evaluation, owner: Value, name: str) -> Values:
    if name in _SAME:
        return {owner: INFERRED}
    inside = engine.iterate({owner: INFERRED})
    if name in _ELEMENT:
        return inside
    return made(_LIST, inside) if name == "toList" else EMPTY


def _results(engine: Evaluation, functions: Values) -> Values:
    """What functions that are handed over give."""
    found: Values = {}
    for value in functions:
        if value[0] in {FUNCTION, BOUND}:
            merge(found, engine.returns(value[1]), INFERRED)
        elif value[0] == CLASS:
            merge(found, {instance(value[1], exact=value[2]): INFERRED})
        elif value[0] == EXTERNAL and value[1].endswith("()"):
            holder, _, method = value[1][:-2].rpartition(".")
            merge(found, result_of(holder, (), method) or EMPTY)
        elif value[0] == EXTERNAL and value[1].rpartition(".")[2][:1].isupper():
            merge(found, {external_instance(value[1]): INFERRED})
    return found


# -- calls of what is outside


def call_outside(engine: Evaluation, dotted: str, scope: int, call: tuple[object, ...]) -> Values | None:
    """Result of calling something outside; None when nothing is known."""
    name = dotted.rpartition(".")[2]
    positional: tuple[int, ...] = call[2] if isinstance(call[2], tuple) else ()
    keywords: tuple[tuple[str, int], ...] = call[3] if isinstance(call[3], tuple) else ()
    if not name.endswith("()"):  # the type itself is called: a constructor
        arguments = [engine.types(scope, expression) for key, expression in keywords if key.startswith("[")]
        return {external_instance(dotted, *arguments): INFERRED} if name[:1].isupper() else None
    return _of_method(engine, dotted[:-2], scope, positional)


def _of_method(engine: Evaluation, plain: str, scope: int, positional: tuple[int, ...]) -> Values | None:
    first = engine.evaluate(scope, positional[0]) if positional else EMPTY
    known = _of_arguments(engine, plain, first, [engine.evaluate(scope, item) for item in positional])
    if known:
        return known
    owner, _, method = plain.rpartition(".")
    owner = owner.removeprefix("builtins.")
    if plain.startswith(_COLLECTORS):
        return {external_instance(plain): INFERRED}
    found = result_of(owner, (), method)
    if found is not None:
        return found
    last = owner.rpartition(".")[2]
    if method in _MAKERS and last[:1].isupper():
        return {external_instance(owner): INFERRED}
    return _plain_result(method) or None


def _of_arguments(engine: Evaluation, plain: str, first: Values, given: list[Values]) -> Values:
    """Result of a static method that depends on what is passed."""
    if plain in _SAME_FACTORIES:
        return at_least(first, INFERRED)
    if plain in _RETYPED and len(given) < 2:  # noqa: SIM102
        if any(_is_array(value) for value in first) or plain not in _FACTORIES:
            return made(_RETYPED[plain], engine.iterate(first))
    if plain in _FACTORIES:
        inside: Values = {}
        for values in given:
            merge(inside, values, INFERRED)
        return made(_RETYPED.get(plain) or plain.rpartition(".")[0].replace("Collections", "List"), inside)
    if plain in _INSIDE:
        return engine.iterate(first)
    if plain in _SUPPLYING:
        return made(plain.rpartition(".")[0], _results(engine, first))
    if plain in {"java.util.Map.of", "java.util.Map.entry"}:
        return _paired(plain, given)
    return EMPTY


def _is_array(value: Value) -> bool:
    return bool(value[0] == EXTERNAL_INSTANCE and str(value[1]).endswith("[]"))


def _paired(plain: str, given: list[Values]) -> Values:
    keys: Values = {}
    values: Values = {}
    for place, item in enumerate(given):
        merge(values if place % 2 else keys, item, INFERRED)
    kind = _ENTRY if plain.endswith("entry") else _MAP
    return {external_instance(kind, keys, values): INFERRED} if keys or values else EMPTY
