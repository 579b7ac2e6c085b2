"""Exact verdicts on the clock: at every limit, for every question, to the millisecond."""

import itertools
from collections.abc import Sequence

import pytest
import trio
import trio.testing

from arena.clock import Clock, TimeControl
from arena.fault import Consequence, Fault, Kind
from arena.lag import LagMeter
from arena.referee import HANDED_S, LOOK_S
from arena.rules.deal import Ask
from arena.seat import Reason, Request
from arena.table import PlayedDeal
from tests.conftest import MakeTable
from tests.fakes import FakeSeat, Says, Script, illegal, legal, lowest

LIMIT_S = 2.0
CONTROLS = {
    "move": TimeControl(move_s=LIMIT_S, bank_s=60.0, increment_s=0.0, grace_s=5.0),
    "bank": TimeControl(move_s=30.0, bank_s=LIMIT_S, increment_s=0.0, grace_s=5.0),
}
GAMES = {Ask.PASS: ("classic", 4), Ask.PLAY: ("classic", 4), Ask.DISCARD: ("widow", 3)}
"""A game in which that is asked."""


class Once:
    """Answers the first question of a kind by a script, and all others at once and legally."""

    def __init__(self, ask: Ask, script: Script) -> None:
        self.ask, self.script, self.decision = ask, script, 0

    def __call__(self, request: Request, attempt: int) -> Says:
        if not self.decision and request.question.ask is self.ask:
            self.decision = request.decision
        return (self.script if self.decision == request.decision else legal)(request, attempt)


def table_of(once: Once, players: int, **fields: object) -> list[FakeSeat]:
    """Whoever is asked first follows the one script, for a discard the seat that takes the widow."""
    return [FakeSeat(once, name=f"bot {seat}", **fields) for seat in range(players)]  # type: ignore[arg-type]


def after(delay_s: float | None) -> Script:
    return lambda request, _attempt: Says(None if delay_s is None else lowest(request), delay_s or 0.0)


def faults(kept: Sequence[PlayedDeal]) -> list[Fault]:
    return [fault for deal in kept for fault in deal.faults]


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize("ask", Ask)
@pytest.mark.parametrize("delay_s", [None, LIMIT_S - 0.005, LIMIT_S + 0.005, 1000.0])
async def test_the_verdict_at_the_limit(
    make_table: MakeTable,
    kept: list[PlayedDeal],
    autojump_clock: trio.testing.MockClock,
    delay_s: float | None,
    ask: Ask,
    control: str,
) -> None:
    variant, players = GAMES[ask]
    once = Once(ask, after(delay_s))
    seats = table_of(once, players)
    began = trio.current_time()
    await make_table(seats, variant=variant, control=CONTROLS[control], max_deals=1).play()
    assert once.decision, "the question was never asked"
    found = faults(kept)
    if delay_s == LIMIT_S - 0.005:
        assert found == []
        assert max(itertools.chain(*kept[0].thinking_s)) == pytest.approx(delay_s)
        assert trio.current_time() - began == pytest.approx(delay_s)
        return
    (fault,) = found
    consequence = Consequence.FALLBACK if control == "move" else Consequence.STAND_IN
    assert (fault.kind, fault.consequence) == (Kind.TIMEOUT, consequence)
    assert (fault.ask, fault.decision) == (ask.value, once.decision)
    assert fault.limit_s == LIMIT_S
    assert fault.measured_s == pytest.approx(LIMIT_S)
    assert trio.current_time() - began == pytest.approx(LIMIT_S)
    assert kept[0].standings[fault.seat].bank_s == pytest.approx(58.0 if control == "move" else 0.0)
    assert [said.reason for said in seats[fault.seat].rejections] == [Reason.LATE]


@pytest.mark.parametrize("control", CONTROLS)
@pytest.mark.parametrize(("over_s", "in_time"), [(0.045, True), (0.055, False)])
async def test_the_latency_credit_is_on_top_of_the_limit_and_costs_no_more_than_the_limit(
    make_table: MakeTable,
    kept: list[PlayedDeal],
    autojump_clock: trio.testing.MockClock,
    over_s: float,
    in_time: bool,
    control: str,
) -> None:
    once = Once(Ask.PASS, after(LIMIT_S + over_s))
    await make_table(table_of(once, 4, latency=0.3), control=CONTROLS[control], max_deals=1).play()
    seat = next(seat for seat, spent in enumerate(kept[0].thinking_s) if spent[0])
    assert kept[0].thinking_s[seat][0] == pytest.approx(LIMIT_S if not in_time else LIMIT_S + over_s - 0.05)
    assert kept[0].thinking_s[seat][0] <= LIMIT_S
    first = [fault for fault in faults(kept) if fault.ask == "pass"]
    assert [fault.kind for fault in first] == ([] if in_time else [Kind.TIMEOUT])


async def test_a_latency_that_shrinks_while_the_bot_thinks_charges_no_more_than_the_limit(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    seats = [FakeSeat(), FakeSeat(), FakeSeat(latency=0.05), FakeSeat()]

    def script(request: Request, _attempt: int) -> Says:
        if len(seats[2].requests) > 1:
            return Says(lowest(request))
        seats[2].latency = 0.0  # as after a reconnect, before the first ping
        return Says(lowest(request), LIMIT_S + 0.04)

    seats[2].script = script
    await make_table(seats, control=CONTROLS["move"], max_deals=1).play()
    assert faults(kept) == []
    assert kept[0].thinking_s[2][0] == pytest.approx(LIMIT_S - 0.01)


class Stamped(FakeSeat):
    """The answer to its first question was read after the deadline, and yet the table hears of it before it wakes."""

    late_s = 0.0

    def read_at(self) -> float:
        return super().read_at() + (self.late_s if len(self.requests) == 1 else 0.0)


@pytest.mark.parametrize(("late_s", "in_time"), [(1.999, True), (2.001, False)])
async def test_what_counts_is_when_an_answer_was_read(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, late_s: float, in_time: bool
) -> None:
    seats = [FakeSeat(), FakeSeat(), Stamped(), FakeSeat()]
    seats[2].late_s = late_s  # type: ignore[attr-defined] # a Stamped
    await make_table(seats, control=CONTROLS["move"], max_deals=1).play()
    assert [fault.kind for fault in faults(kept)] == ([] if in_time else [Kind.TIMEOUT])
    assert kept[0].thinking_s[2][0] == pytest.approx(late_s if in_time else LIMIT_S)


@pytest.mark.parametrize("says", [Says((99,)), Says(None)])
async def test_a_guess_that_was_found_before_its_question_was_put_came_with_it(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, says: Says
) -> None:
    """The numbers of questions can be foreseen: what comes unasked is charged nothing, and no time is negative."""
    seats = [FakeSeat(), FakeSeat(), Stamped(), FakeSeat()]
    seats[2].late_s = -0.5  # type: ignore[attr-defined] # a Stamped
    seats[2].script = lambda request, attempt: says if says.faces and not attempt else legal(request, attempt)
    await make_table(seats, control=CONTROLS["move"], max_deals=1).play()
    assert kept[0].thinking_s[2] == pytest.approx([0.0] * 14)
    assert kept[0].standings[2].bank_s == 60.0
    assert [fault.came_s for fault in faults(kept)] == [0.0] * len(faults(kept))


async def test_nothing_is_asked_of_an_empty_bank(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    """The whole bank goes into an answer that is in time by its credit: the next question has no time at all."""
    once = Once(Ask.PASS, after(LIMIT_S + 0.05 - 1e-9))
    seats = [FakeSeat(), FakeSeat(), FakeSeat(once, latency=0.05), FakeSeat()]
    result = await make_table(seats, control=CONTROLS["bank"], max_deals=1).play()
    assert len(seats[2].requests) == 1
    (fault,) = faults(kept)
    assert (fault.kind, fault.consequence) == (Kind.TIMEOUT, Consequence.STAND_IN)
    assert "bank" in fault.reason
    assert seats[2].rejections == []  # it was asked nothing, and so it is told nothing
    assert result.forfeited == (False, False, True, False)


async def test_a_bank_of_which_nothing_can_be_told_is_empty() -> None:
    clock = Clock.full(TimeControl(bank_s=60.0))
    for _ in range(600):
        clock.charge(0.1, 0.0)  # a sum of tenths is no whole number
    assert clock.empty()
    assert clock.bank_s >= 0


@pytest.mark.parametrize("credit", [0.0, 0.03])
async def test_charges_and_bank_agree_to_the_last_answer(credit: float) -> None:
    control = TimeControl(move_s=5.0, bank_s=10.0, increment_s=0.0, credit_s=0.05)
    clock = Clock.full(control)
    charged = [clock.charge(0.7 * number, credit) for number in range(10)]
    assert sum(charged) == pytest.approx(control.bank_s - clock.bank_s, abs=1e-9)
    assert clock.bank_s == 0.0
    assert min(charged) == 0.0


async def test_a_loop_that_was_blocked_charges_nobody_whoever_wakes_first(
    make_table: MakeTable, kept: list[PlayedDeal], mock_clock: trio.testing.MockClock
) -> None:
    """The deadline and the meter's alarm ring at once, and trio wakes them in any order."""
    for _ in range(20):
        lag = LagMeter()
        thinking = trio.Event()
        seats = [FakeSeat() for _ in range(4)]

        def script(request: Request, _attempt: int, thinking: trio.Event = thinking) -> Says:
            thinking.set()
            return Says(lowest(request), 0.01 if request.question.ask is Ask.PASS else 0.0)

        seats[2].script = script
        table = make_table(seats, control=CONTROLS["move"], max_deals=1, lag_s=lag.total_s)

        async def block(thinking: trio.Event = thinking) -> None:
            await thinking.wait()
            mock_clock.jump(10.0)  # nothing runs in the meantime
            await trio.testing.wait_all_tasks_blocked()
            mock_clock.rate = 100.0

        async with trio.open_nursery() as nursery:
            nursery.start_soon(lag.watch)
            nursery.start_soon(block)
            await table.play()
            nursery.cancel_scope.cancel()
        mock_clock.rate = 0.0
        assert lag.events == 1
        assert lag.total_s(trio.current_time()) == pytest.approx(10.0, abs=0.1)
    assert faults(kept) == []
    assert max(spent for deal in kept for spent in deal.thinking_s[2]) <= 0.1


async def test_a_connection_lost_just_before_the_deadline_does_not_keep_the_arena_busy(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    began = trio.current_time()
    looked: list[float] = []

    class Away(FakeSeat):
        def away_s(self) -> float:
            looked.append(trio.current_time())
            return super().away_s()

    seats = [FakeSeat(), FakeSeat(), Away(after(None), outages=[(began + LIMIT_S - 1e-6, began + 1e6)]), FakeSeat()]
    await make_table(seats, control=CONTROLS["move"], max_deals=1).play()
    (fault, *_) = faults(kept)
    assert fault.kind is Kind.UNREACHABLE
    assert fault.measured_s == pytest.approx(LIMIT_S + 5.0, abs=2 * LOOK_S)
    assert len(looked) < 4 * 5.0 / LOOK_S


@pytest.mark.parametrize(("late_s", "in_time"), [(-0.005, True), (0.005, False)])
async def test_grace_moves_the_deadline_by_exactly_the_time_away(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, late_s: float, in_time: bool
) -> None:
    """Also where the clock was looked at in between and found standing."""
    began, away_s = trio.current_time(), 0.333
    once = Once(Ask.PASS, after(LIMIT_S + away_s + late_s))
    odd = FakeSeat(once, outages=[(began + LIMIT_S - 0.01, began + LIMIT_S - 0.01 + away_s)])
    await make_table([FakeSeat(), FakeSeat(), odd, FakeSeat()], control=CONTROLS["move"], max_deals=1).play()
    assert [fault.kind for fault in faults(kept)] == ([] if in_time else [Kind.UNREACHABLE])
    assert kept[0].thinking_s[2][0] == pytest.approx(LIMIT_S + late_s if in_time else LIMIT_S)
    assert kept[0].standings[2].grace_s == pytest.approx(5.0 - away_s)


async def test_grace_is_one_for_the_match_and_cannot_be_used_twice(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    began = trio.current_time()
    # four seconds away in the first question, which grace covers, and four in the second, of which it covers one
    odd = FakeSeat(
        lambda request, _attempt: Says(lowest(request), 4.5 if request.decision in mine[:2] else 0.0),
        outages=[(began, began + 4.0), (began + 4.5, began + 8.5)],
    )
    mine = [3, 0]

    def script(request: Request, attempt: int) -> Says:
        if request.question.ask is Ask.PLAY and mine[1] == 0:
            mine[1] = request.decision
        return Says(lowest(request), 4.5 if request.decision in mine else 0.0)

    odd.script = script
    await make_table([FakeSeat(), FakeSeat(), odd, FakeSeat()], control=CONTROLS["move"], max_deals=1).play()
    (fault,) = faults(kept)
    assert (fault.kind, fault.ask) == (Kind.UNREACHABLE, "play")
    assert fault.measured_s == pytest.approx(LIMIT_S + 1.0)
    assert fault.consequence is Consequence.STAND_IN
    assert kept[0].standings[2].grace_s == 0.0


async def test_a_bot_that_comes_back_within_its_grace_finds_its_seat_as_it_was(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    began = trio.current_time()
    odd = FakeSeat(Once(Ask.PASS, after(6.0)), outages=[(began, began + 4.9)])
    result = await make_table([FakeSeat(), FakeSeat(), odd, FakeSeat()], control=CONTROLS["move"]).play()
    assert faults(kept) == []
    assert not any(result.forfeited)
    assert len(odd.requests) == len({request.decision for request in odd.requests})  # nothing is asked twice


async def test_garbage_for_ever_is_cut_at_the_deadline(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    """Refused answers neither stop the clock nor add to it, and a bot gets no third try."""
    began = trio.current_time()

    def script(request: Request, attempt: int) -> Says:
        return Says((99,) * request.question.number, 1.2)

    seats = [FakeSeat(), FakeSeat(), FakeSeat(script), FakeSeat()]
    result = await make_table(seats, control=CONTROLS["move"]).play()
    assert result.forfeited[2]
    assert all(fault.measured_s <= LIMIT_S for fault in faults(kept))
    questions = len({fault.decision for fault in faults(kept)})
    assert trio.current_time() - began == pytest.approx(questions * LIMIT_S)


async def test_an_unexplained_illegal_answer_is_never_a_timeout_and_a_timeout_never_illegal(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    for script, kinds in ((illegal, {Kind.ILLEGAL, Kind.MALFORMED}), (after(None), {Kind.TIMEOUT})):
        kept.clear()
        await make_table([FakeSeat(), FakeSeat(), FakeSeat(script), FakeSeat()], control=CONTROLS["move"]).play()
        assert {fault.kind for fault in faults(kept)} <= kinds


@pytest.mark.parametrize("sent_s", [0.0, HANDED_S / 2, 1.0])
@pytest.mark.parametrize("busy_s", [0.0, 0.09])
async def test_an_answer_that_is_refused_for_good_is_charged_until_it_was_read_as_any_other(
    make_table: MakeTable,
    kept: list[PlayedDeal],
    autojump_clock: trio.testing.MockClock,
    busy_s: float,
    sent_s: float,
) -> None:
    """And not until the arena has come to it, nor from before the transport had the question."""

    class Late(FakeSeat):
        def read_at(self) -> float:
            request, first = self.requests[-1], len(self.requests) == 1
            if first:
                request.sent_at = request.started + sent_s
            return super().read_at() - (busy_s if first and self._attempt else 0.0)

    def script(request: Request, attempt: int) -> Says:
        if request.question.ask is not Ask.PASS:
            return legal(request, attempt)
        return Says((99,) * 3, LIMIT_S - 0.5 + busy_s if attempt else 0.4)

    seats = [FakeSeat(), FakeSeat(), Late(script, latency=0.05), FakeSeat()]
    await make_table(seats, control=CONTROLS["move"], max_deals=1).play()
    assert [fault.consequence for fault in faults(kept)] == [Consequence.RETRY, Consequence.STOPPED]
    assert kept[0].thinking_s[2] == pytest.approx([LIMIT_S - 0.1 - 0.05 - min(sent_s, HANDED_S)])
    assert kept[0].standings[2].bank_s == pytest.approx(60.0 - kept[0].thinking_s[2][0])


class SentAgain(FakeSeat):
    """Its first question goes out once more, on another connection, just before it is answered."""

    def read_at(self) -> float:
        now = self.requests[-1].sent_at = super().read_at()
        return now


@pytest.mark.parametrize("away_s", [0.0, 1.0])
async def test_a_question_that_is_sent_again_does_not_start_its_clock_again(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, away_s: float
) -> None:
    """Whoever takes its own place, or drops the line for a moment, has thought all the same."""
    began = trio.current_time()
    odd = SentAgain(Once(Ask.PASS, after(1.5 + away_s)), outages=[(began + 0.5, began + 0.5 + away_s)])
    await make_table([FakeSeat(), FakeSeat(), odd, FakeSeat()], control=CONTROLS["move"], max_deals=1).play()
    assert faults(kept) == []
    assert kept[0].thinking_s[2][0] == pytest.approx(1.5 - HANDED_S)
    assert kept[0].standings[2].grace_s == pytest.approx(5.0 - away_s)


async def test_a_question_that_is_asked_of_a_bot_that_is_away_is_charged_from_its_return(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    began = trio.current_time()

    class Returning(FakeSeat):
        def read_at(self) -> float:
            request = self.requests[-1]
            request.sent_at = max(request.sent_at or 0.0, began + 3.0)
            return super().read_at()

    odd = Returning(Once(Ask.PASS, after(4.0)), outages=[(began, began + 3.0)])
    await make_table([FakeSeat(), FakeSeat(), odd, FakeSeat()], control=CONTROLS["move"], max_deals=1).play()
    assert faults(kept) == []
    assert kept[0].thinking_s[2][0] == pytest.approx(1.0, abs=HANDED_S + 1e-6)
