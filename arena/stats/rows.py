"""What the statistics are computed from: one row per finished match, one per seat in it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple


class SeatRow(NamedTuple):
    """How one bot fared in one match."""

    bot: str
    ranked: bool  # False: a house bot, which plays but is not listed
    points: int  # total of the match, fewer is better
    place: int  # 1 … seats; equal places are shared, and the next one is as much higher
    chips: Fraction
    moons: int  # moons shot
    moons_suffered: int  # moons of others
    faults: int
    forfeited: bool  # its place is already behind those who did not
    thinking: str  # its answer times as `Thinking.to_text` writes them: most of them nobody reads


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One finished match."""

    fixture: int  # place in the schedule; unique
    orbit: int  # counted across repetitions
    stream: str  # deals were shared by the matches of a stream: they are one cluster
    deals: int
    seats: tuple[SeatRow, ...]


def in_order(rows: Iterable[MatchRow]) -> tuple[MatchRow, ...]:
    """The rows by fixture, so that nothing depends on the order of their arrival. ValueError if a fixture is there
    twice: a match that counts twice is a fault of the tournament.
    """
    ordered = sorted(rows, key=lambda row: row.fixture)
    for before, row in pairwise(ordered):
        if before.fixture == row.fixture:
            raise ValueError(f"fixture {row.fixture} has more than one result")
    return tuple(ordered)


def complete_orbits(rows: Iterable[MatchRow], orbit_sizes: Mapping[int, int]) -> tuple[MatchRow, ...]:
    """The rows, by fixture, of the orbits of which every table is there. ``orbit_sizes``: tables by orbit, as
    scheduled; an orbit it does not know is a ValueError.
    """
    ordered = in_order(rows)
    finished = Counter(row.orbit for row in ordered)
    for orbit, tables in finished.items():
        if orbit not in orbit_sizes or tables > orbit_sizes[orbit]:
            raise ValueError(f"{tables} results of orbit {orbit}, scheduled: {orbit_sizes.get(orbit, 0)}")
    return tuple(row for row in ordered if finished[row.orbit] == orbit_sizes[row.orbit])


def placements(places: Sequence[int]) -> tuple[Fraction, ...]:
    """0 … 1 by seat: (k − rank)/(k − 1) with the ranks of a tie averaged, so that they sum to k/2.

    ValueError unless the places are those of a competition, in which a place is one more than the number of those
    ahead.
    """
    return _placements(tuple(places))


@lru_cache(maxsize=4096)
def _placements(places: tuple[int, ...]) -> tuple[Fraction, ...]:
    k = len(places)
    if k < 2:
        raise ValueError(f"a match has two seats or more, not {k}")
    shared = Counter(places)
    expected = 1
    for place in sorted(shared):
        if place != expected:
            raise ValueError(f"places {places} are not those of a competition")
        expected += shared[place]
    # The average rank of a tie is its place and half of the others in it.
    return tuple(Fraction(2 * (k - place) - (shared[place] - 1), 2 * (k - 1)) for place in places)


@lru_cache(maxsize=4096)
def parts_of_placement(places: tuple[int, ...], parts: int) -> tuple[int, ...]:
    """The placements by seat as whole numbers of 1/``parts``, which must be a multiple of 2(k − 1)."""
    return tuple(int(parts * placement) for placement in placements(places))


@lru_cache(maxsize=4096)
def parts_of_wins(places: tuple[int, ...], parts: int) -> tuple[int, ...]:
    """The shares of the win by seat as whole numbers of 1/``parts``, which they all must be."""
    return tuple(int(parts * share) for share in wins(places))


def wins(places: Sequence[int]) -> tuple[Fraction, ...]:
    """The share of the win by seat; a shared first place splits it."""
    first = places.count(1)
    return tuple(Fraction(1, first) if place == 1 else Fraction(0) for place in places)
