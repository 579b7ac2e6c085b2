"""Who takes a trick (G5, X2)."""

from enum import Enum
from typing import NamedTuple

from arena.rules.cards import FACES, PACK, Card, Cards


class Trick(NamedTuple):
    """A trick as everybody has seen it."""

    leader: int
    cards: tuple[Card, ...]  # in playing order, the leader's first
    winner: int | None  # None: not complete, or wholly cancelled and waiting (X3)
    drawn: tuple[int, ...]  # cards drawn from the stock before each card; empty where there is no stock


class TrickRule(Enum):
    """Which card of a complete trick wins it."""

    HIGHEST = "the highest card of the suit led (G5)"
    CANCELLATION = "the highest card of the suit led that has no twin in the trick (X2)"

    def winning(self, trick: Cards, suit: Cards) -> Card | None:
        """The winning card of the trick, ``suit`` being the mask of the suit led; None when all are cancelled."""
        led = trick & suit
        if self is TrickRule.CANCELLATION:
            first, second = led & PACK, led >> FACES
            single = first ^ second
            if not single:
                return None
            face = single.bit_length() - 1
            return face if first >> face & 1 else face + FACES
        return led.bit_length() - 1


def rotations(seats: tuple[int, ...], players: int) -> tuple[tuple[int, ...], ...]:
    """By leader: the active seats clockwise from the leader's, or from the next active one on the leader's left."""
    return tuple(tuple(sorted(seats, key=lambda seat: (seat - leader) % players)) for leader in range(players))


ALL_ROTATIONS = tuple(rotations(tuple(range(players)), players or 1) for players in range(11))
"""By number of players: `rotations` of all of them."""
