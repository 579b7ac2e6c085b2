"""The other direction: who is dialled, when again, and which step failed. `both_ways` tests the conversation."""

import functools
import shlex

import grpc
import pytest
import trio

from arena.gateway import dialer, wire
from arena.gateway.check_exam import Exam
from arena.gateway.check_order import steps
from arena.gateway.connection import Limits
from arena.gateway.dialer import Dial, Terms
from arena.gateway.server import Event, open_gateway
from arena.v1 import arena_pb2 as pb
from tests.gateway.links import IsDialled
from tests.gateway.peers import House, Peer, in_house, until

KEY = wire.key_of("ann")


async def failed(house: House, name: str = "ann") -> str:
    """Why the bot could not be dialled, when that is known."""
    await until(lambda: house.news)
    (news,) = house.news
    assert (news.event, news.name) == (Event.UNREACHABLE, name)
    assert house.gateway.players[name].last_reason == news.reason
    assert not house.gateway.players[name].connected
    assert "\n" not in news.reason
    repeated = shlex.split(news.repeat)
    assert repeated[:2] == ["arena", "check"]
    assert repeated[repeated.index("--step") + 1] in [step.name for step in steps(Exam.of_nobody())]
    return news.reason


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dial again at once."""
    monkeypatch.setattr(dialer, "PAUSES_S", (0.01, 0.02))


@in_house()
async def test_a_proof_shows_that_either_side_has_the_token(house: House) -> None:
    peer = await house.is_dialled("ann")
    hello = pb.Hello(oldest_version=1, newest_version=1, tables=1, nonce=bytes(range(16)))
    await peer.say(hello)
    welcome = (await peer.expect("welcome")).welcome
    assert welcome.proof == wire.proof(KEY, wire.WELCOME_PROOF, hello.nonce)
    assert isinstance(peer.link, IsDialled)
    assert len(peer.link.nonce) == dialer.NONCE


@in_house()
async def test_every_call_has_a_nonce_of_its_own(house: House) -> None:
    nonces = set()
    for name in ("ann", "bob", "cem"):
        peer = await house.is_dialled(name)
        assert isinstance(peer.link, IsDialled)
        nonces.add(await house.bridge.aio(peer.link.called()))
    assert len(nonces) == 3


@in_house()
async def test_another_bot_s_token_is_not_let_in(house: House) -> None:
    peer = await house.is_dialled("ann", token="bob")
    await peer.greet()
    assert await peer.status() == (
        grpc.StatusCode.UNAUTHENTICATED,
        "ann: Hello.proof is wrong: it has not the bot's token",
    )
    assert (await failed(house)).startswith("auth: ")


@in_house()
async def test_a_proof_for_another_call_is_not_let_in(house: House) -> None:
    peer = await house.is_dialled("ann")
    proof = wire.proof(KEY, wire.HELLO_PROOF, bytes(32))  # recorded, when the arena's nonce was another
    await peer.say(pb.Hello(oldest_version=1, newest_version=1, tables=1, proof=proof))
    assert (await peer.status())[0] is grpc.StatusCode.UNAUTHENTICATED


@in_house()
async def test_the_arena_s_proof_is_not_the_bot_s(house: House) -> None:
    peer = await house.is_dialled("ann")
    assert isinstance(peer.link, IsDialled)
    nonce = await house.bridge.aio(peer.link.called())
    mirrored = wire.proof(KEY, wire.WELCOME_PROOF, nonce)
    await peer.say(pb.Hello(oldest_version=1, newest_version=1, tables=1, proof=mirrored))
    assert (await peer.status())[0] is grpc.StatusCode.UNAUTHENTICATED


@in_house()
async def test_no_proof_is_not_let_in(house: House) -> None:
    peer = await house.is_dialled("ann")
    peer.key = None
    await peer.greet()
    assert "missing" in (await peer.status())[1]


@in_house()
async def test_a_bot_without_a_key_is_taken_at_its_word(house: House) -> None:
    link = IsDialled()
    await house.bridge.aio(link.start())
    house.gateway.dial(Dial("ann", f"localhost:{link.port}", None))
    peer = Peer(house.bridge, link)
    house.peers.append(peer)
    assert (await peer.hello()).proof == b""


@pytest.mark.parametrize("length", [1, 15, 65])
def test_a_nonce_of_the_wrong_length_is_refused(length: int) -> None:
    @in_house()
    async def dial(house: House) -> None:
        peer = house.dials_in("ann")
        await peer.say(pb.Hello(oldest_version=1, newest_version=1, tables=1, nonce=bytes(length)))
        code, reason = await peer.status()
        assert code is grpc.StatusCode.INVALID_ARGUMENT
        assert f"not {length}" in reason

    dial()


@pytest.mark.parametrize("length", [16, 64])
def test_a_bot_that_dials_in_gets_the_arena_s_proof(length: int) -> None:
    @in_house()
    async def dial(house: House) -> None:
        peer = house.dials_in("ann")
        nonce = bytes(range(length))
        await peer.say(pb.Hello(oldest_version=1, newest_version=1, tables=1, nonce=nonce))
        assert (await peer.expect("welcome")).welcome.proof == wire.proof(KEY, wire.WELCOME_PROOF, nonce)

    dial()


@pytest.mark.parametrize(
    ("token", "nonce", "hello", "welcome"),
    [
        (
            "correct-horse-battery-staple",
            bytes(range(32)),
            "7c20fdbf71aa2c08bf81ede585783f8bc17e3084f990e4733d3701239afd959f",
            "7a339064123f9fec516e311456c529b0974853a51f270bbfb9fbd4561286b869",
        ),
        (
            "a",
            bytes(16),
            "a7d5acef93d635e2ff1444e06cdfcc877254952a3cd71ff84515044f43fb6bb5",
            "62c9458fdd28987d8d0460e7532fc741091ce3e9e834014e03d04d493642c01e",
        ),
    ],
)
def test_proofs_are_those_of_the_document(token: str, nonce: bytes, hello: str, welcome: str) -> None:
    key = wire.key_of(token)
    assert wire.proof(key, wire.HELLO_PROOF, nonce).hex() == hello
    assert wire.proof(key, wire.WELCOME_PROOF, nonce).hex() == welcome
    assert wire.proved(bytes.fromhex(hello), key, wire.HELLO_PROOF, nonce)
    assert not wire.proved(bytes.fromhex(hello), key, wire.WELCOME_PROOF, nonce)
    assert not wire.proved(b"", key, wire.HELLO_PROOF, nonce)


@in_house()
async def test_nobody_listens_is_a_failure_of_tcp(house: House) -> None:
    house.gateway.dial(Dial("ann", "127.0.0.1:9", KEY))
    assert (await failed(house)) == "tcp: 127.0.0.1:9 (127.0.0.1): Connection refused"
    assert house.news[0].repeat == "arena check 127.0.0.1:9 --token-file FILE --step tcp"


@in_house()
async def test_no_address_is_a_failure_of_dns(house: House) -> None:
    house.gateway.dial(Dial("ann", "nonsense", KEY))
    assert (await failed(house)) == "dns: not HOST:PORT: 'nonsense'"


def test_a_peer_that_only_takes_the_call_of_tcp_is_a_failure_of_hello(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialer, "PAUSES_S", (0.01, 0.02))

    @in_house(Limits(hello_s=0.2))
    async def test(house: House) -> None:
        (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with listener:
            port = listener.socket.getsockname()[1]
            house.gateway.dial(Dial("ann", f"127.0.0.1:{port}", KEY))
            await until(lambda: any(one.reason.startswith("hello: ") for one in house.news))

    test()


@in_house()
async def test_a_peer_that_talks_nonsense_is_a_failure_of_hello(house: House) -> None:
    async def talk(stream: trio.SocketStream) -> None:
        await stream.send_all(b"HTTP/1.1 200 OK\r\n\r\nhello")
        await stream.aclose()

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(functools.partial(trio.serve_tcp, talk, 0, host="127.0.0.1"))
        house.gateway.dial(Dial("ann", f"127.0.0.1:{listener.socket.getsockname()[1]}", KEY))
        assert (await failed(house)).startswith("hello: ")
        nursery.cancel_scope.cancel()


@in_house()
async def test_a_bot_s_own_refusal_is_noted_with_its_words(house: House) -> None:
    peer = await house.is_dialled("ann")
    assert isinstance(peer.link, IsDialled)
    await house.bridge.aio(peer.link.release(grpc.StatusCode.PERMISSION_DENIED, "not you\nof all"))
    assert (await failed(house)) == "auth: the bot ended the call: PERMISSION_DENIED not you of all"


@pytest.mark.parametrize("hello", [False, True], ids=["refused", "in a conversation"])
@pytest.mark.parametrize(
    "words", ["a\r\nb", "\x1b[2J\x1b]0;t\x07", "a\u2028b\u2029c\x85", "\u202eolleh\u200b\ufeff", "x" * 4000]
)
def test_a_bot_s_last_words_are_one_printable_line(words: str, hello: bool) -> None:
    """They are printed where somebody sits, and written down."""

    @in_house()
    async def dial(house: House) -> None:
        peer = await house.is_dialled("ann")
        assert isinstance(peer.link, IsDialled)
        if hello:
            await peer.hello()
        await house.bridge.aio(peer.link.release(grpc.StatusCode.PERMISSION_DENIED, words))
        await house.told("PERMISSION_DENIED ")
        for reason in (house.gateway.players["ann"].last_reason, house.news[-1].reason):
            assert reason.isprintable()
            assert len(reason) < 400

    dial()


@in_house()
async def test_this_machine_is_not_dialled_unless_it_is_allowed(house: House) -> None:
    link = IsDialled()
    await house.bridge.aio(link.start())
    async with open_gateway(
        house.bridge,
        address="127.0.0.1:0",
        authenticate=lambda _: None,
        league="x",
        dial=[Dial("ann", f"127.0.0.1:{link.port}", KEY)],
    ) as strict:
        player = strict.player("ann")
        await until(lambda: player.last_reason != "never connected")
        assert player.last_reason.startswith("dns: '127.0.0.1' is an address of this machine")
    assert link.calls == 0
    await house.bridge.aio(link.close())


@pytest.mark.usefixtures("soon")
def test_a_lost_bot_is_dialled_until_it_is_there_again() -> None:
    @in_house()
    async def dial(house: House) -> None:
        first = await house.is_dialled("ann")
        await first.hello()
        assert isinstance(first.link, IsDialled)
        port = first.link.port
        await house.drop(first, "ann")
        player = house.gateway.players["ann"]
        await until(lambda: player.last_reason.startswith("tcp: "))
        link = IsDialled()
        await house.bridge.aio(link.start(f"127.0.0.1:{port}"))
        second = Peer(house.bridge, link, KEY)
        house.peers.append(second)
        await second.hello()
        assert player.connected

    dial()


@pytest.mark.usefixtures("soon")
def test_a_failure_that_repeats_is_told_once() -> None:
    @in_house()
    async def dial(house: House) -> None:
        link = IsDialled()
        await house.bridge.aio(link.start())
        house.peers.append(Peer(house.bridge, link, KEY))
        house.gateway.dial(Dial("ann", f"127.0.0.1:{link.port}", KEY))
        await house.bridge.aio(link.release(grpc.StatusCode.UNAVAILABLE, ""))
        await until(lambda: link.calls > 5)
        assert len(house.news) <= 2  # the first call's end, and that of the others

    dial()


@in_house()
async def test_a_bot_that_is_hung_up_on_is_told_and_dialled_no_more(house: House) -> None:
    peer = await house.is_dialled("ann")
    await peer.hello()
    house.gateway.hang_up("ann", "suspended")
    assert await peer.status() == (grpc.StatusCode.PERMISSION_DENIED, "suspended")
    await house.gone("ann")
    assert house.gateway.players["ann"].last_reason == "suspended"


@in_house()
async def test_a_dialled_bot_is_told_that_the_arena_closes(house: House) -> None:
    link = IsDialled()
    await house.bridge.aio(link.start())
    peer = Peer(house.bridge, link, KEY)
    house.peers.append(peer)
    statuses = []

    async def told() -> None:
        statuses.append(await peer.status())

    async with (
        trio.open_nursery() as nursery,
        open_gateway(
            house.bridge,
            address="127.0.0.1:0",
            authenticate=lambda _: None,
            league="x",
            dial=[Dial("ann", f"127.0.0.1:{link.port}", KEY), Dial("bob", "127.0.0.1:9", KEY)],
            terms=Terms(allow_private=True),
        ),
    ):
        await peer.hello()
        nursery.start_soon(told)
    assert statuses == [(grpc.StatusCode.UNAVAILABLE, "the arena is closing")]
