"""What is shipped with the bot in JavaScript, and what is said where it cannot be run or tested."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.js import bot


def test_the_lock_file_names_no_registry_and_every_package_has_its_hash() -> None:
    lock = json.loads((bot.JS / "package-lock.json").read_text())
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert {"node_modules/@grpc/grpc-js", "node_modules/@grpc/proto-loader"} <= set(packages)
    assert not [name for name, one in packages.items() if "resolved" in one]
    assert not [name for name, one in packages.items() if not one["integrity"].startswith("sha512-")]


def test_a_machine_without_node_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert "Node" in bot.missing()
    assert "`make js`" in bot.missing()


def test_a_machine_without_the_packages_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: "/usr/bin/node")
    monkeypatch.setattr(bot, "JS", tmp_path)
    assert "`make js`" in bot.missing()
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / ".package-lock.json").touch()
    assert bot.missing() == ""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node on this machine")
@pytest.mark.parametrize(
    ("program", "words"),
    [("bot.js", ["--arena", "127.0.0.1:1"]), ("submit.js", ["--arena", "127.0.0.1:1", "--token-file", "none"])],
)
def test_a_program_without_the_packages_says_in_one_line_how_to_get_them(
    program: str, words: list[str], tmp_path: Path
) -> None:
    shutil.copytree(bot.JS, tmp_path / "js", ignore=shutil.ignore_patterns("node_modules"))
    command = ["node", str(tmp_path / "js" / program), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"ARENA_TOKEN": "ann"})
    said = "its packages are not installed: run `make js`, or `npm ci` in its directory"
    assert (done.returncode, done.stderr) == (2, f"{program}: {said}\n")
