"""How a task file's names meet the graph's qualified names: by suffix, at a name boundary, case aside."""

from __future__ import annotations

import re

_BOUNDARIES = ("/", "::", ".")
# What qualified names add to tell duplicates apart: parameter types of an overload, the line of a redefinition.
_DISTINCTIONS = re.compile(r"\([^()]*\)|@\d+")


def _plain(name: str) -> str:
    return _DISTINCTIONS.sub("", name)


def ends_with_name(qualified_name: str, suffix: str) -> bool:
    """Whether ``suffix`` is ``qualified_name``, or its end after ``/``, ``::`` or ``.``; case does not matter.

    Distinctions between duplicates (``f(int)``, ``f@12``) count only if the suffix spells them out.
    """
    wanted = suffix.casefold()
    if not wanted:
        return False
    full = qualified_name.casefold()
    return any(_ends_at_boundary(candidate, wanted) for candidate in {full, _plain(full)})


def _ends_at_boundary(name: str, suffix: str) -> bool:
    if not name.endswith(suffix):
        return False
    head = name[: len(name) - len(suffix)]
    return not head or head.endswith(_BOUNDARIES)
