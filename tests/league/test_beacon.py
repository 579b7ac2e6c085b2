"""A beacon: a public value, unknown when the commitment was published, to which the deals are bound."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
import trio
from sqlmodel import Session

from arena.league.config import ConfigError, LeagueFile
from arena.league.create import Opened, awaits_beacon, give_beacon, open_league
from arena.league.export import book_of, leagues_of, lines
from arena.league.importing import read_books
from arena.league.schedule import schedule_hash
from arena.league.verify import Difference, verify
from arena.rules.deck import event_key, public_value
from arena.store.database import open_database
from arena.store.league import fixtures_of
from tests.commands import Arena, one_line
from tests.league.scripted import SEED, league_file, rows, runner_of

LOTTERY = "3 14 15 26 — Саратов".encode()
FILE = league_file(5, {"orbits": 1}).model_copy(update={"beacon": True})


def opened(path: Path, beacon: bytes | None = None, file: LeagueFile = FILE) -> Opened:
    """The league, with the beacon if there is one."""
    engine = open_database(str(path), create=True)
    with Session(engine) as session, session.begin():
        league = open_league(session=session, file=file, seed=SEED)
        if beacon is not None:
            league = give_beacon(session=session, league=league, beacon=beacon)
    engine.dispose()
    return league


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a league has been created."""
    assert opened(tmp_path / "league.db").created
    return tmp_path / "league.db"


@pytest.fixture
def played(path: Path) -> Path:
    """Where it has been played with a beacon."""
    opened(path, LOTTERY)
    trio.run(runner_of(open_database(str(path)), FILE).run)
    return path


def test_a_beacon_binds_key_and_schedule_and_leaves_the_commitment(path: Path) -> None:
    engine = open_database(str(path))
    before = rows(engine, "select commitment, seed, settings from league")
    with Session(engine) as session:
        drawn = list(fixtures_of(session=session, league_id=1))
    league = opened(path, LOTTERY)
    names = [f"bot {number}" for number in range(5)]
    assert league.event_key == event_key(SEED, "test", public_value(names, LOTTERY))
    assert rows(engine, "select commitment, seed, settings from league") == before
    with Session(engine) as session:
        again = list(fixtures_of(session=session, league_id=1))
    assert again != drawn
    assert rows(engine, "select schedule_hash, beacon from league") == [(schedule_hash(again), LOTTERY.hex())]
    assert opened(path).event_key == league.event_key


def test_what_was_played_with_a_beacon_verifies_and_without_it_does_not(played: Path) -> None:
    with Session(open_database(str(played), write=False)) as session:
        (row,) = leagues_of(session=session)
        checked = verify(book_of(session=session, league=row, everything=True))
        said = list(lines(book_of(session=session, league=row)))
    assert (checked.beacon, checked.dealt) == (LOTTERY.hex(), checked.deals)
    assert json.loads(said[0])["beacon"] == LOTTERY.hex()
    assert verify(next(read_books("\n".join(said).encode(), where="export"))) == checked
    said[0] = said[0].replace(LOTTERY.hex(), "")
    with pytest.raises(Difference, match="fixture 0"):
        verify(next(read_books("\n".join(said).encode(), where="export")))


def test_a_beacon_is_given_once_after_the_commitment_and_before_the_first_card(path: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'test' has not been created: run it without a beacon first"):
        opened(tmp_path / "other.db", LOTTERY)
    assert not rows(open_database(str(tmp_path / "other.db")), "select * from league")
    assert opened(path, LOTTERY) == opened(path, LOTTERY)
    with pytest.raises(ConfigError, match=f"has a beacon already: '3 14 15 26 — Саратов', in hex {LOTTERY.hex()}"):
        opened(path, b"another")


def test_a_league_of_which_cards_have_been_shown_takes_no_beacon(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "insert into attempt (league_id, fixture, number, started_at, reason) values (1, 0, 0, '', '')"
        )
    with pytest.raises(ConfigError, match="has begun: a beacon is given before the first card"):
        opened(path, LOTTERY)
    with Session(open_database(str(path))) as session, pytest.raises(ConfigError, match="has begun without a beacon"):
        awaits_beacon(session=session, league=open_league(session=session, file=FILE, seed=SEED))


def test_no_card_is_dealt_before_the_beacon(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Sequence[object]] = []
    monkeypatch.setattr("arena.cli.play.serve", lambda *words, **_more: played.append(words))
    league = tmp_path / "friday.toml"
    arena("new", league)
    database = league.with_suffix(".db")
    arena("tokens", league)
    one_line(arena("run", league, "--beacon", "x"), "--beacon is for a league whose file has beacon = true", status=2)
    league.write_text(league.read_text().replace("#beacon = false", "beacon = true"))
    said: Callable[..., str] = lambda *words: arena("run", league, *words).stdout  # noqa: E731
    assert "no card before the beacon" in said("--dry-run")
    one_line(arena("run", league, "--beacon", LOTTERY.decode()), "has not been created")
    for wrong in ("", " ", "a\nb", "x" * 257):
        one_line(arena("run", league, "--beacon", wrong), "1 to 256 printable characters", status=2)
    for _ in range(2):
        first = said()
        assert "schedule is drawn with the beacon, deals committed to by" in first
        assert "--beacon TEXT" in first
        assert not played
    assert f"beacon '{LOTTERY.decode()}', in hex {LOTTERY.hex()}" in said("--beacon", LOTTERY.decode())
    assert f"in hex {LOTTERY.hex()}" in said()
    assert len(played) == 2
    one_line(arena("run", league, "--beacon", "another"), "has a beacon already")
    assert f"beacon {LOTTERY.hex()}: bound into schedule and deals" in arena("verify", "--db", database).stdout
    pages = league.with_suffix(".site").rglob("*.html")
    assert any(LOTTERY.hex() in page.read_text(encoding="utf-8") for page in pages)
