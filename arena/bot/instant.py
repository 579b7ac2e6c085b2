"""A bot that answers at once, to measure the arena: ``python -m arena.bot.instant --arena HOST:PORT --tables N``.

With ``--think MS`` it answers after so many milliseconds, at all its tables at once.

It is not written with the kit, whose threads would be measured too, but as plainly as the other half of the ping-pong
that the arena is compared with. The token is in ARENA_TOKEN.
"""

import argparse
import asyncio
import os

import grpc

from arena.gateway import wire
from arena.v1 import arena_pb2 as pb


def answers(data: bytes) -> pb.BotFrame:
    """To each question of a frame the first legal cards, to each ping a pong."""
    frame = pb.BotFrame()
    for message in pb.ArenaFrame.FromString(data).messages:
        question = message.question
        legal = question.legal
        if legal:
            answer = frame.messages.add().answer
            answer.decision = question.decision
            answer.cards.extend(legal[: question.count])
        elif message.HasField("ping"):
            frame.messages.add().pong.nonce = message.ping.nonce
    return frame


async def play(address: str, token: str, tables: int, think_s: float) -> None:
    """Answer until the arena is gone."""
    oldest, newest = wire.VERSIONS
    hello = pb.Hello(oldest_version=oldest, newest_version=newest, tables=tables, software="instant")
    async with grpc.aio.insecure_channel(address) as channel:
        dial: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(wire.METHOD)
        call = dial(metadata=(("authorization", f"Bearer {token}"),))
        try:
            await call.write(pb.BotFrame(messages=[pb.BotMessage(hello=hello)]).SerializeToString())
            one_at_a_time = asyncio.Lock()
            async with asyncio.TaskGroup() as thoughts:
                while isinstance(data := await call.read(), bytes):
                    frame = answers(data)
                    if not frame.messages:
                        continue
                    if think_s:
                        thoughts.create_task(_say_later(call, frame.SerializeToString(), think_s, one_at_a_time))
                    else:
                        await call.write(frame.SerializeToString())
        except* grpc.RpcError as group:
            error = group.exceptions[0]
            raise SystemExit(
                f"instant: {error.details() if isinstance(error, grpc.aio.AioRpcError) else error}"
            ) from None


async def _say_later(
    call: grpc.aio.StreamStreamCall[bytes, bytes], frame: bytes, think_s: float, one_at_a_time: asyncio.Lock
) -> None:
    await asyncio.sleep(think_s)
    async with one_at_a_time:
        await call.write(frame)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="instant")
    parser.add_argument("--arena", metavar="HOST:PORT", required=True)
    parser.add_argument("--tables", type=int, metavar="N", default=8)
    parser.add_argument("--think", type=float, metavar="MS", default=0.0)
    given = parser.parse_args()
    asyncio.run(play(given.arena, os.environ.get("ARENA_TOKEN", ""), given.tables, given.think / 1e3))


if __name__ == "__main__":
    main()
