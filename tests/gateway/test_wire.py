"""Rules to protobuf and back."""

import random

import pytest
from hypothesis import given

from arena.gateway import wire
from arena.gateway.encoder import TableEncoder
from arena.rules import cards as c
from arena.rules.catalogue import rules
from arena.rules.deal import Question
from arena.rules.match import Match
from arena.rules.variant import Rules
from arena.rules.view import View, view
from arena.seat import Reason, Rejection
from arena.v1 import arena_pb2 as pb
from tests.fakes import put
from tests.strategies import PROFILE, TABLES, Run, fresh, label, positions, runs, walk


def asked(run: Run) -> list[pb.Question]:
    """The open questions of the deal as messages."""
    deal = run.stopped()
    match = Match(run.rules)
    found = []
    for question in deal.pending():
        request = put(1, question, deal, match)
        frame = pb.ArenaFrame.FromString(TableEncoder(1).question("m", request, 5.0))
        found.append(frame.messages[0].question)
    return found


def test_a_card_on_the_wire_is_named_as_everywhere() -> None:
    names = {name.removeprefix("CARD_"): value for name, value in pb.Card.items()}
    assert {c.name(card): wire.VALUES[card] for card in range(52)} == {
        name: value for name, value in names.items() if name != "UNSPECIFIED"
    }


def test_values_of_a_set_are_in_order_and_twins_come_twice() -> None:
    rng = random.Random(1)
    for _ in range(200):
        cards = rng.getrandbits(rng.choice([52, 104]))
        assert list(wire.values(cards)) == [face + 1 for face in c.faces_of(cards)]


def compare(message: pb.Question, question: Question, known: View) -> None:
    """What is read from a question is what was asked, and its cards are disjoint."""
    seen = wire.read_view(message)
    asks = (message.seat, wire.ASK_OF[message.ask], message.count)
    assert asks == (question.seat, question.ask, question.number)
    assert wire.faces(message.legal) == c.faces_of(question.legal)
    for own in ("hand", "passed", "received", "picked_up", "discarded"):
        assert c.faces_of(getattr(seen, own)) == c.faces_of(getattr(known, own))
    for public in ("number", "dealer", "seat", "leader", "trick_drawn", "hand_sizes", "rest_size", "hearts_open"):
        assert getattr(seen, public) == getattr(known, public)
    assert [card % 52 for card in seen.drawn] == [card % 52 for card in known.drawn]
    assert all(seen.hand >> card & 1 for card in seen.drawn)
    assert [card % 52 for card in seen.trick] == [card % 52 for card in known.trick]
    for one, other in zip(seen.tricks, known.tricks, strict=True):
        assert one._replace(cards=()) == other._replace(cards=())
        assert [card % 52 for card in one.cards] == [card % 52 for card in other.cards]
    assert seen.rules.hash == known.rules.hash
    played = [card for trick in seen.tricks for card in trick.cards] + list(seen.trick)
    everything = [*played, *c.cards_of(seen.hand)]
    assert len(set(everything)) == len(everything)
    for at, card in enumerate(played):
        assert card < c.FACES or card - c.FACES in played[:at], "of two equal ones the first was played first"


@PROFILE
@given(runs() | positions())
def test_a_question_comes_back_as_it_was_asked(run: Run) -> None:
    deal = run.stopped()
    for message, question in zip(asked(run), deal.pending(), strict=True):
        compare(message, question, view(deal, question.seat))


@pytest.mark.parametrize("rules", TABLES, ids=label)
def test_every_question_of_a_deal_comes_back_as_it_was_asked(rules: Rules) -> None:
    """Also what few states of a deal have: cards that are drawn, and two equal ones in sight."""
    deal, match = fresh(rules, 5), Match(rules)
    for question in walk(deal, "random", 3):
        message = wire.question_message(1, "m", put(1, question, deal, match), 5.0)
        compare(message, question, view(deal, question.seat))


def test_what_was_drawn_is_in_the_hand_also_where_another_of_its_kind_was_played() -> None:
    """No variant has both a stock and two packs; the message could."""
    message = pb.Question(ask=pb.ASK_PLAY, count=1, rules=wire.rules_message(rules("cancellation", 7)))
    message.view.trick.cards.append(pb.CARD_2C)
    message.view.hand.extend([pb.CARD_2C, pb.CARD_3C, pb.CARD_3C])
    message.view.drawn.extend([pb.CARD_3C, pb.CARD_2C, pb.CARD_3C])
    assert wire.read_view(message).drawn == (1, 52, 53)


def test_what_nobody_knows_yet_is_ignored_in_a_question() -> None:
    message = pb.Question(ask=pb.ASK_PLAY, count=1, rules=wire.rules_message(rules("classic", 4)))
    message.legal.extend([pb.Card.ValueType(99), pb.CARD_2C, pb.CARD_UNSPECIFIED])
    message.view.hand.extend([pb.CARD_2C, pb.Card.ValueType(1000)])
    message.MergeFromString(b"\xfa\x3e\x03new")  # field 1007
    assert wire.faces(message.legal) == (0,)
    assert wire.read_view(message).hand == 1


def test_rules_of_another_version_are_told_by_their_hash() -> None:
    message = pb.Rules()
    message.CopyFrom(wire.rules_message(rules("classic", 4)))
    assert wire.read_rules(message).hash == message.hash
    message.hash = "0123456789abcdef"
    with pytest.raises(ValueError, match="0123456789abcdef"):
        wire.read_rules(message)


def test_rules_are_one_object_for_each_game() -> None:
    message = wire.rules_message(rules("black-lady", 5, {"settlement": "pot"}))
    assert wire.read_rules(message) is wire.read_rules(message)
    assert wire.read_rules(message).options["settlement"] == "pot"


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ([], "no cards"),
        ([0], "0 is not a card"),
        ([1, 53], "53 is not a card"),
        ([-1], "-1 is not a card"),
        ([1] * 53, "53 cards"),
    ],
)
def test_an_answer_that_is_no_cards_is_data(cards: list[int], reason: str) -> None:
    assert wire.answer_faces(cards) == ((), reason)


def test_an_answer_of_cards_is_faces_in_its_order() -> None:
    assert wire.answer_faces([52, 1, 1]) == ((51, 0, 0), "")


DAY_US = 24 * 60 * 60 * 10**6


@pytest.mark.parametrize(
    ("said_us", "thought_s"),
    [(0, None), (1, 1e-6), (25_000, 0.025), (DAY_US, 86_400.0), (DAY_US + 1, None), (2**64 - 1, None)],
)
def test_what_a_bot_says_it_thought_is_seconds_or_not_said(said_us: int, thought_s: float | None) -> None:
    answer = pb.Answer(decision=7, cards=[pb.CARD_2C], thought_us=said_us)
    frame = pb.BotFrame(messages=[pb.BotMessage(answer=answer)]).SerializeToString()
    assert wire.thoughts(frame) == {7: thought_s}


def test_of_several_answers_to_a_question_in_a_frame_the_first_says_what_was_thought() -> None:
    said = [(7, 0), (8, 3_000), (7, 5_000), (8, 0), (2**64 - 1, 2_000)]
    answers = [pb.BotMessage(answer=pb.Answer(decision=one, thought_us=thought_us)) for one, thought_us in said]
    frame = pb.BotFrame(messages=[pb.BotMessage(pong=pb.Pong(nonce=7)), *answers, pb.BotMessage()])
    assert wire.thoughts(frame.SerializeToString()) == {7: None, 8: 0.003, 2**64 - 1: 0.002}
    assert wire.thoughts(b"") == {}


def test_a_rejection_says_what_would_be_legal() -> None:
    said = wire.rejection_message(Rejection(5, Reason.ILLEGAL, "G4", "follow suit", c.mask([3, 1]), 1))
    assert (said.decision, said.reason, said.clause, said.tries) == (5, pb.REASON_ILLEGAL, "G4", 1)
    assert list(said.legal) == [2, 4]
