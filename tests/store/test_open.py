"""What is no database of the arena is refused in one line, and left alone."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.store.database import DatabaseError, name_of, open_database
from tests.league.scripted import league_file, runner_of


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", "'' names no file"),
        (":memory:", "':memory:' names no file"),
        ("sqlite://", "'sqlite://' names no file"),
        ("sqlite:///", "'sqlite:///' names no file"),
        ("sqlite:///x.db?mode=memory&uri=true", "a URL of SQLite has the path only"),
        ("mysql://u:secret@host/x", "mysql://u:***@host/x: a database is the path of an SQLite file, or a URL"),
        ("foo://bar", "foo://bar: a database is the path"),
        ("://", "://: not a database URL"),
        (".", ".: a directory, not a database"),
    ],
)
def test_a_place_where_no_league_can_be_is_refused(where: str, said: str, *, write: bool) -> None:
    with pytest.raises(DatabaseError) as error:
        open_database(where, create=write, write=write)
    assert said in str(error.value)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("write", [False, True])
def test_a_database_of_something_else_is_told_as_that(tmp_path: Path, *, write: bool) -> None:
    path = tmp_path / "music.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE song (name)")
    with pytest.raises(DatabaseError, match=r"music\.db: not a database of the arena \(it has a table 'song'\)"):
        open_database(str(path), write=write)


def test_an_empty_database_says_what_makes_its_tables(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with pytest.raises(DatabaseError, match=r"empty\.db: an empty database; `arena run` makes the tables"):
        open_database(str(path), write=False)


@pytest.mark.parametrize("name", ["what?.db", "100%25.db", "a b#c.db", "лига.db", "?mode=memory&uri=true", "@:x"])
def test_a_path_is_taken_as_it_is(name: str, tmp_path: Path) -> None:
    """Whatever a character in it would mean in a URL."""
    path = tmp_path / name
    engine = open_database(str(path), create=True)
    runner_of(engine, league_file(4, {"orbits": 1}))
    assert path.exists()
    assert name_of(engine) == str(path)
    open_database(str(path), write=False).dispose()
