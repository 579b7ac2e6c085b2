"""The bot in JavaScript as a service: whom it plays for, and whom it does not."""

import contextlib
import hashlib
import hmac
from collections.abc import Callable, Iterator

import grpc
import pytest

from arena.bot.service import TAKEN
from arena.v1 import arena_pb2 as pb
from tests.js.bot import Caller, bot, frame, missing, serving, welcome

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())

# From the table of docs/protocol.md.
TOKEN = "correct-horse-battery-staple"
NONCE = bytes(range(32)).hex()
HELLO_PROOF = "7c20fdbf71aa2c08bf81ede585783f8bc17e3084f990e4733d3701239afd959f"

Dial = Callable[[], Caller]


@pytest.fixture
def dial() -> Iterator[Callable[..., Caller]]:
    """Dials a bot that serves."""
    with bot("--serve", "127.0.0.1:0", token=TOKEN) as process, contextlib.ExitStack() as stack:
        address = serving(process)

        def call(nonce: str | None = NONCE, instance: str = "") -> Caller:
            caller = Caller(address, nonce, instance)
            stack.callback(caller.close)
            return caller

        yield call


def hello(caller: Caller) -> pb.Hello:
    said = caller.read()
    assert [message.WhichOneof("kind") for message in said.messages] == ["hello"]
    return said.messages[0].hello


def proved(nonce: bytes) -> pb.ArenaMessage:
    """A Welcome with the right proof."""
    return welcome(hmac.digest(hashlib.sha256(TOKEN.encode()).digest(), b"hearts-arena/welcome" + nonce, "sha256"))


def ping(nonce: int) -> pb.ArenaMessage:
    return pb.ArenaMessage(ping=pb.Ping(nonce=nonce))


def pong(caller: Caller) -> list[int]:
    return [message.pong.nonce for message in caller.read().messages]


def test_hello_comes_at_once_with_the_proof_of_the_documentation(dial: Dial) -> None:
    said = hello(dial())
    assert said.proof.hex() == HELLO_PROOF
    assert (said.oldest_version, said.newest_version, said.tables) == (1, 1, 8)
    assert len(said.nonce) == 32
    assert hello(dial()).nonce != said.nonce, "a nonce is new on every stream"


def test_it_plays_for_who_has_proved_to_be_its_arena(dial: Dial) -> None:
    arena = dial()
    arena.send(frame(proved(hello(arena).nonce), ping(5)))
    assert pong(arena) == [5]
    arena.send(frame(ping(6), pb.ArenaMessage(goodbye=pb.Goodbye(status=14, reason="the arena is closing"))))
    assert pong(arena) == [6]
    assert arena.status()[0] is grpc.StatusCode.OK
    after = dial()
    after.send(frame(proved(hello(after).nonce), ping(7)))
    assert pong(after) == [7], "it serves on"


@pytest.mark.parametrize("wrong", ["of another stream", "missing", "short", "no welcome", "second"])
def test_nothing_is_done_for_who_has_not(dial: Dial, wrong: str) -> None:
    caller = dial()
    nonce = hello(caller).nonce
    right = proved(nonce)
    first = {
        "of another stream": [proved(bytes(32))],
        "missing": [welcome()],
        "short": [welcome(right.welcome.proof[:31])],
        "no welcome": [],
        "second": [ping(0), right],
    }[wrong]
    caller.send(frame(*first, ping(1)))
    with pytest.raises(grpc.RpcError):
        caller.read()
    assert caller.status()[0] is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.parametrize("nonce", [None, "", "00" * 15, "00" * 65, "0" * 33, "xy" * 16])
def test_a_nonce_that_is_none_is_refused(dial: Callable[[str | None], Caller], nonce: str | None) -> None:
    assert dial(nonce).status()[0] is grpc.StatusCode.INVALID_ARGUMENT


def test_a_newer_call_takes_the_place_of_the_older_when_it_is_proved(dial: Dial) -> None:
    older = dial()
    older.send(frame(proved(hello(older).nonce), ping(1)))
    assert pong(older) == [1]
    newer = dial()
    nonce = hello(newer).nonce
    older.send(frame(ping(2)))
    assert pong(older) == [2], "a call that has proved nothing changes nothing"
    newer.send(frame(proved(nonce), ping(3)))
    assert pong(newer) == [3]
    assert older.status()[0] is grpc.StatusCode.ABORTED


def test_another_arena_does_not_take_it_from_the_one_that_it_plays_for(dial: Callable[..., Caller]) -> None:
    league = dial(instance="league")
    league.send(frame(proved(hello(league).nonce), ping(1)))
    assert pong(league) == [1]
    code, reason = dial(instance="check").status()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert reason == TAKEN
    league.send(frame(ping(2)))
    assert pong(league) == [2]
    again = dial(instance="league")
    again.send(frame(proved(hello(again).nonce), ping(3)))
    assert pong(again) == [3]
    assert league.status()[0] is grpc.StatusCode.ABORTED
    again.send(frame(pb.ArenaMessage(goodbye=pb.Goodbye(status=14, reason="over"))))
    assert again.status()[0] is grpc.StatusCode.OK
    check = dial(instance="check")
    check.send(frame(proved(hello(check).nonce), ping(4)))
    assert pong(check) == [4]


def test_few_callers_may_be_unproved_at_once(dial: Dial) -> None:
    arena = dial()
    arena.send(frame(proved(hello(arena).nonce), ping(1)))
    assert pong(arena) == [1]
    callers = [dial() for _ in range(8)]
    for caller in callers:
        hello(caller)
    assert dial().status()[0] is grpc.StatusCode.RESOURCE_EXHAUSTED
    arena.send(frame(ping(2)))
    assert pong(arena) == [2], "the arena's own call is none of them"
    callers[0].send(frame(welcome()))
    assert callers[0].status()[0] is grpc.StatusCode.UNAUTHENTICATED
    hello(dial())
