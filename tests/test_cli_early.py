"""What can never be played is refused before anything is written: no database, no site, no tokens, no log."""

from pathlib import Path

import pytest

from tests.commands import Arena, one_line

COMMANDS = {
    "run": ("run", "league.toml", "--log", "run.log"),
    "dry run": ("run", "league.toml", "--dry-run"),
    "gauntlet": ("gauntlet", "cautious", "random", "--league", "league.toml"),
    "demo": ("demo", "--league", "league.toml"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("server", "needle"),
    [
        ('address = "0.0.0.0:0"', "cannot listen on 0.0.0.0:0: other machines reach it"),
        ('address = "[::]:7070"', "cannot listen on [::]:7070: "),
        ('address = "203.0.113.1:7070"\ninsecure = true', "cannot listen on 203.0.113.1:7070: "),
        ('address = "nowhere.invalid:7070"\ninsecure = true', "cannot listen on nowhere.invalid:7070: "),
        ('tls_certificate = "nowhere.pem"\ntls_key = "nowhere.key"', "nowhere.key: No such file or directory"),
        ('bots_ca = "nowhere.pem"', "nowhere.pem: No such file or directory"),
    ],
)
def test_a_server_that_can_never_be_is_refused_before_anything_is_written(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, server: str, needle: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("league.toml").write_text(
        f'name = "x"\n[server]\n{server}\n[[bots]]\nname = "cautious"\n[[bots]]\nname = "random"\n'
    )
    Path("tokens.txt").write_text("a-token-of-the-tests cautious\nanother-of-the-tests random\n")
    one_line(arena(*COMMANDS[command]), needle)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["league.toml", "tokens.txt"]


def test_a_report_that_cannot_be_written_is_told_before_the_bot_is_checked(arena: Arena, tmp_path: Path) -> None:
    report = tmp_path / "nowhere" / "report.xml"
    done = arena("check", "--command", "true", "--connect", "60", "--junit", report)
    one_line(done, f"{report}: No such file or directory")
    assert done.stdout == ""


def test_a_message_that_names_its_options_says_nothing_else(arena: Arena) -> None:
    done = arena("check")
    assert done.returncode == 2
    assert done.stderr == "arena: give one of HOST:PORT, --listen HOST:PORT and --command PROGRAM\n"
