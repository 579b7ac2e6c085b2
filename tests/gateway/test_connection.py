"""What a bot may not do to the arena, and what it is told when it does."""

import asyncio

import grpc
import pytest
import trio

from arena.gateway import encoder
from arena.gateway.bridge import Bridge, run
from arena.gateway.connection import TRANSPORT_LIMIT, Connection, End, Limits, Traffic
from arena.gateway.player import Player
from arena.gateway.server import Event
from arena.v1 import arena_pb2 as pb
from tests.gateway.peers import House, Peer, Way, answer, ask, both_ways, in_house


async def closed(house: House, peer: Peer, name: str = "ann") -> tuple[grpc.StatusCode, str]:
    """How the stream ended, when the arena has noted it."""
    status = await peer.status()
    await house.gone(name)
    player = house.gateway.players[name]
    assert player.last_reason == status[1]
    assert player.tables == 0
    assert [one.event for one in house.news] == [Event.CONNECTED, Event.DISCONNECTED]
    assert house.news[-1].reason == status[1]
    assert "\n" not in status[1]
    return status


@both_ways()
async def test_garbage_ends_the_stream_and_leaves_the_question_open(house: House) -> None:
    game = house.game()
    seat = game.deal.pending()[0].seat
    name = game.seats[seat].name
    peer = await house.bot(name)
    game.start(seat)
    later = ask(game.seats[seat], game.request(1))
    await peer.raw(b"\xff garbage")
    code, reason = await closed(house, peer, name)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "garbage" in reason
    again = await house.bot(name)
    await again.answer(1, pb.CARD_2C)
    assert (await later.get()).faces == (0,)


@both_ways()
async def test_a_frame_above_the_limit_is_told_its_size(house: House) -> None:
    peer = await house.bot()
    await peer.raw(bytes(65_537))
    code, reason = await closed(house, peer)
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "65537" in reason


@both_ways()
async def test_a_frame_above_the_transport_s_limit_ends_the_stream(house: House) -> None:
    """gRPC answers this one itself; the arena only sees the stream break."""
    peer = await house.bot()
    await peer.raw(bytes(TRANSPORT_LIMIT + 1))
    code, _ = await peer.status()
    await house.gone("ann")
    assert code is (grpc.StatusCode.CANCELLED if house.way is Way.OUT else grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert str(TRANSPORT_LIMIT) in house.gateway.players["ann"].last_reason


@both_ways()
async def test_too_many_messages_in_a_frame_are_told_their_number(house: House) -> None:
    peer = await house.bot()
    await peer.send(*[pb.BotMessage(answer=answer(1))] * 1025)
    code, reason = await closed(house, peer)
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "1025" in reason


@pytest.mark.parametrize(
    "message",
    [
        pb.BotMessage(pong=pb.Pong(nonce=99)),
        pb.BotMessage(answer=answer(99)),
        pb.BotMessage(hello=pb.Hello()),
        pb.BotMessage(),
    ],
    ids=["pong", "stale answer", "hello", "unknown"],
)
@pytest.mark.parametrize("way", Way)
def test_a_flood_of_useless_messages_ends_the_stream(message: pb.BotMessage, way: Way) -> None:
    @in_house(Limits(useless=50), way=way)
    async def flood(house: House) -> None:
        peer = await house.bot()
        await peer.send(*[message] * 51)
        code, reason = await closed(house, peer)
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert "flood" in reason

    flood()


@both_ways(Limits(useless=50))
async def test_large_frames_of_nothing_count_by_the_kilobyte(house: House) -> None:
    peer = await house.bot()
    await peer.raw(b"\xfa\x3e\xb0\xea\x01" + bytes(30_000))  # one unknown field
    await peer.raw(b"\xfa\x3e\xb0\xea\x01" + bytes(30_000))
    assert "flood" in (await closed(house, peer))[1]


@both_ways(Limits(unread=2000))
async def test_a_bot_that_comes_back_to_many_tables_has_not_read_too_little(house: House) -> None:
    """All that it is told then is there at once, before it could have read anything of it."""
    tables = range(20)
    games = [house.game(table, ("ann",)) for table in tables]
    for game in games:
        game.start(0)
    peer = await house.bot()
    assert [(await peer.expect("match_start")).match_start.table for _ in tables] == list(tables)
    assert sum(map(len, peer.heard)) > 2000
    assert house.gateway.players["ann"].connected


@both_ways(Limits(unread=2000))
async def test_a_bot_that_does_not_read_is_closed_when_too_much_waits_for_it(house: House) -> None:
    peer = await house.bot()
    player = house.gateway.players["ann"]
    game = house.game(names=("ann",) * 4)
    while player.connected:
        for _ in range(100):  # what the transport takes, and more than may wait
            game.start(0)
        await trio.lowlevel.checkpoint()
    assert "does not read" in player.last_reason
    code = (await peer.status())[0]
    # what does not fit into the stream is no goodbye
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED or (house.way is Way.OUT and code is grpc.StatusCode.CANCELLED)


@both_ways(Limits(ping_s=0.02, dead_s=0.05))
async def test_a_peer_that_answers_no_ping_is_closed_as_dead(house: House) -> None:
    peer = await house.bot()
    code, reason = await closed(house, peer)
    assert code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert "ping" in reason


@both_ways(Limits(ping_s=0.01, dead_s=20))
async def test_pings_measure_the_latency_and_keep_a_bot_alive(house: House) -> None:
    game = house.game(names=("ann",) * 4)
    seat = game.seats[0]
    peer = await house.bot()
    assert seat.latency_s() == 0
    assert await peer.pong() == 1
    assert await peer.pong() == 2  # sent only after the first was answered
    first = seat.latency_s()
    assert first > 0
    assert await peer.pong() == 3
    assert await peer.pong() == 4
    assert 0 < seat.latency_s() <= first
    await house.drop(peer, "ann")
    assert seat.latency_s() == 0


@in_house()
async def test_a_pong_that_was_guessed_before_its_ping_went_gives_no_time_and_takes_none(house: House) -> None:
    """The numbers of pings can be guessed, and what is read late had come before."""
    seat = house.game(names=("ann",) * 4).seats[0]
    await house.bot()
    (connection,) = house.gateway._connections.values()
    before = trio.current_time()
    connection.ping()
    connection._frame(pb.BotFrame(messages=[pb.BotMessage(pong=pb.Pong(nonce=1))]).SerializeToString(), before - 1)
    assert seat.latency_s() == 0
    connection.ping()
    connection._frame(pb.BotFrame(messages=[pb.BotMessage(pong=pb.Pong(nonce=2))]).SerializeToString(), before + 1)
    assert 0 < seat.latency_s() <= 1


@in_house()
async def test_a_pong_of_another_ping_than_the_last_or_a_second_one_measures_nothing(house: House) -> None:
    seat = house.game(names=("ann",) * 4).seats[0]
    await house.bot()
    (connection,) = house.gateway._connections.values()
    connection.ping()
    now = trio.current_time()
    for nonce, after_s, latency_s in ((2, 60.0, 0.0), (0, 60.0, 0.0), (1, 60.0, 60.0), (1, 30.0, 60.0)):
        pong = pb.BotMessage(pong=pb.Pong(nonce=nonce))
        connection._frame(pb.BotFrame(messages=[pong]).SerializeToString(), now + after_s)
        assert seat.latency_s() == pytest.approx(latency_s, abs=1.0)


@in_house(Limits(useless=50))
async def test_pongs_that_were_asked_for_are_not_useless(house: House) -> None:
    await house.bot()
    (connection,) = house.gateway._connections.values()
    now = trio.current_time()
    for nonce in range(1, 200):
        connection.ping()
        pong = pb.BotMessage(pong=pb.Pong(nonce=nonce))
        connection._frame(pb.BotFrame(messages=[pong]).SerializeToString(), now)
    assert not connection._ended.done()


@in_house(Limits(dead_s=1000.0))
async def test_a_ping_is_waited_for_as_long_as_the_limit_says(house: House) -> None:
    await house.bot()
    (connection,) = house.gateway._connections.values()
    connection.ping()
    connection._ping_at -= 500.0
    connection.ping()
    assert not connection._ended.done()
    connection._ping_at -= 500.0
    connection.ping()
    end = connection._ended.result()
    assert end.code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert end.reason.startswith("no answer to a ping for 1000.")


@pytest.mark.parametrize(("number", "after_s", "flood"), [(48, 0.9, False), (49, 0.9, True), (49, 1.1, False)])
def test_useless_messages_are_counted_by_the_second_and_one_more_for_a_frame_of_them(
    number: int, after_s: float, flood: bool
) -> None:
    @in_house(Limits(useless=50))
    async def count(house: House) -> None:
        await house.bot()
        (connection,) = house.gateway._connections.values()
        now = trio.current_time() + 60.0
        connection._frame(pb.BotFrame(messages=[pb.BotMessage()] * number).SerializeToString(), now)
        assert not connection._ended.done()
        connection._frame(b"", now + after_s)
        assert connection._ended.done() is flood

    count()


class Broken:
    """A call that gRPC gives up, when it is read or when it is written."""

    def __init__(self, what: str = "it broke", *, reads: bool = False) -> None:
        self.what, self.reads = what, reads

    async def read(self) -> object:
        if self.reads:
            await asyncio.get_running_loop().create_future()
        raise grpc.aio.InternalError(self.what)

    async def write(self, message: bytes) -> None:
        raise grpc.aio.InternalError(self.what)


@pytest.mark.parametrize(("reads", "doing"), [(False, "reading"), (True, "writing")])
@pytest.mark.parametrize("what", ["it broke", "x" * 1000])
def test_what_grpc_says_when_it_gives_up_a_call_is_why_it_is_over(reads: bool, doing: str, what: str) -> None:
    async def main(bridge: Bridge) -> None:
        call = Broken(what, reads=reads)
        connection = Connection(bridge, call, Player("ann", bridge.now), Limits(), Traffic(), lambda: None)
        connection.send(b"1")
        end = await bridge.aio(connection.run())
        reason = f"the connection was lost while {doing}: {what}"[:200]
        assert end == End(grpc.StatusCode.UNAVAILABLE, reason)

    run(main)


def test_an_error_of_ours_while_a_frame_is_read_is_not_the_bot_s() -> None:
    class Ours(Broken):
        async def read(self) -> object:
            raise LookupError("a bug")

    async def main(bridge: Bridge) -> None:
        connection = Connection(bridge, Ours(), Player("ann", bridge.now), Limits(), Traffic(), lambda: None)
        with pytest.raises(LookupError, match="a bug"):
            await bridge.aio(connection.run())

    run(main)


class Quiet:
    """A call that we have made, of which nothing comes until it is closed."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = asyncio.Event()

    async def read(self) -> object:
        await self.closed.wait()
        return grpc.aio.EOF

    async def write(self, message: bytes) -> None:
        self.written.append(message)

    async def close(self) -> None:
        self.closed.set()

    def why(self) -> str:
        raise AssertionError("it is known")


def test_a_goodbye_is_the_last_that_is_said_and_then_the_call_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.gateway.connection.GOODBYE_S", 600.0)

    async def main(bridge: Bridge) -> None:
        async def play() -> None:
            call = Quiet()
            connection = Connection(
                bridge, call, Player("ann", bridge.now), Limits(), Traffic(), lambda: None, parting=call
            )
            connection.end(grpc.StatusCode.ABORTED, "it is late")
            connection.end(grpc.StatusCode.OK, "and later")
            connection.send(b"what comes up afterwards")
            assert await connection.run() == End(grpc.StatusCode.ABORTED, "it is late")
            assert b"".join(call.written) == encoder.goodbye(10, "it is late")
            assert call.closed.is_set()

        await bridge.aio(play())

    run(main)


def test_what_is_said_to_a_connection_that_was_given_up_goes_nowhere() -> None:
    async def main(bridge: Bridge) -> None:
        async def play() -> None:
            call = Quiet()
            connection = Connection(bridge, call, Player("ann", bridge.now), Limits(), Traffic(), lambda: None)
            running = asyncio.ensure_future(connection.run())
            await asyncio.sleep(0)  # the writer waits for the first frame
            await asyncio.sleep(0)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            connection.send(b"too late")
            assert call.written == []

        await bridge.aio(play())

    run(main)


def test_that_a_bot_leaves_is_told_once() -> None:
    told: list[str] = []

    async def main(bridge: Bridge) -> None:
        player = Player("ann", bridge.now)
        connection = Connection(bridge, Broken(), player, Limits(), Traffic(), lambda: told.append("leaves"))
        player.attach(connection, 8, "", ())
        for _ in range(2):
            connection._frame(pb.BotFrame(messages=[pb.BotMessage(leave=pb.Leave())]).SerializeToString(), bridge.now())
            assert told == ["leaves"]

    run(main)


@both_ways()
async def test_a_second_connection_replaces_the_first_which_is_told(house: House) -> None:
    game = house.game(names=("ann",) * 4)
    first = await house.bot()
    game.start(0)
    await first.expect("match_start")
    player = house.gateway.players["ann"]
    away = player.away_s()
    second = house.dials_in("ann")  # also where the first was dialled
    await second.hello()
    code, reason = await first.status()
    assert code is grpc.StatusCode.ABORTED
    assert "newer connection" in reason
    assert player.connected
    assert player.away_s() == away
    assert (await second.expect("match_start")).match_start.table == 1
    game.start(1)
    assert (await second.expect("match_start")).match_start.seat == 1
    assert [one.event for one in house.news] == [Event.CONNECTED, Event.CONNECTED]


@both_ways()
async def test_a_cut_connection_is_noticed(house: House) -> None:
    peer = await house.bot()
    await house.drop(peer, "ann")
    reason = house.gateway.players["ann"].last_reason
    assert ("UNAVAILABLE" if house.way is Way.OUT else "lost") in reason
