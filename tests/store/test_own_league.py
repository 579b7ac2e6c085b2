"""Of several leagues in one database, each is read and written by itself."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlmodel import Session, SQLModel

from arena.league.schedule import Fixture as Scheduled
from arena.store import attempts, digest, read
from arena.store import league as store
from arena.store.models import Attempt, Entrant
from arena.store.writer import Transaction
from tests.reports.made_league import Plan, add_league, database

ONE = Plan(name="one", target=30, faults=0.1, open_fixtures=3, begun_deals=1)
BEGUN = Scheduled(2, 0, 0, 0, "", (0, 1, 2, 3))
OTHER = Plan(name="other", target=40, faults=0.1, open_fixtures=2, begun_deals=2, orbits=3, seed=2)


def enter(session: Session, plan: Plan, hour: int) -> None:
    """The league, with attempts of that hour, the last of which is in play, and one bot that is not there."""
    league = add_league(session, plan)
    assert league.id is not None
    for fixture in range(hour):
        moment = f"2026-03-14T{hour:02}:{fixture:02}"
        ended = None if fixture == hour - 1 else attempts.FINISHED
        session.add(
            Attempt(
                league_id=league.id,
                fixture=fixture,
                number=0,
                started_at=f"{moment}:00+00:00",
                ended=ended,
                ended_at=ended and f"{moment}:59+00:00",
            )
        )
    entrant = session.get_one(Entrant, (league.id, hour % 4))
    entrant.away = True
    session.commit()


@pytest.fixture
def both() -> Iterator[Session]:
    with database() as session:
        enter(session, ONE, 5)
        enter(session, OTHER, 7)
        yield session


Reader = Callable[[Session, int], object]
READERS: dict[str, Reader] = {
    "entrants": lambda s, n: read.entrants(session=s, league=n),
    "fixtures": lambda s, n: read.fixtures(session=s, league=n),
    "results": lambda s, n: read.results(session=s, league=n),
    "deals": lambda s, n: read.deals(session=s, league=n),
    "records": lambda s, n: read.records(session=s, league=n, fixtures=range(2, 5)),
    "stops": lambda s, n: read.stops(session=s, league=n),
    "faults": lambda s, n: read.faults(session=s, league=n),
    "bootstrap_key": lambda s, n: read.bootstrap_key(session=s, league=n),
    "entrants_of": lambda s, n: [(e.number, e.name, e.away) for e in store.entrants_of(session=s, league_id=n)],
    "open_fixtures": lambda s, n: store.open_fixtures(session=s, league_id=n, after=-1),
    "fixtures_of": lambda s, n: [*store.fixtures_of(session=s, league_id=n)],
    "count_fixtures": lambda s, n: store.count_fixtures(session=s, league_id=n),
    "count_deals": lambda s, n: store.count_deals(session=s, league_id=n),
    "seat_results": lambda s, n: store.seat_results(session=s, league_id=n, first=3),
    "earlier_deals": lambda s, n: store.earlier_deals(session=s, league_id=n, fixture=BEGUN),
    "started_fixtures": lambda s, n: store.started_fixtures(session=s, league_id=n),
    "last_activity": lambda s, n: attempts.last_activity(session=s, league_id=n),
    "attempts_by_end": lambda s, n: attempts.attempts_by_end(session=s, league_id=n),
    "away": lambda s, n: attempts.away(session=s, league_id=n),
}


@pytest.mark.parametrize("name", READERS)
def test_a_league_is_read_as_if_it_were_alone(both: Session, name: str) -> None:
    for number, plan, hour in ((1, ONE, 5), (2, OTHER, 7)):
        with database() as alone:
            enter(alone, plan, hour)
            expected = READERS[name](alone, 1)
        assert expected or name == "stops", "the test compares nothing"
        assert READERS[name](both, number) == expected


def test_the_last_activity_is_the_later_of_what_began_and_what_ended(both: Session) -> None:
    assert attempts.last_activity(session=both, league_id=1) == "2026-03-14T05:04:00+00:00"
    with both.connection() as connection:
        attempts.end_attempts(joint := Transaction(connection), league_id=1, ended=attempts.CUT)
        joint.connection()
        ended = connection.exec_driver_sql("select max(ended_at) from attempt where league_id = 1").scalar_one()
        assert attempts.last_activity(session=both, league_id=1) == ended > "2026-03-14T05:04:00+00:00"


def test_a_digest_is_of_its_own_league_alone(both: Session) -> None:
    before = digest.digests(session=both)
    store.keep_software(both.connection(), league_id=2, entrants=names(both), software="new")
    after = digest.digests(session=both)
    assert after[1] == before[1]
    assert after[2].matches == before[2].matches
    assert after[2].everything != before[2].everything


def rows(session: Session, league: int) -> dict[tuple[str, Any], tuple[Any, ...]]:
    """Everything that is written of a league, by table and key."""
    found: dict[tuple[str, Any], tuple[Any, ...]] = {}
    for table in SQLModel.metadata.sorted_tables:
        own = table.columns.get("league_id", table.columns.get("id"))
        if own is None or (table.name != "league" and "league_id" not in table.columns):
            continue
        keys = [at for at, column in enumerate(table.columns) if column.primary_key]
        for row in session.connection().execute(table.select().where(own == league)):
            found[table.name, tuple(row[at] for at in keys)] = tuple(row)
    return found


Job = Callable[[Transaction, Session], object]
JOBS: dict[str, tuple[Job, int]] = {
    # And how many rows it changes, adds or takes away.
    "begin_attempt": (lambda t, s: attempts.begin_attempt(t, league_id=1, fixture=2), 1),
    "end_attempt": (lambda t, s: attempts.end_attempt(t, league_id=1, fixture=4, ended=attempts.PARKED), 1),
    "end_attempt of what has ended": (
        lambda t, s: attempts.end_attempt(t, league_id=1, fixture=3, ended=attempts.PARKED), 0,
    ),
    "end_attempts": (lambda t, s: attempts.end_attempts(t, league_id=1, ended=attempts.CUT), 1),
    "keep_away": (lambda t, s: attempts.keep_away(t, league_id=1, away=dict.fromkeys(names(s)[2:4], "x")), 3),
    "keep_software": (
        lambda t, s: store.keep_software(t.connection(), league_id=1, entrants=names(s)[2:4], software="new\0"), 2,
    ),
    "keep_schedule_hash": (lambda t, s: store.keep_schedule_hash(session=s, league_id=1, schedule_hash="ab" * 32), 1),
    "keep_beacon": (lambda t, s: store.keep_beacon(session=s, league_id=1, beacon=b"moon"), 1),
    "finish_league": (lambda t, s: store.finish_league(t.connection(), league_id=1), 1),
    "add_fixtures": (
        lambda t, s: store.add_fixtures(
            session=s, league_id=1, fixtures=[Scheduled(1000 + n, 9, 9, 0, "s", (0, 1, 2, 3)) for n in range(2500)]
        ),
        2500,
    ),
}  # fmt: skip


def names(session: Session) -> list[str]:
    """Of the entrants of both leagues, which are called the same."""
    return [one.name for one in read.entrants(session=session, league=1)]


@pytest.mark.parametrize("name", JOBS)
def test_what_is_written_of_a_league_changes_no_other_one(both: Session, name: str) -> None:
    job, changes = JOBS[name]
    own, other = rows(both, 1), rows(both, 2)
    job(joint := Transaction(both.connection()), both)
    joint.connection()
    after = rows(both, 1)
    assert sum(own.get(key) != after.get(key) for key in own.keys() | after.keys()) == changes
    assert rows(both, 2) == other
