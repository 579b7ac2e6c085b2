import math
import random
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean, stdev

import numpy as np
import pytest
from scipy.integrate import quad

from arena.stats.gauntlet import WATCHED_MIN, Plan, Verdict, group_gains, progress
from tests.stats.synthetic_league import match

# The spread of a group of four rotations that makes the expected number of groups about 300.
SPREAD = 1.75


def gains(gain: float, groups: int, seed: int, spread: float = SPREAD) -> list[float]:
    draw = random.Random(seed)
    return [draw.gauss(gain, spread) for _ in range(groups)]


def verdicts(gain: float, runs: int) -> list[Verdict]:
    return [progress(gains(gain, 4000, seed)).verdict for seed in range(runs)]


def test_a_version_that_is_no_better_passes_rarely() -> None:
    assert verdicts(0.0, 150).count(Verdict.BETTER) <= 0.08 * 150


def test_a_version_that_is_better_passes_mostly() -> None:
    assert verdicts(0.25, 150).count(Verdict.BETTER) >= 0.9 * 150


def test_the_verdict_stands_whatever_is_played_after_it() -> None:
    series = gains(0.25, 1500, 4)
    decided = progress(series)
    assert decided.verdict is Verdict.BETTER
    assert decided.groups < 1500
    assert progress(series[: decided.groups]) == decided
    assert progress(series[: decided.groups - 1]).verdict is Verdict.OPEN
    assert progress(series[: decided.groups] + [-50.0] * 500) == decided


def test_no_verdict_falls_before_the_least_number_of_groups() -> None:
    overwhelming = gains(5.0, 100, 1)
    assert progress(overwhelming[:99]).verdict is Verdict.OPEN
    assert progress(overwhelming).verdict is Verdict.BETTER


def test_the_most_groups_end_an_open_gauntlet() -> None:
    halfway = Plan(groups_min=10, groups_max=50)
    series = [0.125 + (3 if n % 2 else -3) for n in range(60)]
    assert progress(series[:49], halfway).verdict is Verdict.OPEN
    assert progress(series, halfway).verdict is Verdict.UNDECIDED
    assert progress(series, halfway).groups == 50


def test_the_ratio_is_the_formula() -> None:
    series = [0.4, -0.1, 0.9, 0.2]
    mean, variance = 0.35, sum((x - 0.35) ** 2 for x in series) / 3
    found = progress(series)
    assert found.likelihood_ratio == pytest.approx(4 * 0.25 * (2 * mean - 0.25) / (2 * variance))
    assert found.bound == pytest.approx(2.944, abs=1e-3)
    assert found.gain == pytest.approx(mean)


def test_the_watched_interval_covers_at_all_times_at_once() -> None:
    missed = 0
    for seed in range(120):
        series = gains(0.125, 800, seed)
        for groups in range(100, 801, 100):
            interval = progress(series[:groups], Plan(groups_min=800)).interval
            assert interval is not None
            if not interval.low <= 0.125 <= interval.high:
                missed += 1
                break
    assert missed <= 0.05 * 120


def test_the_watched_interval_covers_also_from_the_first_group_on() -> None:
    missed = 0
    for seed in range(300):
        series = gains(0.125, 200, seed)
        for groups in range(201):
            interval = progress(series[:groups], Plan(groups_min=800)).interval
            assert (interval is None) == (groups < WATCHED_MIN)
            if interval and not interval.low <= 0.125 <= interval.high:
                missed += 1
                break
    assert missed <= 0.05 * 300


def watched(groups: int, plan: Plan) -> tuple[float, float]:
    """Half of the watched interval of so many groups, and the standard deviation that it was made of."""
    series = gains(0.1, groups, groups)
    found = progress(series, replace(plan, groups_min=groups + 1, groups_max=groups + 1))
    assert found.interval is not None
    assert (found.interval.low + found.interval.high) / 2 == pytest.approx(fmean(series))
    return (found.interval.high - found.interval.low) / 2, stdev(series)


@pytest.mark.parametrize("groups", [WATCHED_MIN, 300, 2000])
@pytest.mark.parametrize("plan", [Plan(), Plan(error=0.01), Plan(groups_expected=1000)])
def test_at_its_ends_the_watched_interval_has_reached_the_bound_of_the_mixture(groups: int, plan: Plan) -> None:
    # The martingale of which it is made: likelihood ratios against the gain at its end, mixed by a normal distribution
    # of the drifts. By Ville's inequality it ever reaches 1/error with the probability of the error.
    half, spread = watched(groups, plan)
    two_ln = -2 * math.log(plan.error)
    drifts = (two_ln + math.log(two_ln) + 1) / plan.groups_expected
    away = half * groups / spread

    def mixed(drift: float) -> float:
        return math.exp(drift * away - drift**2 * groups / 2 - drift**2 / (2 * drifts)) / math.sqrt(
            2 * math.pi * drifts
        )

    peak = away / (groups + 1 / drifts)
    wide = 12 / math.sqrt(groups + 1 / drifts)
    assert quad(mixed, peak - wide, peak + wide)[0] == pytest.approx(1 / plan.error, rel=1e-6)


@pytest.mark.parametrize("groups", [100, 300, 1000])
def test_the_watched_interval_is_tightest_where_it_is_expected_to_end(groups: int) -> None:
    planned, _ = watched(groups, Plan(groups_expected=groups))
    others = [
        watched(groups, Plan(groups_expected=round(groups * by)))[0] for by in (0.1, 0.3, 0.5, 0.8, 1.25, 2, 4, 10)
    ]
    assert planned < 1.001 * min(others)
    assert planned < 0.99 * min(others[0], others[-1])


@pytest.mark.parametrize("same", [0.0, 0.1])
@pytest.mark.parametrize("error", [0.05, 0.01])
def test_the_verdict_falls_at_the_first_group_at_which_the_ratio_reaches_the_bound(same: float, error: float) -> None:
    plan = Plan(same=same, better=same + 0.3, error=error, groups_min=30, groups_max=900)
    found = set()
    for seed in range(9):
        series = gains(same + (seed % 3) * 0.15, 900, seed)
        n = np.arange(30, 901)
        sums, squares = np.cumsum(series)[29:], np.cumsum(np.square(series))[29:]
        ratio = 0.3 * (2 * sums - n * (2 * same + 0.3)) / (2 * (squares - sums**2 / n) / (n - 1))
        (over,) = np.nonzero(np.abs(ratio) >= math.log((1 - error) / error))
        fallen = Verdict.UNDECIDED, 900
        if len(over):
            fallen = Verdict.BETTER if ratio[over[0]] > 0 else Verdict.NOT_BETTER, int(n[over[0]])
        state = progress(series, plan)
        assert (state.verdict, state.groups) == fallen
        found.add(state.verdict)
    assert found >= {Verdict.BETTER, Verdict.NOT_BETTER}


@pytest.mark.parametrize("series", [[], [0.3], [0.0] * 150, [1.0] * 150, [-1.0] * 150])
def test_groups_without_spread_have_finite_figures(series: Sequence[float]) -> None:
    found = progress(series)
    assert found.gain == pytest.approx(fmean(series or [0]))
    assert all(math.isfinite(figure) for figure in (found.gain, found.likelihood_ratio, found.bound))
    assert found.interval is None or found.interval.low <= found.gain <= found.interval.high
    if len(series) > 100:
        assert found.verdict is (Verdict.BETTER if found.gain > 0 else Verdict.NOT_BETTER)


def test_groups_all_alike_halfway_between_the_two_decide_nothing() -> None:
    found = progress([0.125] * 150)
    assert (found.verdict, found.groups, found.likelihood_ratio) == (Verdict.OPEN, 150, 0.0)


def test_a_gain_is_points_a_deal_saved_over_the_rotations() -> None:
    seats = ["new", "old", "old", "old"]
    rotated = [seats[-turn:] + seats[:-turn] for turn in range(4)]
    points = [[20, 40, 50, 60], [60, 10, 50, 40], [0, 0, 0, 0], [10, 10, 10, 40]]
    rows = [match(n, points[n], bots=rotated[n], stream="group0", deals=10) for n in range(4)]
    # 50 − 20, 50 − 10, 0, 10 − 40, a deal, on average.
    assert group_gains(rows, "new") == pytest.approx((1.0,))
    assert group_gains(reversed(rows), "new") == group_gains(rows, "new")


def test_incomplete_groups_do_not_count() -> None:
    rows = [
        match(n, [3, 9] if n % 2 else [9, 3], bots=["old", "new"] if n % 2 else ["new", "old"], stream=f"group{n // 2}")
        for n in range(5)
    ]
    assert len(group_gains(rows, "new")) == 2
    assert group_gains([], "new") == ()


def test_a_match_without_the_new_version_is_refused() -> None:
    with pytest.raises(ValueError, match="fixture 7 seats 'new' 0 times"):
        group_gains([match(7, [1, 2], bots=["old", "older"])], "new")


def test_a_match_of_the_new_version_against_itself_or_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="fixture 7 seats 'new' 2 times among 3"):
        group_gains([match(7, [1, 2, 3], bots=["new", "old", "new"])], "new")
    with pytest.raises(ValueError, match="fixture 7 seats 'new' 1 times among 1"):
        group_gains([replace(one := match(7, [1, 2], bots=["new", "old"]), seats=one.seats[:1])], "new")


def test_a_group_of_the_same_rotation_twice_does_not_count_and_one_of_too_many_is_refused() -> None:
    rows = [match(n, [3, 9], bots=["new", "old"], stream="group0") for n in range(3)]
    assert group_gains(rows[:2], "new") == ()
    with pytest.raises(ValueError, match="group 'group0' has more than 2 matches"):
        group_gains(rows, "new")


def test_a_match_that_ended_before_its_first_deal_gains_nothing() -> None:
    rows = [
        match(n, [0, 0] if n else [3, 9], bots=["old", "new"] if n else ["new", "old"], stream="g", deals=0 if n else 2)
        for n in range(2)
    ]
    assert group_gains(rows, "new") == (1.5,)
