"""What the source of a repository says, by CPython's own parser: definitions, and call sites with their callers.

All rigs speak of a definition by its ``Key``: path and qualified name inside the file. Redefinitions of a name in one
scope (overloads, property setters, branches of an ``if``) share a key. Standard library only: the recorder runs inside
the measured project's own environment.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
KEYWORD = re.compile(r"\s*(async\s+def|def|class)\s+")
SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "build", "dist", "site-packages"})


class Key(NamedTuple):
    """A definition: relative posix path and dotted name; the empty name is the file itself (module level)."""

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}::{self.name}" if self.name else self.path


@dataclass(frozen=True, slots=True)
class Definition:
    """A ``def`` or ``class``: ``line`` and ``column`` (in characters) of its name, ``first_line`` of the whole."""

    key: Key
    is_class: bool
    line: int
    column: int
    first_line: int
    end_line: int
    parent: Key
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()

    @property
    def bare_name(self) -> str:
        return self.key.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call expression, or (``form == "decorator"``) a decorator that is applied without being called itself.

    ``line`` and ``column`` are those of the callee's name (its last part), ``first_line``/``end_line`` those of the
    whole expression, ``end_column`` is in bytes. ``name`` is the name as written ("" where there is none).
    ``caller`` is the enclosing function (lambdas, comprehensions and class bodies fold into it), else the file.
    """

    caller: Key
    form: str
    name: str
    line: int
    column: int
    first_line: int
    end_line: int
    end_column: int
    decorates: bool = False


@dataclass(slots=True)
class Module:
    """The definitions and call sites of one file, and what its imports rename (local name -> original name)."""

    path: str
    lines: list[str]
    definitions: list[Definition] = field(default_factory=list)
    sites: list[CallSite] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)

    def definition_at(self, line: int) -> Definition | None:
        """The definition whose declared name stands on ``line``."""
        return next((d for d in self.definitions if d.line == line), None)

    def source(self, line: int) -> str:
        """The stripped text of a 1-based line."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""


def dotted_name(node: ast.expr) -> str:
    """``a.b.c`` as written, without subscripts and calls; what is not a name becomes an empty part."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted_name(node.value)}.{node.attr}"
    if isinstance(node, ast.Call):
        return dotted_name(node.func)
    return dotted_name(node.value) if isinstance(node, ast.Subscript) else ""


class _Scope(NamedTuple):
    key: Key  # prefix of the names defined here
    caller: Key  # who makes the calls that stand here
    receiver: str  # the first parameter of the innermost method, else ""
    is_class: bool


class _Visitor(ast.NodeVisitor):
    def __init__(self, module: Module) -> None:
        self.module = module
        root = Key(module.path, "")
        self.scopes = [_Scope(root, root, "", is_class=False)]

    def visit_Import(self, node: ast.Import) -> None:
        self._alias(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self._alias(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        key = self._define(
            node, is_class=True, bases=tuple(dotted_name(base).rpartition(".")[2] for base in node.bases)
        )
        outer = self.scopes[-1]
        for child in (*node.bases, *node.keywords):
            self.visit(child)
        self._inside(_Scope(key, outer.caller, outer.receiver, is_class=True), node.body)

    def visit_Call(self, node: ast.Call) -> None:
        self._site(node, node.func, self._form(node.func))
        self.generic_visit(node)

    def _alias(self, node: ast.Import | ast.ImportFrom) -> None:
        for name in node.names:
            if name.asname:
                self.module.aliases[name.asname] = name.name.rpartition(".")[2]

    def _function(self, node: FunctionNode) -> None:
        key = self._define(node, is_class=False)
        self.visit(node.args)
        if node.returns:
            self.visit(node.returns)
        outer = self.scopes[-1]
        parameters = [*node.args.posonlyargs, *node.args.args]
        receiver = parameters[0].arg if outer.is_class and parameters else outer.receiver
        self._inside(_Scope(key, key, receiver, is_class=False), node.body)

    def _define(self, node: FunctionNode | ast.ClassDef, *, is_class: bool, bases: tuple[str, ...] = ()) -> Key:
        outer = self.scopes[-1].key
        key = Key(outer.path, f"{outer.name}.{node.name}" if outer.name else node.name)
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        decorators = tuple(dotted_name(d) for d in node.decorator_list)
        end = node.end_lineno or node.lineno
        keyword = KEYWORD.match(self.module.lines[node.lineno - 1])
        column = keyword.end() if keyword else node.col_offset
        self.module.definitions.append(
            Definition(key, is_class, node.lineno, column, first, end, outer, bases, decorators)
        )
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call):
                self._site(decorator, decorator.func, self._form(decorator.func), decorates=True)
                self.generic_visit(decorator)
            else:
                self._site(decorator, decorator, "decorator", decorates=True)
                self.visit(decorator)
        return key

    def _inside(self, scope: _Scope, body: list[ast.stmt]) -> None:
        self.scopes.append(scope)
        for statement in body:
            self.visit(statement)
        self.scopes.pop()

    def _form(self, callee: ast.expr) -> str:
        if isinstance(callee, ast.Name):
            return "super" if callee.id == "super" else "name"
        if not isinstance(callee, ast.Attribute):
            return "other"
        receiver = callee.value
        if isinstance(receiver, ast.Name) and receiver.id and receiver.id == self.scopes[-1].receiver:
            return "self"
        is_super = (
            isinstance(receiver, ast.Call) and isinstance(receiver.func, ast.Name) and receiver.func.id == "super"
        )
        return "super" if is_super else "attribute"

    def _site(self, node: ast.expr, callee: ast.expr, form: str, *, decorates: bool = False) -> None:
        name = callee.attr if isinstance(callee, ast.Attribute) else callee.id if isinstance(callee, ast.Name) else ""
        end_line, end_column = callee.end_lineno or callee.lineno, callee.end_col_offset or 0
        column = end_column - len(name.encode())
        self.module.sites.append(
            CallSite(
                caller=self.scopes[-1].caller,
                form=form,
                name=name,
                line=end_line,
                column=column,
                first_line=node.lineno,
                end_line=node.end_lineno or node.lineno,
                end_column=node.end_col_offset or 0,
                decorates=decorates,
            )
        )


def read_module(root: Path, path: str) -> Module | None:
    """The file's definitions and sites; None where CPython cannot parse it."""
    source = (root / path).read_bytes()
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    module = Module(path, source.decode("utf-8", "replace").splitlines())
    _Visitor(module).visit(tree)
    return module


def python_paths(root: Path) -> Iterator[str]:
    """Relative posix paths of the repository's Python files, hidden and built folders aside."""
    for file in sorted(root.rglob("*.py")):
        relative = file.relative_to(root)
        if not any(part.startswith(".") or part in SKIPPED_FOLDERS for part in relative.parts[:-1]):
            yield relative.as_posix()


@dataclass(slots=True)
class Sources:
    """All parsed modules of a repository and the look-ups that every scorer needs."""

    root: Path
    modules: dict[str, Module]
    definitions: dict[Key, Definition]

    def is_class(self, key: Key) -> bool:
        definition = self.definitions.get(key)
        return definition is not None and definition.is_class

    def folded(self, key: Key) -> Key:
        """A constructor's key becomes its class's, so that an edge to either is one edge."""
        owner, _, name = key.name.rpartition(".")
        parent = Key(key.path, owner)
        return parent if name in {"__init__", "__new__"} and self.is_class(parent) else key

    def calling(self, key: Key) -> Key:
        """The caller that a class body folds into: the enclosing function, else the file."""
        while key.name and self.is_class(key):
            key = self.definitions[key].parent
        return key


def read_sources(root: Path) -> Sources:
    """Parse every Python file under ``root``."""
    modules = {path: module for path in python_paths(root) if (module := read_module(root, path))}
    definitions = {d.key: d for module in modules.values() for d in module.definitions}
    return Sources(root, modules, definitions)


def is_test_path(path: str) -> bool:
    """Whether the file belongs to the tests, by the customs of pytest and unittest."""
    *folders, name = path.split("/")
    return (
        bool({"tests", "test", "testing"} & set(folders))
        or name.startswith("test_")
        or name
        in {
            "conftest.py",
            "tests.py",
        }
        or name.endswith("_test.py")
    )
