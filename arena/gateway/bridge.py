"""Two event loops in one thread: asyncio hosts grpc.aio and nothing else, trio runs the arena as its guest.

This is the one file that knows both. Code on asyncio's side (the streams' callbacks) may touch the arena's state, for
there is only one thread, and calls `Bridge.wake` afterwards, so that trio looks at what it has to do.

trio as a guest waits for I/O in a thread, and going there and back costs far more than a question. So when trio has
nothing to do, its next tick is *parked* here, until `wake`, its next deadline, or an event on its own epoll, which
asyncio watches with everything else. This takes trio's public hooks (the clock, and how a tick is scheduled) and two
private names, the epoll and the events that a tick begins with; where they are not as we know them, trio waits in its
thread as it always did.
"""

import asyncio
import contextlib
import math
import select
import selectors
import signal
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from time import monotonic
from typing import Final, NoReturn, TypeVar, cast

import outcome
import trio
from trio._core import _run

T = TypeVar("T")


class _Clock(trio.abc.Clock):
    """`time.monotonic`, as asyncio's. trio asks it how long to wait when no task can run: then the tick is parked."""

    __slots__ = ("deadline", "idle", "parks")

    def __init__(self) -> None:
        self.parks = False  # we are told of trio's I/O, so that it need not wait for it
        self.idle = False  # the next tick has nothing to do before …
        self.deadline = 0.0

    def start_clock(self) -> None:
        """Nothing: it always runs."""

    def current_time(self) -> float:
        return monotonic()

    def deadline_to_sleep_time(self, deadline: float) -> float:
        left = deadline - monotonic()
        if self.parks and left > 0:
            self.idle = True
            self.deadline = deadline
            return 0  # "do not wait in the thread"
        return left


def _trio_io() -> int | None:
    """The file that is readable when trio's I/O has news; None where trio does not have it as we know it."""
    runner = getattr(_run.GLOBAL_RUN_CONTEXT, "runner", None)
    epoll = getattr(getattr(runner, "io_manager", None), "_epoll", None)
    state = getattr(_run, "GuestState", None)
    if hasattr(select, "epoll") and isinstance(epoll, select.epoll) and hasattr(state, "unrolled_run_next_send"):
        return epoll.fileno()
    return None


def _has_events(tick: Callable[[], object]) -> bool:
    """Whether the tick begins with events: trio has looked once more, and they will not be told again."""
    state = getattr(tick, "__self__", None)
    assert isinstance(state, _run.GuestState), "trio's guest mode is not as we know it"
    events = state.unrolled_run_next_send
    return not isinstance(events, outcome.Value) or bool(events.value)


class _Selector(selectors.DefaultSelector):
    """asyncio's, which notes when it looked for input."""

    looked = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(timeout)
        self.looked = monotonic()
        return found


class Bridge(trio.abc.Instrument):
    """What the arena's tasks see of the loop below them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, selector: _Selector) -> None:
        self.loop: Final = loop
        self._selector: Final = selector
        self.now: Final[Callable[[], float]] = monotonic  # trio's clock, from either side
        self._clock = _Clock()
        self._parked: Callable[[], object] | None = None
        self._scheduled = False  # a task, since the tick was parked
        self._alarm: asyncio.TimerHandle | None = None  # for the earliest deadline
        self._scope = trio.CancelScope()
        self._signal: signal.Signals | None = None

    async def aio(self, coroutine: Coroutine[object, object, T]) -> T:
        """From trio: run a coroutine on asyncio's side; its result, or its exception is raised here.

        Where the calling task is cancelled, the coroutine is cancelled and awaited first.
        """
        waiting = trio.lowlevel.current_task()
        task = self.loop.create_task(coroutine)
        cancelled: Callable[[], NoReturn] | None = None

        def give_back(done: asyncio.Task[T]) -> None:
            result: outcome.Outcome[T]
            if done.cancelled():
                result = outcome.Error(asyncio.CancelledError())
            else:
                error = done.exception()
                result = outcome.Value(done.result()) if error is None else outcome.Error(error)
            trio.lowlevel.reschedule(waiting, result)
            self.wake()

        def abort(raise_cancel: Callable[[], NoReturn]) -> trio.lowlevel.Abort:
            nonlocal cancelled
            cancelled = raise_cancel
            task.cancel()
            return trio.lowlevel.Abort.FAILED  # `give_back` wakes us, when the coroutine has cleaned up

        task.add_done_callback(give_back)
        try:
            result: T = await trio.lowlevel.wait_task_rescheduled(abort)
        except asyncio.CancelledError:
            if cancelled is not None:
                cancelled()
            raise
        return result

    def came_by(self) -> float:
        """For who reads a stream: when at the latest came what is read now. Since then it has waited only for us."""
        # A reader goes on one turn of the loop after what it waits for was found, and so before the loop looked again.
        return self._selector.looked

    def wake(self) -> None:
        """From asyncio's side: trio may have something to do. Cheap, and any number of times."""
        if self._scheduled:
            self._unpark()

    def task_scheduled(self, _task: trio.lowlevel.Task) -> None:
        """As an instrument of trio's: so it has. Deadlines are moved by its own tasks only."""
        self._scheduled = True

    def _unpark(self) -> None:
        parked = self._parked
        if parked is not None:
            self._parked = None
            self.loop.call_soon(parked)

    def _schedule(self, tick: Callable[[], object]) -> None:
        """trio wants its next tick soon: at once if it has work, else when there is some."""
        clock = self._clock
        if not clock.idle:
            self.loop.call_soon(tick)
            return
        clock.idle = False
        if _has_events(tick):
            self.loop.call_soon(tick)
            return
        self._parked = tick
        self._scheduled = False
        alarm = self._alarm
        if clock.deadline != math.inf and (alarm is None or clock.deadline < alarm.when()):
            if alarm is not None:
                alarm.cancel()
            self._alarm = self.loop.call_at(clock.deadline, self._ring)

    def _ring(self) -> None:
        """A deadline is over, or would be if it had not been moved."""
        self._alarm = None
        self._unpark()

    def _interrupt(self, number: signal.Signals) -> None:
        """First signal: the arena is cancelled and cleans up. Second: the process ends at once."""
        if self._signal is not None:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        self._signal = number
        self._scope.cancel()
        self.wake()

    @contextlib.contextmanager
    def _listening(self) -> Iterator[None]:
        """In trio: be told of its I/O, so that it can be parked."""
        file = _trio_io()
        if file is None:
            yield
            return
        self.loop.add_reader(file, self._unpark)
        self._clock.parks = True
        try:
            yield
        finally:
            self._clock.parks = False
            self.loop.remove_reader(file)
            if self._alarm is not None:
                self._alarm.cancel()

    async def host(self, main: "Callable[[Bridge], Awaitable[T]]") -> outcome.Outcome[T] | signal.Signals:
        """On asyncio's side: run the arena as a guest; its outcome, or the signal that ended it."""
        ended: asyncio.Future[outcome.Outcome[T | signal.Signals]] = self.loop.create_future()

        async def guest() -> T | signal.Signals:
            with self._scope, self._listening():
                return await main(self)
            assert self._signal is not None, "nothing else cancels the arena"
            return self._signal

        with contextlib.ExitStack() as stack:
            if threading.current_thread() is threading.main_thread():
                for number in (signal.SIGINT, signal.SIGTERM):
                    stack.callback(signal.signal, number, signal.getsignal(number))
                    self.loop.add_signal_handler(number, self._interrupt, number)
                    stack.callback(self.loop.remove_signal_handler, number)
            trio.lowlevel.start_guest_run(
                guest,
                run_sync_soon_threadsafe=self.loop.call_soon_threadsafe,
                run_sync_soon_not_threadsafe=self._schedule,
                done_callback=ended.set_result,
                host_uses_signal_set_wakeup_fd=True,
                clock=self._clock,
                instruments=(self,),
            )
            result = await ended
        if isinstance(result, outcome.Value) and isinstance(result.value, signal.Signals):
            return result.value
        return cast(outcome.Outcome[T], result)


def run(main: Callable[[Bridge], Awaitable[T]]) -> T:
    """Run ``main`` in trio on a new asyncio loop; its result.

    SIGINT and SIGTERM cancel it once; KeyboardInterrupt or SystemExit(143) is raised when it has cleaned up, unless it
    gives a result all the same. A second signal ends the process.
    """

    selector = _Selector()

    async def host() -> outcome.Outcome[T] | signal.Signals:
        return await Bridge(asyncio.get_running_loop(), selector).host(main)

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selector)) as runner:
        result = runner.run(host())
    if result is signal.SIGINT:
        raise KeyboardInterrupt
    if isinstance(result, signal.Signals):
        raise SystemExit(128 + result)
    return result.unwrap()
