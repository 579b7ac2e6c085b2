"""Only a bank without time keeps a bot from being asked, however small the limit for one answer is."""

import pytest
import trio.testing

from arena.clock import LEAST_S, TimeControl
from arena.table import PlayedDeal
from tests.conftest import MakeTable
from tests.fakes import FakeSeat, silent


@pytest.mark.parametrize("move_s", [LEAST_S / 2, LEAST_S, 1.0])
@pytest.mark.parametrize("bank_s", [LEAST_S / 2, LEAST_S, 20.0])
async def test_who_has_time_in_the_bank_is_asked(
    make_table: MakeTable, kept: list[PlayedDeal], autojump_clock: trio.testing.MockClock, move_s: float, bank_s: float
) -> None:
    bots = [FakeSeat(silent), *(FakeSeat() for _ in range(3))]
    control = TimeControl(move_s=move_s, bank_s=bank_s, increment_s=0.0)
    await make_table(bots, control=control, max_deals=1).play()
    asked = bank_s >= LEAST_S
    reasons = [fault.reason for fault in kept[0].faults if fault.seat == 0]
    assert bool(bots[0].requests) is asked
    assert reasons[0].startswith("no answer within") is asked
    assert reasons[0].startswith("not asked, as the bank has no time left") is not asked
