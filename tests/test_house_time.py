"""What the house takes to choose is the arena's own time, however long that is."""

import itertools

import pytest
import trio
import trio.testing

from arena import house
from arena.clock import TimeControl
from arena.house import HouseSeat
from arena.referee import Referee
from arena.rules.cards import Card
from arena.rules.catalogue import rules
from arena.rules.deal import Question
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.rules.view import View
from arena.table import PlayedDeal, Table

CONTROL = TimeControl(move_s=5.0, bank_s=20.0, increment_s=0.0)


@pytest.mark.parametrize("takes_s", [1e-4, CONTROL.move_s / 2, CONTROL.move_s + 1])
@pytest.mark.parametrize(("variant", "players"), [("classic", 4), ("widow", 3)])
async def test_a_house_that_is_slow_is_charged_nothing_and_plays_on(
    mock_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch, variant: str, players: int, takes_s: float
) -> None:
    choose, game = house.choose, rules(variant, players)
    kept: list[PlayedDeal] = []

    def slow(question: Question, view: View) -> tuple[Card, ...]:
        mock_clock.jump(takes_s)
        return choose(question, view)

    async def keep(deal: PlayedDeal) -> None:
        kept.append(deal)

    monkeypatch.setattr(house, "choose", slow)
    table = Table(
        "house/0", game, 10**6, 2, [HouseSeat("house") for _ in range(players)],
        Referee(CONTROL, itertools.count(1)),
        lambda number: dealt(bytes([number]) * 32, game, dealer_of(number, players)), keep,
    )  # fmt: skip
    await table.play()
    assert len(kept) == 2
    assert {one for deal in kept for seat in deal.thinking_s for one in seat} == {0.0}
    assert {(one.bank_s, one.forfeited) for deal in kept for one in deal.standings} == {(CONTROL.bank_s, False)}
    assert [deal.faults for deal in kept] == [(), ()]
