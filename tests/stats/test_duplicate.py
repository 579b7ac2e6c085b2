"""What is compared all at once is what is compared deal by deal."""

from statistics import fmean

from hypothesis import given
from hypothesis import strategies as st

from arena.stats.duplicate import Duplicate, Points
from tests.strategies import PROFILE

MOST = 3
POINTS = st.tuples(*[st.integers(-5, 26)] * 3)
LEAGUES = st.lists(st.tuples(st.integers(0, 2), st.lists(POINTS, max_size=6)), max_size=7)
"""By match: its stream, and the points of its deals by seat."""
League = list[tuple[int, list[Points]]]


def of(league: League) -> Duplicate:
    return Duplicate(
        {match: deals for match, (_, deals) in enumerate(league)},
        {match: stream for match, (stream, _) in enumerate(league)},
    )


@PROFILE
@given(league=LEAGUES)
def test_means_are_those_of_the_other_tables(league: League) -> None:
    duplicate = of(league)
    for match, (stream, deals) in enumerate(league):
        for number, found in zip(range(len(deals)), duplicate.means(match), strict=True):
            same = [
                played[number]
                for mate, (its, played) in enumerate(league)
                if mate != match and its == stream and number < len(played)
            ]
            assert found == (tuple(fmean(column) for column in zip(*same, strict=True)) if same else None)


@PROFILE
@given(league=LEAGUES, data=st.data())
def test_extremes_are_the_first_and_the_last_of_all_in_order(league: League, data: st.DataObject) -> None:
    duplicate = of(league)
    seats = {match: data.draw(st.integers(0, 2)) for match in range(len(league)) if data.draw(st.booleans())}
    gains = [
        (league[match][1][number][seat] - means[seat], (match, number))
        for match, seat in seats.items()
        for number, means in enumerate(duplicate.means(match))
        if means is not None
    ]
    gains.sort(key=lambda one: one[0])
    best = [deal for gain, deal in gains if gain < 0][:MOST]
    worst = [deal for gain, deal in reversed(gains) if gain > 0][:MOST]
    assert duplicate.extremes(seats, MOST) == (best, worst)
