"""Java packages: the files that declare them, whatever the folders, and the types in them."""

from __future__ import annotations

from collections import defaultdict

from code_review_graph.facts import BindingKind
from code_review_graph.program import Program
from code_review_graph.values import MODULE, Value


class Packages:
    """Packages of one repository; a module value carries the dotted name of a package or of a type."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.files: dict[str, list[int]] = defaultdict(list)
        self._declaring: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._known: dict[tuple[str, str], Value | None] = {}
        self._folders: list[list[str]] = []
        for file, facts in enumerate(program.files):
            self._folders.append(facts.path.split("/")[:-1])
            if facts.language != "java":
                continue
            self.files[facts.package].append(file)
            for name, bindings in program.scopes[program.scope_base[file]].bindings.items():
                if any(kind == BindingKind.DEFINITION for kind, _, _ in bindings):
                    self._declaring[(facts.package, name)].append(file)

    def package_of(self, file: int) -> str:
        """The package that a file declares."""
        return self._program.files[file].package

    def declaring(self, package: str, name: str, importer: int) -> list[int]:
        """Files of a package that declare a type; of several the nearest to the importer."""
        files = self._declaring.get((package, name), [])
        if len(files) < 2:
            return files
        return [max(files, key=lambda file: (self._shared(file, importer), -file))]

    def _shared(self, file: int, importer: int) -> int:
        count = 0
        for one, other in zip(self._folders[file], self._folders[importer], strict=False):
            if one != other:
                break
            count += 1
        return count

    def find(self, importer: int, dotted: str) -> Value | None:
        """Module value of a package, or of a type in one; None for what is outside."""
        files = self.files.get(dotted)
        if files:
            return (MODULE, files[0], dotted)
        package, path = self.split(dotted)
        if not path:
            return None
        found = self.declaring(package, path[0], importer)
        return (MODULE, found[0], dotted) if found else None

    def split(self, dotted: str) -> tuple[str, list[str]]:
        """The longest package that a dotted name starts with, and the types after it."""
        parts = dotted.split(".")
        for length in range(len(parts), 0, -1):
            package = ".".join(parts[:length])
            if package in self.files:
                return package, parts[length:]
        return "", parts if "" in self.files else []

    def is_package(self, module: Value) -> bool:
        """Whether a module value means a package."""
        return module[2] in self.files
