"""How a stream begins, and every way in which it does not."""

import grpc
import pytest
import trio

from arena.gateway import dialer, wire
from arena.gateway.connection import Limits
from arena.gateway.server import Event
from arena.v1 import arena_pb2 as pb
from tests.gateway.links import IsDialled
from tests.gateway.peers import House, Peer, Way, both_ways, in_house

TOKEN = "ann"


@both_ways(tables=5)
async def test_a_bot_with_a_good_hello_is_welcome(house: House) -> None:
    peer = await house.stranger(TOKEN)
    welcome = await peer.hello(tables=7, software="Deep\0 Duck\x1b[31m 2.0\n\u2028\u202e\u200b")
    assert (welcome.version, welcome.name, welcome.league, welcome.tables) == (1, "ann", "the test", 5)
    player = house.gateway.players["ann"]
    assert player.connected
    assert player.tables == 5
    assert player.software == "Deep Duck[31m 2.0"  # nothing in it can move a terminal's cursor, or begin a line
    assert [one.event for one in house.news] == [Event.CONNECTED]


async def refused(house: House, peer: Peer) -> tuple[grpc.StatusCode, str]:
    status = await peer.status()
    while not house.news:
        await trio.lowlevel.checkpoint()
    (news,) = house.news
    if house.way is Way.IN:
        assert (news.event, news.reason) == (Event.REFUSED, status[1])
    else:
        step, _, reason = news.reason.partition(": ")
        assert (news.event, reason) == (Event.UNREACHABLE, status[1])
        assert step in ("hello", "version")
        assert house.gateway.players[TOKEN].last_reason == news.reason
    assert "\n" not in status[1]
    assert not any(player.connected for player in house.gateway.players.values())
    return status


@in_house()
async def test_no_token_is_unauthenticated(house: House) -> None:
    code, reason = await refused(house, house.dials_in(None))
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "Bearer" in reason


@in_house()
async def test_a_wrong_token_is_unauthenticated_and_not_repeated(house: House) -> None:
    code, reason = await refused(house, house.dials_in("s3cret-0815"))
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "s3cret" not in reason


@both_ways()
async def test_a_version_that_is_too_new_names_both_ranges(house: House) -> None:
    peer = await house.stranger(TOKEN)
    await peer.greet(oldest=2, newest=3)
    code, reason = await refused(house, peer)
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "2 to 3" in reason
    assert "1 to 1" in reason


@both_ways()
async def test_a_version_that_is_too_old_names_both_ranges(house: House) -> None:
    peer = await house.stranger(TOKEN)
    await peer.greet(oldest=0, newest=0)
    code, reason = await refused(house, peer)
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "0 to 0" in reason


@both_ways()
async def test_a_newer_bot_that_still_speaks_our_version_is_welcome(house: House) -> None:
    assert (await (await house.stranger(TOKEN)).hello(oldest=1, newest=9)).version == 1


@both_ways()
async def test_no_table_at_all_is_an_invalid_argument(house: House) -> None:
    peer = await house.stranger(TOKEN)
    await peer.greet(tables=0)
    code, reason = await refused(house, peer)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert reason.endswith("1 to 1024, not 0")


@both_ways()
async def test_too_many_tables_are_an_invalid_argument(house: House) -> None:
    peer = await house.stranger(TOKEN)
    await peer.greet(tables=1025)
    assert (await refused(house, peer))[1].endswith("not 1025")


@both_ways()
async def test_software_of_more_than_64_characters_is_an_invalid_argument(house: House) -> None:
    peer = await house.stranger(TOKEN)
    await peer.greet(software="x" * 65)
    code, reason = await refused(house, peer)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "65" in reason


@both_ways()
async def test_something_else_before_hello_is_a_failed_precondition(house: House) -> None:
    peer = await house.stranger(TOKEN)
    await peer.send(pb.BotMessage(pong=pb.Pong(nonce=1)))
    code, reason = await refused(house, peer)
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "pong" in reason


@both_ways()
async def test_garbage_instead_of_hello_is_an_invalid_argument(house: House) -> None:
    peer = await house.stranger(TOKEN)
    await peer.raw(b"\xff\xffnot protobuf")
    code, reason = await refused(house, peer)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "BotFrame" in reason


@both_ways()
async def test_an_oversize_hello_is_told_its_size(house: House) -> None:
    peer = await house.stranger(TOKEN)
    await peer.raw(bytes(70_000))
    code, reason = await refused(house, peer)
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "70000" in reason


@pytest.mark.parametrize("way", Way, ids=lambda way: way.value)
def test_a_silent_stranger_is_closed_after_the_deadline_for_hello(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialer, "PAUSES_S", (0.01, 0.02))  # on a slow machine, not every dial arrives in its time

    @in_house(Limits(hello_s=0.05), way=way)
    async def test(house: House) -> None:
        code, _ = await (await house.stranger(TOKEN)).status()
        # we cannot give up reading a call that we have made, and still say goodbye
        assert code is grpc.StatusCode.CANCELLED if way is Way.OUT else grpc.StatusCode.DEADLINE_EXCEEDED
        await house.told("ann: no Hello within 0.05 s")

    test()


@both_ways()
async def test_unknown_fields_and_messages_are_tolerated(house: House) -> None:
    hello = pb.Hello(oldest_version=1, newest_version=1, tables=1).SerializeToString() + b"\xfa\x3e\x03new"
    frame = pb.BotFrame()
    frame.messages.add().hello.MergeFromString(hello)
    peer = await house.stranger(TOKEN)
    if isinstance(peer.link, IsDialled):
        nonce = await house.bridge.aio(peer.link.called())
        frame.messages[0].hello.proof = wire.proof(wire.key_of(TOKEN), wire.HELLO_PROOF, nonce)
    await peer.raw(frame.SerializeToString() + b"\xfa\x3e\x03new")
    await peer.expect("welcome")
    await peer.raw(b"\x0a\x06\xfa\x3e\x03new")  # a message of a kind that we do not know
    game = house.game()
    game.start(0)
    assert (await peer.expect("match_start")).match_start.match == "m1"
    assert house.gateway.players[TOKEN].connected


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("variants", [["classic", "of the future"], []])
def test_variants_that_a_bot_plays_are_those_that_exist(variants: list[str], way: Way) -> None:
    @in_house(way=way)
    async def dial(house: House) -> None:
        peer = await house.stranger(TOKEN)
        hello = pb.Hello(oldest_version=1, newest_version=1, tables=1, variants=variants)
        await peer.say(hello)
        await peer.expect("welcome")
        assert house.gateway.players[TOKEN].variants == tuple(variants[:1])

    dial()
