"""How a specifier finds its file: relative paths, configurations of projects, packages of the repository."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from code_review_graph.languages.javascript.packages import Packages, join
from code_review_graph.languages.javascript.projects import Projects
from code_review_graph.program import Program
from code_review_graph.values import MODULE, Value

# Tried in this order; a declaration counts only where there is no implementation.
_SUFFIXES: Final = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".d.ts",
                    ".d.mts", ".d.cts")  # fmt: skip
# What a file that is built may have been written as.
_WRITTEN_AS: Final = {
    ".js": (".ts", ".tsx", ".jsx", ".d.ts"),
    ".jsx": (".tsx", ".d.ts"),
    ".mjs": (".mts", ".ts", ".d.mts"),
    ".cjs": (".cts", ".ts", ".d.cts"),
    ".d.ts": (".ts", ".tsx", ".js", ".jsx"),
    ".d.mts": (".mts", ".ts", ".mjs"),
    ".d.cts": (".cts", ".ts", ".cjs"),
}
_BUILT: Final = frozenset({"dist", "lib", "build", "out", "es", "esm", "cjs", "umd", "output", "types", "module",
                           "commonjs", "_esm", "_cjs", "_types", "bundle"})  # fmt: skip
_DECLARATIONS: Final = (".d.ts", ".d.mts", ".d.cts")
_BUILT_SUFFIXES: Final = (*_DECLARATIONS, ".js", ".mjs", ".cjs", ".jsx")
# Folders that most projects let these stand for; no package can be called so.
_HOMES: Final = {"@/": ("src", "", "app"), "~/": ("src", "", "app"), "@@/": ("",), "~~/": ("",), "$lib/": ("src/lib",)}
_BUILTIN: Final = frozenset({
    "assert", "assert/strict", "async_hooks", "buffer", "child_process", "cluster", "console", "constants",
    "crypto", "dgram", "diagnostics_channel", "dns", "dns/promises", "domain", "events", "fs", "fs/promises",
    "http", "http2", "https", "inspector", "module", "net", "os", "path", "path/posix", "path/win32",
    "perf_hooks", "process", "punycode", "querystring", "readline", "readline/promises", "repl", "stream",
    "stream/promises", "stream/web", "string_decoder", "sys", "timers", "timers/promises", "tls", "trace_events",
    "tty", "url", "util", "util/types", "v8", "vm", "wasi", "worker_threads", "zlib",
})  # fmt: skip


class Modules:
    """Module look-up over the files of one repository."""

    def __init__(self, program: Program, config_files: Mapping[str, bytes]) -> None:
        self._files = {path: index for path, index in program.file_of_path.items() if path.endswith(_SUFFIXES)}
        self._paths = [facts.path for facts in program.files]
        self._packages = Packages(config_files)
        self._projects = Projects(config_files, self._packages.folder_of)
        self._known: dict[tuple[str, str], Value | None] = {}

    def find(self, importer: int, specifier: str) -> Value | None:
        """Module value of a specifier in a file; None when it leads out of the repository."""
        folder = self._paths[importer].rpartition("/")[0]
        key = (folder, specifier)
        if key not in self._known:
            path = self._find(folder, specifier)
            self._known[key] = None if path is None else (MODULE, self._files[path], "")
        return self._known[key]

    def _find(self, folder: str, specifier: str) -> str | None:
        specifier = specifier.partition("?")[0].rpartition("!")[2]
        if not specifier or ":" in specifier or "\0" in specifier:
            return None
        if specifier.startswith(("./", "../")) or specifier in {".", ".."}:
            return self._relative(folder, specifier)
        if specifier.startswith("#"):
            return self._imported(folder, specifier) or self._aliased(folder, specifier)
        if specifier.startswith("/"):
            return self._aliased(folder, specifier) or self._at_home(folder, ("",), specifier[1:])
        return self._aliased(folder, specifier) or self._bare(folder, specifier)

    def at(self, path: str) -> str | None:
        """File at a path as imports write it: exact, by its written form, with a suffix, or as a folder."""
        return self._file(path) or self._of_folder(path)

    def _file(self, path: str) -> str | None:
        if path in self._files:
            return path
        for suffix, written in _WRITTEN_AS.items():
            if path.endswith(suffix):
                stem = path[: -len(suffix)]
                found = next((item for end in written if (item := stem + end) in self._files), None)
                if found is not None:
                    return found
        return self._with_suffix(path)

    def _with_suffix(self, path: str) -> str | None:
        return next((item for suffix in _SUFFIXES if (item := path + suffix) in self._files), None)

    def _index(self, path: str) -> str | None:
        return self._with_suffix(join(path, "index"))

    def _of_folder(self, path: str) -> str | None:
        if path in self._packages.by_folder:
            found = self._of_package(path, self._packages.mains(path))
            if found is not None:
                return self._index(path) or found if found.endswith(_DECLARATIONS) else found
        return self._index(path)

    def _relative(self, folder: str, specifier: str) -> str | None:
        path = join(folder, specifier)
        is_folder = specifier.rpartition("/")[2] in {"", ".", ".."}
        found = self._of_folder(path) if is_folder else self.at(path)
        if found is not None:
            return found
        package = next(self._packages.around(path), None)
        return self._in_roots(folder, path) or (self._built_from(package, path) if package is not None else None)

    def _in_roots(self, folder: str, path: str) -> str | None:
        """A path in any of the folders that the project takes for one."""
        for projects in self._projects.around(folder)[:1]:
            for roots in (project.roots for project in projects):
                inside = next((path[len(root) + 1 :] for root in roots if path.startswith(f"{root}/")), None)
                for root in roots if inside is not None else ():
                    found = self.at(join(root, inside or ""))
                    if found is not None:
                        return found
        return None

    def _aliased(self, folder: str, specifier: str) -> str | None:
        """By the paths and the base of the nearest configuration, then by paths with a prefix of those around it."""
        for distance, projects in enumerate(self._projects.around(folder)):
            for project in projects:
                for target in project.targets(specifier, least=min(distance, 1)):
                    found = self.at(target)
                    if found is not None:
                        return found
                if distance == 0 and project.base is not None and specifier not in _BUILTIN:
                    found = self.at(join(project.base, specifier))
                    if found is not None:
                        return found
        return None

    def _imported(self, folder: str, specifier: str) -> str | None:
        for package in self._packages.around(folder):
            for target in self._packages.imports(package, specifier):
                is_path = target.startswith("./")
                found = self._of_package(package, [target]) if is_path else self._bare(package, target)
                if found is not None:
                    return found
        return None

    def _bare(self, folder: str, specifier: str) -> str | None:
        for prefix, homes in _HOMES.items():
            if specifier.startswith(prefix) or f"{specifier}/" == prefix:
                return self._at_home(folder, homes, specifier[len(prefix) :])
        if specifier in _BUILTIN:
            return None
        parts = specifier.split("/")
        length = 2 if specifier.startswith("@") else 1
        package = self._packages.folder_of(folder, "/".join(parts[:length]))
        rest = "/".join(parts[length:])
        return None if package is None else self._part(package, rest)

    def _at_home(self, folder: str, homes: tuple[str, ...], rest: str) -> str | None:
        places = (join(package, f"{home}/{rest}") for package in (*self._packages.around(folder), "") for home in homes)
        return next((found for place in places if (found := self.at(place)) is not None), None)

    def _part(self, package: str, rest: str) -> str | None:
        found = self._of_package(package, self._packages.entries(package, f"./{rest}" if rest else "."))
        if found is not None and not found.endswith(_DECLARATIONS):
            return found
        find = self.at if rest else self._index
        return find(join(package, rest)) or find(join(package, f"src/{rest}")) or found

    def _of_package(self, package: str, entries: list[str]) -> str | None:
        """The first entry that is here as it is, or else whose source is; declarations alone come last."""
        declared = None
        for find in (self._here, self._built_from):
            for path in (join(package, entry) for entry in entries):
                found = find(package, path)
                if found is not None and not found.endswith(_DECLARATIONS):
                    return found
                declared = declared or found
        return declared

    def _here(self, package: str, path: str) -> str | None:
        del package
        return self._file(path) or self._index(path)

    def _built_from(self, package: str, path: str) -> str | None:
        """The source that a file is built from, by the settings of the compiler, then by the usual folders."""
        for origin in self._origins(package, path):
            found = self._file(origin) or self._index(origin)
            stem = next((origin[: -len(suffix)] for suffix in _BUILT_SUFFIXES if origin.endswith(suffix)), "")
            if found is None and stem:
                found = self._with_suffix(stem) or self._index(stem)
            if found is not None:
                return found
        return None

    def _origins(self, package: str, path: str) -> Iterator[str]:
        for projects in self._projects.around(package):
            for built, source in (pair for project in projects for pair in project.built):
                if path.startswith(f"{built}/"):
                    yield join(source, path[len(built) + 1 :])
        if package and not path.startswith(f"{package}/"):
            return
        parts = path[len(package) + 1 if package else 0 :].split("/")
        while len(parts) > 1 and parts[0] in _BUILT:
            parts = parts[1:]
            for home in ("src", "source", ""):
                yield join(package, "/".join((home, *parts)))
