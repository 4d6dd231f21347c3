"""What ``tsconfig.json`` and ``jsconfig.json`` files say of where modules lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from code_review_graph.languages.javascript.jsonc import read_object
from code_review_graph.languages.javascript.packages import folders_above, join

_NAMES: Final = ("tsconfig.json", "jsconfig.json")
_OWN_FOLDER: Final = "${configDir}"
_OPTIONS: Final = frozenset({"baseUrl", "paths", "rootDirs", "outDir", "declarationDir", "rootDir"})
# Configurations that extend each other any further are a mistake.
MAX_DEPTH: Final = 16

# Values of options, each with the folder of the file that sets it.
Options = dict[str, tuple[Any, str]]


@dataclass(slots=True)
class Project:
    """Where the modules of one configuration lie: folders and patterns seen from the repository's root."""

    base: str | None = None
    paths: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])
    roots: list[str] = field(default_factory=list[str])
    built: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # folder of the results, of the sources

    def targets(self, specifier: str, least: int = 0) -> list[str]:
        """Paths that a specifier may mean, by the pattern with most text, and at least ``least``, before its star."""
        best: list[str] = []
        longest = least - 1
        for pattern, targets in self.paths:
            head, star, tail = pattern.partition("*")
            if not star and pattern == specifier:
                return targets
            fits = star and specifier.startswith(head) and specifier.endswith(tail)
            if fits and len(specifier) >= len(head) + len(tail) and len(head) > longest:
                longest = len(head)
                middle = specifier[len(head) : len(specifier) - len(tail)]
                best = [join("", target.replace("*", middle, 1)) for target in targets]
        return best


class Projects:
    """The configurations of one repository."""

    def __init__(self, config_files: Mapping[str, bytes], package_folder: Callable[[str, str], str | None]) -> None:
        self._files = {
            path: read_object(content)
            for path, content in config_files.items()
            if path.rpartition("/")[2].startswith(("tsconfig", "jsconfig"))
        }
        self._package_folder = package_folder
        self._options: dict[str, Options] = {}
        self._own: dict[str, list[Project]] = {}
        self._around: dict[str, list[list[Project]]] = {}

    def around(self, folder: str) -> list[list[Project]]:
        """Projects to which files of a folder may belong: those of the nearest configuration first, then upwards."""
        known = self._around.get(folder)
        if known is None:
            known = self._around[folder] = [own for place in folders_above(folder) if (own := self._at(place))]
        return known

    def _at(self, folder: str) -> list[Project]:
        known = self._own.get(folder)
        if known is None:
            paths = [path for name in _NAMES if (path := join(folder, name)) in self._files]
            known = self._own[folder] = [project for path in paths for project in self._read(path, folder)]
        return known

    def _read(self, path: str, folder: str) -> Iterator[Project]:
        """A project and those that it refers to and that are not found from a folder of their own."""
        yield self._project(path)
        references = self._files[path].get("references")
        for item in references if isinstance(references, list) else ():
            target = item.get("path") if isinstance(item, dict) else None
            other = self._existing(join(folder, target)) if isinstance(target, str) else None
            if other is not None and other != path and other.rpartition("/")[2] not in _NAMES:
                yield self._project(other)

    def _existing(self, path: str) -> str | None:
        return next((item for item in (path, f"{path}.json", join(path, _NAMES[0])) if item in self._files), None)

    def _project(self, path: str) -> Project:
        options = self._merged(path, 0)
        home = path.rpartition("/")[0]

        def place(value: str, folder: str) -> str:
            return join(home, value.replace(_OWN_FOLDER, ".")) if _OWN_FOLDER in value else join(folder, value)

        def folder_of(name: str) -> str | None:
            value, folder = options.get(name, (None, ""))
            return place(value, folder) if isinstance(value, str) else None

        project = Project(base=folder_of("baseUrl"))
        paths, folder = options.get("paths", (None, ""))
        start = folder if project.base is None else project.base
        for pattern, targets in paths.items() if isinstance(paths, dict) else ():
            if isinstance(targets, list):
                project.paths.append((str(pattern), [place(item, start) for item in targets if isinstance(item, str)]))
        roots, folder = options.get("rootDirs", (None, ""))
        if isinstance(roots, list):
            project.roots = [place(item, folder) for item in roots if isinstance(item, str)]
        source = folder_of("rootDir")
        sources = [join(home, "src"), home] if source is None else [source]
        for built in (folder_of("outDir"), folder_of("declarationDir")):
            if built:
                project.built += [(built, item) for item in sources]
        return project

    def _merged(self, path: str, depth: int) -> Options:
        """Options of a configuration over those that it extends."""
        known = self._options.get(path)
        if known is not None or depth > MAX_DEPTH:
            return known or {}
        merged = self._options[path] = {}  # what a circle finds
        data = self._files[path]
        for base in self._extended(path, data):
            merged.update(self._merged(base, depth + 1))
        options = data.get("compilerOptions")
        if isinstance(options, dict):
            folder = path.rpartition("/")[0]
            merged.update({name: (options[name], folder) for name in _OPTIONS & options.keys()})
        return merged

    def _extended(self, path: str, data: Mapping[str, Any]) -> Iterator[str]:
        value = data.get("extends")
        folder = path.rpartition("/")[0]
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, str):
                continue
            is_path = item.startswith((".", "/"))
            found = self._existing(join(folder, item)) if is_path else self._of_package(folder, item)
            if found is not None:
                yield found

    def _of_package(self, folder: str, name: str) -> str | None:
        parts = name.split("/")
        length = 2 if name.startswith("@") else 1
        where = self._package_folder(folder, "/".join(parts[:length]))
        if where is None:
            return None
        return self._existing(join(where, "/".join(parts[length:]) or _NAMES[0]))
