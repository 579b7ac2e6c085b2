"""Who plays whom, where and on which deals: the whole schedule as data, before anything is played.

A schedule is a sequence of orbits. In an orbit of N tables every bot plays once in every seat; which bots meet
is decided by a design (``arena.league.designs``). After a repetition the bots are relabelled, by a permutation
drawn under the league's event key, and the design starts again. Everything here is a pure function of its
arguments, the same on every machine.
"""

import hashlib
import hmac
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations, permutations
from operator import or_
from typing import Literal, get_args

from arena.league.designs import Block, check_size, design, orbits_per_repetition

Duplicate = Literal["round", "orbit", "off"]

RELABEL = b"HEARTS-ARENA-1/relabel"
EVENT_KEY_BYTES = 32
# At packing an orbit's tables into rounds: so many at most, and fewer above a hundred tables, where each takes longer.
TRIES, MANY = 8, 100
AHEAD = 2  # matches that a point may be ahead of another, where that can be


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match that will be played. Fixtures are numbered in playing order: repetition, orbit, round."""

    number: int  # place in the schedule, from 0; the key of a match
    repetition: int  # which full design, from 0
    orbit: int  # orbit within the repetition, from 0
    round: int  # round within the orbit, from 0: no bot twice
    stream: str  # deal stream: the same label, the same deals
    seats: tuple[int, ...]  # entrant index by seat; from the number of entrants on, house bots


def relabelled(points: int, event_key: bytes, repetition: int) -> tuple[int, ...]:
    """The entrant index of each point of the design: 0 … points − 1 in the order of their HMAC-SHA256 under the
    event key, of ``HEARTS-ARENA-1/relabel``, the repetition and the index, both 8 bytes big-endian.
    """

    def lot(entrant: int) -> bytes:
        message = RELABEL + repetition.to_bytes(8, "big") + entrant.to_bytes(8, "big")
        return hmac.digest(event_key, message, "sha256")

    return tuple(sorted(range(points), key=lot))


def fixtures(
    *, entrants: int, seats: int, orbits: int, event_key: bytes, duplicate: Duplicate = "round", first: int = 0
) -> Iterator[Fixture]:
    """The fixtures of the first ``orbits`` orbits, counted across repetitions, lazily; without those before ``first``.

    A longer schedule begins with the shorter one. Streams are shared by the tables of a round
    (``orbit3/rep0/round2``), of an orbit (``orbit3/rep0``), or by none (``orbit3/rep0/table7``). With fewer
    entrants than seats, house bots fill up, with the indexes from ``entrants`` on. ValueError, at once, for
    numbers no schedule has, an event key that is not 32 bytes, or an unknown kind of duplication.
    """
    check_size(entrants, seats)
    if orbits < 0:
        raise ValueError(f"a schedule cannot have {orbits} orbits")
    if len(event_key) != EVENT_KEY_BYTES:
        raise ValueError(f"an event key has {EVENT_KEY_BYTES} bytes, not {len(event_key)}")
    if duplicate not in get_args(Duplicate):
        raise ValueError(f"deals are duplicated by round, orbit or off, not {duplicate!r}")
    return _fixtures(entrants, seats, range(first, orbits), event_key, duplicate)


def _fixtures(entrants: int, seats: int, orbits: range, event_key: bytes, duplicate: Duplicate) -> Iterator[Fixture]:
    per_repetition = orbits_per_repetition(entrants, seats)
    number = orbits.start * max(entrants, seats)
    for repetition, orbit in (divmod(total, per_repetition) for total in orbits):
        labels = relabelled(max(entrants, seats), event_key, repetition)
        base = f"orbit{orbit}/rep{repetition}"
        table = 0
        for round_, blocks in enumerate(_rounds(entrants, seats, orbit)):
            for block in blocks:
                match duplicate:
                    case "round":
                        stream = f"{base}/round{round_}"
                    case "orbit":
                        stream = base
                    case "off":
                        stream = f"{base}/table{table}"
                yield Fixture(number, repetition, orbit, round_, stream, tuple(labels[p] for p in block))
                number += 1
                table += 1


def gauntlet(*, seats: int, groups: int, first: int = 0) -> Iterator[Fixture]:
    """One new bot, entrant 0, against copies of an old one, entrants 1 … seats − 1: each group is one stream
    (``group0``, …), played in all rotations of the seats, one a round. The group is the fixture's orbit. Without
    those before ``first``.
    """
    check_size(seats, seats)
    if groups < 0:
        raise ValueError(f"a gauntlet cannot have {groups} groups")
    players = tuple(range(seats))
    return (
        Fixture(group * seats + turn, 0, group, turn, f"group{group}", players[-turn:] + players[:-turn])
        for group in range(first, groups)
        for turn in range(seats)
    )


@lru_cache(maxsize=64)
def _rounds(entrants: int, seats: int, orbit: int) -> tuple[tuple[Block, ...], ...]:
    return packed(tuple(design(entrants, seats).orbit(orbit)))


def packed(tables: Sequence[Block]) -> tuple[tuple[Block, ...], ...]:
    """All tables in rounds without a bot twice, so that few rounds are needed and no bot ever runs ahead.

    The best of ``TRIES`` greedy packings: that in which, at any moment of the schedule, the matches of two points
    differ least, and then the one of fewest rounds. Ties are broken by lots from a generator of its own, so that the
    same tables are always packed the same way.
    """
    draw = random.Random(len(tables))  # noqa: S311 - nobody gains by foreseeing it
    sits: dict[int, int] = {}  # point -> the tables it sits at, as bits
    for number, table in enumerate(tables):
        for point in table:
            sits[point] = sits.get(point, 0) | 1 << number
    # The tables that cannot be in one round with each, itself included.
    beside = [reduce(or_, (sits[point] for point in table)) for table in tables]
    lots = list(range(len(tables)))
    best: tuple[int, list[list[int]]] | None = None
    for _ in range(max(1, min(TRIES, TRIES * MANY**2 // len(tables) ** 2))):
        ahead, rounds = _packing(tables, beside, lots)
        if best is None or (ahead, len(rounds)) < (best[0], len(best[1])):
            best = ahead, rounds
        if ahead <= 1:
            break
        draw.shuffle(lots)
    assert best is not None
    return tuple(tuple(tables[number] for number in numbers) for numbers in best[1])


def _packing(tables: Sequence[Block], beside: Sequence[int], lots: Sequence[int]) -> tuple[int, list[list[int]]]:
    """One packing: how far a point was ever ahead of another, in matches, and the tables' numbers by round.

    Each next table of a round is the one that keeps the fewest others out of it and whose points have played least;
    one that would put a point more than ``AHEAD`` matches ahead is taken only where there is no other.
    """
    played = dict.fromkeys((point for table in tables for point in table), 0)
    counts = [len(played), *[0] * len(tables)]  # by matches played: how many points
    low = high = ahead = 0
    waiting = (1 << len(tables)) - 1
    free = waiting
    behind: list[int] = []
    rounds: list[list[int]] = []

    def cost(number: int) -> tuple[bool, int, int]:
        runs_ahead = False
        if high - low >= AHEAD:
            levels = [played[point] for point in tables[number]]
            raises = levels.count(low) == counts[low]
            runs_ahead = max(high, max(levels) + 1) - low - raises > AHEAD
        return runs_ahead, (beside[number] & free).bit_count() + behind[number], lots[number]

    while waiting:
        free, chosen = waiting, []
        behind = [2 * sum(played[point] for point in table) for table in tables]
        candidates = [number for number in range(len(tables)) if free >> number & 1]
        while candidates:
            number = min(candidates, key=cost)
            chosen.append(number)
            for point in tables[number]:
                counts[played[point]] -= 1
                played[point] += 1
                counts[played[point]] += 1
                high = max(high, played[point])
            while not counts[low]:
                low += 1
            ahead = max(ahead, high - low)
            free &= ~beside[number]
            waiting &= ~(1 << number)
            candidates = [other for other in candidates if free >> other & 1]
        rounds.append(chosen)
    return ahead, rounds


@dataclass(frozen=True, slots=True)
class Evenness:
    """The least and the most of some counts, and what each would be if all were equal."""

    least: int
    most: int
    ideal: float


@dataclass(frozen=True, slots=True)
class Balance:
    """How even a schedule is to its entrants; house bots do not count."""

    tables: int
    appearances: Evenness  # matches of an entrant
    seats: Evenness  # matches of an entrant in one seat
    pairs: Evenness  # matches in which two entrants meet
    neighbours: tuple[Evenness, ...]  # at t − 1: how often one entrant sits t seats after another


def balance(schedule: Iterable[Fixture], *, entrants: int, seats: int) -> Balance:
    """What to print of a schedule, of any length. Without pairs (one entrant) their counts are 0."""
    check_size(entrants, seats)
    tables = 0
    seated: Counter[tuple[int, int]] = Counter()  # (entrant, seat)
    after: Counter[tuple[int, int, int]] = Counter()  # (entrant, the one t seats on, t)
    for fixture in schedule:
        tables += 1
        players = [(seat, bot) for seat, bot in enumerate(fixture.seats) if bot < entrants]
        seated.update((bot, seat) for seat, bot in players)
        after.update((a, b, (j - i) % seats) for (i, a), (j, b) in permutations(players, 2))
    bots, distances = range(entrants), range(1, seats)
    return Balance(
        tables,
        _evenness([sum(seated[bot, seat] for seat in range(seats)) for bot in bots]),
        _evenness([seated[bot, seat] for bot in bots for seat in range(seats)]),
        _evenness([sum(after[a, b, t] for t in distances) for a, b in combinations(bots, 2)]),
        tuple(_evenness([after[a, b, t] for a, b in permutations(bots, 2)]) for t in distances),
    )


def _evenness(counts: Sequence[int]) -> Evenness:
    return Evenness(min(counts), max(counts), sum(counts) / len(counts)) if counts else Evenness(0, 0, 0.0)


class ScheduleHash:
    """The hash of a schedule that grows.

    SHA-256 of one ASCII line per fixture: number, repetition, orbit, round, stream and the seats joined by commas,
    separated by single spaces and ended by a line feed (``0 0 0 0 orbit0/rep0/round0 3,1,0,2``).
    """

    def __init__(self) -> None:
        self.fixtures = 0
        self._digest = hashlib.sha256()

    def add(self, schedule: Iterable[Fixture]) -> None:
        """Take the next fixtures in."""
        for f in schedule:
            seats = ",".join(map(str, f.seats))
            self._digest.update(f"{f.number} {f.repetition} {f.orbit} {f.round} {f.stream} {seats}\n".encode("ascii"))
            self.fixtures += 1

    def hex(self) -> str:
        """As it stands."""
        return self._digest.hexdigest()


def schedule_hash(schedule: Iterable[Fixture]) -> str:
    """The hash of a whole schedule, in hex, as ``ScheduleHash`` has it."""
    known = ScheduleHash()
    known.add(schedule)
    return known.hex()
