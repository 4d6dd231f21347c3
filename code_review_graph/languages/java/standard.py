"""What is known of the Java library: types that are there without an import, elements, conversions."""

from __future__ import annotations

from typing import Final

from code_review_graph.semantics import UNKNOWN_COST, Evaluation
from code_review_graph.values import (
    BOUND,
    EMPTY,
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

LANG: Final = frozenset({
    "Appendable", "AutoCloseable", "Boolean", "Byte", "CharSequence", "Character", "Class", "ClassLoader",
    "Cloneable", "Comparable", "Double", "Enum", "Float", "Integer", "Iterable", "Long", "Math", "Number", "Object",
    "Package", "Process", "ProcessBuilder", "Readable", "Record", "Runnable", "Runtime", "Short",
    "StackTraceElement", "StrictMath", "String", "StringBuffer", "StringBuilder", "System", "Thread", "ThreadGroup",
    "ThreadLocal", "Throwable", "Void", "ArithmeticException", "ArrayIndexOutOfBoundsException",
    "ArrayStoreException", "AssertionError", "ClassCastException", "ClassNotFoundException",
    "CloneNotSupportedException", "Error", "Exception", "IllegalAccessException", "IllegalArgumentException",
    "IllegalMonitorStateException", "IllegalStateException", "IndexOutOfBoundsException", "InstantiationException",
    "InterruptedException", "LinkageError", "NegativeArraySizeException", "NoClassDefFoundError",
    "NoSuchFieldException", "NoSuchMethodException", "NullPointerException", "NumberFormatException",
    "OutOfMemoryError", "ReflectiveOperationException", "RuntimeException", "SecurityException",
    "StackOverflowError", "StringIndexOutOfBoundsException", "UnsupportedOperationException", "VirtualMachineError",
    "Deprecated", "FunctionalInterface", "Override", "SafeVarargs", "SuppressWarnings",
})  # fmt: skip

STRING: Final = "java.lang.String"
OPTIONAL: Final = "java.util.Optional"
STREAM: Final = "java.util.stream.Stream"
_SET: Final = "java.util.Set"
_LIST: Final = "java.util.List"
_ENTRY: Final = "java.util.Map.Entry"

# -- elements of containers, by the method's name

_SAME: Final = frozenset({
    "stream", "parallelStream", "iterator", "listIterator", "filter", "sorted", "distinct", "limit", "skip", "peek",
    "takeWhile", "dropWhile", "parallel", "sequential", "unordered", "onClose", "subList", "reversed", "descendingSet",
    "descendingIterator", "headSet", "tailSet", "subSet", "spliterator", "or", "clone", "exceptionally", "whenComplete",
})  # fmt: skip
_ELEMENT: Final = frozenset({
    "get", "next", "previous", "orElse", "orElseThrow", "orElseGet", "getFirst", "getLast", "first", "last", "pop",
    "poll", "pollFirst", "pollLast", "element", "elementAt", "remove", "removeFirst", "removeLast", "take", "peekFirst",
    "peekLast", "firstElement", "lastElement", "nextElement", "join", "getNow", "lower", "floor", "ceiling", "higher",
    "set", "call", "getAndSet", "getAndUpdate", "updateAndGet", "getPlain",
})  # fmt: skip
_OPTIONALS: Final = frozenset({"findFirst", "findAny", "min", "max", "reduce"})
_LISTS: Final = frozenset({"toList", "collect"})
_MAPPING: Final = frozenset({"map", "thenApply", "thenApplyAsync", "mapToObj"})
_FLAT: Final = frozenset({"flatMap", "thenCompose", "thenComposeAsync"})
_MAP_VALUE: Final = frozenset({"get", "put", "getOrDefault", "computeIfAbsent", "computeIfPresent", "compute", "merge",
                               "putIfAbsent", "remove", "replace"})  # fmt: skip
_MAP_KEY: Final = frozenset({"firstKey", "lastKey", "floorKey", "ceilingKey", "higherKey", "lowerKey"})
_MAP_ENTRY: Final = frozenset({"firstEntry", "lastEntry", "floorEntry", "ceilingEntry", "pollFirstEntry",
                               "pollLastEntry"})  # fmt: skip
# Methods of anything at all, by what they give.
_PLAIN: Final = {
    "toString": STRING, "hashCode": "int", "equals": "boolean", "length": "int", "size": "int", "indexOf": "int",
    "lastIndexOf": "int", "isEmpty": "boolean", "contains": "boolean", "containsKey": "boolean",
    "startsWith": "boolean", "endsWith": "boolean", "charAt": "char", "intValue": "int", "longValue": "long",
    "doubleValue": "double",
    "booleanValue": "boolean", "getName": STRING, "getSimpleName": STRING, "name": STRING, "ordinal": "int",
    "getMessage": STRING, "getProperty": STRING, "getClass": "java.lang.Class",
    "compareTo": "int", "hasNext": "boolean", "isPresent": "boolean",
}  # fmt: skip
_TEXT: Final = {
    **dict.fromkeys(("substring", "trim", "strip", "toLowerCase", "toUpperCase", "replace", "replaceAll",
                     "replaceFirst", "concat", "intern", "repeat", "format", "valueOf", "join", "formatted"), STRING),
    "toCharArray": "char[]", "getBytes": "byte[]", "split": "String[]", "matches": "boolean",
    "equalsIgnoreCase": "boolean", "codePointAt": "int", "compareToIgnoreCase": "int",
}  # fmt: skip
_FACTORIES: Final = frozenset({
    "java.util.Arrays.asList", "java.util.List.of", "java.util.Set.of", "java.util.stream.Stream.of",
    "java.util.Collections.singletonList", "java.util.Collections.singleton", "java.util.Optional.of",
    "java.util.Optional.ofNullable", "java.util.concurrent.CompletableFuture.completedFuture",
})  # fmt: skip
_SAME_FACTORIES: Final = frozenset({
    "java.util.Collections.unmodifiableList", "java.util.Collections.unmodifiableSet", "java.util.List.copyOf",
    "java.util.Collections.unmodifiableCollection", "java.util.Collections.unmodifiableMap", "java.util.Set.copyOf",
    "java.util.Collections.synchronizedList", "java.util.Collections.synchronizedMap", "java.util.Map.copyOf",
    "java.util.Objects.requireNonNull", "java.util.Arrays.copyOf", "java.util.Arrays.copyOfRange",
    "java.util.Objects.requireNonNullElse",
})  # fmt: skip


# What every object has, and every enum.
INHERENT: Final = frozenset({
    "equals()", "hashCode()", "toString()", "getClass()", "notify()", "notifyAll()", "wait()", "clone()", "finalize()",
    "name()", "ordinal()", "compareTo()", "values()", "valueOf()", "getDeclaringClass()",
})  # fmt: skip
_BUILDERS: Final = ("StringBuilder", "StringBuffer", "StringJoiner", "Writer", "PrintStream")
_BUILDING: Final = frozenset({"append", "insert", "reverse", "delete", "deleteCharAt", "replace", "add"})


def inherent_method(owner: Value, name: str) -> Values:
    """Result of a method that every object or enum has."""
    itself: Values = {instance(owner[1], exact=False): INFERRED}
    if name == "values":
        return made(_LIST, itself)
    return itself if name in {"valueOf", "clone"} else plain_result("", name)


# Static methods that give a value of the type that has them.
_MAKERS: Final = frozenset(
    {"valueOf", "of", "getInstance", "newInstance", "now", "copyOf", "ofEntries", "noneOf", "allOf"}
)
_RESULTS: Final = {
    "java.util.Collections.emptyList": _LIST, "java.util.Collections.emptySet": _SET,
    "java.util.Collections.emptyMap": "java.util.Map", "java.util.Collections.singletonMap": "java.util.Map",
    "java.lang.reflect.Array.get": "java.lang.Object", "java.lang.System.getProperty": STRING,
    "java.lang.System.currentTimeMillis": "long", "java.lang.System.nanoTime": "long",
    "java.lang.Integer.parseInt": "int", "java.lang.Long.parseLong": "long",
    "java.lang.Double.parseDouble": "double", "java.lang.Boolean.parseBoolean": "boolean",
}  # fmt: skip
_NUMERIC: Final = frozenset({"add", "subtract", "multiply", "divide", "negate", "abs", "pow", "mod", "remainder", "max",
                             "min", "setScale", "stripTrailingZeros"})  # fmt: skip
_BIG: Final = ("BigInteger", "BigDecimal")


def made(dotted: str, values: Values) -> Values:
    """A container of values; nothing where nothing is inside."""
    return {external_instance(dotted, values): INFERRED} if values else EMPTY


def plain_result(owner: str, name: str) -> Values:
    """Result of a method that gives a plain value."""
    kind = _TEXT.get(name) if owner == STRING else None
    kind = kind or _PLAIN.get(name)
    return {external_instance(kind): INFERRED} if kind is not None else EMPTY


def container_method(engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
    """Result of a method of a value from outside, as far as it leads to what is inside of it."""
    held = owner[2] if owner[0] == EXTERNAL_INSTANCE else ()
    if len(held) > 1:
        found = _of_map(held, name)
        if found:
            return found
    if name in _NUMERIC and str(owner[1]).endswith(_BIG):
        return {owner: INFERRED}
    if name in _BUILDING and str(owner[1]).endswith(_BUILDERS):
        return {owner: INFERRED}
    found = _of_elements(engine, owner, name, arguments)
    return found or plain_result(str(owner[1]), name)


def _of_map(held: tuple[frozenset[Value], ...], name: str) -> Values:
    keys, values = as_values(held[0]), as_values(held[-1])
    if name in _MAP_VALUE or name == "getValue":
        return values
    if name in _MAP_KEY or name == "getKey":
        return keys
    entry: Values = {external_instance(_ENTRY, keys, values): INFERRED}
    if name in _MAP_ENTRY:
        return entry
    inside = {"keySet": keys, "values": values, "entrySet": entry, "navigableKeySet": keys}.get(name, EMPTY)
    return made(_SET, inside)


def _of_elements(engine: Evaluation, owner: Value, name: str, arguments: Values) -> Values:
    if name in _SAME:
        return {owner: INFERRED}
    if name in _MAPPING or name in _FLAT:
        results = _results(engine, arguments)
        return (
            engine.iterate(results) and made(STREAM, engine.iterate(results))
            if name in _FLAT
            else made(STREAM, results)
        )
    inside = engine.iterate({owner: INFERRED})
    if name in _ELEMENT:
        return inside
    if name in _OPTIONALS:
        return made(OPTIONAL, inside)
    return made(_LIST, inside) if name in _LISTS else EMPTY


def _results(engine: Evaluation, functions: Values) -> Values:
    found: Values = {}
    for value in functions:
        if value[0] in {FUNCTION, BOUND}:
            merge(found, engine.returns(value[1]), INFERRED)
    return found


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
    if plain in _SAME_FACTORIES and positional:
        return at_least(engine.evaluate(scope, positional[0]), INFERRED)
    if plain in _FACTORIES:
        inside: Values = {}
        for expression in positional:
            merge(inside, engine.evaluate(scope, expression), INFERRED)
        return made(plain.rpartition(".")[0] if "asList" not in plain else _LIST, inside)
    owner, _, method = plain.rpartition(".")
    owner = owner.removeprefix("builtins.")
    if method in _MAKERS and owner.rpartition(".")[2][:1].isupper():
        return {external_instance(owner): INFERRED}
    if plain in _RESULTS:
        return {external_instance(_RESULTS[plain]): INFERRED}
    return plain_result(owner, method) or None


# -- conversions of arguments

_WIDENING: Final = ("byte", "short", "int", "long", "float", "double")
_BOXES: Final = {
    "int": "Integer", "long": "Long", "double": "Double", "float": "Float", "boolean": "Boolean", "char": "Character",
    "byte": "Byte", "short": "Short",
}  # fmt: skip
_NUMBERS: Final = frozenset({"Integer", "Long", "Double", "Float", "Byte", "Short", "BigDecimal", "BigInteger",
                             "AtomicInteger", "AtomicLong"})  # fmt: skip
_SUPERS: Final[dict[str, tuple[str, ...]]] = {
    "String": ("CharSequence", "Comparable", "Serializable"),
    "StringBuilder": ("CharSequence", "Appendable"), "StringBuffer": ("CharSequence", "Appendable"),
    "ArrayList": ("List", "Collection", "Iterable"), "LinkedList": ("List", "Deque", "Queue", "Collection", "Iterable"),
    "List": ("Collection", "Iterable"), "Set": ("Collection", "Iterable"), "Queue": ("Collection", "Iterable"),
    "HashSet": ("Set", "Collection", "Iterable"), "TreeSet": ("SortedSet", "Set", "Collection", "Iterable"),
    "LinkedHashSet": ("Set", "Collection", "Iterable"), "Collection": ("Iterable",), "Vector": ("List", "Collection"),
    "HashMap": ("Map",), "TreeMap": ("SortedMap", "Map"), "LinkedHashMap": ("HashMap", "Map"), "Properties": ("Map",),
    "ConcurrentHashMap": ("ConcurrentMap", "Map"), "Hashtable": ("Map",), "SortedMap": ("Map",),
    "StringReader": ("Reader", "Closeable"), "InputStreamReader": ("Reader", "Closeable"),
    "BufferedReader": ("Reader", "Closeable"), "FileReader": ("Reader", "Closeable"),
    "StringWriter": ("Writer", "Closeable"), "PrintWriter": ("Writer", "Closeable"), "FileWriter": ("Writer",),
    "ByteArrayInputStream": ("InputStream", "Closeable"), "FileInputStream": ("InputStream", "Closeable"),
    "BufferedInputStream": ("InputStream",), "ByteArrayOutputStream": ("OutputStream",),
    "FileOutputStream": ("OutputStream",), "Exception": ("Throwable",), "RuntimeException": ("Exception", "Throwable"),
    "Error": ("Throwable",), "IOException": ("Exception", "Throwable"), "Boolean": (), "Character": ("Comparable",),
    **dict.fromkeys(sorted(_NUMBERS), ("Number", "Comparable")),
    "Map": (), "Reader": ("Closeable",), "Writer": ("Closeable",), "InputStream": ("Closeable",),
    "OutputStream": ("Closeable",), "Throwable": (), "Number": (), "CharSequence": (), "Iterable": (), "Class": (),
    "Locale": (), "File": (), "Path": (), "Iterator": (),
}  # fmt: skip
_OBJECT_COST: Final = 30
# Above that of any conversion without one: the compiler boxes only where nothing else fits.
_BOXING_COST: Final = 100


def _constant(given: str) -> str:
    """Type of a field of a type outside: ``Integer.MAX_VALUE``, the length of an array; else the last name."""
    holder, _, name = given.rpartition(".")
    kind = holder.rpartition(".")[2]
    if name in {"TRUE", "FALSE"}:
        return "Boolean"
    plain = next((primitive for primitive, box in _BOXES.items() if box == kind), None)
    if plain is not None and (name.replace("_", "").isupper() or name == "NaN"):
        return plain
    return "int" if name == "length" else name


def conversion_cost(given: str, wanted: str) -> int | None:
    """Cost of passing a value of one type outside where another is declared; None where the compiler forbids it."""
    have, want = given.rpartition(".")[2], wanted.rpartition(".")[2]
    have = _constant(given) if "." in given else have
    if have == want:
        return 0
    if have == "null":
        return None if want in _BOXES else 1
    if have in _BOXES or want in _BOXES:
        return _primitive(have, want)
    if want == "Object":
        return _OBJECT_COST
    if have == "function":
        return None if want in _SUPERS or want.endswith("[]") else 5
    if have.endswith("[]") or want.endswith("[]"):
        return _array(have, want)
    return _reference(have, want)


def _reference(have: str, want: str) -> int | None:
    if have == "object":  # of the repository, and of none of the types outside that its bases tell
        return None
    if have not in _SUPERS:
        return UNKNOWN_COST
    supers = _SUPERS[have]
    if want in supers:
        return 1 + supers.index(want)
    return None if want in _SUPERS else UNKNOWN_COST


def _primitive(have: str, want: str) -> int | None:
    if have in _BOXES and want in _BOXES:
        return _widened(have, want)
    return _boxed(have, want) if have in _BOXES else _unboxed(have, want)


def _widened(have: str, want: str) -> int | None:
    have, extra = ("short", 1) if have == "char" else (have, 0)
    if have not in _WIDENING or want not in _WIDENING:
        return None
    distance = _WIDENING.index(want) - _WIDENING.index(have)
    return distance + extra if distance > 0 else None


def _boxed(have: str, want: str) -> int | None:
    box = _BOXES[have]
    if box == want:
        return _BOXING_COST
    if want == "Object":
        return _BOXING_COST + _OBJECT_COST
    if want in _SUPERS.get(box, ()):
        return _BOXING_COST + 2
    return None if want in _SUPERS or want.endswith("[]") else UNKNOWN_COST + _BOXING_COST


def _unboxed(have: str, want: str) -> int | None:
    plain = next((name for name, box in _BOXES.items() if box == have), None)
    if plain is None:
        # What is not known may still unbox; a collection or a text cannot.
        return None if have in _SUPERS or have in {"object", "function"} or have.endswith("[]") else UNKNOWN_COST
    cost = 0 if plain == want else _widened(plain, want)
    return None if cost is None else _BOXING_COST + cost


def _array(have: str, want: str) -> int | None:
    if not (have.endswith("[]") and want.endswith("[]")):
        return None if have in _SUPERS or want in _SUPERS or have == "object" else UNKNOWN_COST
    if want == "Object[]":
        return None if have[:-2] in _BOXES else 3
    return None if have[:-2] in _BOXES or want[:-2] in _BOXES else UNKNOWN_COST
