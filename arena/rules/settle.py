"""What a complete deal is worth: moons (G9) in points, settlements (B7 to B9, N2) in chips.

Points are penalty points, fewer is better; chips are a ledger of their own, exact rationals, more is better.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from arena.rules.cards import HEARTS, Cards, both

HEARTS_AND_QUEEN: Final[Cards] = HEARTS | both(["QS"])


@dataclass(frozen=True, slots=True)
class Moon:
    """What taking all hearts and QS is worth (G9), instead of what those cards count."""

    shooter: int  # points of the shooter …
    shooter_for_each_other: int  # … and so many again for each other player
    others: int  # points of each other player
    beside: Cards = 0  # a card of these must have been taken as well, dealt or not (O3)

    @property
    def cards(self) -> Cards:
        """The cards whose own points the moon replaces."""
        return HEARTS_AND_QUEEN | self.beside

    def shot_by(self, taken: Sequence[Cards], dealt: Cards) -> int | None:
        """The seat that took every heart and QS that was dealt; None where nobody did or none was dealt."""
        wanted = HEARTS_AND_QUEEN & dealt
        if wanted:
            for seat, cards in enumerate(taken):
                if cards & wanted:
                    shot = cards & wanted == wanted and (not self.beside or cards & self.beside)
                    return seat if shot else None
        return None

    def award(self, shooter: int, players: int) -> tuple[int, ...]:
        """The points of each seat for the moon alone; cards outside the set are counted beside it."""
        own = self.shooter + self.shooter_for_each_other * (players - 1)
        return tuple(own if seat == shooter else self.others for seat in range(players))


class Settlement(Enum):
    """How points become chips, deal by deal."""

    NONE = "none"
    AVERAGE = "average"
    POT = "pot"
    SWEEPSTAKE = "sweepstake"
    HOWELL = "howell"

    def settle(self, points: Sequence[int], pot: int) -> tuple[tuple[Fraction, ...], int]:
        """Chips of each seat for a deal with these points, and the pot after it.

        ``pot`` is what earlier deals left. Chips and the change of the pot always sum to zero.
        """
        players, total = len(points), sum(points)
        match self:
            case Settlement.NONE:
                return (Fraction(0),) * players, pot
            case Settlement.AVERAGE:
                mean = Fraction(total, players)
                return tuple(mean - own for own in points), pot
            case Settlement.HOWELL:
                return tuple(Fraction(total - own * players) for own in points), pot
            case Settlement.POT:
                fewest = min(points)
                winners = [own == fewest for own in points]
            case Settlement.SWEEPSTAKE:
                winners = [own == 0 for own in points]
        share, pot_after = divmod(pot + total, sum(winners)) if any(winners) else (0, pot + total)
        return tuple(Fraction(share * won - own) for won, own in zip(winners, points, strict=True)), pot_after


def share_out(pot: int, totals: Sequence[int]) -> tuple[Fraction, ...]:
    """What each seat gets of the pot that is left at the end of a match (B9).

    The lowest totals share it equally; what does not divide goes one chip each to the first of them in seat order.
    """
    lowest = min(totals)
    winners = [seat for seat, total in enumerate(totals) if total == lowest]
    share, odd = divmod(pot, len(winners))
    lucky = winners[:odd]
    return tuple(Fraction(share + (seat in lucky) if seat in winners else 0) for seat in range(len(totals)))
