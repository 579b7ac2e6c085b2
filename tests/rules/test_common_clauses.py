"""Clauses G1 to G10, which every variant shares."""

from fractions import Fraction

import pytest

from arena.rules import cards as c
from arena.rules import deck
from arena.rules.catalogue import VARIANTS
from arena.rules.clauses import CLAUSES
from arena.rules.deal import Ask, Deal, IllegalAnswer, MalformedAnswer
from arena.rules.match import Match, dealer_of, places
from arena.rules.variant import Rules
from tests.rules.laid_out import held, laid_out, may, played, points, refused, table, taken
from tests.strategies import GAMES, TABLES, fresh, label, walked


def test_g1_the_ace_is_high_and_the_two_low() -> None:
    for low, high in zip(c.RANKS, c.RANKS[1:], strict=False):
        deal = played(laid_out("hearts", f"{low}C", f"{high}C", "2D"), f"{low}C {high}C 2D")
        assert deal.tricks[0].winner == 1


def test_g1_there_is_no_trump() -> None:
    for suit in "DSH":
        deal = played(laid_out("hearts", "2C", f"A{suit}", f"K{suit}"), f"2C A{suit} K{suit}")
        assert deal.tricks[0].winner == 0


def test_g2_cards_are_dealt_one_by_one_from_the_dealers_left() -> None:
    game = table("black-lady", 5)
    shuffled = deck.shuffled(b"k" * 32, game.pack)
    cards = deck.dealt(b"k" * 32, game, 3)
    assert cards.hands[4] == c.mask(shuffled[0:50:5])
    assert cards.hands[0] == c.mask(shuffled[1:50:5])
    assert cards.hands[3] == c.mask(shuffled[4:50:5])
    assert cards.rest == shuffled[50:]


def test_g2_the_deal_passes_to_the_left() -> None:
    assert [dealer_of(deal, 4) for deal in range(6)] == [3, 0, 1, 2, 3, 0]
    assert [dealer_of(deal, 3) for deal in range(4)] == [2, 0, 1, 2]


def test_g3_eldest_is_on_the_dealers_left_and_seat_0_is_eldest_in_deal_0() -> None:
    for rules in TABLES:
        assert fresh(rules, 1, 0).eldest == 0
        assert fresh(rules, 1, 1).eldest == 1
    deal = laid_out("hearts", "5C 8D", "7C 9D", "KC AH", "2C 3S", dealer=1)
    assert (deal.eldest, deal.turn, may(deal)) == (2, 2, "KC AH")


def test_g4_who_can_follow_must() -> None:
    deal = played(laid_out("hearts", "5C 8D", "7C 9C AH QS", "2C 3S"), "5C")
    assert may(deal) == "7C 9C"
    assert refused(deal, "AH") == "G4"
    assert refused(deal, "QS") == "G4"


def test_g4_who_cannot_follow_may_play_any_card() -> None:
    deal = played(laid_out("hearts", "5C", "9D AH QS", "2C"), "5C")
    assert may(deal) == "9D QS AH"


def test_g5_the_highest_card_of_the_suit_led_wins_and_its_winner_leads() -> None:
    deal = played(laid_out("hearts", "5C 2D", "AD 4D", "7C 3D", "6C QS"), "5C AD 7C 6C")
    assert deal.tricks[0].winner == 2
    assert taken(deal, 2) == "5C 6C 7C AD"
    assert (deal.turn, may(deal)) == (2, "3D")


STRIPPED = {
    3: "2D", 4: "", 5: "2D 2C", 6: "2D 2C 2S 3D", 7: "2D 2C 2S",
    8: "2D 2C 2S 3D", 9: "2D 2C 2S 3D 3C 3S 4D", 10: "2D 2C",
}  # fmt: skip


@pytest.mark.parametrize("name", ["hearts", "greek", "spot"])
def test_g6_the_lowest_cards_leave_diamonds_then_clubs_then_spades_and_never_hearts(name: str) -> None:
    for players in VARIANTS[name].players:
        game = table(name, players)
        assert c.cards_of(c.PACK & ~c.mask(game.pack)) == tuple(sorted(c.parse(STRIPPED[players])))
        assert (game.hand_size, game.rest_size) == (len(game.pack) // players, 0)
        assert c.mask(game.pack) & c.HEARTS == c.HEARTS & c.PACK


def passing() -> Deal:
    deal = laid_out("classic", "2C 3C 4C", "5C 6C 7C", "8C 9C TC", "JC QC KC", number=3)
    return Deal(deal.rules, 0, 3, deal.first_hands)


@pytest.mark.parametrize(
    ("cards", "at_fault"),
    [("2C 3C", None), ("2C 3C 4C 5C", None), ("", None), ("2C 5C 6C", "5C"), ("2C 3C 2C", "2C"), ("9C 9C", None)],
)
def test_g7_exactly_so_many_cards_all_held_none_twice(cards: str, at_fault: str | None) -> None:
    deal = passing()
    with pytest.raises(IllegalAnswer) as caught:
        deal.answer(0, c.parse(cards))
    error = caught.value
    assert (error.clause, error.seat) == ("G7", 0)
    assert error.card == (None if at_fault is None else c.card(at_fault))
    assert c.text(c.cards_of(error.legal)) == "2C 3C 4C"


def test_g7_what_is_no_card_at_all_is_malformed_and_not_illegal() -> None:
    deal = passing()
    for faces in ((0, 1, -1), (0, 1, 104), (-1,), (2**70, 0, 1)):
        with pytest.raises(MalformedAnswer):
            deal.answer(0, faces)
    assert held(deal, 0) == "2C 3C 4C"
    assert deal.passed == [0, 0, 0, 0]


def test_what_is_malformed_is_said_in_the_names_of_cards_and_bounded_whatever_is_answered() -> None:
    def said(deal: Deal, seat: int, *faces: int) -> str:
        with pytest.raises(MalformedAnswer) as caught:
            deal.answer(seat, faces)
        return str(caught.value)

    deal = laid_out("hearts", "2C 3C", "4C 5C", "6C 7C", "8C 9C")
    assert said(deal, 0, c.card("QS")) == "seat 0 does not hold QS"
    assert said(deal, 0, 104) == "seat 0 names what is no card: 104"
    assert said(deal, 0) == "one card is asked for, not 0"
    assert said(deal, 0, *[0] * 1_000_000) == "one card is asked for, not 1000000"
    assert said(deal, 1, c.card("4C")) == "seat 1 is not asked"
    assert said(passing(), 0, 0, 51, -1) == "seat 0 names what is no card: 2C AH -1"


def test_g7_all_passes_move_at_once() -> None:
    deal = passing()
    for seat in (2, 0, 3):
        deal.answer(seat, c.cards_of(deal.hands[seat]))
        assert held(deal, 0) == "2C 3C 4C"
    with pytest.raises(MalformedAnswer):
        deal.answer(2, c.cards_of(deal.hands[2]))
    deal.answer(1, c.cards_of(deal.hands[1]))
    assert [held(deal, seat) for seat in range(4)] == ["JC QC KC", "2C 3C 4C", "5C 6C 7C", "8C 9C TC"]


@pytest.mark.parametrize("cards", ["4C", "4C 5D KH", "4C AS", "KH KH"])
def test_g7_holds_for_discards(cards: str) -> None:
    deal = played(laid_out("widow", "2C 3C", "9C 4D", "4C 5D", rest="QS KH"), "2C 9C 4C")
    with pytest.raises(IllegalAnswer) as caught:
        deal.answer(1, c.parse(cards))
    assert caught.value.clause == "G7"


PENALTY = {"domino": 13, "no-queen": 13, "spot": 104, "cancellation": 52}


@pytest.mark.parametrize("rules", TABLES, ids=label)
def test_g8_an_uncorrected_revoke_costs_every_penalty_point_of_the_pack(rules: Rules) -> None:
    due = 22 if (rules.name, rules.players) == ("classic", 2) else PENALTY.get(rules.name, 26)
    for steps in (0, rules.players, 3 * rules.players + 1):
        deal = walked(fresh(rules, 5), "random", 5, steps)
        seat = deal.pending()[-1].seat
        deal.stop(seat)
        assert deal.complete
        assert deal.pending() == ()
        assert deal.scores() == (tuple(due if own == seat else 0 for own in range(rules.players)), None)


def test_g8_options_do_not_change_the_price_of_a_revoke() -> None:
    for rules in GAMES:
        assert rules.penalty == table(rules.name, rules.players).penalty


def test_g8_no_moon_and_no_bonus_is_scored_in_a_stopped_deal() -> None:
    deal = laid_out("classic", "AC AH AS AD", "2C 2H QS JD", "3C 3H 2S 2D", number=2, jack_of_diamonds=True)
    played(deal, "2C 3C AC", "AS QS 2S", "AD JD 2D", "AH 2H")
    assert deal.rules.points_of(deal.taken[0]) == 13 - 11
    deal.stop(2)
    assert deal.scores() == ((0, 0, 26), None)


def test_g8_chips_are_settled_on_the_scores_of_a_stopped_deal() -> None:
    for settlement, chips in (
        ("average", [Fraction(26, 3), Fraction(-52, 3), Fraction(26, 3)]),
        ("pot", [13, -26, 13]),
        ("sweepstake", [13, -26, 13]),
    ):
        deal = laid_out("black-lady", "AC AH AS", "2C 2H QS", "3C 3H 2S", settlement=settlement)
        played(deal, "AC")
        deal.stop(1)
        match = Match(deal.rules)
        assert list(match.enter(points(deal))) == chips
        assert match.totals == [0, 26, 0]


def test_g8_a_stopped_deal_counts_for_the_match() -> None:
    deal = laid_out("hearts", "AC", "2C", "3C")
    deal.stop(0)
    match = Match(deal.rules, target=26)
    match.enter(points(deal))
    assert (match.deals, match.totals, match.end) == (1, [26, 0, 0], "target")


def test_g8_only_a_seat_that_is_asked_can_revoke() -> None:
    deal = laid_out("hearts", "AC", "2C", "3C")
    for seat in (1, 2, 3, -1):
        with pytest.raises(MalformedAnswer):
            deal.stop(seat)
    played(deal, "AC 2C 3C")
    with pytest.raises(MalformedAnswer):
        deal.stop(0)
    assert points(deal) == (0, 0, 0)


def test_g8_a_play_out_of_turn_is_refused_and_is_no_revoke() -> None:
    deal = laid_out("hearts", "AC", "2C", "3C")
    with pytest.raises(MalformedAnswer):
        deal.answer(1, c.parse("2C"))
    assert points(played(deal, "AC 2C 3C")) == (0, 0, 0)


def test_g9_a_moon_is_told_by_the_cards_and_not_by_the_points() -> None:
    deal = laid_out("classic", "AC AH AS", "2C 2H QS", "3C 3H 2S")
    played(deal, "2C 3C AC", "AS QS 2S", "AH 2H 3H")
    assert deal.scores() == ((0, 26, 26), 0)  # 16 points by the cards


def test_g9_without_a_heart_or_queen_in_play_there_is_no_moon() -> None:
    for name in ("classic", "greek"):
        hands = ("AC AD AS", "2C 2D KS", "3C 3D 2S")
        deal = laid_out(name, *hands)
        played(deal, *(("2C 3C AC",) if name == "classic" else ("AC 2C 3C",)), "AD 2D 3D", "AS KS 2S")
        assert deal.scores() == ((0, 0, 0), None)


def test_g9_moons_are_scored_before_the_target_is_looked_at() -> None:
    match = Match(table("classic", 3), target=30)
    match.enter((4, 9, 13))
    match.enter((26, 0, 26))  # seat 1 shot; its cards alone would have brought it to 35
    assert (match.totals, match.end) == ([30, 9, 39], "target")
    assert places(match.totals) == (2, 1, 3)


def test_g10_the_match_ends_after_the_deal_that_reaches_the_target() -> None:
    match = Match(table("hearts", 4))
    for _ in range(3):
        match.enter((26, 0, 0, 0))
        assert match.end is None
    match.enter((21, 5, 0, 0))
    assert (match.totals, match.end) == ([99, 5, 0, 0], None)
    match.enter((1, 25, 0, 0))
    assert (match.totals, match.end) == ([100, 30, 0, 0], "target")


def test_g10_the_lowest_total_wins_and_equal_totals_share_the_place() -> None:
    assert places([100, 3, 40, 3]) == (4, 1, 3, 1)
    assert places([100, 100, 0]) == (2, 2, 1)
    assert places([7, 7, 7]) == (1, 1, 1)
    assert places([-10, 0, 120, 0]) == (1, 2, 4, 2)


def test_g10_a_cap_on_deals_ends_the_match_and_the_target_comes_first() -> None:
    match = Match(table("hearts", 3), max_deals=1)
    match.enter((26, 0, 0))
    assert match.end == "max_deals"
    match = Match(table("hearts", 3), target=26, max_deals=1)
    match.enter((26, 0, 0))
    assert match.end == "target"
    with pytest.raises(AssertionError):
        match.enter((0, 0, 26))


def test_every_variant_names_clauses_that_exist() -> None:
    common = [clause for clause in CLAUSES if clause.startswith("G")]
    named = [clause for variant in VARIANTS.values() for clause in variant.clauses]
    assert sorted(common + named) == sorted(CLAUSES)
    for variant in VARIANTS.values():
        assert all(option.clause in variant.clauses or variant.name == "no-queen" for option in variant.options)


def test_a_deal_asks_in_order_pass_play_discard() -> None:
    assert [ask.value for ask in Ask] == ["pass", "play", "discard"]
