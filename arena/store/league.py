"""A league in the database: created once with everything that is to be played, then only read and finished."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from sqlalchemy import Connection, delete, exists, func, insert, update
from sqlalchemy import select as select_columns
from sqlmodel import Session, col, select

from arena.league.schedule import Fixture as Scheduled
from arena.rules.catalogue import rules as rules_of
from arena.rules.worth import sums
from arena.stats.thinking import check_whole
from arena.store.database import DatabaseError
from arena.store.models import Attempt, Entrant, Fault, Fixture, League, PlayedDeal, Result, SeatResult, Worth
from arena.store.tally import Tally
from arena.table import Standing

CHUNK = 1000  # rows that are written at once
PAGE = 500  # fixtures that are read at once


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is left of a match that was interrupted."""

    deals: tuple[tuple[tuple[int, ...], tuple[Standing, ...]], ...]  # points and standings by seat, in order
    tally: Tally  # of them


def now() -> str:
    """This moment, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def find_league(*, session: Session, name: str) -> League | None:
    """The league of that name."""
    return session.exec(select(League).where(League.name == name)).first()


def create_league(
    *, session: Session, league: League, entrants: Sequence[Entrant], fixtures: Iterable[Scheduled]
) -> int:
    """Enter a new league with its entrants and its whole schedule; returns its id."""
    session.add(league)
    session.flush()
    assert league.id is not None
    for entrant in entrants:
        entrant.league_id = league.id
        session.add(entrant)
    session.flush()
    add_worth(session=session, league=league)
    add_fixtures(session=session, league_id=league.id, fixtures=fixtures)
    return league.id


def add_worth(*, session: Session, league: League) -> None:
    """Enter what the deals of a league, which has its id, may be worth; none is taken before."""
    rules = rules_of(league.variant, league.seats, json.loads(league.options))
    rows = [
        {"league_id": league.id, "ended": ended, "total": total}
        for ended, totals in sums(rules).items()
        for total in sorted(totals)
    ]
    session.connection().execute(insert(Worth), rows)


def add_fixtures(*, session: Session, league_id: int, fixtures: Iterable[Scheduled]) -> None:
    """Enter matches to be played; a long schedule is never in memory as a whole."""
    rows = (
        {
            "league_id": league_id,
            "number": one.number,
            "repetition": one.repetition,
            "orbit": one.orbit,
            "round": one.round,
            "stream": one.stream,
            "seats": " ".join(map(str, one.seats)),
        }
        for one in fixtures
    )
    while chunk := list(islice(rows, CHUNK)):
        session.connection().execute(insert(Fixture), chunk)


def entrants_of(*, session: Session, league_id: int) -> tuple[Entrant, ...]:
    """The entrants, by number."""
    query = select(Entrant).where(Entrant.league_id == league_id).order_by(col(Entrant.number))
    return tuple(session.exec(query))


def open_fixtures(*, session: Session, league_id: int, after: int) -> tuple[Scheduled, ...]:
    """The next fixtures after that number which have no result yet, in playing order; at most ``PAGE``."""
    finished = exists().where(col(Result.league_id) == Fixture.league_id, col(Result.fixture) == Fixture.number)
    query = _schedule(league_id).where(col(Fixture.number) > after, ~finished).limit(PAGE)
    return tuple(map(_scheduled, session.execute(query)))


def replace_fixtures(*, session: Session, league_id: int, fixtures: Iterable[Scheduled]) -> None:
    """Enter another schedule instead, of a league of which nothing has begun."""
    session.connection().execute(delete(Fixture).where(col(Fixture.league_id) == league_id))
    add_fixtures(session=session, league_id=league_id, fixtures=fixtures)


def has_begun(*, session: Session, league_id: int) -> bool:
    """Whether a match has been begun, and so cards may have been shown."""
    return session.exec(select(Attempt.fixture).where(Attempt.league_id == league_id).limit(1)).first() is not None


def fixtures_of(*, session: Session, league_id: int) -> Iterator[Scheduled]:
    """The whole schedule, in playing order."""
    return map(_scheduled, session.execute(_schedule(league_id).execution_options(yield_per=CHUNK)))


def _schedule(league_id: int) -> Any:
    """Columns instead of objects, ten times as fast."""
    names = ("number", "repetition", "orbit", "round", "stream", "seats")
    columns = select_columns(*(getattr(Fixture, name) for name in names))
    return columns.where(col(Fixture.league_id) == league_id).order_by(col(Fixture.number))


def _scheduled(row: Any) -> Scheduled:
    number, repetition, orbit, round_, stream, seats = row
    return Scheduled(number, repetition, orbit, round_, stream, tuple(map(int, seats.split())))


def count_fixtures(*, session: Session, league_id: int) -> tuple[int, int]:
    """How many fixtures are finished, and how many there are."""
    finished = session.exec(select(func.count()).select_from(Result).where(Result.league_id == league_id)).one()
    total = session.exec(select(func.count()).select_from(Fixture).where(Fixture.league_id == league_id)).one()
    return finished, total


def count_deals(*, session: Session, league_id: int) -> int:
    """How many complete deals there are, those of unfinished matches included."""
    return session.exec(select(func.count()).select_from(PlayedDeal).where(PlayedDeal.league_id == league_id)).one()


def seat_results(*, session: Session, league_id: int, first: int) -> Sequence[tuple[int, int, int, int, int]]:
    """By fixture, from ``first`` on, and seat: fixture, its deals, entrant, points, place."""
    query = (
        select_columns(
            col(Result.fixture),
            col(Result.deals),
            col(SeatResult.entrant),
            col(SeatResult.points),
            col(SeatResult.place),
        )
        .where(
            col(Result.league_id) == league_id,
            col(Result.fixture) >= first,
            col(SeatResult.league_id) == Result.league_id,
            col(SeatResult.fixture) == Result.fixture,
        )
        .order_by(col(Result.fixture), col(SeatResult.seat))
    )
    return [
        (fixture, deals, entrant, points, place) for fixture, deals, entrant, points, place in session.execute(query)
    ]


def earlier_deals(*, session: Session, league_id: int, fixture: Scheduled) -> Earlier:
    """The deals of a match that have been played.

    DatabaseError where they cannot be those: what to play next is never guessed.
    """
    where = f"league {league_id}, fixture {fixture.number}"
    deal = PlayedDeal
    query = (
        select_columns(col(deal.number), col(deal.points), col(deal.seats), col(deal.thinking), col(deal.moon))
        .where(col(deal.league_id) == league_id, col(deal.fixture) == fixture.number)
        .order_by(col(PlayedDeal.number))
    )
    tally = Tally.of(len(fixture.seats))
    tally.faults.update(
        session.exec(select(Fault.seat).where(Fault.league_id == league_id, Fault.fixture == fixture.number))
    )
    deals = []
    for due, (number, points, after, thinking, moon) in enumerate(session.execute(query)):
        if number != due:
            raise DatabaseError(f"{where}: there is deal {number}, but no deal {due}")
        try:
            standings = tuple(
                Standing(bank / 1e6, grace / 1e6, strikes, stops, bool(forfeited))
                for bank, grace, strikes, stops, forfeited in json.loads(after)
            )
            deals.append((tuple(map(int, json.loads(points))), standings))
            tally.add(_times(thinking), moon, ())
        except (ValueError, TypeError) as error:
            raise DatabaseError(f"{where}, deal {number}: cannot be read: {error}") from None
    return Earlier(tuple(deals), tally)


def _times(thinking: str) -> list[list[int]]:
    """What the answers of a deal were charged, by seat; ValueError or TypeError for any other text."""
    times: list[list[int]] = json.loads(thinking)
    for seat in times:
        check_whole(seat)
    return times


def started_fixtures(*, session: Session, league_id: int) -> frozenset[int]:
    """The fixtures without a result of which deals have been played."""
    finished = exists().where(col(Result.league_id) == PlayedDeal.league_id, col(Result.fixture) == PlayedDeal.fixture)
    query = select(PlayedDeal.fixture).where(PlayedDeal.league_id == league_id, ~finished).distinct()
    return frozenset(session.exec(query))


def keep_software(connection: Connection, *, league_id: int, entrants: Collection[str], software: str) -> None:
    """Write what a bot calls itself, for each entrant that it is."""
    connection.execute(
        update(Entrant)
        .where(col(Entrant.league_id) == league_id, col(Entrant.name).in_(entrants))
        .values(software=software.replace("\0", ""))
    )


def keep_schedule_hash(*, session: Session, league_id: int, schedule_hash: str) -> None:
    """Write the hash of the schedule as it is now."""
    session.connection().execute(update(League).where(col(League.id) == league_id).values(schedule_hash=schedule_hash))


def keep_beacon(*, session: Session, league_id: int, beacon: bytes) -> None:
    """Write the public value to which the deals are bound."""
    session.connection().execute(update(League).where(col(League.id) == league_id).values(beacon=beacon.hex()))


def finish_league(connection: Connection, *, league_id: int) -> None:
    """The last result is in."""
    connection.execute(
        update(League).where(col(League.id) == league_id, col(League.finished_at).is_(None)).values(finished_at=now())
    )
