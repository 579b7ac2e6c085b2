"""One timer serves all open questions, and an error of ours ends them all."""

from collections.abc import Sequence

import pytest
import trio
import trio.testing

from arena.clock import TimeControl
from arena.fault import Fault
from arena.rules.deal import Ask
from arena.seat import OpenRequest, Rejection, Request
from arena.table import PlayedDeal
from tests.conftest import MakeTable
from tests.fakes import FakeSeat, Says, lowest, silent

CONTROL = TimeControl(move_s=2.0, bank_s=60.0, increment_s=0.0, grace_s=5.0, credit_s=0.05)


def faults(kept: list[PlayedDeal]) -> list[Fault]:
    return [fault for deal in kept for fault in deal.faults]


@pytest.mark.parametrize("gap_s", [0.001, 0.02, 0.3])
async def test_of_several_each_has_its_own_time_however_close_they_are(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, gap_s: float
) -> None:
    seats = [FakeSeat(silent) for _ in range(4)]
    table = make_table(seats, control=CONTROL, max_deals=1)
    limits = [1.0 + gap_s * (seat ^ 1) for seat in range(4)]  # the first to be asked is not the first to be over
    for player, limit_s in zip(table.players, limits, strict=True):
        player.clock.bank_s = limit_s
    await table.play()
    found = faults(kept)
    assert [fault.limit_s for fault in found] == limits
    assert [fault.measured_s for fault in found] == pytest.approx(limits)


@pytest.mark.parametrize("left_s", [0.25, 1.0])
async def test_a_question_with_less_time_than_the_one_before_is_over_when_its_own_time_is(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, left_s: float
) -> None:
    """It is put by who has heard the answer before, while the table sleeps for longer."""

    def slow(request: Request, _attempt: int) -> Says:
        return Says(lowest(request), 0.5 if request.question.ask is Ask.PASS else 0.0)

    def pass_only(request: Request, _attempt: int) -> Says:
        return Says(lowest(request) if request.question.ask is Ask.PASS else None)

    seats = [FakeSeat(slow), FakeSeat(pass_only), FakeSeat(slow), FakeSeat(slow)]
    table = make_table(seats, control=CONTROL, max_deals=1)
    table.players[1].clock.bank_s = left_s
    await table.play()
    (fault,) = faults(kept)
    assert (fault.seat, fault.ask, fault.limit_s) == (1, "play", left_s)
    assert fault.measured_s == pytest.approx(left_s)


class Broken(FakeSeat):
    """Its program goes wrong once, in one place, in the middle of the deal."""

    place = ""
    calls = 0
    table: Sequence[FakeSeat] = ()
    asked: Sequence[int] = ()  # how often each seat had been asked then

    def _come_to(self, place: str) -> None:
        self.calls += place == self.place
        if place == self.place and self.calls == 3:
            self.asked = [len(seat.requests) for seat in self.table]
            raise LookupError("ours")

    def latency_s(self) -> float:
        self._come_to("latency_s")
        return super().latency_s()

    def ask(self, request: OpenRequest) -> None:
        self._come_to("ask")
        super().ask(request)

    def retry(self, rejection: Rejection) -> None:
        self._come_to("retry")
        super().retry(rejection)

    def close(self, decision: int, rejection: Rejection | None) -> None:
        self._come_to("close")
        super().close(decision, rejection)


@pytest.mark.parametrize("place", ["latency_s", "ask", "retry", "close"])
async def test_after_an_error_of_ours_nobody_is_asked_any_more(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, place: str
) -> None:
    """It is raised where the table is played, at once, and not by who has read the answer before."""

    def script(request: Request, attempt: int) -> Says:
        return Says(lowest(request) if attempt else (99,) * request.question.number)

    broken = Broken(script)
    broken.place = place
    broken.table = seats = [FakeSeat(), FakeSeat(), broken, FakeSeat()]
    table = make_table(seats)
    began = trio.current_time()
    with pytest.raises(LookupError, match="ours"):
        await table.play()
    assert trio.current_time() == began
    assert kept == []
    await trio.sleep(10)
    assert [len(seat.requests) for seat in seats] == broken.asked
