"""What Go's own names and its standard library give back and call, as far as it leads to the repository again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from code_review_graph.semantics import Evaluation
from code_review_graph.values import EMPTY, EXACT, EXTERNAL, INFERRED, Values, external_instance

NAMES: Final = frozenset({
    "any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex128", "complex64",
    "copy", "delete", "error", "float32", "float64", "imag", "int", "int16", "int32", "int64", "int8", "len", "make",
    "max", "min", "new", "panic", "print", "println", "real", "recover", "rune", "string", "uint", "uint16", "uint32",
    "uint64", "uint8", "uintptr",
})  # fmt: skip
_SILENT: Final = frozenset({"builtins.any", "builtins.comparable", "cmp.Ordered"})
_HOLDERS: Final = {"iter.Seq": "builtins.list", "iter.Seq2": "builtins.dict"}

Call = tuple[Any, ...]
Rule = Callable[[Evaluation, int, Call], Values]


def external_type(engine: Evaluation, dotted: str, scope: int, keys: tuple[int, ...]) -> Values:
    """Meaning of a type from outside: sequences hold what their arguments say, ``any`` says nothing."""
    if dotted in _SILENT:
        return EMPTY
    holder = _HOLDERS.get(dotted)
    if holder is not None:
        return {external_instance(holder, *[engine.types(scope, key) for key in keys]): EXACT}
    return {(EXTERNAL, dotted): EXACT}


def _same(engine: Evaluation, scope: int, call: Call) -> Values:
    return engine.evaluate(scope, call[2][0]) if call[2] else EMPTY


def _list_of(values: Values) -> Values:
    return {external_instance("builtins.list", values): INFERRED} if values else EMPTY


def _keys(engine: Evaluation, scope: int, call: Call) -> Values:
    return _list_of(engine.iterate(_same(engine, scope, call)))


def _values(engine: Evaluation, scope: int, call: Call) -> Values:
    return _list_of(engine.elements(_same(engine, scope, call)))


def _element(engine: Evaluation, scope: int, call: Call) -> Values:
    return engine.elements(_same(engine, scope, call))


RULES: Final[dict[str, Rule]] = {
    "slices.Clone": _same,
    "slices.Collect": _same,
    "slices.Compact": _same,
    "slices.Delete": _same,
    "slices.Grow": _same,
    "slices.Insert": _same,
    "slices.Sorted": _same,
    "slices.SortedFunc": _same,
    "slices.Values": _values,
    "slices.Max": _element,
    "slices.Min": _element,
    "slices.MaxFunc": _element,
    "slices.MinFunc": _element,
    "maps.Clone": _same,
    "maps.Keys": _keys,
    "maps.Values": _values,
    "sync.OnceFunc": _same,
    "sync.OnceValue": _same,
    "sync.OnceValues": _same,
    "builtins.max": _same,
    "builtins.min": _same,
}

# Functions and methods outside that call an argument -> its place. A dot in front: a method of any type.
_CALLBACKS: Final[dict[str, int]] = {
    "net/http.HandleFunc": 1,
    "sort.Slice": 1,
    "sort.SliceStable": 1,
    "sort.SliceIsSorted": 1,
    "sort.Search": 1,
    "sort.Find": 1,
    "slices.SortFunc": 1,
    "slices.SortStableFunc": 1,
    "slices.SortedFunc": 1,
    "slices.BinarySearchFunc": 2,
    "slices.CompactFunc": 1,
    "slices.ContainsFunc": 1,
    "slices.DeleteFunc": 1,
    "slices.EqualFunc": 2,
    "slices.IndexFunc": 1,
    "slices.MaxFunc": 1,
    "slices.MinFunc": 1,
    "maps.DeleteFunc": 1,
    "maps.EqualFunc": 2,
    "strings.Map": 0,
    "strings.FieldsFunc": 1,
    "strings.IndexFunc": 1,
    "strings.LastIndexFunc": 1,
    "strings.ContainsFunc": 1,
    "strings.TrimFunc": 1,
    "strings.TrimLeftFunc": 1,
    "strings.TrimRightFunc": 1,
    "bytes.Map": 0,
    "bytes.FieldsFunc": 1,
    "bytes.IndexFunc": 1,
    "bytes.TrimFunc": 1,
    "time.AfterFunc": 1,
    "context.AfterFunc": 1,
    "path/filepath.Walk": 1,
    "path/filepath.WalkDir": 1,
    "io/fs.WalkDir": 2,
    "go/ast.Inspect": 1,
    "flag.Func": 2,
    "flag.VisitAll": 0,
    "flag.Visit": 0,
    "testing.AllocsPerRun": 1,
    "testing.Benchmark": 0,
    "testing/quick.Check": 0,
    ".Do": 0,
    ".Go": 0,
    ".Run": 1,
    ".Fuzz": 0,
    ".Cleanup": 0,
    ".HandleFunc": 1,
    ".Range": 0,
    ".RunParallel": 0,
    ".VisitAll": 0,
    ".Visit": 0,
    ".Walk": 0,
}

# Functions outside -> methods that they call on their first argument.
PROTOCOLS: Final[dict[str, tuple[str, ...]]] = {
    "sort.Sort": ("Len", "Less", "Swap"),
    "sort.Stable": ("Len", "Less", "Swap"),
    "sort.IsSorted": ("Len", "Less"),
    "container/heap.Init": ("Len", "Less", "Swap"),
    "container/heap.Push": ("Push", "Len", "Less", "Swap"),
    "container/heap.Pop": ("Pop", "Len", "Less", "Swap"),
    "container/heap.Fix": ("Len", "Less", "Swap"),
    "container/heap.Remove": ("Pop", "Len", "Less", "Swap"),
    "encoding/json.Marshal": ("MarshalJSON",),
}


def callback_places(dotted: str) -> tuple[int, ...]:
    """Places of the arguments that a function or method outside calls."""
    place = _CALLBACKS.get(dotted)
    if place is None:
        place = _CALLBACKS.get(f".{dotted.rsplit('.', 1)[-1]}")
    return () if place is None else (place,)
