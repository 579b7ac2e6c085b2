"""What a running arena writes of its matches: each deal as it is over, and how the match came out."""

import json
from fractions import Fraction
from typing import Final

from sqlalchemy import insert

from arena.league.schedule import Fixture
from arena.store.league import now
from arena.store.models import Fault, PlayedDeal, Result, SeatResult
from arena.store.tally import Tally
from arena.store.writer import Transaction
from arena.table import MatchResult
from arena.table import PlayedDeal as Played

ANSWER_LENGTH: Final = 200

_DEAL: Final = insert(PlayedDeal)
_FAULT: Final = insert(Fault)
_RESULT: Final = insert(Result)
_SEAT: Final = insert(SeatResult)

_compact: Final = json.JSONEncoder(separators=(",", ":")).encode


def keep_deal(transaction: Transaction, *, league_id: int, fixture: int, deal: Played, tally: Tally) -> None:
    """Write a complete deal and its faults, and add them to the tally of the match."""
    thinking = [[round(time * 1e4) for time in seat] for seat in deal.thinking_s]
    tally.add(thinking, deal.moon, [one.seat for one in deal.faults])
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
            "thinking": json.dumps(thinking),
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
    transaction: Transaction, *, league_id: int, fixture: Fixture, result: MatchResult, tally: Tally, seconds: float
) -> None:
    """Write how a match came out, once, with the tally of all of its deals."""
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
                "moons": tally.moons[seat],
                "moons_suffered": tally.moons.total() - tally.moons[seat],
                "faults": tally.faults[seat],
                "forfeited": result.forfeited[seat],
                "thinking": tally.thinking(seat),
            },
        )
