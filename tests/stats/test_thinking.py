from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.thinking import Stopwatch, Thinking, merged
from tests.strategies import PROFILE

times = st.lists(st.floats(1e-9, 1e5), min_size=1, max_size=60)


def measured(seconds: list[float]) -> Thinking:
    watch = Stopwatch()
    for time in seconds:
        watch.add(time)
    return watch.thinking()


@PROFILE
@given(seconds=times, share=st.floats(0.01, 1))
def test_a_quantile_is_as_exact_as_it_says(seconds: list[float], share: float) -> None:
    ordered = sorted(seconds)
    exact = next(time for n, time in enumerate(ordered, start=1) if n >= share * len(ordered))
    found = measured(seconds).quantile(share)
    # Times are kept in whole nanoseconds, which is all the error that short ones have.
    assert found == pytest.approx(exact, rel=0.023, abs=2e-9)


@PROFILE
@given(seconds=times)
def test_count_sum_and_maximum_are_exact(seconds: list[float]) -> None:
    thinking = measured(seconds)
    assert thinking.count == len(seconds)
    assert thinking.total_ns == sum(round(time * 1e9) for time in seconds)
    assert thinking.total_s == thinking.total_ns / 1e9
    assert thinking.mean_s == pytest.approx(fmean(round(time * 1e9) for time in seconds) / 1e9)
    assert thinking.max_s == round(max(seconds) * 1e9) / 1e9
    assert thinking.quantile(1) == thinking.max_s


@PROFILE
@given(parts=st.lists(times, max_size=6), data=st.data())
def test_merging_in_any_order_is_measuring_everything(parts: list[list[float]], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(parts))
    together = measured([time for part in parts for time in part])
    assert merged(measured(part) for part in shuffled) == together


@PROFILE
@given(seconds=times)
def test_text_gives_the_histogram_back(seconds: list[float]) -> None:
    thinking = measured(seconds)
    assert Thinking.from_text(thinking.to_text()) == thinking


def test_text_is_small() -> None:
    watch = Stopwatch()
    for n in range(100_000):
        watch.add(0.001 + n * 1e-7)
    assert len(watch.thinking().to_text()) < 700


def test_no_answers_have_no_times() -> None:
    nothing = merged([])
    assert (nothing.mean_s, nothing.quantile(0.5), nothing.quantile(1), nothing.max_s) == (None, None, None, 0)
    assert Thinking.from_text(nothing.to_text()) == nothing


def test_an_instant_answer_counts() -> None:
    assert measured([0.0, 0.0]) == Thinking(2, 0, 0, ((0, 2),))
    assert measured([0.0]).quantile(0.5) == 0


@pytest.mark.parametrize("text", ["", "{}", "[1,2]", "[1,2,[[0.5,1]]]", "[1,2,[[3,-1]]]", "[true,2,[]]", "[1,2,3]"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a histogram"):
        Thinking.from_text(text)


def test_impossible_times_and_shares_are_refused() -> None:
    with pytest.raises(ValueError, match=r"-0\.5"):
        measured([-0.5])
    with pytest.raises(ValueError, match=r"1\.5"):
        measured([1.0]).quantile(1.5)
