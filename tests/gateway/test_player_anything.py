"""A bot that comes and goes and says anything, at a table with a referee, on a clock that the test turns.

What its links have carried is what its tape says, to the byte; and what it was charged is what its bank has lost.
"""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import trio
import trio.testing

from arena.clock import TimeControl
from arena.gateway import encoder, wire
from arena.gateway.encoder import TableEncoder
from arena.gateway.player import Player, PlayerSeat
from arena.gateway.tape import Entry, Tape, Way, unpacked
from arena.house import HouseSeat
from arena.referee import Policy, Referee
from arena.rules.catalogue import rules
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.seat import OpenRequest, Reason
from arena.table import PlayedDeal, Table
from arena.v1 import arena_pb2 as pb
from tests.fakes import lowest
from tests.gateway.peers import answer

CONTROL = TimeControl(move_s=2.0, bank_s=30.0, increment_s=0.25, grace_s=6.0, credit_s=0.05)


@dataclass
class FakeLink:
    """What a connection carries. Its transport takes a question when `take` is called, or at once."""

    carried: list[bytes]  # by all links of the bot
    prompt: bool
    waiting: list[OpenRequest] = field(default_factory=list)

    def send(self, frame: bytes) -> None:
        self.carried.append(frame)

    def send_question(self, frame: bytes, request: OpenRequest) -> None:
        self.carried.append(frame)
        self.waiting.append(request)
        if self.prompt:
            self.take()

    def take(self) -> None:
        for request in self.waiting:
            request.sent_at = trio.current_time()
        self.waiting.clear()

    def accepted(self, decision: int) -> None:
        self.carried.append(pb.ArenaFrame(accepted=[decision]).SerializeToString())

    def latency_s(self) -> float:
        return 0.02


class Anybody:
    """Does anything, from its seed, as the bot of one seat."""

    def __init__(self, player: Player, seed: str) -> None:
        self.player = player
        self.rng = random.Random(seed)
        self.wild = self.rng.choice((0.02, 0.2, 0.6))  # how often it does not simply play
        self.carried: list[bytes] = []
        self.said: list[bytes] = []  # frames with an answer to a question of its own, and with nothing else
        self.asked: list[int] = []
        self.link: FakeLink | None = None

    async def live(self) -> None:
        """For ever."""
        while True:
            await trio.sleep(self.rng.choice((0.001, 0.01, 0.01, 0.3)))
            if self.link is None or self.rng.random() < self.wild / 10:
                self.come_or_go()
            elif self.rng.random() < self.wild / 10:
                await trio.sleep(self.rng.choice((1.0, 3.0)))
            else:
                self.link.take()
                self.say()

    def come_or_go(self) -> None:
        """Dial, lose the connection, or take its own place."""
        link = self.link
        if link is not None and self.rng.random() < 0.5:
            self.link = None
            self.player.detach(link, "lost")
            return
        self.link = FakeLink(self.carried, self.rng.random() < 0.5)
        self.player.attach(self.link, 1, "", ())
        if link is not None:
            assert not self.player.detach(link, "replaced")

    def say(self) -> None:
        """A frame with answers to what is open, or was, or was never asked."""
        self.asked += [one for one in self.player.pending if one not in self.asked]
        decisions = list(self.player.pending)
        if self.rng.random() < self.wild:
            decisions = self.rng.choices([*self.asked[-3:], *decisions, 10**6], k=2)
        messages = [pb.BotMessage(answer=answer(one, *self.cards(one))) for one in decisions]
        self.hear(pb.BotFrame(messages=messages).SerializeToString(), trio.current_time())

    def cards(self, decision: int) -> list[int]:
        """On the wire: what is legal, or not."""
        seat = self.player.pending.get(decision)
        if seat is None or seat.request is None or self.rng.random() < self.wild / 4:
            return [self.rng.randrange(60) for _ in range(self.rng.randrange(4))]
        return [face + 1 for face in lowest(seat.request)]

    def hear(self, data: bytes, now: float) -> None:
        """As a connection reads it."""
        self.player.frame = data
        messages = pb.BotFrame.FromString(data).messages
        for message in messages:
            decision = message.answer.decision
            faces, malformed = wire.answer_faces(message.answer.cards)
            rejection = self.player.answer(decision, faces, malformed, now)
            if rejection is None or rejection.reason is Reason.LATE:
                own = [one for one in messages if one.answer.decision == decision]
                self.said.append(pb.BotFrame(messages=own).SerializeToString())
            if rejection is not None and self.link is not None:
                self.link.send(encoder.rejection(rejection))


def rejections(carried: list[bytes], reason: "pb.Reason.ValueType") -> Iterator[bytes]:
    for data in carried:
        for message in pb.ArenaFrame.FromString(data).messages:
            if message.HasField("rejection") and message.rejection.reason == reason:
                yield data


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("variant", "players"), [("classic", 4), ("widow", 3), ("cancellation", 7)])
async def test_whatever_a_bot_does_its_tape_is_what_was_said_and_its_bank_what_it_was_charged(
    autojump_clock: trio.testing.MockClock, variant: str, players: int, seed: int
) -> None:
    game = rules(variant, players)
    shared = TableEncoder(1)
    bots = [Anybody(Player(f"bot {seat}", trio.current_time), f"{variant} {seat} {seed}") for seat in range(2)]
    seats = [PlayerSeat(bot.player, 1, at, shared, Tape(trio.current_time)) for at, bot in enumerate(bots)]
    tapes: list[list[Entry]] = [[] for _ in bots]
    kept: list[PlayedDeal] = []

    def cut() -> None:
        for seat, entries in zip(seats, tapes, strict=True):
            assert seat.tape is not None
            entries += unpacked(seat.tape.cut().packed())

    async def keep(deal: PlayedDeal) -> None:
        kept.append(deal)
        cut()

    policy = Policy.SUBSTITUTE if seed % 2 else Policy.REVOKE
    table = Table(
        "m", game, 10**6, 3, [*seats, *[HouseSeat("house") for _ in range(players - 2)]],
        Referee(CONTROL, itertools.count(1), policy),
        lambda number: dealt(bytes([number, seed]) * 16, game, dealer_of(number, players)), keep,
    )  # fmt: skip
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.live)
        result = await table.play()
        nursery.cancel_scope.cancel()
    cut()

    assert len(kept) == 3
    for at, (bot, entries) in enumerate(zip(bots, tapes, strict=True)):
        assert bot.player.pending == {}
        assert bot.player.seats == {}
        stale = list(rejections(bot.carried, pb.REASON_STALE))  # of nobody's table
        carried = [data for data in bot.carried if data not in stale]
        assert [one.frame for one in entries if one.way is Way.SENT] == carried
        assert [one.frame for one in entries if one.way is Way.RECEIVED] == bot.said
        handed = [pb.ArenaFrame.FromString(one.frame) for one in entries if one.handed_s is not None]
        taken = [frame.messages[0].question.decision for frame in handed]
        assert len(set(taken)) == len(taken)
        bank = CONTROL.bank_s
        for deal in kept:
            spent, after = deal.thinking_s[at], deal.standings[at]
            assert all(0 <= one <= CONTROL.move_s + 1e-9 for one in spent)
            returned = after.bank_s - (bank - sum(spent))
            assert -1e-9 <= returned <= CONTROL.increment_s * len(spent) + 1e-9
            bank = after.bank_s
        assert result.forfeited[at] == kept[-1].standings[at].forfeited
        closed = [
            message.rejection.decision
            for data in carried
            for message in pb.ArenaFrame.FromString(data).messages
            if message.HasField("rejection") and not message.rejection.tries
            and message.rejection.reason != pb.REASON_LATE
        ]  # fmt: skip
        accepted = [one for data in carried for one in pb.ArenaFrame.FromString(data).accepted]
        assert len({*closed, *accepted}) == len(closed) + len(accepted)  # each once
        assert {*accepted} <= {*taken}
