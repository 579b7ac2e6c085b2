"""Compiled templates are kept as Python keeps compiled modules, and are never those of another version."""

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from reports.render import Compiled


def rendered(folder: Path, source: str) -> str:
    """By a new process, as far as the cache can tell."""
    environment = Environment(loader=DictLoader({"page": source}), bytecode_cache=Compiled(folder), autoescape=True)
    return environment.get_template("page").render()


@pytest.fixture(autouse=True)
def _written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def test_the_next_process_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(tmp_path / "cache", "{{ 1 + 1 }}") == "2"
    monkeypatch.setattr(Environment, "compile", None)
    assert rendered(tmp_path / "cache", "{{ 1 + 1 }}") == "2"


def test_another_source_and_another_program_are_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert rendered(tmp_path, "{{ 1 + 1 }}") == "2"
    assert rendered(tmp_path, "{{ 1 + 2 }}") == "3"
    monkeypatch.setattr("reports.render.program", lambda: "another one of the same length")
    assert rendered(tmp_path, "{{ 1 + 2 }}") == "3"
    (kept,) = tmp_path.iterdir()
    assert "another one" in kept.name


@pytest.mark.parametrize("data", [b"", b"j2"])
def test_a_damaged_file_is_made_again(tmp_path: Path, data: bytes) -> None:
    rendered(tmp_path, "{{ 1 + 1 }}")
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(data)
    assert rendered(tmp_path, "{{ 1 + 1 }}") == "2"
    assert kept.read_bytes() == whole


def test_where_nothing_can_be_written_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    assert rendered(tmp_path / "file" / "cache", "{{ 1 + 1 }}") == "2"
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(tmp_path / "cache", "{{ 1 + 1 }}") == "2"
    assert not (tmp_path / "cache").exists()
