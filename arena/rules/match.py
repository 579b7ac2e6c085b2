"""A match: deals until somebody's total reaches the target (G10)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from arena.rules.settle import share_out
from arena.rules.variant import Rules

TARGET = 100


def places(totals: Sequence[int]) -> tuple[int, ...]:
    """The place of each seat, 1 for the lowest total; equal totals share one and the next is skipped."""
    return tuple(1 + sum(other < own for other in totals) for own in totals)


def dealer_of(deal: int, players: int) -> int:
    """The dealer of a match's deal: the last seat first, then round to the left (G2, G3)."""
    return (players - 1 + deal) % players


@dataclass(slots=True)
class Match:
    """The ledger of a match; deals are played elsewhere and entered here, in order."""

    rules: Rules
    target: int = TARGET  # points
    max_deals: int | None = None
    deals: int = 0
    totals: list[int] = field(init=False)  # points, by seat
    chips: list[Fraction] = field(init=False)  # by seat; with the pot's sharing once the match has ended
    end: str | None = None  # why the match is over, "target" or "max_deals"
    pot: int = 0  # chips left by the deals so far; 0 once it is shared out

    def __post_init__(self) -> None:
        """An empty ledger."""
        self.totals = [0] * self.rules.players
        self.chips = [Fraction(0)] * self.rules.players

    def enter(self, points: Sequence[int]) -> tuple[Fraction, ...]:
        """Count a complete deal; returns its chips by seat. At the end of the match the pot is shared out (B9)."""
        assert self.end is None, "a deal after the end of the match"
        chips, self.pot = self.rules.variant.settlement.settle(points, self.pot)
        self.deals += 1
        for seat, own in enumerate(points):
            self.totals[seat] += own
            self.chips[seat] += chips[seat]
        if max(self.totals) >= self.target:
            self.end = "target"
        elif self.deals == self.max_deals:
            self.end = "max_deals"
        if self.end:
            for seat, share in enumerate(share_out(self.pot, self.totals)):
                self.chips[seat] += share
            self.pot = 0
        return chips
