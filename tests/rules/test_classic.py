"""Clauses of `classic`, with C3, C4 and C5 where they meet."""

from typing import Any

import pytest

from arena.rules import cards as c
from arena.rules.deal import Deal
from arena.rules.variant import Direction
from tests.rules.laid_out import laid_out, may, played, points, refused, table
from tests.strategies import fresh


def test_c1_52_cards_for_four_51_for_three_36_for_two() -> None:
    for players, size, out in ((4, 13, 0), (3, 17, 1), (2, 18, 16)):
        game = table("classic", players)
        assert (game.hand_size, game.rest_size, 52 - len(game.pack)) == (size, 0, out)
    assert c.card("2D") not in table("classic", 3).pack
    assert {c.name(card)[0] for card in table("classic", 2).pack} == set("6789TJQKA")


def test_c2_the_pass_goes_round_by_the_number_of_the_deal() -> None:
    left, right, across, none = Direction.LEFT, Direction.RIGHT, Direction.ACROSS, Direction.NONE
    for players, cycle in ((4, [left, right, across, none]), (3, [left, right, none]), (2, [across, none])):
        passing = table("classic", players).passing
        assert passing.count == 3
        assert [passing.direction(deal) for deal in range(2 * len(cycle))] == cycle * 2


@pytest.mark.parametrize(("players", "receivers"), [(4, [1, 3, 2]), (3, [1, 2]), (2, [1])])
def test_c2_cards_reach_the_seat_they_are_passed_to(players: int, receivers: list[int]) -> None:
    game = table("classic", players)
    for number, receiver in enumerate(receivers):
        deal = fresh(game, 3, number)
        assert deal.passes
        given = c.cards_of(deal.hands[0])[:3]
        for seat in range(players):
            deal.answer(seat, c.cards_of(deal.hands[seat])[:3])
        assert deal.received[receiver] == c.mask(given)
    assert not fresh(game, 3, len(receivers)).passes


def test_c3_the_holder_of_the_lowest_club_leads_it() -> None:
    deal = laid_out("classic", "3C 5D", "9C 4D", "2C 6D", "KC 8D")
    assert (deal.turn, may(deal)) == (2, "2C")
    assert refused(deal, "6D") == "C3"


def test_c3_the_lowest_club_of_the_short_pack_is_the_six() -> None:
    for seed in range(5):
        deal = fresh(table("classic", 2), seed, 1)
        assert may(deal) == "6C"
        assert deal.hands[deal.turn] >> c.card("6C") & 1


def test_c3_the_pass_is_made_before_the_holder_is_looked_for() -> None:
    deal = laid_out("classic", "3C 5D 6D", "2C 4D 7D", "9C TC JC", number=0)
    assert deal.first_hands[0] >> c.card("2C") & 1
    assert (deal.turn, may(deal)) == (1, "2C")


def test_c3_in_a_position_the_lowest_club_dealt_leads() -> None:
    deal = laid_out("classic", "KC 5D", "9C 4D", "QC 2D")
    assert (deal.turn, may(deal)) == (1, "9C")
    assert refused(deal, "4D") == "C3"


def test_c3_comes_before_c5() -> None:
    assert refused(laid_out("classic", "2C 5H", "9C 4D", "QC 2D"), "5H") == "C3"


def test_c3_without_any_club_eldest_leads() -> None:
    deal = laid_out("classic", "5D QS 5H", "6D 7D KH", "8D 9D AH", dealer=1)
    assert (deal.turn, may(deal)) == (2, "8D 9D")


def first(*hands: str, lead: str = "2C", **options: Any) -> Deal:
    """The first trick, its lead made."""
    return played(laid_out("classic", *hands, **options), lead)


def test_c4_no_heart_and_no_queen_in_the_first_trick() -> None:
    deal = first("2C 3D", "4D 5H QS", "3C 6D")
    assert may(deal) == "4D"
    assert refused(deal, "5H") == "C4"
    assert refused(deal, "QS") == "C4"


def test_c4_the_jack_of_diamonds_is_no_penalty_card() -> None:
    assert may(first("2C 3D", "JD 5H", "3C 6D", jack_of_diamonds=True)) == "JD"


@pytest.mark.parametrize("hand", ["4H 5H", "QS 5H", "QS AH"])
def test_c4_a_hand_of_nothing_else_may_play_them(hand: str) -> None:
    assert may(first("2C 3D", hand, "3C 6D")) == hand


def test_c4_following_comes_before_it() -> None:
    deal = first("2C 3D", "4C 5H QS", "3C 6D")
    assert refused(deal, "5H") == "G4"


def test_c4_only_the_first_trick() -> None:
    deal = played(laid_out("classic", "2C 3D", "AC 4S", "3C QS"), "2C AC 3C", "4S")
    assert may(deal) == "QS"
    deal = played(laid_out("classic", "2C 3D 4D", "AC 4S 5S", "3C 5H 6D"), "2C AC 3C", "4S")
    assert may(deal) == "6D 5H"


def test_c4_holds_for_the_first_trick_whatever_suit_is_led() -> None:
    deal = first("5S 6D", "QS KS 2D", "3S 4H", lead="5S")
    assert may(deal) == "KS"
    assert refused(deal, "QS") == "C4"
    deal = first("5S 6D", "QS 3D", "3S 4H", lead="5S")
    assert may(deal) == "QS"  # it is the only spade


def test_c4_holds_for_the_lead_where_no_club_was_dealt() -> None:
    deal = laid_out("classic", "QS 5D 5H", "6D 7D KH", "8D 9D AH")
    assert may(deal) == "5D"
    assert refused(deal, "QS") == "C4"
    assert refused(deal, "5H") == "C5"  # C5 is named before C4


def test_c4_a_first_trick_of_hearts_and_queen_only() -> None:
    deal = laid_out("classic", "QS 5H", "6H 7H", "8D 9H")
    assert may(deal) == "QS"
    assert refused(deal, "5H") == "C5"
    played(deal, "QS")
    assert may(deal) == "6H 7H"
    played(deal, "6H")
    assert may(deal) == "8D"
    assert refused(deal, "9H") == "C4"
    played(deal, "8D")
    assert deal.tricks[0].winner == 0


def test_c4_hearts_led_first_by_who_has_nothing_else() -> None:
    deal = laid_out("classic", "4H 5H", "6H QS", "8D 9S")
    assert may(deal) == "4H 5H"
    played(deal, "4H")
    assert may(deal) == "6H"  # following comes first
    played(deal, "6H")
    assert may(deal) == "8D 9S"


def test_c5_hearts_may_not_be_led_until_one_has_been_played() -> None:
    deal = played(laid_out("classic", "2C 3D 4H", "AC 4S 5H", "3C 6S 7D"), "2C AC 3C")
    assert may(deal) == "4S"
    assert refused(deal, "5H") == "C5"
    played(deal, "4S 6S")
    assert [deal.hearts_open, played(deal, "4H").hearts_open] == [False, True]
    assert (deal.turn, may(deal)) == (2, "7D")


def test_c5_the_heart_that_breaks_them_may_be_led_against_in_the_next_trick() -> None:
    deal = played(laid_out("classic", "2C 3D 4H", "AC 4S 5H", "3C 2S 7D"), "2C AC 3C", "4S 2S 4H")
    assert may(deal) == "5H"
    deal = played(laid_out("classic", "2C 3D 4H", "AC 9S 5H 5D", "3C 2S 7D"), "2C AC 3C", "9S 2S 4H")
    assert may(deal) == "5D 5H"


def test_c5_the_queen_does_not_break_hearts() -> None:
    deal = played(laid_out("classic", "2C 3S 4H", "AC KS 5H 5D", "3C QS 7D"), "2C AC 3C", "KS QS 3S")
    assert may(deal) == "5D"
    assert refused(deal, "5H") == "C5"


def test_c5_who_holds_only_hearts_may_lead_one_at_any_time() -> None:
    deal = played(laid_out("classic", "2C 3D 4D", "AC 4H 5H", "3C 6S 7D"), "2C AC 3C")
    assert may(deal) == "4H 5H"
    deal = laid_out("classic", "4H 5H", "6S 7D", "8S 9D")
    assert may(deal) == "4H 5H"


def test_c5_hearts_and_queen_are_not_only_hearts() -> None:
    deal = played(laid_out("classic", "2C 3D 4D", "AC QS 5H", "3C 6S 7D"), "2C AC 3C")
    assert may(deal) == "QS"
    assert refused(deal, "5H") == "C5"


def test_c5_a_heart_discarded_to_the_first_trick_breaks_them() -> None:
    deal = played(laid_out("classic", "2C 3D", "AC 6H", "4H 5H"), "2C AC 4H")
    assert may(deal) == "6H"
    assert deal.hearts_open


def test_c6_hearts_1_queen_13_and_22_in_the_short_pack() -> None:
    assert [sum(table("classic", players).points_of(1 << card) for card in table("classic", players).pack)
            for players in (2, 3, 4)] == [22, 26, 26]  # fmt: skip


@pytest.mark.parametrize("players", [2, 3, 4])
def test_c7_the_shooter_scores_0_and_each_other_26(players: int) -> None:
    hands = ["AC AH AS", "KC 2H QS", "QC 3H 2S", "JC 4H 3S"][:players]
    deal = laid_out("classic", *hands)
    lead = deal.turn
    rest = " ".join(hands[(lead + step) % players].split()[0] for step in range(players))
    played(deal, rest)
    while not deal.complete:
        deal.answer(deal.turn, c.cards_of(deal.legal)[:1])
    assert deal.scores() == (tuple(0 if seat == 0 else 26 for seat in range(players)), 0)


def test_c7_one_heart_short_is_no_moon() -> None:
    deal = laid_out("classic", "AC AS 2H", "2C QS AH", "3C 2S 3H")
    assert played(deal, "2C 3C AC", "AS QS 2S", "2H AH 3H").scores() == ((13, 3, 0), None)


def test_c8_penalties_in_the_first_trick_where_the_option_allows_them() -> None:
    deal = first("2C 3D", "4D 5H QS", "3C 6D", first_trick_penalties="allowed")
    assert may(deal) == "4D QS 5H"


def test_c8_the_lead_and_following_are_the_same_with_the_option() -> None:
    deal = laid_out("classic", "2C 3D", "4C 5H", "3C 6D", first_trick_penalties="allowed")
    assert refused(deal, "3D") == "C3"
    assert refused(played(deal, "2C"), "5H") == "G4"


def test_c8_the_queen_breaks_hearts_where_the_option_says_so() -> None:
    deal = laid_out("classic", "2C 3S 4H", "AC KS 5H 5D", "3C QS 7D", queen_breaks_hearts=True)
    played(deal, "2C AC 3C", "KS QS 3S")
    assert may(deal) == "5D 5H"
    led = laid_out("classic", "2C 2D 2S", "AC QS 5H", "3C KS 7D", queen_breaks_hearts=True)
    played(led, "2C AC 3C", "QS")
    assert led.hearts_open


@pytest.mark.parametrize("option", [False, True])
def test_c8_hearts_and_queen_unbroken_lead_the_queen_either_way(option: bool) -> None:
    deal = laid_out("classic", "2C 3D 4D", "AC QS 5H", "3C 6S 7D", queen_breaks_hearts=option)
    played(deal, "2C AC 3C")
    assert may(deal) == "QS"
    assert refused(deal, "5H") == "C5"


def jack(*tricks: str) -> tuple[int, ...]:
    deal = laid_out("classic", "AC AS AH KD", "2C QS 2H JD", "3C 2S 3H AD", jack_of_diamonds=True)
    return points(played(deal, *tricks))


def test_c9_the_jack_is_minus_11_for_whoever_takes_it_also_in_a_moon_deal() -> None:
    assert jack("2C 3C AC", "AS QS 2S", "KD JD AD", "3H AH 2H") == (0, 26, 15)


def test_c9_the_shooter_may_take_it_too() -> None:
    deal = laid_out("classic", "AC AS AH AD", "2C QS 2H JD", "3C 2S 3H 3D", jack_of_diamonds=True)
    played(deal, "2C 3C AC", "AS QS 2S", "AD JD 3D", "AH 2H 3H")
    assert deal.scores() == ((-11, 26, 26), 0)


def test_c9_is_off_by_default() -> None:
    assert table("classic", 4).points[c.card("JD")] == 0
    deal = laid_out("classic", "AC KD", "2C JD", "3C AD")
    assert points(played(deal, "2C 3C AC", "KD JD AD")) == (0, 0, 0)


def test_c9_without_a_moon_it_is_one_more_value() -> None:
    deal = laid_out("classic", "AC KD", "2C JD", "3C AD", jack_of_diamonds=True)
    assert points(played(deal, "2C 3C AC", "KD JD AD")) == (0, 0, -11)
