from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from code_review_graph.errors import CodeReviewGraphError, NoGraphError, QueryError, RepositoryError
from code_review_graph.model import EdgeKind, NodeKind, ReferenceKind, Resolution
from code_review_graph.results import Pattern, QueryStatus
from code_review_graph.store import Store
from code_review_graph.tools.query import query_graph
from tests.graphs import GraphMaker

RUN = "src/pkg/app.py::App.run"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    maker = GraphMaker()
    maker.file("src/pkg/__init__.py", 5).node("src/pkg/__init__.py::version", lines=(2, 3))
    maker.file("src/pkg/app.py").node("src/pkg/app.py::App", NodeKind.CLASS, (5, 40), docstring="An app.\n\nMore.")
    maker.node(RUN, NodeKind.METHOD, (10, 20)).node("src/pkg/app.py::App.run.inner", lines=(12, 14))
    maker.node("src/pkg/app.py::App.get(int)", NodeKind.METHOD, (25, 30))
    maker.file("src/pkg/cli.py").node("src/pkg/cli.py::run", lines=(3, 9)).node("src/pkg/cli.py::main", lines=(11, 20))
    maker.file("tests/test_app.py").node("tests/test_app.py::test_run", NodeKind.TEST, (4, 6), is_test=True)
    maker.edge("src/pkg/cli.py::main", RUN, lines=(13, 15))
    maker.edge("src/pkg/cli.py::run", RUN, lines=(4,), resolution=Resolution.GUESS)
    maker.edge(RUN, "src/pkg/app.py::App.get(int)", lines=(16,), resolution=Resolution.INFERRED)
    maker.edge(RUN, "tests/test_app.py::test_run", EdgeKind.TESTED_BY, (5,), distance=0)
    maker.edge("src/pkg/cli.py", "src/pkg/app.py", EdgeKind.IMPORTS, (1,))
    maker.reference(RUN, "os.getcwd", ReferenceKind.EXTERNAL, (11,))
    maker.reference("src/pkg/cli.py::main", "thing.get", ReferenceKind.UNRESOLVED, (17, 18))
    return maker.store(tmp_path)


def names(result: Any) -> list[str]:
    return [item.qualified_name for item in result.neighbours]


@pytest.mark.parametrize(
    "target",
    [
        pytest.param(RUN, id="qualified-name"),
        pytest.param("app.py::App.run", id="from-the-file-name"),
        pytest.param("App.run", id="suffix"),
        pytest.param("app.run", id="suffix-in-another-case"),
        pytest.param("pkg.app.App.run", id="dotted-from-the-module"),
        pytest.param("src/pkg/app.py:17", id="path-and-line"),
        pytest.param("app.py:10", id="end-of-a-path-and-line"),
        pytest.param(" App.run ", id="spaces-around"),
    ],
)
def test_spellings_of_a_target(store: Store, target: str) -> None:
    result = query_graph(store, Pattern.CALLERS_OF, target)
    assert result.status is QueryStatus.OK
    assert result.resolved_target is not None
    assert result.resolved_target.qualified_name == RUN


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("inner", "src/pkg/app.py::App.run.inner"),
        ("App.get", "src/pkg/app.py::App.get(int)"),
        ("App.get(int)", "src/pkg/app.py::App.get(int)"),
        ("pkg.version", "src/pkg/__init__.py::version"),
        ("src/pkg/app.py:13", "src/pkg/app.py::App.run.inner"),
        ("src/pkg/cli.py", "src/pkg/cli.py"),
        ("pkg.cli", "src/pkg/cli.py"),
        ("cli.py", "src/pkg/cli.py"),
        ("pkg", "src/pkg/__init__.py"),
        ("./src/pkg/cli.py", "src/pkg/cli.py"),
    ],
)
def test_other_targets(store: Store, target: str, expected: str) -> None:
    result = query_graph(store, Pattern.CHILDREN_OF, target)
    assert result.resolved_target is not None
    assert result.resolved_target.qualified_name == expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        pytest.param("Box", "Box.java::Box", id="a class, its constructors of the same name with it"),
        pytest.param("Box()", "Box.java::Box.Box()", id="a call of it"),
        pytest.param("Box.Box()", "Box.java::Box.Box()", id="one constructor"),
        pytest.param("Box.Box(int)", "Box.java::Box.Box(int)", id="another"),
    ],
)
def test_a_class_and_its_constructors(tmp_path: Path, target: str, expected: str) -> None:
    maker = GraphMaker()
    maker.file("Box.java").node("Box.java::Box", NodeKind.CLASS, (3, 20))
    maker.node("Box.java::Box.Box()", NodeKind.METHOD, (4, 5)).node("Box.java::Box.Box(int)", NodeKind.METHOD, (6, 7))
    result = query_graph(maker.store(tmp_path), Pattern.CALLERS_OF, target)
    assert result.resolved_target is not None
    assert result.resolved_target.qualified_name == expected


@pytest.mark.parametrize(
    "target",
    [
        "a.x(b, c) > does. it / well",
        "A.X(B, C) > Does. It / Well",
        "does. it / well",
        "t/a.test.js::a.x(b, c) > does. it / well",
    ],
)
def test_blocks_of_tests_by_their_titles(tmp_path: Path, target: str) -> None:
    title = "a.x(b, c) > does. it / well"
    maker = GraphMaker()
    maker.file("t/a.test.js")
    maker.graph.nodes.append(
        replace(maker.graph.nodes[0], id=2, qualified_name=f"t/a.test.js::{title}", name=title, kind=NodeKind.TEST)
    )
    result = query_graph(maker.store(tmp_path), Pattern.TESTED_BY, target)
    assert result.resolved_target is not None
    assert result.resolved_target.name == title


def test_an_absolute_path_inside_the_repository(store: Store) -> None:
    result = query_graph(store, Pattern.FILE_SUMMARY, str(store.repo_path / "src/pkg/cli.py"))
    assert names(result) == ["src/pkg/cli.py::run", "src/pkg/cli.py::main"]


def test_an_ambiguous_target_lists_candidates_and_answers_nothing(store: Store) -> None:
    result = query_graph(store, Pattern.CALLERS_OF, "run")
    assert result.status is QueryStatus.AMBIGUOUS
    assert [item.qualified_name for item in result.candidates] == [RUN, "src/pkg/cli.py::run"]
    assert not result.neighbours
    assert "2 definitions match" in result.hint


@pytest.mark.parametrize("target", ["ap.run", "pp.run", "un", "App.rum", "no/such/file.py", "nothing_like_it_at_all"])
def test_a_suffix_ends_at_a_name_and_an_unknown_name_is_not_answered_for_another(store: Store, target: str) -> None:
    result = query_graph(store, Pattern.CALLERS_OF, target)
    assert result.status is QueryStatus.NOT_FOUND
    assert not result.neighbours
    assert result.hint


def test_near_names_are_offered(store: Store) -> None:
    assert "src/pkg/cli.py::main" in [
        c.qualified_name for c in query_graph(store, Pattern.CALLERS_OF, "mian").candidates
    ]


def test_callers_with_lines_guesses_apart(store: Store) -> None:
    result = query_graph(store, Pattern.CALLERS_OF, RUN)
    (caller,) = result.neighbours
    assert (caller.name, caller.lines, caller.site_path, caller.distance) == ("main", (13, 15), "src/pkg/cli.py", 1)
    assert [guess.name for guess in result.guesses] == ["run"]
    assert (result.total, result.cut) == (2, 0)


def test_callees_keep_outside_names_apart(store: Store) -> None:
    result = query_graph(store, Pattern.CALLEES_OF, RUN)
    assert names(result) == ["src/pkg/app.py::App.get(int)"]
    assert [(item.name, item.kind, item.lines) for item in result.references] == [("os.getcwd", "external", (11,))]


def test_tests_for(store: Store) -> None:
    (test,) = query_graph(store, Pattern.TESTS_FOR, RUN).neighbours
    assert (test.name, test.distance, test.is_test) == ("test_run", 0, True)


def test_importers_of_a_module(store: Store) -> None:
    assert names(query_graph(store, Pattern.IMPORTERS_OF, "pkg.app")) == ["src/pkg/cli.py"]


def test_limit_cuts_and_says_so(store: Store) -> None:
    result = query_graph(store, Pattern.CALLERS_OF, RUN, limit=1)
    assert (len(result.neighbours), len(result.guesses), result.total, result.cut) == (1, 0, 2, 1)
    assert query_graph(store, Pattern.CALLERS_OF, RUN, limit=None).cut == 0


@pytest.mark.parametrize(
    ("pattern", "target", "said"),
    [
        (Pattern.CALLERS_OF, "App.get", "2 call sites of some 'get' could not be resolved"),
        (Pattern.CALLERS_OF, "App", "2 members have some (run, get)"),
        (Pattern.TESTS_FOR, "App", "ask tests_for of those"),
        (Pattern.TESTS_FOR, "main", "No test calls 'main' itself"),
        (Pattern.INHERITORS_OF, "App", "Nothing in the repository inherits"),
    ],
)
def test_nothing_is_never_silent(store: Store, pattern: Pattern, target: str, said: str) -> None:
    assert said in query_graph(store, pattern, target).hint


def test_a_definition_where_a_file_is_wanted(store: Store) -> None:
    result = query_graph(store, Pattern.FILE_SUMMARY, "inner")
    assert result.status is QueryStatus.NOT_FOUND
    assert [item.path for item in result.candidates] == ["src/pkg/app.py"]
    assert "takes a file" in result.hint


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"pattern": "friends_of", "target": "App"}, "callers_of"),
        ({"pattern": "callers_of", "target": " "}, "empty"),
        ({"pattern": "callers_of", "target": "x" * 1_000_000}, "1000000 characters"),
        ({"pattern": "callers_of", "target": "App", "depth": 0}, "1 to 10"),
        ({"pattern": "callers_of", "target": "App", "depth": 11}, "1 to 10"),
        ({"pattern": "callers_of", "target": "App", "limit": 0}, "1 or more"),
    ],
)
def test_arguments_out_of_range_say_what_is_allowed(store: Store, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(QueryError, match=said):
        query_graph(store, **arguments)


@pytest.mark.parametrize(
    "target",
    [
        "../outside/secret.py",
        "/etc/passwd",
        "/etc/passwd:1",
        "in/link.py",
        "..\\outside\\secret.py",
        "src/pkg/app.py/../../../../outside/secret.py",
        "../outside/secret.py::TOKEN",
        "file:///etc/passwd",
        "C:\\Windows\\win.ini",
        "a.py\0.txt",
        "src/\0",
    ],
)
@pytest.mark.parametrize("pattern", [Pattern.CALLERS_OF, Pattern.FILE_SUMMARY])
def test_paths_that_leave_the_repository_are_refused(store: Store, target: str, pattern: Pattern) -> None:
    outside = store.repo_path.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "secret.py").write_text("TOKEN = 's3cret-value'\n")
    (store.repo_path / "in").mkdir()
    (store.repo_path / "in/link.py").symlink_to(outside / "secret.py")
    with pytest.raises(RepositoryError) as caught:
        query_graph(store, pattern, target)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "target", ["'; DROP TABLE node; --", "C++", "emoji 🎉", "::", ":", ".", "/", "@1", "()", "a" * 1000]
)
def test_any_text_is_a_legal_target(store: Store, target: str) -> None:
    try:
        result = query_graph(store, Pattern.CALLERS_OF, target)
    except CodeReviewGraphError as error:
        assert error.hint
    else:
        assert result.hint


def test_no_graph_yet(tmp_path: Path) -> None:
    with pytest.raises(NoGraphError, match="build_or_update_graph"):
        query_graph(Store(tmp_path), Pattern.CALLERS_OF, "x")
    assert not list(tmp_path.iterdir())


def test_an_answer_is_of_one_state_of_the_index(tmp_path: Path) -> None:
    """Another process rebuilds all the time, and gives every definition another id each time."""

    def graph(padding: int) -> GraphMaker:
        maker = GraphMaker()
        for number in range(padding):
            maker.file(f"a{number}.py")
        maker.file("m.py").node("m.py::callee").node("m.py::caller").edge("m.py::caller", "m.py::callee")
        return maker

    stop = threading.Event()

    def rebuild() -> None:
        padding = 0
        while not stop.is_set():
            padding = (padding + 1) % 5
            graph(padding).store(tmp_path).close()

    with graph(0).store(tmp_path) as store:
        writer = threading.Thread(target=rebuild)
        writer.start()
        try:
            for _ in range(150):
                assert names(query_graph(store, Pattern.CALLERS_OF, "callee")) == ["m.py::caller"]
        finally:
            stop.set()
            writer.join()
