"""When a writer holds what it has to say: as long as a bot that answers at once is answering, and no longer."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import wraps
from typing import cast

from arena.gateway.connection import Connection, Traffic


@dataclass(eq=False)
class Asked:
    """What traffic knows of a connection."""

    prompt: bool = True
    asked_at: float = 0.0


def bot(*, prompt: bool = True) -> Connection:
    return cast(Connection, Asked(prompt))


def looped(
    patience_s: float = 600.0,
) -> Callable[[Callable[[Traffic], Coroutine[object, object, None]]], Callable[[], None]]:
    """On a loop of asyncio's."""

    def make(test: Callable[[Traffic], Coroutine[object, object, None]]) -> Callable[[], None]:
        @wraps(test)
        def run() -> None:
            async def main() -> None:
                await test(Traffic(asyncio.get_running_loop(), patience_s))

            asyncio.run(main())

        del run.__wrapped__  # pytest is not to look for its parameter
        return run

    return make


async def turns(number: int = 2 * Traffic.TURNS) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


@looped()
async def test_a_writer_waits_for_those_who_are_answering(traffic: Traffic) -> None:
    ann, bob = bot(), bot()
    traffic.asked(ann)
    traffic.asked(bob)
    writers = [asyncio.ensure_future(traffic.lull()) for _ in range(3)]
    await turns()
    traffic.heard(ann)
    await turns()
    assert not any(writer.done() for writer in writers)
    traffic.heard(bob)
    await turns()
    assert all(writer.done() for writer in writers)


@looped()
async def test_nobody_waits_for_a_bot_that_thinks(traffic: Traffic) -> None:
    traffic.asked(bot(prompt=False))
    writer = asyncio.ensure_future(traffic.lull())
    await turns()
    assert writer.done()


@looped(0.001)
async def test_who_lets_others_wait_in_vain_is_not_waited_for_again(traffic: Traffic) -> None:
    ann = bot()
    traffic.asked(ann)
    await traffic.lull()  # by its own timer
    assert not ann.prompt
    traffic.asked(ann)
    writer = asyncio.ensure_future(traffic.lull())
    await turns()
    assert writer.done()


@looped()
async def test_who_answers_in_a_moment_is_waited_for_the_next_time(traffic: Traffic) -> None:
    ann = bot(prompt=False)
    traffic.asked(ann)
    traffic.heard(ann)
    assert ann.prompt


@looped()
async def test_who_is_gone_is_not_waited_for(traffic: Traffic) -> None:
    ann = bot()
    traffic.asked(ann)
    writer = asyncio.ensure_future(traffic.lull())
    await turns()
    assert not writer.done()
    traffic.gone(ann)
    await turns()
    assert writer.done()


@looped()
async def test_a_writer_that_is_cancelled_while_it_waits_harms_nobody(traffic: Traffic) -> None:
    ann = bot()
    traffic.asked(ann)
    gone, writer = (asyncio.ensure_future(traffic.lull()) for _ in range(2))
    await turns()
    gone.cancel()
    await turns()
    traffic.heard(ann)
    await turns()
    assert writer.done()
    assert writer.exception() is None
