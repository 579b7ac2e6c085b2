"""A fast player for rollouts: it sees only its own cards and the trick, and ducks.

It plays a `Deal` itself and not a question, so that a whole deal takes a fraction of a millisecond.
"""

from collections.abc import Callable
from typing import TypeAlias

from arena.rules import cards as c
from arena.rules.cards import FACES, Card, Cards
from arena.rules.deal import Ask, Deal
from arena.rules.variant import Rules

Policy: TypeAlias = Callable[[Deal], tuple[Card, ...]]
"""Answers the open question of the seat on turn, or of the first seat that is asked."""

_TWINS = 1 | 1 << FACES
_SUITS = ((1 << 13) - 1, ((1 << 13) - 1) << 13, ((1 << 13) - 1) << 26, ((1 << 13) - 1) << 39)
BELOW = tuple(c.SUIT_OF[card] & ((1 << card % FACES) - 1) * _TWINS for card in range(2 * FACES))
"""By card: the cards of its suit that rank lower, both packs."""


def danger(rules: Rules) -> tuple[float, ...]:
    """How gladly each face is given away: for its own points, for its rank, and for dearer cards that it may catch."""
    points = rules.points
    values = []
    for face in range(FACES):
        rank = face % 13
        catches = sum(points[face - down] for down in range(1, rank + 1) if abs(points[face - down]) >= 5)
        values.append(8.0 * points[face] + rank + (rank >= 9) * rank + 0.8 * catches)
    return tuple(values)


def quick_policy(rules: Rules) -> Policy:
    """The fast player for these rules."""
    worth = danger(rules)
    order = sorted(range(FACES), key=lambda face: -worth[face])
    points, scoring, winning = rules.points, rules.scoring, rules.variant.trick_rule.winning
    costly = c.mask([face for face in range(FACES) if points[face] > 0]) * _TWINS
    # What to shed, first things first: runs of one suit, so that the highest card of a run is the one to take.
    runs: list[Cards] = []
    for face in order:
        if runs and not runs[-1] & ~c.SUIT_OF[face] and not runs[-1] & BELOW[face]:
            runs[-1] |= _TWINS << face
        else:
            runs.append(_TWINS << face)

    def shed(cards: Cards) -> Card:
        for run in runs:
            if cards & run:
                return (cards & run).bit_length() - 1
        raise AssertionError("no card")

    def lead(legal: Cards) -> Card:
        plain = legal & ~costly or legal
        if plain > c.PACK:
            plain = plain & c.PACK | plain >> FACES
        lowest, chosen = 1 << 13, 0
        for at, suit in enumerate(_SUITS):
            cards = (plain & suit) >> 13 * at
            low = cards & -cards
            if cards and low < lowest:
                lowest, chosen = low, low.bit_length() - 1 + 13 * at
        return chosen

    def follow(deal: Deal, legal: Cards) -> Card:
        trick = deal.trick
        suit = c.SUIT_OF[trick[0]]
        if not legal & suit:
            return shed(legal)
        pile = 0
        for card in trick:
            pile |= 1 << card
        best = winning(pile, suit)
        under = legal & BELOW[best] if best is not None else 0
        last = len(trick) + 1 == len(deal.seats)
        stake = sum([points[card] for card in trick]) if pile & scoring else 0
        if stake < 0 or (last and stake == 0):
            over = legal & ~under & ~costly
            if over:
                return over.bit_length() - 1 if over <= c.PACK else _highest(over)
        if under:
            return shed(under)
        over = legal & ~costly or legal
        return _highest(over) if last else _lowest(over)

    def answer(deal: Deal) -> tuple[Card, ...]:
        if deal.ask is Ask.PLAY:
            legal = deal.legal
            if legal & (legal - 1) == 0:
                card = legal.bit_length() - 1
            else:
                card = follow(deal, legal) if deal.trick else lead(legal)
            return (card if card < FACES else card - FACES,)
        question = deal.pending()[0]
        held = [face for face in order if question.legal >> face & 1]
        return tuple(held[: question.number])

    return answer


def _highest(cards: Cards) -> Card:
    """The highest of cards of one suit."""
    return (cards & c.PACK | cards >> FACES).bit_length() - 1


def _lowest(cards: Cards) -> Card:
    """The lowest of cards of one suit."""
    faces = cards & c.PACK | cards >> FACES
    return (faces & -faces).bit_length() - 1


def play_out(deal: Deal, policy: Policy) -> tuple[int, ...]:
    """Play the deal to its end; the points by seat."""
    while deal.ask is not None:
        deal.answer(deal.turn if deal.turn >= 0 else deal.pending()[0].seat, policy(deal))
    return deal.scores()[0]
