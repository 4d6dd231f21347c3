"""Expectations that the resolver does not meet yet, under what it gets wrong; each must fail until it is taken out."""

from __future__ import annotations

_FAILURES: dict[str, tuple[str, ...]] = {}

KNOWN_FAILURES: dict[str, str] = {name: reason for reason, names in _FAILURES.items() for name in names}
