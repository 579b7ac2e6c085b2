"""Bots that go wrong on purpose, each from its seed: ``python -m tests.chaos.bots HOST:PORT TOKEN:MANNER:SEED…``.

All of them are tasks of one process, which ends when it is ended. They are not written with the kit, which would not
let them.
"""

import asyncio
import random
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

import grpc

from arena.gateway import wire
from arena.v1 import arena_pb2 as pb

Call: TypeAlias = "grpc.aio.StreamStreamCall[bytes, bytes]"

TABLES: Final = 8
PAUSE_S: Final = 0.02  # before dialling again


class Dropped(Exception):  # noqa: N818
    """The bot has cut its own connection."""


def legal(question: pb.Question) -> Sequence[int]:
    """The first legal cards."""
    return question.legal[: question.count]


def illegal(question: pb.Question) -> Sequence[int]:
    """Cards that are not legal, or not held, as many as were asked for."""
    wrong: list[int] = [value for value in question.view.hand if value not in question.legal]
    wrong += [value for value in range(1, 53) if value not in question.view.hand]
    return wrong[: question.count]


class Bot:
    """One bot, across its connections."""

    def __init__(self, address: str, token: str, manner: str, seed: str) -> None:
        """``manner`` is a method's name."""
        self.address = address
        self.token = token
        self.rng = random.Random(f"{token} {seed}")
        self.manner: Callable[[Call, pb.Question], Awaitable[None]] = getattr(self, manner)
        self.greets = manner != "mute"

    async def play(self) -> None:
        """Dial for ever."""
        options = (("grpc.use_local_subchannel_pool", 1),)
        while True:
            async with grpc.aio.insecure_channel(self.address, options=options) as channel:
                dial: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(wire.METHOD)
                call = dial(metadata=(("authorization", f"Bearer {self.token}"),))
                with suppress(grpc.RpcError, grpc.aio.UsageError, asyncio.InvalidStateError, Dropped):
                    if self.greets:
                        await self.greet(call)
                    await self._converse(call)
                call.cancel()
            await asyncio.sleep(PAUSE_S)

    async def greet(self, call: Call) -> None:
        """Say Hello."""
        hello = pb.Hello(oldest_version=1, newest_version=1, tables=TABLES, software="chaos")
        await self._write(call, pb.BotMessage(hello=hello))

    async def pong(self, call: Call, nonce: int) -> None:
        """Answer a ping."""
        await self._write(call, pb.BotMessage(pong=pb.Pong(nonce=nonce)))

    async def _converse(self, call: Call) -> None:
        while isinstance(data := await call.read(), bytes):
            for message in pb.ArenaFrame.FromString(data).messages:
                if message.HasField("ping"):
                    await self.pong(call, message.ping.nonce)
                elif message.HasField("question"):
                    await self.manner(call, message.question)

    async def _write(self, call: Call, *messages: pb.BotMessage) -> None:
        await call.write(pb.BotFrame(messages=messages).SerializeToString())

    async def _answer(self, call: Call, question: pb.Question, values: Sequence[int]) -> None:
        cards = [pb.Card.ValueType(value) for value in values]
        await self._write(call, pb.BotMessage(answer=pb.Answer(decision=question.decision, cards=cards)))

    async def honest(self, call: Call, question: pb.Question) -> None:
        """Legal, at once."""
        await self._answer(call, question, legal(question))

    async def slow(self, call: Call, question: pb.Question) -> None:
        """Legal, after a while."""
        await asyncio.sleep(0.01)
        await self.honest(call, question)

    async def hang(self, call: Call, question: pb.Question) -> None:
        """Never."""

    async def hang_pass(self, call: Call, question: pb.Question) -> None:
        """Legal, but cards to pass never."""
        if question.ask != pb.ASK_PASS:
            await self.honest(call, question)

    async def hang_play(self, call: Call, question: pb.Question) -> None:
        """Legal, but cards to play never."""
        if question.ask != pb.ASK_PLAY:
            await self.honest(call, question)

    async def mute(self, call: Call, question: pb.Question) -> None:
        """Not even Hello."""

    async def drop(self, call: Call, question: pb.Question) -> None:
        """Legal, but the connection is cut now and then, before the answer or just after it."""
        chance = self.rng.random()
        if chance < 0.02:
            raise Dropped
        await self.honest(call, question)
        if chance > 0.98:
            raise Dropped

    async def garbage(self, call: Call, question: pb.Question) -> None:
        """Legal, but now and then after something that is no frame, too large, or a flood."""
        chance = self.rng.random()
        if chance < 0.01:
            await call.write(self.rng.randbytes(200))
        elif chance < 0.02:
            await call.write(bytes(100_000))
        elif chance < 0.03:
            await call.write(bytes(2_000_000))
        elif chance < 0.04:
            for _ in range(3):
                stale = pb.BotMessage(answer=pb.Answer(decision=2**63, cards=[pb.CARD_2C]))
                await self._write(call, *[stale] * 1000)
        elif chance < 0.1:
            await self._answer(call, question, [99])
        await self.honest(call, question)

    async def revoke(self, call: Call, question: pb.Question) -> None:
        """Illegal, twice."""
        await self._answer(call, question, illegal(question))
        await self._answer(call, question, illegal(question))


async def main(address: str, bots: list[str]) -> None:
    """All of them, until the process is ended."""
    async with asyncio.TaskGroup() as tasks:
        for bot in bots:
            tasks.create_task(Bot(address, *bot.split(":")).play())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
