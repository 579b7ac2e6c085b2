"""What every test may use."""

import itertools
from collections.abc import Callable, Sequence

import pytest

from arena.clock import TimeControl
from arena.referee import Policy, Referee
from arena.rules.catalogue import rules
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.rules.variant import OptionValue
from arena.table import PlayedDeal, Table
from tests.fakes import FakeSeat

MakeTable = Callable[..., Table]


@pytest.fixture
def kept() -> list[PlayedDeal]:
    """The deals that a table has written down."""
    return []


@pytest.fixture
def make_table(kept: list[PlayedDeal]) -> MakeTable:
    """Makes a table of seats; the cards are the same in every run."""

    def make(
        seats: Sequence[FakeSeat],
        *,
        variant: str = "classic",
        control: TimeControl | None = None,
        policy: Policy = Policy.REVOKE,
        target: int = 100,
        max_deals: int | None = None,
        options: dict[str, OptionValue] | None = None,
        lag_s: Callable[[float], float] = lambda now: 0.0,
    ) -> Table:
        game = rules(variant, len(seats), options)

        async def keep(deal: PlayedDeal) -> None:
            kept.append(deal)

        return Table(
            match_id="test/0",
            rules=game,
            target=target,
            max_deals=max_deals,
            seats=seats,
            referee=Referee(control or TimeControl(), itertools.count(1), policy, lag_s),
            dealt=lambda number: dealt(bytes([number]) * 32, game, dealer_of(number, game.players)),
            keep=keep,
        )

    return make
