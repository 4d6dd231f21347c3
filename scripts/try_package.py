"""Build wheel and sdist, install the wheel in an empty environment outside the checkout, and use it there.

Run by the environment that ``scripts/check.py`` made; exits with an error at the first thing that is wrong.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from readme_command import command

ROOT = Path(__file__).resolve().parent.parent
WHEEL_PARTS = (
    ".scm",
    ".sql",
    ".yaml",
    "java/library.txt",
    "static_model/vectors.npy",
    "static_model/tokenizer.json",
    "py.typed",
)
SDIST_PARTS = ("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "scripts/check.py", "tests/test_docs.py")
LARGEST_WHEEL = 12_000_000  # bytes; the model is at most 10 MB
TASKS = """\
name: flask-copy
multi_hop_tasks:
  - id: dispatch
    nl_query: "Where a request is dispatched to the view function that its URL matches"
    anchor_qualified_suffix: "Flask.dispatch_request"
    traversal_pattern: callers_of
    expected_neighbor_names: [Flask.full_dispatch_request]
"""

# One small source of every other language: what calls what, by name.
SOURCES = {
    "web/a.js": "import { b } from './b.ts'\nexport function jsCaller() { return b() }\n",
    "web/b.ts": "export function b(): number { return 1 }\n",
    "web/c.tsx": "import { b } from './b'\nexport const TsxCaller = () => <p>{b()}</p>\n",
    "web/d.vue": "<script setup>\nimport { b } from './b'\nfunction vueCaller() { return b() }\n</script>\n",
    "go.mod": "module example.com/x\n",
    "x.go": "package x\n\nfunc goCaller() int { return goCallee() }\n\nfunc goCallee() int { return 1 }\n",
    "X.java": "class X {\n    int javaCaller() { return javaCallee(); }\n\n    int javaCallee() { return 1; }\n}\n",
}
CALLERS = {
    "web/b.ts::b": {"jsCaller", "TsxCaller", "vueCaller"},
    "goCallee": {"goCaller"},
    "javaCallee": {"javaCaller"},
}


def main() -> None:
    """Build, inspect, install and try."""
    with tempfile.TemporaryDirectory(prefix="crg-package-") as folder:
        place = Path(folder)
        wheel = build(place / "dist")
        bin_folder = install(wheel, place / "environment")
        use(bin_folder, flask_copy(place / "flask-copy"), place)
        other_languages(bin_folder, place / "mixed")
        readme(place / "checkout")
    print("== package: all as it should be")


def build(folder: Path) -> Path:
    """Wheel and sdist, with everything inside that they need."""
    step("build wheel and sdist")
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        require(archive.namelist(), WHEEL_PARTS, wheel)
    with tarfile.open(sdist) as archive_of_source:
        require(archive_of_source.getnames(), SDIST_PARTS, sdist)
    check(wheel.stat().st_size <= LARGEST_WHEEL, f"{wheel.name} has {wheel.stat().st_size} bytes")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """A new environment with the wheel and its dependencies alone; returns its folder of commands."""
    step("install the wheel in an empty environment")
    venv.create(folder, with_pip=True)
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    run(str(commands / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel))
    listed = run(str(commands / "python"), "-m", "pip", "list", "--format", "freeze").lower()
    check("torch" not in listed, "the default install brings torch")
    return commands


def flask_copy(folder: Path) -> Path:
    """The flask that the tests pin, as a small repository without git."""
    spec = find_spec("flask")
    assert spec is not None
    assert spec.origin is not None
    shutil.copytree(Path(spec.origin).parent, folder / "flask", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def use(commands: Path, repo: Path, place: Path) -> None:
    """Build, search, query, evaluate, export and serve with the installed commands, away from the checkout."""
    program, at = str(commands / "code-review-graph"), ("--repo", str(repo))

    def ask(*arguments: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(run(program, *arguments, *at, "--json", cwd=place))
        return answer

    step("build, search, query, evaluate, export")
    built = ask("build")
    check(built["files"] >= 20 and built["nodes"] > 300 and built["edges"] > 500, f"a poor graph: {built}")
    check(built["embedded"] > 300 and built["vectors_missing"] == 0, f"embeddings are missing: {built}")
    found = ask("search", "where is a request dispatched to the view function that its URL matches")
    names = [hit["qualified_name"] for hit in found["hits"]]
    check(found["mode"] == "hybrid" and "flask/app.py::Flask.dispatch_request" in names, f"search found {names}")
    callers = [item["name"] for item in ask("query", "callers_of", "Flask.dispatch_request")["neighbours"]]
    check(callers == ["full_dispatch_request"], f"callers_of found {callers}")
    (place / "tasks").mkdir()
    (place / "tasks" / "flask.yaml").write_text(TASKS, encoding="utf-8")
    (evaluated,) = json.loads(
        run(program, "eval", *at, "--configs", str(place / "tasks"), "--output", str(place / "results"), "--json")
    )
    check(evaluated["summary"]["strict_mean"] == 1.0, f"eval: {evaluated}")
    exported = [json.loads(line) for line in run(program, "export", *at, cwd=place).splitlines()]
    check(len(exported) == built["nodes"] + built["edges"], f"export wrote {len(exported)} lines")
    check(run(str(commands / "crg"), "--version") == run(program, "--version"), "crg is another program")
    served = subprocess.run(
        [str(commands / "python"), "-m", "code_review_graph", "serve", *at],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    check(served.returncode == 0 and not served.stdout, f"serve: {served}")


def other_languages(commands: Path, repo: Path) -> None:
    """Index and ask a file of every language but the first with the installed commands."""
    step("every language")
    for path, text in SOURCES.items():
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(text, encoding="utf-8")
    program = str(commands / "code-review-graph")
    run(program, "build", "--repo", str(repo))
    for target, expected in CALLERS.items():
        answer = json.loads(run(program, "query", "callers_of", target, "--repo", str(repo), "--json"))
        names = {item["name"] for item in answer["neighbours"]}
        check(names == expected, f"callers_of {target} found {sorted(names)}")


def readme(folder: Path) -> None:
    """The README's first command, as it stands, in a copy of the checkout without what was made in it."""
    step("the README's first command")
    made = (".venv", ".git", ".code-review-graph", "__pycache__", ".*_cache", "dist", "build")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*made), symlinks=True)
    output = run("bash", "-euo", "pipefail", "-c", command(1), cwd=folder)
    check("find_target" in output and "query_graph" in output, f"the README's first command printed:\n{output}")


def require(names: list[str], parts: tuple[str, ...], archive: Path) -> None:
    """Check that an archive has a file for each ending."""
    missing = [part for part in parts if not any(name.endswith(part) for name in names)]
    check(not missing, f"{archive.name} lacks {missing}")


def step(text: str) -> None:
    """Say what comes next."""
    print(f"== package: {text}", flush=True)


def check(holds: bool, complaint: str) -> None:  # noqa: FBT001 - reads as an assertion
    """End with a complaint unless something holds."""
    if not holds:
        sys.exit(f"FAILED: {complaint}")


def run(*arguments: str, cwd: Path | None = None) -> str:
    """The stdout of a command; its failure ends the script with all that it said."""
    done = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
