"""Download the training packages as wheels (sdists where there is none), without dependencies."""

from __future__ import annotations

import argparse
import logging
import subprocess
import sys
from pathlib import Path

from packages import TRAINING_PACKAGES, check_exclusions

log = logging.getLogger("download")


def download(name: str, folder: Path) -> bool:
    """Fetch one package into ``folder``; False when the index has nothing usable."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--only-binary=:all:",
        "-d",
        str(folder),
        name,
    ]
    return subprocess.run(command, check=False, capture_output=True, timeout=300).returncode == 0


def main() -> None:
    """Download everything; packages without a wheel are reported and skipped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    check_exclusions()
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in TRAINING_PACKAGES if not download(name, folder)]
    log.info("%d packages, not available: %s", len(TRAINING_PACKAGES) - len(missing), missing)


if __name__ == "__main__":
    main()
