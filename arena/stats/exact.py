"""Exact arithmetic on many fractions: what `fractions` does one by one, reducing each time, done at once."""

from collections.abc import Iterable
from fractions import Fraction


def total(values: Iterable[Fraction]) -> Fraction:
    """Their sum; 0 of none."""
    by_denominator: dict[int, int] = {}
    for value in values:
        by_denominator[value.denominator] = by_denominator.get(value.denominator, 0) + value.numerator
    return sum((Fraction(n, d) for d, n in by_denominator.items()), Fraction(0))


def difference(a: Fraction, b: Fraction) -> float:
    """a − b, correctly rounded, as a float of the exact difference is."""
    return (a.numerator * b.denominator - b.numerator * a.denominator) / (a.denominator * b.denominator)
