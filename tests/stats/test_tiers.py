import random
from fractions import Fraction
from itertools import pairwise
from statistics import fmean

import pytest
import scipy.stats

from arena.stats.holm import holm
from arena.stats.tiers import STREAMS_MIN, neighbours, tiers


def made(levels: list[float], streams: int, noise: float, seed: int = 1) -> list[dict[str, Fraction]]:
    """Scores by stream of bots whose means are exactly these levels."""
    draw = random.Random(seed)
    ranking: list[dict[str, Fraction]] = []
    for level in levels:
        scores = [Fraction(draw.gauss(0, noise)) for _ in range(streams)]
        shift = Fraction(level) - sum(scores, Fraction(0)) / streams
        ranking.append({f"s{n}": score + shift for n, score in enumerate(scores)})
    return ranking


def test_a_clear_gap_starts_a_tier_and_noise_does_not() -> None:
    ranking = made([0.7, 0.69, 0.68, 0.3, 0.29], 60, 0.1)
    assert tiers(ranking, 60) == (1, 1, 1, 2, 2)
    first, second, gap, last = neighbours(ranking)
    assert gap is not None
    assert gap < 0.001
    assert all(p is not None and p > 0.05 for p in (first, second, last))


def test_a_tier_ends_where_its_leader_is_left_not_where_a_neighbour_is() -> None:
    # Each differs little from the next one, but the last differs from the first.
    ranking = made([0.60, 0.57, 0.54, 0.51, 0.48], 100, 0.2, seed=3)
    found = tiers(ranking, 100)
    assert all(p is not None and p > 0.05 for p in neighbours(ranking))
    assert found[0] == 1
    assert found[-1] == 2
    assert list(found) == sorted(found, key=lambda tier: tier or 0)


def test_nothing_is_marked_below_twenty_streams() -> None:
    clear = made([1.0, 0.0], STREAMS_MIN - 1, 0.01)
    assert tiers(clear, STREAMS_MIN - 1) == (None, None)
    assert neighbours(clear) == (None,)
    enough = made([1.0, 0.0], STREAMS_MIN, 0.01)
    assert tiers(enough, STREAMS_MIN) == (1, 2)


def test_two_that_never_played_the_same_streams_are_not_told_apart() -> None:
    better, worse = made([1.0, 0.0], 60, 0.01)
    apart = [better, {f"other {stream}": score for stream, score in worse.items()}]
    assert tiers(apart, 120) == (1, 1)
    assert neighbours(apart) == (None,)


def test_equal_bots_are_seldom_split() -> None:
    split = 0
    for seed in range(150):
        draw = random.Random(seed)
        bots = [{f"s{n}": Fraction(draw.randrange(4), 3) for n in range(30)} for _ in range(6)]
        ranking = sorted(bots, key=lambda scores: -sum(scores.values()))
        split += tiers(ranking, 30)[-1] != 1
    # Twice the 5 % of one fixed leader: the best of six equal bots has been chosen by the same results.
    assert split <= 0.15 * 150


def behind(ahead: dict[str, Fraction], bot: dict[str, Fraction]) -> float | None:
    """What scipy's paired test says of two bots, where the one behind is the worse one."""
    shared = sorted(ahead.keys() & bot.keys())
    if len(shared) < 20:
        return None
    a, b = ([float(one[stream]) for stream in shared] for one in (ahead, bot))
    return float(scipy.stats.ttest_rel(a, b).pvalue) if fmean(a) > fmean(b) else 1.0


@pytest.mark.parametrize("seed", range(30))
def test_marks_are_those_of_paired_tests_on_shared_streams(seed: int) -> None:
    draw = random.Random(seed)
    levels = sorted((draw.gauss(0, 0.06) for _ in range(7)), reverse=True)
    ranking = [
        {stream: score for stream, score in bot.items() if draw.random() < draw.choice([0.6, 0.95])}
        for bot in made(levels, 34, 0.1, seed)
    ]
    pairs = [behind(a, b) for a, b in pairwise(ranking)]
    adjusted = holm([1.0 if p is None else p for p in pairs])
    for found, raw, expected in zip(neighbours(ranking), pairs, adjusted, strict=True):
        assert found == (None if raw is None else pytest.approx(expected, rel=1e-6))
    # Each bot against the leader of the tier it would join, those further down against the leader at the time.
    settled: list[float | None] = []
    marks, leader = [1], 0
    for bot in range(1, len(ranking)):
        tests = settled + [behind(ranking[leader], other) for other in ranking[bot:]]
        settled.append(tests[bot - 1])
        new = holm([1.0 if p is None else p for p in tests])[bot - 1] <= 0.05
        marks.append(marks[-1] + new)
        leader = bot if new else leader
    assert tiers(ranking, 34) == tuple(marks)


def test_a_table_of_one_or_none_has_no_neighbours() -> None:
    one = made([0.5], 30, 0.1)
    assert (neighbours(one), tiers(one, 30)) == ((), (1,))
    assert (neighbours([]), tiers([], 30)) == ((), ())


def test_a_bot_that_is_ahead_but_worse_where_both_played_is_not_told_to_be_better() -> None:
    ahead, behind = made([0.4, 0.6], 40, 0.05)
    ahead |= {f"alone {stream}": score + 2 for stream, score in ahead.items()}
    assert sum(ahead.values()) / len(ahead) > sum(behind.values()) / len(behind)
    assert neighbours([ahead, behind]) == (1.0,)
    assert tiers([ahead, behind], 80) == (1, 1)
    told = neighbours([behind, made([0.4], 40, 0.05, seed=2)[0]])[0]
    assert told is not None
    assert told < 0.001
