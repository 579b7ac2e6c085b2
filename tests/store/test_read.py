"""Rows as pages and standings read them."""

import json
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from sqlmodel import Session

from arena.store import read
from arena.store.database import open_database
from tests.reports.made_league import Plan, add_league, database


def narrow(path: Path) -> Engine:
    """The database, whose statements may have few variables: a long league must not need more than a short one."""
    engine = open_database(str(path), write=False)

    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, _record: object) -> None:
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 3)

    return engine


def test_who_stopped_a_deal_by_losing_the_right_to_play_is_read_from_its_record(finished: Path) -> None:
    with Session(narrow(finished)) as session:
        found = read.stops(session=session, league=1)
        lost = {
            (one.fixture, one.deal) for one in read.faults(session=session, league=1) if one.consequence == "stand-in"
        }
    with Session(open_database(str(finished), write=False)) as session:
        records = read.records(session=session, league=1, fixtures=range(10))
    stopped = {(one.fixture, one.number): one.record["stopped"] for one in records if one.record["stopped"]}
    assert lost
    assert found == {where: stop["seat"] for where, stop in stopped.items() if where in lost}


@pytest.mark.parametrize(
    ("said", "ranking"),
    [("placement", "placement"), ("points", "points"), ("wins", "wins"), ("luck", "placement"), (7, "placement")],
)
def test_a_league_is_ranked_by_what_its_settings_say_if_that_is_a_measure(said: object, ranking: str) -> None:
    with database() as session:
        league = add_league(session, Plan())
        league.settings = json.dumps({**json.loads(league.settings), "ranking": said})
        session.commit()
        assert [one.ranking for one in read.leagues(session=session)] == [ranking]
