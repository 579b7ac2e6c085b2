"""Exact arithmetic on many fractions: what `fractions` does one by one, reducing each time, done at once."""

from collections.abc import Iterable
from fractions import Fraction


def total(values: Iterable[Fraction]) -> Fraction:
    """Their sum; 0 of none."""
    by_denominator: dict[int, int] = {}
    for value in values:
        numerator, denominator = value.as_integer_ratio()  # one call instead of three
        by_denominator[denominator] = by_denominator.get(denominator, 0) + numerator
    return sum((Fraction(n, d) for d, n in by_denominator.items()), Fraction(0))


def difference(a: Fraction, b: Fraction) -> float:
    """a − b, correctly rounded, as a float of the exact difference is."""
    (n, d), (m, e) = a.as_integer_ratio(), b.as_integer_ratio()
    return (n * e - m * d) / (d * e)
