"""What a seat sees, and what it must not."""

import pytest
from hypothesis import given, settings

from arena.rules import cards as c
from arena.rules.cards import Cards
from arena.rules.deal import Deal
from arena.rules.variant import Rules
from arena.rules.view import view
from tests.rules.laid_out import laid_out, played
from tests.strategies import PROFILE, TABLES, Run, fresh, label, positions, runs, walk

MORE = settings(PROFILE, max_examples=80)
both = positions() | runs()


def permuted(deal: Deal, seat: int) -> Deal | None:
    """The deal with all cards that the seat cannot know of changed round; None where it knows too much for that."""
    own_widow = deal.discards | deal.picked_up if deal.discarder == seat else 0
    seen = deal.hands[seat] | deal.passed[seat] | deal.received[seat] | own_widow | c.mask(deal.trick)
    for trick in deal.tricks:
        seen |= c.mask(trick.cards)
    hidden = c.cards_of(deal.dealt & ~seen)
    if len(hidden) < 2:
        return None
    moved = dict(zip(hidden, (*hidden[1:], hidden[0]), strict=True))

    def move(cards: Cards) -> Cards:
        return c.mask([moved.get(card, card) for card in c.cards_of(cards)])

    twin = deal.copy()
    for name in ("hands", "taken", "passed", "received"):
        setattr(twin, name, [move(cards) for cards in getattr(deal, name)])
    twin.first_hands = tuple([move(cards) for cards in deal.first_hands])
    for name in ("waiting", "discards", "picked_up"):
        setattr(twin, name, move(getattr(deal, name)))
    for name in ("rest", "first_rest", "drawn_cards"):
        setattr(twin, name, tuple([moved.get(card, card) for card in getattr(deal, name)]))
    if deal.turn != seat:
        twin.legal = move(deal.legal)
    return twin


def unmoved_views(deal: Deal) -> int:
    """How many views were put to the test; fails where one shows a hidden card."""
    tested = 0
    for seat in range(deal.rules.players):
        twin = permuted(deal, seat)
        if twin is not None:
            tested += (twin.hands, twin.rest, twin.discards) != (deal.hands, deal.rest, deal.discards)
            assert view(twin, seat) == view(deal, seat), f"seat {seat} sees hidden cards"
    return tested


@pytest.mark.parametrize("rules", TABLES, ids=label)
def test_a_view_does_not_change_with_cards_that_are_hidden_from_the_seat(rules: Rules) -> None:
    deal, tested = fresh(rules, 11, 2), 0
    for step, _ in enumerate(walk(deal, "random", 11)):
        if step % 4 == 0 or step < 2 * rules.players:
            tested += unmoved_views(deal)
    open_cards = rules.players == 2 and not rules.rest_size  # then what one does not hold the other does
    assert tested > len(rules.pack) // 4 or open_cards


@MORE
@given(positions())
def test_a_view_does_not_change_in_positions(run: Run) -> None:
    unmoved_views(run.stopped())


@MORE
@given(both)
def test_views_of_all_seats_agree_on_what_is_public(run: Run) -> None:
    deal = run.stopped()
    views = [view(deal, seat) for seat in range(deal.rules.players)]
    names = ("rules", "number", "dealer", "tricks", "leader", "trick", "trick_drawn", "hand_sizes", "rest_size",
             "hearts_open")  # fmt: skip
    for name in names:
        assert all(getattr(one, name) == getattr(views[0], name) for one in views)
    assert [one.seat for one in views] == list(range(deal.rules.players))
    assert [one.hand for one in views] == deal.hands


def shown(cards: Cards) -> str:
    return c.text(c.faces_of(cards))


def test_a_pass_is_received_only_when_all_have_passed() -> None:
    deal = laid_out("greek", "2C 3C 4C", "5C 6C 7C", "8C 9C TC")
    deal = Deal(deal.rules, 0, 2, deal.first_hands)
    for seat in (1, 2):
        deal.answer(seat, c.cards_of(deal.hands[seat]))
        assert view(deal, seat).passed == deal.hands[seat]
        assert [view(deal, other).received for other in range(3)] == [0, 0, 0]
        assert view(deal, 0).leader == -1
    deal.answer(0, c.cards_of(deal.hands[0]))
    assert [shown(view(deal, seat).received) for seat in range(3)] == ["2C 3C 4C", "5C 6C 7C", "8C 9C TC"]
    assert [shown(view(deal, seat).hand) for seat in range(3)] == ["2C 3C 4C", "5C 6C 7C", "8C 9C TC"]
    assert view(deal, 1).leader == 0


def test_the_widow_is_seen_by_its_taker_alone_and_its_size_by_all() -> None:
    deal = laid_out("widow", "2C 3C", "9C 4D", "4C 5D", rest="QS KH")
    assert [view(deal, seat).rest_size for seat in range(3)] == [2, 2, 2]
    played(deal, "2C 9C 4C")
    assert [shown(view(deal, seat).picked_up) for seat in range(3)] == ["", "QS KH", ""]
    assert view(deal, 0).hand_sizes == (1, 3, 1)
    deal.answer(1, c.parse("QS 4D"))
    assert [shown(view(deal, seat).discarded) for seat in range(3)] == ["", "4D QS", ""]
    assert [shown(view(deal, seat).picked_up) for seat in range(3)] == ["", "QS KH", ""]
    assert view(deal, 2).hand_sizes == (1, 1, 1)
    assert view(deal, 2).rest_size == 0


def test_drawn_cards_are_the_drawers_and_their_number_everybodys() -> None:
    deal = laid_out("domino", "5C 2D", "3D 4D", "6C 7D", rest="9S TS 8C KC")
    played(deal, "5C")
    assert [c.text(view(deal, seat).drawn) for seat in range(3)] == ["", "9S TS 8C", ""]
    assert [view(deal, seat).trick_drawn for seat in range(3)] == [(0, 3)] * 3
    assert [view(deal, seat).rest_size for seat in range(3)] == [1, 1, 1]
    assert shown(view(deal, 1).hand) == "8C 3D 4D 9S TS"
    played(deal, "8C 6C")
    assert view(deal, 0).tricks[0].drawn == (0, 3, 0)
    assert view(deal, 0).hand_sizes == (1, 4, 1)


def test_the_kitty_is_seen_by_nobody() -> None:
    deal = laid_out("no-queen", "2C 3C", "9C 4D", "4C 5D", rest="KH")
    played(deal, "2C 9C 4C")
    assert view(deal, 1).rest_size == 0
    assert shown(view(deal, 1).hand) == "4D"
    assert not any(view(deal, seat).picked_up for seat in range(3))
