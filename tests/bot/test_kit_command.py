"""The command line of a bot file."""

import math
from pathlib import Path

import pytest

from arena.bot import Refused, Tls, Turn, command, run


def choose(turn: Turn) -> int:
    return turn.legal[0]


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the environment."""
    monkeypatch.delenv("ARENA_ADDRESS", raising=False)
    monkeypatch.delenv("ARENA_TOKEN", raising=False)


def ended(arguments: list[str]) -> object:
    with pytest.raises(SystemExit) as end:
        run(choose, arguments)
    return end.value.code


def test_no_arena_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended([]) == 2
    assert "--arena HOST:PORT" in capsys.readouterr().err


def test_no_token_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["--arena", "x:1"]) == 2
    assert "ARENA_TOKEN" in capsys.readouterr().err


def test_a_token_file_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["--arena", "x:1", "--token-file", str(tmp_path / "no")]) == 2
    assert str(tmp_path / "no") in capsys.readouterr().err


def test_what_is_given_reaches_the_dial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: dict[str, object] = {}

    def connect(bot: object, **given: object) -> str:
        said.update(given, bot=bot)
        return "the arena has closed"

    monkeypatch.setattr(command, "connect", connect)
    monkeypatch.setenv("ARENA_ADDRESS", "here:1")
    (tmp_path / "token").write_text("secret\n# a note\n")
    assert ended(["--token-file", str(tmp_path / "token"), "--tables", "3"]) == 0
    assert (said["bot"], said["address"], said["token"], said["tables"]) == (choose, "here:1", "secret", 3)


def test_serve_is_dialled_at_the_address_with_the_certificates(monkeypatch: pytest.MonkeyPatch) -> None:
    said: dict[str, object] = {}

    def serve(_bot: object, **given: object) -> str:
        said.update(given)
        return "stopped"

    monkeypatch.setattr(command, "serve", serve)
    monkeypatch.setenv("ARENA_TOKEN", "secret")
    assert ended(["--serve", "127.0.0.1:7071", "--certificate", "c.pem", "--key", "k.pem", "--insecure"]) == 0
    assert (said["address"], said["patience_s"]) == ("127.0.0.1:7071", math.inf)
    assert said["tls"] == Tls(None, Path("c.pem"), Path("k.pem"), insecure=True)


def test_an_address_that_others_reach_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_TOKEN", "secret")
    said = str(ended(["--serve", "0.0.0.0:0"]))
    assert "give certificate and key" in said
    assert "\n" not in said


def test_a_refusal_is_one_line_and_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(_bot: object, **_given: object) -> str:
        raise Refused("this token is not known here")

    monkeypatch.setattr(command, "connect", connect)
    monkeypatch.setenv("ARENA_TOKEN", "x")
    assert str(ended(["--arena", "x:1"])).endswith(": this token is not known here")
