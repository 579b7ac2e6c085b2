"""`arena new` and `schedule` as a stranger runs them."""

import contextlib
import json
import re
import sqlite3
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from arena.league.config import LeagueFile, read_league
from tests.commands import Arena, one_line

LEAGUE = """
name = "test"
[schedule]
orbits = 2
duplicate = "orbit"
[game]
target = 50
"""


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """The file of both."""
    path = tmp_path / "test.toml"
    path.write_text(LEAGUE + "".join(f'[[bots]]\nname = "bot {number}"\n' for number in range(5)))
    return path


# new


def keys(model: type[BaseModel], where: str = "") -> Iterator[str]:
    """Every key of the file by its section: ``"game.target"``."""
    for name, field in model.model_fields.items():
        inner = next(
            (
                one
                for one in (field.annotation, *get_args(field.annotation))
                if isinstance(one, type) and issubclass(one, BaseModel)
            ),
            None,
        )
        if inner is None:
            yield where + name
        elif name == "games":
            yield name  # the keys of `game` once more
        else:
            yield from keys(inner, f"{name}.")


def written_keys(text: str) -> dict[str, str]:
    """The keys of a file, those in comments too, with the lines that have them."""
    found = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]") + "."
        key, equals, _ = line.removeprefix("#").partition(" = ")
        if equals and key.isidentifier():
            found[section + key] = line
    return found


def test_a_new_league_file_is_read_and_has_the_defaults(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "friday.toml"
    assert arena("new", path).returncode == 0
    made = read_league(path)
    assert made == LeagueFile(name="friday", bots=made.bots)
    assert len(made.bots) == made.game.seats


def test_a_new_league_file_explains_every_key(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "friday.toml"
    arena("new", path)
    text = path.read_text()
    assert set(keys(LeagueFile)) - {"games"} == set(written_keys(text))
    assert "[[games]]" in text
    lines = text.splitlines()
    for key, line in written_keys(text).items():
        if key.startswith("bots."):
            continue
        before = lines[lines.index(line) - 1]
        assert key == "name" or before.startswith("# "), f"nothing says what {key} is"


def test_the_defaults_that_a_new_league_file_shows_are_the_defaults(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "friday.toml"
    arena("new", path)
    shown = "\n".join(
        line.removeprefix("#")
        if line in written_keys(path.read_text()).values() and "# no default" not in line
        else line
        for line in path.read_text().splitlines()
    )
    without_default = {key for key, line in written_keys(path.read_text()).items() if "# no default" in line}
    assert {"game", "time", "schedule", "server"} < tomllib.loads(shown).keys()
    path.write_text(shown)
    made = read_league(path)
    assert made == LeagueFile(name="friday", bots=made.bots)
    assert without_default == {
        "game.name", "game.max_deals", "schedule.repetitions", "schedule.orbits", "schedule.hours", "schedule.until",
        "server.tls_certificate", "server.tls_key", "server.tls_client_ca", "server.bots_ca",
    }  # fmt: skip


def test_a_league_file_that_is_there_is_left_alone(arena: Arena, league: Path) -> None:
    before = league.read_bytes()
    one_line(arena("new", league), str(league), "File exists")
    assert league.read_bytes() == before


def test_a_new_league_file_has_any_name(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / 'odd "quoted" \\ name {x}\n.toml'
    assert arena("new", path).returncode == 0
    assert read_league(path).name == 'odd "quoted" \\ name {x}'


# schedule


def test_the_schedule_of_a_file_is_shown_with_its_balance(arena: Arena, league: Path) -> None:
    done = arena("schedule", league)
    assert done.returncode == 0
    assert "5 bots at tables of 4, orbits 2, matches 10" in done.stdout
    assert re.search(r"matches of a bot +8 to 8, ideal 8\n", done.stdout)
    assert "example key" in done.stdout
    assert done.stdout.count("orbit0/rep1") == 5


def test_the_schedule_as_json_is_complete(arena: Arena, league: Path) -> None:
    found = json.loads(arena("schedule", league, "--json").stdout)
    assert found["format"] == "hearts-arena/schedule@1"
    assert (found["example"], len(found["fixtures"])) == (True, 10)
    assert found["balance"]["pairs"] == {"least": 6, "most": 6, "ideal": 6.0}
    assert found["entrants"] == [f"bot {number}" for number in range(5)]


def test_the_schedule_of_a_created_league_is_its_own(arena: Arena, league: Path, in_play: Path) -> None:
    found = json.loads(arena("schedule", league, "--json", "--db", in_play).stdout)
    with contextlib.closing(sqlite3.connect(in_play)) as connection:
        (digest,) = connection.execute("select schedule_hash from league").fetchone()
        seats = [row[0] for row in connection.execute("select seats from fixture order by number")]
    assert (found["example"], found["hash"]) == (False, digest)
    assert [" ".join(map(str, one["seats"])) for one in found["fixtures"]] == seats
    assert digest in arena("schedule", league, "--db", in_play).stdout


def test_a_schedule_of_several_games_is_shown_game_by_game(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "two.toml"
    path.write_text('name = "two"\n[[games]]\n[[games]]\nvariant = "hearts"\nseats = 3\n[[bots]]\nname = "a"\n')
    found = [json.loads(line) for line in arena("schedule", path, "--json").stdout.splitlines()]
    assert [one["entrants"] for one in found] == [["a", "house 1", "house 2", "house 3"], ["a", "house 1", "house 2"]]
    assert "house 2" in arena("schedule", path).stdout


def test_a_league_that_has_not_been_created_is_one_line(arena: Arena, tmp_path: Path, in_play: Path) -> None:
    path = tmp_path / "other.toml"
    path.write_text('name = "other"\n[[bots]]\nname = "a"\n')
    one_line(arena("schedule", path, "--db", in_play), "in_play.db", "'other'", "not been created")
