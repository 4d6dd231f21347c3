"""Files that hold scripts among other text: everything but the scripts becomes blank, so that positions stay."""

from __future__ import annotations

from typing import Final

_OPENING: Final = b"<script"
_CLOSING: Final = b"</script"
_COMMENT: Final = b"<!--"
_COMMENT_END: Final = b"-->"
_QUOTES: Final = b"\"'"
# An opening tag longer than this is no tag.
MAX_TAG: Final = 4096
_BLANK: Final = bytes(byte if byte in b"\n\r" else 0x20 for byte in range(256))


def blank_outside_scripts(source: bytes) -> bytes:
    """The source with blanks in place of whatever stands outside of ``<script>`` blocks; line ends stay."""
    folded = source.lower()
    pieces: list[bytes] = []
    position = 0
    for start, end in _blocks(folded):
        pieces += [source[position:start].translate(_BLANK), source[start:end]]
        position = end
    pieces.append(source[position:].translate(_BLANK))
    return b"".join(pieces)


def _blocks(folded: bytes) -> list[tuple[int, int]]:
    """Start and end of the text of each block."""
    found: list[tuple[int, int]] = []
    position = 0
    while (start := folded.find(_OPENING, position)) >= 0:
        comment = folded.find(_COMMENT, position, start)
        if comment >= 0:
            end = folded.find(_COMMENT_END, comment)
            if end < 0:
                break
            position = end + len(_COMMENT_END)
            continue
        text = _end_of_tag(folded, start + len(_OPENING))
        if text < 0:
            position = start + len(_OPENING)
            continue
        end = folded.find(_CLOSING, text)
        end = len(folded) if end < 0 else end
        found.append((text, end))
        position = end + len(_CLOSING)
    return found


def _end_of_tag(folded: bytes, position: int) -> int:
    """Where the text after an opening tag starts; -1 when the tag is another one, is empty or does not end."""
    if folded[position : position + 1] not in {b">", b" ", b"\t", b"\n", b"\r"}:
        return -1
    quote = 0
    for place in range(position, min(len(folded), position + MAX_TAG)):
        byte = folded[place]
        if quote:
            quote = 0 if byte == quote else quote
        elif byte in _QUOTES:
            quote = byte
        elif byte == ord(">"):
            return -1 if folded[place - 1] == ord("/") else place + 1
    return -1
