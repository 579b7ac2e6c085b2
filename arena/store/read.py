"""What pages and standings read: rows as plain values, in the order of the schedule."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from sqlmodel import Session, SQLModel, col, select

from arena.rules.deck import event_key, public_value
from arena.stats import rows
from arena.stats.clusters import Primary
from arena.store.models import Entrant, Fault, Fixture, League, PlayedDeal, Result, SeatResult


@dataclass(frozen=True, slots=True)
class LeagueRow:
    """A league. Its seed is "" until the league has ended."""

    id: int
    name: str
    settings: Mapping[str, Any]
    ranking: Primary  # what its table goes by
    variant: str
    options: Mapping[str, bool | int | str | None]
    seats: int
    target: int  # points
    max_deals: int | None
    commitment: str  # hex
    seed: str  # hex
    beacon: str  # hex
    schedule_hash: str
    created_at: str  # UTC, ISO 8601
    finished_at: str | None


@dataclass(frozen=True, slots=True)
class EntrantRow:
    """A bot, or a house bot, which is not ranked."""

    number: int
    name: str
    ranked: bool
    software: str
    away: bool  # the league waits for it


@dataclass(frozen=True, slots=True)
class FixtureRow:
    """A match that is to be played."""

    number: int
    repetition: int
    orbit: int
    round: int
    stream: str
    seats: tuple[int, ...]  # entrant numbers


# Of these a long league has ten thousands, and tuples are made several times as fast.
class SeatRow(NamedTuple):
    """How one seat of a match came out."""

    entrant: int
    points: int
    place: int
    chips: str  # an exact fraction
    moons: int
    moons_suffered: int
    faults: int
    forfeited: bool
    thinking: str  # see arena/stats/thinking.py


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A finished match."""

    fixture: int
    deals: int
    end: str  # "target" or "max_deals"
    finished_at: str  # UTC, ISO 8601
    seconds: float
    seats: tuple[SeatRow, ...]


class DealRow(NamedTuple):
    """What a deal was worth."""

    fixture: int
    number: int
    points: tuple[int, ...]  # by seat
    moon: int | None  # the shooter's seat


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A deal as it was written down."""

    fixture: int
    number: int
    record: Mapping[str, Any]
    points: tuple[int, ...]
    moon: int | None


@dataclass(frozen=True, slots=True)
class FaultRow:
    """What a bot did wrong, or did not do."""

    fixture: int
    deal: int
    seat: int
    trick: int | None
    kind: str
    ask: str
    clause: str
    reason: str
    consequence: str
    answer: str
    limit_ms: float
    measured_ms: float
    sent_ms: float | None
    came_ms: float | None
    lag_ms: float | None
    thought_ms: float | None


def leagues(*, session: Session) -> tuple[LeagueRow, ...]:
    """Every league of the database, in the order in which they were created."""
    return tuple(
        LeagueRow(
            id=_stored(league.id),
            name=league.name,
            settings=(settings := json.loads(league.settings)),
            ranking=_ranking(settings),
            variant=league.variant,
            options=json.loads(league.options),
            seats=league.seats,
            target=league.target,
            max_deals=league.max_deals,
            commitment=league.commitment,
            seed=league.seed if league.finished_at else "",
            beacon=league.beacon,
            schedule_hash=league.schedule_hash,
            created_at=league.created_at,
            finished_at=league.finished_at,
        )
        for league in session.exec(select(League).order_by(col(League.id)))
    )


def _ranking(settings: Mapping[str, Any]) -> Primary:
    """Of settings that come from elsewhere, what they say may be anything."""
    said = settings.get("ranking")
    return "points" if said == "points" else "wins" if said == "wins" else "placement"


def bootstrap_key(*, session: Session, league: int) -> bytes:
    """What seeds the bootstrap of a league's standings: its event key."""
    row = session.exec(select(League).where(League.id == league)).one()
    ranked = select(Entrant.name).where(Entrant.league_id == league, col(Entrant.ranked))
    names = session.exec(ranked).all()
    return event_key(bytes.fromhex(row.seed), row.name, public_value(names, bytes.fromhex(row.beacon)))


def entrants(*, session: Session, league: int) -> tuple[EntrantRow, ...]:
    """Every entrant, by number, from 0."""
    query = select(Entrant).where(Entrant.league_id == league).order_by(col(Entrant.number))
    return tuple(EntrantRow(one.number, one.name, one.ranked, one.software, one.away) for one in session.exec(query))


def fixtures(*, session: Session, league: int) -> tuple[FixtureRow, ...]:
    """Every fixture, in schedule order."""
    found = (
        session.connection()
        .execute(
            _columns(Fixture, "number", "repetition", "orbit", "round", "stream", "seats")
            .where(col(Fixture.league_id) == league)
            .order_by(col(Fixture.number))
        )
        .all()
    )
    return tuple(
        FixtureRow(number, repetition, orbit, round_, stream, tuple(map(int, seats.split())))
        for number, repetition, orbit, round_, stream, seats in found
    )


def results(*, session: Session, league: int) -> Mapping[int, ResultRow]:
    """Every finished match, by the number of its fixture, in schedule order."""
    by_fixture: dict[int, list[SeatRow]] = {}
    found = session.connection().execute(
        _columns(
            SeatResult,
            "fixture", "entrant", "points", "place", "chips", "moons", "moons_suffered", "faults", "forfeited",
            "thinking",
        )
        .where(col(SeatResult.league_id) == league)
        .order_by(col(SeatResult.fixture), col(SeatResult.seat))
    ).all()  # fmt: skip
    for fixture, *seat in found:
        by_fixture.setdefault(fixture, []).append(SeatRow._make(seat))
    ended = (
        session.connection()
        .execute(
            _columns(Result, "fixture", "deals", "end", "finished_at", "seconds")
            .where(col(Result.league_id) == league)
            .order_by(col(Result.fixture))
        )
        .all()
    )
    return {
        fixture: ResultRow(fixture, deals, end, finished_at, seconds, tuple(by_fixture[fixture]))
        for fixture, deals, end, finished_at, seconds in ended
    }


def as_match_rows(
    entrants: Sequence[EntrantRow], fixtures: Sequence[FixtureRow], results: Mapping[int, ResultRow]
) -> tuple[rows.MatchRow, ...]:
    """The finished matches of a league as the statistics take them, in schedule order."""
    orbits = orbit_numbers(fixtures)
    return tuple(
        rows.MatchRow(
            fixture=fixture.number,
            orbit=orbits[fixture.repetition, fixture.orbit],
            stream=fixture.stream,
            deals=result.deals,
            seats=tuple(
                rows.SeatRow(
                    bot=entrants[seat.entrant].name,
                    ranked=entrants[seat.entrant].ranked,
                    points=seat.points,
                    place=seat.place,
                    chips=_fraction(seat.chips),
                    moons=seat.moons,
                    moons_suffered=seat.moons_suffered,
                    faults=seat.faults,
                    forfeited=seat.forfeited,
                    thinking=seat.thinking,
                )
                for seat in result.seats
            ),
        )
        for fixture in fixtures
        if (result := results.get(fixture.number)) is not None
    )


@lru_cache(maxsize=1 << 14)
def _points(text: str) -> tuple[int, ...]:
    """The points of a deal by seat; most deals have the same as another."""
    return tuple(json.loads(text))


# Most matches have the same few.
_fraction = lru_cache(maxsize=1 << 14)(Fraction)


def orbit_numbers(fixtures: Sequence[FixtureRow]) -> Mapping[tuple[int, int], int]:
    """By repetition and orbit within it: the orbit, counted across repetitions in schedule order."""
    found = dict.fromkeys((fixture.repetition, fixture.orbit) for fixture in fixtures)
    return {key: number for number, key in enumerate(found)}


def deals(*, session: Session, league: int) -> Mapping[int, tuple[DealRow, ...]]:
    """What every complete deal was worth, by fixture; those of unfinished matches too."""
    by_fixture: dict[int, list[DealRow]] = {}
    found = (
        session.connection()
        .execute(
            _columns(PlayedDeal, "fixture", "number", "points", "moon")
            .where(col(PlayedDeal.league_id) == league)
            .order_by(col(PlayedDeal.fixture), col(PlayedDeal.number))
        )
        .all()
    )
    for fixture, number, points, moon in found:
        by_fixture.setdefault(fixture, []).append(DealRow(fixture, number, _points(points), moon))
    return {fixture: tuple(rows) for fixture, rows in by_fixture.items()}


def records(*, session: Session, league: int, fixtures: Collection[int]) -> tuple[RecordRow, ...]:
    """The deals of these fixtures as they were written down, by fixture and number."""
    found = (
        session.connection()
        .execute(
            _columns(PlayedDeal, "fixture", "number", "record", "points", "moon")
            .where(col(PlayedDeal.league_id) == league, col(PlayedDeal.fixture).in_(fixtures))
            .order_by(col(PlayedDeal.fixture), col(PlayedDeal.number))
        )
        .all()
    )
    return tuple(
        RecordRow(fixture, number, json.loads(record), _points(points), moon)
        for fixture, number, record, points, moon in found
    )


def stops(*, session: Session, league: int) -> Mapping[tuple[int, int], int]:
    """By fixture and number: whose revoke stopped the deal, of deals in which a bot lost its right to play."""
    found = session.execute(
        _columns(PlayedDeal, "fixture", "number", "record")
        .join(
            Fault,
            (col(Fault.league_id) == PlayedDeal.league_id)
            & (col(Fault.fixture) == PlayedDeal.fixture)
            & (col(Fault.deal) == PlayedDeal.number),
        )
        .where(col(Fault.league_id) == league, col(Fault.consequence) == "stand-in")
    )
    stopped = ((fixture, number, json.loads(record)["stopped"]) for fixture, number, record in found)
    return {(fixture, number): stop["seat"] for fixture, number, stop in stopped if stop is not None}


def faults(*, session: Session, league: int) -> tuple[FaultRow, ...]:
    """Every fault, in the order of the schedule and, within a match, as they happened."""
    found = session.connection().execute(
        _columns(
            Fault,
            "fixture", "deal", "seat", "trick", "kind", "ask", "clause", "reason", "consequence", "answer", "limit_ms",
            "measured_ms", "sent_ms", "came_ms", "lag_ms", "thought_ms",
        )
        .where(col(Fault.league_id) == league)
        .order_by(col(Fault.fixture), col(Fault.id))
    ).all()  # fmt: skip
    return tuple(FaultRow(*row) for row in found)


def _columns(table: type[Any], *names: str) -> Any:
    """A query for some columns: tuples instead of objects, ten times as fast."""
    return select(*(SQLModel.metadata.tables[table.__tablename__].columns[name] for name in names))


def _stored(key: int | None) -> int:
    assert key is not None, "a row that was read has a key"
    return key
