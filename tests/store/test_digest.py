"""A digest tells whether any row that pages and standings are made from has changed."""

import pytest
from sqlmodel import Session, SQLModel, col, select

from arena.store.digest import digests
from arena.store.models import Attempt, Entrant, Fault, Fixture, League, PlayedDeal, Result, SeatResult
from tests.reports.made_league import Plan, add_league, database

PLAN = Plan(orbits=2, target=30, faults=0.1)
READ = (League, Entrant, Fixture, PlayedDeal, Fault, Result, SeatResult)
COLUMNS = [
    (table, column.name)
    for table in READ
    for column in SQLModel.metadata.tables[str(table.__tablename__)].columns
    if not column.primary_key
]


def digest_of(session: Session) -> str:
    (found,) = digests(session=session).values()
    return found.everything


def test_the_same_rows_give_the_same_digest_in_another_database() -> None:
    with database() as one, database() as other:
        add_league(one, PLAN)
        add_league(other, PLAN)
        assert digests(session=one) == digests(session=other)


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=lambda one: getattr(one, "__name__", one))
def test_any_value_that_is_another_gives_another_digest(table: type[SQLModel], column: str) -> None:
    with database() as session:
        add_league(session, PLAN)
        before = digest_of(session)
        row = session.exec(select(table)).all()[-1]
        value = getattr(row, column)
        if table is PlayedDeal and column == "points":
            other = value.replace(",", ", ")  # its sum is watched by a trigger
        elif isinstance(value, bool):
            other = not value
        elif isinstance(value, int | float):
            other = value + 1
        elif column in {"kind", "consequence", "end"}:
            other = {"kind": "unreachable", "consequence": "stand-in", "end": "max_deals"}[column]
        else:
            other = 1 if value is None else f"{value}x"
        setattr(row, column, other)
        session.commit()
        unread = table is PlayedDeal and column in {"seats", "thinking"}
        assert (digest_of(session) == before) == unread


def test_a_match_has_a_digest_of_its_own() -> None:
    with database() as session:
        add_league(session, PLAN)
        (before,) = digests(session=session).values()
        deal = session.exec(select(PlayedDeal).where(col(PlayedDeal.fixture) == 3)).first()
        assert deal is not None
        deal.record += " "
        session.commit()
        (after,) = digests(session=session).values()
    assert before.matches.keys() == after.matches.keys() == set(range(10))
    assert {number for number in before.matches if before.matches[number] != after.matches[number]} == {3}


def test_what_the_site_does_not_tell_of_changes_nothing() -> None:
    with database() as session:
        add_league(session, PLAN)
        before = digest_of(session)
        session.add(Attempt(league_id=1, fixture=0, number=0, started_at="2026-03-14T09:00:00+00:00"))
        session.commit()
        assert digest_of(session) == before


def test_rows_that_are_there_or_not_are_told_apart() -> None:
    with database() as session:
        add_league(session, PLAN)
        seen = {digest_of(session)}
        for table in (Fault, SeatResult, Result, PlayedDeal, Fixture, Entrant):
            row = session.exec(select(table)).all()[-1]
            session.delete(row)
            session.flush()
            seen.add(digest_of(session))
    assert len(seen) == 7
