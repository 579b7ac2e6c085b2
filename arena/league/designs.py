"""Which bots meet: base blocks whose translates seat every pair of bots equally often.

The object is the perfect Mendelsohn design: every ordered pair sits t places apart equally often, for every
t = 1 … seats − 1. A *base block* is a table; its translates by every point are an **orbit**, in which every
point plays once in every seat. So a design is a list of base blocks, and every prefix of it is a schedule:
how often two points meet depends on the differences within its blocks alone.

1. Points a power of a prime, seats dividing points − 1: ``g^c · (1, h, …, h^(seats−1))`` over the field, with
   ``h = g^((points−1)/seats)`` (N. S. Mendelsohn, 1977). Exact after (points − 1)/seats orbits.
2. Points another power of a prime, up to ``FULL``: ``x · (c_0, …, c_(seats−1))`` for every x ≠ 0, so every
   ordered pair is in every ordered pair of seats once. Exact after points − 1 orbits.
3. Else blocks over the integers modulo points, found by search: each next block is the best of a few descents,
   improved together with its predecessors by annealing. All bounds are numbers of steps, never times, and the
   generator is seeded with the size, so that a size has one schedule.
"""

import heapq
import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from arena.league.galois import add, field, prime_power, subtract

Block = tuple[int, ...]

SEATS_MIN, SEATS_MAX = 2, 10
# Up to this many orbits a repetition is the full points − 1, in which every meeting can be equally frequent;
# above, it is the fewest orbits in which every ordered pair can meet once at every distance.
FULL = 25

# The search, in numbers of steps, divided among the blocks (and seats, since a step costs as much as there are
# seats): descents from a random block, steps of annealing while blocks are added, steps at the end. Few points have
# few blocks to choose from, so both kinds of steps are bounded for each point too. And how many of the last blocks
# are annealed together.
STARTS = 500
STEPS, STEPS_A_POINT = 900_000, 2_500
LAST_STEPS, LAST_STEPS_A_POINT = 240_000, 12_000
WINDOW = 3
TEMPERATURE = 0.5


@dataclass(frozen=True, slots=True)
class Design:
    """Base blocks over the points 0 … points − 1; ``modulus`` is the base of the digits that are added."""

    points: int
    seats: int
    modulus: int
    blocks: tuple[Block, ...]

    def orbit(self, number: int) -> Iterator[Block]:
        """The tables of an orbit: the translates of its block by 0, 1, …, points − 1."""
        block = self.blocks[number]
        for shift in range(self.points):
            yield tuple(add(point, shift, self.modulus) for point in block)


def check_size(entrants: int, seats: int) -> None:
    """ValueError for a league that no design seats."""
    if entrants < 1:
        raise ValueError(f"a league needs at least one entrant, not {entrants}")
    if not SEATS_MIN <= seats <= SEATS_MAX:
        raise ValueError(f"a table has {SEATS_MIN} to {SEATS_MAX} seats, not {seats}")


def orbits_per_repetition(entrants: int, seats: int) -> int:
    """How many orbits make one repetition, after which the bots are relabelled.

    An exact design of the first kind is played in full. Else it is points − 1 orbits while these are at most
    ``FULL`` (8 bots at tables of four: 7 orbits, 56 tables; 20 bots: 19, 380), above ⌈(points − 1)/seats⌉
    (100 bots: 25, 2500).
    """
    check_size(entrants, seats)
    points = max(entrants, seats)
    full = points - 1
    if full % seats == 0 and prime_power(points) is not None:
        return full // seats
    return full if full <= FULL else -(-full // seats)


@lru_cache(maxsize=16)
def design(entrants: int, seats: int) -> Design:
    """The design of one repetition. With fewer entrants than seats, the points from ``entrants`` on are house bots."""
    count = orbits_per_repetition(entrants, seats)
    points = max(entrants, seats)
    factors = prime_power(points)
    if factors is not None and (points - 1) % seats == 0:
        return Design(points, seats, factors[0], balanced_order(_mendelsohn(points, seats), factors[0]))
    if factors is not None and points - 1 <= FULL:
        return Design(points, seats, factors[0], balanced_order(_affine(points, seats), factors[0]))
    return Design(points, seats, points, _cyclic(points, seats, count))


def _mendelsohn(points: int, seats: int) -> list[Block]:
    gf = field(points)
    step = (points - 1) // seats
    return [tuple(gf.power(coset + step * seat) for seat in range(seats)) for coset in range(step)]


def _affine(points: int, seats: int) -> list[Block]:
    gf = field(points)
    first: list[int] = [0]
    met: dict[int, int] = defaultdict(int)
    while len(first) < seats:
        # The multiples of a block share its fate: choose its points so that few differences repeat.
        def repeats(point: int) -> int:
            differences = [subtract(a, b, gf.characteristic) for c in first for a, b in ((c, point), (point, c))]
            return sum(met[d] for d in differences) + len(differences) - len(set(differences))

        point = min((p for p in range(points) if p not in first), key=repeats)
        for other in first:
            met[subtract(point, other, gf.characteristic)] += 1
            met[subtract(other, point, gf.characteristic)] += 1
        first.append(point)
    return [tuple(gf.multiply(gf.power(e), c) for c in first) for e in range(points - 1)]


def balanced_order(blocks: Sequence[Block], modulus: int, after: Sequence[Block] = ()) -> tuple[Block, ...]:
    """The same blocks, each next one being the first of those whose points have met least, given ``after``."""
    met: dict[tuple[int, int], int] = defaultdict(int)

    def cells(block: Block) -> list[tuple[int, int]]:
        """(0, d) for a meeting at difference d, and (t, d) for one t places apart."""
        seats = len(block)
        return [
            (kind, subtract(block[j], block[i], modulus))
            for i in range(seats)
            for j in range(seats)
            if i != j
            for kind in (0, (j - i) % seats)
        ]

    for block in after:
        for cell in cells(block):
            met[cell] += 1
    waiting = [(block, cells(block)) for block in blocks]
    ordered: list[Block] = []
    while waiting:
        at = min(range(len(waiting)), key=lambda n: sum(met[cell] for cell in waiting[n][1]))
        block, seen = waiting.pop(at)
        for cell in seen:
            met[cell] += 1
        ordered.append(block)
    return tuple(ordered)


class Spread:
    """How often each difference modulo ``points`` occurs in a list of blocks, and what its unevenness costs.

    The cost is half of ``Σ_t Σ_d C_t(d)² + Σ_d P(d)²``, with ``C_t(d)`` the number of times two points t places
    apart differ by d, and ``P = Σ_t C_t``. Since ``C_t(d) = C_(seats−t)(−d)`` and ``P(d) = P(−d)`` each pair of
    points is counted once; a difference that is its own negative then weighs double.
    """

    def __init__(self, points: int, seats: int) -> None:
        self.points = points
        self.seats = seats
        self.weights: list[int] = []
        across: list[list[int]] = [[] for _ in range(seats)]
        for t in range(1, seats // 2 + 1):
            if 2 * t == seats:
                across[t] = self._folded()
            else:
                start = len(self.weights)
                self.weights += [1] * points
                across[t] = [start + d for d in range(points)]
                across[seats - t] = [start + -d % points for d in range(points)]
        together = self._folded()
        # The two cells of a pair, by how many seats and by what it is apart. Both lists are indexed by a difference,
        # negative or not: Python's negative indexes are the modulus.
        self.cells = [list(zip(one, together, strict=False)) for one in across]
        self.more = [*self.weights]  # what one more in a cell costs: weight · (2 · count + 1)
        self.cost = 0

    def _folded(self) -> list[int]:
        """New cells for ±d, by d."""
        start, points = len(self.weights), self.points
        self.weights += [2 if 2 * d == points else 1 for d in range(points // 2 + 1)]
        return [start + min(d, points - d) for d in range(points)]

    def add(self, block: Sequence[int]) -> None:
        for seat in range(1, self.seats):
            self._seat(block[:seat], seat, block[seat])

    def remove(self, block: Sequence[int]) -> None:
        for seat in range(1, self.seats):
            self._unseat(block[:seat], seat, block[seat])

    def move(self, block: list[int], seat: int, point: int) -> None:
        """Put a point at a seat of a counted block; if it already sits in the block, the two swap seats."""
        left = block[seat]
        other = block.index(point) if point in block else None
        self._unseat(block, seat, left)
        block[seat] = point
        if other is not None:
            self._unseat(block, other, point, skip=seat)
            block[other] = left
            self._seat(block, other, left, skip=seat)
        self._seat(block, seat, point)

    def lowest(self, blocks: int) -> int:
        """A bound that no list of so many blocks can go below: every kind of pair spread as evenly as it can be."""
        seats, points = self.seats, self.points
        folded = [2 if 2 * d == points else 1 for d in range(1, points // 2 + 1)]
        bound = _evenest(folded, blocks * seats * (seats - 1) // 2)
        for t in range(1, seats // 2 + 1):
            if 2 * t == seats:
                bound += _evenest(folded, blocks * seats // 2)
            else:
                bound += _evenest([1] * (points - 1), blocks * seats)
        return bound

    def _seat(self, block: Sequence[int], seat: int, point: int, skip: int = -1) -> None:
        """Count the pairs of a point at a seat with its block, all but ``skip``, once more."""
        cells, more, weights, cost = self.cells, self.more, self.weights, self.cost
        for at, other in enumerate(block):
            if at != seat and at != skip:
                first, second = cells[at - seat][other - point]
                cost += more[first] + more[second]
                more[first] += 2 * weights[first]
                more[second] += 2 * weights[second]
        self.cost = cost

    def _unseat(self, block: Sequence[int], seat: int, point: int, skip: int = -1) -> None:
        """The same once less."""
        cells, more, weights, cost = self.cells, self.more, self.weights, self.cost
        for at, other in enumerate(block):
            if at != seat and at != skip:
                first, second = cells[at - seat][other - point]
                more[first] -= 2 * weights[first]
                more[second] -= 2 * weights[second]
                cost -= more[first] + more[second]
        self.cost = cost


def _evenest(weights: Sequence[int], total: int) -> int:
    """The least Σ weight · count² of whole counts that sum to ``total``."""
    heap = [(weight, weight) for weight in weights]  # what one more costs, weight
    heapq.heapify(heap)
    cost = 0
    for _ in range(total):
        more, weight = heap[0]
        cost += more
        heapq.heapreplace(heap, (more + 2 * weight, weight))
    return cost


def _cyclic(points: int, seats: int, count: int) -> tuple[Block, ...]:
    draw = random.Random(points * (SEATS_MAX + 1) + seats)  # noqa: S311 - nobody gains by foreseeing a design
    spread = Spread(points, seats)
    blocks: list[list[int]] = []
    for number in range(count):
        blocks.append(_best_start(spread, spread.lowest(number + 1), max(1, STARTS // (count * seats)), draw))
        spread.add(blocks[-1])
        _anneal(spread, blocks, WINDOW, min(STEPS // count, STEPS_A_POINT * points) // seats, draw)
    # The tail is free to make the whole even, and only as long a tail as it takes; the head stays even by itself.
    # A full design can be exact, which is worth two more attempts.
    tail = WINDOW
    for quarters in (2, 2, 3) if count == points - 1 else (2,):
        if spread.cost > spread.lowest(count):
            tail = max(WINDOW, count * quarters // 4)
            _anneal(spread, blocks, tail, min(LAST_STEPS, LAST_STEPS_A_POINT * points) // seats, draw)
    found = [tuple(block) for block in blocks]
    return (*found[:-tail], *balanced_order(found[-tail:], points, after=found[:-tail]))


def _best_start(spread: Spread, bound: int, starts: int, draw: random.Random) -> list[int]:
    """The best of a few random blocks, each improved point by point until no change of one point helps."""
    best: list[int] = []
    least = math.inf
    for _ in range(starts):
        block = [0]
        while len(block) < spread.seats:
            point = draw.randrange(spread.points)
            if point not in block:
                block.append(point)
        spread.add(block)
        improved = True
        while improved and spread.cost > bound:
            improved = False
            for seat in range(1, spread.seats):
                for point in range(1, spread.points):
                    before, left = spread.cost, block[seat]
                    if point != left:
                        spread.move(block, seat, point)
                        if spread.cost < before:
                            improved = True
                        else:
                            spread.move(block, seat, left)
        if spread.cost < least:
            best, least = [*block], spread.cost
        spread.remove(block)
        if least <= bound:
            break
    return best


def _anneal(spread: Spread, blocks: list[list[int]], last: int, steps: int, draw: random.Random) -> None:
    """Change points of the last blocks in place, sometimes for the worse; what remains is the best that was seen."""
    free = blocks[-last:]
    bound = spread.lowest(len(blocks))
    best, kept = spread.cost, [[*block] for block in free]
    seats, points = spread.seats - 1, spread.points - 1
    changes = len(free) * seats * points
    lot = draw.random
    for _ in range(steps):
        if best <= bound:
            break
        rest, point = divmod(int(lot() * changes), points)  # one lot for all three, in half the time of three
        at, seat = divmod(rest, seats)
        block, seat, point = free[at], seat + 1, point + 1
        before, left = spread.cost, block[seat]
        if point == left:
            continue
        spread.move(block, seat, point)
        worse = spread.cost - before
        if worse > 0 and lot() >= math.exp(-worse / TEMPERATURE):
            spread.move(block, seat, left)
        elif spread.cost < best:
            best, kept = spread.cost, [[*block] for block in free]
    for block, good in zip(free, kept, strict=True):
        spread.remove(block)
        block[:] = good
        spread.add(block)
