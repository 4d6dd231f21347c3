"""Where specifiers lead, by the documented rules of Node, TypeScript, npm, yarn and pnpm."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_review_graph.facts import FileFacts
from code_review_graph.languages.javascript.modules import Modules
from code_review_graph.model import EdgeKind
from code_review_graph.parsing import parse_source
from code_review_graph.program import Program
from code_review_graph.resolving import resolve
from code_review_graph.resolving.context import RepositoryContext
from code_review_graph.values import MODULE

Configs = dict[str, Any]


def _find(importer: str, specifier: str, files: str, configs: Configs | None = None) -> str | None:
    paths = [importer, *[path for path in files.split() if path != importer]]
    written = {
        path: value
        if isinstance(value, bytes)
        else value.encode()
        if isinstance(value, str)
        else json.dumps(value).encode()
        for path, value in (configs or {}).items()
    }
    found = Modules(Program(FileFacts(path, "javascript") for path in paths), written).find(0, specifier)
    if found is None:
        return None
    assert found[0] == MODULE
    assert found[2] == ""
    return paths[found[1]]


@pytest.mark.parametrize(
    ("specifier", "files", "expected"),
    [
        ("./b", "src/b.js", "src/b.js"),
        ("./b", "src/b.ts src/b.js", "src/b.ts"),
        ("./b", "src/b.tsx", "src/b.tsx"),
        ("./b", "src/b.mts", "src/b.mts"),
        ("./b", "src/b.cjs", "src/b.cjs"),
        ("./b", "src/b/index.js", "src/b/index.js"),
        ("./b", "src/b.js src/b/index.js", "src/b.js"),
        ("./b/", "src/b.js src/b/index.js", "src/b/index.js"),
        ("./b", "src/b.d.ts", "src/b.d.ts"),
        ("./b", "src/b.d.ts src/b.js", "src/b.js"),
        ("./b.js", "src/b.ts", "src/b.ts"),
        ("./b.js", "src/b.tsx", "src/b.tsx"),
        ("./b.js", "src/b.js src/b.ts", "src/b.js"),
        ("./b.js", "src/b.d.ts", "src/b.d.ts"),
        ("./b.jsx", "src/b.tsx", "src/b.tsx"),
        ("./b.mjs", "src/b.mts", "src/b.mts"),
        ("./b.cjs", "src/b.cts", "src/b.cts"),
        ("./b.ts", "src/b.ts", "src/b.ts"),
        ("./b.ts", "src/b.js", None),
        ("./user.service", "src/user.service.ts", "src/user.service.ts"),
        ("./user.service", "src/user.ts", None),
        ("./user.js", "src/user.js.ts", "src/user.js.ts"),
        ("./B.vue", "src/B.vue", "src/B.vue"),
        ("./B.svelte", "src/B.svelte", "src/B.svelte"),
        ("./b.css", "src/b.js", None),
        ("./b?worker", "src/b.ts", "src/b.ts"),
        ("raw-loader!./b", "src/b.ts", "src/b.ts"),
        ("..", "index.js src/index.js", "index.js"),
        ("../", "index.js src/index.js", "index.js"),
        (".", "src.js src/index.js", "src/index.js"),
        ("./.", "src.js src/index.js", "src/index.js"),
        ("../lib/b", "lib/b.js", "lib/b.js"),
        ("../../b", "b.js", None),
        ("../../../../../etc/b", "etc/b.js", None),
        ("./missing", "src/b.js", None),
        ("", "src/b.js", None),
        ("fs", "fs.js fs/index.js", None),
        ("node:fs", "fs.js src/fs.js", None),
        ("fs/promises", "fs/promises.js", None),
        ("react", "react/index.js src/react.js", None),
        ("https://example.com/b.js", "b.js", None),
        ("/src/b", "src/b.js", "src/b.js"),
        ("@/b", "src/b.js", "src/b.js"),
        ("~/b", "b.js", "b.js"),
        ("$lib/b", "src/lib/b.js", "src/lib/b.js"),
        ("$lib", "src/lib/index.js", "src/lib/index.js"),
    ],
)
def test_paths(specifier: str, files: str, expected: str | None) -> None:
    assert _find("src/a.js", specifier, files) == expected


def _tsconfig(**options: object) -> Configs:
    return {"compilerOptions": options}


@pytest.mark.parametrize(
    ("specifier", "files", "configs", "expected"),
    [
        ("util/b", "src/util/b.ts", {"tsconfig.json": _tsconfig(baseUrl="src")}, "src/util/b.ts"),
        ("util/b", "src/util/b.ts", {"jsconfig.json": _tsconfig(baseUrl="./src")}, "src/util/b.ts"),
        ("fs", "src/fs.ts", {"tsconfig.json": _tsconfig(baseUrl="src")}, None),
        ("@app/b", "src/b.ts", {"tsconfig.json": _tsconfig(paths={"@app/*": ["src/*"]})}, "src/b.ts"),
        ("@app", "src/b.ts", {"tsconfig.json": _tsconfig(paths={"@app": ["./src/b.ts"]})}, "src/b.ts"),
        ("@app", "src/b.ts", {"tsconfig.json": _tsconfig(paths={"@app": ["./src/b.js"]})}, "src/b.ts"),
        ("@app", "src/b/index.ts", {"tsconfig.json": _tsconfig(paths={"@app": ["src/b"]})}, "src/b/index.ts"),
        (
            "@app/b",
            "gen/b.ts src/b.ts",
            {"tsconfig.json": _tsconfig(baseUrl="./src", paths={"@app/*": ["*", "../gen/*"]})},
            "src/b.ts",
        ),
        (
            "@app/b",
            "gen/b.ts",
            {"tsconfig.json": _tsconfig(baseUrl="./src", paths={"@app/*": ["*", "../gen/*"]})},
            "gen/b.ts",
        ),
        (
            "@app/core/b",
            "one/core/b.ts two/b.ts",
            {"tsconfig.json": _tsconfig(paths={"@app/*": ["one/*"], "@app/core/*": ["two/*"]})},
            "two/b.ts",
        ),
        (
            "@app/core",
            "one/core.ts two/b.ts",
            {"tsconfig.json": _tsconfig(paths={"@app/*": ["one/*"], "@app/core": ["two/b"]})},
            "two/b.ts",
        ),
        ("b", "types/b.d.ts", {"tsconfig.json": _tsconfig(paths={"*": ["types/*"]})}, "types/b.d.ts"),
        ("b-page", "pages/b.ts", {"tsconfig.json": _tsconfig(paths={"*-page": ["pages/*"]})}, "pages/b.ts"),
        ("#/b", "src/b.ts", {"tsconfig.json": _tsconfig(paths={"#/*": ["src/*"]})}, "src/b.ts"),
        ("@/../lib/b", "lib/b.ts", {"tsconfig.json": _tsconfig(paths={"@/*": ["src/*"]})}, "lib/b.ts"),
        (
            "@app/b",
            "src/b.ts",
            {"tsconfig.json": '{ // why\n"compilerOptions": { /* x */ "paths": {"@app/*": ["src/*",],}, }, }'},
            "src/b.ts",
        ),
        (
            "@app/b",
            "src/b.ts",
            {"tsconfig.json": b"\xef\xbb\xbf" + b'{"compilerOptions":{"paths":{"@app/*":["src/*"]}}}'},
            "src/b.ts",
        ),
        (
            "//x/b",
            "src/b.ts",
            {"tsconfig.json": '{"compilerOptions": {"paths": {"//x/*": ["src/*"]}}}'},
            "src/b.ts",
        ),
        # A nearer configuration that says nothing ends the search, but for prefixes that only an alias can have.
        ("util/b", "util/b.ts", {"tsconfig.json": _tsconfig(baseUrl="."), "src/tsconfig.json": {}}, None),
        (
            "@app/b",
            "src/b.ts",
            {"tsconfig.json": _tsconfig(paths={"@app/*": ["src/*"]}), "src/tsconfig.json": {}},
            "src/b.ts",
        ),
        ("b", "lib/b.ts", {"tsconfig.json": _tsconfig(paths={"*": ["lib/*"]}), "src/tsconfig.json": {}}, None),
        (
            "@app/b",
            "one/b.ts src/two/b.ts",
            {
                "tsconfig.json": _tsconfig(paths={"@app/*": ["one/*"]}),
                "src/tsconfig.json": _tsconfig(paths={"@app/*": ["two/*"]}),
            },
            "src/two/b.ts",
        ),
        # extends
        (
            "@app/b",
            "config/lib/b.ts",
            {
                "tsconfig.json": {"extends": "./config/tsconfig.base"},
                "config/tsconfig.base.json": _tsconfig(paths={"@app/*": ["lib/*"]}),
            },
            "config/lib/b.ts",
        ),
        (
            "@app/b",
            "two/b.ts",
            {
                "tsconfig.json": {"extends": ["./tsconfig.one.json", "./tsconfig.two.json"]},
                "tsconfig.one.json": _tsconfig(paths={"@app/*": ["one/*"]}),
                "tsconfig.two.json": _tsconfig(paths={"@app/*": ["two/*"]}),
            },
            "two/b.ts",
        ),
        (
            "@app/b",
            "config/b.ts src/b.ts",
            {
                "tsconfig.json": {"extends": "./config/tsconfig.json", **_tsconfig(baseUrl="src")},
                "config/tsconfig.json": _tsconfig(paths={"@app/*": ["./*"]}),
            },
            "src/b.ts",
        ),
        (
            "@app/b",
            "src/b.ts",
            {
                "tsconfig.json": {"extends": "./config"},
                "config/tsconfig.json": _tsconfig(paths={"@app/*": ["${configDir}/src/*"]}),
            },
            "src/b.ts",
        ),
        (
            "@app/b",
            "src/b.ts",
            {
                "package.json": {"workspaces": ["packages/*"]},
                "packages/config/package.json": {"name": "@me/config"},
                "packages/config/tsconfig.app.json": _tsconfig(paths={"@app/*": ["../../src/*"]}),
                "tsconfig.json": {"extends": "@me/config/tsconfig.app.json"},
            },
            "src/b.ts",
        ),
        ("@app/b", "src/b.ts", {"tsconfig.json": {"extends": "@tsconfig/node20/tsconfig.json"}}, None),
        # references
        (
            "@app/b",
            "src/b.ts",
            {
                "tsconfig.json": {"files": [], "references": [{"path": "./tsconfig.app.json"}]},
                "tsconfig.app.json": _tsconfig(paths={"@app/*": ["src/*"]}),
            },
            "src/b.ts",
        ),
        (
            "@app/b",
            "packages/x/src/b.ts",
            {
                "tsconfig.json": {"references": [{"path": "./packages/x"}]},
                "packages/x/tsconfig.json": _tsconfig(paths={"@app/*": ["src/*"]}),
            },
            None,
        ),
        ("./b", "gen/b.ts", {"tsconfig.json": _tsconfig(rootDirs=["src", "gen"])}, "gen/b.ts"),
        ("./b", "src/b.ts gen/b.ts", {"tsconfig.json": _tsconfig(rootDirs=["src", "gen"])}, "src/b.ts"),
        # A path that leads to a folder of a package means what the package says.
        (
            "@me/x",
            "packages/x/lib/main.ts packages/x/index.ts",
            {
                "tsconfig.json": _tsconfig(paths={"@me/*": ["packages/*"]}),
                "packages/x/package.json": {"main": "lib/main.js"},
            },
            "packages/x/lib/main.ts",
        ),
    ],
)
def test_projects(specifier: str, files: str, configs: Configs, expected: str | None) -> None:
    assert _find("src/a.ts", specifier, files, configs) == expected


@pytest.mark.parametrize(
    ("specifier", "files", "package", "expected"),
    [
        ("#b", "lib/b.js", {"imports": {"#b": "./lib/b.js"}}, "lib/b.js"),
        ("#in/b", "lib/b.js", {"imports": {"#in/*": "./lib/*.js"}}, "lib/b.js"),
        ("#in/b.js", "lib/b.ts", {"imports": {"#in/*.js": "./lib/*.js"}}, "lib/b.ts"),
        ("#b", "lib/b.js", {"imports": {"#b": {"node": "./lib/b.js", "default": "./lib/c.js"}}}, "lib/b.js"),
        ("#b", "fs/index.js", {"imports": {"#b": "fs"}}, None),
        ("#b", "lib/b.js", {"imports": {"#c": "./lib/b.js"}}, None),
        ("#b", "lib/b.js", {"imports": ["#b"]}, None),
        ("me", "lib/b.js", {"name": "me", "exports": "./lib/b.js"}, "lib/b.js"),
        ("me", "lib/b.js", {"name": "me", "main": "./lib/b"}, "lib/b.js"),
        ("me", "lib/index.js", {"name": "me", "main": "lib"}, "lib/index.js"),
        ("me", "lib/index.js", {"name": "me", "main": "lib/"}, "lib/index.js"),
        ("me", "index.js", {"name": "me"}, "index.js"),
        ("me/b", "lib/b.js", {"name": "me", "exports": {"./b": "./lib/b.js"}}, "lib/b.js"),
        ("me/x/b", "lib/b.js", {"name": "me", "exports": {"./x/*": "./lib/*.js"}}, "lib/b.js"),
        ("me/x/b", "lib/b.js", {"name": "me", "exports": {"./x/": "./lib/"}}, "lib/b.js"),
        (
            "me/x/y/b",
            "one/y/b.js two/b.js",
            {"name": "me", "exports": {"./x/*": "./one/*.js", "./x/y/*": "./two/*.js"}},
            "two/b.js",
        ),
        (
            "me/x/b.js",
            "one/b.js two/b.js",
            {"name": "me", "exports": {"./x/*": "./one/*", "./x/*.js": "./two/*.js"}},
            "two/b.js",
        ),
        ("me", "a.mjs b.cjs", {"name": "me", "exports": {"import": "./a.mjs", "require": "./b.cjs"}}, "a.mjs"),
        ("me", "b.cjs", {"name": "me", "exports": {".": {"import": "./a.mjs", "require": "./b.cjs"}}}, "b.cjs"),
        (
            "me",
            "a.d.ts a.js",
            {"name": "me", "exports": {".": {"types": "./a.d.ts", "default": "./a.js"}}},
            "a.js",
        ),
        (
            "me",
            "a.js",
            {"name": "me", "exports": {".": {"node": {"import": {"types": "./a.d.ts", "default": "./a.js"}}}}},
            "a.js",
        ),
        ("me", "a.js", {"name": "me", "exports": {".": ["./none.js", {"default": "./a.js"}]}}, "a.js"),
        ("me", "a.js b.ts", {"name": "me", "exports": {".": {"development": "./b.ts", "default": "./a.js"}}}, "b.ts"),
        ("me", "main.js mod.js", {"name": "me", "main": "main.js", "module": "mod.js"}, "mod.js"),
        ("me", "a.d.ts", {"name": "me", "types": "a.d.ts"}, "a.d.ts"),
        ("me", "index.js a.d.ts", {"name": "me", "types": "a.d.ts"}, "index.js"),
        ("other", "index.js", {"name": "me"}, None),
        ("me", "index.js", {"name": 5}, None),
        # What is built is not here: its source is.
        ("me", "src/index.ts", {"name": "me", "main": "dist/index.js"}, "src/index.ts"),
        ("me", "src/index.ts", {"name": "me", "main": "./dist/cjs/index.cjs"}, "src/index.ts"),
        ("me", "source/index.ts", {"name": "me", "exports": "./distribution/index.js"}, None),
        ("me", "source/index.ts", {"name": "me", "exports": "./dist/index.js"}, "source/index.ts"),
        ("me", "src/main.tsx", {"name": "me", "main": "lib/main.js"}, "src/main.tsx"),
        ("me", "src/index.ts", {"name": "me", "main": "dist/me.umd.min.js"}, "src/index.ts"),
        ("me", "lib/index.ts src/index.ts", {"name": "me", "main": "lib/index.js"}, "lib/index.ts"),
        ("me/b", "src/b.ts", {"name": "me", "exports": {"./b": "./dist/b.mjs"}}, "src/b.ts"),
        ("me/b", "src/b/index.ts", {"name": "me", "exports": {"./b": "./dist/b.mjs"}}, "src/b/index.ts"),
        ("me/b", "src/b.ts src/index.ts", {"name": "me", "exports": {"./b": {"types": "./dist/b.d.ts"}}}, "src/b.ts"),
        ("me/none", "src/b.ts src/index.ts", {"name": "me", "exports": {"./none": "./dist/none.js"}}, None),
        ("me/b", "src/b.ts", {"name": "me"}, "src/b.ts"),
        ("me/src/b", "src/b.ts", {"name": "me"}, "src/b.ts"),
    ],
)
def test_packages(specifier: str, files: str, package: Configs, expected: str | None) -> None:
    assert _find("test/a.js", specifier, files, {"package.json": package}) == expected


@pytest.mark.parametrize(
    ("options", "files", "main"),
    [
        ({"outDir": "build-out", "rootDir": "ts"}, "packages/x/ts/m.ts", "build-out/m.js"),
        ({"outDir": "./build-out"}, "packages/x/src/m.ts", "build-out/m.js"),
        ({"outDir": "./build-out"}, "packages/x/m.ts", "build-out/m.js"),
        ({"declarationDir": "decl", "rootDir": "ts"}, "packages/x/ts/m.ts", "decl/m.d.ts"),
    ],
)
def test_built_by_the_compiler(options: Configs, files: str, main: str) -> None:
    configs = {
        "package.json": {"workspaces": ["packages/*"]},
        "packages/x/package.json": {"name": "x", "main": main},
        "packages/x/tsconfig.json": _tsconfig(**options),
    }
    assert _find("packages/y/a.ts", "x", files, configs) == files


@pytest.mark.parametrize(
    ("root", "found"),
    [
        ({"package.json": {"workspaces": ["packages/*"]}}, True),
        ({"package.json": {"workspaces": ["./packages/*/"]}}, True),
        ({"package.json": {"workspaces": ["packages/x"]}}, True),
        ({"package.json": {"workspaces": {"packages": ["packages/*"]}}}, True),
        ({"package.json": {"workspaces": ["{apps,packages}/*"]}}, True),
        ({"package.json": {"workspaces": ["packages/**"]}}, True),
        ({"package.json": {"workspaces": ["**"]}}, True),
        ({"package.json": {"workspaces": ["packages/?"]}}, True),
        ({"package.json": {"workspaces": ["**", "!**/packages/**"]}}, False),
        ({"package.json": {"workspaces": ["packages/*", "!packages/x"]}}, False),
        ({"package.json": {"workspaces": ["apps/*"]}}, False),
        ({"package.json": {"workspaces": ["packages"]}}, False),
        ({"package.json": {}}, False),
        ({"pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - '!**/test/**'\n"}, True),
        ({"pnpm-workspace.yaml": "packages:\n  - packages/**\n"}, True),
        ({"pnpm-workspace.yaml": "packages: [ apps/* ]"}, False),
        ({"package.json": {"dependencies": {"@me/x": "file:packages/x"}}}, True),
        ({"package.json": {"devDependencies": {"@me/x": "link:./packages/x"}}}, True),
        ({"package.json": {"dependencies": {"@me/x": "^1.0.0"}}}, False),
    ],
)
@pytest.mark.parametrize(
    ("specifier", "expected"), [("@me/x", "packages/x/src/index.ts"), ("@me/x/sub/b", "packages/x/src/sub/b.ts")]
)
def test_workspaces(root: Configs, specifier: str, expected: str, *, found: bool) -> None:
    configs = {**root, "packages/x/package.json": {"name": "@me/x", "main": "dist/index.js"}}
    files = "packages/x/src/index.ts packages/x/src/sub/b.ts"
    assert _find("packages/y/src/a.ts", specifier, files, configs) == (expected if found else None)


def test_a_workspace_in_a_folder() -> None:
    configs = {"web/package.json": {"workspaces": ["packages/*"]}, "web/packages/x/package.json": {"name": "x"}}
    assert _find("web/app/a.ts", "x", "web/packages/x/index.ts", configs) == "web/packages/x/index.ts"
    assert _find("api/a.ts", "x", "web/packages/x/index.ts", configs) is None


def test_a_folder_with_a_package_means_its_main_file() -> None:
    configs = {"lib/package.json": {"main": "./real.js", "exports": "./other.js"}}
    files = "lib/real.js lib/index.js lib/other.js"
    assert _find("a.js", "./lib", files, configs) == "lib/real.js"
    assert _find("lib/x/a.js", "..", files, configs) == "lib/real.js"


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("workspace:*", True),
        ("workspace:^1.0.0", True),
        ("workspace:real@*", False),
        ("workspace:../x", True),
        ("file:../x", True),
    ],
)
def test_versions_of_packages_of_the_workspace(version: str, *, found: bool) -> None:
    configs = {
        "pnpm-workspace.yaml": "packages: ['packages/*']",
        "packages/x/package.json": {"name": "x"},
        "packages/y/package.json": {"dependencies": {"x": version}},
    }
    assert (_find("packages/y/a.ts", "x", "packages/x/index.ts", configs) is not None) == found


def test_another_name_for_a_package_of_the_workspace() -> None:
    configs = {
        "pnpm-workspace.yaml": "packages: ['packages/*']",
        "packages/x/package.json": {"name": "@me/x"},
        "packages/y/package.json": {"dependencies": {"alias": "workspace:@me/x@*"}},
    }
    assert _find("packages/y/a.ts", "alias", "packages/x/index.ts", configs) == "packages/x/index.ts"


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("../dist/b.js", "src/b.ts"),
        ("../dist/b", "src/b.ts"),
        ("../dist/none.js", None),
        ("../other/b.js", None),
        ("../../dist/b", None),
    ],
)
def test_relative_paths_to_what_is_built(specifier: str, expected: str | None) -> None:
    assert _find("test/a.js", specifier, "src/b.ts", {"package.json": {}}) == expected


def test_calls_lead_into_packages_and_aliases() -> None:
    sources = {
        "packages/x/src/index.ts": "export function made() {}\nexport * from '@in/more';\n",
        "packages/x/src/more.ts": "export default class Thing { run() {} }\nexport function more() {}\n",
        "packages/y/a.ts": "import { made, more } from '@me/x';\nimport T from '@me/x/more';\n"
        "export function f() { made(); more(); new T().run(); }\n",
        "packages/y/B.vue": "<template/>\n<script setup lang='ts'>\nimport { f } from './a.js';\nf();\n</script>\n",
    }
    configs = {
        "package.json": {"workspaces": ["packages/*"]},
        "packages/x/package.json": {"name": "@me/x", "exports": {".": "./dist/index.js", "./*": "./dist/*.js"}},
        "packages/x/tsconfig.json": _tsconfig(paths={"@in/*": ["./src/*"]}),
    }
    files = [(path, parse_source(path, source.encode()).facts) for path, source in sources.items()]
    graph = resolve(files, RepositoryContext({path: json.dumps(value).encode() for path, value in configs.items()}))
    names = {place: node.qualified_name.rpartition("/")[2] for place, node in enumerate(graph.nodes, 1)}
    calls = {(names[edge.source], names[edge.target]) for edge in graph.edges if edge.kind is EdgeKind.CALLS}
    assert calls >= {
        ("a.ts::f", "index.ts::made"),
        ("a.ts::f", "more.ts::more"),
        ("a.ts::f", "more.ts::Thing.run"),
        ("B.vue", "a.ts::f"),
    }


def test_what_is_known_is_kept_by_folder_and_specifier() -> None:
    modules = Modules(Program(FileFacts(path, "javascript") for path in ("a/x.js", "a/y.js", "b/z.js", "a/m.js")), {})
    assert modules.find(0, "./m") is modules.find(1, "./m")
    assert modules.find(2, "./m") is None


_HOSTILE: list[Any] = [
    None, 0, "", "*", "..", "../../..", "\0", [], {}, [[]], [None], {"a": None}, {"*": "*"}, {"./*": ["../*"]},
    {"packages": 5}, {"paths": {"*": "*"}}, ["!", "{", "{a", "}", "**/**"], [{"path": 5}, "x", {"path": ".."}],
]  # fmt: skip


@pytest.mark.parametrize("value", _HOSTILE, ids=repr)
@pytest.mark.parametrize(
    "key",
    ["name", "main", "exports", "imports", "workspaces", "dependencies", "extends", "references", "compilerOptions"],
)
@pytest.mark.parametrize("specifier", ["b", "#b", "./b", "@/b", "../../b", "b/c"])
def test_values_of_any_type(key: str, value: object, specifier: str) -> None:
    names = ("package.json", "tsconfig.json", "src/package.json", "src/tsconfig.json")
    _find("src/a.ts", specifier, "b/index.ts", {name: {key: value, "name": "b"} for name in names})


@pytest.mark.parametrize("value", _HOSTILE, ids=repr)
@pytest.mark.parametrize("key", ["baseUrl", "paths", "rootDirs", "rootDir", "outDir"])
def test_options_of_any_type(key: str, value: object) -> None:
    _find("src/a.ts", "b", "b/index.ts", {"tsconfig.json": _tsconfig(**{key: value})})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"a": 1e999999}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 10_000,
        b"{" + b",\n" * 50_000,
    ],
    ids=["empty", "open", "list", "null", "bytes", "huge", "nested", "deep", "digits", "commas"],
)
@pytest.mark.parametrize("name", ["package.json", "tsconfig.json", "pnpm-workspace.yaml"])
def test_broken_files(name: str, content: bytes) -> None:
    assert _find("src/a.ts", "./b", "src/b.ts", {name: content}) == "src/b.ts"


@pytest.mark.parametrize(
    "text",
    ["packages: !!bool x", "packages: !!int ''", "packages: !!timestamp x", "? [a]\n: b", "&a [*a]", "a: *b", "\t"],
)
def test_broken_workspaces(text: str) -> None:
    assert _find("src/a.ts", "b", "b/index.ts", {"pnpm-workspace.yaml": text, "b/package.json": {"name": "b"}}) is None


@pytest.mark.parametrize(
    "content",
    [b'"' + b'\\"' * 200_000 + b"\\", b"/*" * 200_000, b"," + b" " * 400_000, b"//" * 200_000, b'{"a":"' * 100_000],
)
def test_time_to_read_is_in_proportion(content: bytes) -> None:
    start = time.process_time()
    _find("src/a.ts", "b", "b.ts", {"tsconfig.json": content})
    assert time.process_time() - start < 2


def test_circles_of_configurations() -> None:
    names = [f"tsconfig.{place}.json" for place in range(12)]
    configs: Configs = {name: {"extends": [f"./{item}" for item in names * 5]} for name in names}
    configs["tsconfig.json"] = {"extends": "./tsconfig.0.json", "references": [{"path": "."}], **_tsconfig(baseUrl=".")}
    assert _find("src/a.ts", "b", "b.ts", configs) == "b.ts"


def test_long_chains_of_configurations() -> None:
    configs: Configs = {f"tsconfig{place}.json": {"extends": f"./tsconfig{place + 1}"} for place in range(3000)}
    configs["tsconfig.json"] = {"extends": "./tsconfig0.json"}
    assert _find("src/a.ts", "./b", "src/b.ts", configs) == "src/b.ts"


def test_deep_folders() -> None:
    deep = "/".join("d" * 2000)
    assert _find(f"{deep}/a.ts", "./b", f"{deep}/b.ts", {"tsconfig.json": {}}) == f"{deep}/b.ts"


_WORDS = ["*", ".", "./*", "..", "b", "#b", "import", "default", "./b.ts"]
_KEYS = [
    "extends", "compilerOptions", "paths", "baseUrl", "exports", "imports", "name", "main", "workspaces",
    "references", "path", ".", "./*", "#b", "*", "b", "import",
]  # fmt: skip
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=150, deadline=None)
@given(_JSON, _JSON, st.sampled_from(["b", "./b", "#b", "@b/c", "..", "b/*", "*"]))
def test_anything_is_survived(package: object, project: object, specifier: str) -> None:
    found = _find(
        "src/a.ts", specifier, "b.ts src/b.ts b/index.ts", {"package.json": package, "tsconfig.json": project}
    )
    assert found in {None, "b.ts", "src/b.ts", "b/index.ts", "src/a.ts"}
