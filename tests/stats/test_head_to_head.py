from fractions import Fraction

import pytest

from arena.stats.head_to_head import head_to_head
from arena.stats.holm import holm
from arena.stats.intervals import paired_test
from arena.stats.rows import MatchRow
from tests.stats.synthetic_league import league, match


def test_the_matrix_is_antisymmetric_and_complete() -> None:
    duels = head_to_head(league([0, 0.5, 1, 1.5, 2, 2, 2, 2], orbits=14, seed=2))
    assert len(duels) == 8 * 7
    for (a, b), duel in duels.items():
        assert duels[b, a] == duel.reversed()
        assert duel.matches == 24  # twice in each of 12 meetings of a repetition


def test_a_clear_difference_is_found() -> None:
    duel = head_to_head(league([0, 3, 3, 6], orbits=12, seed=2))["a", "d"]
    assert duel.difference.value > 0.5
    assert duel.difference.interval is not None
    assert duel.difference.interval.low > 0
    assert duel.p < 0.001


def test_a_difference_is_a_mean_over_streams_not_over_tables() -> None:
    rows = [
        match(0, [1, 2], bots="ab", stream="one"),
        match(1, [1, 2], bots="ab", stream="one"),
        match(2, [1, 2], bots="ab", stream="one"),
        match(3, [2, 1], bots="ab", stream="two"),
    ]
    duel = head_to_head(rows)["a", "b"]
    assert (duel.matches, duel.streams, duel.difference.value) == (4, 2, 0.0)


def test_p_values_are_adjusted_over_all_pairs() -> None:
    wins = {("a", "b"): 9, ("a", "c"): 5, ("b", "c"): 7}
    rows: list[MatchRow] = []
    for bots, won in wins.items():
        rows += [match(len(rows) + n, [1, 2] if n < won else [2, 1], bots=bots) for n in range(10)]
    raw = [paired_test([1.0] * won + [-1.0] * (10 - won)) for won in wins.values()]
    duels = head_to_head(rows)
    assert [duels[pair].p for pair in wins] == pytest.approx(holm(raw))


def test_pairs_that_never_met_are_absent_and_house_bots_too() -> None:
    rows = [match(0, [1, 2], bots="ab"), match(1, [1, 2, 3], bots="cdz", house=2)]
    assert set(head_to_head(rows)) == {("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")}


def test_one_meeting_has_a_difference_but_no_interval() -> None:
    duel = head_to_head([match(0, [1, 1, 5], bots="abc")])["a", "c"]
    assert duel.difference.value == float(Fraction(3, 4))
    assert duel.difference.interval is None
    assert duel.p == 1
