"""What a run says before, while and after it plays."""

import errno
import io
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import trio
import trio.testing
from rich.console import Console

from arena.cli.forecast import forecast
from arena.cli.play import _refresh
from arena.cli.progress import LINE_EVERY_S, Progress, heard_or_not, summary
from arena.cli.words import count, duration
from arena.gateway.server import Gateway
from arena.lag import LagMeter
from arena.league.budget import Budget
from arena.league.config import ConfigError, LeagueFile, read_league
from arena.league.runner import Runner
from arena.seat import Request
from arena.store.database import open_database
from tests.commands import Arena, one_line
from tests.fakes import Says
from tests.league.scripted import (
    FakeLobby,
    chosen,
    maker,
    run_until,
    runner_of,
    slowly,
)

TEXT = """
name = "small"
[game]
target = 20
[schedule]
orbits = 3
until = "07:00"
[[bots]]
name = "ada"
[[bots]]
name = "bob"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(TEXT)
    return path


def test_a_dry_run_says_what_would_be_played_and_leaves_nothing_behind(arena: Arena, file: Path) -> None:
    done = arena("run", file, "--dry-run")
    assert done.returncode == 0, done.stderr
    for needle in ("ada, bob, 2 house bots", "12 matches in 3 orbits", "the run ends at 07:00", "nothing has been"):
        assert needle in done.stdout
    assert list(file.parent.iterdir()) == [file]


def test_a_dry_run_knows_how_far_a_league_has_come(file: Path, tmp_path: Path) -> None:
    database = str(tmp_path / "small.db")
    runner = runner_of(open_database(database, create=True), read_league(file))
    trio.run(runner.run)
    assert f"  {database}: created, 12 of 12 matches are finished" in forecast(read_league(file), database)


@pytest.mark.parametrize(
    ("changed", "needle"),
    [
        (("target = 20", "target = 30"), "game.target was 20 and is 30"),
        (('name = "bob"', 'name = "ann"'), "was created with other settings: bots"),
        (('name = "small"', 'name = "small"\nbeacon = true'), "has begun without a beacon"),
    ],
)
def test_a_dry_run_is_refused_what_a_run_would_be(file: Path, changed: tuple[str, str], needle: str) -> None:
    database = str(file.with_suffix(".db"))
    trio.run(runner_of(open_database(database, create=True), read_league(file)).run)
    file.write_text(TEXT.replace(*changed))
    with pytest.raises(ConfigError, match=needle):
        list(forecast(read_league(file), database))


def test_more_tables_take_less_time_and_more_thinking_more() -> None:
    def most(**settings: object) -> str:
        plan = LeagueFile.model_validate({"name": "x", "bots": tuple({"name": f"b{n}"} for n in range(8)), **settings})
        return next(line for line in forecast(plan, "nowhere.db") if "uses all the time" in line)

    lines = {most(), most(server={"tables": 1}), most(time={"bank_s": 600.0})}
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("words", "needle"),
    [
        (("--until", "25:00"), "until: a time is"),
        (("--hours", "0"), "hours: input should be greater than 0, not 0"),
        (("--hours", "soon"), "should be a valid number"),
    ],
)
def test_a_wrong_time_is_one_line(arena: Arena, file: Path, words: tuple[str, str], needle: str) -> None:
    one_line(arena("run", file, *words), needle, status=2)


def at_pace(request: Request, attempt: int) -> Says:
    """A match in a few seconds."""
    return Says(chosen(request, attempt).faces, after_s=0.01)


def progress_of(runner: Runner, seconds: float) -> list[str]:
    """The plain lines of a run's first seconds, and its last ones."""
    said: list[str] = []
    progress = Progress(said.append, console=Console(file=io.StringIO()))
    nobody = cast(Gateway, SimpleNamespace(players={}))

    async def run() -> None:
        with trio.move_on_after(seconds):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(progress.show, nobody)
                progress.follow(runner)
                await runner.run(lambda: True)
        progress.close()

    trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
    return said


def test_plain_lines_tell_pace_time_left_and_who_is_waited_for(tmp_path: Path, at_once: None) -> None:
    lobby = FakeLobby(script=slowly)
    lobby.capacities["bot 0"] = 0
    more = {"budget": Budget(hours=5), "lag": LagMeter(period_s=1e6)}
    said = progress_of(maker(tmp_path)(lobby=lobby, more=more), 3600)
    assert said[0] == (
        f"0/5 matches, 1 table in play, 1 decisions/s, time left unknown; the run ends in"
        f" {duration(5 * 3600 - LINE_EVERY_S)}; waiting for bot 0"
    )
    idle = next(line for line in said if "nothing else can be played: waiting for bot 0" in line)
    assert idle.startswith("1/5 matches, 0 tables in play")
    assert said[-2] == "  not played: 4 matches; they count for nobody, and the next run plays them"
    assert said[-1] == "  away: bot 0"


def test_the_time_that_is_left_is_that_at_the_pace_since_the_run_began(tmp_path: Path, at_once: None) -> None:
    """Also of what was finished before the first line; and not of what was before the run."""
    make, schedule = maker(tmp_path), {"orbits": 8}
    run_until(make(schedule=schedule), 1500)
    runner = make(more={"lag": LagMeter(period_s=1e6)}, schedule=schedule, lobby=FakeLobby(1, at_pace))
    before = runner.finished
    said = progress_of(runner, LINE_EVERY_S + 1)
    done, total = map(int, said[0].split()[0].split("/"))
    assert done > before > 0
    assert f"about {duration(LINE_EVERY_S / (done - before) * (total - done))} left" in said[0]


def test_a_bot_that_is_there_as_another_version_is_told_from_one_that_is_away(tmp_path: Path) -> None:
    make, schedule = maker(tmp_path), {"orbits": 8}
    lobby = FakeLobby()
    lobby.softwares["bot 0"] = "one"
    run_until(make(lobby=lobby, schedule=schedule), 1500)
    lobby.softwares["bot 0"] = "two"
    lobby.capacities["bot 1"] = 0
    assert "  away: bot 0 (here as another version), bot 1" in summary(make(lobby=lobby, schedule=schedule))


def test_a_live_display_shows_bots_and_kinds_of_faults(tmp_path: Path, at_once: None) -> None:
    lobby = FakeLobby(script=slowly)
    lobby.capacities["bot 3"] = 0
    runner = maker(tmp_path)(lobby=lobby, more={"lag": LagMeter(period_s=1e6)})
    runner.kinds.update({"timeout": 2, "illegal": 1})
    runner.faults.update({"bot 1": 3})
    screen = io.StringIO()
    progress = Progress(print, console=Console(file=screen, width=140))
    nobody = cast(Gateway, SimpleNamespace(players={}))

    async def draw() -> None:
        runner.budget.begin()
        progress.console.print(progress._grid(runner, nobody, 12.0, trio.current_time()))

    trio.run(draw)
    shown = screen.getvalue()
    assert "illegal 1, timeout 2" in shown
    assert "waiting for bot 3" in shown
    assert shown.index("bot 3  ") < shown.index("bot 1  ") < shown.index("bot 0  ")


def test_a_run_goes_on_though_nothing_can_be_printed(tmp_path: Path, at_once: None) -> None:
    class Closed(io.StringIO):
        """A terminal that is."""

        def isatty(self) -> bool:
            return True

        def write(self, _text: str) -> int:
            raise OSError(errno.EIO, "Input/output error")

    tries: list[str] = []

    def say(line: str) -> None:
        tries.append(line)
        raise OSError(errno.ENOSPC, "No space left on device")

    nobody = cast(Gateway, SimpleNamespace(players={}))
    for console in (Console(file=io.StringIO()), Console(file=Closed(), force_terminal=True)):
        tries.clear()
        runner = maker(tmp_path)(f"{console.is_terminal}.db", lobby=FakeLobby(script=slowly))
        runner.lag.period_s = 1e6
        progress = Progress(heard_or_not(say), console=console)

        async def run(progress: Progress = progress, runner: Runner = runner) -> None:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(progress.show, nobody)
                progress.follow(runner)
                await runner.run()
                progress.close()
                nursery.cancel_scope.cancel()

        trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
        assert runner.finished == runner.total
        assert len(tries) == 1, "it is tried again and again"


def test_a_site_that_cannot_be_made_is_told_once_and_no_reason_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[object] = [
        OSError(errno.EAGAIN, "Resource temporarily unavailable"),
        OSError(errno.EAGAIN, "Resource temporarily unavailable"),
        SimpleNamespace(returncode=1, stderr=b"arena: site: Permission denied\n"),
        SimpleNamespace(returncode=1, stderr=b"arena: site: Permission denied\n"),
        SimpleNamespace(returncode=0, stderr=b""),
        SimpleNamespace(returncode=1, stderr=b"arena: site: Permission denied\n"),
    ]

    async def run_process(*_words: object, **_more: object) -> object:
        if not ends:
            await trio.sleep_forever()
        end = ends.pop(0)
        if isinstance(end, OSError):
            raise end
        return end

    monkeypatch.setattr(trio, "run_process", run_process)
    said: list[str] = []

    async def run() -> None:
        with trio.move_on_after(3600):
            await _refresh("league.db", Path("site"), "en", said.append)

    trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))
    assert not ends
    before = "the site was not refreshed: "
    denied = f"{before}arena: site: Permission denied"
    assert said == [f"{before}[Errno {errno.EAGAIN}] Resource temporarily unavailable", denied, denied]


def test_a_summary_of_a_league_that_is_finished_says_nothing_of_what_is_not_played(tmp_path: Path) -> None:
    runner = maker(tmp_path)(more={"lag": LagMeter(period_s=1e6)})
    trio.run(runner.run)
    (line,) = summary(runner)
    assert line.startswith("test: 5 of 5 matches finished, ")


def test_numbers_in_words() -> None:
    assert [count(number, "bot") for number in (0, 1, 2)] == ["0 bots", "1 bot", "2 bots"]
    assert [count(number, "match") for number in (1, 11)] == ["1 match", "11 matches"]


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7140, "119 min"), (7200, "2 h 00 min")]
)
def test_durations_in_words(seconds: float, words: str) -> None:
    assert duration(seconds) == words
