"""Student's t distribution: quantiles for intervals, tail probabilities for tests."""

import math
from functools import lru_cache

# Of the continued fraction: it converges in O(√max(a, b)) terms.
PRECISION = 1e-15
TERMS = 10_000


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b), for a, b > 0 and 0 ≤ x ≤ 1.

    By the continued fraction of DLMF 8.17.22, evaluated as by Lentz and Thompson (Numerical Recipes, 6.4).
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on the other side
        return 1 - incomplete_beta(b, a, 1 - x)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d or tiny)
    fraction = d
    for m in range(1, TERMS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / ((1 + numerator * d) or tiny)
            c = (1 + numerator / c) or tiny
            fraction *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return math.exp(log_front) * fraction / a


def two_sided(t: float, degrees: int) -> float:
    """The probability that Student's t with these degrees of freedom is further from 0 than ``t``."""
    if degrees < 1:
        raise ValueError(f"Student's t needs one degree of freedom or more, not {degrees}")
    if math.isinf(t):
        return 0.0
    square = t * t
    if square < 1:  # the same from its other end, which keeps the digits of a small t
        return 1 - incomplete_beta(0.5, degrees / 2, square / (degrees + square))
    return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square))


@lru_cache(maxsize=4096)
def quantile(level: float, degrees: int) -> float:
    """The t below which Student's t lies with probability ``level`` (0.5 ≤ level < 1), to 12 digits or so."""
    if not 0.5 <= level < 1:
        raise ValueError(f"a level from 0.5 to below 1, not {level}")
    outside = 2 * (1 - level)
    low, high = 0.0, 1.0
    while two_sided(high, degrees) > outside:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if two_sided(middle, degrees) > outside:
            low = middle
        else:
            high = middle
