"""The progress of a run: a live bar on a terminal, plain lines elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass, field

import trio
from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from arena.gateway.server import Gateway
from arena.league.runner import Runner

LIVE_EVERY_S = 0.5
LINE_EVERY_S = 10.0
NEWS = 40  # lines between two reports; a bot that comes and goes all night is not to fill the log


@dataclass(slots=True)
class Progress:
    """Shows a runner. `say` prints one line."""

    say: Callable[[str], None]
    console: Console = field(default_factory=lambda: Console(stderr=True))
    runner: Runner | None = None  # of the league that is played now
    _news: int = 0
    _began: float = 0.0
    _live: Live | None = None
    _finished_before: int = 0
    _closed: bool = False

    def tell(self, news: str) -> None:
        """A line about a bot."""
        self._news += 1
        if self._closed:
            return
        if self._news <= NEWS:
            self.say(f"  {news}")
        elif self._news == NEWS + 1:
            self.say("  … more news of this kind is left out")

    async def show(self, gateway: Gateway) -> None:
        """Report for ever."""
        self._live = (
            Live(console=self.console, auto_refresh=False, transient=True) if self.console.is_terminal else None
        )
        if self._live:
            self._live.start()
        shown: Runner | None = None
        since, counted = trio.current_time(), 0
        while True:
            await trio.sleep(LIVE_EVERY_S if self._live else LINE_EVERY_S)
            self._news = 0
            runner, now = self.runner, trio.current_time()
            if runner is None:
                continue
            if runner is not shown:
                shown, counted = runner, 0
                self._began, self._finished_before = since, runner.finished
            rate = (runner.decisions.count - counted) / (now - since)
            since, counted = now, runner.decisions.count
            if self._live:
                self._live.update(self._grid(runner, gateway, rate, now), refresh=True)
            else:
                self.say(self._line(runner, rate, now))

    def finish(self) -> None:
        """A league has been played to its end, or as far as this run goes."""
        runner = self.runner
        if runner is None:
            return
        self.say(
            f"{runner.league.name}: {runner.finished} of {runner.total} matches finished,"
            f" {runner.decisions.count} decisions in this run"
        )
        if runner.lag.events:
            late = f"{runner.lag.events} times, {runner.lag.total_s:.1f} s in all"
            self.say(f"the arena itself was late {late}; no bot was charged for it")
        self.runner = None

    def close(self) -> None:
        """Nothing more is told; of a league that was interrupted, where it stands."""
        self._closed = True
        if self._live:
            self._live.stop()
        self.finish()

    def _left(self, runner: Runner, now: float) -> str:
        """Time left at the pace so far: ``"about 3 min"``."""
        done = runner.finished - self._finished_before
        if not done:
            return "time left unknown"
        seconds = (now - self._began) / done * (runner.total - runner.finished)
        return f"about {seconds:.0f} s left" if seconds < 120 else f"about {seconds / 60:.0f} min left"

    def _line(self, runner: Runner, rate: float, now: float) -> str:
        away = f"; waiting for {', '.join(runner.waiting_for)}" if runner.waiting_for else ""
        faults = f"; faults: {_counts(runner)}" if runner.faults else ""
        return (
            f"{runner.finished}/{runner.total} matches, {len(runner.playing)} tables in play,"
            f" {rate:.0f} decisions/s, {self._left(runner, now)}{faults}{away}"
        )

    def _grid(self, runner: Runner, gateway: Gateway, rate: float, now: float) -> Grid:
        grid = Grid.grid(padding=(0, 2))
        deals = sum(table.match.deals for table in runner.playing.values())
        grid.add_row(
            Text("matches"),
            ProgressBar(total=max(1, runner.total), completed=runner.finished, width=40),
            Text(f"{runner.finished}/{runner.total}"),
            Text(self._left(runner, now)),
        )
        grid.add_row(
            Text("tables"),
            Text(f"{len(runner.playing)} in play, {deals} deals in them so far"),
            Text(f"{rate:.0f}/s"),
            Text("decisions"),
        )
        for name in runner.league.entrants[: runner.league.ranked][:20]:
            player = gateway.players.get(name)
            here = player is not None and player.connected
            state = f"at {runner.busy[name]} tables" if here else (player.last_reason if player else "never connected")
            faults = f"{runner.faults[name]} faults" if runner.faults[name] else ""
            grid.add_row(Text(name), Text(state, style="" if here else "yellow"), Text(faults, style="red"), Text(""))
        return grid


def _counts(runner: Runner) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(runner.faults.items()))
