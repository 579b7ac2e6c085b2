"""Settlements (B7 to B9, N2) and the pot of a match."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rules.match import Match
from arena.rules.settle import Settlement, share_out
from tests.rules.laid_out import table
from tests.strategies import PROFILE

point_lists = st.lists(st.integers(0, 26), min_size=3, max_size=7)


def settled(how: str, points: list[int], pot: int = 0) -> tuple[list[object], int]:
    chips, after = Settlement(how).settle(points, pot)
    return list(chips), after


def shared(pot: int, totals: list[int]) -> list[object]:
    return list(share_out(pot, totals))


def entered(match: Match, *points: int) -> list[object]:
    return list(match.enter(points))


def ledger(match: Match) -> list[object]:
    return list(match.chips)


def test_b7_average_pays_the_mean_less_the_own_points() -> None:
    assert settled("average", [29, 58, 6, 11]) == ([-3, -32, 20, 15], 0)
    assert settled("average", [0, 13, 13], 7) == ([Fraction(26, 3), Fraction(-13, 3), Fraction(-13, 3)], 7)


@PROFILE
@given(st.lists(st.lists(st.integers(0, 26), min_size=5, max_size=5), min_size=1, max_size=6))
def test_b7_deals_settled_together_or_one_by_one_are_the_same(deals: list[list[int]]) -> None:
    together = Settlement.AVERAGE.settle([sum(column) for column in zip(*deals, strict=True)], 0)[0]
    single = [Settlement.AVERAGE.settle(deal, 0)[0] for deal in deals]
    assert list(together) == [sum(column) for column in zip(*single, strict=True)]


def test_b8_the_fewest_points_take_the_pot() -> None:
    assert settled("pot", [5, 0, 20, 1]) == ([-5, 26, -20, -1], 0)
    assert settled("pot", [5, 1, 18, 2]) == ([-5, 25, -18, -2], 0)  # the winner pays its own point


def test_b8_ties_share_it_and_the_odd_chips_stay() -> None:
    assert settled("pot", [0, 0, 0, 26], 3) == ([9, 9, 9, -26], 2)
    assert settled("pot", [13, 13], 1) == ([0, 0], 1)


def test_b9_only_a_player_without_a_point_takes_the_pot() -> None:
    assert settled("sweepstake", [5, 0, 20, 1]) == ([-5, 26, -20, -1], 0)
    assert settled("sweepstake", [5, 0, 21, 0], 1) == ([-5, 13, -21, 13], 1)
    assert settled("sweepstake", [5, 1, 18, 2], 4) == ([-5, -1, -18, -2], 30)


def test_b9_at_the_end_of_the_match_the_lowest_totals_share_what_is_left() -> None:
    assert shared(11, [40, 7, 101, 7]) == [0, 6, 0, 5]
    assert shared(10, [1, 2, 3]) == [10, 0, 0]
    assert shared(11, [5, 5, 5]) == [4, 4, 3]
    assert shared(0, [5, 5, 5]) == [0, 0, 0]


@pytest.mark.parametrize("how", ["pot", "sweepstake"])
def test_b9_the_match_ends_with_an_empty_pot_and_chips_that_sum_to_zero(how: str) -> None:
    match = Match(table("black-lady", 4, settlement=how), target=30)
    first, left = entered(match, 1, 1, 1, 23), match.pot
    assert (first, left) == (([-1, -1, -1, -23], 26) if how == "sweepstake" else ([7, 7, 7, -23], 2))
    second = entered(match, 1, 1, 1, 23)
    assert second == ([-1, -1, -1, -23] if how == "sweepstake" else [8, 8, 8, -23])
    assert (match.end, match.pot) == ("target", 0)
    assert ledger(match) == [16, 15, 15, -46]


def test_b9_the_pot_is_not_shared_before_the_end_and_pots_of_matches_are_apart() -> None:
    match, other = (Match(table("black-lady", 4, settlement="sweepstake")) for _ in range(2))
    entered(match, 1, 1, 1, 23)
    assert (match.pot, match.end, ledger(match)) == (26, None, [-1, -1, -1, -23])
    assert (other.pot, ledger(other)) == (0, [0, 0, 0, 0])


def test_n2_howell_pays_per_heart_for_each_other_and_takes_out_the_rest_of_thirteen() -> None:
    assert settled("howell", [7, 0, 2, 4]) == ([6 - 21, 13, 11 - 6, 9 - 12], 0)


def test_n2_in_a_position_the_points_dealt_stand_for_thirteen() -> None:
    assert settled("howell", [3, 0, 1], 5) == ([1 - 6, 4, 3 - 2], 5)


def test_n2_is_the_default_and_the_other_settlements_are_options() -> None:
    assert table("no-queen", 4).variant.settlement is Settlement.HOWELL
    for how in ("average", "pot", "sweepstake"):
        assert table("no-queen", 4, settlement=how).variant.settlement is Settlement(how)
    assert table("black-lady", 4).variant.settlement is Settlement.AVERAGE


def test_variants_without_a_settlement_move_no_chips() -> None:
    assert settled("none", [26, 0, 0], 9) == ([0, 0, 0], 9)


@PROFILE
@given(st.sampled_from(Settlement), point_lists, st.integers(0, 500))
def test_chips_and_the_change_of_the_pot_always_sum_to_zero(how: Settlement, points: list[int], pot: int) -> None:
    chips, after = how.settle(points, pot)
    assert sum(chips) + after == pot
    assert all(type(one) is Fraction for one in chips)
    assert after >= 0
    assert after <= pot + sum(points)


@PROFILE
@given(
    st.sampled_from(["average", "pot", "sweepstake"]),
    st.lists(st.permutations([26, 0, 0, 0]) | st.permutations([20, 4, 1, 1]), max_size=12),
    st.integers(1, 12),
)
def test_a_match_never_loses_a_chip(how: str, deals: list[list[int]], cap: int) -> None:
    match = Match(table("black-lady", 4, settlement=how), max_deals=cap)
    for points in deals:
        if match.end:
            break
        match.enter(points)
        assert sum(match.chips) + match.pot == 0
    assert not (match.end and match.pot)
