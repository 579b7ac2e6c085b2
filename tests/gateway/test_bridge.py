"""Two loops in one thread."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading

import pytest
import trio

from arena.gateway.bridge import Bridge, run


def test_the_result_of_main_comes_back() -> None:
    async def main(bridge: Bridge) -> int:
        return 7

    assert run(main) == 7


def test_an_error_of_main_is_raised() -> None:
    async def main(bridge: Bridge) -> None:
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        run(main)


def test_a_coroutine_of_the_other_loop_gives_its_result_and_its_exception() -> None:
    async def double(number: int) -> int:
        await asyncio.sleep(0)
        return 2 * number

    async def fail() -> None:
        raise LookupError("theirs")

    async def main(bridge: Bridge) -> int:
        with pytest.raises(LookupError, match="theirs"):
            await bridge.aio(fail())
        return await bridge.aio(double(4))

    assert run(main) == 8


def test_a_cancelled_wait_cancels_the_coroutine_and_waits_for_its_clean_up() -> None:
    told: list[str] = []
    bridges: list[Bridge] = []
    started = trio.Event()

    async def wait() -> None:
        try:
            started.set()
            bridges[0].wake()
            await asyncio.get_running_loop().create_future()
        finally:
            await asyncio.sleep(0)
            told.append("cleaned up")

    async def main(bridge: Bridge) -> bool:
        bridges.append(bridge)
        with trio.CancelScope() as scope:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(bridge.aio, wait())
                await started.wait()
                scope.cancel()
        return scope.cancelled_caught

    assert run(main)
    assert told == ["cleaned up"]


def test_worker_threads_and_sockets_wake_a_parked_arena() -> None:
    async def main(bridge: Bridge) -> tuple[int, bytes]:
        here, there = trio.socket.socketpair()
        with here, there:
            number = await trio.to_thread.run_sync(lambda: 3)
            async with trio.open_nursery() as nursery:

                async def later() -> None:
                    await trio.to_thread.run_sync(lambda: None)
                    await here.send(b"x")

                nursery.start_soon(later)
                data = await there.recv(1)
            return number, data

    assert run(main) == (3, b"x")


def test_no_result_of_a_thread_is_missed_however_it_falls() -> None:
    """It may come while trio looks for the last time before it is parked."""

    async def main(bridge: Bridge) -> int:
        done = 0
        with trio.fail_after(20):
            for _ in range(2000):
                await trio.to_thread.run_sync(lambda: None)
                done += 1
        return done

    assert run(main) == 2000


def test_deadlines_ring_also_when_a_nearer_one_comes_later() -> None:
    async def main(bridge: Bridge) -> bool:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.sleep, 3600)
            await trio.lowlevel.checkpoint()
            with trio.move_on_after(0.01) as scope:
                await trio.sleep_forever()
            nursery.cancel_scope.cancel()
        return scope.cancelled_caught

    assert run(main)


def test_runs_follow_each_other_and_leave_no_thread() -> None:
    async def main(bridge: Bridge) -> None:
        await bridge.aio(asyncio.sleep(0))

    run(main)
    before = threading.active_count()
    for _ in range(20):
        run(main)
    assert threading.active_count() <= before


def test_sigint_cancels_the_arena_which_cleans_up() -> None:
    told = []

    async def main(bridge: Bridge) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await trio.sleep_forever()
        finally:
            told.append("cleaned up")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run(main)
    assert told == ["cleaned up"]
    assert signal.getsignal(signal.SIGINT) is before


def test_sigterm_ends_with_its_exit_status() -> None:
    async def main(bridge: Bridge) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await trio.sleep_forever()

    with pytest.raises(SystemExit) as ended:
        run(main)
    assert ended.value.code == 128 + signal.SIGTERM


def test_a_result_in_spite_of_a_signal_is_a_result() -> None:
    async def main(bridge: Bridge) -> str:
        os.kill(os.getpid(), signal.SIGTERM)
        with trio.CancelScope(shield=True):
            await bridge.aio(asyncio.sleep(0.01))
        return "done"

    assert run(main) == "done"


def test_the_second_signal_is_final() -> None:
    program = """
import os, signal, trio
from arena.gateway.bridge import run

async def main(bridge):
    os.kill(os.getpid(), signal.SIGTERM)
    try:
        await trio.sleep_forever()
    finally:
        with trio.CancelScope(shield=True):
            os.kill(os.getpid(), signal.SIGTERM)
            await trio.sleep_forever()

run(main)
"""
    ended = subprocess.run([sys.executable, "-c", program], timeout=30, check=False)
    assert ended.returncode == -signal.SIGTERM


def test_trio_does_not_run_for_nothing() -> None:
    """A reader on the other side wakes it after each frame, most of which are no business of its tasks."""
    steps: list[object] = []

    class Steps(trio.abc.Instrument):
        def before_io_wait(self, timeout: float) -> None:
            steps.append(timeout)

    async def read(bridge: Bridge, event: trio.Event) -> int:
        for _ in range(5):
            await asyncio.sleep(0)  # until it is parked
        before = len(steps)
        for _ in range(100):
            bridge.wake()
            await asyncio.sleep(0)
        ran = len(steps) - before
        event.set()
        bridge.wake()
        return ran

    async def main(bridge: Bridge) -> int:
        trio.lowlevel.add_instrument(Steps())
        event = trio.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(event.wait)
            return await bridge.aio(read(bridge, event))

    assert run(main) == 0


def test_what_is_read_had_come_before_the_loop_was_busy_with_something_else() -> None:
    """So that nobody's thinking is charged for it; and it came after it was sent, however busy the loop was before."""

    async def read(bridge: Bridge) -> tuple[float, float, float]:
        here, there = socket.socketpair()
        with here, there:
            readable = asyncio.Event()
            busy: list[float] = []

            def work() -> None:
                busy.append(bridge.now())
                while bridge.now() < busy[-1] + 0.02:
                    pass

            def found() -> None:
                bridge.loop.call_soon(work)  # before the reader
                readable.set()

            bridge.loop.add_reader(here, found)
            work()
            sent = bridge.now()
            there.send(b"x")
            await readable.wait()
            bridge.loop.remove_reader(here)
            return sent, bridge.came_by(), busy[1]

    async def main(bridge: Bridge) -> tuple[float, float, float]:
        return await bridge.aio(read(bridge))

    sent, came, busy = run(main)
    assert sent <= came <= busy


def test_what_is_read_has_come_after_it_was_sent_also_when_it_came_while_the_loop_was_turning() -> None:
    """gRPC's own thread leaves what it has where the loop finds it whenever it comes by."""

    async def read(bridge: Bridge) -> tuple[float, float]:
        here, there = socket.socketpair()
        with here, there:
            readable = asyncio.Event()
            left: list[float] = []

            def come_by() -> None:
                if left:
                    readable.set()

            bridge.loop.add_reader(here, come_by)

            def leave() -> None:
                until = bridge.now() + 0.02
                while bridge.now() < until:
                    pass
                left.append(bridge.now())

            there.send(b"x")
            bridge.loop.call_soon(leave)  # which the loop gets to before the reader, in one turn
            await readable.wait()
            bridge.loop.remove_reader(here)
            return left[0], bridge.came_by()

    async def main(bridge: Bridge) -> tuple[float, float]:
        return await bridge.aio(read(bridge))

    sent, came = run(main)
    assert sent <= came
