"""Imagined deals fit everything that the seat has seen."""

import random
from collections.abc import Iterator

import pytest

from arena.rules import cards as c
from arena.rules.cards import FACES
from arena.rules.catalogue import VARIANTS, rules
from arena.rules.deal import Ask, Deal
from arena.rules.deck import dealt
from arena.rules.variant import Rules
from arena.rules.view import view
from reference_bots.policy import play_out, quick_policy
from reference_bots.reading import FREE, read
from reference_bots.sampling import Sampler

TABLES = [(variant.name, players) for variant in VARIANTS.values() for players in variant.players]


def _moments(table: Rules, rng: random.Random, share: float) -> Iterator[tuple[Deal, int]]:
    """Random deals at random moments, and a seat that is asked then."""
    for number in range(4):
        out = dealt(rng.randbytes(32), table, number % table.players)
        deal = Deal(table, number, out.dealer, out.hands, out.rest)
        while not deal.complete:
            question = rng.choice(deal.pending())
            if rng.random() < share:
                yield deal, question.seat
            chosen = rng.sample(c.cards_of(question.legal), question.number)
            deal.answer(question.seat, [card % FACES for card in chosen])


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_truth_fits_the_reading(name: str, players: int) -> None:
    table = rules(name, players)
    for deal, seat in _moments(table, random.Random(f"truth {name} {players}"), 0.4):
        reading = read(view(deal, seat))
        for other in set(range(players)) - {seat}:
            hidden = deal.hands[other] & ~reading.known[other]
            assert not reading.known[other] & ~deal.hands[other]
            assert not hidden & ~reading.unseen
            assert hidden.bit_count() == reading.room[other]
            for group, limit in zip(reading.groups, reading.limit[other], strict=True):
                assert (hidden & group).bit_count() <= limit


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_samples_fit_what_was_seen(name: str, players: int) -> None:
    table, rng = rules(name, players), random.Random(f"samples {name} {players}")
    for deal, seat in _moments(table, rng, 0.15):
        seen = view(deal, seat)
        reading = read(seen)
        sampler = Sampler(reading)
        for imagined in (sampler.sample(rng), sampler.sample(rng)):
            assert [hand.bit_count() for hand in imagined.hands] == list(seen.hand_sizes)
            assert len(imagined.rest) == seen.rest_size
            assert imagined.hands[seat] == seen.hand
            assert imagined.dealt == c.mask(table.pack), "every card is somewhere"
            zones = [*imagined.hands, c.mask(imagined.rest), c.mask(imagined.trick), *imagined.taken]
            zones += [imagined.waiting, imagined.discards]
            assert sum(zone.bit_count() for zone in zones) == len(table.pack), "no card is anywhere else as well"
            if deal.ask is not Ask.PASS:
                assert imagined.pending() == deal.pending() or deal.turn != seat
                received_from_us = seen.passed & ~c.mask([card for trick in seen.tricks for card in trick.cards])
                receiver = table.passing.direction(deal.number).receiver(seat, players)
                assert not received_from_us & ~(imagined.hands[receiver] | c.mask(seen.trick))
            for other in set(range(players)) - {seat}:
                hidden = imagined.hands[other] & ~reading.known[other]
                for group, limit in zip(reading.groups, reading.limit[other], strict=True):
                    assert (hidden & group).bit_count() <= limit


def _led(hands: list[str], plays: str) -> Deal:
    """A classic deal without passing, some cards played."""
    deal = Deal(rules("classic", 4), 3, 3, [c.mask(c.parse(hand)) for hand in hands])
    for card in c.parse(plays):
        deal.answer(deal.turn, (card,))
    return deal


def test_who_does_not_follow_is_void() -> None:
    deal = _led(["2C 3C 4D", "4C 5C 5D", "6D 7D 8D", "6C 7C 9S"], "2C 4C 6D 6C")
    reading = read(view(deal, 3))
    assert [reading.void(seat, c.CLUBS) for seat in range(3)] == [False, False, True]
    assert not reading.void(2, c.DIAMONDS)


def test_who_leads_hearts_too_early_has_nothing_else() -> None:
    deal = _led(["2C 4C 4D", "5C AC 5D", "3C 6C 6D", "7C 3H 4H"], "2C 5C 3C 7C 3H")
    reading = read(view(deal, 0))
    assert [reading.void(3, suit) for suit in (c.CLUBS, c.DIAMONDS, c.SPADES, c.HEARTS)] == [True, True, True, False]


def test_who_keeps_the_queen_when_it_would_have_to_come_has_none() -> None:
    table = rules("black-lady", 4)
    hands = ["2C 3C 4C", "5C 6C 7C", "2D 3D 4S", "8C 9C QS"]
    deal = Deal(table, 0, 3, [c.mask(c.parse(hand)) for hand in hands])
    for seat, passed in enumerate(hands):
        deal.answer(seat, c.parse(passed))
    deal.answer(deal.turn, c.parse("5C"))
    deal.answer(deal.turn, c.parse("2D"))
    reading = read(view(deal, 2))
    queen = reading.groups.index(c.both(["QS"]))
    assert reading.limit[1][queen] == 0
    assert reading.limit[3][queen] == FREE


def test_drawn_cards_may_be_of_a_suit_that_was_lacking() -> None:
    table = rules("domino", 2)
    hands = [c.mask(c.parse("2C 3D")), c.mask(c.parse("4D 5H"))]
    deal = Deal(table, 0, 1, hands, c.parse("6S 7C 8H 9D TC"))
    deal.answer(0, c.parse("2C"))  # seat 1 draws 6S 7C
    deal.answer(1, c.parse("7C"))
    assert deal.turn == 1
    clubs, diamonds, *_ = read(view(deal, 0)).limit[1]
    assert (clubs, diamonds) == (0, FREE)
    deal.answer(1, c.parse("6S"))  # seat 0 draws 8H 9D TC, and the stock is empty
    deal.answer(0, c.parse("8H"))
    clubs, diamonds, spades, hearts = read(view(deal, 1)).limit[0]
    assert (clubs, diamonds, spades, hearts) == (FREE, FREE, 0, FREE)


def test_cards_that_one_seat_lacks_are_dealt_evenly_to_the_others() -> None:
    rng = random.Random(1)
    clubs, others = list(range(13)), list(range(13, 52))
    rng.shuffle(others)
    lots = [*clubs, *others[13:]]
    rng.shuffle(lots)
    hands = [c.mask(lots[:13]), c.mask(others[:13]), c.mask(lots[13:26]), c.mask(lots[26:])]
    deal = Deal(rules("classic", 4), 3, 3, hands)
    while deal.turn != 0 or len(deal.tricks) < 1:
        deal.answer(deal.turn, c.cards_of(deal.legal)[:1])
    reading = read(view(deal, 0))
    assert [[limit < FREE for limit in limits] for limits in reading.limit[1:]] == [
        [True, False, False, False], [False] * 4, [False] * 4,
    ]  # fmt: skip
    sampler = Sampler(reading)
    samples = [sampler.sample(rng) for _ in range(1000)]
    for card in c.cards_of(reading.unseen & c.CLUBS):
        assert (
            420
            < sum(sample.hands[2] >> card & 1 for sample in samples)
            * 2
            * reading.room[3]
            / (reading.room[2] + reading.room[3])
            < 580
        )
    plain = (reading.unseen & ~c.CLUBS).bit_count()
    for card in c.cards_of(reading.unseen & ~c.CLUBS):
        share = sum(sample.hands[1] >> card & 1 for sample in samples) / 1000
        assert abs(share - reading.room[1] / plain) < 0.07


@pytest.mark.parametrize(
    ("name", "players", "part"),
    [("classic", 4, 0.6), ("spot", 4, 0.7), ("domino", 4, 1.0), ("cancellation", 8, 0.7)],
)
def test_fast_player_is_no_fool(name: str, players: int, part: float) -> None:
    table, rng = rules(name, players), random.Random(name)
    policy = quick_policy(table)
    own = others = 0.0
    for number in range(80):
        out = dealt(rng.randbytes(32), table, number % players)
        deal = Deal(table, 3, out.dealer, out.hands, out.rest)
        while not deal.complete:
            faces = policy(deal) if deal.turn == number % players else (rng.choice(c.cards_of(deal.legal)) % FACES,)
            deal.answer(deal.turn, faces)
        points = deal.scores()[0]
        own += points[number % players]
        others += (sum(points) - points[number % players]) / (players - 1)
    assert own < part * others
    deal = Deal(table, 3, out.dealer, out.hands, out.rest)
    points = play_out(deal.copy(), policy)
    assert play_out(deal, policy) == points == deal.scores()[0]
