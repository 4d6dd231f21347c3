"""Faults that users of code graphs met in Python, each as a few lines of source and the edges that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pytest

from code_review_graph.model import EdgeKind, Graph, Resolution
from code_review_graph.parsing import parse_source
from code_review_graph.resolving import resolve
from code_review_graph.resolving.context import RepositoryContext


class Case(NamedTuple):
    """``calls`` and ``not_calls`` are ``"caller -> callee"``, each ``path::scope``; ``lines`` are exact call sites."""

    files: Mapping[str, str | bytes]
    calls: tuple[str, ...] = ()
    not_calls: tuple[str, ...] = ()
    lines: Mapping[str, tuple[int, ...]] = {}
    tests: tuple[str, ...] = ()
    not_tests: tuple[str, ...] = ()


CASES = {
    "elements reach the lambda that a builtin calls": Case(
        files={
            "rows.py": (
                "class Row:\n    def cost(self): ...\n\n    def merge(self, other): ...\n\n\n"
                "class Other:\n    def cost(self): ...\n\n\n"
                "def cheapest(rows: list[Row]):\n    return sorted(rows, key=lambda row: row.cost())\n\n\n"
                "def costs(rows: list[Row]):\n    return list(map(lambda row: row.cost(), rows))\n\n\n"
                "def kept(rows: list[Row]):\n    return list(filter(lambda row: row.cost(), rows))\n"
            ),
        },
        calls=(
            "rows.py::cheapest -> rows.py::Row.cost",
            "rows.py::costs -> rows.py::Row.cost",
            "rows.py::kept -> rows.py::Row.cost",
        ),
        not_calls=("rows.py::cheapest -> rows.py::Other.cost",),
    ),
    "a weak reference gives what it refers to when it is called": Case(
        files={
            "app.py": (
                "import weakref\n\n\n"
                "class App:\n    def send(self): ...\n\n    def __call__(self): ...\n\n"
                "    def link(self):\n        me = weakref.ref(self)\n        return me().send()\n"
            ),
        },
        calls=("app.py::App.link -> app.py::App.send",),
        not_calls=("app.py::App.link -> app.py::App.__call__",),
    ),
    "super() never reaches what overrides below": Case(
        files={
            "chain.py": (
                "class A:\n    def f(self): ...\n\n\nclass B(A):\n    def f(self):\n        super().f()\n\n\n"
                "class C(B):\n    def f(self): ...\n"
            ),
        },
        calls=("chain.py::B.f -> chain.py::A.f",),
        not_calls=("chain.py::B.f -> chain.py::C.f",),
    ),
    "a pattern that takes every file counts in the folders of the tests only": Case(
        files={
            "pytest.ini": "[pytest]\npython_files = *\ntestpaths = checks\n",
            "shop/stock.py": "def take():\n    return 1\n\n\ndef test_drive():\n    return take()\n",
            "checks/stock.py": "from shop.stock import take\n\n\ndef test_take():\n    assert take()\n",
        },
        tests=("shop/stock.py::take -> checks/stock.py::test_take",),
        not_tests=("shop/stock.py::take -> shop/stock.py::test_drive",),
    ),
    "type parameters in brackets": Case(
        files={
            "shapes.py": (
                "class Circle:\n    def area(self): ...\n\n\nclass Square:\n    def area(self): ...\n\n\n"
                "class Box[T]:\n    def __init__(self, x: T):\n        self.x = x\n\n"
                "    def get(self) -> T:\n        return self.x\n\n"
                "    def all(self) -> list[T]: ...\n\n\n"
                "class Boxes(Box[Circle]): ...\n\n\n"
                "def first[U](xs: list[U]) -> U: ...\n\n\n"
                "def declared(box: Box[Circle]):\n    box.get().area()\n\n\n"
                "def inherited(boxes: Boxes):\n    for one in boxes.all():\n        one.area()\n\n\n"
                "def passed():\n    first([Square()]).area()\n\n\n"
                "def made():\n    Box(Square()).get().area()\n\n\n"
                "def bounded[V: Circle](v: V) -> V:\n    v.area()\n    return v\n"
            ),
        },
        calls=(
            "shapes.py::declared -> shapes.py::Circle.area",
            "shapes.py::inherited -> shapes.py::Circle.area",
            "shapes.py::passed -> shapes.py::Square.area",
            "shapes.py::made -> shapes.py::Square.area",
            "shapes.py::bounded -> shapes.py::Circle.area",
        ),
        not_calls=(
            "shapes.py::declared -> shapes.py::Square.area",
            "shapes.py::inherited -> shapes.py::Square.area",
            "shapes.py::passed -> shapes.py::Circle.area",
            "shapes.py::made -> shapes.py::Circle.area",
        ),
    ),
    "what is sent into a declared generator": Case(
        files={
            "flow.py": (
                "from typing import Generator\n\n\n"
                "class Request: ...\n\n\nclass Response:\n    def status(self): ...\n\n\n"
                "def talk(request: Request) -> Generator[Request, Response, None]:\n"
                "    response = yield request\n    response.status()\n"
            ),
        },
        calls=("flow.py::talk -> flow.py::Response.status",),
    ),
    "a package's __init__ re-exports under another name": Case(
        files={
            "geometry/__init__.py": "from .rect import area as extent\n",
            "geometry/rect.py": "def area(w, h):\n    return w * h\n",
            "finish.py": "def extent(coat):\n    return coat\n",
            "app.py": "from geometry import extent\n\n\ndef cost():\n    return extent(4, 5)\n",
        },
        calls=("app.py::cost -> geometry/rect.py::area",),
        not_calls=("app.py::cost -> finish.py::extent",),
    ),
    "two modules define the same helper": Case(
        files={
            "money.py": "def show(v):\n    return f'{v:.2f}'\n\n\ndef bill(v):\n    return show(v)\n",
            "weight.py": "def show(v):\n    return f'{v} kg'\n",
            "sticker.py": "def parcel(v):\n    from weight import show\n\n    return show(v)\n",
        },
        calls=("money.py::bill -> money.py::show", "sticker.py::parcel -> weight.py::show"),
        not_calls=("money.py::bill -> weight.py::show", "sticker.py::parcel -> money.py::show"),
    ),
    "super() goes to the nearest base and no further": Case(
        files={
            "animals.py": (
                "class Animal:\n    def sound(self):\n        return ''\n\n\n"
                "class Dog(Animal):\n    def sound(self):\n        return 'w' + super().sound()\n"
            ),
            "puppies.py": (
                "from animals import Animal, Dog\n\n\n"
                "class Puppy(Dog, Animal):\n    def sound(self):\n        return super().sound()\n"
            ),
            "engines.py": "class Engine:\n    def sound(self):\n        return 'vroom'\n",
        },
        calls=(
            "puppies.py::Puppy.sound -> animals.py::Dog.sound",
            "animals.py::Dog.sound -> animals.py::Animal.sound",
        ),
        not_calls=(
            "puppies.py::Puppy.sound -> engines.py::Engine.sound",
            "puppies.py::Puppy.sound -> puppies.py::Puppy.sound",
            "puppies.py::Puppy.sound -> animals.py::Animal.sound",
        ),
    ),
    "a parameter or a local hides an imported function": Case(
        files={
            "post.py": "def deliver(x):\n    return x\n",
            "office.py": (
                "from post import deliver\n\n\n"
                "def straight(x):\n    return deliver(x)\n\n\n"
                "def handed(deliver, x):\n    return deliver(x)\n\n\n"
                "def replaced(x):\n    deliver = repr\n    return deliver(x)\n"
            ),
        },
        calls=("office.py::straight -> post.py::deliver",),
        not_calls=("office.py::handed -> post.py::deliver", "office.py::replaced -> post.py::deliver"),
    ),
    "every call site keeps its own line": Case(
        files={
            "sink.py": "def put(x):\n    return x\n",
            "source.py": (
                "from sink import put\n\n\ndef empty(rows):\n    put('first')\n"
                "    for row in rows:\n        put(row)\n    return [put(row) for row in rows]\n"
            ),
        },
        lines={"source.py::empty -> sink.py::put": (5, 7, 8)},
    ),
    "a parametrised method is found by its call, not a test by its name": Case(
        files={
            "maths.py": "def plus(a, b):\n    return a + b\n\n\ndef compute(op, a, b):\n    return plus(a, b)\n",
            "tests/test_maths.py": (
                "import pytest\nfrom maths import compute\n\n\nclass TestRoutes:\n"
                "    @pytest.mark.parametrize('op', ['+'])\n    def test_addition(self, op):\n"
                "        assert compute(op, 1, 2) == 3\n\n\ndef test_compute_is_quick():\n    assert True\n"
            ),
        },
        tests=("maths.py::compute -> tests/test_maths.py::TestRoutes.test_addition",),
        not_tests=("maths.py::compute -> tests/test_maths.py::test_compute_is_quick",),
    ),
    "names that only look like tests": Case(
        files={
            "tally.py": "def total(xs):\n    return sum(xs)\n",
            "contests/board.py": "from tally import total\n\n\ndef test_drive(xs):\n    return total(xs)\n",
            "tests/test_tally.py": "from tally import total\n\n\ndef test_sum():\n    assert total([1]) == 1\n",
            "attest.py": "from tally import total\n\n\ndef attest(xs):\n    return total(xs)\n",
        },
        tests=("tally.py::total -> tests/test_tally.py::test_sum",),
        not_tests=("tally.py::total -> contests/board.py::test_drive", "tally.py::total -> attest.py::attest"),
    ),
    "byte order mark and CRLF": Case(
        files={
            "win.py": b'\xef\xbb\xbf"""\xc3\x89t\xc3\xa9."""\r\n\r\n\r\ndef up():\r\n    return down()\r\n\r\n\r\n'
            b"def down():\r\n    return 1\r\n"
        },
        lines={"win.py::up -> win.py::down": (5,)},
    ),
    "names after text of several bytes a character": Case(
        files={
            "glyphs.py": (
                "# → naïve 🎉 日本\nLABEL = 'ünï'\n\n\ndef first():\n    return second()\n\n\n"
                "def second():\n    return LABEL\n"
            ),
        },
        calls=("glyphs.py::first -> glyphs.py::second",),
    ),
    "a syntax error costs only itself": Case(
        files={
            "torn.py": (
                "def top():\n    return end()\n\n\ndef bad():\n    x = = 2\n    return x\n\n\n"
                "def end():\n    return 1\n"
            ),
        },
        calls=("torn.py::top -> torn.py::end",),
    ),
    "nesting without end beside a good file": Case(
        files={
            "deep.py": "X = " + "(" * 2500 + "1" + ")" * 2500 + "\n",
            "calm.py": "def still():\n    return water()\n\n\ndef water():\n    return 1\n",
        },
        calls=("calm.py::still -> calm.py::water",),
    ),
    "names that differ only in case": Case(
        files={
            "tool.py": "def take(k):\n    return k\n",
            "Tool.py": "def take(k):\n    return None\n\n\ndef Take(k):\n    return take(k)\n",
            "run.py": "from tool import take\n\n\ndef main():\n    return take(1)\n",
        },
        calls=("run.py::main -> tool.py::take", "Tool.py::Take -> Tool.py::take"),
        not_calls=(
            "run.py::main -> Tool.py::take",
            "Tool.py::Take -> Tool.py::Take",
            "Tool.py::Take -> tool.py::take",
        ),
    ),
    "a call whose callee is gone moves to nothing else": Case(
        files={
            "caller.py": "import lib\n\n\ndef go():\n    return lib.gone()\n",
            "lib.py": "def stays():\n    return 1\n",
            "other.py": "def gone():\n    return 2\n",
        },
        not_calls=("caller.py::go -> other.py::gone",),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_case(case: Case) -> None:
    graph = _graph(case.files)
    calls = _edges(graph, EdgeKind.CALLS)
    tests = _edges(graph, EdgeKind.TESTED_BY)
    assert set(case.calls) <= calls.keys()
    assert not set(case.not_calls) & calls.keys()
    assert {edge: calls.get(edge) for edge in case.lines} == dict(case.lines)
    assert set(case.tests) <= tests.keys()
    assert not set(case.not_tests) & tests.keys()


def _graph(files: Mapping[str, str | bytes]) -> Graph:
    sources = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    config = {path: source for path, source in sources.items() if not path.endswith(".py")}
    parsed = [(path, parse_source(path, sources[path]).facts) for path in sorted(sources.keys() - config.keys())]
    return resolve(parsed, RepositoryContext(config))


def _edges(graph: Graph, kind: EdgeKind) -> dict[str, tuple[int, ...]]:
    """Certain edges as ``"source -> target"`` with their lines."""
    names = {node.id: node.qualified_name for node in graph.nodes}
    return {
        f"{names[edge.source]} -> {names[edge.target]}": edge.lines
        for edge in graph.edges
        if edge.kind is kind and edge.resolution is not Resolution.GUESS
    }
