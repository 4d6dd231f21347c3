"""Import paths: what a package is called that the path leads to."""

from __future__ import annotations

import re
from typing import Final

_MAJOR: Final = re.compile(r"v\d+$")
_VERSION: Final = re.compile(r"\.v\d+$")


def guessed_name(path: str) -> str:
    """Name of a package as its import path suggests it; the package clause may say otherwise."""
    parts = path.split("/")
    last = parts.pop()
    if parts and _MAJOR.match(last):
        last = parts.pop()
    last = _VERSION.sub("", last)
    for affix in ("go-", "go.", "golang-"):
        last = last.removeprefix(affix)
    for affix in ("-go", ".go", "-golang"):
        last = last.removesuffix(affix)
    return last.rsplit("-", 1)[-1].rsplit(".", 1)[0] if last else path
