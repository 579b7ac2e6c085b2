"""The arithmetic of one seat's time, without anybody who plays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.clock import LEAST_S, Clock, TimeControl
from tests.strategies import PROFILE

CONTROL = TimeControl(move_s=4.0, bank_s=16.0, increment_s=1.0, grace_s=8.0, credit_s=0.5)
SECONDS = st.integers(0, 160).map(lambda number: number / 8)  # exact, as all that is made of them


def clock(bank_s: float = CONTROL.bank_s) -> Clock:
    full = Clock.full(CONTROL)
    full.bank_s = bank_s
    return full


def test_a_match_begins_with_the_whole_bank_and_the_whole_grace() -> None:
    assert Clock.full(CONTROL) == Clock(CONTROL, bank_s=16.0, grace_s=8.0, last_charged_s=0.0, last_credit_s=0.0)


@PROFILE
@given(SECONDS)
def test_an_answer_may_take_the_limit_or_what_is_left_in_the_bank(bank_s: float) -> None:
    assert clock(bank_s).left_s() == min(CONTROL.move_s, bank_s)


@PROFILE
@given(SECONDS, SECONDS, SECONDS)
def test_an_answer_is_charged_its_time_less_the_credit_and_never_more_than_there_is(
    bank_s: float, elapsed_s: float, credit_s: float
) -> None:
    one = clock(bank_s)
    charged = one.charge(elapsed_s, credit_s)
    credit = min(credit_s, CONTROL.credit_s, elapsed_s)
    assert charged == min(elapsed_s - credit, bank_s)
    assert one.bank_s == bank_s - charged
    assert (one.last_charged_s, one.last_credit_s) == (charged, credit)  # what the bot is told
    assert one.grace_s == CONTROL.grace_s


@PROFILE
@given(SECONDS)
def test_the_increment_fills_the_bank_and_never_more_than_that(bank_s: float) -> None:
    one = clock(min(bank_s, CONTROL.bank_s))
    one.reward()
    assert one.bank_s == min(bank_s + CONTROL.increment_s, CONTROL.bank_s)


@pytest.mark.parametrize(
    ("bank_s", "empty"), [(0.0, True), (LEAST_S / 2, True), (LEAST_S, False), (2 * LEAST_S, False), (16.0, False)]
)
def test_a_bank_is_empty_when_it_has_less_than_a_bot_can_be_told(bank_s: float, empty: bool) -> None:
    assert clock(bank_s).empty() is empty


def test_what_a_bot_can_be_told_is_a_microsecond() -> None:
    assert round(LEAST_S * 1e6, 12) == 1
