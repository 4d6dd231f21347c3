"""How Python finds a module: roots, packages, namespace packages, relative levels."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import Final

from code_review_graph.program import Program
from code_review_graph.values import MODULE, Value

_STANDARD: Final = frozenset(sys.stdlib_module_names)
_SUFFIXES: Final = (".py", ".pyi", ".pyw")


class Modules:
    """Module look-up over the files of one repository.

    A *root* is a folder from which an absolute import may start: one that holds modules or packages and is not a
    package itself. Importers prefer the nearest root above them, then the roots in order of depth.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._files: dict[str, int] = {}
        self._folders: set[str] = set()
        self._file_folders = [path.rpartition("/")[0] for path in program.paths]
        packages: set[str] = set()
        for path, index in program.file_of_path.items():
            stem, dot, suffix = path.rpartition(".")
            folder, _, name = stem.rpartition("/")
            if dot + suffix not in _SUFFIXES or not name:
                continue
            if stem not in self._files or suffix == "py":
                self._files[stem] = index
            if name == "__init__":
                packages.add(folder)
            while folder not in self._folders:
                self._folders.add(folder)
                folder = folder.rpartition("/")[0]
        self._roots_of: dict[str, list[str]] = defaultdict(list)
        inside: dict[str, set[str]] = defaultdict(set)
        for item in (*self._files, *self._folders):
            folder, _, name = item.rpartition("/")
            inside[folder].add(name)
        for root in sorted(self._folders - packages, key=lambda item: (item.count("/") + bool(item), item)):
            for name in inside[root]:
                self._roots_of[name].append(root)
        self._known: dict[tuple[str, str, int], Value | None] = {}

    def find(self, importer: int, module: str, level: int) -> Value | None:
        """Module value of an import; None when it leads out of the repository."""
        folder = self._file_folders[importer]
        key = (folder, module, level)
        if key not in self._known:
            self._known[key] = self._relative(folder, module, level) if level else self._absolute(folder, module)
        return self._known[key]

    def _relative(self, folder: str, module: str, level: int) -> Value | None:
        for _ in range(level - 1):
            if not folder:
                return None
            folder = folder.rpartition("/")[0]
        return self.at(_join(folder, module.replace(".", "/")))

    def _absolute(self, folder: str, module: str) -> Value | None:
        top = module.split(".", 1)[0]
        for root in self._candidates(folder, top):
            found = self.at(_join(root, module.replace(".", "/")))
            if found is not None:
                return found
        return None

    def _candidates(self, folder: str, top: str) -> list[str]:
        roots = self._roots_of.get(top, [])
        above = [root for root in roots if not root or folder == root or folder.startswith(f"{root}/")]
        if top in _STANDARD:
            # The standard library wins, except over a script's own folder.
            return [root for root in above if root == folder]
        nearest = sorted(above, key=len, reverse=True)
        others = [root for root in roots if root not in above]
        return nearest + sorted(others, key=lambda root: -_shared(root, folder))

    def at(self, stem: str) -> Value | None:
        """Module at a path without suffix: a package, a module, or a folder of modules."""
        if stem in self._folders:
            package = self._files.get(f"{stem}/__init__" if stem else "__init__", -1)
            if package >= 0 or stem not in self._files:
                return (MODULE, package, stem)
        file = self._files.get(stem)
        return None if file is None else (MODULE, file, "")

    def submodule(self, module: Value, name: str) -> Value | None:
        """Module ``name`` inside a package; None for a plain module."""
        return self.at(_join(module[2], name)) if module[2] else None


def _join(folder: str, rest: str) -> str:
    return f"{folder}/{rest}" if folder and rest else folder or rest


def _shared(left: str, right: str) -> int:
    count = 0
    for one, other in zip(left.split("/"), right.split("/"), strict=False):
        if one != other:
            break
        count += 1
    return count
