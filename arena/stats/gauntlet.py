"""Is the new version better than the old one? A sequential test that stops by itself, and an interval to watch."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from arena.stats.intervals import Interval, deviation, mean
from arena.stats.rows import MatchRow, in_order

# The interval is asymptotic: watched from the second group on, it would miss twice as often as it says.
WATCHED_MIN = 20


class Verdict(Enum):
    """What is known of the new version."""

    OPEN = "open"  # play on
    BETTER = "better"
    NOT_BETTER = "not better"
    UNDECIDED = "undecided"  # the most groups were played, and it is still open


@dataclass(frozen=True, slots=True)
class Plan:
    """When to stop. Gains are in points a deal: the test is of ``better`` against ``same``."""

    same: float = 0.0
    better: float = 0.25
    error: float = 0.05  # chance of each of the two wrong verdicts
    groups_min: int = 100  # before, the spread is not known well enough
    groups_max: int = 4000
    groups_expected: int = 300  # where the watched interval is tightest


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a gauntlet stands. ``gain``: points a deal by which the new version is better, mean over groups."""

    groups: int
    gain: float
    interval: Interval | None  # of the gain; holds at all times at once; None below ``WATCHED_MIN`` groups
    likelihood_ratio: float  # logarithm; the verdict falls at ± bound
    bound: float
    verdict: Verdict


def group_gains(rows: Iterable[MatchRow], new: str) -> tuple[float, ...]:
    """By group, in playing order: the mean over its rotations of (mean points of the others − points of ``new``) a
    deal, so that more is better. Groups are streams; only those with all rotations, one for each seat, count.
    """
    groups: dict[str, list[tuple[int, Fraction]]] = {}
    for row in in_order(rows):
        own = [(seat, player.points) for seat, player in enumerate(row.seats) if player.bot == new]
        if len(own) != 1 or len(row.seats) < 2:
            raise ValueError(f"fixture {row.fixture} seats {new!r} {len(own)} times among {len(row.seats)}")
        seat, points = own[0]
        others = Fraction(sum(player.points for player in row.seats) - points, len(row.seats) - 1)
        # A match that ended before its first deal has no points to share out.
        gain = (others - points) / row.deals if row.deals else Fraction(0)
        groups.setdefault(row.stream, []).append((seat, gain))
        size = len(row.seats)
        if len(groups[row.stream]) > size:
            raise ValueError(f"group {row.stream!r} has more than {size} matches")
    if not groups:
        return ()
    return tuple(
        float(sum((gain for _, gain in group), Fraction(0)) / size)
        for group in groups.values()
        if len({seat for seat, _ in group}) == size
    )


def progress(gains: Sequence[float], plan: Plan | None = None) -> Progress:
    """The state of the test after these groups.

    The generalised sequential probability ratio test for a mean of unknown variance:
    ``LLR = n(δ1 − δ0)(2ȳ − δ0 − δ1)/(2s²)``, stopped at ±ln((1 − error)/error), ±2.944 at 5 %. The verdict falls at
    the first group at which it may, and later groups do not change it. The interval is the asymptotic confidence
    sequence ``ȳ ± s·√(2(nr + 1)/(n²r) · ln(√(nr + 1)/α))`` (I. Waudby-Smith et al., 2021), with r set so that it is
    tightest at the expected number of groups.
    """
    plan = plan or Plan()
    bound = _bound(plan)
    # Welford's running mean and sum of squares: one pass over all the places at which the test could have stopped.
    centre = squares = ratio = 0.0
    verdict = Verdict.OPEN
    decided: tuple[int, float] | None = None
    for n, gain in enumerate(gains, start=1):
        step = gain - centre
        centre += step / n
        squares += step * (gain - centre)
        ratio = _likelihood_ratio(n, centre, squares, plan)
        if n >= plan.groups_min and abs(ratio) >= bound:
            verdict = Verdict.BETTER if ratio > 0 else Verdict.NOT_BETTER
        elif n >= plan.groups_max:
            verdict = Verdict.UNDECIDED
        if verdict is not Verdict.OPEN:
            decided = n, ratio
            break
    groups, ratio = decided or (len(gains), ratio)
    counted = gains[:groups]
    return Progress(groups, mean(counted) if counted else 0.0, _watched(counted, plan), ratio, bound, verdict)


def _bound(plan: Plan) -> float:
    return math.log((1 - plan.error) / plan.error)


def _likelihood_ratio(n: int, centre: float, squares: float, plan: Plan) -> float:
    gain = n * (plan.better - plan.same) * (2 * centre - plan.same - plan.better) / 2
    if n < 2:
        return 0.0
    if squares == 0:  # all groups alike, as of two versions that play the same: certain, but not infinite
        return math.copysign(_bound(plan), gain) if gain else 0.0
    return gain / (squares / (n - 1))


def _watched(gains: Sequence[float], plan: Plan) -> Interval | None:
    n = len(gains)
    if n < WATCHED_MIN:
        return None
    two_ln = -2 * math.log(plan.error)
    nr = n * (two_ln + math.log(two_ln) + 1) / plan.groups_expected
    half = deviation(gains) * math.sqrt(2 * (nr + 1) / (n * nr) * math.log(math.sqrt(nr + 1) / plan.error))
    centre = mean(gains)
    return Interval(centre - half, centre + half)
