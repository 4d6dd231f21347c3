"""The one check: format, lint, types, layers and tests. Needs only Python and pip; makes its own environment.

python3 scripts/check.py            everything
python3 scripts/check.py tests      only the tests
python3 scripts/check.py --here     in the environment that runs this script
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST = (3, 11)
# Groups of pyproject.toml are understood by pip since 25.1.
PIP = "pip>=25.1"

STEPS: dict[str, tuple[str, ...]] = {
    "format": ("-m", "ruff", "format", "--check", "."),
    "lint": ("-m", "ruff", "check", "."),
    "types": ("-m", "mypy"),
    "pyright": ("-m", "pyright", "--pythonpath", "{python}"),
    "layers": ("-c", "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"),
    "tests": ("-m", "pytest", "-n", "auto", "--dist", "loadfile"),
}


def main() -> int:
    """Run the steps asked for, all by default; the exit code is 1 when one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of: {', '.join(STEPS)}")
    parser.add_argument("--here", action="store_true", help="use this environment as it is, install nothing")
    arguments = parser.parse_args()
    if unknown := [step for step in arguments.steps if step not in STEPS]:
        parser.error(f"no step {unknown[0]!r}; steps are: {', '.join(STEPS)}")
    python = Path(sys.executable) if arguments.here else prepare()
    failed = [step for step in arguments.steps or STEPS if not passes(step, python)]
    if failed:
        print(f"\nFAILED: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def prepare() -> Path:
    """An environment with the package and its development tools; made once, brought up to date each time."""
    if sys.version_info < OLDEST:
        sys.exit(f"Python {'.'.join(map(str, OLDEST))} or newer is needed; this is {sys.version.split()[0]}.")
    if not PYTHON.exists():
        venv.create(ENVIRONMENT, with_pip=True)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "-q"]
    subprocess.run([*pip, "--upgrade", PIP], check=True)
    subprocess.run([*pip, "--editable", str(ROOT), "--group", f"{ROOT / 'pyproject.toml'}:dev"], check=True)
    return PYTHON


def passes(step: str, python: Path) -> bool:
    """Whether one step succeeds; its output goes to the terminal."""
    print(f"== {step}", flush=True)
    arguments = [part.format(python=python) for part in STEPS[step]]
    return subprocess.run([str(python), *arguments], cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
