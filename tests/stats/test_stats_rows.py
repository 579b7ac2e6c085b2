from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.rows import complete_orbits, in_order, placements, wins
from tests.stats.synthetic_league import match
from tests.strategies import PROFILE


@PROFILE
@given(totals=st.lists(st.integers(0, 6), min_size=2, max_size=10))
def test_placements_of_a_match_sum_to_half_its_seats(totals: list[int]) -> None:
    places = [1 + sum(other < total for other in totals) for total in totals]
    shares = placements(places)
    assert sum(shares) == Fraction(len(totals), 2)
    assert all(0 <= share <= 1 for share in shares)
    assert sum(wins(places)) == 1
    # Nobody ahead gets less, and a tie gets the same.
    assert sorted(range(len(totals)), key=lambda s: -shares[s]) == sorted(range(len(totals)), key=lambda s: places[s])


def test_ties_share_the_average_of_their_ranks() -> None:
    assert [6 * share for share in placements([1, 2, 3, 4])] == [6, 4, 2, 0]
    assert [6 * share for share in placements([1, 1, 3, 4])] == [5, 5, 2, 0]
    assert placements([1, 1, 1, 1]) == (Fraction(1, 2),) * 4
    assert [2 * share for share in wins([2, 1, 1, 4])] == [0, 1, 1, 0]


@pytest.mark.parametrize("places", [[1, 2, 2, 3], [2, 3, 4, 5], [0, 1], [1]])
def test_places_that_no_match_ends_with_are_refused(places: list[int]) -> None:
    with pytest.raises(ValueError, match=r"places|seats"):
        placements(places)


def test_a_fixture_counts_once() -> None:
    rows = [match(n, [1, 2], bots="ab") for n in (3, 1, 3)]
    with pytest.raises(ValueError, match="fixture 3 has more than one"):
        in_order(rows)


def test_only_complete_orbits_are_kept() -> None:
    rows = [match(n, [1, 2], bots="ab", orbit=n // 3) for n in (7, 0, 2, 1, 4, 5, 6)]
    kept = complete_orbits(rows, {0: 3, 1: 3, 2: 2})
    assert [row.fixture for row in kept] == [0, 1, 2, 6, 7]
    assert Counter(row.orbit for row in kept) == {0: 3, 2: 2}


def test_results_that_were_not_scheduled_are_refused() -> None:
    rows = [match(n, [1, 2], bots="ab", orbit=4) for n in range(3)]
    with pytest.raises(ValueError, match="3 results of orbit 4, scheduled: 2"):
        complete_orbits(rows, {4: 2})
    with pytest.raises(ValueError, match="orbit 4, scheduled: 0"):
        complete_orbits(rows, {})
