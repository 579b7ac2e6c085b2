"""The standings as the page draws them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from arena.stats.head_to_head import Duel, head_to_head
from arena.stats.rows import MatchRow, complete_orbits
from arena.stats.standings import UNKNOWN, Standing, standings
from arena.stats.thinking import Thinking
from arena.store.read import FixtureRow, orbit_numbers
from reports import charts
from reports.facts import Facts
from reports.verdict import Verdict, verdict


@dataclass(frozen=True, slots=True)
class Entry:
    """One bot's line."""

    entrant: int
    name: str
    standing: Standing
    plot: charts.Interval | None  # of the mean placement; None without a match that counts
    opens_tier: bool  # a new tier begins with this line
    played: int  # matches, those of incomplete orbits too
    planned: int


@dataclass(frozen=True)
class Table:
    """The whole table of a league."""

    entries: tuple[Entry, ...]  # in rank order
    scale: charts.Axis
    half: float | None  # where 0.5 lies on the scale, in per cent; None where it is off
    matches: tuple[MatchRow, ...]  # those that count, of complete orbits only
    streams: int
    tiers: tuple[tuple[Entry, ...], ...]  # none before differences may be marked
    verdict: Verdict

    @property
    def counted(self) -> int:
        """How many matches count."""
        return len(self.matches)

    @cached_property
    def duels(self) -> dict[tuple[str, str], Duel]:
        """By bot and opponent."""
        return head_to_head(self.matches)


def table(facts: Facts, key: bytes) -> Table:
    """The standings; ``key`` seeds the bootstrap."""
    return drawn(facts, measured(facts, key))


def measured(facts: Facts, key: bytes) -> tuple[Standing, ...]:
    """The lines of the standings, in rank order: what takes its time."""
    sizes = orbit_sizes(facts.fixtures)
    return standings(facts.rows, key=key, primary=facts.league.ranking, orbit_sizes=sizes)


def drawn(facts: Facts, lines: Sequence[Standing]) -> Table:
    """The standings of these lines."""
    counted = complete_orbits(facts.rows, orbit_sizes(facts.fixtures))
    primary = facts.league.ranking
    bounds = [value for line in lines if line.matches for value in _bounds(line)]
    scale = charts.axis(bounds or [0.0, 1.0], 4)
    entries = _entries(facts, lines, scale)
    streams = len({row.stream for row in counted})
    return Table(
        entries,
        scale,
        round(100 * scale.share(0.5), 2) if scale.low <= 0.5 <= scale.high else None,
        counted,
        streams,
        _tiers(entries),
        verdict(lines, counted, streams, primary=primary, finished=facts.league.finished_at is not None),
    )


def orbit_sizes(fixtures: Sequence[FixtureRow]) -> dict[int, int]:
    """Tables by orbit, counted across repetitions."""
    numbers = orbit_numbers(fixtures)
    return dict(Counter(numbers[fixture.repetition, fixture.orbit] for fixture in fixtures))


def _bounds(line: Standing) -> tuple[float, ...]:
    interval = line.placement.interval
    return (line.placement.value,) if interval is None else (interval.low, interval.high)


def _entries(facts: Facts, lines: Sequence[Standing], scale: charts.Axis) -> tuple[Entry, ...]:
    numbers = {entrant.name: entrant.number for entrant in facts.entrants}
    planned = Counter(seat for fixture in facts.fixtures for seat in fixture.seats)
    played = Counter(seat for number in facts.results for seat in facts.fixtures[number].seats)
    listed = {line.bot for line in lines}
    last = 1 + sum(line.matches > 0 for line in lines)  # the rank of all without a match that counts
    absent = [
        _unplayed(entrant.name, last) for entrant in facts.entrants if entrant.ranked and entrant.name not in listed
    ]
    entries = []
    tier: int | None = None
    for line in [*lines, *absent]:
        number = numbers[line.bot]
        opens = line.tier is not None and tier is not None and line.tier != tier
        tier = line.tier
        if line.strength is not None:
            # It is printed whole. More digits are noise, and would make every page new with every match of anybody.
            line = replace(line, strength=float(round(line.strength)))
        entries.append(
            Entry(
                number,
                line.bot,
                line,
                _plot(scale, line) if line.matches else None,
                opens,
                played[number],
                planned[number],
            )
        )
    return tuple(entries)


def _plot(scale: charts.Axis, line: Standing) -> charts.Interval:
    interval = line.placement.interval
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return charts.interval(scale, low, line.placement.value, high)


def _unplayed(name: str, rank: int) -> Standing:
    """The line of a bot that has not finished a match."""
    return Standing(
        bot=name,
        rank=rank,
        tier=None,
        behind=None,
        matches=0,
        deals=0,
        streams=0,
        placement=UNKNOWN,
        points_per_deal=UNKNOWN,
        wins=UNKNOWN,
        strength=None,
        ranks=None,
        chips=Fraction(0),
        moons=0,
        moons_suffered=0,
        faults=0,
        forfeits=0,
        thinking=Thinking(),
        by_seat=(),
    )


def _tiers(entries: Sequence[Entry]) -> tuple[tuple[Entry, ...], ...]:
    groups: dict[int, list[Entry]] = {}
    for entry in entries:
        if entry.standing.tier is not None:
            groups.setdefault(entry.standing.tier, []).append(entry)
    return tuple(tuple(group) for _, group in sorted(groups.items()))
