"""What definitions of a Go file look like as nodes, and how packages are found without a word from a go.mod."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from code_review_graph.model import EdgeKind, Graph, Node, NodeKind
from code_review_graph.parsing import parse_source
from code_review_graph.resolving import RepositoryContext, resolve


def graph_of(files: Mapping[str, str]) -> Graph:
    sources = {path: textwrap.dedent(text).encode() for path, text in files.items()}
    parsed = [(path, parse_source(path, text).facts) for path, text in sources.items() if path.endswith(".go")]
    config = {path: text for path, text in sources.items() if not path.endswith(".go")}
    return resolve(parsed, RepositoryContext(config))


def calls(graph: Graph) -> set[tuple[str, str]]:
    names = [node.qualified_name for node in graph.nodes]
    return {(names[e.source - 1], names[e.target - 1]) for e in graph.edges if e.kind is EdgeKind.CALLS}


SOURCE = """\
    // Package shop sells things.
    package shop

    // Limit is how many fit.
    const Limit = 3

    var (
        // total counts.
        total, rest = count(), 1
        _           = count()
    )

    // Cart holds things.
    //
    //nolint:all
    type Cart struct {
        n int
    }

    /* Add puts one
       more into the cart. */
    func (c *Cart) Add(
        n int, // how many
    ) (int, error) {
        return n, nil
    }

    // Not about count.

    func count() int { return 0 }

    type (
        // Seller sells.
        Seller interface {
            // Sell sells one.
            Sell(n int) error
        }
        Handler func(n int) error
    )

    type Old = Cart

    // Run runs.
    var Run = func(n int) int { return count() }

    func init() {}
    func init() {}

    type List[T any] struct{ items []T }

    func (l *List[T]) Len() int { return 0 }

    func Map[T any](xs []T) int {
        type local struct{}
        return 0
    }
"""


def node(graph: Graph, name: str) -> Node:
    return next(item for item in graph.nodes if item.qualified_name == f"shop.go::{name}")


def test_kinds_and_names() -> None:
    graph = graph_of({"shop.go": SOURCE})
    kinds = {item.qualified_name.partition("::")[2]: item.kind for item in graph.nodes}
    assert kinds == {
        "": NodeKind.FILE,
        "Limit": NodeKind.CONSTANT,
        "total": NodeKind.CONSTANT,
        "rest": NodeKind.CONSTANT,
        "Cart": NodeKind.CLASS,
        "Cart.Add": NodeKind.METHOD,
        "count": NodeKind.FUNCTION,
        "Seller": NodeKind.INTERFACE,
        "Seller.Sell": NodeKind.METHOD,
        "Handler": NodeKind.CLASS,
        "Old": NodeKind.TYPE,
        "Run": NodeKind.FUNCTION,
        "init": NodeKind.FUNCTION,
        f"init@{SOURCE[: SOURCE.rindex('func init')].count(chr(10)) + 1}": NodeKind.FUNCTION,
        "List": NodeKind.CLASS,
        "List.Len": NodeKind.METHOD,
        "Map": NodeKind.FUNCTION,
        "Map.local": NodeKind.CLASS,
    }


def test_comments_are_docstrings() -> None:
    graph = graph_of({"shop.go": SOURCE})
    assert graph.nodes[0].docstring == "Package shop sells things."
    docstrings = {item.name: item.docstring for item in graph.nodes[1:] if item.docstring}
    assert docstrings == {
        "Limit": "Limit is how many fit.",
        "total": "total counts.",
        "rest": "total counts.",
        "Cart": "Cart holds things.",
        "Add": "Add puts one\nmore into the cart.",
        "Seller": "Seller sells.",
        "Sell": "Sell sells one.",
        "Run": "Run runs.",
    }


def test_signatures() -> None:
    graph = graph_of({"shop.go": SOURCE})
    assert node(graph, "Cart.Add").signature == "func (c *Cart) Add( n int, ) (int, error)"
    assert node(graph, "Cart").signature == "type Cart struct"
    assert node(graph, "Seller.Sell").signature == "Sell(n int) error"
    assert node(graph, "Handler").signature == "type Handler func(n int) error"
    assert node(graph, "Run").signature == "var Run = func(n int) int"
    assert node(graph, "Limit").signature == "const Limit = 3"


def test_members_belong_to_their_type() -> None:
    graph = graph_of({"shop.go": SOURCE, "more.go": "package shop\n\nfunc (c Cart) Clear() {}\n"})
    cart = node(graph, "Cart").id
    assert node(graph, "Cart.Add").parent == cart
    assert next(item for item in graph.nodes if item.qualified_name == "more.go::Cart.Clear").parent == cart


def test_initial_values_are_called_by_their_variable() -> None:
    graph = graph_of({"shop.go": SOURCE})
    assert {source for source, target in calls(graph) if target == "shop.go::count"} == {
        "shop.go", "shop.go::total", "shop.go::Run",
    }  # fmt: skip


def test_module_path_is_inferred_from_imports() -> None:
    graph = graph_of({
        "cmd/main.go": """\
            package main

            import (
                "strings"

                text "git.example.com/shop/strings"
                "git.example.com/shop/store"
                other "github.com/other/store"
            )

            func main() { store.Open(); other.Open() }
            """,
        "store/store.go": "package store\n\nfunc Open() {}\n",
        "strings/strings.go": "package strings\n",
    })  # fmt: skip
    assert calls(graph) == {("cmd/main.go::main", "store/store.go::Open")}


def test_nearest_module_counts() -> None:
    graph = graph_of({
        "go.mod": "module example.com/a\n",
        "go.work": "go 1.21\nuse (\n\t.\n\t./b\n)\nreplace example.com/c => ./elsewhere\n",
        "b/go.mod": "module example.com/a/b // the inner one\n",
        "b/x/x.go": "package x\n\nfunc F() {}\n",
        "elsewhere/d/d.go": "package d\n\nfunc G() {}\n",
        "main.go": """\
            package main

            import (
                "example.com/a/b/x"
                "example.com/c/d"
            )

            func main() {
                x.F()
                d.G()
            }
            """,
    })  # fmt: skip
    assert calls(graph) == {("main.go::main", "b/x/x.go::F"), ("main.go::main", "elsewhere/d/d.go::G")}


def test_broken_files_keep_what_parses() -> None:
    graph = graph_of(
        {"a.go": "package a\n\nfunc good() { other() }\n\nfunc bad() { x = ) }\n\nfunc other() {}\n", "b.go": "\x00"}
    )
    assert ("a.go::good", "a.go::other") in calls(graph)
