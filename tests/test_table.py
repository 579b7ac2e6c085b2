"""A match at a table of scripted seats."""

import json

import pytest
import trio
import trio.testing

from arena.rules.catalogue import VARIANTS
from arena.rules.record import DEAL, game_fields
from arena.rules.replay import replay_line
from arena.seat import OpenRequest
from arena.table import PlayedDeal
from tests.conftest import MakeTable
from tests.fakes import FakeSeat, lowest


@pytest.mark.parametrize(
    ("variant", "players"), [(one.name, n) for one in VARIANTS.values() for n in (one.players[0], one.players[-1])]
)
async def test_every_variant_plays_to_its_target_and_its_records_replay(
    make_table: MakeTable,
    kept: list[PlayedDeal],
    autojump_clock: trio.testing.MockClock,
    variant: str,
    players: int,
) -> None:
    seats = [FakeSeat(name=f"bot {seat}") for seat in range(players)]
    table = make_table(seats, variant=variant, max_deals=40)
    result = await table.play()
    assert result.match.end in ("target", "max_deals")
    for deal in kept:
        found = replay_line(json.dumps(game_fields(table.rules, DEAL) | deal.record))
        assert (found["ok"], found["complete"], found["points"]) == (True, True, list(deal.points))
    assert [sum(column) for column in zip(*(deal.points for deal in kept), strict=True)] == result.match.totals
    assert min(result.places) == 1
    assert all(len(seat.overs) == 1 and len(seat.deals) == len(kept) for seat in seats)


class AtOnce(FakeSeat):
    """It has answered before it is asked to the end."""

    def ask(self, request: OpenRequest) -> None:
        self.requests.append(request)
        request.hear(lowest(request), trio.current_time())


@pytest.mark.parametrize("players", [4, 10])
async def test_seats_that_answer_while_they_are_asked_are_asked_once(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, players: int
) -> None:
    seats = [AtOnce() for _ in range(players)]
    await make_table(seats, variant="hearts" if players > 4 else "classic", max_deals=1).play()
    table = make_table([FakeSeat() for _ in range(players)], variant=seats[0].starts[0].rules.name, max_deals=1)
    await table.play()
    assert kept[0].record == kept[1].record
    decisions = sorted(request.decision for seat in seats for request in seat.requests)
    assert decisions == list(range(1, len(decisions) + 1))
    assert [len(seat.requests) for seat in seats] == [len(seat.accepted) for seat in seats]


async def test_a_resumed_match_ends_as_the_uninterrupted_one(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    whole = await make_table([FakeSeat() for _ in range(4)]).play()
    for cut in range(1, len(kept)):
        earlier, before = kept[:cut], list(kept)
        table = make_table([FakeSeat() for _ in range(4)])
        for deal in earlier:
            table.resume(deal.points, deal.standings)
        resumed = await table.play()
        assert resumed.match.totals == whole.match.totals
        assert resumed.places == whole.places
        del kept[len(before) :]


async def test_the_next_deal_waits_until_the_last_is_durable(
    make_table: MakeTable, autojump_clock: trio.testing.MockClock
) -> None:
    seats = [FakeSeat() for _ in range(4)]
    table = make_table(seats, max_deals=2)
    allowed = trio.Event()
    numbers: list[int] = []

    async def keep(deal: PlayedDeal) -> None:
        numbers.append(deal.number)
        await allowed.wait()

    table.keep = keep
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.play)
        await trio.testing.wait_all_tasks_blocked()
        assert numbers == [0]
        assert {request.view.number for seat in seats for request in seat.requests} == {0}
        allowed.set()
    assert numbers == [0, 1]
