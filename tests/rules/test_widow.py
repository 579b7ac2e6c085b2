"""Clauses of `widow`."""

import pytest

from arena.rules import cards as c
from arena.rules.deal import Ask, MalformedAnswer
from tests.rules.laid_out import held, laid_out, may, played, points, table, taken
from tests.strategies import fresh


def test_w1_hands_and_widow_by_the_number_of_players() -> None:
    for players, size, rest, out in ((3, 16, 3, "2S"), (4, 12, 3, "2S"), (5, 10, 2, ""), (6, 8, 4, "")):
        game = table("widow", players)
        assert (game.hand_size, game.rest_size) == (size, rest)
        assert c.text(c.cards_of(c.PACK & ~c.mask(game.pack))) == out
        assert len(fresh(game, 1).rest) == rest


def test_w2_the_first_tricks_winner_takes_the_widow_and_discards_as_many() -> None:
    deal = laid_out("widow", "2C 3C 5C", "9C 4D 6D", "4C 5D 7D", rest="QS KH")
    assert (deal.turn, may(deal)) == (0, "2C 3C 5C")
    played(deal, "2C 9C 4C")
    (question,) = deal.pending()
    assert (question.seat, question.ask, question.number) == (1, Ask.DISCARD, 2)
    assert c.text(c.cards_of(question.legal)) == "4D 6D QS KH"
    with pytest.raises(MalformedAnswer):
        deal.answer(0, c.parse("3C 5C"))
    deal.answer(1, c.parse("KH 4D"))
    assert held(deal, 1) == "6D QS"
    assert taken(deal, 1) == "2C 4C 9C"
    assert (deal.turn, may(deal)) == (1, "6D QS")


def test_w2_the_widow_itself_may_be_laid_away_again() -> None:
    deal = played(laid_out("widow", "2C 3C", "9C 4D", "4C 5D", rest="QS KH"), "2C 9C 4C")
    deal.answer(1, c.parse("KH QS"))
    assert held(deal, 1) == "4D"


def test_w2_only_after_the_first_trick() -> None:
    deal = played(laid_out("widow", "2C 3C", "9C 4D", "4C 5D", rest="QS"), "2C 9C 4C")
    deal.answer(1, c.parse("QS"))
    played(deal, "4D 5D 3C")
    assert deal.complete


def test_w2_after_hands_of_one_card_the_deal_ends_with_the_discard() -> None:
    deal = played(laid_out("widow", "2C", "9C", "4C", rest="QS KH"), "2C 9C 4C")
    assert deal.pending()[0].number == 2
    deal.answer(1, c.parse("QS KH"))
    assert deal.complete
    assert points(deal) == (0, 0, 0)


def test_w2_an_empty_widow_asks_for_no_discard() -> None:
    deal = played(laid_out("widow", "2C 3C", "9C 4D", "4C 5D"), "2C 9C 4C")
    assert (deal.ask, deal.turn, may(deal)) == (Ask.PLAY, 1, "4D")
    played(deal, "4D 5D 3C")
    assert deal.complete
    assert played(laid_out("widow", "2C", "9C", "4C"), "2C 9C 4C").complete


@pytest.mark.parametrize(("option", "counted"), [("nobody", 0), ("taker", 14)])
def test_w3_discarded_penalty_cards_count_for_nobody_or_for_the_taker(option: str, counted: int) -> None:
    deal = laid_out("widow", "2C AD", "9C 4D", "4C 5H", rest="QS KH", discards_count=option)
    played(deal, "2C 9C 4C")
    deal.answer(1, c.parse("QS KH"))
    played(deal, "4D 5H AD")
    assert points(deal) == (1, counted, 0)


def test_w3_play_and_values_are_those_of_plain_hearts_and_all_is_no_moon() -> None:
    game = table("widow", 5)
    assert game.points == table("hearts", 5).points
    deal = laid_out("widow", "AC AH", "2C QS", "3C 2H", rest="4C")
    played(deal, "AC 2C 3C")
    deal.answer(0, c.parse("4C"))
    assert played(deal, "AH QS 2H").scores() == ((15, 0, 0), None)
