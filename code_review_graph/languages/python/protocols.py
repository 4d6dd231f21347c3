"""Which special methods Python calls for operators, builtins and statements."""

from __future__ import annotations

from typing import Final

_BINARY: Final = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)

# What runs, in order of preference, where a construct calls a method; a plain method stands for itself.
SUBSTITUTES: Final[dict[str, tuple[str, ...]]] = {
    **{f"__i{name}__": (f"__i{name}__", f"__{name}__") for name in _BINARY},
    "__ne__": ("__ne__", "__eq__"),
    "__bool__": ("__bool__", "__len__"),
    "__contains__": ("__contains__", "__iter__"),
    "__format__": ("__format__", "__str__", "__repr__"),
    "__str__": ("__str__", "__repr__"),
    "__iter__": ("__iter__", "__getitem__"),
    "__reversed__": ("__reversed__", "__iter__"),
}

# Method of the right operand that runs when the left one has no answer.
REFLECTED: Final[dict[str, str]] = {
    **{f"__{name}__": f"__r{name}__" for name in _BINARY},
    **{f"__i{name}__": f"__r{name}__" for name in _BINARY},
    "__lt__": "__gt__",
    "__gt__": "__lt__",
    "__le__": "__ge__",
    "__ge__": "__le__",
    "__eq__": "__eq__",
    "__ne__": "__ne__",
}

# Builtins that call a method of their first argument.
PROTOCOLS: Final[dict[str, tuple[str, ...]]] = {
    "builtins.len": ("__len__",),
    "builtins.str": ("__str__",),
    "builtins.print": ("__str__",),
    "builtins.repr": ("__repr__",),
    "builtins.bool": ("__bool__",),
    "builtins.hash": ("__hash__",),
    "builtins.int": ("__int__",),
    "builtins.float": ("__float__",),
    "builtins.bytes": ("__bytes__",),
    "builtins.abs": ("__abs__",),
    "builtins.round": ("__round__",),
    "builtins.format": ("__format__",),
    "builtins.iter": ("__iter__",),
    "builtins.next": ("__next__",),
    "builtins.reversed": ("__reversed__",),
    "builtins.list": ("__iter__",),
    "builtins.tuple": ("__iter__",),
    "builtins.set": ("__iter__",),
    "builtins.frozenset": ("__iter__",),
    "builtins.dict": ("__iter__",),
    "builtins.sorted": ("__iter__",),
    "builtins.sum": ("__iter__",),
    "builtins.any": ("__iter__",),
    "builtins.all": ("__iter__",),
    "builtins.enumerate": ("__iter__",),
    "builtins.min": ("__iter__",),
    "builtins.max": ("__iter__",),
    "builtins.dir": ("__dir__",),
    "builtins.isinstance": (),
    "copy.copy": ("__copy__",),
    "copy.deepcopy": ("__deepcopy__",),
    "operator.index": ("__index__",),
    "os.fspath": ("__fspath__",),
}
