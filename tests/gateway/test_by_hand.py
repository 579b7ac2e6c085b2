"""What peers may do that speak HTTP/2 by themselves, as no library would."""

import asyncio
import zlib

import pytest
import trio

from arena.gateway import doorstep, wire
from arena.gateway.connection import TRANSPORT_LIMIT, Limits
from arena.gateway.submissions import NoOffice, Standing, Status
from arena.v1 import arena_pb2 as pb
from tests.gateway.peers import House, in_house, until
from tests.gateway.test_abuse import PING, PREFACE, SETTINGS, comes_in

SHUT = b"\0\0\x06\x04\0\0\0\0\0" + b"\0\x04\0\0\0\0"  # settings: streams begin without a window
PING_HEARD = b"\0\0\x08\x06\x01\0\0\0\0" + bytes(8)


def called_by_hand(method: str, message: bytes, encoding: str = "identity", stream: int = 1) -> bytes:
    """The frames of HTTP/2 of a call of ann's with its first message, after those of the connection."""
    fields = {":path": method, ":authority": "x", "content-type": "application/grpc", "te": "trailers"}
    fields |= {"authorization": "Bearer ann", "grpc-encoding": encoding}
    headers = b"\x83\x86"  # POST, http
    for field, value in fields.items():
        headers += bytes((0, len(field))) + field.encode() + bytes((len(value),)) + value.encode()
    return frame_of(1, 4, headers, stream) + frame_of(0, 0, message_of(message), stream)


def frame_of(kind: int, flags: int, data: bytes, stream: int = 1) -> bytes:
    """A frame of HTTP/2."""
    return len(data).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + data


def message_of(data: bytes, *, packed: bool = False) -> bytes:
    """A message of gRPC's."""
    return bytes((packed,)) + len(data).to_bytes(4, "big") + data


HELLO = pb.BotFrame(
    messages=[pb.BotMessage(hello=pb.Hello(oldest_version=1, newest_version=1, tables=8))]
).SerializeToString()


async def heard(stream: trio.SocketStream, words: bytes) -> bytes:
    """What the arena says until it says these words."""
    said = b""
    while words not in said:
        data = await stream.receive_some()
        assert data, said
        said += data
    return said


@pytest.mark.parametrize("method", [wire.METHOD, wire.SUBMIT_METHOD, wire.STATUS_METHOD])
def test_calls_that_are_reset_as_soon_as_they_are_made_end_nothing_and_are_forgotten(
    method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Of a call that is gone not even the address is known any more."""
    calls = [
        called_by_hand(method, HELLO, stream=number) + frame_of(3, 0, b"\0\0\0\x08", number)
        for number in range(1, 1001, 2)
    ]

    @in_house()
    async def test(house: House) -> None:
        await house.bot("bob")
        tasks = len(asyncio.all_tasks(house.bridge.loop))
        for _ in range(10):
            stream = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
            await stream.send_all(PREFACE + SETTINGS + b"".join(calls) + PING)
            await heard(stream, PING_HEARD)
            await stream.aclose()
        await until(lambda: len(asyncio.all_tasks(house.bridge.loop)) <= tasks)
        assert not house.gateway._doorstep._peers
        await until(lambda: not house.gateway._lingering._peers)
        await comes_in(house, "ann")

    test()
    assert "Unexpected" not in caplog.text  # so gRPC writes of an error of ours


@in_house(Limits(unread=2000))
async def test_a_bot_that_takes_not_a_byte_is_closed_and_leaves_nothing_with_its_connection(house: House) -> None:
    """It never opens its window, so that it cannot even be told."""
    player = house.gateway.player("ann")
    game = house.game(names=("ann",) * 4)
    tasks = len(asyncio.all_tasks(house.bridge.loop))
    stream = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
    await stream.send_all(PREFACE + SHUT + called_by_hand(wire.METHOD, HELLO))
    await until(lambda: player.connected)
    while player.connected:
        game.start(0)
        await trio.lowlevel.checkpoint()
    assert "does not read" in player.last_reason
    await stream.aclose()
    await until(lambda: len(asyncio.all_tasks(house.bridge.loop)) <= tasks)
    await until(lambda: not house.gateway._lingering._peers)
    await house.bot("bob")


@pytest.mark.parametrize(("method", "message"), [(wire.STATUS_METHOD, b""), (wire.METHOD, HELLO)])
def test_calls_that_are_over_and_stay_are_bounded_by_address(
    method: str, message: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or who takes no status could hold all the calls that there may be, and much of what was said to them."""
    monkeypatch.setattr(doorstep, "LINGERING", 3)
    monkeypatch.setattr(NoOffice, "status", lambda _office, _name: Status(Standing.ADMITTED))

    @in_house(Limits(hello_s=0.1))
    async def test(house: House) -> None:
        said = b""
        streams: list[trio.SocketStream] = []
        while b"are over and have not taken" not in said:
            assert len(streams) < 10
            stream = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
            streams.append(stream)
            await stream.send_all(PREFACE + SHUT + called_by_hand(method, message))
            # Each is over for the arena: answered, or replaced by the next.
            with trio.move_on_after(0.5):
                said = await heard(stream, b"grpc-message")
        assert len(streams) > 3
        for stream in streams:
            await stream.aclose()
        await comes_in(house, "bob")

    test()


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_message_that_is_small_only_as_it_travels_is_refused(encoding: str) -> None:
    """Sixty megabytes in sixty kilobytes; what is unpacked is bounded as what is not."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31 if encoding == "gzip" else 15)
    bomb = b"".join(packer.compress(bytes(2**20)) for _ in range(60)) + packer.flush()

    @in_house()
    async def test(house: House) -> None:
        await house.bot("bob")
        stream = await trio.open_tcp_stream("127.0.0.1", house.gateway.port)
        await stream.send_all(PREFACE + SETTINGS + called_by_hand(wire.METHOD, HELLO, encoding))
        await heard(stream, b"the test")  # Welcome
        packed = message_of(bomb, packed=True)
        for start in range(0, len(packed), 16_000):
            await stream.send_all(frame_of(0, 0, packed[start : start + 16_000]))
        assert b"larger than max" in await heard(stream, b"grpc-message$")
        await house.gone("ann")
        assert str(TRANSPORT_LIMIT) in house.gateway.players["ann"].last_reason
        assert house.gateway.players["bob"].connected
        await stream.aclose()

    test()
