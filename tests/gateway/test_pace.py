"""When a writer holds what it has to say: as long as its bot is answering at once, and no longer."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial, wraps
from types import SimpleNamespace
from typing import cast

import pytest

from arena.gateway.bridge import Bridge, run
from arena.gateway.connection import Connection, Limits, Pace, Traffic
from arena.gateway.player import Player
from arena.seat import OpenRequest
from arena.v1 import arena_pb2 as pb

Test = Callable[[Pace], Coroutine[object, object, None]]


def looped(patience_s: float = 600.0) -> Callable[[Test], Callable[[], None]]:
    """On a loop of asyncio's."""

    def make(test: Test) -> Callable[[], None]:
        @wraps(test)
        def run() -> None:
            async def main() -> None:
                await test(Pace(asyncio.get_running_loop(), Traffic(), patience_s))

            asyncio.run(main())

        del run.__wrapped__  # pytest is not to look for its parameter
        return run

    return make


async def turns(number: int = 2 * Traffic.TURNS) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


def answers(pace: Pace) -> None:
    pace.asked()
    pace.heard()


@looped()
async def test_what_is_to_be_said_to_a_bot_that_is_answering_waits_for_its_answer(pace: Pace) -> None:
    answers(pace)
    pace.asked()
    writer = asyncio.ensure_future(pace.ready())
    await turns()
    assert not writer.done()
    pace.heard()
    await turns()
    assert writer.done()


@looped()
async def test_a_bot_that_was_never_heard_is_not_waited_for(pace: Pace) -> None:
    pace.asked()
    writer = asyncio.ensure_future(pace.ready())
    await turns()
    assert writer.done()


@looped(0.001)
async def test_a_bot_that_thinks_is_waited_for_once(pace: Pace) -> None:
    pace.prompt = True
    pace.asked()
    await pace.ready()  # by its own timer
    assert not pace.prompt
    pace.asked()
    writer = asyncio.ensure_future(pace.ready())
    await turns()
    assert writer.done()


@looped()
async def test_an_answer_after_the_writer_was_cancelled_harms_nobody(pace: Pace) -> None:
    answers(pace)
    pace.asked()
    writer = asyncio.ensure_future(pace.ready())
    await turns()
    writer.cancel()
    await turns()
    pace.heard()
    await pace.ready()


@looped()
async def test_what_has_come_is_read_before_something_is_written(pace: Pace) -> None:
    writer = asyncio.ensure_future(pace.ready())
    for _ in range(Traffic.QUIET + 1):
        await asyncio.sleep(0)
        pace.heard()
    assert not writer.done()
    await turns()
    assert writer.done()


@pytest.mark.parametrize(
    ("read", "due"),
    [((), Traffic.QUIET), ((1,), Traffic.QUIET + 1), ((2,), Traffic.QUIET + 2), (range(99), Traffic.TURNS)],
)
def test_a_lull_is_some_turns_without_a_frame_and_is_waited_for_no_longer_than_some_more(
    read: Sequence[int], due: int
) -> None:
    async def main() -> int:
        traffic = Traffic()
        lull = asyncio.ensure_future(traffic.lull())
        await asyncio.sleep(0)  # it has begun
        turn = 0
        while not lull.done():
            turn += 1
            traffic.reads += turn in read
            await asyncio.sleep(0)
        return turn

    assert asyncio.run(main()) == due


def test_who_was_heard_in_time_is_not_given_up_when_its_time_would_have_been_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        timers: list[asyncio.TimerHandle] = []
        original = loop.call_later

        def call_later(delay: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
            timers.append(original(delay, callback))
            return timers[-1]

        monkeypatch.setattr(loop, "call_later", call_later)
        pace = Pace(loop, Traffic(), 600.0)
        answers(pace)
        pace.asked()
        writer = asyncio.ensure_future(pace.ready())
        await turns()
        assert [one.cancelled() for one in timers] == [False]
        pace.heard()
        await writer
        assert [one.cancelled() for one in timers] == [True]

    asyncio.run(main())


@looped(0.0)
async def test_who_answers_too_late_for_patience_does_not_answer_at_once(pace: Pace) -> None:
    pace.prompt = True
    answers(pace)
    assert not pace.prompt


class SlowTransport:
    """A call whose every step the test makes."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.taken: asyncio.Queue[None] = asyncio.Queue()
        self.said: asyncio.Queue[bytes] = asyncio.Queue()

    async def read(self) -> object:
        return await self.said.get()

    async def write(self, message: bytes) -> None:
        self.written.append(message)
        await self.taken.get()


def test_what_came_up_while_the_transport_took_a_question_waits_for_the_answer_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.gateway.connection.Pace", partial(Pace, patience_s=600.0))
    asked = cast(OpenRequest, SimpleNamespace(sent_at=0.0))
    nothing = pb.BotFrame(messages=[pb.BotMessage()]).SerializeToString()

    async def main(bridge: Bridge) -> None:
        transport = SlowTransport()
        connection = Connection(bridge, transport, Player("ann", bridge.now), Limits(), Traffic(), lambda: None)

        async def play() -> None:
            running = asyncio.ensure_future(connection.run())
            await turns()
            connection.send_question(b"1", asked)
            await turns()
            transport.taken.put_nowait(None)
            transport.said.put_nowait(nothing)  # at once: the bot is one that answers so
            await turns()
            connection.send_question(b"2", asked)
            await turns()
            connection.send(b"3")
            connection.send(b"4")
            transport.taken.put_nowait(None)
            await turns()
            assert transport.written == [b"1", b"2"]
            transport.said.put_nowait(nothing)
            await turns()
            assert transport.written == [b"1", b"2", b"34"]
            running.cancel()

        await bridge.aio(play())

    run(main)


def test_much_at_once_is_not_what_a_bot_does_not_read_once_the_transport_has_taken_what_was_before() -> None:
    async def main(bridge: Bridge) -> None:
        transport = SlowTransport()
        player = Player("ann", bridge.now)
        connection = Connection(bridge, transport, player, Limits(unread=10), Traffic(), lambda: None)

        async def play() -> None:
            running = asyncio.ensure_future(connection.run())
            await turns()
            connection.send(b"1")
            await turns()
            transport.taken.put_nowait(None)
            await turns()
            connection.send(b"222222")
            connection.send(b"333333")
            await turns()
            assert transport.written == [b"1", b"222222333333"]
            connection.send(b"4444444444")
            assert not running.done()
            connection.send(b"5")  # is one byte too many, while the transport has yet to take the frame before
            assert (await running).reason == "the bot does not read: 11 bytes wait for it"
            assert connection._frames == []  # and nothing of it is kept

        await bridge.aio(play())

    run(main)
