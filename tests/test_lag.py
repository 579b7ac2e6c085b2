"""How late the arena's own loop is, on a clock that jumps."""

import pytest
import trio
import trio.testing

from arena.lag import LagMeter

PERIOD_S, THRESHOLD_S = 0.25, 0.5  # and all times of these tests are sums of powers of two, so that they are exact


def meter() -> LagMeter:
    return LagMeter(PERIOD_S, THRESHOLD_S)


async def block(clock: trio.testing.MockClock, late_s: float) -> None:
    """The loop comes back so much later than the meter wanted to be woken."""
    await trio.testing.wait_all_tasks_blocked()
    clock.jump(PERIOD_S + late_s)


@pytest.mark.parametrize("late_s", [0.0, 0.25, THRESHOLD_S, 0.625, 64.0])
async def test_a_delay_that_is_worth_speaking_of_counts_in_full_and_a_lesser_one_not_at_all(
    mock_clock: trio.testing.MockClock, late_s: float
) -> None:
    lag = meter()
    counts = late_s > THRESHOLD_S
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lag.watch)
        await block(mock_clock, late_s)
        told_at_once = lag.total_s(trio.current_time())  # before the meter itself has been woken
        await trio.testing.wait_all_tasks_blocked()
        assert told_at_once == lag.total_s(trio.current_time()) == (late_s if counts else 0.0)
        assert lag.events == counts
        nursery.cancel_scope.cancel()


async def test_delays_add_up(mock_clock: trio.testing.MockClock) -> None:
    lag = meter()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lag.watch)
        for late_s in (1.0, 0.125, 2.0, 0.5):
            await block(mock_clock, late_s)
        await block(mock_clock, 4.0)
        assert lag.total_s(trio.current_time()) == 7.0  # the last of them is not over yet
        await trio.testing.wait_all_tasks_blocked()
        assert (lag.total_s(trio.current_time()), lag.events) == (7.0, 3)
        nursery.cancel_scope.cancel()


async def test_time_counts_only_while_the_meter_is_watching(mock_clock: trio.testing.MockClock) -> None:
    lag = meter()
    assert lag.total_s(1e9) == 0.0
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lag.watch)
        await block(mock_clock, 1.0)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert lag.total_s(1e9) == 1.0


async def test_a_loop_that_is_in_time_loses_nothing_however_long_it_runs(
    autojump_clock: trio.testing.MockClock,
) -> None:
    lag = meter()
    with trio.move_on_after(1000.0):
        await lag.watch()
    assert (lag.total_s(trio.current_time()), lag.events) == (0.0, 0)
