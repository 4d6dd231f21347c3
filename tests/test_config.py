from __future__ import annotations

from pathlib import Path

import pytest

from code_review_graph.config import DEFAULT_MAX_FILE_BYTES, Settings, load_settings
from code_review_graph.errors import ConfigurationError


def project(tmp_path: Path, text: str) -> Path:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    return tmp_path


def test_defaults(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, {})
    assert settings == Settings()
    assert settings.embedding_provider == "static"
    assert settings.max_file_bytes == DEFAULT_MAX_FILE_BYTES


def test_environment_wins_over_the_repository(tmp_path: Path) -> None:
    root = project(tmp_path, '[tool.code-review-graph]\nmax-file-bytes = 1000\nexclude = ["gen/"]\n')
    assert load_settings(root, {}).max_file_bytes == 1000
    settings = load_settings(root, {"CRG_MAX_FILE_BYTES": "2000", "CRG_EMBEDDING_MODEL": ""})
    assert (settings.max_file_bytes, settings.exclude, settings.embedding_model) == (2000, ("gen/",), None)


@pytest.mark.parametrize(
    ("environment", "url", "key"),
    [
        ({"OPENAI_BASE_URL": "http://a", "OPENAI_API_KEY": "s1"}, "http://a", "s1"),
        (
            {"OPENAI_BASE_URL": "http://a", "CRG_OPENAI_BASE_URL": "https://b", "CRG_OPENAI_API_KEY": "s2"},
            "https://b",
            "s2",
        ),
    ],
)
def test_endpoint(environment: dict[str, str], url: str, key: str) -> None:
    settings = load_settings(None, environment)
    assert settings.openai_base_url == url
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == key
    assert key not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CRG_MAX_FILE_BYTES", "many"),
        ("CRG_MAX_FILE_BYTES", "0"),
        ("CRG_WORKERS", "-1"),
        ("CRG_EMBEDDING_PROVIDER", "No Such"),
        ("CRG_OPENAI_BASE_URL", "file:///etc/passwd"),
    ],
)
def test_an_impossible_value_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        load_settings(None, {name: value})


@pytest.mark.parametrize("key", ["embedding-provider", "embedding-model", "openai-base-url", "openai_api_key", "typo"])
def test_a_repository_may_not_say_where_its_text_is_sent(tmp_path: Path, key: str) -> None:
    root = project(tmp_path, f'[tool.code-review-graph]\n{key} = "http://evil"\n')
    with pytest.raises(ConfigurationError, match=key):
        load_settings(root, {})


@pytest.mark.parametrize(
    "text",
    ["not = toml = at all", "tool = 3", "[tool]\ncode-review-graph = 3", "x = " + "[" * 5000, "\ufeff\0"],
    ids=["syntax", "tool", "table", "nesting", "bytes"],
)
def test_a_broken_project_file_is_no_reason_to_stop(tmp_path: Path, text: str) -> None:
    assert load_settings(project(tmp_path, text), {}) == Settings()


def test_a_wrong_type_in_the_repository_is_named(tmp_path: Path) -> None:
    root = project(tmp_path, "[tool.code-review-graph]\nexclude = 5\n")
    with pytest.raises(ConfigurationError, match=r"exclude of \[tool.code-review-graph\]"):
        load_settings(root, {})
