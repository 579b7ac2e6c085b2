"""A bot against the house: the games of `arena play`, and of a trial."""

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from arena.clock import TimeControl
from arena.fault import Fault
from arena.gateway.server import Gateway
from arena.house import HouseSeat
from arena.referee import Referee
from arena.rules.deck import Dealt, dealt
from arena.rules.match import dealer_of
from arena.rules.variant import Rules
from arena.seat import Seat
from arena.table import MatchResult, PlayedDeal, Table

YOU: Final = "you"


@dataclass
class Game:
    """What is played, and what has come of it."""

    rules: Rules
    seat: int  # the bot's
    seed: int
    target: int
    deals: int | None  # at the most
    control: TimeControl
    name: str = YOU  # the bot's
    played: list[PlayedDeal] = field(default_factory=list)
    result: MatchResult | None = None

    @property
    def names(self) -> list[str]:
        """By seat."""
        return [self.name if seat == self.seat else f"house {seat}" for seat in range(self.rules.players)]

    def cards(self, number: int) -> Dealt:
        """The cards of a deal: the same for the same seed."""
        key = hashlib.sha256(f"arena play {self.seed} {number}".encode()).digest()
        return dealt(key, self.rules, dealer_of(number, self.rules.players))

    @property
    def faults(self) -> list[Fault]:
        """The bot's."""
        return [fault for deal in self.played for fault in deal.faults]

    async def play(self, gateway: Gateway, table: int = 1, decisions: Iterator[int] | None = None) -> None:
        """The match, at a table of this number, with questions of these numbers."""

        async def keep(deal: PlayedDeal) -> None:
            self.played.append(deal)

        try:
            (bot,) = gateway.seats(table, [self.name])
            seats: list[Seat] = [bot if seat == self.seat else HouseSeat(one) for seat, one in enumerate(self.names)]
            referee = Referee(self.control, decisions or itertools.count(1))
            match = f"practice/{self.seed}"
            made = Table(match, self.rules, self.target, self.deals, seats, referee, self.cards, keep)
            self.result = await made.play()
        finally:
            gateway.forget(table)


async def wait_there(gateway: Gateway, name: str) -> None:
    """Until the bot is connected."""
    while not gateway.player(name).connected:
        await gateway.wait_change()
