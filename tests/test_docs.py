"""The documents against the program that they describe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main

from code_review_graph.cli import app
from code_review_graph.config import ENVIRONMENT, REPOSITORY_KEYS
from code_review_graph.results import Pattern
from code_review_graph.tools import TOOLS

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "eval/README.md", "benchmarks/README.md")
]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
GROUP = typer.main.get_command(app)
COMMANDS = dict(getattr(GROUP, "commands"))  # noqa: B009 - typer does not say that it is a group


def rows(heading: str) -> dict[str, str]:
    """Rows of the first table under a heading of the README: code in the first cell -> the rest."""
    section = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, re.MULTILINE))


def test_every_command_is_documented() -> None:
    assert list(rows("Commands")) == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_options_of_a_command_are_documented(name: str) -> None:
    general = {"--repo", "--json", "--help"}
    options = {flag for item in COMMANDS[name].params for flag in item.opts if flag.startswith("--")} - general
    assert {flag for flag in options if flag not in rows("Commands")[name]} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_teaches_by_example(name: str) -> None:
    text = COMMANDS[name].help or ""
    examples = [line.strip() for line in text.splitlines() if line.startswith("  code-review-graph ")]
    assert examples
    for example in examples:
        assert example.startswith(f"code-review-graph {name}")
        used = set(re.findall(r"--[a-z-]+", example))
        assert used <= {flag for item in COMMANDS[name].params for flag in item.opts}


def test_every_tool_and_pattern_is_documented() -> None:
    documented = rows("For coding agents (MCP)")
    assert list(documented) == [tool.name for tool in TOOLS]
    assert re.findall(r"`(\w+)`", documented["query_graph"]) == [str(pattern) for pattern in Pattern]


def test_every_setting_is_documented() -> None:
    section = README.partition("\n## The index\n")[2].partition("\n## ")[0]
    documented = [re.findall(r"`([A-Z_]+)`", row) for row in re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)]
    assert documented == [list(names) for names in ENVIRONMENT.values()]
    assert all(f"`{key}`" in section for key in REPOSITORY_KEYS)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_link_is_dead(document: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (document.parent / link).exists()] == []


def test_the_tree_exists() -> None:
    table = CONTRIBUTING.partition("## The tree")[2].partition("\n## ")[0]
    named = [
        cell for row in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for cell in re.findall(r"`([^`]+)`", row)
    ]
    package = ROOT / "code_review_graph"
    assert [name for name in named if not ((ROOT / name).exists() or (package / name).exists())] == []


def test_every_part_of_the_package_is_in_the_tree() -> None:
    table = CONTRIBUTING.partition("## The tree")[2].partition("\n## ")[0]
    parts = [
        path.name
        for path in (ROOT / "code_review_graph").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    ]
    known = {"__init__.py", "__main__.py"}
    assert [part for part in parts if part not in known and part not in table] == []


def test_both_commands_are_on_the_first_screen() -> None:
    first = README.splitlines()[:24]
    assert first.count("```sh") == 2
    assert "python3 scripts/check.py" in first


def test_nothing_launches_the_other_project() -> None:
    for path in [*DOCUMENTS, *(ROOT / "code_review_graph").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        assert not re.search(
            r"\b(uvx|pipx run|uv tool (run|install)|pip install) (--from )?code-review-graph\b", text
        ), path


def test_exit_codes_are_documented() -> None:
    assert set(re.findall(r"^\| (\d+) \|", README, re.MULTILINE)) == {"0", "1", "2", "3", "130"}
