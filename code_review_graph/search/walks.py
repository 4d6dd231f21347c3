"""The part of a question that asks for a walk: "..., and who calls it?" says nothing about what to find."""

from __future__ import annotations

import re
from typing import Final

_IT: Final = r"(?:it|this|that|them|these|those)"
_DOES: Final = (
    r"(?:calls?|uses?|invokes?|reach(?:es)?|depends?\s+on|relies\s+on|needs?|extends?|implements?|inherits?(?:\s+from)?"
    r"|subclass(?:es)?|overrides?|tests?|covers?|exercises?|checks?|imports?|runs?|triggers?)"
)
_DONE: Final = (
    r"(?:called|used?|invoked?|tested|covered|overridden|extended|implemented|imported|call|rely\s+on|depend\s+on)"
)
_RELATIVES: Final = (
    r"(?:callers?|callees?|users?|tests?|subclass(?:es)?|methods?|members?|heirs?|children|parents?|implement\w+)"
)
_TAIL: Final = re.compile(
    r"(?:[,;:.?!-]\s*|\s)(?:and\s+|then\s+|also\s+)*(?:"
    rf"(?:who|what|where|which\s+(?:\w+\s+){{0,2}}?)\s*(?:else\s+)?{_DOES}\s+{_IT}\b"
    rf"|(?:who|what|which\s+\w+|where)\s+(?:is|are|does|do)\s+{_IT}\s+(?:\w+\s+)?{_DONE}(?:\s+(?:from|by|in))?\b"
    rf"|(?:what|which|who)\s+(?:is|are)\s+(?:its|their)\s+(?:\w+\s+)?{_RELATIVES}\b"
    r")\W*",
    re.IGNORECASE,
)
_HEAD: Final = re.compile(r"^\W*(?:who|what|which\s+\w+(?:\s+\w+)?)\s+(?:calls?|invokes?|uses?)\s+", re.IGNORECASE)
_PARENT: Final = re.compile(
    r"\b(?:parents?|base|superclass|ancestor|abstract|interface|protocol|contract)\b", re.IGNORECASE
)
# Less than this is no description of anything.
_FEWEST_WORDS: Final = 3


def without_walk(text: str) -> str:
    """The text without the walk that it asks for, unless too little would be left."""
    for pattern in (_TAIL, _HEAD):
        shorter = pattern.sub(" ", text).strip()
        if len(shorter.split()) >= _FEWEST_WORDS:
            text = shorter
    return text


def wants_parent(text: str) -> bool:
    """Whether a question speaks of what several classes have in common."""
    return bool(_PARENT.search(text))
