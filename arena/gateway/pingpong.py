"""What gRPC itself can do on this machine: a stream ping-pong, one question and one answer in a message, no arena.

The yardstick of `arena bench`. As many messages are under way as there are tables; the reader of a stream writes the
next message itself, which is the fastest that plain grpc.aio offers.
``python -m arena.gateway.pingpong HOST:PORT`` is the other half, in a process of its own.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import grpc

METHOD: Final = "/arena.bench.PingPong/Play"
QUESTION: Final = bytes(350)  # the size of a question in mid-deal
ANSWER: Final = bytes(12)


class PingPong:
    """The server's half. Counts answers."""

    def __init__(self, in_flight: int) -> None:
        """``in_flight`` messages on each stream at once."""
        self.answers = 0
        self._in_flight = in_flight

    async def play(self, _requests: object, context: grpc.aio.ServicerContext[bytes, bytes]) -> None:
        """One stream, until the client is gone."""
        for _ in range(self._in_flight):
            await context.write(QUESTION)
        while isinstance(await context.read(), bytes):
            self.answers += 1
            await context.write(QUESTION)


@asynccontextmanager
async def serve(in_flight: int) -> AsyncIterator[tuple[PingPong, int]]:
    """On asyncio's side: the server's half and its port, for as long as the block lasts."""
    half = PingPong(in_flight)
    server = grpc.aio.server()
    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(half.play)
    service, method = METHOD[1:].split("/")
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield half, port
    finally:
        await server.stop(0)


async def answer(address: str) -> None:
    """The client's half: an answer for every question, until the server is gone."""
    async with grpc.aio.insecure_channel(address) as channel:
        dial: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(METHOD)
        call = dial()
        try:
            while isinstance(await call.read(), bytes):
                await call.write(ANSWER)
        except grpc.RpcError:
            pass  # the server is gone


if __name__ == "__main__":
    asyncio.run(answer(sys.argv[1]))
