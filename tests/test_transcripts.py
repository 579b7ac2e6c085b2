"""The golden transcripts: they are what the arena says, and what a bot in any language can be tested with."""

from collections.abc import Iterator

import pytest

from arena.bot import Ask, Turn
from arena.gateway.script import Frame, read
from arena.rules import cards as c
from arena.rules.catalogue import VARIANTS
from arena.rules.deal import Deal
from arena.rules.view import view
from arena.v1 import arena_pb2 as pb
from tests.transcripts.write import CASES, DOCS, Case, lowest, path_of, recorded, text_of

each = pytest.mark.parametrize("case", CASES, ids=lambda case: case.variant)


def conversation(case: Case) -> list[Frame]:
    """The frames as they are written down."""
    return list(read(path_of(case).read_text(encoding="utf-8")))


def heard(case: Case) -> Iterator[pb.ArenaMessage]:
    """What the arena says in them."""
    for frame in conversation(case):
        if isinstance(frame, pb.ArenaFrame):
            yield from frame.messages


def questions(case: Case) -> list[pb.Question]:
    return [message.question for message in heard(case) if message.HasField("question")]


@each
def test_a_transcript_comes_out_as_it_is_written(case: Case) -> None:
    written = path_of(case).read_text(encoding="utf-8")
    assert text_of(case) == written, "if it is meant: python -m tests.transcripts.write"


@each
def test_the_text_says_the_same_as_the_frames(case: Case) -> None:
    assert conversation(case) == [said.frame for said in recorded(case)]


def test_every_variant_has_one_and_nothing_else_has() -> None:
    assert [case.variant for case in CASES] == list(VARIANTS)
    assert {file.name for file in DOCS.iterdir()} == {f"{variant}.txt" for variant in VARIANTS}


@each
def test_the_questions_that_the_kit_reads_are_those_of_the_rules(case: Case) -> None:
    """The deal is played beside the transcript, by the rules alone."""
    dealt = case.dealt(0)
    deal = Deal(case.rules, 0, dealt.dealer, dealt.hands, dealt.rest)
    asked = questions(case)
    turns = iter([Turn(message, 0.0) for message in asked])
    while pending := deal.pending():
        for question in pending:
            if question.seat == case.seat:
                turn = next(turns)
                seen = view(deal, case.seat)
                assert (turn.seat, turn.ask, turn.count) == (case.seat, question.ask, question.number)
                assert turn.legal == c.faces_of(question.legal)
                assert turn.hand == c.faces_of(seen.hand)
                assert turn.view.hand_sizes == seen.hand_sizes
                assert [card % c.FACES for card in turn.view.trick] == [card % c.FACES for card in seen.trick]
                assert (turn.view.leader, len(turn.view.tricks)) == (seen.leader, len(seen.tricks))
                assert turn.rules.hash == case.rules.hash
            deal.answer(question.seat, lowest(question))
    assert next(turns, None) is None
    points, moon = deal.scores()
    (over,) = [message.deal_end for message in heard(case) if message.HasField("deal_end")]
    assert (tuple(over.points), over.moon_plus_one) == (points, 0 if moon is None else moon + 1)
    assert over.stopped_plus_one == 0


@each
def test_a_bot_that_gives_the_lowest_cards_says_what_the_transcript_says(case: Case) -> None:
    """As the head of each file promises: from the arena's frames alone."""
    open_questions: dict[int, pb.Question] = {}
    expected: list[pb.BotMessage] = []
    differences = 0
    first, *rest = conversation(case)
    assert isinstance(first, pb.BotFrame)
    assert [message.WhichOneof("kind") for message in first.messages] == ["hello"]
    for frame in rest:
        if isinstance(frame, pb.BotFrame):
            assert len(frame.messages) == len(expected)
            differences += list(frame.messages) != expected
            expected = []
            continue
        assert not expected, "a question that the bot has not answered"
        for message in frame.messages:
            if message.HasField("ping"):
                expected.append(pb.BotMessage(pong=pb.Pong(nonce=message.ping.nonce)))
            if message.HasField("question"):
                open_questions[message.question.decision] = message.question
            if message.HasField("question") or message.HasField("rejection"):
                asked = message.question if message.HasField("question") else message.rejection
                count = open_questions[asked.decision].count
                cards = sorted(asked.legal, key=lambda card: ((card - 1) % 13, card))[:count]
                expected.append(pb.BotMessage(answer=pb.Answer(decision=asked.decision, cards=cards)))
    assert not expected
    assert differences == case.mistake


@each
def test_messages_come_in_the_order_of_the_protocol(case: Case) -> None:
    kinds = [message.WhichOneof("kind") or "" for message in heard(case)]
    assert kinds[:3] == ["welcome", "ping", "match_start"]
    assert kinds[-2:] == ["deal_end", "match_end"]
    assert set(kinds[3:-2]) == {"question"} | ({"rejection"} if case.mistake else set())
    asked = [question.decision for question in questions(case)]
    accepted = [one for frame in conversation(case) if isinstance(frame, pb.ArenaFrame) for one in frame.accepted]
    assert accepted == asked == sorted(set(asked))


def test_together_they_show_what_there_is() -> None:
    messages = [message for case in CASES for message in heard(case)]
    asked = [question for case in CASES for question in questions(case)]
    turns = [Turn(question, 0.0) for question in asked]
    tricks = [trick for question in asked for trick in question.view.tricks]
    assert {turn.ask for turn in turns} == set(Ask)
    shown = {
        "a refusal": any(message.HasField("rejection") for message in messages),
        "cards received": any(question.view.received for question in asked),
        "a widow picked up": any(question.view.picked_up for question in asked),
        "cards laid away": any(question.view.discarded for question in asked),
        "cards drawn": any(question.view.drawn for question in asked),
        "others' draws": any(any(trick.drawn) for trick in tricks),
        "equal cards": any(len(set(question.legal)) < len(question.legal) for question in asked),
        "a trick that waits": any(not trick.winner_plus_one for trick in tricks),
        "a kitty": any(question.view.rest_size and question.rules.variant == "black-lady" for question in asked),
        "hearts opened": any(question.view.hearts_open for question in asked if question.rules.variant == "classic"),
        "a lead": any(question.view.HasField("trick") and not question.view.trick.cards for question in asked),
        "chips": any(message.match_end.chips for message in messages if message.HasField("match_end")),
        "a charge": any(question.clock.last_charged_us for question in asked),
    }
    assert not [what for what, there in shown.items() if not there]


def test_a_mistake_in_a_text_is_found() -> None:
    text = path_of(CASES[0]).read_text(encoding="utf-8")
    changed = text.replace("decision: 1 ", "decision: 2 ", 1)
    assert changed != text
    assert list(read(changed)) != conversation(CASES[0])
