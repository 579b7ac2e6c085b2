"""Cards as bits: two packs, their names and their order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import cards as c
from tests.strategies import PROFILE

IN_ORDER = [rank + suit for suit in "CDSH" for rank in "23456789TJQKA"]
cards = st.integers(0, 103)
sets = st.frozensets(cards)


def test_a_card_is_its_place_in_the_pack_and_its_twin_is_52_higher() -> None:
    assert [c.name(card) for card in range(104)] == IN_ORDER * 2
    assert [c.card(name) for name in IN_ORDER] == list(range(52))
    assert c.parse(" ".join(IN_ORDER)) == tuple(range(52))
    assert c.text(range(104)) == " ".join(IN_ORDER * 2)
    assert c.PACK == 2**52 - 1


@pytest.mark.parametrize("word", ["", "Q", "SQ", "qs", "10C", "1C", "QSS", "♠Q"])
def test_what_names_no_card_is_refused_with_the_word(word: str) -> None:
    with pytest.raises(ValueError, match="is not a card") as caught:
        c.card(word)
    assert repr(word) in str(caught.value)


@pytest.mark.parametrize(("number", "said"), [(0, "2C"), (103, "AH"), (52, "2C"), (-1, "-1"), (104, "104")])
def test_a_number_is_shown_as_its_card_or_as_itself(number: int, said: str) -> None:
    assert c.shown(number) == said


@PROFILE
@given(sets)
def test_a_set_of_cards_gives_its_cards_in_order(some: frozenset[int]) -> None:
    assert c.cards_of(c.mask(some)) == tuple(sorted(some))
    assert c.faces_of(c.mask(some)) == tuple(sorted(card % 52 for card in some))


@PROFILE
@given(sets, st.integers(0, 51))
def test_of_a_face_the_first_packs_card_is_held_before_the_seconds(some: frozenset[int], face: int) -> None:
    wanted = face if face in some else face + 52 if face + 52 in some else None
    assert c.held(c.mask(some), face) == wanted


@PROFILE
@given(cards)
def test_the_suits_are_those_of_both_packs(card: int) -> None:
    suits = {"C": c.CLUBS, "D": c.DIAMONDS, "S": c.SPADES, "H": c.HEARTS}
    assert [letter for letter, suit in suits.items() if suit >> card & 1] == [c.name(card)[1]]
    assert c.SUIT_OF[card] == suits[c.name(card)[1]]
    assert c.both([c.name(card)]) == 1 << card % 52 | 1 << card % 52 + 52
    assert sum(suit.bit_count() for suit in suits.values()) == 104


@PROFILE
@given(st.lists(cards))
def test_rank_order_is_by_rank_and_then_clubs_diamonds_spades_hearts(some: list[int]) -> None:
    names = [c.name(card) for card in sorted(some, key=c.rank_order)]
    assert names == sorted(names, key=lambda name: ("23456789TJQKA".index(name[0]), "CDSH".index(name[1])))


def test_a_card_that_comes_twice_in_a_set_is_an_error_of_ours() -> None:
    with pytest.raises(AssertionError, match="QS twice"):
        c.mask([c.card("QS"), 0, c.card("QS")])
