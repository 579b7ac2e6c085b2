"""Hours and moments: when a run ends, what is appended until then, and what becomes of what was not played."""

import math
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from time import tzset

import pytest
import trio
import trio.testing
from sqlmodel import Session

from arena.lag import LagMeter
from arena.league.budget import LOOK_S, Budget, next_moment
from arena.league.config import LeagueFile
from arena.league.create import planned
from arena.league.export import book_of, leagues_of
from arena.league.runner import Runner
from arena.league.schedule import schedule_hash
from arena.league.verify import verify
from arena.store.league import fixtures_of
from arena.table import WALK_OVER
from tests.fakes import Says
from tests.league.scripted import FakeLobby, MakeRunner, everything, in_no_thread, maker, rows, slowly

NIGHT = datetime(2026, 3, 28, 22, 30)  # noqa: DTZ001  local, as the zone of the test has it


@pytest.fixture
def make_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeRunner:
    """As ever; but who waits for the database does not wait in a thread, of which a clock that jumps knows nothing."""
    monkeypatch.setattr(trio.to_thread, "run_sync", in_no_thread)
    make = maker(tmp_path)

    def make_calm(*words: str, more: dict[str, object] | None = None, **others: object) -> Runner:
        return make(*words, more={"lag": LagMeter(period_s=1e6)} | (more or {}), **others)

    return make_calm


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Moves the machine to another time zone."""

    def move(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        tzset()

    yield move
    monkeypatch.undo()
    tzset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("07:00", "2026-03-29T07:00"),
        ("7:00", "2026-03-29T07:00"),
        ("22:31", "2026-03-28T22:31"),
        ("22:30", "2026-03-29T22:30"),
        ("00:00", "2026-03-29T00:00"),
        ("2026-04-01 06:15", "2026-04-01T06:15"),
        ("2026-04-01T06:15", "2026-04-01T06:15"),
        ("2026-03-01 00:00", "2026-03-01T00:00"),
    ],
)
def test_a_time_of_day_is_the_next_one(text: str, expected: str, zone: Callable[[str], None]) -> None:
    zone("Europe/Berlin")
    found = next_moment(text, NIGHT.astimezone())
    assert found is not None
    assert found.isoformat().startswith(expected)


def test_a_night_in_which_the_clocks_change_is_an_hour_shorter(zone: Callable[[str], None]) -> None:
    zone("Europe/Berlin")
    found = next_moment("07:00", NIGHT.astimezone())
    assert found is not None
    assert (found - NIGHT.astimezone()) == timedelta(hours=7.5)


def test_a_moment_may_name_its_zone(zone: Callable[[str], None]) -> None:
    zone("Europe/Berlin")
    found = next_moment("2026-03-29T05:00+00:00", NIGHT.astimezone())
    assert found == next_moment("2026-03-29 07:00", NIGHT.astimezone())


@pytest.mark.parametrize("text", ["", "7", "24:00", "07:60", "tomorrow", "2026-03-29", "07:00 am"])
def test_what_is_no_time_is_refused(text: str) -> None:
    refused(text)


@pytest.mark.parametrize(
    ("text", "where"), [("0001-01-01 00:00", "Asia/Tokyo"), ("9999-12-31 23:59", "America/New_York")]
)
def test_a_moment_that_is_not_in_the_calendar_is_refused(text: str, where: str, zone: Callable[[str], None]) -> None:
    zone(where)
    refused(text)


def refused(text: str) -> None:
    assert next_moment(text, NIGHT.astimezone()) is None
    with pytest.raises(ValueError, match=r"a time is \"07:00\""):
        LeagueFile.model_validate({"name": "x", "bots": ({"name": "a"},), "schedule": {"until": text}})


async def test_hours_are_counted_from_the_beginning(autojump_clock: trio.testing.MockClock) -> None:
    budget = Budget(hours=8)
    await trio.sleep(100)
    budget.begin()
    await trio.sleep(3600)
    budget.begin()  # of another league of the same run
    assert budget.left_s() == 7 * 3600
    await budget.wait_over()
    assert trio.current_time() == pytest.approx(100 + 8 * 3600, abs=1)
    assert budget.left_s() == 0


async def test_a_moment_is_kept_though_the_wall_clock_is_set(autojump_clock: trio.testing.MockClock) -> None:
    set_on = 0.0

    def wall() -> datetime:
        return NIGHT.astimezone() + timedelta(seconds=trio.current_time() + set_on)

    budget = Budget(until="23:30", wall=wall)
    budget.begin()
    assert budget.left_s() == 3600
    set_on = 3000.0
    await budget.wait_over()
    assert 600 <= trio.current_time() <= 600 + LOOK_S


async def test_without_a_limit_there_is_no_end(autojump_clock: trio.testing.MockClock) -> None:
    budget = Budget()
    budget.begin()
    assert budget.left_s() == math.inf
    with trio.move_on_after(10**6) as scope:
        await budget.wait_over()
    assert scope.cancelled_caught


def run_for(runner: Runner, *, more: bool = True, then: Callable[[], None] | None = None) -> float:
    """Run it on a clock that jumps; how long it took by that."""

    async def run() -> float:
        await runner.run(lambda: more)
        if then:
            then()
        return trio.current_time()

    clock = trio.testing.MockClock(autojump_threshold=0)
    began = clock.current_time()
    return trio.run(run, clock=clock) - began


def test_orbits_are_appended_until_the_time_is_over(make_runner: MakeRunner) -> None:
    lobby = FakeLobby(script=slowly)
    runner = make_runner(lobby=lobby, more={"budget": Budget(hours=1, finish_s=1e6)}, schedule={"orbits": 2})
    took = run_for(runner)
    assert took >= 3600
    assert runner.over
    assert runner.total > 10
    assert runner.total % 5 == 0, "orbits are appended whole"
    assert runner.parked == 0
    started = runner.finished
    assert runner.total - started < 5, "an orbit is appended before all of the one before has begun"
    assert rows(runner.engine, "select number from fixture order by 1") == [(n,) for n in range(runner.total)]
    assert rows(runner.engine, "select count(*) from attempt") == [(started,)]


def test_a_schedule_that_has_grown_is_the_beginning_of_the_same_longer_one(make_runner: MakeRunner) -> None:
    runner = make_runner(lobby=FakeLobby(script=slowly), more={"budget": Budget(hours=0.5)}, schedule={"orbits": 2})
    before = rows(runner.engine, "select schedule_hash from league")
    run_for(runner)
    expected = list(planned(runner.league.file, runner.league.event_key, runner.total // 5))
    with Session(runner.engine) as session:
        assert list(fixtures_of(session=session, league_id=1)) == expected
    assert rows(runner.engine, "select schedule_hash from league") == [(schedule_hash(expected),)]
    assert before == [(schedule_hash(expected[:10]),)]
    again = make_runner(schedule={"orbits": 2, "hours": 3.0})
    assert again.total == runner.total, "hours are no setting of the league"


def test_matches_in_play_at_the_end_finish_but_not_for_ever(make_runner: MakeRunner) -> None:
    budget = Budget(hours=0.1, finish_s=60.0)
    runner = make_runner(lobby=FakeLobby(script=slowly), more={"budget": budget}, target=1000)
    took = run_for(runner, more=False)
    assert took == pytest.approx(360 + 60, abs=1)
    assert runner.parked == 3
    assert runner.finished == 0
    assert rows(runner.engine, "select count(*) from attempt where ended = 'parked'") == [(3,)]
    assert rows(runner.engine, "select count(*) > 10 from deal") == [(1,)]
    assert rows(runner.engine, "select finished_at from league") == [(None,)]


def test_a_league_that_ran_out_of_time_goes_on_and_ends_as_one_that_did_not(make_runner: MakeRunner) -> None:
    whole = make_runner("whole.db", lobby=FakeLobby(script=slowly))
    run_for(whole, more=False)
    nights = 0
    while True:
        budget = Budget(hours=0.05, finish_s=0.0)
        runner = make_runner("nights.db", lobby=FakeLobby(script=slowly), more={"budget": budget})
        run_for(runner, more=False)
        if not runner.over:
            break
        nights += 1
    assert nights >= 2
    assert everything(runner.engine) == everything(whole.engine)


def test_no_match_is_started_when_the_time_is_over_before(make_runner: MakeRunner) -> None:
    def late() -> datetime:
        return NIGHT.astimezone()

    lobby = FakeLobby()
    runner = make_runner(lobby=lobby, more={"budget": Budget(until="2026-03-01 07:00", wall=late)})
    run_for(runner)
    assert runner.over
    assert not lobby.seated


def test_matches_of_an_absent_bot_are_not_played_and_cost_it_nothing(make_runner: MakeRunner) -> None:
    lobby = FakeLobby(script=slowly)
    lobby.capacities["bot 0"] = 0
    runner = make_runner(lobby=lobby, more={"budget": Budget(hours=2)})
    took = run_for(runner)
    assert took >= 7200
    assert runner.waiting_for == ("bot 0",)
    assert (runner.finished, runner.total) == (1, 5), "nothing is appended while matches wait"
    assert rows(runner.engine, "select count(*) from seat_result where entrant = 0") == [(0,)]
    assert rows(runner.engine, "select count(*) from attempt") == [(1,)]
    assert rows(runner.engine, "select finished_at from league") == [(None,)]


@pytest.mark.parametrize("tables", [1, 8])
def test_walk_overs_are_played_when_the_time_is_over_and_place_who_is_away_last(
    make_runner: MakeRunner, tables: int
) -> None:
    lobby = FakeLobby(script=slowly)
    lobby.capacities["bot 0"] = 0
    schedule = {"orbits": 2, "absent": "walk-over"}
    runner = make_runner(lobby=lobby, tables=tables, more={"budget": Budget(hours=2)}, schedule=schedule)
    took = run_for(runner)
    assert took > 7200
    assert (runner.finished, runner.walked_over, runner.parked) == (10, 8, 0)
    assert all("bot 0" not in names for names in lobby.seated)
    of_it = "select forfeited, place, faults from seat_result where entrant = 0"
    assert rows(runner.engine, of_it) == [(1, 4, 1)] * 8
    assert rows(runner.engine, "select count(*), sum(forfeited) from seat_result where entrant > 0") == [(32, 0)]
    faults = rows(runner.engine, "select distinct deal, kind, consequence, reason from fault")
    assert faults == [(0, "unreachable", "stand-in", WALK_OVER)]
    with Session(runner.engine) as session:
        (league,) = leagues_of(session=session)
        book = book_of(session=session, league=league, everything=True)
        assert verify(book).matches == 10


def test_a_match_that_has_begun_is_a_walk_over_from_where_it_stands(make_runner: MakeRunner) -> None:
    schedule: dict[str, object] = {"absent": "walk-over"}
    budget = Budget(hours=0.05, finish_s=0.0)
    begun = make_runner(lobby=FakeLobby(script=slowly), more={"budget": budget}, target=100, schedule=schedule)
    run_for(begun, more=False)
    assert begun.parked
    assert begun.walked_over == 0
    before = rows(begun.engine, "select fixture, number, record from deal")
    stands = {fixture: sum(one == fixture for one, _, _ in before) for fixture, _, _ in before}
    lobby = FakeLobby(script=slowly)
    lobby.capacities["bot 0"] = 0
    runner = make_runner(lobby=lobby, more={"budget": Budget(hours=1)}, target=100, schedule=schedule)
    run_for(runner, more=False)
    assert runner.finished == runner.total
    assert set(before) < set(rows(runner.engine, "select fixture, number, record from deal"))
    walked = rows(runner.engine, "select fixture, deal from fault")
    assert any(deal for _, deal in walked)
    assert all(deal == stands.get(fixture, 0) for fixture, deal in walked)


def test_nobody_walks_over_an_empty_table_and_who_comes_in_time_plays(make_runner: MakeRunner) -> None:
    lobby = FakeLobby(script=slowly)
    lobby.capacities = {f"bot {number}": 0 for number in range(5)}
    schedule = {"absent": "walk-over"}
    run_for(make_runner(lobby=lobby, more={"budget": Budget(hours=1)}, schedule=schedule))
    runner = make_runner(lobby=lobby, more={"budget": Budget(hours=3)}, schedule=schedule)
    assert (runner.finished, rows(runner.engine, "select count(*) from attempt")) == (0, [(0,)])

    async def come() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner.run)
            await trio.sleep(3600)
            for number in range(5):
                lobby.come(f"bot {number}")

    trio.run(come, clock=trio.testing.MockClock(autojump_threshold=0))
    assert (runner.finished, runner.walked_over) == (5, 0)


def test_without_a_budget_absent_bots_are_waited_for_however_long(make_runner: MakeRunner) -> None:
    lobby = FakeLobby(script=slowly)
    lobby.capacities["bot 0"] = 0
    runner = make_runner(lobby=lobby)

    async def come_after_a_week() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner.run)
            await trio.sleep(7 * 86400)
            assert runner.finished == 1
            assert not runner.playing
            assert rows(runner.engine, "select name from entrant where away") == [("bot 0",)]
            lobby.come("bot 0")
            await trio.sleep(1)
            assert len(runner.playing) > 0, "a bot that has come back is not picked up"

    trio.run(come_after_a_week, clock=trio.testing.MockClock(autojump_threshold=0))
    assert runner.finished == runner.total
    assert rows(runner.engine, "select count(*) from entrant where away") == [(0,)]


def test_what_was_over_in_time_is_finished(make_runner: MakeRunner) -> None:
    runner = make_runner(more={"budget": Budget(hours=100)})
    run_for(runner, more=False)
    assert not runner.over
    assert rows(runner.engine, "select finished_at is not null from league") == [(1,)]


def test_a_bot_that_loses_every_match_by_its_faults_takes_no_table_away(make_runner: MakeRunner) -> None:
    lobby = FakeLobby(capacity=16, script=slowly, scripts={"bot 0": lambda _request, _attempt: Says(None)})
    runner = make_runner(lobby=lobby, bots=8, tables=4)
    idle: list[tuple[int, int]] = []

    async def watch() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner.run)
            while runner.finished < runner.total:
                await trio.sleep(1)  # long after every start, which takes no time on this clock
                if runner.open and len(runner.playing) < 4:
                    idle.append((runner.finished, len(runner.playing)))

    trio.run(watch, clock=trio.testing.MockClock(autojump_threshold=0))
    assert runner.finished == runner.total == 56
    assert not idle, "tables stand idle though there is something to play"
    forfeits = "select entrant, count(*) from seat_result where forfeited group by 1"
    assert rows(runner.engine, forfeits) == [(0, 28)]
