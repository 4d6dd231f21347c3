"""What ``tsconfig.json`` and ``jsconfig.json`` files say of where modules lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from code_review_graph.languages.javascript.jsonc import read_object
from code_review_graph.languages.javascript.packages import folders_above, join

_NAMES: Final = ("tsconfig.json", "jsconfig.json")
_OWN_FOLDER: Final = "${configDir}"
# Configurations that extend each other any further are a mistake.
MAX_DEPTH: Final = 16


@dataclass(slots=True)
class Project:
    """Where the modules of one configuration lie: folders and patterns seen from the repository's root."""

    base: str | None = None
    paths: list[tuple[str, list[str]]] = field(default_factory=list[tuple[str, list[str]]])
    roots: list[str] = field(default_factory=list[str])
    built: tuple[str, str] | None = None  # folder of what is built, folder of its sources

    def targets(self, specifier: str) -> list[str]:
        """Paths that a specifier may mean, from the pattern that fits best."""
        best: list[str] = []
        longest = -1
        for pattern, targets in self.paths:
            head, star, tail = pattern.partition("*")
            if not star and pattern == specifier:
                return targets
            fits = star and specifier.startswith(head) and specifier.endswith(tail)
            if fits and len(specifier) >= len(head) + len(tail) and len(head) > longest:
                longest = len(head)
                middle = specifier[len(head) : len(specifier) - len(tail)]
                best = [target.replace("*", middle) for target in targets]
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
        self._around: dict[str, list[Project]] = {}

    def around(self, folder: str) -> list[Project]:
        """Projects whose files a folder may hold, from the nearest configuration upwards."""
        known = self._around.get(folder)
        if known is None:
            known = self._around[folder] = [
                project
                for place in folders_above(folder)
                for name in _NAMES
                if (path := join(place, name)) in self._files
                for project in self._read(path)
            ]
        return known

    def _read(self, path: str) -> Iterator[Project]:
        """A project and those that it refers to."""
        yield self._project(path, {path})
        references = self._files[path].get("references")
        folder = path.rpartition("/")[0]
        for item in references if isinstance(references, list) else ():
            target = item.get("path") if isinstance(item, dict) else None
            other = self._existing(join(folder, target)) if isinstance(target, str) else None
            # What lies in another folder is found from there.
            if other is not None and other != path and other.rpartition("/")[0] == folder:
                yield self._project(other, {path, other})

    def _existing(self, path: str) -> str | None:
        return next((item for item in (path, f"{path}.json", join(path, _NAMES[0])) if item in self._files), None)

    def _project(self, path: str, seen: set[str], home: str | None = None) -> Project:
        data = self._files[path]
        folder = path.rpartition("/")[0]
        home = folder if home is None else home
        project = Project()
        for base in self._extended(path, data):
            if base not in seen and len(seen) < MAX_DEPTH:
                inherited = self._project(base, seen | {base}, home)
                project = Project(
                    inherited.base if inherited.base is not None else project.base,
                    inherited.paths or project.paths,
                    inherited.roots or project.roots,
                    inherited.built or project.built,
                )
        options = data.get("compilerOptions")
        if isinstance(options, dict):
            _apply(project, options, folder, home)
        return project

    def _extended(self, path: str, data: Mapping[str, Any]) -> Iterator[str]:
        value = data.get("extends")
        folder = path.rpartition("/")[0]
        for item in value if isinstance(value, list) else [value]:
            if not isinstance(item, str):
                continue
            found = (
                self._existing(join(folder, item)) if item.startswith((".", "/")) else self._of_package(folder, item)
            )
            if found is not None:
                yield found

    def _of_package(self, folder: str, name: str) -> str | None:
        parts = name.split("/")
        length = 2 if name.startswith("@") else 1
        where = self._package_folder(folder, "/".join(parts[:length]))
        if where is None:
            return None
        return self._existing(join(where, "/".join(parts[length:]) or _NAMES[0]))


def _apply(project: Project, options: Mapping[str, Any], folder: str, home: str) -> None:
    def place(value: str) -> str:
        return join(home, value.replace(_OWN_FOLDER, ".")) if _OWN_FOLDER in value else join(folder, value)

    base = options.get("baseUrl")
    if isinstance(base, str):
        project.base = place(base)
    paths = options.get("paths")
    if isinstance(paths, dict):
        start = project.base if project.base is not None else folder
        project.paths = [
            (str(pattern), [_target(start, item, place) for item in targets if isinstance(item, str)])
            for pattern, targets in paths.items()
            if isinstance(targets, list)
        ]
    roots = options.get("rootDirs")
    if isinstance(roots, list):
        project.roots = [place(item) for item in roots if isinstance(item, str)]
    built, source = options.get("outDir"), options.get("rootDir")
    if isinstance(built, str):
        project.built = (place(built), place(source) if isinstance(source, str) else join(folder, "src"))


def _target(start: str, value: str, place: Callable[[str], str]) -> str:
    return place(value) if _OWN_FOLDER in value else join(start, value)
