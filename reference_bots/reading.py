"""What a player who pays attention knows about the hidden cards.

A question carries the whole deal as far as the seat may know it, so nothing has to be remembered from one question to
the next: `read` goes once through the finished tricks. Shared by the bots that count cards.
"""

from dataclasses import dataclass

from arena.rules import cards as c
from arena.rules.cards import Cards
from arena.rules.position import seats
from arena.rules.variant import Rest, Rules
from arena.rules.view import View

FREE = 999
"""As a limit: nothing is known."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A view and what follows from it."""

    view: View
    unseen: Cards  # every card that this seat has not located
    known: tuple[Cards, ...]  # by seat: cards that it holds for certain, because this seat passed them to it
    room: tuple[int, ...]  # by seat: how many unseen cards it holds
    groups: tuple[Cards, ...]  # the suits; a card that has to be discarded (B4) is a group of its own
    limit: tuple[tuple[int, ...], ...]  # by seat and group: the seat holds at most so many unseen cards of the group

    def void(self, seat: int, suit: Cards) -> bool:
        """Whether that seat has shown that it holds no card of the suit."""
        none_unseen = all(
            limit == 0 for group, limit in zip(self.groups, self.limit[seat], strict=True) if group & suit
        )
        return none_unseen and not self.known[seat] & suit


def read(view: View) -> Reading:
    """What the view tells about the hidden cards."""
    rules, own = view.rules, view.seat
    played = c.mask([card for trick in view.tricks for card in trick.cards] + list(view.trick))
    known = [0] * rules.players
    if view.received:
        known[rules.passing.direction(view.number).receiver(own, rules.players)] = view.passed & ~played
    unseen = c.mask(rules.pack) & ~(view.hand | view.discarded | played | sum(known))
    room = [size - held.bit_count() for size, held in zip(view.hand_sizes, known, strict=True)]
    room[own] = 0
    groups = _groups(rules)
    limit = _limits(view, groups) if view.leader >= 0 else [[FREE] * len(groups) for _ in room]
    return Reading(view, unseen, tuple(known), tuple(room), groups, tuple([tuple(row) for row in limit]))


def _groups(rules: Rules) -> tuple[Cards, ...]:
    """The suits, and apart from them what a player who cannot follow must play."""
    must = rules.variant.void.must_discard
    suits = [suit & ~must for suit in (c.CLUBS, c.DIAMONDS, c.SPADES, c.HEARTS)]
    return (*suits, must) if must else tuple(suits)


def _limits(view: View, groups: tuple[Cards, ...]) -> list[list[int]]:
    """How many cards of each group each seat may hold, after everything that it has shown.

    Who cannot follow has none left of the suit. From then on only cards that come into the hand later can be of it:
    those drawn from a stock, or a widow.
    """
    rules, variant = view.rules, view.rules.variant
    limit = [[FREE] * len(groups) for _ in range(rules.players)]
    breakers = variant.leading.broken_by
    closed = bool(breakers)
    lines = [(trick.cards, trick.drawn) for trick in view.tricks] + [(view.trick, view.trick_drawn)]
    for number, ((cards, drawn), order) in enumerate(zip(lines, seats(view), strict=True)):
        led = c.SUIT_OF[cards[0]] if cards else 0
        for place, card in enumerate(cards):
            mine = limit[order[place]]
            follows = bool(led >> card & 1)
            if place < len(drawn) and drawn[place]:
                _gain(mine, drawn[place] - follows)
            for at, group in enumerate(groups):
                if group >> card & 1:
                    mine[at] -= mine[at] < FREE
                elif not follows and group & variant.void.must_discard:
                    mine[at] = 0  # it would have had to come
                elif place == 0 and closed and led == c.HEARTS:
                    mine[at] = 0  # hearts before they were open: nothing else is left (C5)
                if (not follows or (place < len(drawn) and drawn[place])) and group & led:
                    mine[at] = 0
            closed = closed and not breakers >> card & 1
        if len(drawn) > len(cards):
            _gain(limit[order[len(cards)]], drawn[-1])
        if number == 0 and len(view.tricks) > 0 and variant.rest is Rest.WIDOW:
            taker = view.tricks[0].winner
            _gain(limit[view.tricks[0].leader if taker is None else taker], rules.rest_size)
    return limit


def _gain(limits: list[int], cards: int) -> None:
    """So many unknown cards have come into the hand."""
    for at, limit in enumerate(limits):
        if limit < FREE:
            limits[at] = limit + cards
