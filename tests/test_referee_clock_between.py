"""What was before a question, or before its answer could come, is not that question's time."""

from dataclasses import replace

import pytest
import trio
import trio.testing

from arena.clock import TimeControl
from arena.fault import Consequence, Kind
from arena.referee import Policy
from arena.seat import Rejection, Request
from arena.table import PlayedDeal
from tests.conftest import MakeTable
from tests.fakes import FakeSeat, Says, illegal, lowest

CONTROL = TimeControl(move_s=2.0, bank_s=60.0, increment_s=0.0, grace_s=5.0, credit_s=0.05)


@pytest.mark.parametrize("again_s", [0.0, 0.5])
async def test_an_outage_counts_for_the_question_in_which_it_was_only(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, again_s: float
) -> None:
    """Who has been away, and is silent later, has lost that much of its grace and no more."""
    began = trio.current_time()

    def script(request: Request, _attempt: int) -> Says:
        number = len(seat.requests)
        return Says(None if number == 2 else lowest(request), 3.5 if number == 1 else 0.0)

    seat = FakeSeat(script, outages=[(began + 1.0, began + 3.0), (began + 4.0, began + 4.0 + again_s)])
    await make_table([FakeSeat(), FakeSeat(), seat, FakeSeat()], control=CONTROL, max_deals=1).play()
    (fault,) = kept[0].faults
    assert fault.kind is (Kind.UNREACHABLE if again_s else Kind.TIMEOUT)
    assert fault.measured_s == pytest.approx(2.0 + again_s)
    assert kept[0].thinking_s[2][:2] == pytest.approx([1.5, 2.0])
    assert kept[0].standings[2].grace_s == pytest.approx(5.0 - 2.0 - again_s)
    assert ("the connection was lost for 0.500 s of 2.500 s" in fault.reason) is bool(again_s)


@pytest.mark.parametrize("early_s", [0.0, 0.25, 10.0])
async def test_a_bot_is_told_of_no_credit_and_no_charge_below_nothing(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, early_s: float
) -> None:
    """Also where its answer was found before the question was put."""
    told: list[tuple[float, float]] = []

    class Early(FakeSeat):
        def read_at(self) -> float:
            return super().read_at() - early_s

        def close(self, decision: int, rejection: Rejection | None) -> None:
            super().close(decision, rejection)
            clock = self.requests[-1].clock
            told.append((clock.last_charged_s, clock.last_credit_s))

    seats = [FakeSeat(), FakeSeat(), Early(latency=0.05), FakeSeat()]
    await make_table(seats, control=CONTROL, max_deals=1).play()
    assert told == [(0.0, 0.0)] * 14
    assert kept[0].standings[2].bank_s == CONTROL.bank_s


async def test_what_the_arena_had_lost_before_a_question_is_neither_time_to_answer_it_nor_taken_from_its_charge(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    """Seven seconds before the first question, and half a second in the second, in which nothing comes."""
    began = trio.current_time()

    def script(request: Request, _attempt: int) -> Says:
        return Says(None if len(seat.requests) == 2 else lowest(request), 1.5 if len(seat.requests) == 1 else 0.0)

    seat = FakeSeat(script)
    seats = [FakeSeat(), FakeSeat(), seat, FakeSeat()]
    table = make_table(seats, control=CONTROL, max_deals=1, lag_s=lambda now: 7.5 if now > began + 1.75 else 7.0)
    await table.play()
    (fault,) = kept[0].faults
    assert (fault.kind, fault.lag_s) == (Kind.TIMEOUT, 0.5)
    assert fault.measured_s == pytest.approx(2.5)
    assert kept[0].thinking_s[2][:3] == pytest.approx([1.5, 2.0, 0.0])


async def test_the_increment_is_for_an_accepted_answer_only(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    """Fourteen questions, one of which is not answered at all, and one wrongly at first."""

    def script(request: Request, attempt: int) -> Says:
        number = len(seat.requests)
        if number == 3 and not attempt:
            return Says([], 0.5, "no cards")
        return Says(None if number == 2 else lowest(request), 0.5 if attempt else 1.0)

    seat = FakeSeat(script)
    control = replace(CONTROL, increment_s=0.25)
    await make_table([FakeSeat(), FakeSeat(), seat, FakeSeat()], control=control, max_deals=1).play()
    assert [fault.kind for fault in kept[0].faults] == [Kind.TIMEOUT, Kind.MALFORMED]
    assert kept[0].thinking_s[2] == pytest.approx([1.0, 2.0, *[1.0] * 12])
    assert kept[0].standings[2].bank_s == pytest.approx(60.0 - 15.0 + 13 * 0.25)


@pytest.mark.parametrize(
    ("policy", "consequence"), [(Policy.REVOKE, Consequence.STOPPED), (Policy.SUBSTITUTE, Consequence.FALLBACK)]
)
async def test_silence_after_a_refused_answer_is_a_fault_of_time_with_the_consequence_of_a_revoke(
    make_table: MakeTable,
    kept: list[PlayedDeal],
    autojump_clock: trio.testing.MockClock,
    policy: Policy,
    consequence: Consequence,
) -> None:
    def script(request: Request, attempt: int) -> Says:
        if len(seat.requests) > 1:
            return Says(lowest(request))
        return Says(None) if attempt else illegal(request, attempt)

    seat = FakeSeat(script)
    await make_table([FakeSeat(), FakeSeat(), seat, FakeSeat()], control=CONTROL, max_deals=1, policy=policy).play()
    assert [(one.kind, one.consequence) for one in kept[0].faults] == [
        (Kind.ILLEGAL, Consequence.RETRY),
        (Kind.TIMEOUT, consequence),
    ]
    assert kept[0].standings[2].stops == (policy is Policy.REVOKE)


@pytest.mark.parametrize("grace_s", [0.0, 0.25, 0.75])
async def test_grace_is_spent_by_an_outage_of_any_length_and_by_none_where_there_was_no_outage(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, grace_s: float
) -> None:
    """Half a second in the first of two questions that are not answered; also where there was no grace to spend."""
    began = trio.current_time()

    def script(request: Request, _attempt: int) -> Says:
        return Says(None if len(seat.requests) <= 2 else lowest(request))

    seat = FakeSeat(script, outages=[(began + 1.0, began + 1.5)])
    other = FakeSeat(lambda request, _: Says(lowest(request) if len(other.requests) > 1 else None))
    control = replace(CONTROL, grace_s=grace_s)
    await make_table([other, FakeSeat(), seat, FakeSeat()], control=control, max_deals=1).play()
    first, *others = [one for one in kept[0].faults if one.seat == 2]
    assert first.kind is Kind.UNREACHABLE
    assert ("is spent" in first.reason) is (grace_s < 0.5)
    assert len(others) == (grace_s > 0.5)
    assert kept[0].standings[2].forfeited is (grace_s < 0.5)
    assert not kept[0].standings[0].forfeited
