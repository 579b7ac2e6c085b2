"""What a seat carries from deal to deal, over an interruption, and into its place."""

import pytest
import trio.testing

from arena.clock import TimeControl
from arena.fault import Consequence, Kind
from arena.rules.match import places
from arena.table import WALK_OVER, PlayedDeal, Standing
from tests.conftest import MakeTable
from tests.fakes import FakeSeat, Says, illegal, legal

CONTROL = TimeControl(move_s=2.0, bank_s=60.0, increment_s=0.0, grace_s=5.0, credit_s=0.05)
STANDINGS = (
    Standing(bank_s=60.0, grace_s=5.0, strikes=0, stops=0, forfeited=False),
    Standing(bank_s=31.5, grace_s=0.0, strikes=2, stops=1, forfeited=False),
    Standing(bank_s=0.5, grace_s=1.25, strikes=1, stops=0, forfeited=False),
    Standing(bank_s=0.0, grace_s=4.0, strikes=3, stops=2, forfeited=True),
)


async def test_a_resumed_match_goes_on_with_the_clocks_and_faults_of_each_seat(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    seats = [FakeSeat() for _ in range(4)]
    table = make_table(seats, control=CONTROL, max_deals=2)
    table.resume((20, 0, 6, 0), STANDINGS)
    result = await table.play()
    (deal,) = kept
    assert deal.number == 1
    assert deal.standings == STANDINGS  # who answers at once, or is not asked, loses nothing
    assert [bool(seat.requests) for seat in seats] == [True, True, True, False]
    assert result.match.totals == [own + before for own, before in zip(deal.points, (20, 0, 6, 0), strict=True)]
    assert result.forfeited == (False, False, False, True)
    assert [seat.overs[0].forfeited for seat in seats] == list(result.forfeited)


async def test_a_resumed_seat_has_as_few_faults_left_as_it_had(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    """The third strike and the second stopped deal count over the interruption."""
    for script, seat in ((lambda request, attempt: Says(None), 1), (illegal, 1), (legal, 1)):
        kept.clear()
        seats = [FakeSeat() for _ in range(4)]
        seats[seat].script = script
        table = make_table(seats, control=CONTROL, max_deals=2)
        table.resume((20, 0, 6, 0), STANDINGS)
        result = await table.play()
        assert result.forfeited[seat] is (script is not legal)
        assert [fault.consequence for fault in kept[0].faults][-1:] == [Consequence.STAND_IN] * (script is not legal)


async def test_the_faults_and_the_thinking_of_a_deal_are_written_down_with_it_only(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    seat = FakeSeat(
        lambda request, attempt: Says((99,)) if len(seat.requests) == 1 and not attempt else legal(request, 0)
    )
    await make_table([FakeSeat(), FakeSeat(), seat, FakeSeat()], control=CONTROL, max_deals=3).play()
    assert [[fault.deal for fault in deal.faults] for deal in kept] == [[0], [], []]
    assert [[len(own) for own in deal.thinking_s] for deal in kept] == [[14] * 4] * 3


@pytest.mark.parametrize("lost", [(), (0,), (2, 3), (0, 1, 2, 3)])
async def test_who_lost_the_right_to_play_is_placed_behind_all_others_and_by_points_among_themselves(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, lost: tuple[int, ...]
) -> None:
    seats = [FakeSeat() for _ in range(4)]
    table = make_table(seats, max_deals=1)
    for seat in lost:
        table.players[seat].forfeited = True
    result = await table.play()
    totals = result.match.totals
    behind = [total + 1000 * (seat in lost) for seat, total in enumerate(totals)]
    assert result.places == places(behind)
    for one in seats:
        (over,) = one.overs
        assert (list(over.totals), over.places, over.chips) == (totals, result.places, result.match.chips)


async def test_everybody_hears_what_is_written_down(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    seats = [FakeSeat(), FakeSeat(illegal), FakeSeat(), FakeSeat()]
    await make_table(seats, control=CONTROL, max_deals=4).play()
    assert len(kept) == 4
    for number, seat in enumerate(seats):
        heard = [(over.number, over.points, over.moon, over.stopped, over.view.seat) for over in seat.deals]
        assert heard == [
            (deal.number, deal.points, deal.moon, 1 if deal.record["stopped"] else None, number) for deal in kept
        ]


async def test_a_walk_over_is_one_fault_of_the_next_deal_and_the_house_plays_on(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock
) -> None:
    seats = [FakeSeat() for _ in range(4)]
    table = make_table(seats, max_deals=3)
    table.resume((20, 0, 6, 0), STANDINGS)
    for seat in (2, 2, 3):  # the last has lost its right to play before
        table.walk_over(seat)
    result = await table.play()
    (fault,) = kept[0].faults
    assert kept[1].faults == ()
    assert (fault.seat, fault.deal, fault.trick, fault.decision) == (2, 1, None, 0)
    assert (fault.kind, fault.consequence, fault.reason) == (Kind.UNREACHABLE, Consequence.STAND_IN, WALK_OVER)
    assert (fault.clause, fault.answer, fault.limit_s, fault.measured_s, fault.lag_s) == ("", "", 0.0, 0.0, 0.0)
    assert (fault.sent_s, fault.came_s) == (None, None)
    assert not seats[2].requests
    assert result.forfeited == (False, False, True, True)
