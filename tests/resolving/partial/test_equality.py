"""An update in part gives the very graph that resolving everything gives."""

from __future__ import annotations

import importlib.util
import random
import shutil
from pathlib import Path

import pytest

from code_review_graph.indexing import build, update
from code_review_graph.store import Store
from tests.resolving.partial.edits import edit, resolved_anew, stored

STEPS = 8


def flask_with_tests(folder: Path) -> Path:
    """The installed flask, with a few tests and a fixture of our own beside it."""
    found = importlib.util.find_spec("flask")
    assert found is not None
    assert found.origin is not None
    shutil.copytree(Path(found.origin).parent, folder / "flask", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests").mkdir()
    (folder / "tests" / "conftest.py").write_text(
        "import pytest\nfrom flask import Flask\n\n\n@pytest.fixture\ndef app():\n    return Flask(__name__)\n\n\n"
        "@pytest.fixture(autouse=True)\ndef clean():\n    yield\n",
        encoding="utf-8",
    )
    (folder / "tests" / "test_app.py").write_text(
        "from flask import Config\n\n\ndef make(app):\n    return app.test_client()\n\n\ndef test_get(app):\n"
        "    make(app).get('/')\n\n\nclass TestConfig:\n    def setup_method(self):\n"
        "        self.config = Config('.')\n\n"
        "    def test_update(self):\n        self.config.from_mapping({})\n",
        encoding="utf-8",
    )
    return folder


@pytest.mark.parametrize("seed", range(4))
def test_random_edits(tmp_path: Path, seed: int) -> None:
    """Edits of any kind, two at a time, files that come and go among them."""
    chance = random.Random(seed)
    root = flask_with_tests(tmp_path)
    in_part = 0
    with Store(root) as store:
        build(store)
        for step in range(STEPS):
            files = sorted(path for path in root.rglob("*.py") if path.stat().st_size > 100)
            done = [edit(files, chance, step), edit(files, chance, 100 + step)]
            if chance.random() < 0.2:
                gone = chance.choice([path for path in files if not path.name.startswith("__")])
                gone.unlink()
                done.append(f"{gone.name} goes")
            if chance.random() < 0.2:
                come = chance.choice(files).with_name(f"came_{step}.py")
                come.write_text(f"from flask import *\n\n\ndef come_{step}(x):\n    return x.get()\n", encoding="utf-8")
                done.append(f"{come.name} comes")
            report = update(store, fewest_files=1)
            in_part += report.resolved < report.files
            assert stored(store) == resolved_anew(store), f"step {step}: {', '.join(done)}"
    assert in_part > STEPS // 3


LIBRARY = """
class Base:
    def run(self):
        return self.step()

    def step(self):
        return 1


class Other(Base):
    def step(self):
        return 2


def make(kind=None):
    return Base()


def use(thing):
    return thing.run()


TABLE = {"a": make}
"""
USER = """
from library import TABLE, Base, make, use


def one():
    return make().run()


def two():
    return TABLE["a"]().run()


def three(x):
    use(x)


def four():
    three(Base())
"""
TEST = """
from user import one


def helper():
    return one()


def test_one():
    assert helper() == 1
"""
INIT = "    def __init__(self, x=0):\n        self.x = x\n\n"
RUN = "\n    def run(self):\n        return 3\n"
APART = "def apart():\n    return len([])\n"


def library(old: str, new: str) -> tuple[str, str, str]:
    return "library.py", old, new


EDITS: dict[str, tuple[list[tuple[str, str, str]], int]] = {
    "a comment": ([library("\nclass Base", "\n# hello\nclass Base")], 1),
    "a body that gives back the same": ([library("        return 1\n", "        x = 1\n        return 1\n")], 1),
    "another result": ([library("    return Base()", "    return Other()")], 2),
    "a method that heirs had before": ([library("return 2\n", f"return 2\n{RUN}")], 2),
    "a new function": ([library("TABLE =", "def fresh():\n    return make()\n\n\nTABLE =")], 1),
    "a name that somebody looked for": ([("user.py", "    return make().run()", "    return make().missing()")], 2),
    "what is passed on and on": ([("user.py", "three(Base", "three(Other"), ("user.py", "Base,", "Other,")], 2),
    "what a container holds": ([library('{"a": make}', '{"a": Other}')], 2),
    "a rename": ([library("def make(", "def made("), library('"a": make', '"a": made')], 3),
    "a helper of tests": ([("test_user.py", "    return one()", "    return len([])")], 1),
    "a constructor": ([library("class Base:\n", f"class Base:\n{INIT}")], 2),
    "another order of bases": ([library("class Other(Base)", "class Other(dict, Base)")], 4),
    "an import in the middle": ([("apart.py", "def apart", "import library\n\n\ndef apart")], 2),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_one_edit(tmp_path: Path, name: str) -> None:
    """Each kind of edit gives the whole's graph, and of files that it cannot reach no edge is looked for."""
    sources = {"library.py": LIBRARY, "user.py": USER, "test_user.py": TEST, "apart.py": APART}
    for path, text in sources.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    edits, most = EDITS[name]
    with Store(tmp_path) as store:
        build(store)
        for path, old, new in edits:
            before = (tmp_path / path).read_text(encoding="utf-8")
            assert old in before
            (tmp_path / path).write_text(before.replace(old, new, 1), encoding="utf-8")
        report = update(store, fewest_files=1)
        assert stored(store) == resolved_anew(store)
        assert report.resolved <= most
        assert store.counts().edges == _counted(store)


def _counted(store: Store) -> dict[str, int]:
    found: dict[str, int] = {}
    for item in store.iter_edges():
        found[item.kind] = found.get(item.kind, 0) + 1
    return {kind: found[kind] for kind in sorted(found)}


def test_search_finds_the_new_and_forgets_the_old(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('def alpha():\n    """Counts sheep."""\n', encoding="utf-8")
    (tmp_path / "b.py").write_text("from a import alpha\n\n\ndef beta():\n    alpha()\n", encoding="utf-8")
    weights = (1.0,) * 6
    with Store(tmp_path) as store:
        build(store)
        assert store.full_text("sheep", 5, weights)
        (tmp_path / "a.py").write_text('def alpha():\n    """Counts goats."""\n', encoding="utf-8")
        assert update(store, fewest_files=1).resolved == 1
        assert store.full_text("sheep", 5, weights) == []
        assert [store.nodes([n])[n].name for n, _ in store.full_text("goats", 5, weights)] == ["alpha"]
