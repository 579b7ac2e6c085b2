import random
from fractions import Fraction
from statistics import fmean, stdev

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.holm import holm
from arena.stats.intervals import (
    Interval,
    clustered,
    clustered_share,
    paired_test,
    ratio,
    wilson,
    win_share,
)
from arena.stats.student import incomplete_beta, quantile, two_sided
from tests.strategies import PROFILE


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 10, 29, 100, 999, 20_000])
@pytest.mark.parametrize("level", [0.5, 0.6, 0.9, 0.975, 0.995, 0.9999])
def test_t_quantiles_agree_with_scipy(degrees: int, level: float) -> None:
    assert quantile(level, degrees) == pytest.approx(float(scipy.stats.t.ppf(level, degrees)), rel=1e-9, abs=1e-9)


@PROFILE
@given(t=st.floats(-50, 50), degrees=st.integers(1, 500))
def test_t_tails_agree_with_scipy(t: float, degrees: int) -> None:
    assert two_sided(t, degrees) == pytest.approx(float(2 * scipy.stats.t.sf(abs(t), degrees)), rel=1e-8, abs=1e-300)


@PROFILE
@given(a=st.floats(0.1, 200), b=st.floats(0.1, 200), x=st.floats(0, 1))
def test_the_incomplete_beta_function_agrees_with_scipy(a: float, b: float, x: float) -> None:
    assert incomplete_beta(a, b, x) == pytest.approx(float(scipy.special.betainc(a, b, x)), rel=1e-8, abs=1e-12)


@PROFILE
@given(won=st.integers(0, 60), lost=st.integers(0, 60))
def test_wilson_agrees_with_scipy(won: int, lost: int) -> None:
    n = won + lost
    if n == 0:
        with pytest.raises(ValueError, match="0 trials"):
            wilson(0.5, 0)
        return
    theirs = scipy.stats.binomtest(won, n).proportion_ci(0.95, "wilson")
    ours = wilson(won / n, n)
    assert (ours.low, ours.high) == pytest.approx((float(theirs.low), float(theirs.high)), abs=1e-9)
    assert 0 <= ours.low <= won / n <= ours.high <= 1
    assert (ours.low == 0, ours.high == 1) == (won == 0, lost == 0)


@PROFILE
@given(values=st.lists(st.floats(-100, 100), min_size=2, max_size=40))
def test_paired_tests_agree_with_scipy(values: list[float]) -> None:
    if max(values) - min(values) < 1e-6:
        return
    theirs = float(scipy.stats.ttest_1samp(values, 0).pvalue)
    assert paired_test(values) == pytest.approx(theirs, rel=1e-6, abs=1e-12)


def test_holm_by_hand() -> None:
    # 4 · 0.005, 3 · 0.01, then 2 · 0.03, and 0.04 no lower than that.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([]) == ()
    assert holm([0.9, 0.8]) == (1.0, 1.0)


@PROFILE
@given(ps=st.lists(st.floats(0, 1), max_size=20))
def test_holm_raises_every_p_and_keeps_their_order(ps: list[float]) -> None:
    adjusted = holm(ps)
    assert all(p <= a <= 1 for p, a in zip(ps, adjusted, strict=True))
    assert [a for _, a in sorted(zip(ps, adjusted, strict=True))] == sorted(adjusted)


def test_the_clustered_interval_is_the_textbook_one() -> None:
    values = [0.2, 0.5, 0.9, 0.4]
    half = 3.182446305284263 * stdev(values) / 2
    interval = clustered(values).interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((fmean(values) - half, fmean(values) + half))


def test_the_ratio_weighs_clusters_by_their_deals() -> None:
    # Two deals at 10 points and thirty at 2: the mean of the means would be 6.
    assert ratio([20, 60], [2, 30]).value == 2.5
    # With equal denominators it is the mean with its usual interval.
    numerators, plain = [3, 8, 5, 4], clustered([0.3, 0.8, 0.5, 0.4])
    assert plain.interval is not None
    interval = ratio(numerators, [10, 10, 10, 10]).interval
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((plain.interval.low, plain.interval.high))


def test_equal_ratios_have_no_spread_from_rounding() -> None:
    estimate = ratio([Fraction(7, 3) * n for n in range(1, 9)], list(range(1, 9)))
    assert estimate.value == pytest.approx(7 / 3)
    assert estimate.interval is None


def test_a_ratio_to_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="sum to 0"):
        ratio([1, 2], [0, 0])


def test_one_cluster_tells_no_interval() -> None:
    assert clustered([0.4]).interval is None
    assert clustered_share([1.0]).interval is None
    assert ratio([5], [2]).interval is None
    assert win_share([1], [2]).interval is None


def test_winning_everything_leaves_room_below() -> None:
    interval = clustered_share([1.0] * 20).interval
    assert interval is not None
    assert interval.high == 1
    assert interval.low == pytest.approx(0.025 ** (1 / 20))
    for clusters in (2, 3):
        bounded = clustered_share([1.0] * clusters).interval
        assert bounded is not None
        assert (bounded.low, bounded.high) == pytest.approx((0.025 ** (1 / clusters), 1.0))
    nothing = clustered_share([0.0] * 20).interval
    assert nothing == Interval(0.0, 1 - interval.low)
    assert win_share([1] * 20, [1] * 20).interval == wilson(1.0, 20)
    assert win_share([0] * 20, [1] * 20).interval == wilson(0.0, 20)


def test_the_share_of_wins_of_single_matches_is_wilsons() -> None:
    won = [1, 0, 0, 1, 0, 0, 0, 1, 0, 0]
    # The sample variance divides by n − 1, which is one trial less; and it is known from ten clusters only.
    known = (scipy.stats.norm.ppf(0.975) / scipy.stats.t.ppf(0.975, 9)) ** 2
    interval, expected = win_share(won, [1] * 10).interval, wilson(0.3, 9 * known)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_shared_luck_widens_the_interval_of_wins() -> None:
    apart = win_share([1, 0, 0, 1, 0, 0, 1, 0], [1] * 8).interval
    together = win_share([3, 0, 0, 0], [3, 1, 3, 1]).interval
    assert apart is not None
    assert together is not None
    assert together.high - together.low > apart.high - apart.low


def test_differences_that_are_all_alike_are_a_sign_test() -> None:
    assert paired_test([0.25] * 10) == 2 * 0.5**10
    assert paired_test([0.0] * 10) == 1
    assert paired_test([0.25]) == paired_test([]) == 1


@pytest.mark.parametrize("clusters", [5, 30])
def test_clustered_intervals_cover_95_per_cent(clusters: int) -> None:
    draw = random.Random(5)
    covered = 0
    for _ in range(3000):
        interval = clustered([draw.gauss(0.4, 1) for _ in range(clusters)]).interval
        assert interval is not None
        covered += interval.low <= 0.4 <= interval.high
    assert 0.94 <= covered / 3000 <= 0.96


@pytest.mark.parametrize("clusters", [2, 3, 5, 8, 20])
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_shares_of_wins_are_covered_from_few_and_unequal_clusters(clusters: int, share: float) -> None:
    draw = random.Random(clusters)
    covered = 0
    for _ in range(1000):
        # Matches of a cluster go together: each has a share of its own.
        lucky = [draw.betavariate(9 * share, 9 * (1 - share)) for _ in range(clusters)]
        matches = [draw.randrange(1, 8) for _ in lucky]
        won = [sum(draw.random() < own for _ in range(n)) for own, n in zip(lucky, matches, strict=True)]
        interval = win_share(won, matches).interval
        assert interval is not None
        covered += interval.low <= share <= interval.high
    assert covered >= 0.925 * 1000
