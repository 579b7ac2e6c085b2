"""Leagues of one file: whose turn it is, how they grow, and when they are finished."""

import io
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import trio
import trio.testing
from rich.console import Console
from sqlalchemy import event

from arena.cli.play import PATIENCE_S, _play_all
from arena.cli.progress import Progress
from arena.gateway.server import Gateway
from arena.lag import LagMeter
from arena.league.budget import Budget
from arena.league.decisions import LEAGUE, Decisions
from arena.league.runner import Runner
from arena.store.database import open_database
from tests.league.scripted import (
    FakeLobby,
    league_file,
    rows,
    runner_of,
    slowly,
)


def test_questions_of_the_leagues_of_a_run_have_different_numbers() -> None:
    """A bot may be in several, on one connection; and those of a trial are beyond all of them."""
    leagues = [Decisions(number) for number in range(3)]
    asked = [next(league) for _ in range(4) for league in leagues]
    assert len(set(asked)) == len(asked)
    assert asked[0] == 1
    assert all(number % LEAGUE <= 4 for number in asked)
    assert [league.count for league in leagues] == [4, 4, 4]


def play_all(runners: Sequence[Runner], progress: Progress, *, grows: bool) -> None:
    clock = trio.testing.MockClock(autojump_threshold=0)
    trio.run(partial(_play_all, runners, progress, grows=grows), clock=clock)


def test_leagues_of_one_file_grow_in_turn_and_none_is_left_out(tmp_path: Path, at_once: None) -> None:
    engine = open_database(str(tmp_path / "two.db"), create=True)
    budget = Budget(hours=1.5, finish_s=0)
    runners = [
        runner_of(
            engine,
            league_file(4, {"orbits": 1}).model_copy(update={"name": name}),
            FakeLobby(script=slowly),
            budget=budget,
            lag=LagMeter(period_s=1e6),
        )
        for name in ("one", "two")
    ]
    said: list[str] = []
    progress = Progress(said.append, console=Console(file=io.StringIO()))
    play_all(runners, progress, grows=True)
    totals = [runner.total for runner in runners]
    assert min(totals) > 8
    assert abs(totals[0] - totals[1]) <= 4
    assert [line.split(":")[0] for line in said if "decisions in this run" in line] == ["one", "two"] * 2
    assert sum(runner.over for runner in runners) >= 1
    assert not rows(engine, "select name from league where finished_at is not null")


@pytest.mark.parametrize("grows", [True, False])
def test_a_league_that_may_grow_is_not_finished_by_the_end_of_a_night(
    tmp_path: Path, at_once: None, grows: bool
) -> None:
    engine = open_database(str(tmp_path / "nights.db"), create=True)
    progress = Progress(list[str]().append, console=Console(file=io.StringIO()))

    def night() -> Runner:
        # All tables of its only orbit are in play when the time is over, and finish then.
        runner = runner_of(
            engine,
            league_file(4, {"orbits": 1}),
            FakeLobby(capacity=4, script=slowly),
            tables=4,
            budget=Budget(hours=0.01, finish_s=1e6),
            lag=LagMeter(period_s=1e6),
        )
        play_all([runner], progress, grows=grows)
        return runner

    first = night()
    assert first.finished == first.total == 4
    assert rows(engine, "select finished_at is null from league") == [(grows,)]
    if grows:
        assert night().total == 8


def test_a_league_whose_bots_are_away_lets_those_after_it_go_first(tmp_path: Path, at_once: None) -> None:
    engine, said = open_database(str(tmp_path / "two.db"), create=True), list[str]()
    lobby = FakeLobby(script=slowly)
    lobby.capacities["bot 0"] = 0
    runners = [
        runner_of(
            engine,
            league_file(5, {"orbits": 1}).model_copy(update={"name": name}),
            lobby,
            lag=LagMeter(period_s=1e6),
        )
        for name in ("one", "two")
    ]
    progress = Progress(said.append, console=Console(file=io.StringIO()))
    nobody = cast(Gateway, SimpleNamespace(players={}))

    async def a_week() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(progress.show, nobody)
            nursery.start_soon(partial(_play_all, runners, progress, grows=False))
            await trio.sleep(3600)
            # Of the five matches of each one is without it.
            assert [runner.finished for runner in runners] == [1, 1]
            assert rows(engine, "select name from entrant where away") == [("bot 0",)] * 2
            for name in ("one", "two"):
                waits = f"{name}: 1/5 matches, 0 tables in play, 0 decisions/s, "
                assert any(line.startswith(waits) and line.endswith("waiting for bot 0") for line in said)
            lobby.come("bot 0")
            await trio.sleep(3 * PATIENCE_S)
            assert any(runner.playing for runner in runners)
            await trio.sleep(3600)
            assert [runner.finished for runner in runners] == [5, 5]
            nursery.cancel_scope.cancel()

    trio.run(a_week, clock=trio.testing.MockClock(autojump_threshold=0))
    assert rows(engine, "select count(*) from league where finished_at is null") == [(0,)]
    assert rows(engine, "select count(*) from entrant where away") == [(0,)]


def test_walk_overs_of_a_league_that_has_let_others_go_first_are_played_too(tmp_path: Path, at_once: None) -> None:
    engine = open_database(str(tmp_path / "two.db"), create=True)
    lobby, budget = FakeLobby(script=slowly), Budget(hours=1)
    lobby.capacities["bot 0"] = 0
    runners = [
        runner_of(
            engine,
            league_file(5, {"orbits": 1, "absent": "walk-over"}).model_copy(update={"name": name}),
            lobby,
            budget=budget,
            lag=LagMeter(period_s=1e6),
        )
        for name in ("one", "two")
    ]
    play_all(runners, Progress(list[str]().append, console=Console(file=io.StringIO())), grows=False)
    assert [(runner.finished, runner.walked_over) for runner in runners] == [(5, 4), (5, 4)]


def leagues_of_one_file(directory: Path, lobbies: Sequence[FakeLobby], **schedule: object) -> list[Runner]:
    """Runners of leagues that are called one, two … and may grow for eight hours."""
    engine, budget = open_database(str(directory / "night.db"), create=True), Budget(hours=8, finish_s=0)
    return [
        runner_of(
            engine,
            league_file(4, {"orbits": 1} | schedule).model_copy(update={"name": name}),
            lobby,
            budget=budget,
            lag=LagMeter(period_s=1e6),
        )
        for name, lobby in zip(("one", "two", "three"), lobbies, strict=False)
    ]


@pytest.mark.parametrize("leagues", [1, 2])
def test_a_night_does_not_end_as_nobody_is_there_when_all_has_been_played(
    tmp_path: Path, at_once: None, leagues: int
) -> None:
    lobby = FakeLobby(capacity=4, script=slowly)
    runners = leagues_of_one_file(tmp_path, [lobby] * leagues)
    turns: list[int] = []  # transactions are what each turn costs
    event.listen(runners[0].engine, "commit", lambda _connection: turns.append(1))
    progress = Progress(list[str]().append, console=Console(file=io.StringIO()))
    night_s = 8 * 3600

    async def night() -> None:
        began = trio.current_time()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(_play_all, runners, progress, grows=True))
            while runners[0].open or not runners[0].playing:  # noqa: ASYNC110  on a clock that jumps
                await trio.sleep(1)
            lobby.capacities = {f"bot {number}": 0 for number in range(4)}  # and no match of it is left to be begun
            lobby.changed.set()
            await trio.sleep(6 * 3600)
            assert not any(runner.playing for runner in runners)
            finished, turns[:] = [runner.finished for runner in runners], []
            await trio.sleep(60)
            assert len(turns) <= 100, "nobody is there, and the arena goes round and round"
            for number in range(4):
                lobby.come(f"bot {number}")
            await trio.sleep(3600)
            assert all(runner.finished > before for runner, before in zip(runners, finished, strict=True))
        assert trio.current_time() - began >= night_s, "the night ends early"

    trio.run(night, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_league_that_waits_for_its_bots_keeps_no_other_from_growing(tmp_path: Path, at_once: None) -> None:
    lobby, other = FakeLobby(script=slowly), FakeLobby(script=slowly)
    lobby.capacities["bot 0"] = 0
    runners = leagues_of_one_file(tmp_path, [lobby, other])
    play_all(runners, Progress(list[str]().append, console=Console(file=io.StringIO())), grows=True)
    assert (runners[0].finished, runners[0].total) == (0, 4)
    assert runners[1].finished > 100


def test_each_league_that_grows_plays_its_walk_overs_when_the_time_is_over(tmp_path: Path, at_once: None) -> None:
    lobby, other = FakeLobby(script=slowly), FakeLobby(script=slowly)
    runners = leagues_of_one_file(tmp_path, [lobby, other], absent="walk-over")
    progress = Progress(list[str]().append, console=Console(file=io.StringIO()))

    async def night() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(_play_all, runners, progress, grows=True))
            await trio.sleep(3600)
            lobby.capacities["bot 0"] = 0
            lobby.changed.set()

    trio.run(night, clock=trio.testing.MockClock(autojump_threshold=0))
    assert runners[0].walked_over > 0
    assert runners[0].finished == runners[0].total
