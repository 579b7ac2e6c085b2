"""A deal as one seat sees it, played on from assumed hidden cards: what a searcher needs.

A bot that searches knows a `View`. It assumes hands for the others, sets the `Deal` up in that state with `position`,
and plays it to the end as often as it likes. Nothing is replayed: the cost is one pass over the finished tricks.
"""
# ruff: noqa: SLF001  the state of a Deal is set up here instead of being played up to; this file is part of its class

from collections.abc import Sequence

from arena.rules import cards as c
from arena.rules.cards import Card, Cards
from arena.rules.deal import Ask, Deal
from arena.rules.tricks import ALL_ROTATIONS, rotations
from arena.rules.variant import Opening, Rest
from arena.rules.view import View


def position(
    view: View,
    hands: Sequence[Cards],
    rest: Sequence[Card] = (),
    gone: Cards = 0,
    passed: Sequence[Cards] = (),
) -> Deal:
    """The deal that the view shows, not complete, if the hidden cards are these.

    ``hands`` by seat and ``rest``, the stock's top first, as they are now. ``gone`` are cards that have left unseen:
    the kitty after it was taken, or what another seat has laid away for the widow. ``passed`` by seat is what others
    have chosen to pass; while passing, 0 is a seat that has not, and later it matters to nothing but their views. What
    the view itself knows of these is taken from there. The deal is one to play on, not one to record: what it
    remembers as dealt are the hands given.
    """
    rules, tricks, trick = view.rules, view.tricks, view.trick
    variant = rules.variant
    deal = Deal(rules, view.number, view.dealer, hands, rest)
    if view.passed or view.received or passed:
        _set_passes(deal, view, passed)
    if view.leader < 0:
        return deal

    played: Cards = 0
    waiting: Cards = 0
    kitty = gone if variant.rest is Rest.KITTY else 0
    for one in tricks:
        pile: Cards = 0
        for card in one.cards:
            pile |= 1 << card
        played |= pile
        waiting |= pile
        if one.winner is not None:
            deal.taken[one.winner] |= waiting | kitty
            waiting = kitty = 0
    deal.tricks = tricks
    deal.waiting = waiting
    for card in trick:
        deal._pile |= 1 << card
    deal.discards = view.discarded if view.picked_up else gone if variant.rest is Rest.WIDOW else 0
    deal.dealt |= played | deal._pile | gone | view.discarded
    if variant.opening is Opening.LOWEST_CLUB:
        clubs = deal.dealt & c.CLUBS
        deal._opening = clubs & -clubs
    deal.hearts_open = view.hearts_open
    deal._restricted = 0 if view.hearts_open else c.HEARTS
    if tricks:
        deal._bars = 0
    if variant.rest is Rest.STOCK:
        deal._rotations = rotations(seats(view)[-1], rules.players)

    deal.ask = Ask.PLAY
    if variant.rest is Rest.WIDOW and tricks and not rest:
        _set_widow(deal, view)
    if deal.ask is Ask.PLAY and not trick:
        deal._lead(view.leader)
    elif deal.ask is Ask.PLAY:
        deal.seats = deal._rotations[view.leader]
        deal.turn = deal.seats[len(trick)]
        _set_follow(deal, view)
    if variant.rest is Rest.STOCK:
        deal.drawn = list(view.trick_drawn)
        deal.drawn_cards = view.drawn if deal.turn == view.seat else ()
    return deal


def _set_passes(deal: Deal, view: View, passed: Sequence[Cards]) -> None:
    """What was passed, as far as it is known or assumed."""
    direction, players = deal.rules.passing.direction(deal.number), deal.rules.players
    gave = list(passed) or [0] * players
    gave[view.seat] = view.passed
    deal.passed = gave
    if view.received:
        for seat in range(players):
            receiver = direction.receiver(seat, players)
            if receiver == view.seat:
                gave[seat] = view.received
            deal.received[receiver] = gave[seat]


def _set_widow(deal: Deal, view: View) -> None:
    """The widow has been taken; its taker may have to lay cards away now."""
    first = deal.tricks[0]
    taker = first.leader if first.winner is None else first.winner
    size = deal.hands[taker].bit_count() - min(hand.bit_count() for hand in deal.hands)
    deal.picked_up = view.picked_up
    if len(deal.tricks) == 1 and not view.trick and size:
        if not deal.picked_up:  # another seat's; how many they are is all that matters
            deal.picked_up = c.mask(c.cards_of(deal.hands[taker])[:size])
        deal.ask = Ask.DISCARD
        deal.discarder = deal.turn = taker
        deal.legal = deal.hands[taker]
        deal.seats = deal._rotations[view.leader]
    elif deal.picked_up or deal.discards:
        deal.discarder = taker


def _set_follow(deal: Deal, view: View) -> None:
    """The seat on turn follows to a trick; what it may play, as after the card before."""
    deal.trick = list(view.trick)
    deal._led = c.SUIT_OF[view.trick[0]]
    hand = deal.hands[deal.turn]
    legal = hand & deal._led or (not deal._draws and hand & deal._must) or hand
    deal.legal = legal & ~deal._bars or legal


def seats(view: View) -> tuple[tuple[int, ...], ...]:
    """The seats in playing order of every finished trick and, last, of the current one.

    Who is out is left out (D3); all hands were dealt alike.
    """
    players, tricks = view.rules.players, view.tricks
    leaders = [*[trick.leader for trick in tricks], view.leader]
    if view.rules.variant.rest is not Rest.STOCK:
        return tuple([ALL_ROTATIONS[players][leader] for leader in leaders])
    played = sum(len(trick.cards) for trick in tricks) + len(view.trick)
    drawn = sum(sum(trick.drawn) for trick in tricks) + sum(view.trick_drawn)
    sizes = [(sum(view.hand_sizes) + played - drawn) // players] * players
    order = ALL_ROTATIONS[players][leaders[0]]
    orders = [order]
    for trick, leader in zip(tricks, leaders[1:], strict=True):
        for seat, draws in zip(order, trick.drawn, strict=True):
            sizes[seat] += draws - 1
        order = tuple([seat for seat in ALL_ROTATIONS[players][leader] if sizes[seat]])
        orders.append(order)
    return tuple(orders)
