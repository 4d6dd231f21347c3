"""What ``package.json`` files say: names, workspaces, and which file stands for a package or a part of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

import yaml

from code_review_graph.languages.javascript.jsonc import MAX_BYTES, read_object

_PNPM: Final = "pnpm-workspace.yaml"
# Of several conditions of one export, what leads to source text counts first.
_CONDITIONS: Final = (
    "source", "development", "svelte", "import", "module", "require", "node", "browser", "default", "types",
)  # fmt: skip
_FIELDS: Final = ("source", "module", "main", "svelte", "browser", "types", "typings")
# What versions of packages of the repository start with.
_LOCAL: Final = ("workspace", "file", "link", "portal")
MAX_NESTING: Final = 12
MAX_ALTERNATIVES: Final = 64

# Whether what matches belongs to the workspace, and the segments of a glob.
Pattern = tuple[bool, tuple[str, ...]]


class Packages:
    """The packages of one repository by folder."""

    def __init__(self, config_files: Mapping[str, bytes]) -> None:
        self.by_folder: dict[str, dict[str, Any]] = {}
        self._workspaces: dict[str, list[Pattern]] = {}
        for path, content in sorted(config_files.items()):
            folder, _, name = path.rpartition("/")
            if name == "package.json":
                self.by_folder[folder] = read_object(content)
        for folder, data in self.by_folder.items():
            self._workspaces[folder] = _patterns(data.get("workspaces"))
        for path, content in config_files.items():
            folder, _, name = path.rpartition("/")
            if name == _PNPM:
                self._workspaces[folder] = self._workspaces.get(folder, []) + _pnpm_patterns(content)
        self._members = {folder: self._members_of(folder) for folder, patterns in self._workspaces.items() if patterns}

    def _members_of(self, root: str) -> dict[str, str]:
        """Folders of the packages of a workspace, by name; the root's own package is one."""
        found: dict[str, str] = {}
        for folder, data in self.by_folder.items():
            name = data.get("name")
            if isinstance(name, str) and name and self._is_member(root, folder):
                found.setdefault(name, folder)
        return found

    def _is_member(self, root: str, folder: str) -> bool:
        if folder == root:
            return True
        if root and not folder.startswith(f"{root}/"):
            return False
        parts = tuple(folder[len(root) + 1 if root else 0 :].split("/"))
        patterns = self._workspaces[root]
        return any(_matches(parts, item) for included, item in patterns if included) and not any(
            _matches(parts, item) for included, item in patterns if not included
        )

    def around(self, folder: str) -> Iterator[str]:
        """Folders with a package of their own, from a folder upwards."""
        for place in folders_above(folder):
            if place in self.by_folder:
                yield place

    def folder_of(self, folder: str, name: str) -> str | None:
        """Folder of the package that a name means where it is imported; None for one that is not here."""
        for place in folders_above(folder):
            data = self.by_folder.get(place)
            if data is not None and data.get("name") == name:
                return place
            version = _version(data, name) if data is not None else ""
            kind, _, target = version.partition(":")
            if (kind in _LOCAL and target.startswith((".", "/"))) or kind in _LOCAL[1:]:
                return join(place, target)
            if kind == _LOCAL[0]:  # perhaps under another name than its own
                name = target.rpartition("@")[0] or name
            member = self._members.get(place, {}).get(name)
            if member is not None:
                return member
        return None

    def mains(self, folder: str) -> list[str]:
        """Files, seen from a package's folder, that stand for it where it is imported as a folder."""
        data = self.by_folder.get(folder, {})
        return [value for key in _FIELDS if isinstance(value := data.get(key), str)]

    def entries(self, folder: str, part: str) -> list[str]:
        """Files, seen from the package's folder, that it gives for a part of it; ``.`` is the package itself."""
        found = mapped(self.by_folder.get(folder, {}).get("exports"), part)
        return found + self.mains(folder) if part == "." else found

    def imports(self, folder: str, name: str) -> list[str]:
        """What ``#name`` means in a package."""
        return mapped(self.by_folder.get(folder, {}).get("imports"), name)


def mapped(table: object, part: str) -> list[str]:
    """Targets that a table of exports or imports gives for a part, the likeliest source first."""
    if not isinstance(table, dict) or not any(str(key).startswith((".", "#")) for key in table):
        return _leaves(table) if part == "." else []
    if part in table:
        return _leaves(table[part])
    best: list[str] = []
    longest = (-1, -1)
    for key, target in table.items():
        head, star, tail = str(key).partition("*")
        is_folder = not star and head.endswith("/")  # as packages wrote it before there were patterns
        rank = (len(head), len(key))
        if rank > longest and (star or is_folder) and _fits(part, head, tail):
            longest = rank
            middle = part[len(head) : len(part) - len(tail)]
            best = [leaf.replace("*", middle) if star else leaf + middle for leaf in _leaves(target)]
    return best


def _fits(part: str, head: str, tail: str) -> bool:
    return len(part) > len(head) + len(tail) and part.startswith(head) and part.endswith(tail)


def _leaves(target: object, depth: int = 0) -> list[str]:
    if isinstance(target, str):
        return [target]
    if depth > MAX_NESTING:
        return []
    if isinstance(target, list):
        return [leaf for item in target for leaf in _leaves(item, depth + 1)]
    if not isinstance(target, dict):
        return []
    known = [key for key in _CONDITIONS if key in target]
    others = [key for key in target if key not in _CONDITIONS]
    return [leaf for key in (*known, *others) for leaf in _leaves(target[key], depth + 1)]


def _patterns(value: object) -> list[Pattern]:
    if isinstance(value, dict):
        value = value.get("packages")
    found: list[Pattern] = []
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str):
            glob = item.removeprefix("!")
            found += [(glob == item, tuple(join("", one).split("/"))) for one in _alternatives(glob)]
    return found


def _alternatives(glob: str) -> list[str]:
    """A glob without braces, as several."""
    found: list[str] = []
    pending = [glob]
    while pending and len(found) + len(pending) < MAX_ALTERNATIVES:
        item = pending.pop()
        before, brace, rest = item.partition("{")
        inner, end, after = rest.partition("}")
        if brace and end:
            pending += [before + one + after for one in inner.split(",")]
        else:
            found.append(item)
    return found


def _pnpm_patterns(content: bytes) -> list[Pattern]:
    if len(content) > MAX_BYTES:
        return []
    try:
        data = yaml.load(content, yaml.BaseLoader)  # noqa: S506  (makes nothing but strings, lists and tables)
    except (yaml.YAMLError, RecursionError, ValueError):
        return []
    return _patterns(data.get("packages")) if isinstance(data, dict) else []


def _matches(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Glob over path segments; ``**`` stands for any number of them."""
    reached = {0}  # how much of the pattern may have been used
    for part in (*parts, ""):
        for place in sorted(reached):
            while place < len(pattern) and pattern[place] == "**":
                reached.add(place := place + 1)
        if not part:
            break
        reached = {
            place + (pattern[place] != "**")
            for place in reached
            if place < len(pattern) and (pattern[place] == "**" or fnmatchcase(part, pattern[place]))
        }
    return len(pattern) in reached


def _version(data: Mapping[str, Any], name: str) -> str:
    """Version of a dependency as it is asked for; "" when it is none."""
    for table in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        listed = data.get(table)
        version = listed.get(name) if isinstance(listed, dict) else None
        if isinstance(version, str):
            return version
    return ""


def folders_above(folder: str) -> Iterator[str]:
    """A folder and those around it, up to the repository's own (``""``)."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def join(folder: str, path: str) -> str:
    """A path seen from a folder, without dots; one that leaves the repository starts with ``..``."""
    parts = folder.split("/") if folder and not path.startswith("/") else []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
