"""Clauses of `cancellation`: twins, tricks that wait, and the kitty that waits with them."""

import pytest

from arena.rules import cards as c
from arena.rules.tricks import TrickRule
from tests.rules.laid_out import laid_out, may, played, points, table, taken
from tests.strategies import fresh


def seven(*first: str, second: str = "2D 3D 4D 5D 6D 7D 8D") -> tuple[str, ...]:
    """Seven hands: a card each for the first trick, and one for the second."""
    return tuple(f"{one} {two}" for one, two in zip(first, second.split(), strict=True))


def test_x1_two_packs_dealt_evenly_and_a_kitty() -> None:
    for players, size, rest in ((7, 14, 6), (8, 13, 0), (9, 11, 5), (10, 10, 4)):
        game = table("cancellation", players)
        assert (len(game.pack), game.hand_size, game.rest_size) == (104, size, rest)
        deal = fresh(game, 1)
        assert (deal.passes, deal.turn, len(deal.rest)) == (False, 0, rest)


def test_x1_the_kitty_goes_with_the_first_trick_and_the_queen_may_be_played_to_it() -> None:
    hands = seven("5C", "6C", "QS", "8C", "9C", "TC", "JC")
    deal = played(laid_out("cancellation", *hands, rest="KH AD"), "5C 6C")
    assert may(deal) == "4D QS"
    played(deal, "QS 8C 9C TC JC")
    assert taken(deal, 6) == "5C 6C 8C 9C TC JC AD QS KH"


def test_x2_two_identical_cards_cannot_win() -> None:
    hands = seven("5C", "AC", "7C", "AC", "9C", "KC", "JC")
    deal = played(laid_out("cancellation", *hands), "5C AC 7C AC 9C KC JC")
    assert deal.tricks[0].winner == 5
    assert taken(deal, 5) == "5C 7C 9C JC KC AC AC"


def test_x2_twins_still_count_for_whoever_takes_the_trick() -> None:
    hands = seven("5C", "QS", "7C", "QS", "2H", "2H", "6C")
    deal = played(laid_out("cancellation", *hands), "5C QS 7C QS 2H 2H 6C", "4D 5D 6D 7D 8D 2D 3D")
    assert points(deal) == (0, 0, 28, 0, 0, 0, 0)


def test_x2_the_same_face_may_be_held_twice_and_either_is_played() -> None:
    deal = laid_out("cancellation", "5C 5C", "2D 3D", "2D 3D", "4D 6D", "4D 6D", "7D 8D", "7D 8D")
    assert may(deal) == "5C 5C"
    played(deal, "5C 2D 2D 4D 4D 7D 7D", "5C")
    assert deal.tricks[0].cards[0] != deal.trick[0]
    assert c.text((deal.tricks[0].cards[0], deal.trick[0])) == "5C 5C"


def test_x2_only_identical_cards_of_the_trick_itself_cancel() -> None:
    hands = ("5C AC", "6C 2C", "7C 3D", "8C 4D", "AC 5D", "9C 6D", "TC 7D")
    deal = played(laid_out("cancellation", *hands), "5C 6C 7C 8C AC 9C TC", "5D 6D 7D AC 2C 3D 4D")
    assert [trick.winner for trick in deal.tricks] == [4, 6]


CANCELLED = ("5C 5C 6C 6C KD 7C 7C", ("5C", "5C", "6C", "6C", "KD", "7C", "7C"))


def test_x3_a_wholly_cancelled_trick_waits_and_the_same_player_leads_again() -> None:
    deal = played(laid_out("cancellation", *seven(*CANCELLED[1])), CANCELLED[0])
    assert deal.tricks[0].winner is None  # the off-suit king does not win it
    assert c.text(c.faces_of(deal.waiting)) == "5C 5C 6C 6C 7C 7C KD"
    assert not any(deal.taken)
    assert (deal.turn, may(deal)) == (0, "2D")


def test_x3_what_waits_goes_to_the_next_winner() -> None:
    deal = laid_out("cancellation", *seven(*CANCELLED[1], second="2D 3D 4D 5D 6D 7D QS"))
    played(deal, CANCELLED[0], "2D 3D 4D 5D 6D 7D QS")
    assert taken(deal, 5) == "5C 5C 6C 6C 7C 7C 2D 3D 4D 5D 6D 7D KD QS"
    assert deal.waiting == 0
    assert points(deal) == (0, 0, 0, 0, 0, 13, 0)


def test_x3_the_kitty_waits_with_the_first_trick() -> None:
    deal = played(laid_out("cancellation", *seven(*CANCELLED[1]), rest="AH QS"), CANCELLED[0])
    assert c.text(deal.rest) == "AH QS"
    played(deal, "2D 3D 4D 5D 6D 7D 8D")
    assert deal.rest == ()
    assert points(deal) == (0, 0, 0, 0, 0, 0, 14)


def test_x3_several_tricks_may_wait() -> None:
    hands = ("5C 8S 2D", "5C 8S 3D", "6C 9S 4D", "6C 9S 5D", "KD AH 6D", "7C TS 7D", "7C TS 8D")
    deal = laid_out("cancellation", *hands, rest="QS")
    played(deal, CANCELLED[0], "8S 8S 9S 9S AH TS TS")
    assert (deal.turn, deal.waiting.bit_count(), len(deal.rest)) == (0, 14, 1)
    played(deal, "2D 3D 4D 5D 6D 7D 8D")
    assert points(deal) == (0, 0, 0, 0, 0, 0, 14)


def test_x4_the_last_trick_goes_to_its_leader_with_all_that_waits() -> None:
    hands = ("5C 8S", "5C 8S", "6C 9S", "6C 9S", "KD AH", "7C TS", "7C TS")
    deal = laid_out("cancellation", *hands, rest="QS")
    played(deal, CANCELLED[0], "8S 8S 9S 9S AH TS TS")
    assert [trick.winner for trick in deal.tricks] == [None, 0]
    assert points(deal) == (14, 0, 0, 0, 0, 0, 0)
    assert deal.waiting == 0


def test_x4_a_first_trick_that_is_the_last_brings_its_kitty() -> None:
    deal = laid_out("cancellation", *CANCELLED[1], rest="QS QS", dealer=2)
    played(deal, "6C KD 7C 7C 5C 5C 6C")
    assert deal.tricks[0].winner == 3
    assert points(deal)[3] == 26


def test_x5_each_queen_13_each_heart_1_and_no_moon() -> None:
    game = table("cancellation", 8)
    assert (sum(game.points), game.penalty, game.variant.moon) == (52, 52, None)


@pytest.mark.parametrize(
    ("trick", "winning"),
    [("5C 6C", "6C"), ("6C 5C 6C", "5C"), ("5C 5C AD", None), ("AC AC KC KC 2C", "2C"), ("2C AD AD KH", "2C")],
)
def test_x2_the_highest_card_that_has_no_twin_wins(trick: str, winning: str | None) -> None:
    faces = c.parse(trick)
    seen: list[int] = []
    for face in faces:
        seen.append(face + c.FACES if face in seen else face)
    found = TrickRule.CANCELLATION.winning(c.mask(seen), c.SUIT_OF[seen[0]])
    assert (None if found is None else c.name(found)) == winning
    # With the packs changed over, the same face wins.
    swapped = [(card + c.FACES) % (2 * c.FACES) for card in seen]
    found = TrickRule.CANCELLATION.winning(c.mask(swapped), c.SUIT_OF[seen[0]])
    assert (None if found is None else c.name(found)) == winning
