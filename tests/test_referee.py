"""The referee's ladder, with scripted seats on a clock that the test turns."""

from collections.abc import Sequence

import pytest
import trio
import trio.testing

from arena.clock import TimeControl
from arena.fault import Consequence, Fault, Kind
from arena.referee import STRIKES, Policy
from arena.rules.deal import Ask
from arena.seat import OpenRequest, Reason, Request
from arena.table import PlayedDeal
from tests.conftest import MakeTable
from tests.fakes import FakeSeat, Says, Script, illegal, legal, lowest, silent

CONTROL = TimeControl(move_s=2.0, bank_s=60.0, increment_s=0.0, grace_s=5.0, credit_s=0.05)


def others(script: Script, **fields: float | Sequence[tuple[float, float]]) -> list[FakeSeat]:
    """Three quiet players and, in seat 2, the one that the test is about."""
    odd = FakeSeat(script, name="odd", **fields)  # type: ignore[arg-type] # fields of different types
    return [FakeSeat(name="a"), FakeSeat(name="b"), odd, FakeSeat(name="d")]


def at_first_play(says: Says) -> Script:
    """That answer to the first card asked for, legal ones elsewhere."""
    used: list[int] = []

    def script(request: Request, attempt: int) -> Says:
        if request.question.ask is Ask.PLAY and not used:
            used.append(request.decision)
        return says if used == [request.decision] and attempt == 0 else legal(request, attempt)

    return script


def faults(kept: list[PlayedDeal]) -> list[Fault]:
    return [fault for deal in kept for fault in deal.faults]


@pytest.mark.parametrize("after_s", [0.0, 1.995])
async def test_an_answer_within_the_limit_is_no_fault(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, after_s: float
) -> None:
    def script(request: Request, _attempt: int) -> Says:
        return Says(lowest(request), after_s)

    await make_table(others(script), control=CONTROL, max_deals=1).play()
    assert faults(kept) == []
    assert kept[0].thinking_s[2] == pytest.approx([after_s] * 14)


@pytest.mark.parametrize("late", [Says(None), Says((0,), 2.005), Says((0,), 100.0)])
async def test_no_answer_in_time_is_a_timeout_and_never_illegal(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, late: Says
) -> None:
    seats = others(at_first_play(late))
    before = trio.current_time()
    await make_table(seats, control=CONTROL, max_deals=1).play()
    (fault,) = faults(kept)
    assert (fault.kind, fault.consequence, fault.limit_s) == (Kind.TIMEOUT, Consequence.FALLBACK, 2.0)
    assert fault.measured_s == pytest.approx(2.0)
    assert trio.current_time() - before == pytest.approx(2.0)
    assert seats[2].rejections[-1].reason is Reason.LATE
    assert kept[0].record["stopped"] is None
    assert kept[0].standings[2].bank_s == pytest.approx(58.0)


async def test_charges_add_up_to_what_the_bank_lost(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    def script(request: Request, _attempt: int) -> Says:
        return Says(lowest(request), 0.1 * (1 + request.decision % 7))

    await make_table(others(script, latency=0.03), control=CONTROL, max_deals=2).play()
    charged = sum(sum(deal.thinking_s[2]) for deal in kept)
    assert charged == pytest.approx(CONTROL.bank_s - kept[-1].standings[2].bank_s)
    assert charged > 1


async def test_latency_is_forgiven_up_to_the_cap(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    def script(request: Request, _attempt: int) -> Says:
        return Says(lowest(request), 0.2)

    await make_table(others(script, latency=10.0), control=CONTROL, max_deals=1).play()
    assert kept[0].thinking_s[2] == pytest.approx([0.15] * 14)


async def test_an_illegal_card_is_explained_and_may_be_corrected(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    def script(request: Request, attempt: int) -> Says:
        return illegal(request, attempt) if attempt == 0 else Says(lowest(request), 0.5)

    seats = others(script)
    await make_table(seats, control=CONTROL, max_deals=1).play()
    found = faults(kept)
    assert len(found) == 14
    assert {fault.consequence for fault in found} == {Consequence.RETRY}
    assert seats[2].rejections[0].tries == 1
    assert seats[2].rejections[0].legal == seats[2].requests[0].question.legal
    assert kept[0].record["stopped"] is None
    assert kept[0].standings[2].strikes == 0
    assert kept[0].thinking_s[2] == pytest.approx([0.5] * 14)


async def test_the_retry_runs_on_the_same_clock(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    def script(request: Request, attempt: int) -> Says:
        if request.question.ask is Ask.PASS:
            return legal(request, attempt)
        return Says((99,), 1.5) if attempt == 0 else Says(lowest(request), 1.0)

    await make_table(others(script), control=CONTROL, max_deals=1).play()
    assert [fault.kind for fault in faults(kept)] == [Kind.MALFORMED, Kind.TIMEOUT]
    assert faults(kept)[1].measured_s == pytest.approx(2.0)
    assert kept[0].record["stopped"] == {"seat": 2}


async def test_an_uncorrected_revoke_stops_the_deal_and_costs_every_point(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    await make_table(others(illegal), control=CONTROL, max_deals=1).play()
    assert kept[0].record["stopped"] == {"seat": 2}
    assert kept[0].points == (0, 0, 26, 0)
    assert [fault.consequence for fault in faults(kept)] == [Consequence.RETRY, Consequence.STOPPED]


async def test_a_second_stopped_deal_forfeits_the_match(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    seats = others(illegal)
    result = await make_table(seats, control=CONTROL).play()
    assert [deal.record["stopped"] for deal in kept[:3]] == [{"seat": 2}, {"seat": 2}, None]
    assert result.forfeited == (False, False, True, False)
    assert result.places[2] == 4
    assert seats[2].overs[0].forfeited
    assert max(result.places[:2] + result.places[3:]) <= 3


async def test_substitution_plays_the_fallback_instead_of_a_revoke(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    result = await make_table(others(illegal), control=CONTROL, policy=Policy.SUBSTITUTE, max_deals=2).play()
    assert all(deal.record["stopped"] is None for deal in kept)
    assert kept[0].standings[2].strikes == STRIKES
    assert result.forfeited[2]


async def test_the_third_strike_hands_the_seat_to_the_house(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    seats = others(silent)
    before = trio.current_time()
    result = await make_table(seats, control=CONTROL).play()
    assert len(seats[2].requests) == STRIKES
    assert trio.current_time() - before == pytest.approx(STRIKES * CONTROL.move_s)
    assert result.forfeited == (False, False, True, False)
    assert result.places[2] == 4
    assert [fault.consequence for fault in faults(kept)] == [Consequence.FALLBACK] * 2 + [Consequence.STAND_IN]


async def test_an_empty_bank_hands_the_seat_to_the_house(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    def slow(request: Request, _attempt: int) -> Says:
        return Says(lowest(request), 1.5)

    seats = others(slow)
    before = trio.current_time()
    result = await make_table(seats, control=TimeControl(move_s=2.0, bank_s=10.0, increment_s=0.0)).play()
    assert len(seats[2].requests) == 7  # six of 1.5 s, and one second for the seventh
    assert trio.current_time() - before == pytest.approx(10.0)
    assert result.forfeited[2]


async def test_four_passes_run_at_once(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    def slow_pass(request: Request, attempt: int) -> Says:
        return Says(lowest(request), 1.0 if request.question.ask is Ask.PASS else 0.0)

    before = trio.current_time()
    await make_table([FakeSeat(slow_pass) for _ in range(4)], control=CONTROL, max_deals=1).play()
    assert trio.current_time() - before == pytest.approx(1.0)


async def test_who_revokes_first_while_passing_does_not_matter(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    def after(delay_s: float) -> Script:
        return lambda request, _attempt: Says(illegal(request, 0).faces, delay_s)

    seats = [FakeSeat(), FakeSeat(after(0.5)), FakeSeat(after(0.1)), FakeSeat()]
    await make_table(seats, control=CONTROL, max_deals=1).play()
    assert kept[0].record["stopped"] == {"seat": 1}
    assert kept[0].standings[2].stops == 1


async def test_a_short_outage_within_the_grace_costs_no_card_and_no_time(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    start = trio.current_time()
    seats = others(at_first_play(Says(None)), outages=[(start, start + 3.0)])
    seats[2].script = lambda request, _attempt: Says(lowest(request), 3.5 if len(seats[2].requests) == 1 else 0.0)
    await make_table(seats, control=CONTROL, max_deals=1).play()
    assert faults(kept) == []
    assert kept[0].standings[2].grace_s == pytest.approx(2.0)
    assert sum(kept[0].thinking_s[2]) == pytest.approx(0.5)


async def test_spent_grace_hands_the_seat_to_the_house(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    start = trio.current_time()
    seats = others(silent, outages=[(start, start + 1e6)])
    result = await make_table(seats, control=CONTROL).play()
    assert trio.current_time() - start == pytest.approx(CONTROL.grace_s + CONTROL.move_s)
    assert [fault.kind for fault in faults(kept)] == [Kind.UNREACHABLE]
    assert result.forfeited[2]


async def test_time_that_the_arena_lost_is_nobodys(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    start = trio.current_time()

    def slow(request: Request, _attempt: int) -> Says:
        return Says(lowest(request), 3.0 if len(seats[2].requests) == 1 else 0.0)

    seats = others(slow)
    # Two seconds of the first second of play are the loop's own.
    table = make_table(seats, control=CONTROL, max_deals=1, lag_s=lambda now: 2.0 if now > start + 1 else 0.0)
    await table.play()
    assert faults(kept) == []
    assert sum(kept[0].thinking_s[2]) == pytest.approx(1.0)


async def test_a_fault_says_who_was_late(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    start = trio.current_time()

    class Behind(FakeSeat):
        """Its transport takes a question after a quarter of a second."""

        def ask(self, request: OpenRequest) -> None:
            super().ask(request)
            request.sent_at = request.started + 0.25

    def script(request: Request, attempt: int) -> Says:
        first = len(seat.requests) == 1
        if first and not attempt:
            return Says((99,), 0.5, thought_s=0.125)
        return Says(lowest(request), 9.0 if first else 0.0, thought_s=4.0)

    seat = Behind(script)
    seats = [FakeSeat(), FakeSeat(), seat, FakeSeat()]
    await make_table(
        seats, control=CONTROL, max_deals=1, lag_s=lambda now: 0.75 if now > start + 1 else 0.125 if now > start else 0
    ).play()
    refused, timeout = faults(kept)
    assert (refused.kind, timeout.kind) == (Kind.ILLEGAL, Kind.TIMEOUT)
    assert (refused.sent_s, refused.lag_s) == (0.25, 0.125)
    assert refused.came_s == pytest.approx(0.5)
    assert refused.thought_s == 0.125
    assert (timeout.sent_s, timeout.came_s, timeout.lag_s) == (0.25, None, 0.75)
    assert timeout.thought_s is None, "not that of the answer before, nor of the one that came when the deal was over"


@pytest.mark.parametrize("thought_s", [0.025, None])
async def test_a_fault_of_time_has_the_answer_that_came_before_its_deal_was_over(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, thought_s: float | None
) -> None:
    def late_at_first(request: Request, _attempt: int) -> Says:
        return Says(lowest(request), 3.0 if len(seat.requests) == 1 else 0.0, thought_s=thought_s)

    def slow(request: Request, _attempt: int) -> Says:
        return Says(lowest(request), 1.0)

    seat = FakeSeat(late_at_first)
    await make_table([FakeSeat(), FakeSeat(slow), seat, FakeSeat()], control=CONTROL, max_deals=1).play()
    (fault,) = faults(kept)
    assert (fault.seat, fault.kind) == (2, Kind.TIMEOUT)
    assert fault.came_s == pytest.approx(3.0)
    assert fault.thought_s == thought_s


async def test_an_answer_that_is_read_when_its_time_is_over_goes_with_the_fault(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    """Before the table's task has looked at the clock."""

    class Stuck(FakeSeat):
        def read_at(self) -> float:
            return super().read_at() + 3.0 * (len(self.requests) == 1)

    def script(request: Request, _attempt: int) -> Says:
        return Says(lowest(request), thought_s=0.025)

    await make_table([FakeSeat(), FakeSeat(), Stuck(script), FakeSeat()], control=CONTROL, max_deals=1).play()
    (fault,) = faults(kept)
    assert (fault.kind, fault.thought_s) == (Kind.TIMEOUT, 0.025)
    assert fault.came_s == pytest.approx(3.0)


async def test_nobody_is_listened_to_after_a_table_was_given_up(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    seats = [FakeSeat(lambda request, _attempt: Says(lowest(request), after_s=1.0)) for _ in range(4)]
    table = make_table(seats)
    with trio.move_on_after(0.5):
        await table.play()
    await trio.sleep(5)  # in which everybody answers
    assert [len(seat.requests) for seat in seats] == [1] * 4
    assert table.deal is not None
    assert not any(table.deal.passed)
    assert not any(seat.accepted or seat.rejections for seat in seats)


async def test_an_error_of_ours_in_the_middle_of_a_deal_is_raised_where_the_table_is_played(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    """And not at whoever has read the answer before."""

    class Broken(FakeSeat):
        def ask(self, request: OpenRequest) -> None:
            if len(self.requests) == 3:
                raise LookupError("ours")
            super().ask(request)

    seats = [FakeSeat(), FakeSeat(), Broken(), FakeSeat()]
    with pytest.raises(LookupError, match="ours"):
        await make_table(seats).play()
