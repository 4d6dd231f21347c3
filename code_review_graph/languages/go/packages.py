"""How Go finds a package: modules, replacements, work spaces, vendored code, folders."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Final

from code_review_graph.facts import BindingKind
from code_review_graph.program import Program
from code_review_graph.values import MODULE, Value

_MODULE: Final = re.compile(r"^\s*module\s+[\"`]?([^\s\"`]+)", re.MULTILINE)
_REPLACE: Final = re.compile(
    r"^\s*(?:replace\s+)?([^\s=(]+)(?:\s+v\S+)?\s*=>\s*(\.{1,2}(?:/\S*)?)\s*(?://.*)?$", re.MULTILINE
)
_IMPORT: Final = int(BindingKind.IMPORT)
LANGUAGE: Final = "go"

Package = tuple[str, str]  # folder, name in the package clause


class Packages:
    """Packages of a repository and the paths under which they are imported."""

    def __init__(self, program: Program, config_files: Mapping[str, bytes]) -> None:
        self._program = program
        self.files: dict[Package, list[int]] = defaultdict(list)
        self.package_of: dict[int, Package] = {}
        self._names: dict[Package, dict[str, list[int]]] = {}
        self._folders: dict[str, list[str]] = defaultdict(list)  # names of the packages in a folder
        for file, facts in enumerate(program.files):
            if facts.language == LANGUAGE:
                package = (facts.path.rpartition("/")[0], facts.package)
                self.files[package].append(file)
                self.package_of[file] = package
        for folder, name in self.files:
            self._folders[folder].append(name)
        self._modules: list[tuple[str, str]] = []  # import path, folder; longest path first
        self._replaced: dict[str, dict[str, str]] = {}  # by the folder of a go.mod
        self._read_modules(config_files)
        self._known: dict[tuple[str, str], Value | None] = {}

    # -- modules

    def _read_modules(self, config_files: Mapping[str, bytes]) -> None:
        found: dict[str, str] = {}
        for path in sorted(config_files, key=lambda item: (item.count("/"), item)):
            folder, _, file = path.rpartition("/")
            if file not in {"go.mod", "go.work"}:
                continue
            text = config_files[path].decode("utf-8", "replace")
            module = _MODULE.search(text) if file == "go.mod" else None
            if module is not None:
                found.setdefault(module[1], folder)
            self._replaced.setdefault(folder, {}).update(
                {old: _joined(folder, new) for old, new in _REPLACE.findall(text)}
            )
        if not found:
            found = self._inferred_module()
        self._modules = sorted(found.items(), key=lambda item: -len(item[0]))

    def _inferred_module(self) -> dict[str, str]:
        """Without a go.mod: the prefix that most imports put before a folder of the repository."""
        prefixes: Counter[str] = Counter()
        folders = [folder for folder in self._folders if folder]
        for facts in self._program.files:
            for item in facts.imports if facts.language == LANGUAGE else ():
                if "." in item.module.partition("/")[0]:
                    matching = [folder for folder in folders if item.module.endswith("/" + folder)]
                    prefixes.update(item.module[: -len(folder) - 1] for folder in matching)
        best = prefixes.most_common(1)
        return {best[0][0]: ""} if best else {}

    def find(self, importer: int, path: str) -> Value | None:
        """Module value of an import path; None when it leads out of the repository."""
        here = self._program.files[importer].path.rpartition("/")[0]
        key = (here, path)
        if key not in self._known:
            folder = self._folder(here, path)
            self._known[key] = None if folder is None else self._module(folder)
        return self._known[key]

    def _folder(self, here: str, path: str) -> str | None:
        if path.startswith("."):
            return self._existing(_joined(here, path))
        for folder in _upwards(here):
            vendored = self._existing(_joined(folder, f"vendor/{path}"))
            if vendored is not None:
                return vendored
        for folder in _upwards(here):
            for old, new in self._replaced.get(folder, {}).items():
                if path == old or path.startswith(old + "/"):
                    return self._existing(_joined(new, path[len(old) + 1 :]))
        for module, folder in self._modules:
            if path == module or path.startswith(module + "/"):
                return self._existing(_joined(folder, path[len(module) + 1 :]))
        return None

    def _existing(self, folder: str) -> str | None:
        return folder if folder in self._folders else None

    def _module(self, folder: str) -> Value | None:
        package = self._importable(folder)
        return None if package is None else (MODULE, self.files[package][0], folder)

    def _importable(self, folder: str) -> Package | None:
        """The package of a folder that others import: not its external tests, nor a stray program beside it."""
        packages = [(folder, name) for name in self._folders[folder] if not name.endswith("_test")]
        if not packages:
            return None
        named = posixpath.basename(folder)
        return max(packages, key=lambda item: (item[1] != "main", len(self._sources(item)), item[1] == named))

    def _sources(self, package: Package) -> list[int]:
        return [file for file in self.files[package] if not self.is_test_file(file)]

    def is_test_file(self, file: int) -> bool:
        """Whether only ``go test`` compiles a file."""
        return self._program.files[file].path.endswith("_test.go")

    # -- names of a package

    def declaring(self, package: Package, name: str) -> list[int]:
        """Files of a package that declare a name."""
        known = self._names.get(package)
        if known is None:
            known = self._names[package] = defaultdict(list)
            for file in self.files.get(package, ()):
                scope = self._program.scopes[self._program.scope_base[file]]
                for declared, bindings in scope.bindings.items():
                    if bindings[0][0] != _IMPORT:
                        known[declared].append(file)
        return known.get(name, [])


def _joined(folder: str, path: str) -> str:
    joined = posixpath.normpath(posixpath.join(folder, path)) if path else folder
    return "" if joined == "." else joined


def _upwards(folder: str) -> list[str]:
    """A folder and those around it, innermost first."""
    found = [folder]
    while folder:
        folder = folder.rpartition("/")[0]
        found.append(folder)
    return found
