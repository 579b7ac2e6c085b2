"""The kit as a server: dialled by a real gateway, and called by those who are none."""

import itertools
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc
import pytest
import trio
from grpc_health.v1 import health_pb2

from arena.bot import Choice, Refused, Turn, connect, serve, service
from arena.gateway import dialer, wire
from arena.gateway.dialer import Dial
from arena.gateway.server import Gateway
from arena.v1 import arena_pb2 as pb
from tests.bot.served import KEY, NONCE, PING, QUESTION, TOKEN, Served, called, never, welcome, with_gateway
from tests.bot.test_dial import first_legal, play
from tests.gateway.peers import until


@pytest.mark.parametrize("variant", ["classic", "domino"])
def test_bots_that_are_dialled_play_matches_without_a_fault(variant: str) -> None:
    names = ["ann", "bob", "cem", "dee"]
    bots = {name: Served(token=name) for name in names}

    async def league(gateway: Gateway) -> None:
        for name, bot in bots.items():
            gateway.dial(Dial(name, bot.address, wire.key_of(name)))
        await until(lambda: all(gateway.player(name).connected for name in names))
        async with trio.open_nursery() as nursery:
            for table in range(1, 5):
                nursery.start_soon(play, gateway, table, variant, names)

    with_gateway(league)
    for bot in bots.values():
        bot.stop()


def test_a_match_goes_on_when_the_arena_dials_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialer, "PAUSES_S", (0.01, 0.02))
    asked = itertools.count()
    seen = []

    def choose(turn: Turn) -> Choice:
        seen.append(next(asked))
        return turn.legal[: turn.count]

    bot = Served(choose)

    async def scenario(gateway: Gateway) -> None:
        gateway.dial(Dial("ann", bot.address, KEY))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, gateway, 1, "classic", ["ann"] * 4)
            await until(lambda: len(seen) >= 20)
            gateway.close()  # every connection, while the gateway stays

    with_gateway(scenario)
    bot.stop()


def test_the_bot_proves_itself_and_asks_for_a_proof_with_a_new_nonce() -> None:
    with called() as call:
        hellos = [call().hear().hello for _ in range(2)]
    assert all(one.proof == wire.proof(KEY, wire.HELLO_PROOF, NONCE) for one in hellos)
    assert hellos[0].nonce != hellos[1].nonce
    assert all(len(one.nonce) in wire.NONCE_BYTES for one in hellos)


def test_the_arena_that_has_the_key_is_answered() -> None:
    with called() as call:
        caller = call()
        caller.say(welcome(caller.hear().hello), PING, QUESTION)
        assert caller.hear().pong.nonce == 7
        assert list(caller.hear().answer.cards) == [pb.CARD_2C]
        caller.say(pb.ArenaMessage(goodbye=pb.Goodbye(status=14, reason="the arena is closing")))
        assert list(caller.call) == []
        assert caller.call.code() is grpc.StatusCode.OK


@pytest.mark.parametrize("nonce", [None, "", "xyz", "00" * 15, "00" * 65])
def test_a_call_without_a_nonce_is_refused(nonce: str | None) -> None:
    with called(never) as call:
        code, reason = call(nonce).refused()
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "arena-nonce" in reason


def test_an_arena_without_a_proof_is_refused_and_not_answered() -> None:
    with called(never) as call:
        caller = call()
        caller.hear()
        caller.say(pb.ArenaMessage(welcome=pb.Welcome(version=1, tables=8)), PING, QUESTION)
        code, reason = caller.refused()
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "missing" in reason


def test_an_arena_with_another_token_is_refused() -> None:
    with called(never) as call:
        caller = call()
        caller.say(welcome(caller.hear().hello, wire.key_of("bob")), QUESTION)
        code, reason = caller.refused()
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert "wrong" in reason


def test_a_recorded_session_is_refused() -> None:
    with called(never) as call:
        first = call()
        recorded = welcome(first.hear().hello)
        first.say(recorded)
        second = call()  # with the same nonce of the arena, as in the recording
        second.hear()
        second.say(recorded, QUESTION)
        assert second.refused()[0] is grpc.StatusCode.UNAUTHENTICATED


def test_a_question_before_welcome_is_refused() -> None:
    with called(never) as call:
        caller = call()
        hello = caller.hear().hello
        caller.say(QUESTION, welcome(hello))
        code, reason = caller.refused()
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "question" in reason


def test_garbage_is_refused() -> None:
    with called(never) as call:
        caller = call()
        caller.hear()
        caller.raw(b"\xff garbage")
        assert caller.refused()[0] is grpc.StatusCode.INVALID_ARGUMENT


def test_a_caller_who_says_nothing_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "PROOF_S", 0.05)
    with called(never) as call:
        caller = call()
        caller.hear()
        code, reason = caller.refused()
    assert code is grpc.StatusCode.DEADLINE_EXCEEDED
    assert "0.05 s" in reason


def test_too_many_strangers_are_refused_and_the_arena_stays() -> None:
    with called() as call:
        arena = call()
        arena.say(welcome(arena.hear().hello))
        strangers = [call() for _ in range(7)]
        for stranger in strangers:
            stranger.hear()
        assert call().refused()[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
        arena.say(PING)
        assert arena.hear().pong.nonce == 7


def test_a_bot_that_no_arena_calls_gives_up_after_its_patience() -> None:
    assert serve(never, address="127.0.0.1:0", token=TOKEN, patience_s=0.01) == "no arena has called for 0.01 s"


@pytest.mark.parametrize("patience_s", [1e300, math.inf])
def test_a_patience_may_be_longer_than_any_clock_can_say(patience_s: float) -> None:
    stopped = serve(
        never, address="127.0.0.1:0", token=TOKEN, patience_s=patience_s, started=lambda _port, stop: stop()
    )
    assert stopped == "stopped"


def test_its_health_can_be_asked_by_anybody() -> None:
    bot = Served()
    with grpc.insecure_channel(bot.address) as channel:
        ask: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/grpc.health.v1.Health/Check")

        def code(data: bytes) -> grpc.StatusCode:
            call = ask.future(data, timeout=20)
            return call.code()

        def request(service: str) -> bytes:
            data: bytes = health_pb2.HealthCheckRequest(service=service).SerializeToString()
            return data

        answer = health_pb2.HealthCheckResponse.FromString(ask(request("arena.v1.BotService"), timeout=20))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        assert code(request("")) is grpc.StatusCode.OK
        assert code(request("arena.v1.ArenaService")) is grpc.StatusCode.NOT_FOUND
        assert code(b"\xff") is grpc.StatusCode.INVALID_ARGUMENT
    bot.stop()


def test_others_are_not_served_without_a_token_or_tls() -> None:
    with pytest.raises(OSError, match="a token is needed"):
        serve(first_legal, address="0.0.0.0:0")
    with pytest.raises(OSError, match="give certificate and key"):
        serve(first_legal, address="0.0.0.0:0", token=TOKEN)


@contextmanager
def false_arena(answer: Callable[[pb.Hello], pb.ArenaMessage]) -> Iterator[str]:
    """Takes bots that dial in, and answers their Hello with whatever it likes, and a question."""

    def play(requests: Iterator[bytes], _context: grpc.ServicerContext) -> Iterator[bytes]:
        hello = pb.BotFrame.FromString(next(requests)).messages[0].hello
        yield pb.ArenaFrame(messages=[answer(hello), QUESTION]).SerializeToString()
        for _ in requests:
            pass

    handler: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(play)
    with ThreadPoolExecutor(4) as pool:
        server = grpc.server(pool, handlers=[grpc.method_handlers_generic_handler(wire.SERVICE, {"Play": handler})])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            server.stop(None).wait()


@pytest.mark.parametrize(
    "answer",
    [
        lambda _hello: pb.ArenaMessage(welcome=pb.Welcome(version=1, tables=8)),
        lambda hello: welcome(hello, wire.key_of("another")),
        lambda _hello: welcome(pb.Hello(nonce=NONCE)),
        lambda hello: pb.ArenaMessage(welcome=pb.Welcome(proof=wire.proof(KEY, wire.HELLO_PROOF, hello.nonce))),
    ],
    ids=["none", "another token's", "recorded", "the other side's"],
)
def test_a_bot_that_dials_in_leaves_an_arena_without_the_right_proof(
    answer: Callable[[pb.Hello], pb.ArenaMessage],
) -> None:
    with false_arena(answer) as address, pytest.raises(Refused, match="not the arena that this token is for"):
        connect(never, address=address, token=TOKEN, patience_s=0.1)
