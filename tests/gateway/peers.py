"""Real streams for the tests: a gateway on port 0, and scripted bots that say exactly what they are told to."""

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

import grpc
import pytest
import trio

from arena.clock import TimeControl
from arena.gateway import wire
from arena.gateway.bridge import Bridge, run
from arena.gateway.connection import Limits
from arena.gateway.dialer import Dial, Terms
from arena.gateway.player import PlayerSeat
from arena.gateway.server import Gateway, News, open_gateway
from arena.gateway.tape import Kept
from arena.rules.catalogue import rules
from arena.rules.deal import Deal
from arena.rules.match import Match
from arena.seat import Start
from arena.v1 import arena_pb2 as pb
from tests.fakes import FRESH, Answered, Put, put
from tests.gateway.links import DialsIn, IsDialled, Link
from tests.strategies import fresh

CLASSIC = rules("classic", 4)
PATIENCE_S = 300.0  # a test that hangs fails after it: pytest's own time-out would leave trio running for the next one


async def until(true: Callable[[], object]) -> None:
    """Return when it is true: for what no event tells."""
    while True:
        if true():
            return
        await trio.sleep(0.002)


class Peer:
    """The bot's end of one stream."""

    def __init__(self, bridge: Bridge, link: Link, key: bytes | None = None) -> None:
        """Nothing is sent before the first `send`. With a key, Hello proves it to who has dialled."""
        self.accepted: list[int] = []
        self.heard: list[bytes] = []  # frames
        self.link = link
        self.key = key
        self._bridge = bridge
        self._messages: list[pb.ArenaMessage] = []

    async def raw(self, data: bytes) -> None:
        """Send bytes, whatever they are."""
        await self._bridge.aio(self.link.write(data))

    async def send(self, *messages: pb.BotMessage) -> None:
        """Send one frame."""
        await self.raw(pb.BotFrame(messages=messages).SerializeToString())

    async def hello(self, oldest: int = 1, newest: int = 1, tables: int = 8, software: str = "test 1") -> pb.Welcome:
        """Say hello and be welcome."""
        await self.greet(oldest, newest, tables, software)
        return (await self.expect("welcome")).welcome

    async def greet(self, oldest: int = 1, newest: int = 1, tables: int = 8, software: str = "test 1") -> None:
        """Say hello."""
        await self.say(pb.Hello(oldest_version=oldest, newest_version=newest, tables=tables, software=software))

    async def say(self, hello: pb.Hello) -> None:
        """Say this hello, proved where the arena has dialled."""
        if isinstance(self.link, IsDialled):
            nonce = await self._bridge.aio(self.link.called())
            if self.key is not None and not hello.proof:
                hello.proof = wire.proof(self.key, wire.HELLO_PROOF, nonce)
        await self.send(pb.BotMessage(hello=hello))

    async def answer(self, decision: int, *cards: int) -> None:
        """Send an answer of cards as the wire numbers them."""
        await self.send(pb.BotMessage(answer=answer(decision, *cards)))

    async def pong(self) -> int:
        """Wait for a ping and answer it; its nonce."""
        message = await self._next()
        assert message.WhichOneof("kind") == "ping", message
        await self.send(pb.BotMessage(pong=pb.Pong(nonce=message.ping.nonce)))
        return message.ping.nonce

    async def expect(self, kind: str) -> pb.ArenaMessage:
        """The next message that is no ping, which is of that kind."""
        while True:
            message = await self._next()
            found = message.WhichOneof("kind")
            if found != "ping":
                assert found == kind, message
                return message

    async def _next(self) -> pb.ArenaMessage:
        while not self._messages:
            data = await self.read()
            assert data is not None, await self.status()
            frame = pb.ArenaFrame.FromString(data)
            self._messages += frame.messages
            self.accepted += frame.accepted
        return self._messages.pop(0)

    async def read(self) -> bytes | None:
        """The next frame as bytes; None at the end of the stream."""
        data = await self._bridge.aio(self.link.read())
        if data is not None:
            self.heard.append(data)
        return data

    async def status(self) -> tuple[grpc.StatusCode, str]:
        """How the stream ended; reads and forgets what is still to come."""
        while await self.read() is not None:
            pass
        return await self._bridge.aio(self.link.status())

    async def end(self) -> None:
        """Drop the connection."""
        await self._bridge.aio(self.link.close())


def answer(decision: int, *cards: int) -> pb.Answer:
    """An answer of cards as the wire numbers them, also such as there are not."""
    return pb.Answer(decision=decision, cards=[pb.Card.ValueType(card) for card in cards])


class Way(Enum):
    """Who dials whom."""

    IN = "dial-in"  # the bot
    OUT = "dial-out"  # the arena


@dataclass
class House:
    """A gateway and the bots of a test."""

    bridge: Bridge
    gateway: Gateway
    news: list[News]
    way: Way = Way.IN
    peers: list[Peer] = field(default_factory=list)

    def dials_in(self, token: str | None) -> Peer:
        """A bot that dials in and has said nothing yet."""
        peer = Peer(self.bridge, DialsIn(f"127.0.0.1:{self.gateway.port}", token))
        self.peers.append(peer)
        return peer

    async def is_dialled(self, name: str, token: str | None = None, key: bytes | None = None) -> Peer:
        """A bot that the arena dials from now on, as one whose token is its name unless ``key`` says otherwise."""
        link = IsDialled()
        await self.bridge.aio(link.start())
        peer = Peer(self.bridge, link, wire.key_of(token or name))
        self.peers.append(peer)
        self.gateway.dial(Dial(name, f"127.0.0.1:{link.port}", key or wire.key_of(name)))
        return peer

    async def stranger(self, name: str) -> Peer:
        """A stream of the test's way that has said nothing yet."""
        return await self.is_dialled(name) if self.way is Way.OUT else self.dials_in(name)

    async def bot(self, name: str = "ann", tables: int = 8) -> Peer:
        """A bot that is in; its token is its name."""
        peer = await self.stranger(name)
        await peer.hello(tables=tables)
        return peer

    async def gone(self, name: str) -> None:
        """Wait until the arena knows that the bot is away."""
        while self.gateway.player(name).connected:
            await self.gateway.wait_change()

    async def told(self, words: str) -> None:
        """Wait until something has happened for which these words are given: of limits that are as short as the
        machine is slow, others than that of the test may be passed before.
        """
        await until(lambda: any(words in news.reason for news in self.news))

    async def drop(self, peer: Peer, name: str) -> None:
        """Cut the bot's connection, and wait until the arena knows."""
        await peer.end()
        await self.gone(name)

    def game(self, table: int = 1, names: Sequence[str] = ("ann", "bob", "cem", "dee")) -> "Game":
        """A table with a deal at its first lead."""
        return Game(self, table, self.gateway.seats(table, names))


@dataclass
class Game:
    """A table without a referee: the test puts the questions."""

    house: House
    table: int
    seats: tuple[PlayerSeat, ...]
    deal: Deal = field(default_factory=lambda: fresh(CLASSIC, 7, 3))  # the deal without a pass
    match: Match = field(default_factory=lambda: Match(CLASSIC))

    def start(self, seat: int) -> None:
        """Tell a seat that the match begins."""
        self.seats[seat].start(Start(f"m{self.table}", seat, ("ann", "bob", "cem", "dee"), CLASSIC, self.match))

    def request(self, decision: int, control: TimeControl | None = None) -> Put:
        """The question that is open."""
        question = self.deal.pending()[0]
        request = put(decision, question, self.deal, self.match, control or FRESH, trio.current_time())
        request.away_before_s = self.seats[question.seat].away_s()
        return request


@dataclass
class Later:
    """Who has asked, and will hear of answers."""

    request: Put

    async def get(self) -> Answered:
        """The next answer, when it is there."""
        await until(lambda: bool(self.request.answers))
        return self.request.answers.pop(0)


def ask(seat: PlayerSeat, request: Put) -> Later:
    """Put a question."""
    seat.ask(request)
    return Later(request)


@asynccontextmanager
async def housed(
    bridge: Bridge, limits: Limits | None = None, tables: int = wire.TABLES_LIMIT, way: Way = Way.IN
) -> AsyncIterator[House]:
    """A gateway in which the token of a bot is its name, if it is a word."""
    news: list[News] = []
    async with open_gateway(
        bridge,
        address="127.0.0.1:0",
        authenticate=lambda token: token if token.isalpha() else None,
        league="the test",
        tables=tables,
        limits=limits,
        notify=news.append,
        terms=Terms(allow_private=True),
        transcripts=Kept.ALL,
    ) as gateway:
        house = House(bridge, gateway, news, way)
        try:
            yield house
        finally:
            with trio.CancelScope(shield=True):
                for peer in house.peers:
                    await peer.end()


Test: TypeAlias = Callable[[House], Coroutine[object, object, None]]


def in_house(
    limits: Limits | None = None, tables: int = wire.TABLES_LIMIT, way: Way = Way.IN
) -> Callable[[Test], Callable[[], None]]:
    """Make a test of a coroutine function that takes a House."""

    def decorate(test: Test) -> Callable[[], None]:
        def in_real_time() -> None:
            async def main(bridge: Bridge) -> None:
                with trio.fail_after(PATIENCE_S):
                    async with housed(bridge, limits, tables, way) as house:
                        await test(house)

            run(main)

        in_real_time.__name__ = test.__name__
        in_real_time.__doc__ = test.__doc__
        return in_real_time

    return decorate


def both_ways(limits: Limits | None = None, tables: int = wire.TABLES_LIMIT) -> Callable[[Test], Callable[[Way], None]]:
    """As `in_house`, once with bots that dial in and once with bots that are dialled: it is one protocol."""

    def decorate(test: Test) -> Callable[[Way], None]:
        def in_real_time(way: Way) -> None:
            in_house(limits, tables, way)(test)()

        in_real_time.__name__ = test.__name__
        in_real_time.__doc__ = test.__doc__
        marked: Callable[[Way], None] = pytest.mark.parametrize("way", Way, ids=lambda way: way.value)(in_real_time)
        return marked

    return decorate
