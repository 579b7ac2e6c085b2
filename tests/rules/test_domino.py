"""Clauses of `domino`: the stock, who is out, and what the last hand takes."""

import pytest

from arena.rules.deal import Deal
from tests.rules.laid_out import held, laid_out, may, played, points, refused, table, taken
from tests.strategies import fresh


def test_d1_six_cards_each_and_the_rest_is_the_stock() -> None:
    for players in range(2, 8):
        deal = fresh(table("domino", players), 1)
        assert [hand.bit_count() for hand in deal.hands] == [6] * players
        assert len(deal.rest) == 52 - 6 * players
        assert (deal.passes, deal.turn) == (False, 0)


def drawn() -> Deal:
    return played(laid_out("domino", "5C 2D", "3D 4D", "6C 7D", rest="9S TS 8C KC"), "5C")


def test_d2_who_cannot_follow_draws_from_the_top_until_the_suit_comes_and_plays_that_card() -> None:
    deal = drawn()
    assert (deal.turn, may(deal), deal.drawn) == (1, "8C", [0, 3])
    assert held(deal, 1) == "8C 3D 4D 9S TS"
    assert deal.rest == (11,)
    played(deal, "8C 6C")
    assert deal.tricks[0].drawn == (0, 3, 0)
    assert deal.tricks[0].winner == 1


def test_d2_is_named_when_the_seat_has_drawn_and_g4_when_its_hand_could_follow() -> None:
    deal = drawn()
    for card in ("3D", "9S"):
        assert refused(deal, card) == "D2"
    played(deal, "8C")
    assert refused(deal, "7D") == "G4"


def test_d2_g4_again_after_an_earlier_seat_has_drawn() -> None:
    deal = played(laid_out("domino", "5C 2D", "3D 4D", "6C 7C 8D", rest="9C"), "5C 9C")
    assert deal.drawn_cards == ()
    assert refused(deal, "8D") == "G4"


def test_d2_the_leader_never_draws_and_the_next_trick_starts_anew() -> None:
    deal = played(drawn(), "8C 6C")
    assert (deal.turn, deal.drawn, deal.drawn_cards) == (1, [0], ())
    assert may(deal) == "3D 4D 9S TS"


def test_d2_with_the_stock_empty_any_card_may_be_discarded() -> None:
    deal = played(laid_out("domino", "5C 2D", "3D 4H", "6C 7D"), "5C")
    assert (may(deal), deal.drawn) == ("3D 4H", [0, 0])


def test_d2_a_stock_that_runs_out_leaves_the_whole_hand_to_choose_from() -> None:
    deal = played(laid_out("domino", "5C 2D", "3D 4H", "6C 7D", rest="9S TS"), "5C")
    assert (may(deal), deal.drawn, deal.rest) == ("3D 9S TS 4H", [0, 2], ())
    played(deal, "4H")
    assert may(deal) == "6C"


def test_d2_several_seats_may_draw_in_one_trick() -> None:
    deal = played(laid_out("domino", "5C 2D", "3D 4H", "6S 7D", rest="9S TC JH QC"), "5C TC QC")
    assert deal.tricks[0].drawn == (0, 2, 2)
    assert [hand.bit_count() for hand in deal.hands] == [1, 3, 3]


def test_d3_who_has_no_card_left_is_out_and_the_next_active_player_leads() -> None:
    deal = played(laid_out("domino", "2C", "3D 3C", "9C", "4C 4D 4S"), "2C 3C 9C 4C")
    assert deal.tricks[0].winner == 2
    assert (deal.turn, deal.seats) == (3, (3, 1))
    played(deal, "4S 3D")
    assert deal.complete


def test_d3_the_lead_passes_over_everybody_who_is_out() -> None:
    deal = played(laid_out("domino", "2C 3D", "4C 4D", "9C", "5C", "6C"), "2C 4C 9C 5C 6C")
    assert (deal.turn, deal.seats) == (0, (0, 1))


def test_d3_a_player_without_a_card_does_not_draw_one() -> None:
    deal = played(laid_out("domino", "2C 2D", "3C", "4C 5S", rest="6D 7D"), "2C 3C 4C")
    assert (deal.turn, deal.seats) == (2, (2, 0))
    played(deal, "5S")
    assert deal.turn == 0
    assert deal.drawn == [0, 2]


def test_d4_the_last_player_keeps_the_hand_and_takes_the_stock() -> None:
    deal = played(laid_out("domino", "2C", "3C", "4C 5H 6H", rest="7H 8D"), "2C 3C 4C")
    assert deal.complete
    assert (taken(deal, 2), points(deal)) == ("2C 3C 4C 8D 5H 6H 7H", (0, 0, 3))


def test_d4_the_last_player_need_not_have_won_the_last_trick() -> None:
    deal = played(laid_out("domino", "2C", "9C", "4C 5H 6H", rest="7H"), "2C 9C 4C")
    assert (taken(deal, 1), taken(deal, 2)) == ("2C 4C 9C", "5H 6H 7H")
    assert points(deal) == (0, 0, 3)


def test_d4_if_the_last_run_out_in_one_trick_its_winner_takes_the_stock() -> None:
    deal = played(laid_out("domino", "2C", "9C", "4C", rest="7H 2H"), "2C 9C 4C")
    assert (taken(deal, 1), points(deal)) == ("2C 4C 9C 2H 7H", (0, 2, 0))


@pytest.mark.parametrize("players", range(2, 8))
def test_d5_only_hearts_count_one_each(players: int) -> None:
    game = table("domino", players)
    assert sum(game.points[:52]) == 13
    assert game.variant.moon is None


def test_d5_all_hearts_are_no_moon() -> None:
    deal = played(laid_out("domino", "AC 2H", "9C", "4C"), "AC 9C 4C")
    assert deal.scores() == ((1, 0, 0), None)
