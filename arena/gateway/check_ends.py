"""The steps of lost connections, and of ends that are final."""

import asyncio
from typing import Final

import grpc

from arena.gateway.check import Step
from arena.gateway.check_exam import Exam, Failed, Skipped, games
from arena.gateway.check_steps import goes_on
from arena.gateway.connection import End
from arena.gateway.encoder import frame
from arena.rules.deal import Ask
from arena.v1 import arena_pb2 as pb

DIALS: Final = 10  # in a second: more is no pause

CLOSING: Final = End(grpc.StatusCode.UNAVAILABLE, "the arena is closing")


async def reconnect(exam: Exam) -> str | None:
    """The arena ends the stream with UNAVAILABLE."""
    await exam.drop(grpc.StatusCode.UNAVAILABLE, "the check drops the connection")
    await exam.meet()
    await goes_on(exam)
    return None


async def broken(exam: Exam) -> str | None:
    """The stream ends with what a broken network says."""
    await exam.drop(grpc.StatusCode.INTERNAL, "stream broken by the check")
    await exam.meet()
    await goes_on(exam)
    return None


async def open_question(exam: Exam) -> str | None:
    """A question is open when the connection is lost, and comes again on the next one."""
    seat, deal, asked = await exam.position(exam.rng.choice(games(exam.hello)), Ask.PLAY)
    question = exam.question(seat, deal, asked)
    await exam.send(seat.start, frame(pb.ArenaMessage(question=question)))
    await exam.drop(grpc.StatusCode.UNAVAILABLE, "the check drops the connection")
    await exam.meet()
    question.clock.left_us //= 2
    await exam.ask([question], [seat.start])
    return None


async def same_hello(exam: Exam) -> str | None:
    """After a reconnect it says what it said before."""
    before = (exam.hello.tables, exam.hello.software, tuple(exam.hello.variants))
    await exam.drop(grpc.StatusCode.UNAVAILABLE, "the check drops the connection")
    await exam.meet()
    after = (exam.hello.tables, exam.hello.software, tuple(exam.hello.variants))
    if before != after:
        raise Failed(f"Hello was {before}, and is {after}")
    return None


async def closing(exam: Exam) -> str | None:
    """The arena closes, and every further call is refused: exits, or tries again with pauses."""
    if exam.target.dialled:
        raise Skipped("the arena dials it")
    exam.target.refusal = CLOSING
    before = exam.target.calls
    await exam.drop(CLOSING.code, CLOSING.reason)
    exited = await _watch(exam)
    calls = exam.target.calls - before
    exam.target.refusal = None
    if calls > DIALS * max(1.0, exam.patience.quiet_s):
        raise Failed(f"{calls} calls in {exam.patience.quiet_s:g} s: dial again with growing pauses")
    return exited or f"{calls} more calls in {exam.patience.quiet_s:g} s"


async def replaced(exam: Exam) -> str | None:
    """ABORTED: another of its processes has taken its place."""
    return await _final(exam, End(grpc.StatusCode.ABORTED, "replaced by a newer connection of the same bot"))


async def unknown_token(exam: Exam) -> str | None:
    """UNAUTHENTICATED: there is nothing to try again."""
    return await _final(exam, End(grpc.StatusCode.UNAUTHENTICATED, "this token is not known here"))


async def _final(exam: Exam, end: End) -> str | None:
    if exam.target.dialled:
        raise Skipped("the arena dials it")
    if exam.restart is None:
        raise Skipped("it would have to be started again afterwards: give --command, without --restart")
    await exam.restart()
    exam.target.forget()
    await exam.meet()
    before = exam.target.calls
    exam.target.refusal = end
    await exam.drop(end.code, end.reason)
    exited = await _watch(exam)
    again = exam.target.calls - before
    exam.target.refusal = None
    if again:
        raise Failed(f"it dialled again after {end.code.name}, which is final ({again} times)")
    return exited or "it does not dial again"


async def _watch(exam: Exam) -> str:
    """What has become of its process, when it has ended or the time is over."""
    try:
        async with asyncio.timeout(exam.patience.quiet_s):
            while True:
                if exam.gone is not None and (why := await exam.gone()):
                    return why
                await asyncio.sleep(0.02)
    except TimeoutError:
        return ""


RECONNECTS: Final = (
    Step("reconnect", "dials again when the arena has ended the stream", reconnect),
    Step("broken-stream", "dials again when the stream has broken", broken),
    Step("open-question", "answers the question that was open when the connection was lost", open_question),
    Step("same-hello", "says the same in Hello after a reconnect", same_hello),
)
ENDS: Final = (
    Step("replaced", "stops when a newer connection has taken its place (ABORTED)", replaced, alone=True),
    Step("token-refused", "stops when its token is refused (UNAUTHENTICATED)", unknown_token, alone=True),
)
LAST: Final = Step("closing", "exits, or tries again with pauses, when the arena closes", closing)
