"""Clauses of `hearts`, `greek`, `omnibus` and `spot`: variants that differ in passing, values and moons."""

import pytest

from arena.rules import cards as c
from arena.rules.variant import Direction
from tests.rules.laid_out import laid_out, may, played, points, table
from tests.strategies import fresh


def test_h1_all_cards_are_dealt_equally_and_none_is_passed() -> None:
    sizes = {3: 17, 4: 13, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 5}
    for players, size in sizes.items():
        deal = fresh(table("hearts", players), 1)
        assert [hand.bit_count() for hand in deal.hands] == [size] * players
        assert deal.rest == ()
        assert not deal.passes


def test_h2_eldest_leads_any_card_and_nothing_restricts_hearts() -> None:
    deal = laid_out("hearts", "2C QS AH", "3C 4D KH", "9D QH JH")
    assert (deal.turn, may(deal)) == (0, "2C QS AH")
    assert deal.hearts_open
    played(deal, "2C 3C")
    assert may(deal) == "9D JH QH"  # void in the first trick: hearts may go
    played(deal, "QH")
    assert may(deal) == "4D KH"


def test_h3_queen_13_hearts_1_each_and_no_bonus_for_all() -> None:
    deal = laid_out("hearts", "AC AH AS", "2C 2H QS", "3C 3H 2S")
    assert played(deal, "AC 2C 3C", "AS QS 2S", "AH 2H 3H").scores() == ((16, 0, 0), None)
    assert sum(table("hearts", 4).points[:52]) == 26


def test_k1_three_cards_go_to_the_right_in_every_deal() -> None:
    game = table("greek", 5)
    assert (game.passing.count, {game.passing.direction(deal) for deal in range(5)}) == (3, {Direction.RIGHT})
    deal = fresh(game, 1)
    given = [c.cards_of(hand)[:3] for hand in deal.hands]
    for seat, cards in enumerate(given):
        deal.answer(seat, cards)
    assert [deal.received[seat] for seat in range(5)] == [c.mask(given[(seat + 1) % 5]) for seat in range(5)]
    assert deal.turn == 0  # eldest leads


@pytest.mark.parametrize("players", [3, 4, 5, 6, 7])
def test_k2_the_shooter_scores_minus_26_for_each_other(players: int) -> None:
    others = [f"{rank}C 3{suit} 4{suit}" for rank, suit in zip("23456789"[: players - 1], "DSDSDS", strict=False)]
    deal = laid_out("greek", "AC AH QS", *_apart(others))
    while not deal.complete:
        deal.answer(deal.turn, c.cards_of(deal.legal)[-1:])
    expected = tuple(-26 * (players - 1) if seat == 0 else 26 for seat in range(players))
    assert deal.scores() == (expected, 0)
    assert sum(expected) == 0


def _apart(hands: list[str]) -> list[str]:
    """Hands in which no card comes twice and nothing is a heart or QS."""
    spare = iter([f"{rank}{suit}" for suit in "DS" for rank in "23456789T"])
    return [" ".join([hand.split()[0], next(spare), next(spare)]) for hand in hands]


def test_k2_half_a_moon_is_none() -> None:
    deal = laid_out("greek", "AC AH 2S", "2C 2H QS", "3C 3H AS")
    assert played(deal, "AC 2C 3C", "AH 2H 3H", "2S QS AS").scores() == ((3, 0, 13), None)


def test_o1_three_cards_go_to_the_right_and_eldest_leads_anything() -> None:
    game = table("omnibus", 4)
    assert (game.passing.count, {game.passing.direction(deal) for deal in range(5)}) == (3, {Direction.RIGHT})
    assert (game.hand_size, game.rest_size) == (13, 0)
    deal = laid_out("omnibus", "QS AH 2C", "3C 4C 5C", "6C 7C 8C", "9C TC JC")
    assert (deal.turn, may(deal)) == (0, "2C QS AH")


def test_o2_hearts_1_queen_13_ten_of_diamonds_minus_10() -> None:
    game = table("omnibus", 4)
    assert sum(game.points[:52]) == 16
    assert [game.points[c.card(card)] for card in ("QS", "2H", "TD", "JD")] == [13, 1, -10, 0]
    deal = laid_out("omnibus", "AC 2D AH", "2C TD 3D", "3C AD QS", "4C 4D KS")
    assert points(played(deal, "AC 2C 3C 4C", "2D TD AD 4D", "QS KS AH 3D")) == (0, 0, -10, 14)


def test_o3_all_hearts_queen_and_ten_score_minus_26_and_the_others_nothing() -> None:
    deal = laid_out("omnibus", "AD AH AS", "TD 2H QS", "3D 3H 2S", "4D 4H 4S")
    assert played(deal, "AD TD 3D 4D", "AH 2H 3H 4H", "AS QS 2S 4S").scores() == ((-26, 0, 0, 0), 0)


def test_o3_without_the_ten_it_is_no_moon() -> None:
    deal = laid_out("omnibus", "2D AH AS", "TD 2H QS", "AD 3H 2S", "4D 4H 4S")
    assert played(deal, "2D TD AD 4D", "2S 4S AS QS", "AH 2H 3H 4H").scores() == ((17, 0, -10, 0), None)


def test_o3_the_ten_alone_is_no_moon_where_no_heart_and_no_queen_was_dealt() -> None:
    deal = laid_out("omnibus", "2D AC AS", "TD 2C KS", "AD 3C 2S", "4D 4C 4S")
    assert played(deal, "2D TD AD 4D", "2S 4S AS KS", "AC 2C 3C 4C").scores() == ((0, 0, -10, 0), None)


def test_o3_asks_for_the_ten_also_where_it_was_not_dealt() -> None:
    deal = laid_out("omnibus", "AD AH AS", "9D 2H QS", "3D 3H 2S", "4D 4H 4S")
    assert played(deal, "AD 9D 3D 4D", "AH 2H 3H 4H", "AS QS 2S 4S").scores() == ((17, 0, 0, 0), None)


def test_s1_hearts_count_their_faces_and_the_queen_nothing() -> None:
    game = table("spot", 4)
    hearts = [game.points[c.card(rank + "H")] for rank in c.RANKS]
    assert hearts == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
    assert sum(game.points[:52]) == sum(hearts) == 104
    deal = laid_out("spot", "AH JH", "2H QS", "TH KH")
    assert points(played(deal, "AH 2H TH", "JH QS KH")) == (26, 0, 24)
