"""The progress of a run: a live bar on a terminal, plain lines elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import trio
from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from arena.cli.words import count, duration
from arena.gateway.server import Gateway
from arena.league.runner import Runner

LIVE_EVERY_S = 0.5
LINE_EVERY_S = 10.0
NEWS = 40  # lines between two reports; a bot that comes and goes all night is not to fill the log
LISTED = 20  # bots that are shown one by one


def heard_or_not(say: Callable[[str], None]) -> Callable[[str], None]:
    """The same for a run, which depends on no reader: where a line cannot be printed, nothing more is.

    A terminal is closed, a disk is full, the other end of a pipe has gone.
    """
    deaf = False

    def say_on(line: str) -> None:
        nonlocal deaf
        if not deaf:
            try:
                say(line)
            except OSError:
                deaf = True

    return say_on


@dataclass(slots=True)
class Progress:
    """Shows a runner. `say` prints one line."""

    say: Callable[[str], None]
    console: Console = field(default_factory=lambda: Console(stderr=True))
    runner: Runner | None = None  # of the league that is played now
    several: bool = False  # leagues are played, which are to be told apart
    extra: Callable[[], str] | None = None  # a line of its own about what is played
    _news: int = 0
    _began: float = 0.0
    _live: Live | None = None
    _finished_before: int = 0
    _closed: bool = False

    def follow(self, runner: Runner) -> None:
        """This one is played from now on, or again; the pace is that since now."""
        if self.runner is not runner:
            self.runner = runner
            self._began, self._finished_before = trio.current_time(), runner.finished

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
        if self.console.is_terminal:
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._on_screen(self._live.start)
        since, counted = trio.current_time(), dict[str, int]()  # decisions, by league
        while True:
            await trio.sleep(LIVE_EVERY_S if self._live else LINE_EVERY_S)
            self._news = 0
            runner, now = self.runner, trio.current_time()
            if runner is None:
                continue
            name, asked = runner.league.name, runner.decisions.count
            rate = (asked - counted.get(name, 0)) / (now - since)
            since, counted[name] = now, asked
            if self._live:
                self._on_screen(partial(self._live.update, self._grid(runner, gateway, rate, now), refresh=True))
            else:
                self.say(self._line(runner, rate, now))

    def finish(self) -> None:
        """A league has been played to its end, or as far as this run goes."""
        runner = self.runner
        if runner is None:
            return
        for line in summary(runner):
            self.say(line)
        self.runner = None

    def close(self) -> None:
        """Nothing more is told; of a league that was interrupted, where it stands."""
        self._closed = True
        if self._live:
            self._on_screen(self._live.stop)
        self.finish()

    def _on_screen(self, draw: Callable[[], None]) -> None:
        """A terminal that is closed meanwhile is no reason to stop playing."""
        try:
            draw()
        except OSError:
            self._live = None

    def _left(self, runner: Runner, now: float) -> str:
        """Time left at the pace so far, and of the run: ``"about 3 min left; the run ends in 7 h 12 min"``."""
        done, open_ = runner.finished - self._finished_before, runner.total - runner.finished
        said = f"about {duration((now - self._began) / done * open_)} left" if done else "time left unknown"
        left = runner.budget.left_s()
        if runner.over:
            return "the time is over, matches in play may finish"
        return said if runner.budget.endless else f"{said}; the run ends in {duration(left)}"

    def _waiting(self, runner: Runner) -> str:
        """Who is waited for, and whether anything else is going on."""
        names = _missing(runner)
        if not names or runner.over:
            return ""
        only = "" if runner.playing else "nothing else can be played: "
        return f"{only}waiting for {', '.join(names[:LISTED])}" + (" …" if len(names) > LISTED else "")

    def _line(self, runner: Runner, rate: float, now: float) -> str:
        league = f"{runner.league.name}: " if self.several else ""
        parts = [
            f"{league}{runner.finished}/{runner.total} matches, {count(len(runner.playing), 'table')} in play,"
            f" {rate:.0f} decisions/s, {self._left(runner, now)}"
        ]
        if runner.faults:
            parts.append(f"faults: {_counts(runner.faults)} ({_counts(runner.kinds)})")
        if waiting := self._waiting(runner):
            parts.append(waiting)
        if self.extra:
            parts.append(self.extra())
        return "; ".join(parts)

    def _grid(self, runner: Runner, gateway: Gateway, rate: float, now: float) -> Grid:
        grid = Grid.grid(padding=(0, 2))
        deals = sum(table.match.deals for table in runner.playing.values())
        grid.add_row(
            Text(f"matches of {runner.league.name}" if self.several else "matches"),
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
        if runner.kinds:
            grid.add_row(Text("faults"), Text(_counts(runner.kinds), style="red"), Text(""), Text(""))
        if self.extra:
            grid.add_row(Text(""), Text(self.extra()), Text(""), Text(""))
        if waiting := self._waiting(runner):
            grid.add_row(Text(""), Text(waiting, style="yellow"), Text(""), Text(""))
        # Those who are away or at fault first: of a hundred bots they are the ones to look at.
        players = list(dict.fromkeys(runner.league.players[: runner.league.ranked]))
        players.sort(key=lambda name: (runner.roster.capacity(name) > 0, -_faults(runner, name)))
        for name in players[:LISTED]:
            player = gateway.players.get(name)
            here = player is not None and player.connected
            state = f"at {runner.busy[name]} tables" if here else (player.last_reason if player else "never connected")
            faults = f"{_faults(runner, name)} faults" if _faults(runner, name) else ""
            grid.add_row(Text(name), Text(state, style="" if here else "yellow"), Text(faults, style="red"), Text(""))
        if len(players) > LISTED:
            grid.add_row(Text(""), Text(f"… and {len(players) - LISTED} more bots"), Text(""), Text(""))
        return grid


def summary(runner: Runner) -> list[str]:
    """Where a league stands when its run has ended: lines."""
    lines = [
        f"{runner.league.name}: {runner.finished} of {runner.total} matches finished,"
        f" {runner.decisions.count} decisions in this run"
    ]
    if left := runner.total - runner.finished:
        why = "the time is over: " if runner.over else ""
        begun = f", {runner.parked} of them begun and put aside at their last deal" if runner.parked else ""
        lines.append(
            f"  {why}not played: {count(left, 'match')}{begun}; they count for nobody, and the next run plays them"
        )
        if away := _missing(runner):
            lines.append(f"  away: {', '.join(away)}")
    if runner.walked_over:
        lines.append(
            f"  walk-overs: {count(runner.walked_over, 'match')}; bots that were away are placed behind others"
        )
    if runner.kinds:
        lines.append(f"  faults of bots: {_counts(runner.faults)} ({_counts(runner.kinds)})")
    if runner.failures:
        lines.append(f"  the arena's own faults: {runner.failures.total()}; their matches were played again")
    if runner.lag.events:
        late = f"{count(runner.lag.events, 'time')}, {runner.lag.total_s(trio.current_time()):.1f} s in all"
        lines.append(f"  the arena itself was late {late}; no bot was charged for it")
    return lines


def _missing(runner: Runner) -> list[str]:
    """Who is waited for; who is there all the same is told, as nothing else will change that."""
    refused = runner.roster.refuses
    return [f"{name} (here as another version)" if refused(name) else name for name in runner.waiting_for]


def _faults(runner: Runner, player: str) -> int:
    return sum(runner.faults[name] for name in runner.roster.entrants_of(player))


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
