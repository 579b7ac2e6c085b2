"""What is written down of a fault is what a bot's author needs to find it again."""

import pytest
import trio
import trio.testing

from arena.clock import TimeControl
from arena.fault import Fault, Kind
from arena.rules.deal import Ask
from arena.seat import Request
from arena.table import PlayedDeal
from tests.conftest import MakeTable
from tests.fakes import FakeSeat, Says, legal

CONTROL = TimeControl(move_s=2.0, bank_s=60.0, increment_s=0.0, grace_s=5.0, credit_s=0.05)


async def fault_of(
    make_table: MakeTable, kept: list[PlayedDeal], says: Says, *, ask: Ask = Ask.PLAY, number: int = 1
) -> tuple[Fault, Request]:
    """The one fault of a table whose first such question, or a later one, is answered so at first."""
    asked: list[Request] = []

    def script(request: Request, attempt: int) -> Says:
        if request.question.ask is ask and not attempt:
            asked.append(request)
            if len(asked) == number:
                return says
        return legal(request, attempt)

    variant, players = ("widow", 3) if ask is Ask.DISCARD else ("classic", 4)
    await make_table([FakeSeat(script) for _ in range(players)], variant=variant, control=CONTROL, max_deals=1).play()
    (fault,) = (fault for deal in kept for fault in deal.faults)
    return fault, asked[number - 1]


@pytest.mark.parametrize(
    ("faces", "answer"),
    [
        ((), ""),
        ((0, 51), "2C AH"),
        ((51, 0, 12, 13), "AH 2C AC 2D"),
        ((52, -1, 104), "52 -1 104"),
        (tuple(range(20)), "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2D 3D 4D 5D 6D 7D 8D"),
        (tuple(range(21)), "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2D 3D 4D 5D 6D 7D 8D"),
        ((10**49,) * 30, f"{10**49} {10**49} {10**49} {10**49}"[:200]),
    ],
)
async def test_an_answer_is_written_down_as_cards_and_its_beginning_only(
    make_table: MakeTable,
    kept: list[PlayedDeal],
    autojump_clock: trio.testing.MockClock,
    faces: tuple[int, ...],
    answer: str,
) -> None:
    fault, _ = await fault_of(make_table, kept, Says(faces))
    assert fault.answer == answer[:200]


@pytest.mark.parametrize("faces", [(99,), None])
@pytest.mark.parametrize(
    ("ask", "number", "trick"),
    [(Ask.PASS, 1, None), (Ask.PLAY, 1, 0), (Ask.PLAY, 4, 0), (Ask.PLAY, 5, 1), (Ask.DISCARD, 1, 1)],
)
async def test_a_fault_names_the_question_and_the_trick_that_it_was_put_in(
    make_table: MakeTable,
    kept: list[PlayedDeal],
    autojump_clock: trio.testing.MockClock,
    ask: Ask,
    number: int,
    trick: int | None,
    faces: tuple[int, ...] | None,
) -> None:
    fault, request = await fault_of(make_table, kept, Says(faces), ask=ask, number=number)
    question = request.question
    assert (fault.seat, fault.deal, fault.trick) == (question.seat, 0, trick)
    assert (fault.decision, fault.ask) == (request.decision, ask.value)
    assert fault.limit_s == request.limit_s


@pytest.mark.parametrize(
    ("bank_s", "outage", "reason"),
    [
        (60.0, None, "no answer within 2.000 s"),
        (1.5, None, "no answer within 1.500 s; the house plays on: the bank is empty"),
        (60.0, (0.0, 1.0), "no answer within 2.000 s; the connection was lost for 1.000 s of 3.000 s"),
        (
            60.0,
            (0.25, 5.25),
            "no answer within 2.000 s; the connection was lost for 5.000 s of 7.000 s, and the grace of 5 s is spent;"
            " the house plays on: the grace is spent",
        ),
        (0.0, None, "not asked, as the bank has no time left; the house plays on: the bank is empty"),
    ],
)
async def test_a_fault_of_time_says_what_time_there_was_and_what_went_with_the_connection(
    make_table: MakeTable,
    kept: list[PlayedDeal],
    autojump_clock: trio.testing.MockClock,
    bank_s: float,
    outage: tuple[float, float] | None,
    reason: str,
) -> None:
    began = trio.current_time()
    seat = FakeSeat(lambda request, attempt: Says(None) if len(seat.requests) == 1 else legal(request, attempt))
    if outage:
        seat.outages = [(began + outage[0], began + outage[1])]
    table = make_table([FakeSeat(), FakeSeat(), seat, FakeSeat()], control=CONTROL, max_deals=1)
    table.players[2].clock.bank_s = bank_s
    await table.play()
    (fault,) = kept[0].faults
    assert fault.reason == reason
    assert fault.kind is (Kind.UNREACHABLE if outage else Kind.TIMEOUT)
    assert [one.message for one in seat.rejections] == [reason.partition("; the house")[0]] * bool(bank_s)
