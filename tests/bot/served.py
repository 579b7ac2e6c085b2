"""A bot of the kit that serves, a real gateway that dials it, and callers who are none."""

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue

import grpc
import pytest
import trio

from arena.bot import Choice, Tls, Turn, serve
from arena.gateway import wire
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Terms
from arena.gateway.server import Gateway, News, open_gateway
from arena.v1 import arena_pb2 as pb
from tests.bot.test_dial import first_legal

TOKEN = "ann"
KEY = wire.key_of(TOKEN)
NONCE = bytes(range(32))


class Served:
    """A bot of the kit that serves in a thread."""

    def __init__(
        self,
        choose: Callable[[Turn], Choice] = first_legal,
        token: str = TOKEN,
        tls: Tls | None = None,
        port: int = 0,
    ) -> None:
        self.port = 0
        self.end: str | OSError = ""
        ready = threading.Event()

        def started(port: int, stop: Callable[[], None]) -> None:
            self.port, self._stop = port, stop
            ready.set()

        def run_it() -> None:
            at = f"127.0.0.1:{port}"
            self.end = serve(choose, address=at, token=token, software="kit", tls=tls, started=started)

        self.thread = threading.Thread(target=run_it)
        self.thread.start()
        assert ready.wait(20)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._stop()
        self.thread.join(20)
        assert not self.thread.is_alive()
        assert self.end == "stopped"


def with_gateway(
    test: Callable[[Gateway], Awaitable[None]], notify: Callable[[News], None] = lambda _news: None
) -> None:
    async def main(bridge: Bridge) -> None:
        with trio.fail_after(40):
            async with open_gateway(
                bridge,
                address="127.0.0.1:0",
                authenticate=lambda _: None,
                league="kit",
                terms=Terms(allow_private=True),
                notify=notify,
            ) as gateway:
                await test(gateway)

    run(main)


class Caller:
    """Somebody who calls a bot and says what he likes."""

    def __init__(self, channel: grpc.Channel, nonce: str | None = NONCE.hex(), instance: str = "") -> None:
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        make: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(wire.BOT_METHOD)
        keys = {wire.NONCE_KEY: nonce, wire.INSTANCE_KEY: instance or None}
        metadata = tuple((key, value) for key, value in keys.items() if value is not None)
        self.call = make(iter(self._outgoing.get, None), metadata=metadata)

    def say(self, *messages: pb.ArenaMessage) -> None:
        self.raw(pb.ArenaFrame(messages=messages).SerializeToString())

    def raw(self, data: bytes) -> None:
        self._outgoing.put(data)

    def hear(self) -> pb.BotMessage:
        return pb.BotFrame.FromString(next(self.call)).messages[0]

    def refused(self) -> tuple[grpc.StatusCode, str]:
        """How the bot ends the call, without another word."""
        with pytest.raises(grpc.RpcError):
            next(self.call)
        return self.call.code(), self.call.details()

    def leave(self) -> None:
        self._outgoing.put(None)
        self.call.cancel()


@contextmanager
def called(choose: Callable[[Turn], Choice] = first_legal) -> Iterator[Callable[..., Caller]]:
    """A bot that serves, and how to call it."""
    bot = Served(choose)
    callers = []
    try:
        with grpc.insecure_channel(bot.address) as channel:

            def call(nonce: str | None = NONCE.hex(), instance: str = "") -> Caller:
                callers.append(Caller(channel, nonce, instance))
                return callers[-1]

            yield call
            for caller in callers:
                caller.leave()
    finally:
        bot.stop()


def welcome(hello: pb.Hello, key: bytes = KEY) -> pb.ArenaMessage:
    proof = wire.proof(key, wire.WELCOME_PROOF, hello.nonce)
    return pb.ArenaMessage(welcome=pb.Welcome(version=1, name="ann", tables=8, proof=proof))


def never(_turn: Turn) -> Choice:
    raise AssertionError("a stranger was answered")


PING = pb.ArenaMessage(ping=pb.Ping(nonce=7))
QUESTION = pb.ArenaMessage(question=pb.Question(decision=1, ask=pb.ASK_PLAY, count=1, legal=[pb.CARD_2C]))
