"""A site that is brought up to date is the one that would be made from nothing, whatever has changed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session, SQLModel, select

from arena.store.models import Entrant, Fault, Fixture, League, PlayedDeal, Result, SeatResult
from reports.files import BEFORE, MANIFEST
from reports.site import write_site
from tests.reports.html_reading import tree
from tests.reports.made_league import Plan, add_league, database

PLAN = Plan(orbits=3, target=40, faults=0.1, open_fixtures=2, begun_deals=2)
MIDDLE = 7
"""A match in the middle: all tables of its deals have finished."""


def turned(text: str) -> str:
    """The points of a deal, each a seat further."""
    points = json.loads(text)
    return json.dumps([points[-1], *points[:-1]])


def other(value: Any) -> Any:
    """A value that is as possible in most columns."""
    if value is None or isinstance(value, str):
        return f"{value}x"
    return not value if isinstance(value, bool) else value + 1


OTHERS: dict[tuple[type[SQLModel], str], Callable[[Any], Any]] = {
    (League, "settings"): lambda text: json.dumps({**json.loads(text), "note": 1}),
    (League, "max_deals"): lambda _: 90,
    (League, "seed"): lambda text: text[::-1],
    (League, "beacon"): lambda _: "ab",
    (League, "created_at"): lambda _: "2026-03-15T09:00:00+00:00",
    (League, "finished_at"): lambda _: "2026-03-15T09:00:00+00:00",
    (Fixture, "seats"): lambda text: " ".join(reversed(text.split())),
    (PlayedDeal, "record"): lambda text: text,  # see the test
    (PlayedDeal, "points"): turned,
    (PlayedDeal, "moon"): lambda seat: 0 if seat is None else None,
    (Fault, "deal"): lambda number: number + (1 if number == 0 else -1),
    (Fault, "seat"): lambda seat: (seat + 1) % 4,
    (Fault, "trick"): lambda trick: 3 if trick != 3 else 4,
    (Fault, "kind"): lambda kind: "malformed" if kind != "malformed" else "timeout",
    (Fault, "ask"): lambda ask: "pass" if ask != "pass" else "play",
    (Fault, "clause"): lambda clause: "G5" if clause != "G5" else "G4",
    (Fault, "consequence"): lambda one: "stand-in" if one != "stand-in" else "retry",
    (Result, "end"): lambda _: "max_deals",
    (Result, "finished_at"): lambda _: "2026-03-16T09:00:00+00:00",
    (SeatResult, "entrant"): lambda _: -1,  # see the test
    (SeatResult, "place"): lambda _: 1,
    (SeatResult, "chips"): lambda _: "7/2",
    (SeatResult, "thinking"): lambda _: "[5000000,5000000,[[200,1]]]",
}
OF_THE_RULES = {(League, "variant"), (League, "seats"), (League, "options")}
"""With others, the records are not of this league."""
COLUMNS = [
    (table, column.name)
    for table in (League, Entrant, Fixture, PlayedDeal, Fault, Result, SeatResult)
    for column in SQLModel.metadata.tables[str(table.__tablename__)].columns
    if not column.primary_key
    and column.name not in {"league_id", "fixture"}
    and (table, column.name) not in OF_THE_RULES
]


def one_row(session: Session, table: type[SQLModel], column: str) -> Any:
    """A row of the match in the middle, if the table is of matches."""
    rows: list[Any] = list(session.exec(select(table)).all())
    if table is Fixture:
        rows = [row for row in rows if row.number == MIDDLE]
    elif table not in (League, Entrant):
        rows = [row for row in rows if row.fixture == MIDDLE]
    if column == "place":
        rows = [row for row in rows if row.place == 2]
    return rows[0]


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=lambda one: getattr(one, "__name__", one))
def test_a_change_of_any_one_value_is_seen(tmp_path: Path, table: type[SQLModel], column: str) -> None:
    with database() as session:
        add_league(session, PLAN)
        site = tmp_path / "site"
        write_site(session, directory=site)
        row = one_row(session, table, column)
        value = OTHERS.get((table, column), other)(getattr(row, column))
        if column == "record":  # of the same deal with other cards
            deals = session.exec(select(PlayedDeal)).all()
            value = next(deal.record for deal in deals if deal.number == row.number and deal.fixture < MIDDLE - 4)
        elif column == "entrant":  # who does not sit there
            value = ({0, 1, 2, 3, 4} - {one.entrant for one in session.exec(select(SeatResult)).all()
                                       if one.fixture == MIDDLE}).pop()  # fmt: skip
        assert getattr(row, column) != value
        setattr(row, column, value)
        session.commit()
        write_site(session, directory=site)
        write_site(session, directory=tmp_path / "new")
    assert tree(site) == tree(tmp_path / "new")


def test_another_database_with_as_many_rows_is_another_site(tmp_path: Path) -> None:
    for seed in (1, 2, 1):
        with database() as session:
            add_league(session, Plan(orbits=2, target=20, seed=seed))
            write_site(session, directory=tmp_path / "site")
            write_site(session, directory=tmp_path / f"new {seed}")
        assert tree(tmp_path / "site") == tree(tmp_path / f"new {seed}")


def test_where_nothing_has_changed_nothing_is_read_but_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with database() as session:
        add_league(session, PLAN)
        write_site(session, directory=tmp_path)
        before = tree(tmp_path)

        def never(*_: object) -> None:
            raise AssertionError("made again")

        with monkeypatch.context() as patch:
            patch.setattr("reports.leagues.put_leagues", never)
            write_site(session, directory=tmp_path)
            with pytest.raises(AssertionError):
                write_site(session, directory=tmp_path, lang="ru")
            (tmp_path / "league-1" / "match-3.html").unlink()
            with pytest.raises(AssertionError):
                write_site(session, directory=tmp_path)
        write_site(session, directory=tmp_path)
        assert tree(tmp_path) == before
        monkeypatch.setattr("reports.leagues.put_leagues", never)
        monkeypatch.setattr("reports.site.program", lambda: "another one")
        with pytest.raises(AssertionError):
            write_site(session, directory=tmp_path)


def test_a_writing_that_was_cut_off_leaves_nothing_that_is_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    with database() as first, database() as second:
        add_league(first, Plan(orbits=2, target=20, seed=1))
        add_league(second, Plan(orbits=2, target=20, seed=2))
        write_site(first, directory=site)
        before = tree(site)
        with monkeypatch.context() as patch:
            patch.setattr("reports.leagues.stream_page", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                write_site(second, directory=site)
        assert (site / BEFORE).is_file()
        assert not (site / MANIFEST).exists()
        write_site(first, directory=site)
    assert tree(site) == before
