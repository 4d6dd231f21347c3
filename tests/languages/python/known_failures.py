"""Expectations that the resolver does not meet yet, under what it gets wrong; each must fail until it is taken out."""

from __future__ import annotations

_FAILURES: dict[str, tuple[str, ...]] = {
    "methods of a metaclass are not members of its classes": (
        "classes/hooks.py::use -> hooks.py::Meta.make",
        "classes/hooks.py::use -> hooks.py::Made.run",
    ),
    "a descriptor's `__get__` and `__set__` are not called": (
        "classes/hooks.py::use -> hooks.py::Descriptor.__set__",
        "classes/hooks.py::use -> hooks.py::Descriptor.__get__",
    ),
    "`dataclasses.replace` and `_replace` have no result": (
        "classes/members.py::make_house -> members.py::Row.area (2)",
    ),
    "`property(getter, setter)` as a class attribute": (
        "classes/members.py::old_style -> members.py::OldStyle.get_x",
        "classes/members.py::old_style -> members.py::OldStyle.set_x",
    ),
    "`__wrapped__` is not the decorated function": ("functions/decorators.py::use -> decorators.py::work (2)",),
    "a decorator in the class body that wraps a method": (
        "functions/decorators.py::Service.guarded.inner -> decorators.py::Service.run",
    ),
    "the value of `yield from`": ("functions/flow.py::delegating -> flow.py::Session.query",),
    "narrowing by `else`, early return, `and`, a conditional expression, a `case`, `type() is`, or of an attribute": (
        "functions/flow.py::narrow_same -> flow.py::Same1.act (8)",
    ),
    "`dict(key=...)`, `list + list`, `list * n`": ("functions/flow.py::inferred -> flow.py::Row.value (12)",),
    "a star import below a definition replaces it": (
        "imports/star_late.py::replaced -> shop/pricing.py::net",
        "imports/star_late.py::replaced only-> shop/pricing.py::net",
    ),
    "`request.getfixturevalue`": ("testing/tests/test_client.py::test_request -> store.py::Client.get",),
    "reflected operators": ("functions/operators.py::use -> operators.py::Money.__radd__",),
    "`!=` by `__eq__`, and what `total_ordering` derives": (
        "functions/operators.py::ordered -> operators.py::Version.__lt__ (2)",
    ),
    "builtins do not call the protocol methods of their argument (`len`, `str`, `iter`, `list`, f-strings ...)": (
        "functions/operators.py::use -> operators.py::Wallet.__iter__ (2)",
        "functions/operators.py::use -> operators.py::Money.__lt__ (2)",
    ),
}

KNOWN_FAILURES: dict[str, str] = {name: reason for reason, names in _FAILURES.items() for name in names}
