"""What the kit does with an author's code, and with its mistakes."""

import time
from collections.abc import Iterator

import pytest

from arena.bot import Choice, Turn
from arena.bot.author import Author
from arena.rules.cards import Card
from arena.v1 import arena_pb2 as pb

QUESTION = pb.Question(decision=9, ask=pb.ASK_PLAY, count=1, legal=[pb.CARD_2C, pb.CARD_AH])


def test_a_function_is_a_bot_and_one_card_is_an_answer() -> None:
    message = Author(lambda turn: turn.legal[-1]).answer(QUESTION, 0.0)
    assert message is not None
    assert (message.answer.decision, list(message.answer.cards)) == (9, [pb.CARD_AH])


def test_an_object_with_choose_is_a_bot_and_hears_what_it_wants_to() -> None:
    class Duck:
        def __init__(self) -> None:
            self.heard: list[object] = []

        def choose(self, turn: Turn) -> Choice:
            return reversed(turn.legal)

        def deal_over(self, message: pb.DealEnd) -> None:
            self.heard.append(message)

    duck = Duck()
    author = Author(duck)
    message = author.answer(QUESTION, 0.0)
    assert message is not None
    assert list(message.answer.cards) == [pb.CARD_AH, pb.CARD_2C]
    author.tell(pb.ArenaMessage(deal_end=pb.DealEnd(deal=3)))
    author.tell(pb.ArenaMessage(match_end=pb.MatchEnd()))
    author.tell(pb.ArenaMessage())
    assert duck.heard == [pb.DealEnd(deal=3)]


@pytest.mark.parametrize(
    ("thinks_ns", "said_us"), [(25_000_000, 25_000), (1_999, 1), (0, 1), (10**18, 10**15)], ids=str
)
def test_an_answer_says_how_long_the_author_thought(
    thinks_ns: int, said_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ns = [5]
    monkeypatch.setattr(time, "perf_counter_ns", lambda: now_ns[0])

    def choose(turn: Turn) -> Card:
        now_ns[0] += thinks_ns
        return turn.legal[0]

    def lazily(turn: Turn) -> Iterator[Card]:
        yield choose(turn)

    for one in (choose, lazily):
        message = Author(one).answer(QUESTION, 0.0)
        assert message is not None
        assert message.answer.thought_us == said_us


@pytest.mark.parametrize("choice", [52, -1, [1, 99], [3.0], "2C", [None]])
def test_a_choice_that_is_no_card_is_shown_to_the_author(choice: Choice, capsys: pytest.CaptureFixture[str]) -> None:
    assert Author(lambda _turn: choice).answer(QUESTION, 0.0) is None
    assert "Error: " in capsys.readouterr().err


def test_an_error_in_choose_is_shown_and_nothing_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    def choose(_turn: Turn) -> Choice:
        raise KeyError("my bug")

    assert Author(choose).answer(QUESTION, 0.0) is None
    assert "my bug" in capsys.readouterr().err


def test_an_error_in_news_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken:
        def choose(self, turn: Turn) -> Choice:
            return turn.legal[0]

        def match_over(self, message: pb.MatchEnd) -> None:
            raise KeyError(message.table)

    Author(Broken()).tell(pb.ArenaMessage(match_end=pb.MatchEnd(table=77)))
    assert "77" in capsys.readouterr().err


def test_something_new_that_is_asked_is_said_once_and_not_answered(capsys: pytest.CaptureFixture[str]) -> None:
    author = Author(lambda turn: turn.legal[0])
    question = pb.Question(ask=pb.Ask.ValueType(12))
    assert author.answer(question, 0.0) is None
    assert author.answer(question, 0.0) is None
    assert capsys.readouterr().err.count("12") == 1


@pytest.mark.parametrize(
    ("clause", "message", "shown"),
    [
        ("G4", "follow\nsuit", "G4 follow suit"),
        ("G4", "G4: A player who can follow must.", "G4: A player who can follow must."),
        ("", "seat 1 does not hold 7C", "seat 1 does not hold 7C"),
    ],
)
def test_a_rejection_is_shown_to_the_author(
    capsys: pytest.CaptureFixture[str], clause: str, message: str, shown: str
) -> None:
    """With its clause, once."""
    rejection = pb.Rejection(decision=9, reason=pb.REASON_ILLEGAL, clause=clause, message=message)
    Author(lambda turn: turn.legal[0]).tell(pb.ArenaMessage(rejection=rejection))
    assert capsys.readouterr().err == f"the answer to decision 9 was refused: {shown}; no try is left\n"


def test_a_refused_answer_is_corrected_by_the_lowest_legal_cards(capsys: pytest.CaptureFixture[str]) -> None:
    question = pb.Question(decision=9, ask=pb.ASK_PASS, count=2, legal=[pb.CARD_AC, pb.CARD_3D, pb.CARD_3H, pb.CARD_3C])
    rejection = pb.Rejection(decision=9, reason=pb.REASON_MALFORMED, message="1 card", tries=1)
    author = Author(lambda turn: turn.legal[0])
    corrected = author.correct(question, rejection).answer
    assert list(corrected.cards) == [pb.CARD_3C, pb.CARD_3D]
    assert not corrected.thought_us, "nobody has thought"
    rejection.legal.extend([pb.CARD_AC, pb.CARD_KC])
    assert list(author.correct(question, rejection).answer.cards) == [pb.CARD_KC, pb.CARD_AC], "what the arena says"
    assert "1 card; the lowest legal cards are played instead" in capsys.readouterr().err
