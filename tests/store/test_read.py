"""Rows as pages and standings read them."""

import sqlite3
from pathlib import Path

from sqlalchemy import Engine, event
from sqlmodel import Session

from arena.store import read
from arena.store.database import open_database


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
