"""When a writer holds what it has to say: as long as its bot is answering at once, and no longer."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps

from arena.gateway.connection import Pace, Traffic

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


@looped(0.0)
async def test_who_answers_too_late_for_patience_does_not_answer_at_once(pace: Pace) -> None:
    pace.prompt = True
    answers(pace)
    assert not pace.prompt
