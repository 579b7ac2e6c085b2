"""`arena check --transcript`: what was asked then is asked again."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.main import app
from arena.gateway import wire
from arena.gateway.check import Outcome, Verdict, examine
from arena.gateway.check_exam import Exam, Patience
from arena.gateway.check_line import opened_door
from arena.gateway.check_transcript import scenes, transcript_steps
from arena.gateway.script import Frame, read
from arena.v1 import arena_pb2 as pb
from tests.broken_bots import TOKEN, Bot, answer
from tests.transcripts.write import CASES, Case, path_of

PATIENCE = Patience(connect_s=5.0, answer_s=2.0)
each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.variant)


class Lowest(Bot):
    """What the transcripts of the protocol were made with."""

    def question(self, question: pb.Question) -> list[pb.BotMessage]:
        return answer(question, sorted(question.legal, key=lambda card: ((card - 1) % 13, card))[: question.count])


class Highest(Bot):
    def question(self, question: pb.Question) -> list[pb.BotMessage]:
        return answer(question, sorted(question.legal, key=lambda card: ((card - 1) % 13, card))[-question.count :])


def conversation(case: Case) -> Sequence[Frame]:
    return read(path_of(case).read_text(encoding="utf-8"))


def played_again(kind: type[Bot], frames: Sequence[Frame], only: Sequence[str] = ()) -> list[Outcome]:
    """The outcomes of the questions."""

    async def main() -> list[Outcome]:
        async with opened_door("127.0.0.1:0", None) as door:
            bot = asyncio.create_task(kind().run(f"127.0.0.1:{door.port}"))
            exam = Exam(door, wire.key_of(TOKEN), PATIENCE)
            outcomes = [one async for one in examine(exam, transcript_steps(frames), only)]
            bot.cancel()
            await asyncio.gather(bot, return_exceptions=True)
        return [one for one in outcomes if not one.step.first]

    return asyncio.run(main())


@each
def test_a_bot_that_plays_alike_is_told_so(case: Case) -> None:
    """All golden transcripts, over gRPC; the mistake in one of them is not made again, and not asked for."""
    frames = conversation(case)
    outcomes = played_again(Lowest, frames)
    verdicts = [one.verdict for one in outcomes]
    assert verdicts.count(Verdict.SKIPPED) == case.mistake
    assert Verdict.FAILED not in verdicts, [one for one in outcomes if one.verdict is Verdict.FAILED]
    assert len(outcomes) == sum(
        message.HasField("question") or message.rejection.tries > 0
        for frame in frames
        if isinstance(frame, pb.ArenaFrame)
        for message in frame.messages
    )
    assert [one.said for one in outcomes if one.said] == (
        [next(one.said for one in outcomes if "refused" in one.step.does), "this time there is nothing to refuse"]
        if case.mistake
        else []
    )


def test_a_bot_that_plays_otherwise_is_told_where() -> None:
    frames = conversation(CASES[0])
    outcomes = played_again(Highest, frames)
    failed = [one for one in outcomes if one.verdict is Verdict.FAILED]
    asked = {scene.name: scene for scene in scenes(frames)}
    free = [name for name, scene in asked.items() if len(scene.question.legal) > scene.question.count]
    assert {one.step.name for one in failed} == set(free)
    first = failed[0]
    assert first.step.does == "a play in hearts: 3C" or first.step.does.startswith("a p")
    assert first.said.startswith("now ")
    again = played_again(Highest, frames, [first.step.name])
    assert [(one.step.name, one.said) for one in again] == [(first.step.name, first.said)]


def with_rejection(frames: Sequence[Frame], number: int) -> list[Frame]:
    """The same where the answer to a question was refused, and then given."""
    found: list[Frame] = []
    asked = [scene.question for scene in scenes(frames)][number]
    wrong = next(card for card in range(1, 53) if card not in asked.legal)
    for frame in frames:
        said = [one.answer.decision for one in frame.messages if isinstance(one, pb.BotMessage)]
        if said == [asked.decision]:
            refused = pb.Rejection(decision=asked.decision, reason=pb.REASON_ILLEGAL, tries=1, legal=asked.legal)
            found.append(pb.BotFrame(messages=answer(asked, [wrong])))
            found.append(pb.ArenaFrame(messages=[pb.ArenaMessage(rejection=refused)]))
        found.append(frame)
    return found


def test_a_refusal_is_played_again_where_the_bot_makes_the_same_mistake() -> None:
    frames = with_rejection(conversation(CASES[0]), 3)
    scene = scenes(frames)[3]
    assert scene.refused

    class Mistaken(Lowest):
        def question(self, question: pb.Question) -> list[pb.BotMessage]:
            if question.decision == scene.question.decision:
                assert scene.answer is not None
                return answer(question, scene.answer)
            return super().question(question)

        def rejection(self, rejection: pb.Rejection) -> list[pb.BotMessage]:
            return super().question(self.decisions[rejection.decision])

    outcomes = played_again(Mistaken, frames)
    (failed,) = [one for one in outcomes if one.verdict is Verdict.FAILED]
    assert failed.step.name == scene.name
    assert "is not among the legal cards" in failed.said
    (again,) = played_again(Mistaken, frames, [f"{scene.name} again"])
    assert again.verdict is Verdict.OK


def test_a_question_without_an_answer_is_no_failure_now() -> None:
    frames = [frame for frame in conversation(CASES[0]) if isinstance(frame, pb.ArenaFrame)]
    outcomes = played_again(Lowest, frames)
    assert {one.verdict for one in outcomes} == {Verdict.OK}
    assert all("no answer" in one.step.does and one.said.startswith("now ") for one in outcomes)


def test_a_question_that_came_again_is_asked_once() -> None:
    frames = list(conversation(CASES[0]))
    place = next(
        n
        for n, one in enumerate(frames)
        if any(message.HasField("question") for message in one.messages if isinstance(message, pb.ArenaMessage))
    )
    assert len(scenes([*frames[: place + 1], *frames[place:]])) == len(scenes(frames))


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("", "no question is in it"),
        ("# arena → bot\nmessages { qestion { } }", "paragraph 1: 2:12"),
        ("# arena → bot\nmessages { ping { nonce: 1 } }", "no question is in it"),
    ],
)
def test_a_file_that_is_no_transcript_is_one_line(text: str, needle: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["check", "--command", "true", "--transcript", str(path)])
    assert result.exit_code == 1
    assert f"{path}: not a transcript: " in str(result.exception)
    assert needle in str(result.exception)
    assert "\n" not in str(result.exception)
