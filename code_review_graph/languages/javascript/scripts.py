"""Files that hold scripts among other text: everything but the scripts becomes blank, so that positions stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_COMMENT: Final = b"<!--"
_COMMENT_END: Final = b"-->"
# After a quote it is text that the markup's own code writes.
_START: Final = re.compile(rb"<!--|(?<![\"'`])<script(?=[\s/>])")
_CLOSING: Final = re.compile(rb"</script(?=[\s/>])")
# An opening tag longer than this is no tag.
MAX_TAG: Final = 4096
_ATTRIBUTE: Final = re.compile(rb"([^\s\"'>/=]+)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++)))?|(/?>)|[\s\S]")
_BLANK: Final = bytes(byte if byte in b"\n\r" else 0x20 for byte in range(256))
# Types of scripts that are code; without a type they are, too.
_CODE: Final = (b"script", b"module", b"babel", b"jsx", b"ts", b"tsx", b"typescript")


def blank_outside_scripts(source: bytes) -> bytes:
    """The source with blanks in place of whatever stands outside of ``<script>`` blocks; line ends stay."""
    pieces: list[bytes] = []
    position = 0
    for start, end in _blocks(source.lower()):
        pieces += [source[position:start].translate(_BLANK), source[start:end]]
        position = end
    pieces.append(source[position:].translate(_BLANK))
    return b"".join(pieces)


def _blocks(folded: bytes) -> Iterator[tuple[int, int]]:
    """Start and end of the text of each block of code."""
    position = 0
    while (opening := _START.search(folded, position)) is not None:
        if opening[0] == _COMMENT:
            end = folded.find(_COMMENT_END, opening.start() + 2)
            if end < 0:
                return
            position = end + len(_COMMENT_END)
            continue
        position, has_text, is_code = _tag(folded, opening.end())
        if not has_text:
            continue
        closing = _CLOSING.search(folded, position)
        start, position = position, len(folded) if closing is None else closing.start()
        if is_code:
            yield start, position


def _tag(folded: bytes, position: int) -> tuple[int, bool, bool]:
    """Where an opening tag ends, whether text follows that it opens, and whether that is code."""
    is_code = True
    end = min(len(folded), position + MAX_TAG)
    for match in _ATTRIBUTE.finditer(folded, position, end):
        if match[5]:
            return match.end(), match[5] == b">", is_code
        value = match[2] or match[3] or match[4] or b""
        if match[1] == b"src" or (match[1] == b"type" and value and not value.endswith(_CODE)):
            is_code = False
    return end, False, False
