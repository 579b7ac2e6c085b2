"""The engine beside a second implementation that is slow and plain: every question, every refusal, every result."""

import random
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings

from arena.rules import cards as c
from arena.rules.cards import Card
from arena.rules.deal import Ask, Deal, IllegalAnswer, Question
from arena.rules.variant import Rules
from tests.rules.plain import Plain
from tests.strategies import GAMES, MANNERS, PROFILE, TABLES, Run, choice, fresh, label, positions, runs


def names(cards: Iterable[Card]) -> list[str]:
    return [c.name(card) for card in cards]


def plain_of(deal: Deal) -> Plain:
    hands = [names(c.cards_of(hand)) for hand in deal.first_hands]
    return Plain(deal.rules.name, deal.rules.options, deal.number, deal.dealer, hands, names(deal.first_rest))


def same_question(plain: Plain, deal: Deal, question: Question) -> None:
    legal = names(c.faces_of(question.legal))
    assert question.ask.value == plain.asked
    if question.ask is Ask.PASS:
        assert sorted(legal) == sorted(plain.hands[question.seat])
        assert question.number == plain.pass_count()
        return
    assert question.seat == plain.turn
    if question.ask is Ask.DISCARD:
        assert sorted(legal) == sorted(plain.hands[plain.turn])
        assert question.number == plain.picked
        return
    assert sorted(legal) == sorted(plain.legal())
    assert names(deal.drawn_cards) == plain.drawn
    assert deal.hearts_open is not plain.hearts_closed()


def same_refusals(plain: Plain, deal: Deal) -> None:
    """Every card that is held and may not be played is refused by the same clause."""
    for name in set(plain.hands[plain.turn]) - set(plain.legal()):
        with pytest.raises(IllegalAnswer) as caught:
            deal.answer(deal.turn, [c.card(name)])
        assert caught.value.clause == plain.clause(name), name


def answer_both(plain: Plain, deal: Deal, question: Question, faces: Sequence[Card]) -> None:
    deal.answer(question.seat, faces)
    match question.ask:
        case Ask.PASS:
            plain.give(question.seat, names(faces))
        case Ask.PLAY:
            plain.play(c.name(faces[0]))
        case Ask.DISCARD:
            plain.lay_away(names(faces))


def same_result(plain: Plain, deal: Deal, pot: int) -> None:
    assert plain.asked == ""
    assert [winner for _, winner in plain.tricks] == [trick.winner for trick in deal.tricks]
    assert [sorted(cards) for cards in plain.taken] == [sorted(names(c.faces_of(cards))) for cards in deal.taken]
    found, moon = deal.scores()
    assert list(found) == plain.points()
    assert moon == plain.shooter()
    chips, pot_after = deal.rules.variant.settlement.settle(found, pot)
    assert (list(chips), pot_after) == plain.chips(plain.points(), pot)


def play_both(deal: Deal, manner: str, seed: int, *, refusals: bool) -> None:
    plain = plain_of(deal)
    rng = random.Random(seed)
    while not deal.complete:
        question = rng.choice(deal.pending())
        same_question(plain, deal, question)
        if refusals and question.ask is Ask.PLAY:
            same_refusals(plain, deal)
        answer_both(plain, deal, question, choice(manner, rng, deal.rules, question))
    same_result(plain, deal, pot=seed % 50)


@pytest.mark.parametrize("rules", GAMES, ids=label)
def test_a_deal_of_every_game_agrees(rules: Rules) -> None:
    seed = GAMES.index(rules)
    play_both(fresh(rules, seed, seed % 7), MANNERS[seed % len(MANNERS)], seed, refusals=True)


@pytest.mark.parametrize("rules", TABLES, ids=label)
def test_deals_in_every_manner_agree(rules: Rules) -> None:
    for number, manner in enumerate(MANNERS * 2):
        play_both(fresh(rules, 1000 + number, number), manner, number, refusals=False)


@settings(PROFILE, max_examples=700)
@given(positions())
def test_positions_agree(run: Run) -> None:
    play_both(run.at_the_start(), run.manner, run.seed, refusals=True)


@settings(PROFILE, max_examples=60)
@given(runs())
def test_deals_agree(run: Run) -> None:
    play_both(run.at_the_start(), run.manner, run.seed, refusals=True)
