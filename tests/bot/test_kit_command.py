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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--arena", "x"], "argument --arena: not HOST:PORT: 'x'"),
        (["--arena", "x:99999"], "argument --arena: not HOST:PORT: 'x:99999'"),
        (["--arena", "x:0000655359"], "argument --arena: not HOST:PORT: 'x:0000655359'"),
        (["--serve", ":7070"], "argument --serve: not HOST:PORT: ':7070'"),
        (["--serve", "x:²"], "argument --serve: not HOST:PORT: 'x:²'"),
        *[(["--arena", "x:1", "--tables", one], f"must be 1 to 1024, not '{one}'") for one in ("0", "-1", "9999", "x")],
        *[
            (["--arena", "x:1", "--patience", one], f"must be a number from 0, not '{one}'")
            for one in ("nan", "-1", "soon")
        ],
        (["--arena", "x:1", "--certificate", "x.pem"], "--certificate and --key go together"),
        (["--arena", "x:1", "--token-file", "."], "cannot read the token in .: Is a directory"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_an_address_of_the_environment_is_looked_at_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_ADDRESS", "here")
    assert ended([]) == 2
    assert capsys.readouterr().err.endswith("ARENA_ADDRESS: not HOST:PORT: 'here'\n")


@pytest.mark.parametrize(
    ("file", "said"), [("nowhere.pem", "nowhere.pem: No such file"), ("text.pem", "text.pem: no certificates in PEM")]
)
@pytest.mark.parametrize("way", ["--arena", "--serve"])
def test_a_ca_that_cannot_be_used_is_one_line(
    file: str, said: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it is used: a bot that serves asks for no certificate unless it shows one."""
    if way == "--serve":
        monkeypatch.setattr(Tls, "_own", lambda _self: (b"", b""))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARENA_TOKEN", "secret")
    Path("text.pem").write_text("no certificate")
    code = ended([way, "127.0.0.1:1", "--ca", file, "--patience", "0"])
    assert isinstance(code, str)
    assert said in code
    assert "Errno" not in code
