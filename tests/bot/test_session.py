"""What the kit says to the frames of one stream."""

from collections.abc import Iterator

import pytest

from arena.bot import Choice, Turn
from arena.bot.author import Author
from arena.bot.session import Broken, Session, play
from arena.v1 import arena_pb2 as pb

WELCOME = pb.ArenaMessage(welcome=pb.Welcome(version=1))
LEGAL = [pb.CARD_2C, pb.CARD_AH]


def question(decision: int) -> pb.ArenaMessage:
    return pb.ArenaMessage(question=pb.Question(decision=decision, ask=pb.ASK_PLAY, count=1, legal=LEGAL))


def refusal(decision: int, tries: int = 1) -> pb.ArenaMessage:
    rejection = pb.Rejection(decision=decision, reason=pb.REASON_ILLEGAL, clause="C4", legal=LEGAL, tries=tries)
    return pb.ArenaMessage(rejection=rejection)


class Says:
    """Always the same card, and what it was asked."""

    def __init__(self, face: int) -> None:
        self.face = face
        self.asked: list[int] = []
        self.told: list[int] = []

    def choose(self, turn: Turn) -> Choice:
        self.asked.append(turn.message.decision)
        return self.face

    def match_over(self, message: pb.MatchEnd) -> None:
        self.told.append(message.table)


def said(session: Session) -> list[tuple[int, list[int]]]:
    """The answers on their way, in order, each with its cards."""
    session.over(None)
    messages = [one for data in session.outgoing() for one in pb.BotFrame.FromString(data).messages]
    return [(one.answer.decision, list(one.answer.cards)) for one in messages if one.HasField("answer")]


def hear(session: Session, *frames: list[pb.ArenaMessage]) -> None:
    """The stream brings these frames and is still there."""
    session.read([pb.ArenaFrame(messages=messages).SerializeToString() for messages in frames])


def answer_all(session: Session, author: Author) -> None:
    """Answer what has come; then the stream is found to be over."""
    frames = session.frames

    def until_none() -> Iterator[tuple[pb.ArenaFrame, float] | None]:
        for item in frames():
            yield item
            if item is None:
                return

    session.frames = until_none  # type: ignore[method-assign] # or it would wait for more
    play(session, author)


def test_a_question_that_comes_again_with_its_rejection_is_answered_once(capsys: pytest.CaptureFixture[str]) -> None:
    """The author's code would say again what was refused, and that would be the last try."""
    bot, session = Says(20), Session(pb.Hello(), None)
    hear(session, [WELCOME], [question(7), refusal(7), question(8)])
    answer_all(session, Author(bot))
    assert said(session) == [(7, [pb.CARD_2C]), (8, [21])]
    assert bot.asked == [8]
    assert "decision 7 was refused: C4" in capsys.readouterr().err


def test_a_question_of_a_stream_that_is_lost_is_not_thought_about() -> None:
    """It comes again on the next one, which is not to wait until the author has thought in vain."""
    bot, session = Says(0), Session(pb.Hello(), None)
    hear(session, [WELCOME, question(1)], [question(2), pb.ArenaMessage(match_end=pb.MatchEnd(table=3))])
    session.over(Broken(None, "lost"))  # type: ignore[arg-type] # the status does not matter
    with pytest.raises(Broken, match="lost"):
        play(session, Author(bot))
    assert bot.asked == []
    assert bot.told == [3]
