"""A league in the database: created once with everything that is to be played, then only read and finished."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

from sqlalchemy import Connection, func, insert, update
from sqlmodel import Session, col, select

from arena.league.schedule import Fixture as Scheduled
from arena.stats.thinking import Stopwatch
from arena.store.models import Entrant, Fault, Fixture, League, PlayedDeal, Result, SeatResult
from arena.table import MatchResult, Standing
from arena.table import PlayedDeal as Played

ANSWER_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is left of a match that was interrupted."""

    deals: tuple[tuple[tuple[int, ...], tuple[Standing, ...]], ...]  # points and standings by seat, in order


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
    rows = [
        {
            "league_id": league.id,
            "number": one.number,
            "repetition": one.repetition,
            "orbit": one.orbit,
            "round": one.round,
            "stream": one.stream,
            "seats": " ".join(map(str, one.seats)),
        }
        for one in fixtures
    ]
    session.connection().execute(insert(Fixture), rows)
    return league.id


def entrants_of(*, session: Session, league_id: int) -> tuple[Entrant, ...]:
    """The entrants, by number."""
    query = select(Entrant).where(Entrant.league_id == league_id).order_by(col(Entrant.number))
    return tuple(session.exec(query))


def open_fixtures(*, session: Session, league_id: int) -> tuple[Scheduled, ...]:
    """The fixtures that have no result yet, in playing order."""
    finished = select(Result.fixture).where(Result.league_id == league_id)
    query = (
        select(Fixture)
        .where(Fixture.league_id == league_id, col(Fixture.number).not_in(finished))
        .order_by(col(Fixture.number))
    )
    return tuple(
        Scheduled(one.number, one.repetition, one.orbit, one.round, one.stream, tuple(map(int, one.seats.split())))
        for one in session.exec(query)
    )


def count_fixtures(*, session: Session, league_id: int) -> tuple[int, int]:
    """How many fixtures are finished, and how many there are."""
    finished = session.exec(select(func.count()).select_from(Result).where(Result.league_id == league_id)).one()
    total = session.exec(select(func.count()).select_from(Fixture).where(Fixture.league_id == league_id)).one()
    return finished, total


def earlier_deals(*, session: Session, league_id: int, fixture: int) -> Earlier:
    """The deals of a match that have been played."""
    query = (
        select(PlayedDeal)
        .where(PlayedDeal.league_id == league_id, PlayedDeal.fixture == fixture)
        .order_by(col(PlayedDeal.number))
    )
    return Earlier(
        tuple(
            (
                tuple(json.loads(one.points)),
                tuple(
                    Standing(bank / 1e6, grace / 1e6, strikes, stops, bool(forfeited))
                    for bank, grace, strikes, stops, forfeited in json.loads(one.seats)
                ),
            )
            for one in session.exec(query)
        )
    )


def started_fixtures(*, session: Session, league_id: int) -> frozenset[int]:
    """The fixtures of which deals have been played."""
    query = select(PlayedDeal.fixture).where(PlayedDeal.league_id == league_id).distinct()
    return frozenset(session.exec(query))


def keep_deal(connection: Connection, *, league_id: int, fixture: int, deal: Played) -> None:
    """Write a complete deal and its faults."""
    connection.execute(
        insert(PlayedDeal),
        {
            "league_id": league_id,
            "fixture": fixture,
            "number": deal.number,
            "record": json.dumps(deal.record, separators=(",", ":")),
            "points": json.dumps(deal.points),
            "moon": deal.moon,
            "seats": json.dumps(
                [
                    [round(one.bank_s * 1e6), round(one.grace_s * 1e6), one.strikes, one.stops, int(one.forfeited)]
                    for one in deal.standings
                ]
            ),
            "thinking": json.dumps([[round(time * 1e4) for time in seat] for seat in deal.thinking_s]),
        },
    )
    if deal.faults:
        connection.execute(
            insert(Fault),
            [
                {
                    "league_id": league_id,
                    "fixture": fixture,
                    "deal": one.deal,
                    "seat": one.seat,
                    "trick": one.trick,
                    "kind": one.kind.value,
                    "ask": one.ask,
                    "clause": one.clause,
                    "reason": one.reason,
                    "consequence": one.consequence.value,
                    "answer": one.answer[:ANSWER_LENGTH],
                    "limit_ms": round(one.limit_s * 1e3, 3),
                    "measured_ms": round(one.measured_s * 1e3, 3),
                }
                for one in deal.faults
            ],
        )


def keep_result(
    connection: Connection, *, league_id: int, fixture: Scheduled, result: MatchResult, seconds: float
) -> None:
    """Write how a match came out, once; what its deals say is added up from the database itself."""
    deals = connection.execute(
        select(PlayedDeal.moon, PlayedDeal.thinking).where(
            PlayedDeal.league_id == league_id, PlayedDeal.fixture == fixture.number
        )
    ).all()
    faults = dict(
        connection.execute(
            select(Fault.seat, func.count())
            .where(Fault.league_id == league_id, Fault.fixture == fixture.number)
            .group_by(col(Fault.seat))
        ).all()
    )
    moons = [moon for moon, _ in deals if moon is not None]
    times = [json.loads(thinking) for _, thinking in deals]
    connection.execute(
        insert(Result),
        {
            "league_id": league_id,
            "fixture": fixture.number,
            "deals": result.match.deals,
            "end": result.match.end,
            "finished_at": now(),
            "seconds": round(seconds, 3),
        },
    )
    connection.execute(
        insert(SeatResult),
        [
            {
                "league_id": league_id,
                "fixture": fixture.number,
                "seat": seat,
                "entrant": entrant,
                "points": result.match.totals[seat],
                "place": result.places[seat],
                "chips": str(Fraction(result.match.chips[seat])),
                "moons": moons.count(seat),
                "moons_suffered": len(moons) - moons.count(seat),
                "faults": faults.get(seat, 0),
                "forfeited": result.forfeited[seat],
                "thinking": _thinking(times, seat),
            }
            for seat, entrant in enumerate(fixture.seats)
        ],
    )


def _thinking(times: Sequence[Sequence[Sequence[int]]], seat: int) -> str:
    """The answer times of a seat, in all deals, as a histogram."""
    watch = Stopwatch()
    for deal in times:
        for tenth in deal[seat]:
            watch.add(tenth / 1e4)
    return watch.thinking().to_text()


def keep_software(connection: Connection, *, league_id: int, entrant: str, software: str) -> None:
    """Write what a bot calls itself."""
    connection.execute(
        update(Entrant)
        .where(col(Entrant.league_id) == league_id, col(Entrant.name) == entrant)
        .values(software=software)
    )


def finish_league(connection: Connection, *, league_id: int) -> None:
    """The last result is in."""
    connection.execute(
        update(League).where(col(League.id) == league_id, col(League.finished_at).is_(None)).values(finished_at=now())
    )
