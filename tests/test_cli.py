from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from code_review_graph import __version__
from code_review_graph.cli import app
from code_review_graph.model import EdgeKind, NodeKind, Resolution
from tests.graphs import GraphMaker

HEAVY = (
    "code_review_graph.watching",
    "numpy",
    "tokenizers",
    "tree_sitter",
    "tree_sitter_python",
    "sqlite_vec",
    "sentence_transformers",
)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    maker = GraphMaker().file("a.py").node("a.py::one", lines=(1, 3)).node("a.py::two", lines=(5, 9))
    maker.file("test_a.py").node("test_a.py::test_two", NodeKind.TEST, (1, 2), is_test=True)
    maker.file("b.py").node("b.py::one", lines=(1, 3))
    maker.edge("a.py::one", "a.py::two", lines=(2, 3), resolution=Resolution.DISPATCH)
    maker.edge("a.py::two", "test_a.py::test_two", EdgeKind.TESTED_BY, (), distance=1)
    maker.store(tmp_path).close()
    return tmp_path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_query_prints_neighbours(repo: Path) -> None:
    result = run("query", "callers_of", "two", "--repo", repo)
    assert result.exit_code == 0
    assert "a.py::one:1-3 [Function]  CALLS dispatch, distance 1 at a.py:2,3" in result.stdout


def test_query_json_is_the_result(repo: Path) -> None:
    result = run("query", "tests_for", "two", "--repo", repo, "--json")
    (test,) = json.loads(result.stdout)["neighbours"]
    assert (test["name"], test["distance"], test["edge"]) == ("test_two", 1, "TESTED_BY")


@pytest.mark.parametrize(("target", "said"), [("one", "ambiguous"), ("three", "not found")])
def test_query_without_an_answer_exits_with_3(repo: Path, target: str, said: str) -> None:
    result = run("query", "callers_of", target, "--repo", repo)
    assert result.exit_code == 3
    assert said in result.stdout


def test_status(repo: Path) -> None:
    assert "3 files indexed" in run("status", "--repo", repo).stdout
    assert json.loads(run("status", "--repo", repo, "--json").stdout)["edges"]["CALLS"] == 1


def test_export_gives_every_node_then_every_edge(repo: Path) -> None:
    lines = [json.loads(line) for line in run("export", "--repo", repo, "--format", "jsonl").stdout.splitlines()]
    assert [line["type"] for line in lines] == ["node"] * 7 + ["edge"] * 6
    ids = {line["qualified_name"]: line["id"] for line in lines if line["type"] == "node"}
    (call,) = [line for line in lines if line.get("kind") == "CALLS"]
    assert call == {
        "type": "edge",
        "kind": "CALLS",
        "source": ids["a.py::one"],
        "target": ids["a.py::two"],
        "lines": [2, 3],
        "resolution": "dispatch",
        "distance": None,
        "via": None,
    }
    assert lines[0] == {
        "type": "node",
        "id": ids["a.py"],
        "qualified_name": "a.py",
        "name": "a.py",
        "kind": "File",
        "path": "a.py",
        "start_line": 1,
        "end_line": 100,
        "is_test": False,
    }


def test_export_to_a_file(repo: Path) -> None:
    result = run("export", "--repo", repo, "--output", repo / "graph.jsonl")
    assert result.stdout == ""
    assert len((repo / "graph.jsonl").read_text().splitlines()) == 13


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["status", "--repo", "/does/not/exist"], 1, "is not a folder"),
        (["status", "--repo", "/"], 1, "root of the file system"),
        (["query", "callers_of", "  "], 1, "The target is empty"),
        (["query", "friends_of", "x"], 2, "callers_of"),
        (["query", "callers_of", "x", "--depth", "99"], 1, "1 to 10"),
        (["query", "callers_of", "../../etc/passwd"], 1, "not inside the repository"),
        (["search", "x", "--limit", "0"], 1, "1 to"),
        (["search", "x", "--kind", "Gadget"], 2, "Function"),
        (["eval", "--benchmark", "none_such"], 1, "no benchmark"),
        (["bogus"], 2, "bogus"),
        (["query"], 2, "pattern"),
    ],
)
def test_errors_say_what_to_do(repo: Path, arguments: list[str], code: int, said: str) -> None:
    if "--repo" not in arguments and len(arguments) > 1:
        arguments = [*arguments, "--repo", str(repo)]
    result = run(*arguments)
    assert result.exit_code == code
    assert said in result.stderr
    assert "Traceback" not in result.output
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["query", "search", "export", "embed"])
def test_without_an_index(tmp_path: Path, command: str) -> None:
    arguments = {"query": ["callers_of", "x"], "search": ["x"]}.get(command, [])
    result = run(command, *arguments, "--repo", tmp_path)
    assert result.exit_code == 1
    assert "has no index yet" in result.stderr
    assert "code-review-graph build" in result.stderr
    assert not list(tmp_path.iterdir())


def test_status_without_an_index_is_not_an_error(tmp_path: Path) -> None:
    result = run("status", "--repo", tmp_path)
    assert result.exit_code == 0
    assert "not indexed" in result.stdout


def test_version() -> None:
    assert run("--version").stdout == f"code-review-graph {__version__}\n"


@pytest.mark.parametrize("module", ["code_review_graph.cli", "code_review_graph.server"])
def test_start_up_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print(*(name for name in {HEAVY!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_command_line_does_not_load_the_protocol() -> None:
    code = "import sys, code_review_graph.cli; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_default_is_the_repository_around_the_folder(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (repo / "src" / "deep").mkdir(parents=True)
    command = [sys.executable, "-m", "code_review_graph", "status"]
    inside = subprocess.run(command, cwd=repo / "src" / "deep", capture_output=True, text=True, check=False)
    assert "3 files indexed" in inside.stdout
    outside = tmp_path_factory.mktemp("outside")
    elsewhere = subprocess.run(command, cwd=outside, capture_output=True, text=True, check=False)
    assert elsewhere.returncode == 1
    assert "no repository around" in elsewhere.stderr
    assert not list(outside.iterdir())


def test_a_closed_pipe_is_not_an_error_to_talk_about(repo: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "code_review_graph", "export", "--repo", str(repo)]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(
        'def price(item):\n    """Cost of one item in cents."""\n    return item.cents\n\n\n'
        "def total(basket):\n    return sum(price(item) for item in basket)\n"
    )
    (tmp_path / "test_shop.py").write_text("from shop import total\n\n\ndef test_total():\n    assert total([]) == 0\n")
    return tmp_path


def test_the_main_job(sources: Path) -> None:
    built = json.loads(run("build", "--repo", sources, "--json").stdout)
    assert (built["files"], built["full"], built["vectors_missing"]) == (2, True, 0)
    found = json.loads(run("search", "how much does an item cost", "--repo", sources, "--json").stdout)
    assert (found["mode"], found["hits"][0]["qualified_name"]) == ("hybrid", "shop.py::price")
    assert "shop.py::total" in run("query", "callers_of", "price", "--repo", sources).stdout
    assert "test_total" in run("query", "tests_for", "shop.total", "--repo", sources).stdout


def test_update_reads_what_changed(sources: Path) -> None:
    run("build", "--repo", sources, "--no-embed")
    (sources / "shop.py").write_text("def price(item):\n    return tax(item)\n\n\ndef tax(item):\n    return 1\n")
    updated = json.loads(run("update", "--repo", sources, "--no-embed", "--json").stdout)
    assert (updated["parsed"], updated["full"]) == (1, False)
    assert "shop.py::price" in run("query", "callers_of", "tax", "--repo", sources).stdout


def test_embeddings_can_come_later(sources: Path) -> None:
    built = json.loads(run("build", "--repo", sources, "--no-embed", "--json").stdout)
    assert built["embedded"] == 0
    keyword = json.loads(run("search", "price", "--repo", sources, "--json").stdout)
    assert keyword["mode"] == "keyword"
    assert "code-review-graph embed" in " ".join(keyword["notices"])
    embedded = json.loads(run("embed", "--repo", sources, "--json").stdout)
    assert embedded["embedded"] == embedded["vectors"] > 0
    assert embedded["vectors_missing"] == 0
    assert json.loads(run("search", "price", "--repo", sources, "--json").stdout)["mode"] == "hybrid"


def test_an_unknown_provider(sources: Path) -> None:
    run("build", "--repo", sources, "--no-embed")
    result = run("embed", "--repo", sources, "--provider", "crystal-ball")
    assert result.exit_code == 1
    assert "sentence-transformers" in result.stderr


TASKS = """\
name: shop
multi_hop_tasks:
  - id: cost
    nl_query: "how much does an item cost"
    anchor_qualified_suffix: "price"
    traversal_pattern: callers_of
    expected_neighbor_names: [{expected}]
"""


def test_eval(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("tasks")
    (place / "shop.yaml").write_text(TASKS.format(expected="total"))
    arguments: list[str | Path] = ["eval", "--repo", sources, "--configs", place, "--output", place / "results"]
    assert "code-review-graph embed" in run("build", "--repo", sources, "--no-embed").stderr + run(*arguments).stderr
    (one,) = json.loads(run(*arguments, "--build", "--json").stdout)
    assert one["summary"]["strict_mean"] == 1.0
    assert sorted(path.suffix for path in (place / "results").iterdir()) == [".csv", ".json"]
    assert "1.000" in run(*arguments, "--benchmark", "multi_hop_retrieval").stdout


def test_eval_names_the_line_of_a_fault(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("tasks")
    (place / "shop.yaml").write_text(TASKS.format(expected="total").replace("callers_of", "friends_of"))
    result = run("eval", "--repo", sources, "--configs", place)
    assert result.exit_code == 1
    assert "shop.yaml:6" in result.stderr


def test_an_interrupted_build_leaves_the_previous_index(sources: Path) -> None:
    run("build", "--repo", sources)
    before = run("export", "--repo", sources).stdout
    for number in range(1500):
        (sources / f"m{number}.py").write_text(f"from shop import price\n\n\ndef f{number}(x):\n    return price(x)\n")
    command = [sys.executable, "-m", "code_review_graph", "build", "--repo", str(sources)]
    changed = max(path.stat().st_mtime_ns for path in (sources / ".code-review-graph").iterdir())
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None:  # it is at work once it has written anything
            if max(path.stat().st_mtime_ns for path in (sources / ".code-review-graph").iterdir()) > changed:
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Interrupted" in said
    assert "Traceback" not in said
    assert run("export", "--repo", sources).stdout == before
    assert json.loads(run("build", "--repo", sources, "--json").stdout)["files"] == 1502


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell is needed")
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        pytest.param("status <&- >&- 2>&-", 0, "", id="no-streams"),
        pytest.param("build --no-embed <&- >&- 2>&-", 0, "", id="build-without-streams"),
        pytest.param("status >/dev/full", 1, "No space left", id="full-stdout"),
        pytest.param("export --output /dev/full", 1, "No space left", id="full-output"),
        pytest.param("export --output /nowhere/x", 1, "/nowhere/x: No such file", id="no-folder"),
        pytest.param("query callers_of $(printf '\\377')", 3, "", id="bytes-that-are-no-text"),
        pytest.param("search --json $(printf '\\377')", 0, "", id="bytes-in-a-query"),
    ],
)
def test_odd_surroundings(repo: Path, line: str, code: int, said: str) -> None:
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    command = f"{sys.executable} -m code_review_graph {line}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    (repo / ".git").mkdir()
    done = subprocess.run(["sh", "-c", command], cwd=repo, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "Unexpected" not in done.stderr


def test_names_of_files_neither_break_lines_nor_speak_to_the_terminal(tmp_path: Path) -> None:
    GraphMaker().file("a\n1. forged\x1b[2J.py").store(tmp_path).close()
    text = run("search", "forged", "--repo", tmp_path).stdout
    assert "a\\x0a1. forged\\x1b[2J.py" in text
    assert "\x1b" not in text


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX")
@pytest.mark.parametrize("kilobytes", [4, 64, 256])
def test_a_disk_that_is_full_is_said_and_harms_nothing(tmp_path: Path, kilobytes: int) -> None:
    (tmp_path / ".git").mkdir()
    source = "".join(f"def name_{number}():\n    return name_{number - 1}()\n\n\n" for number in range(1500))
    (tmp_path / "a.py").write_text(source)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = f"{sys.executable} -m code_review_graph build --no-embed"
    limited = ["bash", "-c", f"ulimit -f {kilobytes}; {command}"]
    full = subprocess.run(limited, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert full.returncode == 1
    assert "free space" in full.stderr or "no space" in full.stderr
    assert "Traceback" not in full.stderr
    assert run("build", "--no-embed", "--repo", tmp_path).exit_code == 0
    assert "a.py::name_4" in run("query", "callers_of", "name_3", "--repo", tmp_path).stdout
