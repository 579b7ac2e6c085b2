"""Every deal against the same cards at the other tables, all at once: a long league has 100,000 hands."""

from collections.abc import Mapping, Sequence

import numpy as np

Points = tuple[int, ...]  # of a deal, by seat
Means = tuple[float, ...]  # by seat


class Duplicate:
    """The deals of finished matches, compared where several tables have played them."""

    def __init__(self, deals: Mapping[int, Sequence[Points]], streams: Mapping[int, int]) -> None:
        """``deals`` by match, from its first one on; ``streams`` by match: the n-th deals of a stream are the same."""
        self._deals = [(match, number) for match, played in deals.items() for number in range(len(played))]
        self._held: dict[int, range] = {}  # by match: which of them all are its deals
        at = 0
        for match, played in deals.items():
            self._held[match] = range(at, at + len(played))
            at += len(played)
        longest = max(map(len, deals.values()), default=0)
        cards = np.array([streams[match] * longest + number for match, number in self._deals], np.int64)
        self._points = np.array([points for played in deals.values() for points in played], np.int64)
        self._tables = np.bincount(cards)[cards] if at else cards
        if at:
            sums = np.array([np.bincount(cards, of_seat)[cards] for of_seat in self._points.T]).T
            with np.errstate(invalid="ignore"):  # 0/0 where there is no other table
                # Sums of points are whole numbers, so the mean is rounded once.
                self._means = (sums - self._points) / (self._tables - 1)[:, None]

    def means(self, match: int) -> tuple[Means | None, ...]:
        """By deal: the mean points with these very cards at the other tables; None where there are none."""
        held = self._held[match]
        if not held:
            return ()
        which = slice(held.start, held.stop)
        means = map(tuple, self._means[which].tolist())
        return tuple([mean if tables > 1 else None for mean, tables in zip(means, self._tables[which], strict=True)])

    def extremes(self, seats: Mapping[int, int], most: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Match and number of the deals in which a seat took least, and of those in which it took most, above the mean
        of the other tables. At most so many of each, the extreme ones first, and none at the mean or on its other side.

        ``seats`` is the seat by match; of equal deals the first one is less.
        """
        held = [self._held[match] for match in seats]
        at = np.array([deal for of_match in held for deal in of_match], np.int64)
        if not len(at):
            return [], []
        seat = np.repeat(np.array(list(seats.values()), np.int64), list(map(len, held)))
        compared = self._tables[at] > 1
        at, seat = at[compared], seat[compared]
        gains = self._points[at, seat] - self._means[at, seat]
        order = np.argsort(gains, kind="stable")
        best = [self._deals[at[index]] for index in order[:most] if gains[index] < 0]
        worst = [self._deals[at[index]] for index in order[: -most - 1 : -1] if gains[index] > 0]
        return best, worst
