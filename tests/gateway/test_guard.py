"""Connections without a bot are bounded by address, and those of bots are left alone."""

import asyncio
import os
import socket
import ssl
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from ipaddress import ip_address
from pathlib import Path

import grpc
import pytest
import trio
import trio.lowlevel
from hypothesis import given
from hypothesis import strategies as st

from arena.gateway import guard, listen
from arena.gateway.connection import Limits
from arena.gateway.guard import PATIENCE_S, Stranger, too_many
from arena.gateway.server import Event
from arena.gateway.tls import ServerTls
from tests.gateway.certificates import made, needs_openssl
from tests.gateway.peers import House, Peer, in_house, until
from tests.gateway.test_abuse import CALL, PREFACE, SETTINGS, files
from tests.gateway.test_bar import BOT, NEWCOMER, STRANGER, apart, connected
from tests.gateway.test_tls import opened

MANY = 10**9


guarded = pytest.mark.skipif(not guard.is_possible(), reason=f"there is no {guard.OPEN_FILES}")


def strangers(numbers: dict[str, int], age_s: float) -> list[Stranger]:
    return [Stranger((ip_address(one), port), age_s) for one, number in numbers.items() for port in range(number)]


def shut(*args: Stranger, bots: int = 0, limit: int = MANY, limit_peer: int = 3) -> Counter[str]:
    found = too_many(args, bots, limit=limit, limit_peer=limit_peer)
    return Counter(str(one.far[0]) for one in found)


def test_an_address_may_have_so_many_that_had_their_time() -> None:
    there = strangers({STRANGER: 5, NEWCOMER: 3}, PATIENCE_S)
    assert shut(*there) == {STRANGER: 2}
    assert shut(*strangers({STRANGER: 5, NEWCOMER: 3}, PATIENCE_S - 1)) == {}


def test_what_has_been_there_longest_goes_first() -> None:
    there = [Stranger((ip_address(STRANGER), age), age) for age in (9, 7, 30, 8, 20)]
    assert [one.age_s for one in too_many(there, 0, limit=MANY, limit_peer=3)] == [20, 30]


def test_nobody_has_time_where_less_than_a_quarter_is_free() -> None:
    there = strangers({STRANGER: 11, NEWCOMER: 1}, 0)
    assert shut(*there, limit=16) == {}
    assert shut(*there, limit=16, bots=1) == {STRANGER: 8}


def test_the_bound_is_halved_until_a_quarter_is_free() -> None:
    there = strangers({f"127.0.0.{last}": 8 for last in range(2, 6)} | {NEWCOMER: 1}, 0)
    assert shut(*there, limit=16, limit_peer=8) == {f"127.0.0.{last}": 6 for last in (2, 4, 5)}


def test_a_network_of_ipv6_is_one_address() -> None:
    there = strangers({f"2001:db8::{last}": 1 for last in range(1, 6)} | {"2001:db8:0:1::1": 3}, PATIENCE_S)
    assert shut(*there).total() == 2


PLACES = [f"10.0.0.{last}" for last in range(6)]


@given(
    st.lists(st.tuples(st.sampled_from(PLACES), st.floats(0, 20)), max_size=60),
    st.integers(0, 40),
    st.integers(1, 80),
    st.integers(1, 16),
)
def test_too_many_are_no_more_than_have_to_go(
    there: list[tuple[str, float]], bots: int, limit: int, limit_peer: int
) -> None:
    everybody = [Stranger((ip_address(place), port), age_s) for port, (place, age_s) in enumerate(there)]
    surplus = too_many(everybody, bots, limit=limit, limit_peer=limit_peer)
    assert len(set(surplus)) == len(surplus)
    left = set(everybody) - set(surplus)
    room = limit - limit // 4 - bots
    by_place = Counter(one.far[0] for one in left)
    had_time = Counter(one.far[0] for one in left if one.age_s >= PATIENCE_S)
    assert all(number <= max(limit_peer, by_place[place] - had_time[place]) for place, number in by_place.items())
    assert all(number == 1 for number in by_place.values()) or len(left) <= max(room, 0) or not surplus
    assert set(by_place) == {one.far[0] for one in everybody}, "one of each address is always left"
    if len(everybody) <= room and all(number <= limit_peer for number in Counter(one for one, _ in there).values()):
        assert not surplus


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen connections in all, and a guard that is always looking."""
    assert listen.CONNECTIONS in dict(listen.OPTIONS)
    monkeypatch.setattr(listen, "OPTIONS", (*listen.OPTIONS, (listen.CONNECTIONS, 16)))
    monkeypatch.setattr(guard, "LOOK_S", 0.01)


@asynccontextmanager
async def from_there(port: int, source: str, said: bytes) -> AsyncIterator[trio.socket.SocketType]:
    """A connection from that address, on which so much was said."""
    with trio.socket.socket() as stream:
        await stream.bind((source, 0))
        await stream.connect((BOT, port))
        await stream.send(said)
        yield stream


async def hold(port: int, source: str, said: bytes) -> None:
    """One of the connections of a stranger, who opens it again whenever it is shut."""
    while True:
        with suppress(OSError):
            async with from_there(port, source, said) as stream:
                while await stream.recv(4096):
                    pass
        await trio.lowlevel.checkpoint()


async def tries(port: int, source: str) -> int:
    """How often a newcomer has to try until it is let in."""
    number = 0
    while True:
        number += 1
        with suppress(OSError):
            async with from_there(port, source, PREFACE + SETTINGS) as stream:
                if await stream.recv(1):
                    return number


SAID = {
    "silence": b"",
    "half a preface": PREFACE[:10],
    "no call": PREFACE + SETTINGS,
    "health": PREFACE + SETTINGS + CALL,
}


@apart
@guarded
@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("barred", [True, False], ids=["barred", "looked after"])
@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
def test_a_stranger_with_all_connections_keeps_nobody_out(
    said: bytes, barred: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not barred:
        monkeypatch.setattr(guard, "bar", lambda *_: False)

    @in_house(Limits(strangers_peer=4))
    async def test(house: House) -> None:
        port = house.gateway.port
        bob = await house.bot("bob")
        await tries(port, NEWCOMER)
        before = files()
        async with trio.open_nursery() as siege:
            for _ in range(24):
                siege.start_soon(hold, port, STRANGER, said)
            await until(lambda: crowded(house))
            assert await tries(port, NEWCOMER) <= 500
            await comes_in(house, "ann")
            await alive(house, bob)
            siege.cancel_scope.cancel()
        await until(lambda: files() <= before + 8)  # ann's, and those of gRPC's pollers
        assert house.gateway.players["bob"].connected
        assert crowded(house) == [STRANGER], "it is told once"

    test()


async def comes_in(house: House, name: str) -> None:
    """Dial in as often as it takes."""
    while True:
        peer = house.dials_in(name)
        with suppress(grpc.RpcError, asyncio.InvalidStateError):
            await peer.greet()
            if await peer.read() is not None:
                return
        await peer.end()


def crowded(house: House) -> list[str]:
    return [one.name for one in house.news if one.event is Event.CROWDED]


async def alive(house: House, peer: Peer) -> None:
    """The bot is asked, and answers."""
    for connection in tuple(house.gateway._connections.values()):
        connection.ping()
    await peer.pong()


@guarded
def test_a_bot_is_never_shut_whoever_shares_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "bar", lambda *_: False)
    names = ("ann", "bob", "cem", "dee", "eve", "fay")

    @in_house(Limits(strangers_peer=2))
    async def test(house: House) -> None:
        port = house.gateway.port
        bots = [await house.bot(name) for name in names]
        for _ in range(3):
            async with AsyncExitStack() as stack:
                there = [await stack.enter_async_context(from_there(port, BOT, PREFACE + SETTINGS)) for _ in range(10)]
                for stream in there:
                    assert await stream.recv(4096)
                house.gateway._guard.look(port, 8)  # bots alone are nearly too many for it
                assert [await hears_the_end(stream) for stream in there].count(True) == 9
        for bot in bots:
            await alive(house, bot)
        assert all(house.gateway.players[name].connected for name in names)

    test()


async def hears_the_end(stream: trio.socket.SocketType) -> bool:
    """Whether the other side has shut it, rather than let it say more and answered that."""
    try:
        await stream.send(b"\0\0\x08\x06\0\0\0\0\0" + b"answer..")
        said = b""
        while b"answer.." not in said:
            more = await stream.recv(4096)
            if not more:
                return True
            said += more
    except OSError:
        return True
    return False


@guarded
@in_house(Limits(strangers_peer=4))
async def test_a_connection_whose_bot_has_left_is_a_stranger_s(house: House) -> None:
    peer = await house.bot("bob")
    (far,) = house.gateway._guard._bots
    await house.drop(peer, "bob")
    await until(lambda: far not in house.gateway._guard._bots)


@apart
@guarded
@pytest.mark.usefixtures("narrow")
@needs_openssl
def test_handshakes_of_tls_that_come_to_nothing_keep_nobody_out(tmp_path: Path) -> None:
    pair = made(tmp_path, "arena")

    async def test(gateway: object) -> None:
        port: int = gateway.port  # type: ignore[attr-defined]
        async with trio.open_nursery() as siege:
            for number in range(24):
                siege.start_soon(hold, port, STRANGER, b"\x16\x03\x01\x02\0" if number % 2 else b"")
            for _ in range(20):
                await handshake(port, pair.certificate)
            siege.cancel_scope.cancel()

    opened(test, tls=ServerTls(pair.certificate, pair.key))


async def handshake(port: int, authority: Path) -> None:
    """Come in from elsewhere with TLS, in so many tries as it takes."""
    context = ssl.create_default_context(cafile=str(authority))
    context.set_alpn_protocols(["h2"])
    while True:
        try:
            async with from_there(port, NEWCOMER, b"") as plain:
                stream = trio.SSLStream(trio.SocketStream(plain), context, server_hostname=BOT)
                await stream.do_handshake()
                return
        except (OSError, trio.BrokenResourceError):
            await trio.lowlevel.checkpoint()


def test_an_address_is_news_again_when_it_has_been_quiet_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, told = [0.0], list[float]()
    here = guard.Guard(0, lambda _name, _what: told.append(clock[0]), lambda: clock[0])
    monkeypatch.setattr(os, "listdir", lambda _: ["3", "4"])
    monkeypatch.setattr(guard, "_far", lambda file, _port: (ip_address("192.0.2.1"), file))
    monkeypatch.setattr(guard, "_shut", lambda *_: None)
    for now in (0.0, PATIENCE_S, PATIENCE_S + 1, PATIENCE_S + 1 + guard.QUIET_S):
        clock[0] = now
        here.look(7070, 1024)
    assert told == [PATIENCE_S, PATIENCE_S + 1 + guard.QUIET_S]


def test_where_a_process_is_not_shown_its_files_that_is_said_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(guard, "OPEN_FILES", tmp_path / "none")

    @in_house()
    async def test(house: House) -> None:
        await house.bot("bob")
        await until(lambda: any(one.event is Event.UNGUARDED for one in house.news))

    test()


@guarded
@in_house()
async def test_few_files_are_only_counted(house: House) -> None:
    def look(*_: object) -> None:
        raise AssertionError("it looks at a file")

    await house.bot("bob")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guard, "_far", look)
        guard.Guard(files(), look, house.bridge.now).look(house.gateway.port, 1024)
        with pytest.raises(AssertionError):
            guard.Guard(files() - 2, look, house.bridge.now).look(house.gateway.port, 1024)


def test_a_file_that_is_another_by_now_is_left_alone(tmp_path: Path) -> None:
    with socket.create_server((BOT, 0)) as listener, (tmp_path / "x").open("w") as file:
        port = listener.getsockname()[1]
        with connected(port) as (mine, theirs):
            far = ip_address(BOT), mine.getsockname()[1]
            before = files()
            guard._shut(theirs.fileno(), port, (far[0], far[1] + 1))
            guard._shut(listener.fileno(), port, far)
            guard._shut(mine.fileno(), port, far)
            assert files() == before
            mine.sendall(b"x")
            assert theirs.recv(1) == b"x"
            guard._shut(theirs.fileno(), port, far)
            assert mine.recv(1) == b""
            assert files() == before
        guard._shut(theirs.fileno(), port, far)  # -1: closed
        file.write("still open")
