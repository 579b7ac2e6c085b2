"""The same deals at several tables, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from arena.stats.duplicate import Means
from reports.facts import Facts


class Seat(NamedTuple):
    """One bot with one hand."""

    entrant: int
    name: str
    points: int
    difference: float | None  # to the mean of the other tables; None where there are none


class Row(NamedTuple):
    """A deal at one table."""

    match: int
    seats: tuple[Seat, ...]
    moon: int | None


@dataclass(frozen=True, slots=True)
class Compared:
    """A deal at every table that played it."""

    number: int
    rows: tuple[Row, ...]
    means: tuple[float, ...]  # points by seat


@dataclass(frozen=True, slots=True)
class StreamPage:
    """All finished tables of a stream."""

    label: str
    number: int
    tables: tuple[int, ...]  # matches
    scheduled: int
    deals: tuple[Compared, ...]
    published: bool


def stream_page(facts: Facts, stream: str) -> StreamPage:
    """The page of a stream of which some table has finished."""
    tables = [mate.number for mate in facts.tables[stream] if mate.number in facts.results]
    longest = max(len(facts.deals[number]) for number in tables)
    means = {number: facts.duplicate.means(number) for number in tables}
    return StreamPage(
        stream,
        facts.streams[stream],
        tuple(tables),
        len(facts.tables[stream]),
        tuple(_compared(facts, means, deal) for deal in range(longest)),
        all(number in facts.published for number in tables),
    )


def _compared(facts: Facts, means: Mapping[int, tuple[Means | None, ...]], number: int) -> Compared:
    rows = []
    for match in means:
        if number < len(facts.deals[match]):
            deal = facts.deals[match][number]
            elsewhere = means[match][number]
            seats = tuple(
                Seat(entrant, facts.name(entrant), points, points - elsewhere[seat] if elsewhere else None)
                for seat, points in enumerate(deal.points)
                for entrant in [facts.entrant(match, seat)]
            )
            rows.append(Row(match, seats, deal.moon))
    return Compared(
        number, tuple(rows), tuple(fmean(row.seats[seat].points for row in rows) for seat in range(facts.rules.players))
    )
