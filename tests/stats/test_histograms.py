"""Many histograms added up as texts are the same as one by one, whatever is among them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.histograms import merged_texts
from arena.stats.thinking import Stopwatch, Thinking, merged
from tests.strategies import PROFILE

TIMES = st.lists(st.floats(0, 1e5), max_size=12)
HUGE = 2**70


@PROFILE
@given(leagues=st.lists(TIMES, max_size=6))
def test_many_are_added_up_as_each_is(leagues: list[list[float]]) -> None:
    written = []
    for times in leagues:
        watch = Stopwatch()
        for seconds in times:
            watch.add(seconds)
        written.append(watch.thinking())
    assert merged_texts([one.to_text() for one in written]) == merged(written)


def test_blanks_between_the_numbers_are_none_of_our_business() -> None:
    assert merged_texts(["[0,0,[]]", "[5, 4, [[1, 2], [3, 4]]]"]) == Thinking(6, 5, 4, ((1, 2), (3, 4)))


@pytest.mark.parametrize(
    "one",
    [
        Thinking(HUGE, 5, 4, ((1, HUGE),)),
        Thinking(2, HUGE, HUGE, ((1120, 2),)),
        Thinking(2, 5, 4, ((HUGE, 2),)),
        Thinking(2**52, 5, 4, ((3, 2**52),)),
    ],
)
def test_numbers_of_any_size_are_exact(one: Thinking) -> None:
    assert merged_texts([one.to_text()] * 3) == merged([one] * 3)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1,2]", "[1,2,[[0.5,1]]]", "[1,2,[[3,-1]]]", "[true,2,[]]", "[1,2,3]", "[1,2,[3,4]]", "[1,2,[[3]]]",
     "[1,2,[[3,4],[5]]]", "[1,2,[[3,4]]", "[1,2,[[3,4]]],[1,2,[]]", "[,1,2,[[3,4]]]", "[,2,[[3,4]]]", "[1,2,[[,4]]]",
     "[1,2,[[3,]]]", "[1,,[[3,4]]]", "[1,2,[[]]]"],
)  # fmt: skip
def test_other_texts_are_refused_among_good_ones(text: str) -> None:
    good = "[7,6,[[1,2],[3,4]]]"
    with pytest.raises(ValueError, match="not a histogram"):
        merged_texts([good, text, good])
