"""`arena play`: an author's bot against the house."""

import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.main import app
from tests.bot.served import Served

RANDOM = shlex.join([sys.executable, "-m", "reference_bots.random_bot"])


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["play", *arguments], standalone_mode=False)
    if result.exception is not None:
        return 1, f"{result.output}{result.exception}"
    return result.return_value, result.output


def scores(said: str) -> list[str]:
    """The lines without the times."""
    return [line for line in said.splitlines() if " answers: " not in line]


def test_a_bot_plays_and_the_same_seed_gives_the_same_sheet() -> None:
    first, again, other = (run("--command", RANDOM, "--deals", "2", "--seed", seed) for seed in ("1", "1", "2"))
    assert first[0] == 0
    assert scores(first[1]) == scores(again[1])
    assert scores(first[1]) != scores(other[1])
    assert "no faults" in first[1]
    assert first[1].splitlines()[2].split() == ["deal", "you", "house", "1", "house", "2", "house", "3"]


def test_another_game_and_seat() -> None:
    game = ["--variant", "black-lady", "--players", "5", "--seat", "3", "--option", "settlement=pot"]
    status, said = run("--command", RANDOM, *game, "--deals", "1")
    assert status == 0, said
    assert "black-lady, 5 players" in said
    assert "settlement pot" in said
    assert "chips" in said


def test_faults_are_told_one_by_one() -> None:
    program = "from arena.bot import run\nrun(lambda turn: 1 // 0)"
    status, said = run("--command", shlex.join([sys.executable, "-c", program]), "--move", "0.2")
    assert status == 1
    assert said.count("timeout: no answer within 0.200 s") == 3
    assert "the house has played on for you: you are placed last" in said


def test_a_slip_is_told_and_costs_nothing_else() -> None:
    program = "from arena.bot import run\nrun(lambda turn: turn.hand[-turn.count:])"
    status, said = run("--command", shlex.join([sys.executable, "-c", program]), "--deals", "2")
    assert status == 1
    assert "illegal: " in said
    assert "; retry)" in said
    assert ", of which your bot says it thought for " in said
    assert "stopped" not in said
    assert "placed last" not in said


def test_a_bot_with_an_address_is_dialled(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("ann\n")
    bot = Served(token="ann")
    try:
        status, said = run(bot.address, "--token-file", str(token), "--deals", "1")
        (tmp_path / "other").write_text("bob\n")
        other = run(bot.address, "--token-file", str(tmp_path / "other"), "--connect", "0.5")
    finally:
        bot.stop()
    assert (status, "no faults" in said) == (0, True), said
    assert other[0] == 1
    assert "was not there within 0.5 s: auth: " in other[1]
    assert "Hello.proof is wrong" in other[1]


def test_a_program_that_ends_is_one_line() -> None:
    status, said = run("--command", shlex.join([sys.executable, "-c", "import sys; sys.exit(3)"]))
    assert status == 1
    assert "ended with status 3 before the match was over" in said


def test_a_program_that_is_not_there_is_one_line() -> None:
    status, said = run("--command", "nowhere/bot {address}")
    assert status == 1
    assert said.endswith("nowhere/bot {address}: nowhere/bot cannot be started: No such file or directory")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        *[([option, "inf"], f"'{option}'") for option in ("--move", "--bank", "--connect")],
        *[
            ([option, str(10**30)], f"'{option}'")
            for option in ("--move", "--bank", "--connect", "--target", "--deals")
        ],
        (["--variant", "clasic"], "did you mean 'classic'"),
        (["--players", "9"], "the nearest is 4"),
        (["--seat", "4"], "seats 0 to 3"),
        (["--option", "pass=left"], "no option 'pass'"),
        (["h.example:1"], "give one of HOST:PORT and --command"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(app, ["play", "--command", "x", *arguments], terminal_width=200)
    assert result.exit_code == 2
    assert said in " ".join(result.output.replace("│", " ").split())
