"""What a bot's page shows."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from arena.stats.head_to_head import Duel
from arena.stats.thinking import NANO, PER_OCTAVE, Thinking, merged
from arena.store.read import EntrantRow, ResultRow
from reports import charts
from reports.facts import Facts
from reports.match_page import Mistake, mistakes
from reports.table import Entry

NOTABLE = 5  # deals named as best and as worst
BINS = 30  # columns at most


@dataclass(frozen=True, slots=True)
class Opponent:
    """The other bot of a pair and how this one fares against it."""

    entrant: int
    name: str
    duel: Duel
    matches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Notable:
    """A deal that went unusually well or badly."""

    match: int
    deal: int
    points: int
    elsewhere: float | None  # mean with the same cards at the other tables
    published: bool


@dataclass(frozen=True, slots=True)
class Played:
    """One of the bot's matches."""

    match: int
    seat: int
    place: int
    points: int
    deals: int
    moons: int
    faults: int
    others: tuple[tuple[int, str, int], ...]  # entrant, name, place; by place


@dataclass(frozen=True, slots=True)
class BotPage:
    """A bot in its league."""

    entrant: EntrantRow
    entry: Entry
    planned: int
    points: tuple[charts.Bar, ...]  # distribution of points per deal
    points_mean: float | None
    moons: tuple[Notable, ...]
    best: tuple[Notable, ...]
    worst: tuple[Notable, ...]
    opponents: tuple[Opponent, ...]
    thinking: tuple[charts.Bar, ...]
    faults: tuple[Mistake, ...]
    matches: tuple[Played, ...]


def bot_page(facts: Facts, entry: Entry, duels: Mapping[tuple[str, str], Duel]) -> BotPage:
    """The page of one bot; ``duels`` is the whole league's."""
    number = entry.entrant
    entrant = facts.entrants[number]
    seats = {fixture.number: fixture.seats.index(number) for fixture in facts.fixtures if number in fixture.seats}
    finished = [(facts.results[match], seat) for match, seat in seats.items() if match in facts.results]
    deals = _deals(facts, [(result.fixture, seat) for result, seat in finished])
    compared = sorted((deal for deal in deals if deal.elsewhere is not None), key=_gain)
    shot = {
        (row.fixture, row.number)
        for match, seat in seats.items()
        for row in facts.deals.get(match, ())
        if row.moon == seat
    }
    faults = [fault for match, seat in seats.items() for fault in facts.faults_of.get(match, ()) if fault.seat == seat]
    return BotPage(
        entrant=entrant,
        entry=entry,
        planned=len(seats),
        points=_points(deals),
        points_mean=fmean(deal.points for deal in deals) if deals else None,
        moons=tuple(deal for deal in deals if (deal.match, deal.deal) in shot),
        best=tuple(deal for deal in compared[:NOTABLE] if _gain(deal) < 0),
        worst=tuple(deal for deal in compared[: -NOTABLE - 1 : -1] if _gain(deal) > 0),
        opponents=_opponents(facts, number, duels, finished),
        thinking=thinking_bars(merged(result.seats[seat].thinking for result, seat in finished)),
        faults=mistakes(facts, faults),
        matches=tuple(_played(facts, result, seat) for result, seat in finished),
    )


def _gain(deal: Notable) -> float:
    """Points above the mean of the other tables: fewer is better."""
    return deal.points - (deal.elsewhere or 0.0)


def _deals(facts: Facts, seats: Sequence[tuple[int, int]]) -> list[Notable]:
    found = []
    for match, seat in seats:
        published = match in facts.published
        for row in facts.deals[match]:
            # As long as its stream goes on, the mean changes with every match: nothing to name a best deal by.
            elsewhere = facts.elsewhere(match, row.number) if published else None
            found.append(
                Notable(match, row.number, row.points[seat], elsewhere[seat] if elsewhere else None, published)
            )
    return found


def _points(deals: Sequence[Notable]) -> tuple[charts.Bar, ...]:
    if not deals:
        return ()
    counts = Counter(deal.points for deal in deals)
    low, high = min(0, *counts), max(counts)
    width = max(1, math.ceil((high - low + 1) / BINS))
    columns = []
    for first in range(low, high + 1, width):
        label = str(first) if width == 1 else f"{first}…{first + width - 1}"
        columns.append((label.replace("-", "−"), sum(counts[value] for value in range(first, first + width))))
    return charts.bars(columns)


def thinking_bars(thinking: Thinking) -> tuple[charts.Bar, ...]:
    """A column for each doubling of the answer time, labelled with its lower end."""
    if not thinking.count:
        return ()
    octaves: Counter[int] = Counter()
    for bucket, answers in thinking.buckets:
        octaves[bucket // PER_OCTAVE] += answers
    return charts.bars([(_time(2**octave / NANO), octaves[octave]) for octave in range(min(octaves), max(octaves) + 1)])


def _time(seconds: float) -> str:
    """Two digits and a unit: a label, not a measurement."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= size or unit == "ns":
            return f"{seconds / size:.2g} {unit}" if seconds / size < 99.5 else f"{seconds / size:.0f} {unit}"
    raise AssertionError("unreachable")


def _opponents(
    facts: Facts, number: int, duels: Mapping[tuple[str, str], Duel], finished: Sequence[tuple[ResultRow, int]]
) -> tuple[Opponent, ...]:
    own = facts.name(number)
    found = []
    for other in facts.entrants:
        duel = duels.get((own, other.name))
        if duel is not None:
            shared = tuple(
                result.fixture for result, _ in finished if other.number in facts.fixtures[result.fixture].seats
            )
            found.append(Opponent(other.number, other.name, duel, shared))
    return tuple(found)


def _played(facts: Facts, result: ResultRow, seat: int) -> Played:
    own = result.seats[seat]
    others = sorted((one.place, place, one.entrant) for place, one in enumerate(result.seats) if place != seat)
    return Played(
        result.fixture,
        seat,
        own.place,
        own.points,
        result.deals,
        own.moons,
        own.faults,
        tuple((entrant, facts.name(entrant), place) for place, _, entrant in others),
    )
