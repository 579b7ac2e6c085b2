"""What a league is: rules in words, schedule and its balance, settings, proof, faults overall."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from arena.rules.variant import OptionValue, Pack
from reports.facts import Facts
from reports.table import Table


@dataclass(frozen=True, slots=True)
class Balance:
    """Between which numbers something lies, over all it could happen to."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Faults:
    """One bot's faults by kind."""

    entrant: int
    name: str
    kinds: Mapping[str, int]
    total: int
    forfeits: int


@dataclass(frozen=True, slots=True)
class AboutPage:
    """A league."""

    clauses: tuple[str, ...]
    options: tuple[tuple[str, str, bool], ...]  # name, value, whether it is the default
    settings: tuple[tuple[str, str], ...]  # dotted key, value as JSON
    streams: int
    shared: bool  # some stream has several tables
    orbits: int
    repetitions: int
    matches: Balance | None  # a bot
    meetings: Balance | None  # a pair of bots
    neighbours: Balance | None  # an ordered pair, the second on the first one's left
    seats: Balance | None  # a bot in a seat
    house: tuple[str, ...]
    away: tuple[str, ...]  # bots that the league waits for
    faults: tuple[Faults, ...]
    kinds: tuple[str, ...]


COMMON: Final = ("G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9", "G10")
_ALSO: Final = {
    "greek": ("H1", "H2", "H3"), "widow": ("H2", "H3"), "spot": ("H1", "H2"), "omnibus": ("H2",),
    "no-queen": ("B1", "B3", "B5", "B7", "B8", "B9"),
}  # fmt: skip
"""What a variant takes over from the one that its own clauses call it by: who reads them need not know that one."""


def about_page(facts: Facts, table: Table) -> AboutPage:
    """The page."""
    ranked = [entrant.number for entrant in facts.entrants if entrant.ranked]
    matches: Counter[int] = Counter(dict.fromkeys(ranked, 0))
    met: Counter[tuple[int, int]] = Counter(dict.fromkeys(combinations(ranked, 2), 0))
    left: Counter[tuple[int, int]] = Counter({(a, b): 0 for a in ranked for b in ranked if a != b})
    seated: Counter[tuple[int, int]] = Counter(
        {(bot, seat): 0 for bot in ranked for seat in range(facts.rules.players)}
    )
    for fixture in facts.fixtures:
        seats = fixture.seats
        matches.update(seats)
        met.update(combinations(sorted(seats), 2))
        left.update(zip(seats, seats[1:] + seats[:1], strict=True))
        seated.update((bot, seat) for seat, bot in enumerate(seats))
    own = set(ranked)
    counts = {entry.entrant: Counter[str]() for entry in table.entries}
    for fault in facts.faults:
        entrant = facts.entrant(fault.fixture, fault.seat)
        if entrant in counts:
            counts[entrant][fault.kind] += 1
    return AboutPage(
        clauses=_clauses(facts),
        options=_options(facts),
        settings=tuple(_flat("", facts.league.settings)),
        streams=len(facts.tables),
        shared=len(facts.tables) < len(facts.fixtures),
        orbits=len({(fixture.repetition, fixture.orbit) for fixture in facts.fixtures}),
        repetitions=len({fixture.repetition for fixture in facts.fixtures}),
        matches=_balance({(bot, bot): count for bot, count in matches.items()}, own),
        meetings=_balance(met, own),
        neighbours=_balance(left, own),
        seats=_seat_balance(seated, own),
        house=tuple(entrant.name for entrant in facts.entrants if not entrant.ranked),
        away=tuple(entrant.name for entrant in facts.entrants if entrant.away and not facts.league.finished_at),
        faults=tuple(
            Faults(
                entry.entrant,
                entry.name,
                counts[entry.entrant],
                counts[entry.entrant].total(),
                entry.standing.forfeits,
            )
            for entry in table.entries
        ),
        kinds=tuple(sorted({fault.kind for fault in facts.faults})),
    )


def _balance(counts: Mapping[tuple[int, int], int], own: set[int]) -> Balance | None:
    """Of what concerns ranked bots only."""
    found = [count for bots, count in counts.items() if own.issuperset(bots)]
    return Balance(min(found), max(found)) if found else None


def _seat_balance(counts: Mapping[tuple[int, int], int], own: set[int]) -> Balance | None:
    found = [count for (bot, _), count in counts.items() if bot in own]
    return Balance(min(found), max(found)) if found else None


def _clauses(facts: Facts) -> tuple[str, ...]:
    """The common ones that apply, then those taken over, then the variant's own."""
    variant = facts.rules.variant
    pack = variant.pack if isinstance(variant.pack, Pack) else variant.pack[facts.rules.players]
    needless = {*(() if pack.stripped else ("G6",)), *(() if variant.moon else ("G9",))}
    common = (name for name in COMMON if name not in needless)
    return (*common, *_ALSO.get(variant.name, ()), *variant.clauses)


def _options(facts: Facts) -> tuple[tuple[str, str, bool], ...]:
    defaults: dict[str, OptionValue] = {option.name: option.default for option in facts.rules.variant.options}
    return tuple(
        (name, json.dumps(value), value == defaults[name]) for name, value in sorted(facts.rules.options.items())
    )


def _flat(prefix: str, value: Any) -> list[tuple[str, str]]:
    """The settings as dotted keys, in the order of the file."""
    if isinstance(value, dict) and value:
        return [line for key, inner in value.items() for line in _flat(f"{prefix}.{key}" if prefix else key, inner)]
    return [(prefix, json.dumps(value, ensure_ascii=False))]
