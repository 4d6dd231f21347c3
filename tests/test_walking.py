from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from code_review_graph.config import Settings
from code_review_graph.errors import RepositoryError
from code_review_graph.model import Diagnostic
from code_review_graph.walking import Walk, check_repository, find_files, find_repository, git_commit, read_source
from tests.conftest import MakeRepository, commit_all, git, write_files

links = pytest.mark.skipif(os.name == "nt", reason="links need rights there")


def walk(root: Path, **settings: object) -> Walk:
    return find_files(root, lambda path: path.endswith((".py", ".toml")), Settings.model_validate(settings))


def paths(root: Path, **settings: object) -> list[str]:
    return [file.path for file in walk(root, **settings).files]


def test_git_says_what_is_ignored(repository: MakeRepository) -> None:
    root = repository({"a.py": "", "pkg/b.py": "", ".gitignore": "out/\n*.gen.py\n!keep.gen.py\n", "README": ""})
    write_files(root, {"new.py": "", "out/c.py": "", "x.gen.py": "", "keep.gen.py": "", "sub/.gitignore": "d.py"})
    write_files(root, {"sub/d.py": "", "sub/e.py": "", ".git/info/exclude": "secret.py\n", "secret.py": ""})
    (root / "pkg" / "b.py").unlink()
    assert paths(root) == ["a.py", "keep.gen.py", "new.py", "sub/e.py"]


def test_the_same_without_git(folder: MakeRepository) -> None:
    root = folder({"a.py": "", ".gitignore": "out/\n*.gen.py\n!keep.gen.py\n", "out/c.py": "", "x.gen.py": ""})
    write_files(root, {"keep.gen.py": "", "sub/.gitignore": "d.py\n!x.gen.py", "sub/d.py": "", "sub/e.py": ""})
    write_files(root, {"sub/x.gen.py": "", "sub/out/f.py": "", "e/.gitignore": "/g.py", "e/g.py": "", "e/h/g.py": ""})
    assert paths(root) == ["a.py", "e/h/g.py", "keep.gen.py", "sub/e.py", "sub/x.gen.py"]


@pytest.mark.parametrize("with_git", [True, False])
def test_what_is_never_a_projects_own(folder: MakeRepository, with_git: bool) -> None:
    root = folder(
        {
            "a.py": "",
            "node_modules/x/b.py": "",
            "pkg/__pycache__/c.py": "",
            ".venv/lib/d.py": "",
            "env/pyvenv.cfg": "",
            "env/lib/site/e.py": "",
            "environment.py": "",
            ".code-review-graph/f.py": "",
        }
    )
    if with_git:
        git(root, "init", "-q")
    assert paths(root) == ["a.py", "environment.py"]


def test_a_file_has_size_and_time(repository: MakeRepository) -> None:
    root = repository({"a.py": "x = 1\n"})
    (found,) = walk(root).files
    assert found.size == 6
    os.utime(root / "a.py", ns=(1, 1))
    (later,) = walk(root).files
    assert later.mtime_ns > 1, "a time that was set back does not hide a change"


def test_a_large_file_is_named(repository: MakeRepository) -> None:
    root = repository({"a.py": "x = 1\n" * 100, "b.py": ""})
    found = walk(root, max_file_bytes=599)
    assert [file.path for file in found.files] == ["b.py"]
    assert found.skipped == [Diagnostic("a.py", "skipped: 600 bytes are more than the 599 that are indexed")]


def test_exclude(repository: MakeRepository) -> None:
    root = repository({"a.py": "", "gen/b.py": "", "src/gen/c.py": "", "src/d_pb2.py": ""})
    assert paths(root, exclude=("/gen/", "*_pb2.py")) == ["a.py", "src/gen/c.py"]


@links
def test_links_are_not_followed(tmp_path: Path, repository: MakeRepository) -> None:
    write_files(tmp_path / "outside", {"secret.py": "TOKEN = 1\n"})
    root = repository({"in/a.py": "", "b.py": ""})
    for name, target in {
        "in/out.py": "../../outside/secret.py",
        "in/twin.py": "../b.py",
        "in/loop.py": "loop.py",
        "in/broken.py": "nowhere.py",
        "outside": "../outside",
        "around": ".",
    }.items():
        (root / name).symlink_to(target)
    for _ in range(2):
        found = walk(root)
        assert [file.path for file in found.files] == ["b.py", "in/a.py"]
        assert {(entry.path, entry.message) for entry in found.skipped} == {
            ("in/out.py", "skipped: a link that leads out of the repository"),
            ("in/loop.py", "skipped: a link that leads nowhere"),
            ("in/broken.py", "skipped: a link that leads nowhere"),
        }
        commit_all(root)


@links
def test_a_tracked_folder_that_became_a_link(tmp_path: Path, repository: MakeRepository) -> None:
    write_files(tmp_path / "outside", {"deep/secret.py": ""})
    root = repository({"sub/deep/secret.py": "", "b.py": ""})
    (root / "sub" / "deep" / "secret.py").unlink()
    (root / "sub" / "deep").rmdir()
    (root / "sub").rmdir()
    (root / "sub").symlink_to(tmp_path / "outside")
    assert paths(root) == ["b.py"]


@links
def test_pipes_are_not_opened(repository: MakeRepository) -> None:
    root = repository({"a.py": ""})
    os.mkfifo(root / "pipe.py")
    assert paths(root) == ["a.py"]
    assert read_source(root, "pipe.py") == b""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse the name")
@pytest.mark.parametrize("with_git", [True, False])
def test_a_name_that_is_not_utf8_is_named(folder: MakeRepository, with_git: bool) -> None:
    root = folder({"a.py": "", "naïve 日本\n.py": ""})
    (root / os.fsdecode(b"caf\xe9.py")).touch()
    if with_git:
        commit_all(root)
    found = walk(root)
    assert [file.path for file in found.files] == ["a.py", "naïve 日本\n.py"]
    assert found.skipped == [Diagnostic("caf\\udce9.py", "skipped: its name is not UTF-8")]


def test_repositories_within_are_projects_of_their_own(tmp_path: Path, repository: MakeRepository) -> None:
    inner = write_files(tmp_path / "inner", {"i.py": ""})
    commit_all(inner)
    root = repository({"a.py": ""})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "mod")
    write_files(root, {"nested/n.py": ""})
    commit_all(root / "nested")
    assert (root / "mod" / "i.py").exists()
    assert paths(root) == ["a.py"]


def test_a_folder_of_a_repository(repository: MakeRepository) -> None:
    root = repository({"a.py": "", "pkg/b.py": "", "pkg/sub/c.py": ""})
    assert paths(root / "pkg") == ["b.py", "sub/c.py"]


def test_a_repository_cannot_name_a_program_for_git_to_run(repository: MakeRepository, tmp_path: Path) -> None:
    root = repository({"a.py": ""})
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(program))
    assert paths(root) == ["a.py"]
    assert not (tmp_path / "ran").exists()


def test_variables_of_another_repository_are_not_heeded(
    repository: MakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository({"a.py": ""})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert paths(root) == ["a.py"]
    assert git_commit(root) == git(root, "rev-parse", "HEAD")


def test_commit(folder: MakeRepository) -> None:
    root = folder({"a.py": ""})
    assert git_commit(root) is None
    git(root, "init", "-q")
    assert git_commit(root) is None
    assert git_commit(root) != commit_all(root)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"x = 1\0\n", "NUL bytes"),
        (b"x = 1;" * 5000, "minified"),
        ((b"x = 1;" * 5000 + b"\n") * 3, "minified"),
        (b"x = " + b"(" * 6000, None),
        (b"x = 1\n" * 50_000, None),
        (b"", None),
        (b"\xff\xfe caf\xe9\r\n", None),
    ],
)
def test_what_is_not_source_text(folder: MakeRepository, source: bytes, reason: str | None) -> None:
    read = read_source(folder({"a.py": source}), "a.py")
    if reason is None:
        assert read == source
    else:
        assert isinstance(read, Diagnostic)
        assert reason in read.message


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    read = read_source(tmp_path, "a.py")
    assert isinstance(read, Diagnostic)
    assert "cannot be read" in read.message


def test_the_repository_around_a_folder(repository: MakeRepository, folder: MakeRepository) -> None:
    root = repository({"pkg/deep/a.py": ""})
    assert find_repository(root / "pkg" / "deep") == find_repository(root) == root
    (root / "pkg" / ".code-review-graph").mkdir()
    assert find_repository(root / "pkg" / "deep") == root / "pkg"


def test_no_repository_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    (home / ".git").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    with pytest.raises(RepositoryError, match="no repository around"):
        find_repository(home / "work")
    assert find_repository(home) == home
    with pytest.raises(RepositoryError, match="--repo"):
        find_repository(Path(tmp_path.anchor))


def test_the_root_of_the_file_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RepositoryError, match="root of the file system"):
        check_repository(Path(tmp_path.anchor))
    with pytest.raises(RepositoryError, match="not a folder"):
        check_repository(tmp_path / "nowhere")
    check_repository(tmp_path)


@pytest.mark.timeout(20)
def test_ignore_patterns_cannot_stop_the_walk(folder: MakeRepository) -> None:
    hostile = [
        "*" * 300 + "q",
        "*a*a*a*a*a*a*a*b",
        "**/a/**/a/**/a/**/a/**/a/**/b",
        "[z-a]",
        "[abc",
        "\\",
        "!",
        "[[:x:]]",
    ]
    name = "a" * 200 + ".py"
    files = {name: "", "a/" * 60 + "deep.py": "", "gone.py": "", ".gitignore": "\n".join([*hostile, "gone.py"])}
    root = folder(files)
    found = find_files(root, lambda path: path.endswith(".py"), Settings(exclude=tuple(hostile)))
    assert [file.path for file in found.files] == sorted([name, "a/" * 60 + "deep.py"])
