"""A position is the deal that the view shows: it goes on exactly as the original does."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from arena.rules import cards as c
from arena.rules.cards import FACES, Cards
from arena.rules.catalogue import VARIANTS, rules
from arena.rules.deal import Ask, Deal
from arena.rules.deck import dealt
from arena.rules.position import distinct, position
from arena.rules.variant import OptionValue, Rest, Rules, Variant
from arena.rules.view import View, view

TABLES = [(variant.name, players) for variant in VARIANTS.values() for players in variant.players]
UNSEEN = {"passed", "received", "picked_up", "drawn_cards"}  # by other seats; nothing that goes on depends on them
AS_DEALT = {"first_hands", "first_rest"}  # for records; a position is none
OF_THE_TRICK = {"_led"}  # means nothing before a card lies on the table


def _options(variant: Variant) -> Iterator[dict[str, OptionValue]]:
    """Every combination of options."""
    choices = [[(option.name, value) for value in option.choices or (None, 3)] for option in variant.options]
    return (dict(chosen) for chosen in product(*choices))


def _some_rules(name: str, players: int, rng: random.Random) -> Rules:
    admitted = []
    for options in _options(VARIANTS[name]):
        if players % 2 and options.get("pass") == "right-across":
            continue
        admitted.append(options)
    return rules(name, players, rng.choice(admitted))


def _random_deal(table: Rules, rng: random.Random) -> Deal:
    number = rng.randrange(6)
    out = dealt(rng.randbytes(32), table, number % table.players)
    return Deal(table, number, out.dealer, out.hands, out.rest)


def _answer(deal: Deal, rng: random.Random, *others: Deal) -> None:
    """One open question of the deal is answered at random, in the others too."""
    question = rng.choice(deal.pending())
    faces = [card % FACES for card in rng.sample(c.cards_of(question.legal), question.number)]
    for one in (deal, *others):
        one.answer(question.seat, faces)


def _gone(deal: Deal, kitty: Cards, seat: int) -> Cards:
    """The cards that have left unseen by the seat."""
    if deal.rules.variant.rest is Rest.KITTY:
        return 0 if deal.rest else kitty
    return 0 if deal.discarder == seat else deal.discards


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_position_goes_on_as_the_original_does(name: str, players: int) -> None:
    rng = random.Random(f"position/{name}/{players}")
    compared = set(Deal.__slots__) - UNSEEN - AS_DEALT
    for _ in range(6):
        deal = _random_deal(_some_rules(name, players, rng), rng)
        kitty = c.mask(deal.rest)
        twins: list[Deal] = []
        while not deal.complete:
            if rng.random() < 0.3 or deal.ask is not Ask.PLAY:
                seat = rng.randrange(players)
                seen = view(deal, seat)
                twin = position(seen, deal.hands, deal.rest, _gone(deal, kitty, seat), deal.passed)
                assert view(twin, seat) == seen
                twins.append(twin)
            for twin in twins:
                assert twin.pending() == deal.pending()
                for slot in compared - (set() if deal.trick else OF_THE_TRICK):
                    assert getattr(twin, slot) == getattr(deal, slot), slot
            _answer(deal, rng, *twins)
        for twin in twins:
            assert twin.scores() == deal.scores()


def test_passes_of_others_are_seen_from_their_seats_if_they_are_given() -> None:
    rng = random.Random(1)
    deal = _random_deal(rules("greek", 5), rng)
    while deal.ask is Ask.PASS:
        _answer(deal, rng)
    for seat, other in product(range(5), repeat=2):
        assert view(position(view(deal, seat), deal.hands, passed=deal.passed), other) == view(deal, other)


def test_unknown_passes_do_not_matter_to_play() -> None:
    rng = random.Random(2)
    deal = _random_deal(rules("classic", 4), rng)
    while deal.ask is Ask.PASS:
        twin = position(view(deal, 0), deal.hands)
        assert {question.seat for question in twin.pending()} >= {question.seat for question in deal.pending()}
        _answer(deal, rng)
    twin = position(view(deal, 0), deal.hands)
    while not deal.complete:
        assert twin.pending() == deal.pending()
        _answer(deal, rng, twin)
    assert twin.scores() == deal.scores()


@pytest.mark.parametrize("players", [7, 8, 9, 10])
def test_view_of_faces_alone_gives_the_same_deal(players: int) -> None:
    rng = random.Random(players)
    deal = _random_deal(rules("cancellation", players), rng)
    kitty = c.mask(deal.rest)
    for _ in range(rng.randrange(3 * players, 7 * players)):
        _answer(deal, rng)
    seen = view(deal, deal.turn)
    faces = _faces_alone(deal, deal.turn)
    assert distinct(seen) == seen
    named = distinct(faces)
    shown = [card for trick in named.tricks for card in trick.cards] + [*named.trick, *c.cards_of(named.hand)]
    assert len(set(shown)) == len(shown)
    assert [card % FACES for trick in named.tricks for card in trick.cards] == [
        card % FACES for trick in seen.tricks for card in trick.cards
    ]

    free = set(deal.rules.pack) - set(shown)

    def spare(cards: Cards) -> Cards:
        """The same faces, of cards that are free."""
        chosen = 0
        for card in c.cards_of(cards):
            one = next(card for card in (card, (card + FACES) % (2 * FACES)) if card in free)
            free.remove(one)
            chosen |= 1 << one
        return chosen

    hands = [named.hand if seat == deal.turn else spare(hand) for seat, hand in enumerate(deal.hands)]
    gone = spare(_gone(deal, kitty, deal.turn))
    rest = c.cards_of(spare(c.mask(deal.rest)))
    twin = position(named, hands, rest, gone)
    while not deal.complete:
        ours, theirs = deal.pending()[0], twin.pending()[0]
        assert (ours.seat, c.faces_of(ours.legal)) == (theirs.seat, c.faces_of(theirs.legal))
        _answer(deal, rng, twin)
    assert twin.scores() == deal.scores()


def _faces_alone(deal: Deal, seat: int) -> View:
    """The view as it comes over the wire, where two cards of a face are one value."""
    seen = view(deal, seat)
    hand = 0
    for face in c.faces_of(seen.hand):
        hand |= 1 << (face + FACES if hand >> face & 1 else face)
    return replace(
        seen,
        hand=hand,
        tricks=tuple(trick._replace(cards=tuple(card % FACES for card in trick.cards)) for trick in seen.tricks),
        trick=tuple(card % FACES for card in seen.trick),
    )
