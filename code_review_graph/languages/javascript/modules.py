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
# Folders that most projects let `@/` and `~/` stand for; no package can be called so.
_HOMES: Final = ("src", "", "app")
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
            return next((found for item in self._packages.around(folder) if (found := self.at(item + specifier))), None)
        return self._aliased(folder, specifier) or self._bare(folder, specifier)

    def at(self, path: str) -> str | None:
        """File at a path as imports write it: exact, by its written form, with a suffix, or as a folder."""
        if path.startswith("..") or path in self._files:
            return None if path.startswith("..") else path
        for suffix, written in _WRITTEN_AS.items():
            if path.endswith(suffix):
                stem = path[: -len(suffix)]
                found = next((item for end in written if (item := stem + end) in self._files), None)
                if found is not None:
                    return found
        return self._with_suffix(path) or self._with_suffix(join(path, "index"))

    def _with_suffix(self, path: str) -> str | None:
        return next((item for suffix in _SUFFIXES if (item := path + suffix) in self._files), None)

    def _relative(self, folder: str, specifier: str) -> str | None:
        path = join(folder, specifier)
        found = self.at(path)
        if found is None and path in self._packages.by_folder:
            found = self._part(path, ".")
        if found is not None:
            return found
        for project in self._projects.around(folder):
            inside = next((path[len(root) + 1 :] for root in project.roots if path.startswith(f"{root}/")), None)
            for root in project.roots if inside is not None else ():
                found = self.at(join(root, inside or ""))
                if found is not None:
                    return found
        return None

    def _aliased(self, folder: str, specifier: str) -> str | None:
        """By the paths of the projects around, then by their base."""
        for project in self._projects.around(folder):
            for target in project.targets(specifier):
                found = self.at(target)
                if found is not None:
                    return found
            if project.base is not None and specifier not in _BUILTIN:
                found = self.at(join(project.base, specifier))
                if found is not None:
                    return found
        return None

    def _imported(self, folder: str, specifier: str) -> str | None:
        for package in self._packages.around(folder):
            for target in self._packages.imports(package, specifier):
                found = self._source(package, target)
                if found is not None:
                    return found
        return None

    def _bare(self, folder: str, specifier: str) -> str | None:
        if specifier.startswith(("@/", "~/")):
            return self._at_home(folder, specifier[2:])
        if specifier in _BUILTIN:
            return None
        parts = specifier.split("/")
        length = 2 if specifier.startswith("@") else 1
        package = self._packages.folder_of(folder, "/".join(parts[:length]))
        rest = "/".join(parts[length:])
        return None if package is None else self._part(package, f"./{rest}" if rest else ".")

    def _at_home(self, folder: str, rest: str) -> str | None:
        for package in (*self._packages.around(folder), ""):
            for home in _HOMES:
                found = self.at(join(package, f"{home}/{rest}"))
                if found is not None:
                    return found
        return None

    def _part(self, package: str, part: str) -> str | None:
        for entry in self._packages.entries(package, part):
            found = self._source(package, entry)
            if found is not None:
                return found
        return None

    def _source(self, package: str, target: str) -> str | None:
        """A file of a package; of one that is built and not here, the source that it is built from."""
        path = join(package, target)
        found = self.at(path)
        if found is not None:
            return found
        return next((item for place in self._origins(package, path, target) if (item := self.at(place))), None)

    def _origins(self, package: str, path: str, target: str) -> Iterator[str]:
        for project in self._projects.around(package):
            if project.built is not None and path.startswith(f"{project.built[0]}/"):
                yield join(project.built[1], path[len(project.built[0]) + 1 :])
        parts = join("", target).split("/")
        while len(parts) > 1 and parts[0] in _BUILT:
            parts = parts[1:]
            for home in ("src", "source", ""):
                yield join(package, "/".join((home, *parts)))
