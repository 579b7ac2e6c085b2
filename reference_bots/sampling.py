"""Deals that may be true: hidden cards dealt at random, consistent with everything that a seat has seen."""

import random
from collections.abc import Sequence

from arena.rules import cards as c
from arena.rules.cards import Card, Cards
from arena.rules.deal import Deal
from arena.rules.position import position
from reference_bots.reading import FREE, Reading

_Full = list[list[Card]]  # by group: the cards that a place has been dealt


class Sampler:
    """Deals the unseen cards of a reading. The places for them are the seats, what lies face down, and what is gone.

    A group of cards that some seat is known to lack goes first, each card to a random free place that may have it;
    the others are dealt out afterwards. With one such group every consistent deal is equally likely, with several
    nearly so.
    """

    def __init__(self, reading: Reading) -> None:
        """Prepare for any number of samples."""
        self.reading = reading
        self._seats = reading.view.rules.players
        rest = reading.view.rest_size
        room = [*reading.room, rest]
        self._room = (*room, reading.unseen.bit_count() - sum(room))
        self._limit = (*reading.limit, *[(FREE,) * len(reading.groups)] * 2)
        tight: list[tuple[int, int]] = []  # slack, group
        free: Cards = 0
        for at, group in enumerate(reading.groups):
            cards = reading.unseen & group
            places = sum(min(room, limit[at]) for room, limit in zip(self._room, self._limit, strict=True))
            if all(not room or limit[at] >= FREE for room, limit in zip(self._room, self._limit, strict=True)):
                free |= cards
            elif cards:
                tight.append((places - cards.bit_count(), at))
        self._tight = [(at, c.cards_of(reading.unseen & reading.groups[at])) for _, at in sorted(tight)]
        self._free = c.cards_of(free)

    def sample(self, rng: random.Random) -> Deal:
        """The deal as it may stand now."""
        view, seats = self.reading.view, self._seats
        room = list(self._room)
        places = self._deal_tight(room, rng) if self._tight else [0] * len(room)
        free = list(self._free)
        rng.shuffle(free)
        at = 0
        for place, size in enumerate(room):
            for card in free[at : at + size]:
                places[place] |= 1 << card
            at += size
        hands = [held | dealt for held, dealt in zip(self.reading.known, places[:seats], strict=True)]
        hands[view.seat] = view.hand
        rest = list(c.cards_of(places[seats]))
        rng.shuffle(rest)
        return position(view, hands, rest, places[seats + 1])

    def _deal_tight(self, room: list[int], rng: random.Random) -> list[Cards]:
        """Deal the groups that not everybody may have, by place; ``room`` is what is left of it afterwards."""
        full: list[_Full] = [[[] for _ in self.reading.groups] for _ in room]
        for at, cards in self._tight:
            for card in rng.sample(cards, len(cards)):
                weights = [
                    size if len(full[place][at]) < self._limit[place][at] else 0 for place, size in enumerate(room)
                ]
                place = rng.choices(range(len(room)), weights)[0] if any(weights) else self._make_room(at, full, room)
                full[place][at].append(card)
                room[place] -= 1
        return [sum(1 << card for cards in groups for card in cards) for groups in full]

    def _make_room(self, group: int, full: Sequence[_Full], room: list[int]) -> int:
        """A place that may have one more card of the group, after others have moved on to make room for it.

        The shortest chain of moves: a search in breadth over the places, from those that may have the group.
        """

        def admits(place: int, at: int) -> bool:
            return len(full[place][at]) < self._limit[place][at]

        queue = [place for place in range(len(room)) if self._room[place] and admits(place, group)]
        came: dict[int, tuple[int, int] | None] = dict.fromkeys(queue)  # from which place a card of which group comes
        for place in queue:
            if room[place]:
                room[place] -= 1
                start, step = place, came[place]
                while step is not None:
                    source, at = step
                    full[start][at].append(full[source][at].pop())
                    start, step = source, came[source]
                room[start] += 1
                return start
            for other in range(len(room)):
                if other not in came and self._room[other]:
                    moves = [at for at, cards in enumerate(full[place]) if cards and admits(other, at)]
                    if moves:
                        came[other] = (place, moves[0])
                        queue.append(other)
        raise AssertionError("no deal is consistent with the view")
