"""Task files: what is accepted, and errors that point at the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_review_graph.errors import EvaluationError
from code_review_graph.eval.benchmarks.multi_hop_retrieval import BENCHMARK, MultiHopTask
from code_review_graph.eval.config import CONFIGS, find_task_files, load_task_file, task_file_of
from code_review_graph.results import Pattern

GOOD = """\
name: demo
url: https://example.org/demo.git
commit: 0123456789abcdef0123456789abcdef01234567
language: python
size_category: small
test_commits:
  - sha: 0123456
    description: anything
entry_points: ["app.py::main"]
search_queries: [{query: q, expected: e}]
agent_questions: ["why"]
multi_hop_tasks:
  - id: one
    nl_query: "Where is a user created"
    anchor_qualified_suffix: "UserService.create_user"
    traversal_pattern: callers_of
    expected_neighbor_names: ["register"]
    forbidden_neighbor_names: ["delete"]
  - id: two
    nl_query: "Who tests it"
    anchor_qualified_suffix: "create_user"
    traversal_pattern: tests_for
    expected_neighbor_names: ["test_create"]
    k: 3
"""
TASK = "name: demo\nmulti_hop_tasks:\n  - id: one\n    nl_query: q\n    anchor_qualified_suffix: a\n"
FAULTS = [
    pytest.param("nmae: demo\n", 1, "unknown key 'nmae'; did you mean 'name'?", id="key of the file"),
    pytest.param("name: demo\nmulti_hop_task: []\n", 2, "did you mean 'multi_hop_tasks'?", id="section"),
    pytest.param(
        TASK + "    expected_neighbour_names: [b]\n",
        6,
        "unknown key 'expected_neighbour_names'; did you mean 'expected_neighbor_names'?",
        id="key of a task",
    ),
    pytest.param(TASK, 3, "multi_hop_tasks[0].expected_neighbor_names: Field required", id="missing key"),
    pytest.param(
        TASK + "    traversal_pattern: callers\n    expected_neighbor_names: [b]\n", 6, "'callers_of'", id="pattern"
    ),
    pytest.param(TASK + "    expected_neighbor_names: []\n", 6, "at least 1 item", id="no expected name"),
    pytest.param(TASK + "    expected_neighbor_names:\n      - b\n      - 12\n", 8, "valid string", id="not a name"),
    pytest.param(TASK + "    expected_neighbor_names: [b]\n    k: 0\n", 7, "greater than or equal to 1", id="k"),
    pytest.param(TASK + "    expected_neighbor_names: [b]\n    id: two\n", 7, "'id' stands twice", id="key twice"),
    pytest.param(
        "name: demo\nmulti_hop_tasks:\n"
        "  - {id: a, nl_query: q, anchor_qualified_suffix: a, expected_neighbor_names: [b]}\n"
        "  - {id: a, nl_query: q, anchor_qualified_suffix: a, expected_neighbor_names: [b]}\n",
        4,
        "the id 'a' stands twice",
        id="id twice",
    ),
    pytest.param("name: demo\ncommit: main\n", 2, "commit", id="commit that is a branch"),
    pytest.param("name: demo\nmulti_hop_tasks: later\n", 2, "valid list", id="tasks that are no list"),
    pytest.param("name: [demo\n", 2, "expected ',' or ']'", id="not YAML"),
    pytest.param("- demo\n", 1, "a task file is a mapping", id="a list"),
    pytest.param("", 1, "the file is empty", id="empty"),
    pytest.param("name: &a [*a]\n", 1, "contains itself", id="cycle"),
    pytest.param("name: !!python/object/apply:os.getcwd []\n", 1, "could not determine a constructor", id="code"),
]


def test_reads_every_key(tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    path.write_text(GOOD, encoding="utf-8")
    task_file = load_task_file(path)
    first, second = task_file.tasks_for(BENCHMARK)
    assert task_file.header.name == "demo"
    assert isinstance(first, MultiHopTask)
    assert isinstance(second, MultiHopTask)
    assert (first.k, second.k) == (10, 3)
    assert (first.traversal_pattern, second.traversal_pattern) == (Pattern.CALLERS_OF, Pattern.TESTS_FOR)
    assert first.forbidden_neighbor_names == ("delete",)


@pytest.mark.parametrize(("text", "line", "message"), FAULTS)
def test_fault_names_file_and_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = tmp_path / "demo.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(EvaluationError) as caught:
        load_task_file(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert message in str(caught.value)


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    path.write_text("nam: demo\nmulti_hop_tasks:\n  - id: one\n    k: many\n", encoding="utf-8")
    with pytest.raises(EvaluationError) as caught:
        load_task_file(path)
    assert len(str(caught.value).splitlines()) == 6


def test_dict_is_validated_the_same_way() -> None:
    with pytest.raises(EvaluationError, match=r"unknown key 'nl_qurey'; did you mean 'nl_query'\?"):
        task_file_of({"name": "demo", "multi_hop_tasks": [{"id": "a", "nl_qurey": "q"}]})


def test_folder_without_task_files(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="holds no task files"):
        find_task_files(tmp_path)


@pytest.mark.parametrize("path", find_task_files(CONFIGS), ids=lambda path: path.stem)
def test_bundled_file_is_valid_and_rich_enough(path: Path) -> None:
    task_file = load_task_file(path)
    tasks = [task for task in task_file.tasks_for(BENCHMARK) if isinstance(task, MultiHopTask)]
    own = [task for task in tasks if task.source == "own"]
    assert task_file.header.name == path.stem
    assert task_file.header.commit is not None
    assert task_file.header.url is not None
    assert [task for task in tasks if task.source == "public"]
    assert len(own) >= 6
    assert len({task.traversal_pattern for task in own}) >= 4
    assert any(task.forbidden_neighbor_names for task in own)
    assert all(task.evidence for task in own)


@pytest.mark.parametrize("path", find_task_files(CONFIGS), ids=lambda path: path.stem)
def test_own_questions_avoid_the_anchor_s_words(path: Path) -> None:
    from code_review_graph.words import words_of  # noqa: PLC0415

    for task in load_task_file(path).tasks_for(BENCHMARK):
        assert isinstance(task, MultiHopTask)
        if task.source != "own":
            continue
        anchor = set(words_of(task.anchor_qualified_suffix.rsplit("::", 1)[-1].rsplit(".", 1)[-1]))
        assert not anchor & set(words_of(task.nl_query)), task.id
