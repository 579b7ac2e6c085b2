"""Attempts at matches: begun, and ended one way or the other. What is played is decided by results, never by these."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Integer, bindparam, func, insert, update
from sqlmodel import Session, col, select

from arena.store.league import now
from arena.store.models import Attempt, Entrant
from arena.store.writer import Transaction

FINISHED: Final = "finished"
PARKED: Final = "parked"
CUT: Final = "cut"
FAULT: Final = "fault"

REASON_LENGTH: Final = 500


_MATCH: Final = (
    col(Attempt.league_id) == bindparam("in_league", type_=Integer),
    col(Attempt.fixture) == bindparam("in_fixture", type_=Integer),
)
_BEGIN: Final = insert(Attempt).values(
    league_id=bindparam("in_league"),
    fixture=bindparam("in_fixture"),
    number=select(func.count()).select_from(Attempt).where(*_MATCH).scalar_subquery(),
    started_at=bindparam("moment"),
    reason="",
)
_END: Final = (
    update(Attempt)
    .where(*_MATCH, col(Attempt.ended).is_(None))
    .values(ended=bindparam("how"), ended_at=bindparam("moment"), reason=bindparam("why"))
)
_END_ALL: Final = (
    update(Attempt)
    .where(_MATCH[0], col(Attempt.ended).is_(None))
    .values(ended=bindparam("how"), ended_at=bindparam("moment"))
)


def begin_attempt(transaction: Transaction, *, league_id: int, fixture: int) -> None:
    """Write that a match is begun, or gone on with."""
    transaction.do(_BEGIN, {"in_league": league_id, "in_fixture": fixture, "moment": now()})


def end_attempt(transaction: Transaction, *, league_id: int, fixture: int, ended: str, reason: str = "") -> None:
    """Write how the attempt at a match that is in play has ended."""
    why = reason.replace("\0", "")[:REASON_LENGTH]
    row = {"in_league": league_id, "in_fixture": fixture, "how": ended, "moment": now(), "why": why}
    transaction.do(_END, row)


def end_attempts(transaction: Transaction, *, league_id: int, ended: str) -> None:
    """Write that nothing of the league is in play any more."""
    transaction.do(_END_ALL, {"in_league": league_id, "how": ended, "moment": now()})


def keep_away(transaction: Transaction, *, league_id: int, away: Mapping[str, str | None]) -> None:
    """Write which bots have matches to play and are not there; all others are.

    Of one that is there as another version, with what that calls itself.
    """
    connection = transaction.connection()
    here = update(Entrant).where(col(Entrant.league_id) == league_id)
    connection.execute(here.where(col(Entrant.away), col(Entrant.name).not_in(away)).values(away=False, here_as=None))
    for here_as in set(away.values()):
        names = [name for name, other in away.items() if other == here_as]
        connection.execute(here.where(col(Entrant.name).in_(names)).values(away=True, here_as=here_as))


def last_activity(*, session: Session, league_id: int) -> str | None:
    """When a match was last begun or ended, UTC; None before the first."""
    query = select(func.max(Attempt.started_at), func.max(col(Attempt.ended_at)))
    found = session.exec(query.where(Attempt.league_id == league_id)).one()
    return max((moment for moment in found if moment is not None), default=None)


def attempts_by_end(*, session: Session, league_id: int) -> dict[str | None, int]:
    """How many attempts ended how; None are those in play."""
    query = select(Attempt.ended, func.count()).where(Attempt.league_id == league_id).group_by(col(Attempt.ended))
    return dict(session.exec(query).all())


def away(*, session: Session, league_id: int) -> dict[str, str | None]:
    """The bots that a running arena was last waiting for, in the order of the league.

    With each, as what other version than the league's it is there; None: it is away.
    """
    query = select(Entrant.name, Entrant.here_as).where(Entrant.league_id == league_id, col(Entrant.away))
    return dict(session.exec(query.order_by(col(Entrant.number))).all())
