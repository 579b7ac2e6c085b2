from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from arena.stats.exact import difference, total
from tests.strategies import PROFILE

fractions = st.fractions(min_value=-1000, max_value=1000, max_denominator=5040)


@PROFILE
@given(values=st.lists(fractions, max_size=50))
def test_the_total_is_the_sum(values: list[Fraction]) -> None:
    assert total(values) == sum(values, Fraction(0))


@PROFILE
@given(a=fractions, b=fractions)
def test_the_difference_is_that_of_fractions_to_the_last_bit(a: Fraction, b: Fraction) -> None:
    assert difference(a, b) == float(a - b)
