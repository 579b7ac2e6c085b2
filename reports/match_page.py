"""What a match page shows: the score sheet as on paper, the race, the same cards at other tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.stats.thinking import Thinking
from arena.store.read import DealRow, FaultRow, FixtureRow, ResultRow, SeatRow
from reports import charts
from reports.facts import Facts
from reports.matches_page import chapter_of


class Cell(NamedTuple):
    """One seat's deal on the score sheet."""

    points: int
    total: int
    elsewhere: float | None  # mean points with these very cards at the other tables of the stream


class Line(NamedTuple):
    """One deal of the score sheet."""

    number: int
    cells: tuple[Cell, ...]
    moon: int | None  # the shooter's seat
    stopped: int | None  # the seat whose revoke ended the deal


@dataclass(frozen=True, slots=True)
class Player:
    """One seat of the match."""

    seat: int
    entrant: int
    name: str
    result: SeatRow
    here: int  # points in the deals that other tables played too
    elsewhere: float | None  # mean points with the same cards at the other tables; None where there are none
    thinking: Thinking


@dataclass(frozen=True, slots=True)
class Mistake:
    """A fault with what may be told of it."""

    fault: FaultRow
    entrant: int
    name: str
    told: bool  # the cards are public, so its reason and the answer may be


@dataclass(frozen=True, slots=True)
class MatchPage:
    """A finished match."""

    fixture: FixtureRow
    result: ResultRow
    stream: int
    players: tuple[Player, ...]  # by seat
    ranking: tuple[Player, ...]  # by place
    sheet: tuple[Line, ...]
    moons: bool  # some deal of it was a moon
    stops: bool  # some deal of it was stopped by a revoke
    race: charts.Race
    faults: tuple[Mistake, ...]
    mates: tuple[FixtureRow, ...]  # other finished tables of the stream
    published: bool
    before: int | None  # the finished matches next to it in the schedule
    after: int | None
    chapter: int  # of the list of matches


def match_page(facts: Facts, number: int) -> MatchPage:
    """The page of a finished match."""
    fixture, result, deals = facts.fixtures[number], facts.results[number], facts.deals[number]
    mates = tuple(
        mate for mate in facts.tables[fixture.stream] if mate.number != number and mate.number in facts.results
    )
    sheet = _sheet(facts, deals, facts.duplicate.means(number))
    players = tuple(_player(facts, seat, row, sheet) for seat, row in enumerate(result.seats))
    before, after = facts.around(number)
    return MatchPage(
        fixture=fixture,
        result=result,
        stream=facts.streams[fixture.stream],
        players=players,
        ranking=tuple(sorted(players, key=lambda player: (player.result.place, player.seat))),
        sheet=sheet,
        moons=any(line.moon is not None for line in sheet),
        stops=any(line.stopped is not None for line in sheet),
        race=charts.race([[cell.total for cell in line.cells] for line in sheet], facts.league.target),
        faults=mistakes(facts, facts.faults_of.get(number, ())),
        mates=mates,
        published=number in facts.published,
        before=before,
        after=after,
        chapter=chapter_of(number),
    )


def mistakes(facts: Facts, faults: Sequence[FaultRow]) -> tuple[Mistake, ...]:
    """The faults with who committed them."""
    return tuple(
        Mistake(fault, entrant, facts.name(entrant), fault.fixture in facts.published)
        for fault in faults
        for entrant in [facts.entrant(fault.fixture, fault.seat)]
    )


def _sheet(facts: Facts, deals: Sequence[DealRow], elsewhere: Sequence[tuple[float, ...] | None]) -> tuple[Line, ...]:
    totals = [0] * len(deals[0].points)
    nothing = (None,) * len(totals)
    lines = []
    for deal, means in zip(deals, elsewhere, strict=True):
        totals = [total + points for total, points in zip(totals, deal.points, strict=True)]
        cells = tuple(map(Cell, deal.points, totals, means or nothing))
        lines.append(Line(deal.number, cells, deal.moon, facts.stops.get((deal.fixture, deal.number))))
    return tuple(lines)


def _player(facts: Facts, seat: int, row: SeatRow, sheet: Sequence[Line]) -> Player:
    compared = [cell for line in sheet for cell in [line.cells[seat]] if cell.elsewhere is not None]
    return Player(
        seat,
        row.entrant,
        facts.name(row.entrant),
        row,
        sum(cell.points for cell in compared),
        sum(cell.elsewhere or 0.0 for cell in compared) if compared else None,
        Thinking.from_text(row.thinking),
    )
