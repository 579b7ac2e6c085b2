"""Whether anything has changed: digests of all rows that standings and pages are made from."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import select
from sqlmodel import Session, SQLModel

from arena.store.models import Entrant, Fault, Fixture, League, PlayedDeal, Result, SeatResult

_OF_MATCHES: Final = (Fixture, PlayedDeal, Fault, Result, SeatResult)
_UNREAD: Final[Mapping[type[SQLModel], Set[str]]] = {PlayedDeal: {"seats", "thinking"}}
"""With what a match goes on, and a third of all there is: standings and pages do not know it."""


@dataclass(frozen=True, slots=True)
class Digest:
    """Of the rows of a league, with the keys that they have in this database."""

    everything: str  # hex
    matches: Mapping[int, str]  # hex, by fixture: itself, its deals, faults and result


def digests(*, session: Session) -> Mapping[int, Digest]:
    """By the number of the league, in order. 25,000 deals take a tenth of a second: their records are read too."""
    found = {}
    for league, *rest in _rows(session, League, None):
        of_league = hashlib.sha256(_bytes((league, *rest)))
        for row in _rows(session, Entrant, league):
            of_league.update(_bytes(row))
        matches = _matches(session, league)
        of_league.update(repr(matches).encode())
        found[league] = Digest(of_league.hexdigest(), matches)
    return found


def _matches(session: Session, league: int) -> dict[int, str]:
    """By fixture. All values of a match are hashed at once, which is three times as fast as row by row."""
    of_match: defaultdict[int, list[Any]] = defaultdict(list)
    for table in _OF_MATCHES:
        for fixture, *row in _rows(session, table, league):
            of_match[fixture] += row
    return {fixture: hashlib.sha256(_bytes(of_match[fixture])).hexdigest() for fixture in sorted(of_match)}


def _rows(session: Session, table: type[SQLModel], league: int | None) -> Iterator[Sequence[Any]]:
    """Of one league or all, by key, without the league's number; that of the fixture comes first, if there is one."""
    columns = SQLModel.metadata.tables[str(table.__tablename__)].columns
    read = [column for column in columns if column.name not in {"league_id", *_UNREAD.get(table, ())}]
    read.sort(key=lambda column: column.name != ("number" if table is Fixture else "fixture"))
    query = select(*read).order_by(*[column for column in read if column.primary_key])
    if league is not None:
        query = query.where(columns["league_id"] == league)
    return iter(session.connection().execute(query).all())


def _bytes(values: Sequence[Any]) -> bytes:
    """Other values, other bytes. Texts stand at the end, and their lengths where they were: `repr` is slow on them."""
    head = repr([f"{len(value)}" if type(value) is str else value for value in values])
    return (head + "".join([value for value in values if type(value) is str])).encode()
