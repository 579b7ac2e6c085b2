"""Clauses of `black-lady` and `no-queen`: the kitty, the forced queen, hearts from a trick on."""

import pytest

from arena.rules import cards as c
from arena.rules.catalogue import VARIANTS
from arena.rules.catalogue import rules as rules_of
from arena.rules.variant import Direction
from tests.rules.laid_out import laid_out, may, played, points, refused, table, taken
from tests.strategies import fresh

KITTY = {3: 1, 4: 0, 5: 2, 6: 4, 7: 3}


@pytest.mark.parametrize("name", ["black-lady", "no-queen"])
@pytest.mark.parametrize("players", KITTY)
def test_b1_nothing_is_stripped_and_the_leftovers_are_the_kitty(name: str, players: int) -> None:
    game = table(name, players)
    assert c.mask(game.pack) == c.PACK
    assert (game.hand_size, game.rest_size) == (52 // players, KITTY[players])


def test_b1_the_kitty_goes_to_the_first_tricks_winner_as_cards_taken() -> None:
    deal = laid_out("black-lady", "2C 2D 2S", "9C 3D 3S", "4C 4D 4S", rest="KH 5H")
    played(deal, "2C 9C 4C")
    assert taken(deal, 1) == "2C 4C 9C 5H KH"
    assert c.text(c.cards_of(deal.hands[1])) == "3D 3S"
    assert deal.rest == ()
    played(deal, "3D 4D 2D", "4S 2S 3S")
    assert points(deal) == (0, 2, 0)


@pytest.mark.parametrize("players", [3, 4, 5, 6, 7])
def test_b2_three_cards_or_two_with_six_or_seven_players(players: int) -> None:
    for option in ("right", "left"):
        assert table("black-lady", players, **{"pass": option}).passing.count == (3 if players < 6 else 2)


def test_b2_right_left_or_right_and_across_by_turns() -> None:
    def directions(option: str, players: int = 4) -> list[Direction]:
        passing = table("black-lady", players, **{"pass": option}).passing
        return [passing.direction(deal) for deal in range(4)]

    assert directions("right", 5) == [Direction.RIGHT] * 4
    assert directions("left", 7) == [Direction.LEFT] * 4
    for players in (4, 6):
        assert directions("right-across", players) == [Direction.RIGHT, Direction.ACROSS] * 2
    assert [Direction.ACROSS.receiver(seat, 6) for seat in range(6)] == [3, 4, 5, 0, 1, 2]


@pytest.mark.parametrize("players", [3, 5, 7])
def test_b2_across_is_for_even_numbers_of_players(players: int) -> None:
    with pytest.raises(ValueError, match="even"):
        rules_of("black-lady", players, {"pass": "right-across"})


def test_b3_eldest_leads_any_card() -> None:
    assert may(laid_out("black-lady", "2C QS AH", "9C 3D 3S", "4C 4D 4S")) == "2C QS AH"
    assert fresh(table("no-queen", 4), 1, 2).turn == 2


def test_b4_who_cannot_follow_discards_the_queen_in_the_first_trick_too() -> None:
    deal = played(laid_out("black-lady", "2C 2D 2S", "QS 3D 3H", "4C 4D 4S"), "2C")
    assert may(deal) == "QS"
    assert refused(deal, "3H") == "B4"
    assert refused(deal, "3D") == "B4"


def test_b4_any_spade_may_follow_a_spade() -> None:
    deal = played(laid_out("black-lady", "2S 2D 2C", "QS 3S 3H", "4C 4D 4S"), "2S")
    assert may(deal) == "3S QS"
    assert refused(deal, "3H") == "G4"


def test_b4_not_where_the_option_is_off() -> None:
    deal = laid_out("black-lady", "2C 2D 2S", "QS 3D 3H", "4C 4D 4S", must_discard_queen=False)
    assert may(played(deal, "2C")) == "3D QS 3H"


@pytest.mark.parametrize("name", ["black-lady", "no-queen"])
def test_b5_hearts_may_not_be_led_before_the_trick_of_the_option(name: str) -> None:
    hands = ("AC AD 2S 5H", "2C 2D 3S 6H", "3C 3D 4S 7H")
    deal = laid_out(name, *hands, hearts_from_trick=3)
    assert (deal.hearts_open, may(deal)) == (False, "AC AD 2S")
    assert refused(deal, "5H") == "B5"
    played(deal, "AC 2C 3C")
    assert refused(deal, "5H") == "B5"
    played(deal, "AD 2D 3D")
    assert (deal.hearts_open, may(deal)) == (True, "2S 5H")


def test_b5_a_heart_that_is_played_does_not_open_them() -> None:
    deal = laid_out("no-queen", "AC AD 2S", "2H 3H 4H", "3C 3D 5H", hearts_from_trick=3)
    played(deal, "AC 2H 3C")
    assert not deal.hearts_open


def test_b5_a_leader_of_hearts_only_may_lead_them() -> None:
    deal = laid_out("no-queen", "2H 3H", "2C 2D", "3C 3D", hearts_from_trick=13)
    assert may(deal) == "2H 3H"
    deal = laid_out("black-lady", "2H 3H QS", "2C 2D 4H", "3C 3D 5H", hearts_from_trick=2)
    assert may(deal) == "QS"


@pytest.mark.parametrize("value", [None, 1])
def test_b5_does_nothing_from_the_first_trick_on_or_by_default(value: int | None) -> None:
    deal = laid_out("black-lady", "2H 3H 2S", "2C 2D 4H", "3C 3D 5H", hearts_from_trick=value)
    assert (deal.hearts_open, may(deal)) == (True, "2S 2H 3H")
    assert table("black-lady", 3).options["hearts_from_trick"] is None


def test_b6_queen_13_hearts_1_and_all_of_them_no_moon() -> None:
    game = table("black-lady", 4)
    assert (sum(game.points[:52]), game.points[c.card("QS")], game.variant.moon) == (26, 13, None)
    deal = laid_out("black-lady", "AC AH AS", "2C 2H QS", "3C 3H 2S")
    assert played(deal, "AC 2C 3C", "AS QS 2S", "AH 2H 3H").scores() == ((16, 0, 0), None)


def test_b6_the_kitty_belongs_to_the_points_of_the_deal() -> None:
    deal = laid_out("black-lady", "AC 2D 2S", "2C 3D 3S", "3C 4D 4S", rest="QS")
    assert points(played(deal, "AC 2C 3C", "2D 3D 4D", "4S 2S 3S")) == (13, 0, 0)


def test_n1_no_passing_no_forced_queen_and_the_queen_is_worth_nothing() -> None:
    game = table("no-queen", 4)
    assert (game.passing.count, sum(game.points[:52]), game.points[c.card("QS")]) == (0, 13, 0)
    deal = laid_out("no-queen", "2C 2D", "QS 3H", "4C 4D")
    assert may(deal) == "2C 2D"
    assert may(played(deal, "2C")) == "QS 3H"
    assert played(deal, "QS 4C", "4D 2D 3H").scores() == ((0, 0, 1), None)


def test_n1_the_kitty_as_in_black_lady() -> None:
    deal = played(laid_out("no-queen", "2C", "9C", "4C", rest="KH"), "2C 9C 4C")
    assert points(deal) == (0, 1, 0)


@pytest.mark.parametrize("option", ["pass", "must_discard_queen"])
def test_n1_options_that_do_not_exist(option: str) -> None:
    assert option in {one.name for one in VARIANTS["black-lady"].options}
    with pytest.raises(ValueError, match="no-queen has no option"):
        rules_of("no-queen", 4, {option: "right" if option == "pass" else True})
