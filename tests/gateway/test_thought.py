"""What a bot says that it thought goes with its faults, over a real stream."""

import itertools

import trio

from arena.clock import TimeControl
from arena.fault import Fault, Kind
from arena.referee import Referee
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.seat import OpenRequest
from arena.table import PlayedDeal, Table
from arena.v1 import arena_pb2 as pb
from tests.fakes import FakeSeat, Says
from tests.gateway.peers import CLASSIC, House, Peer, answer, both_ways, in_house

CONTROL = TimeControl(move_s=60.0, bank_s=60.0, increment_s=0.0, grace_s=0.0, credit_s=0.0)
BANK_S = 0.2  # of the bot: it is too late then, however slow the machine is


class Waits(FakeSeat):
    """Answers nothing before it may: the deal goes on for as long."""

    def __init__(self, may: trio.Event) -> None:
        super().__init__()
        self.may = may

    async def _answer(self, request: OpenRequest, says: Says, asked_at: float) -> None:
        await self.may.wait()
        await super()._answer(request, says, asked_at)


async def refused(peer: Peer, decision: int, thought_us: int) -> pb.Rejection:
    """What is said to an answer that is no card."""
    said = answer(decision, 77)
    said.thought_us = thought_us
    await peer.send(pb.BotMessage(answer=said))
    return (await peer.expect("rejection")).rejection


async def two_faults(house: House, refused_us: int, late_us: int) -> tuple[Fault, Fault]:
    """Of a bot that answers with no card, and then too late, three times."""
    may, kept = trio.Event(), list[PlayedDeal]()

    async def keep(deal: PlayedDeal) -> None:
        kept.append(deal)

    peer = await house.bot("ann")
    table = Table(
        "m1", CLASSIC, 100, 1, [house.game().seats[0], *[Waits(may) for _ in range(3)]],
        Referee(CONTROL, itertools.count(1)),
        lambda number: dealt(b"t" * 32, CLASSIC, dealer_of(number, 4)), keep,
    )  # fmt: skip
    table.players[0].clock.bank_s = BANK_S
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.play)
        await peer.expect("match_start")
        decision = (await peer.expect("question")).question.decision
        assert (await refused(peer, decision, refused_us)).tries == 1
        assert (await peer.expect("rejection")).rejection.reason == pb.REASON_LATE
        for thought_us in (late_us, 7, 2**64 - 1):  # the first one counts
            assert (await refused(peer, decision, thought_us)).reason == pb.REASON_LATE
        may.set()
    ((malformed, timeout),) = (deal.faults for deal in kept)
    assert (malformed.kind, timeout.kind) == (Kind.MALFORMED, Kind.TIMEOUT)
    assert timeout.came_s is not None
    assert BANK_S < timeout.came_s <= trio.current_time() - began
    return malformed, timeout


@both_ways()
async def test_each_fault_has_what_its_own_answer_says(house: House) -> None:
    malformed, timeout = await two_faults(house, 1_500, 25_000)
    assert (malformed.thought_s, timeout.thought_s) == (0.0015, 0.025)
    for one in (malformed, timeout):
        assert one.sent_s is not None
        assert one.came_s is not None
        assert 0 < one.sent_s < one.came_s


@in_house()
async def test_what_cannot_be_is_not_said_and_ends_nothing(house: House) -> None:
    malformed, timeout = await two_faults(house, 2**64 - 1, 0)
    assert (malformed.thought_s, timeout.thought_s) == (None, None)
