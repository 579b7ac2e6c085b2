"""Bots that would harm others or gain by it: ``python -m tests.chaos.malice HOST:PORT TOKEN:MANNER:SEED…``.

Each would play legally; what it does beside that is its manner.
"""

import asyncio
import sys
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import Final

import grpc

from arena.v1 import arena_pb2 as pb
from tests.chaos.bots import TABLES, Bot, Call, Dropped, illegal, legal

NO_FRAMES: Final = (
    b"\x0a" + b"\xff" * 11,  # a number without an end
    b"\x0b" * 20_000,  # groups in groups
    b"\x0a\x04\x22\x80\x80\x80\x80\x20",  # longer than it is
    b"\x0a\x06\x0a\x04\x22\x02\xff\xfe",  # Hello.software is no UTF-8
    b"\x00\x00",  # field number 0
)
LAST_S: Final = 0.01  # before the end of its time is the last moment


def answer(decision: int, values: Sequence[int]) -> pb.BotMessage:
    """An answer of whatever."""
    cards = [pb.Card.ValueType(value) for value in values]
    return pb.BotMessage(answer=pb.Answer(decision=decision % 2**64, cards=cards))


class Malicious(Bot):
    """One of them."""

    def __init__(self, address: str, token: str, manner: str, seed: str) -> None:
        """``manner`` is a method's name."""
        super().__init__(address, token, manner, seed)
        self.name = manner
        self.asked: list[int] = []
        self.calls = 0
        self.late: set[asyncio.Task[None]] = set()

    async def greet(self, call: Call) -> None:
        """Hello, as somebody else each time."""
        self.calls += 1
        software = f"<b>{self.name}</b>\0\u2028\u202e" + (str(self.calls) if self.name == "renamed" else "")
        hello = pb.Hello(oldest_version=1, newest_version=1, tables=TABLES, software=software)
        await self._write(call, pb.BotMessage(hello=hello))

    async def pong(self, call: Call, nonce: int) -> None:
        """As late as it dares, or also before it was asked."""
        if self.name == "pongs":
            await self._write(call, *[pb.BotMessage(pong=pb.Pong(nonce=nonce + more)) for more in range(3)])
        else:
            self.later(0.05, super().pong(call, nonce))

    def later(self, seconds: float, work: Awaitable[None]) -> None:
        """Do that after a while, if the connection is still there."""

        async def wait() -> None:
            await asyncio.sleep(max(0.0, seconds))
            with suppress(grpc.RpcError, grpc.aio.UsageError, asyncio.InvalidStateError):
                await work

        task = asyncio.create_task(wait())
        self.late.add(task)
        task.add_done_callback(self.late.discard)

    async def guesses(self, call: Call, question: pb.Question) -> None:
        """Answers other seats' and tables' decisions, those that were, and such as cannot be."""
        near = [question.decision + step for step in range(-20, 21) if step]
        numbers = [*near, *self.asked[-5:], 0, -1, 2**63]
        self.asked.append(question.decision)
        await self._write(call, *[answer(number, legal(question)) for number in numbers])
        await self.honest(call, question)

    async def foresees(self, call: Call, question: pb.Question) -> None:
        """Answers what it has not been asked yet, with each of its cards, in the same frame."""
        numbers = range(question.decision + 1, question.decision + 60)
        wild = [answer(number, [value]) for number in numbers for value in question.view.hand]
        await self._write(call, answer(question.decision, legal(question)), *wild[:1000])

    async def piles(self, call: Call, question: pb.Question) -> None:
        """Too many cards, some twice, some of them none."""
        wrong: tuple[list[int], ...] = (
            [question.legal[0]] * 2,
            [question.legal[0]] * 30_000,
            [-1, 0, 2**31 - 1, -(2**31)],
            [],
        )
        await self._write(call, answer(question.decision, self.rng.choice(wrong)))
        await self.honest(call, question)

    async def heaps(self, call: Call, question: pb.Question) -> None:
        """A million cards."""
        if self.rng.random() < 0.1:
            await self._write(call, answer(question.decision, [question.legal[0]] * 1_000_000))
        await self.honest(call, question)

    async def bytes(self, call: Call, question: pb.Question) -> None:
        """Bytes that are no frame, or one of things that nobody knows."""
        chance = self.rng.random()
        if chance < 0.1:
            await call.write(self.rng.choice(NO_FRAMES))
        elif chance < 0.2:
            await call.write(b"\xfa\x3e\xe0\xd4\x03" + bytes(60_000))  # one unknown field
        await self.honest(call, question)

    async def greets_again(self, call: Call, question: pb.Question) -> None:
        """Hello in the middle, for more tables."""
        hello = pb.Hello(oldest_version=1, newest_version=1, tables=1024, software="another")
        await self._write(call, *[pb.BotMessage(hello=hello)] * 20)
        await self.honest(call, question)

    async def renamed(self, call: Call, question: pb.Question) -> None:
        """A new connection for every question, under another name of its own."""
        await self.honest(call, question)
        raise Dropped

    async def comes_and_goes(self, call: Call, question: pb.Question) -> None:
        """Cuts its connection just before its time is over, and asks for grace again and again."""
        if self.rng.random() < 0.2:
            await asyncio.sleep(max(0.0, question.clock.left_us / 1e6 - LAST_S))
            raise Dropped
        await self.honest(call, question)

    async def leaves(self, call: Call, question: pb.Question) -> None:
        """Leaves while cards are passed, and comes back."""
        await self._write(call, pb.BotMessage(leave=pb.Leave()))
        await self.honest(call, question)
        if question.ask == pb.ASK_PASS:
            raise Dropped

    async def corrects_late(self, call: Call, question: pb.Question) -> None:
        """A refused answer, corrected about when its time is over."""
        wrong = illegal(question)
        if self.rng.random() < 0.2 and wrong:
            await self._answer(call, question, wrong)
            left_s = question.clock.left_us / 1e6 + self.rng.uniform(-LAST_S, LAST_S)
            self.later(left_s, self.honest(call, question))
        else:
            await self.honest(call, question)

    async def twins(self, call: Call, question: pb.Question) -> None:
        """Legal, from two connections that replace each other."""
        await self.honest(call, question)

    async def pongs(self, call: Call, question: pb.Question) -> None:
        """Legal, with answers to pings that are still to come."""
        await self.honest(call, question)

    async def deaf(self, call: Call, question: pb.Question) -> None:
        """Never reads."""

    async def _converse(self, call: Call) -> None:
        if self.name != "deaf":
            await super()._converse(call)
        number = 0
        while self.name == "deaf":
            await self._write(call, answer(number, [1]))
            await asyncio.sleep(0.005)
            number += 1


MALICE: Final = (
    "guesses", "foresees", "piles", "heaps", "bytes", "greets_again", "renamed", "comes_and_goes", "leaves",
    "corrects_late", "twins", "pongs", "deaf",
)  # fmt: skip
"""All manners."""


async def main(address: str, bots: list[str]) -> None:
    """All of them, until the process is ended."""
    async with asyncio.TaskGroup() as tasks:
        for bot in bots:
            token, manner, seed = bot.split(":")
            for _ in range(2 if manner == "twins" else 1):
                tasks.create_task(Malicious(address, token, manner, seed).play())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
