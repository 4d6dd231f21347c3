"""What Java's own library declares: supertypes, results of methods, function types (``library.txt``)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from code_review_graph.values import EMPTY, INFERRED, Values, external_instance, merge

_PACKAGE: Final = "code_review_graph.languages.java"
_RESOURCE: Final = "library.txt"
_FUNCTION: Final = "@"
_FIELD: Final = "!"
_UNKNOWN: Final = "?"


class LibraryType(NamedTuple):
    """One type; types of the table are written ``Map.Entry<0,1>``, a number is a type parameter of its own."""

    name: str
    bases: tuple[str, ...]
    results: dict[str, str]


class FunctionType(NamedTuple):
    """Types of the parameters and of the result of a functional interface."""

    parameters: tuple[str, ...]
    result: str


@cache
def _lines() -> dict[str, str]:
    text = files(_PACKAGE).joinpath(_RESOURCE).read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for line in text.splitlines():
        heading, _, rest = line.partition(":")
        found[heading.partition("<")[0]] = rest
    return found


@cache
def _by_short_name() -> dict[str, str]:
    return {_without_package(dotted): dotted for dotted in _lines()}


def _without_package(dotted: str) -> str:
    parts = dotted.split(".")
    return ".".join(part for place, part in enumerate(parts) if part[:1].isupper() or place == len(parts) - 1)


@cache
def dotted_name(name: str) -> str:
    """Name with its package of a type of the library; "" for any other type."""
    return name if name in _lines() else _by_short_name().get(name, "")


@cache
def library_type(name: str) -> LibraryType | None:
    """A type of the library by its name, with or without its package."""
    dotted = dotted_name(name)
    if not dotted:
        return None
    bases, *methods = _lines()[dotted].split(" ")
    results = dict(method.split("=", 1) for method in methods)
    return LibraryType(dotted, tuple(parts(bases)), results)


def parts(text: str) -> Iterator[str]:
    """Types of a list between commas."""
    depth = start = 0
    for place, character in enumerate(text):
        if character == "<":
            depth += 1
        elif character == ">":
            depth -= 1
        elif character == "," and not depth:
            yield text[start:place]
            start = place + 1
    if text[start:]:
        yield text[start:]


@cache
def distances(name: str) -> dict[str, int]:
    """Supertypes of a type, by their names with packages, with how many steps away they are."""
    found: dict[str, int] = {}
    waiting = [(name, 0)]
    for current, distance in waiting:
        known = library_type(current)
        if known is not None and known.name not in found:
            found[known.name] = distance
            waiting += [(base.partition("<")[0], distance + 1) for base in known.bases]
    return found


@cache
def function_type(name: str) -> FunctionType | None:
    """The one method that a functional interface leaves open; of an heir in terms of its own type parameters."""
    known = library_type(name)
    if known is None:
        return None
    method = next((name for name in known.results if name.startswith(_FUNCTION)), "")
    if method != _FUNCTION:
        parameters, _, result = known.results.get(method, "").removeprefix("(").rpartition(")")
        return FunctionType(tuple(parts(parameters)), result) if method else None
    for base in known.bases:
        head, _, arguments = base.partition("<")
        inherited = function_type(head)
        if inherited is not None:
            given = tuple(parts(arguments.removesuffix(">")))
            renamed = [_renamed(item, given) for item in (*inherited.parameters, inherited.result)]
            return FunctionType(tuple(renamed[:-1]), renamed[-1])
    return None


def _renamed(written: str, given: Sequence[str]) -> str:
    if not written.isdigit():
        return written
    return given[int(written)] if int(written) < len(given) else _UNKNOWN


def result_of(name: str, arguments: Sequence[Values], method: str) -> Values | None:
    """What a method of a type with these type arguments gives; None when the library does not say."""
    waiting: list[tuple[str, Sequence[Values]]] = [(name, arguments)]
    for head, given in waiting:
        known = library_type(head)
        if known is None:
            continue
        if method in known.results:
            return values_of(known.results[method], given)
        for base in known.bases:
            inner, _, written = base.partition("<")
            waiting.append((inner, [values_of(item, given) for item in parts(written.removesuffix(">"))]))
    return None


def field_type(name: str, field: str) -> str:
    """Type of a static field, with its package; "" for none."""
    known = library_type(name)
    written = known.results.get(f"{_FIELD}{field}", "") if known is not None else ""
    head = written.partition("<")[0]
    return dotted_name(head) or head


def kind_of_result(name: str, method: str) -> str:
    """Name with its package of the type that a method gives; "" when it is not known."""
    found = result_of(name, (), method)
    return next((str(value[1]) for value in found), "") if found else ""


def values_of(written: str, arguments: Sequence[Values]) -> Values:
    """Values of a type of the table; type arguments stand for its type parameters."""
    if written.isdigit():
        return arguments[int(written)] if int(written) < len(arguments) else EMPTY
    if written in {_UNKNOWN, "void"}:
        return EMPTY
    if written.endswith("[]"):
        inside = values_of(written[:-2], arguments)
        name = "Object" if written[0].isdigit() or written[0] == _UNKNOWN else _without_package(written[:-2])
        return {external_instance(f"{name.partition('<')[0]}[]", inside): INFERRED}
    head, bracket, rest = written.partition("<")
    inner = [values_of(item, arguments) for item in parts(rest[:-1])] if bracket else []
    return merge({}, {external_instance(dotted_name(head) or head, *inner): INFERRED})
