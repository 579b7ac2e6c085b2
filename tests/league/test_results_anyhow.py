"""However a match came to its end, its result is what its deals and faults add up to."""

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing
from sqlalchemy import Engine
from sqlmodel import Session

from arena.lag import LagMeter
from arena.league.budget import Budget
from arena.league.export import book_of, leagues_of
from arena.league.runner import TRIES, Runner
from arena.league.verify import verify
from arena.rules.variant import fallback
from arena.seat import OpenRequest, Request, Seat
from arena.stats.thinking import Stopwatch
from arena.store.database import open_database
from tests.fakes import FakeSeat, Says
from tests.league.scripted import FakeLobby, MakeRunner, chosen, league_file, rows, runner_of


def clumsy(request: Request, attempt: int) -> Says:
    """Takes some time, and now and then the first answer is no card at all."""
    mood = sum(map(ord, str(request.view.hand)))
    if not attempt and mood % 9 == 0:
        return Says([fallback(request.question.legal, 1)[0] % 52] * 2)
    return Says(chosen(request, attempt).faces, after_s=mood % 7 / 10)


class Failing(FakeLobby):
    """The arena fails in each attempt at a match of this number, at a later deal each time."""

    def __init__(self, fixture: str, times: int) -> None:
        super().__init__(script=clumsy)
        self.fixture, self.times = fixture, times
        self.failed_at: list[int] = []  # deals

    def seats(self, table: int, names: Sequence[str]) -> Sequence[Seat]:
        lobby = self

        class FailingSeat(FakeSeat):
            def ask(self, request: OpenRequest) -> None:
                deal = request.match.deals
                if self.starts[-1].match_id.endswith(lobby.fixture) and deal > len(lobby.failed_at) < lobby.times:
                    lobby.failed_at.append(deal)
                    raise RuntimeError("ours")
                super().ask(request)

        self.tables.add(table)
        return [FailingSeat(clumsy, name=name) for name in names]


def turned(run: Callable[[], Awaitable[None]]) -> None:
    """On a clock that jumps."""
    trio.run(run, clock=trio.testing.MockClock(autojump_threshold=0))


def counted(engine: Engine) -> list[tuple[object, ...]]:
    """Every seat's row as it follows from those of deals and faults."""
    found: list[tuple[object, ...]] = []
    blamed = Counter(rows(engine, "select league_id, fixture, seat from fault"))
    for league, fixture in rows(engine, "select league_id, fixture from result order by 1, 2"):
        where = f"where league_id = {league} and fixture = {fixture} order by number"
        deals = rows(engine, f"select moon, thinking from deal {where}")
        shooters = Counter(moon for moon, _ in deals if moon is not None)
        times = [json.loads(str(thinking)) for _, thinking in deals]
        for seat in range(len(times[0])):
            watch = Stopwatch()
            for tenth in [tenth for deal in times for tenth in deal[seat]]:
                watch.add(tenth / 1e4)
            moons, faults = shooters[seat], blamed[league, fixture, seat]
            text = watch.thinking().to_text()
            found.append((league, fixture, seat, moons, shooters.total() - moons, faults, text))
    return found


def told(engine: Engine) -> list[tuple[object, ...]]:
    columns = "league_id, fixture, seat, moons, moons_suffered, faults, thinking"
    return rows(engine, f"select {columns} from seat_result order by 1, 2, 3")


def verified(engine: Engine) -> None:
    """All of its leagues."""
    with Session(engine) as session:
        for league in leagues_of(session=session):
            verify(book_of(session=session, league=league, everything=True))


@pytest.mark.parametrize("times", [1, TRIES - 1])
def test_of_a_match_in_which_the_arena_failed(make_runner: MakeRunner, at_once: None, times: int) -> None:
    lobby = Failing("/2", times)
    runner = make_runner(lobby=lobby, target=100, more={"lag": LagMeter(period_s=1e6)})
    turned(runner.run)
    assert lobby.failed_at == list(range(1, times + 1))
    assert runner.finished == runner.total
    assert told(runner.engine) == counted(runner.engine)
    assert rows(runner.engine, "select count(*) > 0, min(length(thinking)) > 9 from seat_result where faults > 0") == [
        (1, 1)
    ]
    verified(runner.engine)


def test_of_a_match_that_was_a_walk_over_from_where_it_stood(make_runner: MakeRunner, at_once: None) -> None:
    lag = {"lag": LagMeter(period_s=1e6)}
    make = partial(make_runner, target=100, schedule={"absent": "walk-over"})
    budget = Budget(hours=0.02, finish_s=0.0)
    begun = make(lobby=FakeLobby(script=clumsy), more=lag | {"budget": budget})
    turned(begun.run)
    assert begun.parked
    assert rows(begun.engine, "select count(*) > 0 from fault") == [(1,)]
    lobby = FakeLobby(script=clumsy)
    lobby.capacities["bot 0"] = 0
    runner = make(lobby=lobby, more=lag | {"budget": Budget(hours=1)})
    turned(runner.run)
    assert runner.walked_over
    assert runner.finished == runner.total
    assert told(runner.engine) == counted(runner.engine)
    verified(runner.engine)


def test_of_leagues_that_are_played_beside_each_other_in_one_process(tmp_path: Path, at_once: None) -> None:
    engine = open_database(str(tmp_path / "two.db"), create=True)

    def runners() -> list[Runner]:
        lag = LagMeter(period_s=1e6)
        files = [league_file(5, target=100).model_copy(update={"name": name}) for name in ("one", "two")]
        return [runner_of(engine, file, FakeLobby(script=clumsy), lag=lag) for file in files]

    async def play(hours: float) -> None:
        with trio.move_on_after(hours * 3600):
            async with trio.open_nursery() as nursery:
                for one in runners():
                    nursery.start_soon(one.run)

    turned(partial(play, 0.05))
    cut = [count for (count,) in rows(engine, "select count(*) from deal group by league_id")]
    assert len(cut) == 2
    turned(partial(play, 10.0))
    assert rows(engine, "select count(*) from result") == rows(engine, "select count(*) from fixture")
    assert told(engine) == counted(engine)
    verified(engine)


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("absent", ["wait", "walk-over"])
def test_of_a_match_that_was_cut_off_between_its_last_deal_and_its_result(
    make_runner: MakeRunner, at_once: None, absent: str, seats: int
) -> None:
    """It has been played: who is away when the arena comes back has not missed anything of it."""
    make = partial(make_runner, schedule={"absent": absent}, seats=seats, target=100)
    whole = make(lobby=FakeLobby())
    trio.run(whole.run)
    query = "select fixture, seat, entrant, points, place, chips, moons, moons_suffered, faults, forfeited, thinking"
    before = rows(whole.engine, f"{query} from seat_result order by 1, 2")
    assert seats > 2 or rows(whole.engine, "select count(*) > 0 from seat_result where moons > 0") == [(1,)]
    with whole.engine.begin() as connection:
        for statement in ("delete from seat_result", "delete from result", "update league set finished_at = null"):
            connection.exec_driver_sql(statement)
    lobby = FakeLobby()
    if absent == "walk-over":
        lobby.capacities["bot 0"] = 0
    runner = make(lobby=lobby, more={"lag": LagMeter(period_s=1e6), "budget": Budget(hours=1)})
    turned(runner.run)
    assert rows(whole.engine, f"{query} from seat_result order by 1, 2") == before
    verified(runner.engine)
