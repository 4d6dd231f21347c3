from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_review_graph.embedding import embed_nodes
from code_review_graph.embedding.static import StaticEmbedder
from code_review_graph.errors import NoGraphError, QueryError
from code_review_graph.model import NodeKind
from code_review_graph.results import SearchMode
from code_review_graph.search import MAX_LIMIT, hybrid_search
from code_review_graph.search.question import Mention, understand
from code_review_graph.store import EmbeddingModel, Store
from tests.graphs import GraphMaker


def names(store: Store, query: str, **options: object) -> list[str]:
    return [hit.qualified_name for hit in hybrid_search(store, query, **options).hits]  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    maker = GraphMaker()
    maker.file("src/user.py", 60)
    maker.node("src/user.py::get_user_by_id", lines=(1, 2)).node("src/user.py::get_users", lines=(5, 6))
    maker.node("src/user.py::get_user", lines=(9, 11), docstring="Fetch.")
    maker.node("src/user.py::load_user_profile", lines=(20, 25))
    maker.node("src/user.py::load_user_profile.inner", lines=(22, 23))
    maker.file("src/retry.py", 60)
    maker.node("src/retry.py::HttpRetryPolicy", NodeKind.CLASS, (1, 30), docstring="Decides about another attempt.")
    maker.node("src/retry.py::HttpRetryPolicy.computeBackoff", NodeKind.METHOD, (2, 8))
    maker.node("src/retry.py::Client", NodeKind.CLASS, (31, 50))
    maker.node("src/retry.py::Client.request", NodeKind.METHOD, (33, 40), docstring="Send something.")
    maker.node("src/retry.py::AsyncClient", NodeKind.CLASS, (51, 60))
    maker.node("src/retry.py::AsyncClient.request", NodeKind.METHOD, (53, 60), docstring="Send something.")
    maker.node("src/retry.py::XMLToJSON", lines=(60, 60), docstring="Read C++ style options.")
    maker.file("src/pkg/__init__.py").node("src/pkg/__init__.py::Get", NodeKind.CLASS, (1, 5))
    maker.node("src/pkg/__init__.py::get", lines=(7, 9))
    maker.file("tests/test_user.py")
    maker.node("tests/test_user.py::test_get_user", NodeKind.TEST, (4, 6), is_test=True, docstring="get_user get_user")
    maker.file("docs/noise.py")
    maker.node("docs/noise.py::policy_text").node("docs/noise.py::user_agent").node("docs/noise.py::get_user_")
    return maker.store(tmp_path_factory.mktemp("repo"))


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("get_user", "src/user.py::get_user"),
        ("get_users", "src/user.py::get_users"),
        ("GET_USER", "src/user.py::get_user"),
        ("get_user(", "src/user.py::get_user"),
        ("get_user(1, 'x')", "src/user.py::get_user"),
        ("`get_user`", "src/user.py::get_user"),
        ('"get_user', "src/user.py::get_user"),
        ("get_user*", "src/user.py::get_user"),
        ("^get_user", "src/user.py::get_user"),
        ("{get_user}", "src/user.py::get_user"),
        ("@get_user", "src/user.py::get_user"),
        ("get_user OR", "src/user.py::get_user"),
        ("NOT get_user", "src/user.py::get_user"),
        ("get_user;", "src/user.py::get_user"),
        ("where is get_user called?", "src/user.py::get_user"),
        ("test_get_user", "tests/test_user.py::test_get_user"),
        ("Get", "src/pkg/__init__.py::Get"),
        ("get", "src/pkg/__init__.py::get"),
        ("Client.request", "src/retry.py::Client.request"),
        ("AsyncClient.request", "src/retry.py::AsyncClient.request"),
        ("client::request", "src/retry.py::Client.request"),
        ("user.get_user", "src/user.py::get_user"),
        ("src.user.get_user", "src/user.py::get_user"),
        ("user::get_user", "src/user.py::get_user"),
        ("pkg.Get", "src/pkg/__init__.py::Get"),
        ("src/user.py::get_user", "src/user.py::get_user"),
        ("user.py::load_user_profile.inner", "src/user.py::load_user_profile.inner"),
        ("which verbs go through Client.request?", "src/retry.py::Client.request"),
        ("src/user.py", "src/user.py"),
        ("./src/user.py", "src/user.py"),
        ("user.py", "src/user.py"),
        ("src/user.py:10", "src/user.py::get_user"),
        ("user.py:22", "src/user.py::load_user_profile.inner"),
        ("user.py:25", "src/user.py::load_user_profile"),
        ("user.py:22:7", "src/user.py::load_user_profile.inner"),
        ("user.py:4", "src/user.py"),
        ('File "/home/me/repo/src/user.py", line 10, in get_user', "src/user.py::get_user"),
        ("retry policy", "src/retry.py::HttpRetryPolicy"),
        ("the http retry policy", "src/retry.py::HttpRetryPolicy"),
        ("load user profile", "src/user.py::load_user_profile"),
        ("computebackoff", "src/retry.py::HttpRetryPolicy.computeBackoff"),
        ("compute_backoff", "src/retry.py::HttpRetryPolicy.computeBackoff"),
        ("backoff", "src/retry.py::HttpRetryPolicy.computeBackoff"),
        ("userProfile", "src/user.py::load_user_profile"),
        ("loadUser", "src/user.py::load_user_profile"),
        ("loaduserprofile", "src/user.py::load_user_profile"),
        ("json xml", "src/retry.py::XMLToJSON"),
        ("C++ options", "src/retry.py::XMLToJSON"),
        ("Tests covering the async client request method", "src/retry.py::AsyncClient.request"),
        ("tests that get_user is fetched", "src/user.py::get_user"),
    ],
)
def test_the_first_hit(store: Store, query: str, first: str) -> None:
    assert names(store, query)[0] == first


@pytest.mark.parametrize("query", ["", " \n\t"])
def test_nothing_asked(store: Store, query: str) -> None:
    with pytest.raises(QueryError, match="empty"):
        hybrid_search(store, query)


@pytest.mark.parametrize("limit", [0, -1, MAX_LIMIT + 1])
def test_limits_out_of_range(store: Store, limit: int) -> None:
    with pytest.raises(QueryError, match="range"):
        hybrid_search(store, "user", limit)


@pytest.mark.parametrize(
    "query",
    ["(", '"', "don't", "a-b", "x:y", "C++", "OR", "NOT", "NEAR(a b)", "*", "^", "{}", "name:x", "🐍", "\0", "日本語",
     "\udc80", "a" * 10_000, "(" * 10_000, "a.b." * 3_000, "../../../etc/passwd", "..", "x.py:" + "9" * 30],
    ids=lambda query: repr(query[:12]),
)  # fmt: skip
def test_any_text_is_a_question(store: Store, query: str) -> None:
    assert hybrid_search(store, query).query == query


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(st.text(min_size=1, max_size=60).filter(lambda text: bool(text.strip())))
def test_no_text_breaks_it(store: Store, query: str) -> None:
    hybrid_search(store, query)


def test_tests_come_first_only_when_asked_for(store: Store) -> None:
    assert names(store, "fetch a user")[0] != "tests/test_user.py::test_get_user"
    assert "tests/test_user.py::test_get_user" in names(store, "get_user", include_tests=True)
    assert "tests/test_user.py::test_get_user" not in names(store, "get_user", limit=50, include_tests=False)
    assert names(store, "user", kinds=[NodeKind.TEST]) == ["tests/test_user.py::test_get_user"]


def test_kinds_narrow(store: Store) -> None:
    result = hybrid_search(store, "client request", kinds=[NodeKind.CLASS])
    assert {hit.kind for hit in result.hits} == {NodeKind.CLASS}
    assert result.total == len(result.hits)


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["docs"], {"docs/noise.py"}),
        (["docs/"], {"docs/noise.py"}),
        (["./docs"], {"docs/noise.py"}),
        (["src/*.py"], {"src/user.py"}),
        (["**/noise.py"], {"docs/noise.py"}),
        (["**/user.py"], {"src/user.py"}),
        (["doc"], set()),
        (["src/user.py", "docs"], {"src/user.py", "docs/noise.py"}),
        (["."], {"src/user.py", "docs/noise.py", "tests/test_user.py"}),
    ],
)
def test_paths_narrow(store: Store, paths: list[str], found: set[str]) -> None:
    assert {hit.path for hit in hybrid_search(store, "user", 50, paths=paths).hits} == found


def test_a_hit_explains_itself(store: Store) -> None:
    result = hybrid_search(store, "send something Client.request", 3)
    hit = result.hits[0]
    assert (hit.name, hit.kind, hit.path, hit.start_line, hit.end_line) == (
        "request", NodeKind.METHOD, "src/retry.py", 33, 40,
    )  # fmt: skip
    assert hit.summary == "Send something."
    assert hit.signature == "def request()"
    assert hit.score > 0
    assert {signal.name for signal in hit.why} >= {"mention", "text", "name"}
    assert all(signal.rank >= 1 for signal in hit.why)
    assert len(result.hits) == 3 < result.total


def test_the_same_question_has_the_same_answer(store: Store) -> None:
    assert hybrid_search(store, "user request") == hybrid_search(store, "user request")


def test_keywords_alone_say_so(store: Store) -> None:
    result = hybrid_search(store, "ledger")
    assert result.mode is SearchMode.KEYWORD
    assert "no vectors" in result.notices[0]


def test_without_a_graph(tmp_path: Path) -> None:
    with Store(tmp_path) as empty, pytest.raises(NoGraphError):
        hybrid_search(empty, "x")


def test_with_vectors(tmp_path: Path) -> None:
    embedder = StaticEmbedder()
    maker = GraphMaker().file("a.py")
    maker.node("a.py::erase", docstring="Delete a path from the disk.").node("a.py::draw", docstring="Paint a circle.")
    with maker.store(tmp_path) as store:
        embed_nodes(store, embedder)
        result = hybrid_search(store, "removes files", embedder=embedder)
        assert result.mode is SearchMode.HYBRID
        assert result.notices == ()
        assert result.hits[0].name == "erase"
        assert [signal.name for signal in result.hits[0].why] == ["vector"]
        assert hybrid_search(store, "removes files").mode is SearchMode.KEYWORD
        GraphMaker().file("a.py").node("a.py::erase", docstring="Delete a path from the disk.").store(tmp_path).close()
        assert "no vectors" in hybrid_search(store, "files", embedder=embedder).notices[0]


def test_vectors_of_another_model_are_left_alone(tmp_path: Path) -> None:
    with GraphMaker().file("a.py").node("a.py::alpha").store(tmp_path) as store:
        store.save_vectors(EmbeddingModel("static", "older", 2), [(b"k" * 16, b"\1\2")])
        store.map_vectors([(2, b"k" * 16)])
        result = hybrid_search(store, "alpha", embedder=StaticEmbedder())
        assert result.mode is SearchMode.KEYWORD
        assert "another model (static older, 2 dimensions)" in result.notices[0]
        assert result.hits[0].name == "alpha"


def test_missing_vectors_are_counted(tmp_path: Path) -> None:
    embedder = StaticEmbedder()
    with GraphMaker().file("a.py").node("a.py::alpha").store(tmp_path) as store:
        store.save_vectors(embedder.model, [(b"x" * 16, bytes(256))])
        store.map_vectors([(1, b"x" * 16)])
        assert "1 definitions have no vector" in hybrid_search(store, "alpha", embedder=embedder).notices[0]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Where does Flask dispatch requests?", ("flask", "dispatch", "requests")),
        ("where is it", ("where", "is", "it")),
        ("loadUserProfile", ("load", "user", "profile", "loaduserprofile")),
        ("tests covering the parser", ("parser",)),
        ("the test client", ("test", "client")),
    ],
)
def test_words_of_a_question(query: str, words: tuple[str, ...]) -> None:
    assert understand(query).words == words


@pytest.mark.parametrize(
    ("query", "mentions"),
    [
        ("who calls Client.request?", (Mention(("Client", "request")),)),
        ("a plain question about five different things in here", ()),
        ("retry policy", (Mention(("retrypolicy",)), Mention(("retry_policy",)))),
        ("e.g. the client, or what else may stand around there somewhere", ()),
        ("see src/a.py:12.", (Mention(("src", "a", "py"), 12, is_path=True),)),
        (
            "uses APIRoute, and also the get_user of what stands before us all, nobody knows",
            (Mention(("APIRoute",)), Mention(("get_user",))),
        ),
        ("Path", (Mention(("Path",)),)),
        ("run(x) or `go` later, whatever stands here afterwards", (Mention(("run",)), Mention(("go",)))),
    ],
)
def test_mentions_of_a_question(query: str, mentions: tuple[Mention, ...]) -> None:
    assert understand(query).mentions == mentions


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("tests covering the client", False),
        ("which test exercises the client", False),
        ("test that the client retries", True),
        ("fixture for the client", True),
        ("test_client", True),
        ("the test client", False),
    ],
)
def test_whether_tests_are_wanted(query: str, wanted: bool) -> None:
    assert understand(query).wants_tests is wanted


@pytest.mark.parametrize(
    ("query", "looked_for"),
    [
        ("What turns a view's result into a response, and who calls it?", "What turns a view's result into a response"),
        ("Split an upload into its parts; which tests cover it?", "Split an upload into its parts"),
        ("Where is the cache filled? What are its callers?", "Where is the cache filled"),
        ("Read the settings from disk and where is it used", "Read the settings from disk"),
        ("Who invokes the parser entry point on a file", "the parser entry point on a file"),
        ("who calls it?", "who calls it?"),
        ("Decide who calls the next handler", "Decide who calls the next handler"),
    ],
)
def test_the_walk_is_no_part_of_what_is_looked_for(query: str, looked_for: str) -> None:
    assert understand(query).text == looked_for


@pytest.mark.parametrize(
    ("query", "wanted"), [("Common parent of all readers", True), ("abstract cache", True), ("read a database", False)]
)
def test_whether_a_common_parent_is_wanted(query: str, wanted: bool) -> None:
    assert understand(query).wants_parent is wanted
