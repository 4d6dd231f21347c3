"""Print the n-th shell command of the README, so that what it promises is what gets run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def command(number: int) -> str:
    """The text of the README's n-th ``sh`` block, counted from 1."""
    blocks = re.findall(r"^```sh\n(.+?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(blocks[number - 1]).strip()


if __name__ == "__main__":
    print(command(int(sys.argv[1])))
