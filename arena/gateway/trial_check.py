"""The first part of a trial, on asyncio's side: whether a bot is at its address, and the steps of `arena check`."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import grpc

from arena.gateway.addresses import AddressError, ForbiddenError, parse
from arena.gateway.anteroom import OVER, Anteroom
from arena.gateway.check import Step, Verdict, examine
from arena.gateway.check_ends import ENDS, LAST
from arena.gateway.check_exam import Exam, Patience, games
from arena.gateway.check_line import Caller, Target, calling
from arena.gateway.check_order import steps
from arena.gateway.connection import End
from arena.gateway.dialer import Terms
from arena.gateway.practice import Game
from arena.gateway.saying import one_line
from arena.rules.variant import Rules


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much there is of a trial. Times in seconds."""

    at_once: int = 2  # trials; others wait
    check_s: float = 600.0  # for all steps of a check
    deals_s: float = 600.0  # for all deals
    pauses_s: tuple[float, float] = (1.0, 30.0)  # between two looks whether a bot is at its address; the first doubles
    address_s: float = 3600.0  # in which it must be there
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Who is on trial."""

    name: str
    address: str  # "HOST:PORT" to be dialled; "": it dials in
    key: bytes  # `wire.key_of` its token
    variants: tuple[str, ...] = ()  # that it was submitted for; empty: whatever it says
    seed: int = 0  # of the cards


@dataclass(frozen=True, slots=True)
class Failure:
    """The first thing that went wrong."""

    step: str  # of `arena check`; of the deals "deals VARIANT"
    reason: str  # one line
    game: Game | None = None  # that was played

    def __str__(self) -> str:
        """As the author and the operator read it."""
        return f"{self.step}: {self.reason}"

    @property
    def end(self) -> End:
        """What the bot is told."""
        return End(grpc.StatusCode.PERMISSION_DENIED, f"it has failed its trial: {self}")


Judge: TypeAlias = Callable[[Failure | None], None]
AGAIN: Final = End(grpc.StatusCode.UNAVAILABLE, "checked; dial again, to play against the house")


async def look(address: str, terms: Terms, limit_s: float) -> Failure | None:
    """What is missing at the address, None where somebody listens; ForbiddenError where it must not be dialled."""
    step = "dns"
    try:
        caller = Caller(parse(address), terms)
        async with asyncio.timeout(limit_s):
            await caller.find()
            step = "tcp"
            await caller.reach()
    except TimeoutError:
        return Failure(step, f"no answer within {limit_s:g} s")
    except ForbiddenError:
        raise
    except (AddressError, OSError) as error:
        return Failure(step, str(error))
    return None


async def check(
    anteroom: Anteroom, candidate: Candidate, judge: Judge, terms: Terms, bounds: Bounds
) -> Sequence[Rules] | Failure:
    """All steps: the games that the bot plays, or what has failed, which is judged before the bot is told."""
    async with AsyncExitStack() as stack:
        target: Target = anteroom.door(candidate.name)
        if candidate.address:
            target = await stack.enter_async_context(calling(parse(candidate.address), terms))
        exam = Exam(target, candidate.key, bounds.patience, candidate.seed, candidate.name)
        try:
            failure = await _take_steps(anteroom, candidate, exam, bounds.check_s)
            played = [game for game in games(exam.hello) if game.name in candidate.variants or not candidate.variants]
            if failure is None and not played:
                plays, wanted = " ".join(exam.hello.variants), " ".join(candidate.variants)
                failure = Failure("variants", one_line(f"it plays {plays}, and was submitted for {wanted}"))
            if failure is None:
                anteroom.let_through(candidate.name, AGAIN)
                await exam.drop(AGAIN.code, AGAIN.reason)
                return played
            await asyncio.to_thread(judge, failure)
            anteroom.close(candidate.name, failure.end)
            await exam.drop(failure.end.code, failure.end.reason)
            return failure
        finally:
            if exam.line is not None:  # the trial is broken off
                exam.line.say(OVER)


async def _take_steps(anteroom: Anteroom, candidate: Candidate, exam: Exam, limit_s: float) -> Failure | None:
    taken, last = 0, "connect"
    try:
        async with asyncio.timeout(limit_s), aclosing(examine(exam, _steps, ())) as outcomes:
            async for one in outcomes:
                taken, last = taken + 1, one.step.name
                anteroom.note(candidate.name, f"it is checked: {taken} steps taken, the last {last!r}")
                if one.verdict is Verdict.FAILED:
                    return Failure(one.step.name, one.said)
    except TimeoutError:
        return Failure(last, f"after this step, the check had taken more than {limit_s:g} s")
    return None


def _steps(exam: Exam) -> Sequence[Step]:
    """Without those after which a bot may have ended."""
    return [one for one in steps(exam) if one not in (LAST, *ENDS)]
