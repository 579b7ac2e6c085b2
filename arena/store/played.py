"""What a running arena writes of its matches: each deal as it is over, and how the match came out."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, Final

from sqlalchemy import Integer, String, bindparam, cast, func, insert
from sqlalchemy import select as select_columns
from sqlmodel import col

from arena.league.schedule import Fixture
from arena.stats.thinking import Stopwatch
from arena.store.league import now
from arena.store.models import Fault, PlayedDeal, Result, SeatResult
from arena.store.writer import Transaction
from arena.table import MatchResult
from arena.table import PlayedDeal as Played

ANSWER_LENGTH: Final = 200

_DEAL: Final = insert(PlayedDeal)
_FAULT: Final = insert(Fault)
_RESULT: Final = insert(Result)
_SEAT: Final = insert(SeatResult)

_LEAGUE: Final = bindparam("in_league", type_=Integer)
_FIXTURE: Final = bindparam("in_fixture", type_=Integer)
# In one row, as every row that is read has to wait for Python's lock.
_PLAYED: Final = select_columns(
    func.aggregate_strings(col(PlayedDeal.thinking), ","),
    func.aggregate_strings(cast(col(PlayedDeal.moon), String), ","),
    select_columns(func.aggregate_strings(cast(col(Fault.seat), String), ","))
    .where(col(Fault.league_id) == _LEAGUE, col(Fault.fixture) == _FIXTURE)
    .scalar_subquery(),
).where(col(PlayedDeal.league_id) == _LEAGUE, col(PlayedDeal.fixture) == _FIXTURE)

_compact: Final = json.JSONEncoder(separators=(",", ":")).encode


def keep_deal(transaction: Transaction, *, league_id: int, fixture: int, deal: Played) -> None:
    """Write a complete deal and its faults."""
    transaction.do(
        _DEAL,
        {
            "league_id": league_id,
            "fixture": fixture,
            "number": deal.number,
            "record": _compact(deal.record),
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
    for one in deal.faults:
        transaction.do(
            _FAULT,
            {
                "league_id": league_id,
                "fixture": fixture,
                "deal": one.deal,
                "seat": one.seat,
                "trick": one.trick,
                "kind": one.kind.value,
                "ask": one.ask,
                "clause": one.clause,
                "reason": one.reason.replace("\0", ""),
                "consequence": one.consequence.value,
                "answer": one.answer[:ANSWER_LENGTH],
                "limit_ms": round(one.limit_s * 1e3, 3),
                "measured_ms": round(one.measured_s * 1e3, 3),
                "sent_ms": None if one.sent_s is None else round(one.sent_s * 1e3, 3),
                "came_ms": None if one.came_s is None else round(one.came_s * 1e3, 3),
                "lag_ms": round(one.lag_s * 1e3, 3),
                "thought_ms": None if one.thought_s is None else round(one.thought_s * 1e3, 3),
            },
        )


def keep_result(
    transaction: Transaction, *, league_id: int, fixture: Fixture, result: MatchResult, seconds: float
) -> None:
    """Write how a match came out, once; what its deals say is added up from the database itself."""
    match = {"in_league": league_id, "in_fixture": fixture.number}
    played = transaction.connection().execute(_PLAYED, match).one()
    times: list[list[list[int]]] = _listed(played[0])
    moons: list[int] = _listed(played[1])
    faults: list[int] = _listed(played[2])
    transaction.do(
        _RESULT,
        {
            "league_id": league_id,
            "fixture": fixture.number,
            "deals": result.match.deals,
            "end": result.match.end,
            "finished_at": now(),
            "seconds": round(seconds, 3),
        },
    )
    for seat, entrant in enumerate(fixture.seats):
        transaction.do(
            _SEAT,
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
                "faults": faults.count(seat),
                "forfeited": result.forfeited[seat],
                "thinking": _thinking(deal[seat] for deal in times),
            },
        )


def _listed(joined: str | None) -> Any:
    """What the database has joined of texts that are JSON."""
    return json.loads(f"[{joined or ''}]")


def _thinking(deals: Iterable[Sequence[int]]) -> str:
    """The answer times of a seat, by deal, as one histogram."""
    watch = Stopwatch()
    for tenth, answers in Counter(chain.from_iterable(deals)).items():
        watch.add(tenth / 1e4, answers)
    return watch.thinking().to_text()
