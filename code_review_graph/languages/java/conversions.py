"""What an argument of one type costs where a parameter of another is declared, both from outside the repository."""

from __future__ import annotations

from typing import Final

from code_review_graph.languages.java.library import distances, dotted_name, field_type, function_type, library_type
from code_review_graph.semantics import UNKNOWN_COST

BOXES: Final = {
    "int": "Integer", "long": "Long", "double": "Double", "float": "Float", "boolean": "Boolean", "char": "Character",
    "byte": "Byte", "short": "Short",
}  # fmt: skip
_PLAIN: Final = {box: plain for plain, box in BOXES.items()}
_WIDENING: Final = ("byte", "short", "int", "long", "float", "double")
# Nothing derives from these.
_FINAL: Final = frozenset(BOXES.values()) | {
    "String", "StringBuilder", "StringBuffer", "Class", "Void", "Optional", "Locale", "Pattern", "Matcher", "UUID",
    "Duration", "Instant", "LocalDate", "LocalTime", "LocalDateTime", "Scanner", "URL", "URI", "StackTraceElement",
}  # fmt: skip
_FAILURES: Final = {"Throwable": 3, "Exception": 2, "RuntimeException": 1}
_OBJECT: Final = "Object"
_IMPLIED: Final = frozenset({"java.lang.Enum", "java.lang.Record"})
_NULL: Final = "null"
_REPOSITORY: Final = "object"  # a value of a class of the repository of which no base outside fits
_FUNCTION: Final = "function"
_ITSELF: Final = "="  # before the name of something outside that is meant itself
_ANY: Final = "any"  # a type variable without a bound
_OBJECT_COST: Final = 30
# Above that of any conversion without one: the compiler boxes only where nothing else fits.
_BOXING_COST: Final = 100


def conversion_cost(given: str, wanted: str) -> int | None:
    """Cost of passing a value of one type where another is declared; None where the compiler forbids it."""
    given = _type_name(given)
    wanted = _OBJECT if wanted == _ANY else wanted
    have, want = given.rpartition(".")[2], wanted.rpartition(".")[2]
    if have == want or not have:
        return 0 if have else UNKNOWN_COST
    if have == _NULL:
        return None if want in BOXES else 1 if want != _OBJECT else _OBJECT_COST
    if have in BOXES or want in BOXES:
        return _primitive(have, want)
    if want == _OBJECT:
        return _OBJECT_COST
    if have == _OBJECT:
        return None
    if have.startswith(_FUNCTION):
        return _function(have, wanted)
    if have.endswith("[]") or want.endswith("[]"):
        return _array(have, want)
    return _reference(given, wanted)


def _type_name(given: str) -> str:
    """Name of a type; the type of a field of a type outside; "" for what is not known."""
    if given == _ANY:
        return _OBJECT
    is_itself = given.startswith(_ITSELF)
    given = given.removeprefix(_ITSELF)
    holder, _, name = given.rpartition(".")
    if name.endswith("()") and not name.endswith("()()"):
        return _FUNCTION  # ``text::trim``
    if dotted_name(given) or not holder:
        return _FUNCTION if is_itself else given  # ``ArrayList::new``
    if name == "length":
        return "int"
    is_member = name.endswith(")") or name[:1].islower() or (len(name) > 1 and name.replace("_", "").isupper())
    return field_type(holder, name) or ("" if is_member or is_itself else given)


def _reference(given: str, wanted: str) -> int | None:
    if given == _REPOSITORY:  # perhaps an enum or a record, whose bases are not written
        return _OBJECT_COST + 1 if wanted in _IMPLIED else None
    have, want = given.rpartition(".")[2], wanted.rpartition(".")[2]
    source, target = dotted_name(given), dotted_name(wanted)
    if source:
        # All of its supertypes are known.
        return 1 + distances(source)[target] if target in distances(source) else None
    if want in _FINAL and target:
        return None
    if have.endswith(("Exception", "Error")) and want in _FAILURES:
        return _FAILURES[want]
    return UNKNOWN_COST


def _function(have: str, wanted: str) -> int | None:
    """A lambda (with its number of parameters) or a method reference."""
    kind = function_type(wanted)
    if kind is None:
        return None if library_type(wanted) is not None or wanted.endswith("[]") else 5
    count = have.removeprefix(_FUNCTION)
    return 3 if not count or int(count) == len(kind.parameters) else None


def _primitive(have: str, want: str) -> int | None:
    if have in BOXES and want in BOXES:
        return _widened(have, want)
    return _boxed(have, want) if have in BOXES else _unboxed(have, want)


def _widened(have: str, want: str) -> int | None:
    have, extra = ("short", 1) if have == "char" else (have, 0)
    if have not in _WIDENING or want not in _WIDENING:
        return None
    distance = _WIDENING.index(want) - _WIDENING.index(have)
    return distance + extra if distance > 0 else None


def _boxed(have: str, want: str) -> int | None:
    box = BOXES[have]
    if box == want:
        return _BOXING_COST
    if want == _OBJECT:
        return _BOXING_COST + _OBJECT_COST
    target = dotted_name(want)
    if target:
        known = distances(box)
        return _BOXING_COST + 1 + known[target] if target in known else None
    return None if want.endswith("[]") else UNKNOWN_COST + _BOXING_COST


def _unboxed(have: str, want: str) -> int | None:
    plain = _PLAIN.get(have)
    if plain is not None:
        cost = 0 if plain == want else _widened(plain, want)
        return None if cost is None else _BOXING_COST + cost
    # What is not known may still unbox; what is cannot.
    is_known = have.startswith(_FUNCTION) or have in {_REPOSITORY, _OBJECT} or have.endswith("[]")
    return None if is_known or dotted_name(have) else UNKNOWN_COST + _BOXING_COST


def _array(have: str, want: str) -> int | None:
    if not (have.endswith("[]") and want.endswith("[]")):
        is_known = have == _REPOSITORY or dotted_name(have) or dotted_name(want) or have in BOXES
        return None if is_known or want in BOXES else UNKNOWN_COST
    one, other = have[:-2], want[:-2]
    if one in BOXES or other in BOXES:
        return None
    if other == _OBJECT:
        return 3
    if dotted_name(one) and dotted_name(other):
        known = distances(one)
        return 1 + known[dotted_name(other)] if dotted_name(other) in known else None
    return UNKNOWN_COST
