"""Drawings stay on their canvas and keep their order."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from reports import charts

VALUES = st.lists(st.floats(-1e4, 1e4, allow_nan=False), min_size=1, max_size=20)


@given(VALUES)
def test_a_scale_holds_all_values_between_round_marks(values: list[float]) -> None:
    scale = charts.axis(values)
    slack = 1e-8 * (scale.high - scale.low)  # nobody sees it
    assert scale.low <= min(values) + slack
    assert max(values) <= scale.high + slack
    assert 2 <= len(scale.ticks) <= 8
    assert list(scale.ticks) == sorted(set(scale.ticks))
    printed = [f"{tick:.{scale.digits}f}" for tick in scale.ticks]
    assert len(set(printed)) == len(printed)


@given(st.lists(st.lists(st.integers(-200, 200), min_size=4, max_size=4), min_size=1, max_size=40))
def test_lines_stay_on_the_canvas_and_names_apart(totals: list[list[int]]) -> None:
    chart = charts.race(totals, 100)
    for line in chart.lines:
        for place in line.path.split():
            x, y = map(float, place.split(","))
            assert chart.left <= x <= chart.right
            assert chart.top - 0.01 <= y <= chart.bottom + 0.01
        assert line.dots.count("M") == len(totals)
        assert line.total == totals[-1][line.seat]
    labels = sorted(line.label_y for line in chart.lines)
    assert all(below - above >= 24.9 for above, below in pairwise(labels))
    assert chart.top <= labels[0]
    assert labels[-1] <= chart.bottom


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=40))
def test_columns_are_as_high_as_their_counts(counts: list[int]) -> None:
    bars = charts.bars([(str(number), count) for number, count in enumerate(counts)])
    top = max(counts)
    for bar, count in zip(bars, counts, strict=True):
        assert bar.count == count
        assert abs(bar.height - (100 * count / top if top else 0)) < 0.01
        assert bar.x >= 0
        assert bar.x + bar.width <= 100.01


def test_an_interval_without_bounds_is_a_dot() -> None:
    place = charts.interval(charts.axis([0.0, 1.0]), None, 0.25, None)
    assert place == charts.Interval(25.0, 25.0, 25.0)
