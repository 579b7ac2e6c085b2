"""Means with intervals when matches come in clusters: matches on the same deals are not independent."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from arena.stats.student import quantile, two_sided

Exact = int | Fraction

LEVEL = 0.95
UPPER = (1 + LEVEL) / 2
Z = NormalDist().inv_cdf(UPPER)


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds at 95 %."""

    low: float
    high: float

    def within(self, least: float, most: float) -> "Interval":
        """The part of it between two values that the true value cannot pass."""
        return Interval(min(max(self.low, least), most), max(min(self.high, most), least))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, and how far it can be trusted: None if its clusters cannot tell (fewer than two, or all alike)."""

    value: float
    interval: Interval | None


def mean(values: Sequence[float]) -> float:
    """Correctly rounded, so in any order the same."""
    return math.fsum(values) / len(values)


def deviation(values: Sequence[float]) -> float:
    """The sample standard deviation (n − 1), in any order the same; 0 exactly if all values are equal."""
    if min(values) == max(values):
        return 0.0
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))


def clustered(values: Sequence[float]) -> Estimate:
    """The mean over G clusters, each given by its own mean, ± t(.975, G − 1) · sd / √G."""
    centre = mean(values)
    return Estimate(centre, _around(centre, values))


def clustered_share(values: Sequence[float]) -> Estimate:
    """As ``clustered`` for values from 0 to 1, which also bound the interval.

    When all G are 1, a true mean of m would do that with probability m^G at most, which bounds it below by the
    exact (2.5 %)^(1/G); likewise above when all are 0.
    """
    estimate = clustered(values)
    interval = estimate.interval
    if interval is not None:
        interval = interval.within(0.0, 1.0)
    elif len(values) > 1 and estimate.value in (0.0, 1.0):
        edge = (1 - UPPER) ** (1 / len(values))
        interval = Interval(edge, 1.0) if estimate.value == 1.0 else Interval(0.0, 1 - edge)
    return Estimate(estimate.value, interval)


def ratio(numerators: Sequence[Exact], denominators: Sequence[Exact]) -> Estimate:
    """Σ numerators / Σ denominators over clusters, with the interval of its linearisation.

    The influence of a cluster is ``u = (numerator − R · denominator) / mean denominator``, the standard error
    ``sd(u)/√G`` (W. G. Cochran, Sampling Techniques, 6.4). ValueError if the denominators sum to 0.
    """
    value, influence = _linearised(numerators, denominators)
    return Estimate(value, _around(value, influence))


def win_share(won: Sequence[Exact], matches: Sequence[Exact]) -> Estimate:
    """The share of matches won, from both by cluster, with Wilson's interval for ``n = w(1 − w)/se²`` trials.

    As se comes from G clusters, n is less by ``(z/t(.975, G − 1))²`` (E. L. Korn, B. I. Graubard, 1998). Of a bot that
    won all or nothing, or as much in every cluster, the clusters are the trials.
    """
    share, influence = _linearised(won, matches)
    clusters = len(won)
    if clusters < 2:
        return Estimate(share, None)
    spread = deviation(influence)
    trials = float(clusters)
    if spread:
        trials *= share * (1 - share) / (spread * spread) * (Z / quantile(UPPER, clusters - 1)) ** 2
    return Estimate(share, wilson(share, trials))


def _linearised(numerators: Sequence[Exact], denominators: Sequence[Exact]) -> tuple[float, list[float]]:
    """The ratio of the sums, and the influence of each cluster. Exact until the end: no spread from rounding."""
    whole = math.lcm(*{value.denominator for value in (*numerators, *denominators)})
    parts, sizes = _times(whole, numerators), _times(whole, denominators)
    part, total, clusters = sum(parts), sum(sizes), len(sizes)
    if total == 0:
        raise ValueError(f"a ratio to nothing: {clusters} denominators sum to 0")
    # (n − R · d) / mean denominator, with R = part/total, in whole numbers: their quotients are correctly rounded.
    return part / total, [
        (n * total - part * d) * clusters / (total * total) for n, d in zip(parts, sizes, strict=True)
    ]


def _times(whole: int, values: Sequence[Exact]) -> list[int]:
    """So many times the values, which is a whole number of each."""
    return [value.numerator * (whole // value.denominator) for value in values]


def _around(centre: float, values: Sequence[float]) -> Interval | None:
    clusters, spread = len(values), deviation(values)  # that of one is 0
    if spread == 0:
        return None
    half = quantile(UPPER, clusters - 1) * spread / math.sqrt(clusters)
    return Interval(centre - half, centre + half)


def wilson(share: float, effective: float) -> Interval:
    """Wilson's score interval for a share seen in so many independent trials, whole or not (E. B. Wilson, 1927)."""
    if not 0 <= share <= 1 or effective <= 0:
        raise ValueError(f"no interval for a share of {share} in {effective} trials")
    centre = share + Z * Z / (2 * effective)
    half = Z * math.sqrt(share * (1 - share) / effective + Z * Z / (4 * effective * effective))
    scale = 1 + Z * Z / effective
    # At the ends the formula gives the end itself, but for rounding.
    low = (centre - half) / scale if share > 0 else 0.0
    high = (centre + half) / scale if share < 1 else 1.0
    return Interval(low, high)


def paired_test(differences: Sequence[float]) -> float:
    """Two-sided p of Student's test that the mean of G paired differences is 0, with G − 1 degrees of freedom.

    1 with fewer than two. Equal differences, of which t would be infinite, are a sign test: 2 · ½^G, or 1 if 0.
    """
    clusters = len(differences)
    if clusters < 2:
        return 1.0
    spread = deviation(differences)
    if spread == 0:
        return 2.0 * 0.5**clusters if differences[0] else 1.0
    return two_sided(mean(differences) / (spread / math.sqrt(clusters)), clusters - 1)
