"""A position is the deal that the view shows: it goes on exactly as the original does."""

import random
from collections.abc import Iterator
from itertools import product

import pytest

from arena.rules import cards as c
from arena.rules.cards import FACES, Cards
from arena.rules.catalogue import VARIANTS, rules
from arena.rules.deal import Ask, Deal
from arena.rules.deck import dealt
from arena.rules.position import position, seats
from arena.rules.variant import OptionValue, Rest, Rules, Variant
from arena.rules.view import view

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
        due = {question.seat for question in deal.pending()}
        assert {question.seat for question in twin.pending()} == due | {1, 2, 3}  # what seat 0 knows is its own
        _answer(deal, rng)
    twin = position(view(deal, 0), deal.hands)
    while not deal.complete:
        assert twin.pending() == deal.pending()
        _answer(deal, rng, twin)
    assert twin.scores() == deal.scores()


@pytest.mark.parametrize("players", [2, 4, 7])
def test_seats_of_a_trick_leave_out_who_has_no_card(players: int) -> None:
    rng = random.Random(players)
    deal = _random_deal(rules("domino", players), rng)
    orders = [deal.seats]
    while not deal.complete:
        assert seats(view(deal, 0)) == tuple(orders)
        finished = len(deal.tricks)
        _answer(deal, rng)
        if len(deal.tricks) > finished and not deal.complete:
            orders.append(deal.seats)
    assert players == 2 or len(orders[-1]) < players
