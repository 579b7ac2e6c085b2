"""Every pair of bots at the tables they shared."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from arena.stats.holm import holm
from arena.stats.intervals import Estimate, Interval, clustered, paired_test
from arena.stats.rows import MatchRow, in_order, parts_of_placement


@dataclass(frozen=True, slots=True)
class Duel:
    """A bot against an opponent. ``difference``: its placement less the opponent's, mean over streams, −1 … 1.

    ``p``: that there is no difference, adjusted by Holm's method over all pairs of the matrix.
    """

    matches: int
    streams: int
    difference: Estimate
    p: float

    def reversed(self) -> "Duel":
        """The same from the opponent's side."""
        value, interval = -self.difference.value, self.difference.interval
        other = None if interval is None else Interval(-interval.high, -interval.low)
        return Duel(self.matches, self.streams, Estimate(value, other), self.p)


def head_to_head(rows: Iterable[MatchRow]) -> dict[tuple[str, str], Duel]:
    """By (bot, opponent), both ways, of all pairs of ranked bots that met; sorted."""
    ordered = in_order(rows)
    # Placements are whole numbers of such parts, so their sums are exact and fast.
    parts = math.lcm(*{2 * (len(row.seats) - 1) for row in ordered})
    met: dict[tuple[str, str], dict[str, list[int]]] = {}
    for row in ordered:
        scores = parts_of_placement(tuple([seat.place for seat in row.seats]), parts)
        ranked = sorted((seat.bot, score) for seat, score in zip(row.seats, scores, strict=True) if seat.ranked)
        for (a, score_a), (b, score_b) in combinations(ranked, 2):
            if a != b:
                met.setdefault((a, b), {}).setdefault(row.stream, []).append(score_a - score_b)
    pairs = sorted(met)
    tested = [_tested(_means(met[pair], parts)) for pair in pairs]
    duels: dict[tuple[str, str], Duel] = {}
    for pair, (estimate, _), p in zip(pairs, tested, holm([p for _, p in tested]), strict=True):
        matches = sum(map(len, met[pair].values()))
        duels[pair] = Duel(matches, len(met[pair]), estimate, p)
        duels[pair[1], pair[0]] = duels[pair].reversed()
    return dict(sorted(duels.items()))


def _means(by_stream: Mapping[str, list[int]], parts: int) -> tuple[float, ...]:
    # Exact until here: equal means are equal floats, which the test relies on.
    return tuple(sorted([sum(differences) / (parts * len(differences)) for differences in by_stream.values()]))


# In any order the same; most pairs have met on few streams, and so as many others had the same differences.
@lru_cache(maxsize=1 << 14)
def _tested(means: tuple[float, ...]) -> tuple[Estimate, float]:
    """The mean difference, which lies between −1 and 1, and the p that there is none."""
    estimate = clustered(means)
    if estimate.interval is not None:
        estimate = Estimate(estimate.value, estimate.interval.within(-1.0, 1.0))
    return estimate, paired_test(means)
