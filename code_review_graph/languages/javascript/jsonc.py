"""JSON as people write configuration: with comments and trailing commas."""

from __future__ import annotations

import json
import re
from typing import Any, Final

# A string that does not end matches as well: looking for its end again from each later quote costs a square.
_STRING: Final = r'"(?:\\.|[^"\\])*+"?'
_COMMENT: Final = re.compile(_STRING + r"|//[^\n\r]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMA: Final = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)
# Configuration larger than this is something else.
MAX_BYTES: Final = 1 << 20


def read_object(content: bytes) -> dict[str, Any]:
    """The object that a file holds; an empty one when it cannot be read."""
    if len(content) > MAX_BYTES:
        return {}
    text = content.decode("utf-8-sig", "replace")
    text = _COMMENT.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)
    text = _COMMA.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
