"""The steps of a transcript: what was asked then is asked again, and each answer is compared with the one of then."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from arena.gateway.check import Step
from arena.gateway.check_exam import Exam, Failed, Skipped, said
from arena.gateway.check_steps import BEGINNING
from arena.gateway.script import Frame, card_words
from arena.v1 import arena_pb2 as pb

OF_THE_CALL: Final = ("welcome", "ping", "goodbye")  # messages that this call has of its own


@dataclass
class Scene:
    """One question of a transcript with what came before it, and what was answered."""

    question: pb.Question
    before: "Scene | None" = None  # the same question, whose answer was refused
    frames: list[bytes] = field(default_factory=list)  # since the scene before, the last one asks
    answer: list[int] | None = None
    refused: bool = False
    now: list[int] | None = None  # what is answered this time

    @property
    def name(self) -> str:
        """The step's."""
        return f"decision {self.question.decision}" if self.before is None else f"{self.before.name} again"


def scenes(conversation: Sequence[Frame]) -> list[Scene]:
    """The scenes of a transcript, in the order of the questions; a refusal that leaves a try asks again."""
    found: list[Scene] = []
    last: dict[int, Scene] = {}
    frames: list[bytes] = []
    for frame in conversation:
        if isinstance(frame, pb.BotFrame):
            for message in frame.messages:
                scene = last.get(message.answer.decision)
                if scene is not None and scene.answer is None:
                    scene.answer = list(message.answer.cards)
            continue
        own = [one for one in frame.messages if one.WhichOneof("kind") not in OF_THE_CALL]
        frames.append(pb.ArenaFrame(messages=own, accepted=frame.accepted).SerializeToString())
        for one in own:
            refused = last.get(one.rejection.decision) if one.HasField("rejection") else None
            if refused is not None and refused.answer is not None:
                refused.refused = True
            if one.HasField("question"):
                scene = Scene(one.question)
            elif refused is not None and one.rejection.tries:
                scene = Scene(refused.question, refused)
            else:
                continue
            again = scene.before is None and scene.question.decision in last  # on another connection
            if not again:
                scene.frames = frames
                last[scene.question.decision] = scene
                found.append(scene)
            frames = []
    return found


def transcript_steps(conversation: Sequence[Frame]) -> Callable[[Exam], Sequence[Step]]:
    """The beginning, and a step for each question of the transcript."""
    steps = [*BEGINNING, *_steps(scenes(conversation))]
    return lambda _exam: steps


def _steps(found: Sequence[Scene]) -> Iterator[Step]:
    for scene in found:
        asked = scene.question
        then = "no answer" if scene.answer is None else card_words(scene.answer) + " (refused)" * scene.refused
        does = f"{said(asked)}: {then}"
        yield Step(scene.name, does, partial(_same, scene))


async def _same(scene: Scene, exam: Exam) -> str | None:
    """Ask as it was asked then; Failed where another answer counted then, or where there is none now."""
    question, before = scene.question, scene.before
    if before is not None:
        if before.now is None:  # it has not been asked
            with suppress(Failed):
                await _same(before, exam)
        if before.now is None or before.answer is None or Counter(before.now) != Counter(before.answer):
            raise Skipped("this time there is nothing to refuse")
    exam.forget(question)
    await exam.send(*scene.frames)
    try:
        await exam.answered([question])
    finally:
        if exam.has_answered(question):
            scene.now = [face + 1 for face in exam.faces(question)]
    now = scene.now or []
    if scene.answer is not None and Counter(now) == Counter(scene.answer):
        return None
    if scene.answer is None or scene.refused:
        return f"now {card_words(now)}"
    raise Failed(f"now {card_words(now)}")
