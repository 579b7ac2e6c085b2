"""What one seat may know of a deal.

`view` is the only way to anything that leaves for a bot. It is built up from what the seat has seen, never by
taking things away from the whole.
"""

from typing import Final, NamedTuple

from arena.rules.cards import Card, Cards
from arena.rules.deal import Deal
from arena.rules.tricks import Trick
from arena.rules.variant import Rules


class View(NamedTuple):
    """A deal as one seat sees it. Masks are of the seat's own cards; everything else is public."""

    rules: Rules
    number: int  # of the deal in its match, from 0
    dealer: int
    seat: int
    hand: Cards
    passed: Cards  # what this seat gave away
    received: Cards  # what it got for it
    picked_up: Cards  # the widow, if this seat took it
    discarded: Cards  # what this seat laid away for it
    drawn: tuple[Card, ...]  # what this seat has drawn for the card it is asked for
    tricks: tuple[Trick, ...]  # finished ones, in order
    leader: int  # of the current trick; -1 before the first lead
    trick: tuple[Card, ...]  # the current one
    trick_drawn: tuple[int, ...]  # drawn before each of its cards, and by the seat on turn; empty without a stock
    hand_sizes: tuple[int, ...]
    rest_size: int  # cards that lie on the table face down: kitty, widow or stock
    hearts_open: bool


_new: Final = tuple.__new__  # once a question; the class's own takes twice as long


def view(deal: Deal, seat: int) -> View:
    """The deal as ``seat`` sees it now."""
    own_widow = deal.discarder == seat
    return _new(View, (
        deal.rules,
        deal.number,
        deal.dealer,
        seat,
        deal.hands[seat],
        deal.passed[seat],
        deal.received[seat],  # empty until everybody has passed
        deal.picked_up if own_widow else 0,
        deal.discards if own_widow else 0,
        deal.drawn_cards if deal.turn == seat else (),
        deal.tricks,
        deal.seats[0] if deal.seats else -1,
        tuple(deal.trick),
        tuple(deal.drawn),
        tuple(deal.hand_sizes),
        len(deal.rest),
        deal.hearts_open,
    ))  # fmt: skip
