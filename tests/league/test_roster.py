"""Who plays: bots that come and go, bots that are others than before, and one bot in several seats."""

from collections.abc import Sequence

import pytest
import trio
import trio.testing

from arena.cli.main import app
from arena.league.runner import Runner
from arena.seat import Seat
from arena.store.lock import sole_arena
from tests.league.scripted import FakeLobby, MakeRunner, everything, rows


def until_finished(runner: Runner, matches: int, *, idle: bool = True) -> None:
    """Run until so many matches are finished and, if that is ``idle``, nothing more can be played; then stop."""

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner.run)
            while runner.finished < matches or (idle and runner.playing):
                await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()

    trio.run(run)


def test_what_bots_call_themselves_is_written_down(make_runner: MakeRunner) -> None:
    lobby = FakeLobby()
    lobby.softwares = {"bot 0": "zero 1.0", "bot 3": "three\0 1"}
    trio.run(make_runner(lobby=lobby).run)
    runner = make_runner()
    assert rows(runner.engine, "select software from entrant order by number") == [
        ("zero 1.0",), ("",), ("",), ("three 1",), ("",),
    ]  # fmt: skip


def test_another_version_of_a_bot_gets_no_matches_and_that_is_said_once(make_runner: MakeRunner) -> None:
    lobby = FakeLobby()
    lobby.softwares = {"bot 0": "zero 1.0"}
    until_finished(make_runner(lobby=lobby, tables=1, schedule={"orbits": 3}), 5, idle=False)
    lobby = FakeLobby()
    lobby.softwares = {"bot 0": "zero 2.0"}
    said: list[str] = []
    runner = make_runner(lobby=lobby, schedule={"orbits": 3}, more={"tell": said.append})
    without = sum(all(number for number in one.seats) for one in runner.open)
    finished = runner.finished
    until_finished(runner, finished + without)
    assert not any("bot 0" in names for names in lobby.seated)
    assert [line for line in said if "zero 2.0" in line and "zero 1.0" in line] == said
    assert len(said) == 1
    assert rows(runner.engine, "select software from entrant where number = 0") == [("zero 1.0",)]
    assert runner.waiting_for == ("bot 0",)


def test_status_tells_a_bot_that_is_there_as_another_version_from_one_that_is_away(
    make_runner: MakeRunner, capsys: pytest.CaptureFixture[str]
) -> None:
    lobby = FakeLobby()
    lobby.softwares = {"bot 0": "zero 1.0"}
    until_finished(make_runner(lobby=lobby, tables=1, schedule={"orbits": 3}), 5, idle=False)
    lobby.softwares["bot 0"] = "zero 2.0"
    lobby.capacities["bot 1"] = 0
    runner = make_runner(lobby=lobby, schedule={"orbits": 3})
    query = "select name, here_as from entrant where away or here_as is not null order by number"

    async def wait_written(expected: list[tuple[object, ...]]) -> None:
        while rows(runner.engine, query) != expected:
            await trio.testing.wait_all_tasks_blocked()

    async def run() -> None:
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(runner.run)
                await wait_written([("bot 0", "zero 2.0"), ("bot 1", None)])
                with sole_arena(runner.engine):
                    app(["status", "--db", str(runner.engine.url.database)], standalone_mode=False)
                lobby.softwares["bot 0"] = "zero 1.0"
                lobby.changed.set()
                await wait_written([("bot 1", None)])
                lobby.softwares["bot 0"] = "zero 3.0"
                lobby.changed.set()
                await wait_written([("bot 0", "zero 3.0"), ("bot 1", None)])
                nursery.cancel_scope.cancel()

    trio.run(run)
    assert "  waiting for bot 0 (here as another version: zero 2.0), bot 1\n" in capsys.readouterr().out
    assert rows(runner.engine, query) == [], "nobody waits when the run is over"


def test_another_version_of_a_bot_plays_where_the_file_says_so(make_runner: MakeRunner) -> None:
    lobby = FakeLobby()
    lobby.softwares = {"bot 0": "zero 1.0"}
    until_finished(make_runner(lobby=lobby, tables=1, schedule={"orbits": 3}), 5, idle=False)
    lobby.softwares = {"bot 0": "zero 2.0"}
    said: list[str] = []
    runner = make_runner(lobby=lobby, schedule={"orbits": 3, "versions": "any"}, more={"tell": said.append})
    trio.run(runner.run)
    assert runner.finished == runner.total
    assert len(said) == 1
    assert rows(runner.engine, "select software from entrant where number = 0") == [("zero 2.0",)]


def test_bots_that_come_and_go_all_the_time_change_no_result(make_runner: MakeRunner) -> None:
    whole = make_runner("whole.db", bots=8)
    trio.run(whole.run)
    lobby = FakeLobby()
    runner = make_runner("restless.db", lobby=lobby, bots=8)

    async def run() -> None:
        async with trio.open_nursery() as nursery:

            async def come_and_go() -> None:
                turn = 0
                while True:
                    lobby.capacities[f"bot {turn % 8}"] = 0
                    lobby.capacities[f"bot {(turn - 1) % 8}"] = 1 + turn % 3
                    lobby.changed.set()
                    turn += 1
                    await trio.testing.wait_all_tasks_blocked(0.01)

            nursery.start_soon(come_and_go)
            await runner.run()
            nursery.cancel_scope.cancel()

    trio.run(run)
    assert everything(runner.engine) == everything(whole.engine)


def test_a_bot_that_goes_while_matches_are_started_is_walked_over_in_none(make_runner: MakeRunner) -> None:
    """Its book may say so at any time, and of this moment nobody is told."""

    class Gone(FakeLobby):
        def seats(self, table: int, names: Sequence[str]) -> Sequence[Seat]:
            self.capacities["bot 0"] = 0
            return super().seats(table, names)

    runner = make_runner(lobby=Gone())
    begun = [one.number for one in runner.open[:2] if 0 in one.seats]
    assert begun
    until_finished(runner, 1)
    assert runner.walked_over == 0
    assert rows(runner.engine, "select count(*) from fault") == [(0,)]


def test_a_long_schedule_is_read_in_pages(make_runner: MakeRunner) -> None:
    runner = make_runner(bots=8, schedule={"repetitions": 20})
    assert runner.total == 1120
    assert len(runner.open) < runner.total
    lobby = FakeLobby()
    lobby.capacities = {f"bot {number}": 0 for number in range(1, 8)}
    runner = make_runner(bots=8, schedule={"repetitions": 20}, lobby=lobby)

    async def nobody_can_play() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner.run)
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()

    trio.run(nobody_can_play)
    assert [one.number for one in runner.open] == list(range(1120))
