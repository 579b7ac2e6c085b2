import random
from fractions import Fraction
from itertools import permutations
from statistics import fmean

import pytest
import scipy.stats

from arena.stats.head_to_head import head_to_head
from arena.stats.holm import holm
from arena.stats.intervals import paired_test
from arena.stats.rows import MatchRow, placements
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


@pytest.mark.parametrize("seed", range(5))
def test_differences_are_those_of_the_placements_at_tables_of_any_size(seed: int) -> None:
    draw = random.Random(seed)
    rows = []
    for fixture in range(40):
        bots = draw.sample("abcdefghij", draw.randrange(2, 11))
        stream = f"s{draw.randrange(12)}"
        rows.append(match(fixture, [draw.randrange(5) for _ in bots], bots=bots, stream=stream, house=9))
    expected: dict[tuple[str, str], dict[str, list[Fraction]]] = {}
    for row in rows:
        shares = placements([seat.place for seat in row.seats])
        for (a, x), (b, y) in permutations(zip(row.seats, shares, strict=True), 2):
            if a.ranked and b.ranked:
                expected.setdefault((a.bot, b.bot), {}).setdefault(row.stream, []).append(x - y)
    found = head_to_head(rows)
    assert list(found) == sorted(expected)
    for pair, by_stream in expected.items():
        means = [float(sum(differences) / len(differences)) for differences in by_stream.values()]
        assert found[pair].matches == sum(map(len, by_stream.values()))
        assert found[pair].streams == len(by_stream)
        assert found[pair].difference.value == pytest.approx(fmean(means), abs=1e-15)
        if len(means) > 2 and max(means) > min(means):
            theirs = scipy.stats.ttest_1samp(means, 0).confidence_interval(0.95)
            interval = found[pair].difference.interval
            assert interval is not None
            bounds = (max(-1, float(theirs.low)), min(1, float(theirs.high)))
            assert (interval.low, interval.high) == pytest.approx(bounds, abs=1e-9)


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
