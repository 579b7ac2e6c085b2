"""What a bot's page shows."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from arena.stats.head_to_head import Duel
from arena.stats.thinking import NANO, PER_OCTAVE, Thinking
from arena.store.read import DealRow, EntrantRow, ResultRow
from reports import charts
from reports.facts import Facts
from reports.match_page import Mistake, mistakes
from reports.table import Entry

NOTABLE = 5  # deals named as best and as worst
FAULTS = 200  # told, the last ones: a bot that makes them all night makes thousands
BINS = 30  # columns at most
INSTANT = 9  # the octave that ends at 1 µs, of nanoseconds


class Opponent(NamedTuple):
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


class Played(NamedTuple):
    """One of the bot's matches."""

    match: int
    seat: int
    place: int
    points: int
    deals: int
    moons: int
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
    faults_before: int  # those that are not told here
    matches: tuple[Played, ...]


def bot_page(facts: Facts, entry: Entry, duels: Mapping[tuple[str, str], Duel]) -> BotPage:
    """The page of one bot; ``duels`` is the whole league's."""
    number = entry.entrant
    seats = facts.seats_of[number]
    finished = [(facts.results[match], seat) for match, seat in seats.items() if match in facts.results]
    deals = [(row, seat) for result, seat in finished for row in facts.deals[result.fixture]]
    points = [row.points[seat] for row, seat in deals]
    # As long as its stream goes on, the mean changes with every match: nothing to name a best deal by.
    best, worst = facts.duplicate.extremes(
        {match: seat for match, seat in seats.items() if match in facts.published}, NOTABLE
    )
    faults = [fault for match, seat in seats.items() for fault in facts.faults_of.get(match, ()) if fault.seat == seat]
    return BotPage(
        entrant=facts.entrants[number],
        entry=entry,
        planned=len(seats),
        points=_points(points),
        points_mean=sum(points) / len(points) if points else None,
        moons=tuple(_notable(facts, row, seat) for row, seat in deals if row.moon == seat),
        best=tuple(_notable(facts, facts.deals[match][deal], seats[match]) for match, deal in best),
        worst=tuple(_notable(facts, facts.deals[match][deal], seats[match]) for match, deal in worst),
        opponents=_opponents(facts, number, duels, finished),
        thinking=thinking_bars(entry.standing.thinking),
        faults=mistakes(facts, faults[-FAULTS:]),
        faults_before=max(0, len(faults) - FAULTS),
        matches=tuple(_played(facts, result, seat) for result, seat in finished),
    )


def _notable(facts: Facts, row: DealRow, seat: int) -> Notable:
    published = row.fixture in facts.published
    means = facts.duplicate.means(row.fixture)[row.number] if published else None
    return Notable(row.fixture, row.number, row.points[seat], means[seat] if means else None, published)


def _points(points: Sequence[int]) -> tuple[charts.Bar, ...]:
    if not points:
        return ()
    counts = Counter(points)
    low, high = min(0, *counts), max(counts)
    width = max(1, math.ceil((high - low + 1) / BINS))
    columns = []
    for first in range(low, high + 1, width):
        label = str(first) if width == 1 else f"{first}…{first + width - 1}"
        columns.append((label.replace("-", "−"), sum(counts[value] for value in range(first, first + width))))
    return charts.bars(columns)


def thinking_bars(thinking: Thinking) -> tuple[charts.Bar, ...]:
    """A column for each doubling of the answer time, labelled with its lower end; all below 1 µs in one."""
    if not thinking.count:
        return ()
    octaves: Counter[int] = Counter()
    for bucket, answers in thinking.buckets:
        octaves[max(bucket // PER_OCTAVE, INSTANT)] += answers
    return charts.bars(
        [
            ("< 1 µs" if octave == INSTANT else _time(2**octave / NANO), octaves[octave])
            for octave in range(min(octaves), max(octaves) + 1)
        ]
    )


def _time(seconds: float) -> str:
    """Two digits and a unit: a label, not a measurement."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{seconds / size:.2g} {unit}" if seconds / size < 99.5 else f"{seconds / size:.0f} {unit}"
    raise AssertionError("unreachable")


def _opponents(
    facts: Facts, number: int, duels: Mapping[tuple[str, str], Duel], finished: Sequence[tuple[ResultRow, int]]
) -> tuple[Opponent, ...]:
    own = facts.name(number)
    shared: dict[int, list[int]] = {}
    for result, _ in finished:
        for entrant in facts.fixtures[result.fixture].seats:
            shared.setdefault(entrant, []).append(result.fixture)
    found = []
    for other in facts.entrants:
        duel = duels.get((own, other.name))
        if duel is not None:
            found.append(Opponent(other.number, other.name, duel, tuple(shared[other.number])))
    return tuple(found)


def _played(facts: Facts, result: ResultRow, seat: int) -> Played:
    own = result.seats[seat]
    return Played(
        result.fixture,
        seat,
        own.place,
        own.points,
        result.deals,
        own.moons,
        tuple([(one.entrant, facts.name(one.entrant), one.place) for one in facts.ranking(result) if one is not own]),
    )
