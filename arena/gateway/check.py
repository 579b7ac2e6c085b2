"""Conformance of a bot, step by step: what each step is, and the run of all of them.

A step asks the bot one thing and has one verdict. One that fails is not the end: the next one begins on a line that is
up again. Only where there is no bot to talk to, the steps that need one are skipped.
"""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from arena.gateway.check_exam import Exam, Failed, Skipped
from arena.gateway.saying import one_line


class Verdict(Enum):
    """How a step has ended."""

    OK = "ok"
    FAILED = "FAIL"
    SKIPPED = "skip"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a bot must do."""

    name: str
    does: str  # in words, for who reads the list
    run: Callable[[Exam], Awaitable[str | None]]  # a remark, or None; raises Failed or Skipped
    first: bool = False  # of the beginning, without which there is nothing to examine
    alone: bool = False  # it needs no line that is up


@dataclass(frozen=True, slots=True)
class Outcome:
    """A step that has been taken."""

    step: Step
    verdict: Verdict
    said: str  # the reason, or a remark; one line
    seconds: float
    nobody: bool = False  # it was skipped, as a step before has shown that there is nobody to examine


async def examine(
    exam: Exam, steps: Callable[[Exam], Sequence[Step]], only: Sequence[str]
) -> AsyncGenerator[Outcome, None]:
    """Take the steps one after the other; each outcome as soon as it is there.

    ``steps`` is asked again when the bot has said Hello, for what it plays. With ``only``, the beginning and the steps
    of these names, or that begin with one of them and a blank.
    """
    taken: set[str] = set()
    nobody = ""  # why there is nobody to examine
    while True:
        step = next((one for one in steps(exam) if one.name not in taken), None)
        if step is None:
            return
        taken.add(step.name)
        if only and not step.first and not any(step.name == one or step.name.startswith(one + " ") for one in only):
            continue
        exam.begin(step.name)
        began = time.monotonic()
        verdict, said = Verdict.OK, ""
        missed = nobody != ""
        if missed:
            verdict, said = Verdict.SKIPPED, nobody
        else:
            try:
                if not step.first and not step.alone:
                    await exam.meet()
                said = await step.run(exam) or ""
            except Failed as error:
                verdict, said = Verdict.FAILED, str(error)
            except Skipped as error:
                verdict, said = Verdict.SKIPPED, str(error)
            if verdict is Verdict.FAILED and (step.first or exam.line is None):
                nobody = f"as {step.name!r} failed"
        yield Outcome(step, verdict, one_line(said), time.monotonic() - began, missed)
