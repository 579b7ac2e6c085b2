"""Results summed by bot and deal stream: the clusters that intervals, tests and bootstrap are made of."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from arena.stats.exact import total
from arena.stats.rows import MatchRow, parts_of_placement, parts_of_wins

Primary = Literal["placement", "points", "wins"]


@dataclass(slots=True)
class Cluster:
    """One bot on one stream; sums over its matches there."""

    matches: int
    deals: int
    points: int
    placement: Fraction  # mean
    won: Fraction

    def parts(self, primary: Primary) -> tuple[Fraction, int]:
        """Numerator and denominator of the measure, more being better: what a mean over streams sums up.

        Placement is a mean of the streams' means, whatever their sizes; the others are ratios of sums.
        """
        match primary:
            case "placement":
                return self.placement, 1
            case "points":
                return Fraction(-self.points), self.deals
            case "wins":
                return self.won, self.matches

    def score(self, primary: Primary) -> Fraction:
        """The measure on this stream alone, more being better; 0 where no deal was played."""
        numerator, denominator = self.parts(primary)
        return numerator if denominator == 1 else numerator / denominator if denominator else Fraction(0)


def clusters(rows: Iterable[MatchRow]) -> dict[str, dict[str, Cluster]]:
    """By bot and by stream, in the order in which rows name them."""
    rows = tuple(rows)
    # Both measures are whole numbers of such parts, so that sums are exact and fast.
    parts = math.lcm(*{2 * (len(row.seats) - 1) for row in rows})
    shares = math.lcm(*{share for row in rows for share in range(1, len(row.seats) + 1)})
    sums: dict[str, dict[str, list[int]]] = {}
    for row in rows:
        places = tuple([seat.place for seat in row.seats])
        measured = zip(row.seats, parts_of_placement(places, parts), parts_of_wins(places, shares), strict=True)
        for seat, placement, won in measured:
            own = sums.setdefault(seat.bot, {}).setdefault(row.stream, [0, 0, 0, 0, 0])
            own[0] += 1
            own[1] += row.deals
            own[2] += seat.points
            own[3] += placement
            own[4] += won
    return {
        bot: {
            stream: Cluster(matches, deals, points, Fraction(placed, parts * matches), Fraction(won, shares))
            for stream, (matches, deals, points, placed, won) in by_stream.items()
        }
        for bot, by_stream in sums.items()
    }


def scores(by_stream: Mapping[str, Cluster], primary: Primary) -> dict[str, Fraction]:
    """The measure by stream, more being better."""
    return {stream: cluster.score(primary) for stream, cluster in by_stream.items()}


def overall(by_stream: Mapping[str, Cluster], primary: Primary) -> Fraction:
    """The measure over all streams, exact, more being better; 0 without matches or deals."""
    parts = [cluster.parts(primary) for cluster in by_stream.values()]
    weight = sum(denominator for _, denominator in parts)
    return total(numerator for numerator, _ in parts) / weight if weight else Fraction(0)
