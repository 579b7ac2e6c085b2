"""Transcripts in the database: bytes, whose meaning the gateway knows."""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

import trio
from sqlalchemy import exists, func, insert
from sqlmodel import Session, col, select

from arena.store.models import Fixture, Result, Transcript
from arena.store.writer import Transaction

_PART: Final = insert(Transcript)


class Part(Protocol):
    """What was said to and by a seat in a deal."""

    def packed(self) -> bytes:
        """As it is stored; called in a thread."""
        ...


async def pack(parts: Sequence[tuple[int, Part]]) -> Sequence[tuple[int, bytes]]:
    """Parts by seat, as they are stored. Takes milliseconds, and so a thread, and is not cancelled half-way."""
    packed: Sequence[tuple[int, bytes]] = ()
    if parts:
        with trio.CancelScope(shield=True):
            packed = await trio.to_thread.run_sync(lambda: [(seat, part.packed()) for seat, part in parts])
    return packed


def keep_transcripts(
    transaction: Transaction, *, league_id: int, fixture: int, deal: int, parts: Iterable[tuple[int, bytes]]
) -> None:
    """Write what is kept of a deal, by seat; after the last deal, the end of the match."""
    for seat, entries in parts:
        row = {"league_id": league_id, "fixture": fixture, "seat": seat, "deal": deal, "entries": entries}
        transaction.do(_PART, row)


def transcript(*, session: Session, league_id: int, fixture: int, seat: int) -> Sequence[tuple[int, bytes]]:
    """The parts of a seat's transcript that there are: number of the deal and entries, in order."""
    query = (
        select(Transcript.deal, Transcript.entries)
        .where(Transcript.league_id == league_id, Transcript.fixture == fixture, Transcript.seat == seat)
        .order_by(col(Transcript.deal))
    )
    return list(session.exec(query))


def stream_is_over(*, session: Session, league_id: int, fixture: int) -> bool:
    """Whether every table that plays the deals of this one has its result, so that the cards are nobody's secret."""
    stream = select(Fixture.stream).where(Fixture.league_id == league_id, Fixture.number == fixture).scalar_subquery()
    finished = exists().where(col(Result.league_id) == Fixture.league_id, col(Result.fixture) == Fixture.number)
    query = (
        select(func.count())
        .select_from(Fixture)
        .where(Fixture.league_id == league_id, Fixture.stream == stream, ~finished)
    )
    return session.exec(query).one() == 0
