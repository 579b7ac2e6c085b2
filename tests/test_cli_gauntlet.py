"""`arena gauntlet` and `arena status` where nothing has been played yet: what they say, in one line."""

import contextlib
import sqlite3
from pathlib import Path

from sqlmodel import Session

from arena.league.config import read_league
from arena.league.create import open_league
from arena.league.gauntlet import gauntlet_of
from arena.stats.gauntlet import Plan
from arena.store.database import open_database
from tests.commands import Arena, one_line

LEAGUE = 'name = "versions"\n[server]\naddress = "127.0.0.1:0"\n[[bots]]\nname = "ada"\n[[bots]]\nname = "ada next"\n'


def test_another_least_than_before_is_told_as_the_option_that_it_is(arena: Arena, tmp_path: Path) -> None:
    path, database = tmp_path / "versions.toml", tmp_path / "versions.db"
    path.write_text(LEAGUE)
    arena("tokens", str(path))
    made, players = gauntlet_of(read_league(path), "ada next", "ada", Plan(groups_min=3))
    engine = open_database(str(database), create=True)
    with Session(engine) as session, session.begin():
        open_league(session=session, file=made, seed=bytes(32), players=players)
    engine.dispose()
    done = arena("gauntlet", "ada next", "ada", "--league", str(path))
    one_line(done, "versions: ada next against ada", "--least was 3 and is 100")
    assert "orbits" not in done.stderr


def test_another_setting_of_the_file_is_told_by_its_key(arena: Arena, tmp_path: Path) -> None:
    path = tmp_path / "versions.toml"
    path.write_text(LEAGUE)
    arena("tokens", str(path))
    made, players = gauntlet_of(read_league(path), "ada next", "ada", Plan())
    engine = open_database(str(tmp_path / "versions.db"), create=True)
    with Session(engine) as session, session.begin():
        open_league(session=session, file=made, seed=bytes(32), players=players)
    engine.dispose()
    path.write_text(LEAGUE + "[game]\ntarget = 50\n")
    one_line(arena("gauntlet", "ada next", "ada", "--league", str(path)), "game.target was 100 and is 50")


def test_the_status_of_a_database_without_a_league_says_so(arena: Arena, tmp_path: Path) -> None:
    database = str(tmp_path / "empty.db")
    open_database(database, create=True).dispose()
    with contextlib.closing(sqlite3.connect(database)) as made:
        assert made.execute("select count(*) from league").fetchone() == (0,)
    assert arena("status", "--db", database).stdout.splitlines() == ["no arena is playing", "there is no league in it"]
