"""What strangers and broken bots may do to the arena: everything is bounded, closed, and leaves nothing behind."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import grpc
import pytest
import trio
from grpc_reflection.v1alpha import reflection_pb2

from arena.gateway import guard, listen, services, wire
from arena.gateway.connection import Limits
from arena.gateway.server import Event
from arena.v1 import arena_pb2 as pb
from tests.gateway.links import DialsIn
from tests.gateway.peers import House, Peer, Way, both_ways, in_house, until

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = b"\0\0\0\x04\0\0\0\0\0"
WATCH = b"\x83\x86\x01\x01x\x04\x1c/grpc.health.v1.Health/Watch\x0f\x10\x10application/grpc\0\x02te\x08trailers"
CALL = len(WATCH).to_bytes(3, "big") + b"\x01\x04\0\0\0\x01" + WATCH  # its headers, and no message
PING = b"\0\0\x08\x06\0\0\0\0\0" + bytes(8)


async def closed(stream: trio.SocketStream) -> bytes:
    """All that the arena says on a connection until it closes it."""
    said = b""
    with suppress(trio.BrokenResourceError):
        while data := await stream.receive_some():
            said += data
    await stream.aclose()
    return said


@pytest.mark.parametrize(
    ("option", "bytes_sent"),
    [
        ("grpc.server_handshake_timeout_ms", b""),
        ("grpc.server_handshake_timeout_ms", PREFACE[:10]),
        ("grpc.max_connection_idle_ms", PREFACE + SETTINGS),
    ],
    ids=["silence", "half a preface", "no call"],
)
def test_a_connection_that_comes_to_no_call_is_closed(
    option: str, bytes_sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert option in dict(listen.OPTIONS)
    monkeypatch.setattr(listen, "OPTIONS", (*(one for one in listen.OPTIONS if one[0] != option), (option, 100)))

    @in_house()
    async def connect(house: House) -> None:
        peer = await house.bot("bob")
        stream = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
        await stream.send_all(bytes_sent)
        await closed(stream)
        assert house.gateway.players["bob"].connected
        await peer.send(pb.BotMessage(leave=pb.Leave()))
        await until(lambda: house.gateway.players["bob"].tables == 0)

    connect()


def test_a_machine_that_is_gone_in_the_middle_of_a_call_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers no ping of the transport; the call itself could stay for ever."""
    short = ("grpc.keepalive_time_ms", "grpc.keepalive_timeout_ms", "grpc.http2.ping_timeout_ms")
    assert set(short) <= set(dict(listen.OPTIONS))
    others = (one for one in listen.OPTIONS if one[0] not in short)
    monkeypatch.setattr(listen, "OPTIONS", (*others, *((one, 100) for one in short)))
    monkeypatch.setattr(services, "REQUEST_S", 3600)

    @in_house()
    async def connect(house: House) -> None:
        await house.bot("bob")
        stream = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
        await stream.send_all(PREFACE + SETTINGS + CALL)
        assert b"ping_timeout" in await closed(stream)
        assert house.gateway.players["bob"].connected

    connect()


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)) * 64, PREFACE + b"\xff" * 64], ids=["http", "noise", "frames"]
)
def test_garbage_on_the_port_is_closed_and_harms_nobody(data: bytes) -> None:
    @in_house()
    async def connect(house: House) -> None:
        await house.bot("bob")
        stream = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
        await stream.send_all(data)
        await closed(stream)
        assert house.gateway.players["bob"].connected

    connect()


def test_connections_are_bounded_in_all_and_make_room_when_they_end(monkeypatch: pytest.MonkeyPatch) -> None:
    option = "grpc.max_allowed_incoming_connections"
    assert option in dict(listen.OPTIONS)
    monkeypatch.setattr(listen, "OPTIONS", (*(one for one in listen.OPTIONS if one[0] != option), (option, 4)))
    monkeypatch.setattr(guard, "LOOK_S", 3600)  # by address they are bounded by it

    @in_house()
    async def connect(house: House) -> None:
        await house.bot("bob")
        taken = []
        for _ in range(3):
            stream = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
            await stream.send_all(PREFACE + SETTINGS)
            assert await stream.receive_some()
            taken.append(stream)
        one_more = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
        assert await closed(one_more) == b"", "it is hung up before anything was said"
        assert house.gateway.players["bob"].connected
        for stream in taken:
            await stream.aclose()
        await until_there_is_room(house.gateway.port)
        await house.bot("ann")

    connect()


async def until_there_is_room(port: int) -> None:
    """Try until a connection is taken."""
    while True:
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        async with stream:
            with suppress(trio.BrokenResourceError):
                await stream.send_all(PREFACE + SETTINGS)
                if await stream.receive_some():
                    return


@pytest.mark.parametrize(
    "method",
    ["/grpc.health.v1.Health/Watch", "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"],
)
def test_streams_of_the_services_for_everybody_are_bounded(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "WATCHERS_PEER", 2)
    message = reflection_pb2.ServerReflectionRequest(list_services="")
    data = b"" if "health" in method else message.SerializeToString()

    async def watch(port: int) -> None:
        """Two streams that stay, and one more; when they have ended there is room again."""
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            make: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(method)
            streams = [make() for _ in range(2)]
            for stream in streams:
                assert await answers(stream, data)
            assert not await answers(make(), data)
            for stream in streams:
                stream.cancel()
            while not await answers(make(), data):
                pass  # the arena has yet to hear that they have ended

    @in_house()
    async def test(house: House) -> None:
        await house.bridge.aio(watch(house.gateway.port))
        await house.bot("bob")

    test()


ONE_MESSAGE = [
    wire.SUBMIT_METHOD,
    wire.STATUS_METHOD,
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/Watch",
]


@pytest.mark.parametrize("method", ONE_MESSAGE)
def test_calls_whose_message_does_not_come_are_bounded_by_address(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or one address could hold all the calls that there may be, and no bot could come back."""
    monkeypatch.setattr(services, "WATCHERS_PEER", 2)
    monkeypatch.setattr(services, "REQUEST_S", 3600)

    async def one_too_many(port: int) -> list[grpc.StatusCode]:
        async with silent_calls(port, method, 3) as calls:
            over = [asyncio.ensure_future(call.code()) for call in calls]
            done, _ = await asyncio.wait(over, return_when=asyncio.FIRST_COMPLETED)
            return [one.result() for one in done]

    @in_house(Limits(strangers_peer=2, hello_s=3600))
    async def test(house: House) -> None:
        port = house.gateway.port
        assert await house.bridge.aio(one_too_many(port)) == [grpc.StatusCode.RESOURCE_EXHAUSTED]
        await comes_in(house, "bob")  # those calls are over

    test()


@pytest.mark.parametrize("method", ONE_MESSAGE)
def test_a_call_whose_message_does_not_come_is_ended(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "REQUEST_S", 0.05)

    async def code(port: int) -> grpc.StatusCode:
        async with silent_calls(port, method, 1) as (call,):
            return await call.code()

    @in_house(Limits(hello_s=0.05))
    async def test(house: House) -> None:
        assert await house.bridge.aio(code(house.gateway.port)) is grpc.StatusCode.DEADLINE_EXCEEDED

    test()


@asynccontextmanager
async def silent_calls(
    port: int, method: str, number: int
) -> AsyncIterator[list["grpc.aio.StreamStreamCall[bytes, bytes]"]]:
    """Calls that have begun and say nothing."""
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        make: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(method)
        yield [make(metadata=(("authorization", "Bearer ann"),)) for _ in range(number)]


async def answers(stream: "grpc.aio.StreamStreamCall[bytes, bytes]", data: bytes) -> bool:
    """Whether the call is taken, and not refused as one too many."""
    try:
        await stream.write(data)
        return isinstance(await stream.read(), bytes)
    except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
        assert await stream.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        return False


@in_house()
async def test_a_flood_of_the_transport_s_pings_is_closed(house: House) -> None:
    await house.bot("bob")
    stream = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
    with suppress(trio.BrokenResourceError):  # it is closed before all is said
        await stream.send_all(PREFACE + SETTINGS + PING * 1000)
    await closed(stream)
    assert house.gateway.players["bob"].connected


@in_house(Limits(strangers_peer=3))
async def test_calls_that_do_not_say_hello_are_bounded_by_address(house: House) -> None:
    silent = [house.dials_in("ann") for _ in range(3)]
    for peer in silent:
        await house.bridge.aio(answered(peer))
    one_more = house.dials_in("bob")
    code, reason = await one_more.status()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "Hello" in reason
    assert [one.event for one in house.news] == [Event.REFUSED]
    await silent[0].hello()  # which makes room
    await house.dials_in("bob").hello()


async def answered(peer: Peer) -> None:
    """Wait until the arena has taken the call."""
    assert isinstance(peer.link, DialsIn)
    await peer.link.taken()


@in_house(Limits(strangers=2))
async def test_calls_that_do_not_say_hello_are_bounded_in_all(house: House) -> None:
    for _ in range(2):
        await house.bridge.aio(answered(house.dials_in("ann")))
    assert (await house.dials_in("bob").status())[0] is grpc.StatusCode.RESOURCE_EXHAUSTED


@in_house(Limits(strangers_peer=2, hello_s=0.05))
async def test_those_who_say_nothing_make_room_when_their_time_is_over(house: House) -> None:
    for _ in range(3):
        silent = [house.dials_in("ann") for _ in range(2)]
        for peer in silent:
            await peer.status()
    await comes_in(house, "bob")


async def comes_in(house: House, name: str) -> None:
    """Dial in until a Hello is heard in its time."""
    while True:
        peer = house.dials_in(name)
        await peer.greet()
        if await peer.read() is not None:
            return


@both_ways(Limits(useless=100))
async def test_a_flood_costs_nobody_else_and_is_told_once(house: House) -> None:
    await house.bot("bob")
    peer = await house.bot("ann")
    note = pb.BotFrame(messages=[pb.BotMessage(pong=pb.Pong(nonce=1))] * 60).SerializeToString()
    await peer.raw(note)
    await peer.raw(note)
    assert "flood" in (await peer.status())[1]
    await house.gone("ann")
    assert house.gateway.players["bob"].connected
    assert [one.name for one in house.news if one.event is Event.DISCONNECTED] == ["ann"]


def files() -> int:
    """Open file descriptors."""
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
@pytest.mark.parametrize("way", Way, ids=lambda way: way.value)
def test_two_hundred_faulted_connections_leave_nothing_behind(way: Way) -> None:
    @in_house(Limits(useless=10, hello_s=5), way=way)
    async def visits(house: House) -> None:
        async def visit(number: int) -> None:
            peer = await house.stranger("ann")
            match number % 5:
                case 0:
                    await peer.raw(b"\xff garbage")  # instead of Hello
                case 1:
                    await peer.greet(oldest=9, newest=9)
                case 2:
                    await peer.hello()
                    await peer.send(*[pb.BotMessage()] * 20)
                case 3:
                    await peer.hello()
                    await peer.raw(b"\xff")
                case _:
                    await peer.hello()  # and gone
            if number % 5 != 4:
                await peer.status()
            await peer.end()
            house.peers.clear()
            house.gateway.hang_up("ann", "next")
            await house.gone("ann")

        for number in range(10):
            await visit(number)
        loop = house.bridge.loop
        await until(lambda: not lines(house))
        tasks, threads, descriptors = len(asyncio.all_tasks(loop)), threading.active_count(), files()
        for number in range(200):
            await visit(number)
            house.news.clear()
        await until(lambda: not lines(house))
        await until(lambda: len(asyncio.all_tasks(loop)) <= tasks)
        await until(lambda: threading.active_count() <= threads + 1)
        await until(lambda: files() <= descriptors + 4)  # gRPC keeps a few for its pollers
        assert not house.gateway._connections
        assert not house.gateway._doorstep._peers
        await until(lambda: not house.gateway._lingering._peers)

    visits()


def lines(house: House) -> object:
    """Bots that are being dialled."""
    return house.gateway.dialer._lines


@in_house()
async def test_a_call_of_another_method_is_refused(house: House) -> None:
    async def call(method: str) -> grpc.StatusCode:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{house.gateway.port}") as channel:
            made: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method)
            try:
                await made(b"")
            except grpc.aio.AioRpcError as error:
                return error.code()
        return grpc.StatusCode.OK

    assert await house.bridge.aio(call(wire.BOT_METHOD)) is grpc.StatusCode.UNIMPLEMENTED
    assert await house.bridge.aio(call(wire.SUBMIT_METHOD)) is grpc.StatusCode.UNIMPLEMENTED
