"""`arena new`, `schedule`, `leagues`, `standings`, `export`, `import`, `verify` as a stranger runs them."""

import contextlib
import json
import re
import sqlite3
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from sqlmodel import Session

from arena.cli.main import main
from arena.fault import Consequence, Kind
from arena.league import book
from arena.league.config import LeagueFile, read_league
from arena.store.database import open_database
from reports.site import write_site
from tests.league.played import SEED, finished_league, league_file, league_in_play, played

LEAGUE = """
name = "test"
[schedule]
orbits = 2
duplicate = "orbit"
[game]
target = 50
"""


@dataclass(frozen=True)
class Done:
    """A command that has run."""

    returncode: int
    stdout: str
    stderr: str


Arena = Callable[..., Done]


@pytest.fixture
def arena(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Arena:
    """Runs a command in this process, as the console script would."""

    def run(*words: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["arena", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        out, err = capsysbinary.readouterr()
        assert isinstance(end.value.code, int)
        return Done(end.value.code, out.decode(), err.decode())

    return run


def one_line(done: Done, *needles: str, status: int = 1) -> None:
    """The command failed with one line that says this."""
    assert done.returncode == status, done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for needle in needles:
        assert needle in done.stderr


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    path = tmp_path / "finished.db"
    path.write_bytes(finished_league())
    return path


@pytest.fixture
def in_play(tmp_path: Path) -> Path:
    path = tmp_path / "in_play.db"
    path.write_bytes(league_in_play())
    return path


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
        "game.name", "game.max_deals", "schedule.orbits", "schedule.hours", "schedule.until",
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


# leagues and standings


@pytest.fixture
def both(arena: Arena, finished: Path, tmp_path: Path) -> Path:
    """A database of two leagues."""
    other = played(tmp_path / "other.db", league_file("other", bots=4, schedule={"orbits": 1}, max_deals=1))
    path = tmp_path / "both.db"
    for source in (finished, other):
        out = tmp_path / "out.jsonl"
        assert arena("export", "--db", source, "--out", out, "--times").returncode == 0
        assert arena("import", out, "--db", path).returncode == 0
    return path


def test_leagues_are_listed(arena: Arena, both: Path, in_play: Path) -> None:
    lines = [line.split() for line in arena("leagues", "--db", both).stdout.splitlines()]
    assert lines[1:] == [
        ["test", "classic", "4", "5", "10/10", "finished"],
        ["other", "classic", "4", "4", "4/4", "finished"],
    ]
    assert "7/10" in arena("leagues", "--db", in_play).stdout
    found = json.loads(arena("leagues", "--db", both, "--json").stdout)
    assert [one["league"] for one in found["leagues"]] == ["test", "other"]


def test_standings_are_those_of_the_site(arena: Arena, finished: Path, tmp_path: Path) -> None:
    with contextlib.closing(open_database_session(finished)) as session:
        write_site(session, directory=tmp_path / "site")
    folder = tmp_path / "site" / "league-1"
    assert arena("standings", "--db", finished, "--json").stdout.encode() == (folder / "standings.json").read_bytes()
    assert arena("standings", "--db", finished, "--csv").stdout.encode() == (folder / "standings.csv").read_bytes()
    shown = arena("standings", "--db", finished).stdout
    for line in json.loads((folder / "standings.json").read_text())["standings"]:
        assert any(line["bot"] in row and f"{line['placement']:.3f}" in row for row in shown.splitlines())


def open_database_session(path: Path) -> Session:
    return Session(open_database(str(path), write=False))


def test_one_of_several_leagues_must_be_named(arena: Arena, both: Path) -> None:
    one_line(arena("standings", "--db", both), "--league", "'test'", "'other'", status=2)
    one_line(arena("standings", "--db", both, "--league", "x"), "'x'", "'test'", "'other'")
    assert "other: classic, 4 of 4 matches" in arena("standings", "--db", both, "--league", "other").stdout


def test_wrong_usage_is_one_line_and_status_2(arena: Arena, both: Path) -> None:
    one_line(arena("verify"), "FILE", status=2)
    one_line(arena("verify", "x.jsonl", "--db", both), "FILE", status=2)
    one_line(arena("standings", "--db", both, "--csv", "--json"), "not both", status=2)
    one_line(arena("export", "--db", both, "--times", "--records"), "records have no times", status=2)


@pytest.mark.parametrize("command", ["leagues", "standings", "export", "verify"])
def test_a_database_that_is_not_there_is_one_line(arena: Arena, command: str, tmp_path: Path) -> None:
    one_line(arena(command, "--db", tmp_path / "none.db"), "none.db", "no such database")


@pytest.mark.parametrize("command", ["standings", "export", "verify"])
def test_a_database_without_leagues_is_one_line(arena: Arena, command: str, tmp_path: Path) -> None:
    open_database(str(tmp_path / "empty.db"), create=True).dispose()
    one_line(arena(command, "--db", tmp_path / "empty.db"), "empty.db", "no league")


# export, import, verify


def test_an_export_goes_to_a_file_or_on(arena: Arena, finished: Path, tmp_path: Path) -> None:
    done = arena("export", "--db", finished)
    out = tmp_path / "out.jsonl"
    assert arena("export", "--db", finished, "--out", out).stdout == ""
    assert out.read_text(encoding="utf-8") == done.stdout
    assert done.stderr == "test: 10 of 10 matches\n"


def test_an_export_says_how_much_is_withheld(arena: Arena, in_play: Path) -> None:
    done = arena("export", "--db", in_play)
    assert "test: 5 of 10 matches; 2 more are finished and left out" in done.stderr
    assert SEED.hex() not in done.stdout + done.stderr


def test_an_export_that_fails_leaves_the_file_that_was_there(arena: Arena, finished: Path, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(finished)) as connection, connection:
        connection.execute("delete from deal where fixture = 9 and number = 0")
    out = tmp_path / "out.jsonl"
    out.write_text("before")
    one_line(arena("export", "--db", finished, "--out", out), "fixture 9: deal 0 is missing")
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir() if "out" in path.name) == ["out.jsonl"]


def test_records_of_an_export_replay(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    arena("export", "--db", finished, "--records", "--out", out)
    done = arena("replay", out)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 10


@pytest.mark.parametrize("times", [(), ("--times",)])
@pytest.mark.parametrize("which", ["finished", "in_play", "both"])
def test_what_is_imported_is_exported_again(
    arena: Arena, which: str, times: tuple[str, ...], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    source, copy = request.getfixturevalue(which), tmp_path / "copy.db"
    out = tmp_path / "whole.jsonl"
    assert arena("export", "--db", source, "--out", out, *times).returncode == 0
    assert arena("import", out, "--db", copy).returncode == 0
    assert arena("export", "--db", copy, *times).stdout == out.read_text(encoding="utf-8")


def test_the_site_of_an_import_is_that_of_the_original(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out, copy = tmp_path / "out.jsonl", tmp_path / "copy.db"
    arena("export", "--db", finished, "--out", out, "--times")
    arena("import", out, "--db", copy)
    sites = []
    for path in (finished, copy):
        with contextlib.closing(open_database_session(path)) as session:
            write_site(session, directory=tmp_path / path.stem)
        sites.append(
            {
                str(file.relative_to(tmp_path / path.stem)): file.read_bytes()
                for file in (tmp_path / path.stem).rglob("*")
                if file.is_file()
            }
        )
    assert len(sites[0]) > 10
    assert sites[0] == sites[1]


def test_an_import_is_all_or_nothing(arena: Arena, finished: Path, both: Path, tmp_path: Path) -> None:
    """The second league of the file is there already, so the first does not come in either."""
    out, target = tmp_path / "out.jsonl", tmp_path / "target.db"
    arena("export", "--db", both, "--league", "other", "--out", out)
    arena("import", out, "--db", target)
    arena("export", "--db", both, "--out", out)
    one_line(arena("import", out, "--db", target), "league 'other' already")
    assert [line.split()[0] for line in arena("leagues", "--db", target).stdout.splitlines()] == ["league", "other"]


def test_a_league_that_does_not_verify_is_not_imported(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out, target = tmp_path / "out.jsonl", tmp_path / "target.db"
    text = arena("export", "--db", finished).stdout
    out.write_text(text.replace('"place":4', '"place":3', 1))
    one_line(arena("import", out, "--db", target), "'test': fixture 0, seat", "place: recorded 3, computed 4")
    out.write_text(text[: len(text) // 2])
    one_line(arena("import", out, "--db", target), str(out), "line")
    assert not target.exists()


def test_verify_says_what_was_checked(arena: Arena, finished: Path, in_play: Path, tmp_path: Path) -> None:
    done = arena("verify", "--db", finished)
    assert (done.returncode, done.stderr) == (0, "")
    assert "test: finished; everything" in done.stdout
    assert "10 fixtures" in done.stdout
    assert "36 deals" in done.stdout
    assert "36 of them dealt again" in done.stdout
    out = tmp_path / "out.jsonl"
    arena("export", "--db", in_play, "--out", out)
    done = arena("verify", out)
    assert done.returncode == 0
    assert "not finished" in done.stdout
    assert "5 results" in done.stdout
    assert "5 fixtures are open" in done.stdout


def test_verify_says_the_first_difference(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    arena("export", "--db", finished, "--out", out)
    with contextlib.closing(sqlite3.connect(finished)) as connection, connection:
        connection.execute("update seat_result set points = 999 where fixture = 4 and seat = 1")
    one_line(arena("verify", "--db", finished), "league 'test': fixture 4, seat 1: points: recorded 999, computed")
    out.write_text(out.read_text().replace("hearts-arena/fixture@1", "hearts-arena/fixture@2", 1))
    one_line(arena("verify", out), str(out))


def test_verify_takes_one_league_of_several(arena: Arena, both: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    arena("export", "--db", both, "--out", out)
    for source in ((out,), ("--db", both)):
        assert arena("verify", *source).stdout.count("finished; everything") == 2
        assert arena("verify", *source, "--league", "other").stdout.count("finished; everything") == 1
    one_line(arena("verify", out, "--league", "x"), "no league 'x'", status=2)
    one_line(arena("verify", "--db", both, "--league", "x"), "no league 'x'")


def test_published_standings_are_computed_again(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out, published = tmp_path / "out.jsonl", tmp_path / "standings.json"
    arena("export", "--db", finished, "--out", out)
    published.write_text(arena("standings", "--db", finished, "--json").stdout)
    for words in ((out,), ("--db", finished)):
        done = arena("verify", *words, "--standings", published)
        assert (done.returncode, done.stderr) == (0, "")
        assert "5 lines of" in done.stdout
    data: dict[str, Any] = json.loads(published.read_text())
    data["standings"][2]["placement"] = 0.9
    published.write_text(json.dumps(data))
    for words in ((out,), ("--db", finished)):
        one_line(arena("verify", *words, "--standings", published), "standings.2.placement: published 0.9, computed 0.")
    published.write_text("[]")
    one_line(arena("verify", out, "--standings", published), "standings.json", "not a standings.json")


def test_standings_of_a_league_in_play_need_its_database(arena: Arena, in_play: Path, tmp_path: Path) -> None:
    """An export leaves results out that are in them."""
    out, published = tmp_path / "out.jsonl", tmp_path / "standings.json"
    arena("export", "--db", in_play, "--out", out)
    published.write_text(arena("standings", "--db", in_play, "--json").stdout)
    assert arena("verify", "--db", in_play, "--standings", published).returncode == 0
    one_line(arena("verify", out, "--standings", published), "in play", "--db only")


# the operators' page

OPERATORS = (Path(__file__).parent.parent / "docs" / "operators.md").read_text(encoding="utf-8")


def test_every_command_on_the_page_is_there(arena: Arena) -> None:
    """With its options."""
    found = re.findall(r"^ +(arena .*?)(?: +#.*)?$|`(arena [^`]*)`", OPERATORS, re.MULTILINE)
    commands = {one or other for one, other in found}
    assert len(commands) > 15
    for command in commands:
        name, *words = command.split()[1:]
        done = arena(name, "--help")
        assert done.returncode == 0, command
        for word in words:
            assert not word.startswith("--") or f"{word} " in done.stdout or f"{word}\n" in done.stdout, command


@pytest.mark.parametrize(
    "model",
    [book.LeagueLine, book.FixtureLine, book.ResultLine, book.FaultLine, book.LeagueTimes, book.MatchTimes],
    ids=lambda model: str(model.__name__),
)
def test_every_field_of_an_export_is_on_the_page(model: type[BaseModel]) -> None:
    form = str(model.model_fields["format"].default).removeprefix("hearts-arena/")
    section = OPERATORS.split(f"### {form}\n")[1].split("\n###")[0]
    fields = [
        name for row in re.findall(r"^\| (.*?) \|", section, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    ]
    assert sorted(fields) == sorted(name for name in model.model_fields if name != "format")


def test_every_kind_of_fault_is_on_the_page() -> None:
    section = OPERATORS.split("## Reading the faults")[1].split("\n## ")[0]
    listed = set(re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE))
    assert listed - {"kind", "consequence"} == {one.value for one in (*Kind, *Consequence)}
