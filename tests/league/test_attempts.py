"""Attempts are one thing and results another: what goes wrong with the arena itself costs nobody a point."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial

import pytest
import trio
from sqlalchemy.exc import DBAPIError, IntegrityError

from arena.league.budget import Budget
from arena.league.happenings import Happening, Parked
from arena.league.runner import TRIES, Runner
from arena.league.schedule import Fixture
from arena.rules.catalogue import VARIANTS
from arena.seat import OpenRequest, Seat
from arena.store.database import DatabaseError, in_one_line
from arena.table import PlayedDeal, adds_up
from tests.conftest import MakeTable
from tests.fakes import FakeSeat
from tests.league.scripted import WORTHLESS, FakeLobby, MakeRunner, chosen, everything, rows, run_until

ATTEMPTS = "select fixture, number, ended, reason from attempt order by 1, 2"


class Broken(Exception):  # noqa: N818
    """A mistake in the arena."""


class BrokenLobby(FakeLobby):
    """The arena fails at the table of a fixture, so many times, at its fifth question."""

    def __init__(self, fixture: str, times: int) -> None:
        super().__init__()
        self.fixture, self.times = fixture, times

    def seats(self, table: int, names: Sequence[str]) -> Sequence[Seat]:
        lobby = self

        class BrokenSeat(FakeSeat):
            def ask(self, request: OpenRequest) -> None:
                if self.starts[-1].match_id.endswith(lobby.fixture) and len(self.requests) == 5 and lobby.times:
                    lobby.times -= 1
                    raise Broken("the encoder failed\nat some line")
                super().ask(request)

        self.tables.add(table)
        self.seated.append(tuple(names))
        return [BrokenSeat(chosen, name=name) for name in names]


def test_a_match_that_is_played_through_is_one_attempt(make_runner: MakeRunner) -> None:
    lobby = FakeLobby()
    runner = make_runner(lobby=lobby)
    trio.run(runner.run)
    assert rows(runner.engine, ATTEMPTS) == [(fixture, 0, "finished", "") for fixture in range(5)]
    assert len(lobby.seated) == 5
    assert not lobby.tables, "tables are kept after their match"
    assert not +runner.busy


def test_a_match_that_is_put_aside_is_a_second_attempt_and_one_result(make_runner: MakeRunner) -> None:
    lobby = FakeLobby()
    runner = make_runner(lobby=lobby)
    run_until(runner, 300)
    assert runner.parked > 0
    assert not lobby.tables
    assert {ended for _, _, ended, _ in rows(runner.engine, ATTEMPTS)} <= {"parked", "finished"}
    again = make_runner()
    trio.run(again.run)
    ends: dict[object, list[object]] = {}
    for fixture, _, ended, _ in rows(runner.engine, ATTEMPTS):
        ends.setdefault(fixture, []).append(ended)
    assert all(found[-1] == "finished" and found.count("finished") == 1 for found in ends.values())
    assert ["parked", "finished"] in ends.values()


def test_a_deal_that_was_complete_when_the_run_was_cut_is_durable(
    make_runner: MakeRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[tuple[int, int]] = []
    keep = Runner._keep

    async def noting(self: Runner, fixture: Fixture, deal: PlayedDeal) -> None:
        kept.append((fixture.number, deal.number))
        await keep(self, fixture, deal)

    monkeypatch.setattr(Runner, "_keep", noting)
    for decisions in range(200, 300, 7):
        runner = make_runner(f"{decisions}.db")
        run_until(runner, decisions)
        assert sorted(kept) == rows(runner.engine, "select fixture, number from deal order by 1, 2")
        kept.clear()


def test_what_a_killed_arena_was_at_is_called_cut_off(make_runner: MakeRunner) -> None:
    runner = make_runner()
    with runner.engine.begin() as connection:
        connection.exec_driver_sql(
            "insert into attempt (league_id, fixture, number, started_at, reason) values (1, 3, 0, 'then', '')"
        )
    trio.run(runner.run)
    assert [row for row in rows(runner.engine, ATTEMPTS) if row[0] == 3] == [(3, 0, "cut", ""), (3, 1, "finished", "")]


@pytest.mark.parametrize("times", [1, TRIES - 1])
def test_a_fault_of_ours_is_played_again_and_changes_no_result(make_runner: MakeRunner, times: int) -> None:
    whole = make_runner("whole.db")
    trio.run(whole.run)
    said: list[str] = []
    lobby = BrokenLobby("/2", times)
    runner = make_runner("broken.db", lobby=lobby, more={"tell": said.append})
    trio.run(runner.run)
    assert everything(runner.engine) == everything(whole.engine)
    reason = "Broken: the encoder failed"
    expected = [(2, number, "fault", reason) for number in range(times)] + [(2, times, "finished", "")]
    assert [row for row in rows(runner.engine, ATTEMPTS) if row[0] == 2] == expected
    assert len([line for line in said if reason in line]) == times
    assert not lobby.tables
    assert not runner.faults, "a bot is blamed for the arena's fault"


def test_a_fault_of_ours_that_does_not_go_away_ends_the_run_and_leaves_the_match_open(make_runner: MakeRunner) -> None:
    happenings: list[Happening] = []
    runner = make_runner(lobby=BrokenLobby("/2", 99), more={"observe": happenings.append})
    with pytest.raises(BaseExceptionGroup) as caught:
        trio.run(runner.run)
    assert "test/2" not in [one.at.match for one in happenings if isinstance(one, Parked)], "it is no match put aside"
    assert caught.group_contains(Broken)
    assert rows(runner.engine, "select count(*) from attempt where ended = 'fault'") == [(TRIES,)]
    assert rows(runner.engine, "select count(*) from result where fixture = 2") == [(0,)]
    assert rows(runner.engine, "select count(*) from league where finished_at is null") == [(1,)]
    assert rows(runner.engine, "select count(*) from attempt where ended is null") == [(0,)]
    again = make_runner()
    trio.run(again.run)
    assert again.finished == again.total


def test_an_error_of_the_database_is_one_line_and_ends_the_run(make_runner: MakeRunner) -> None:
    runner = make_runner()
    with runner.engine.begin() as connection:
        connection.exec_driver_sql("drop table fault")
        connection.exec_driver_sql("alter table deal rename to deals")
    with pytest.raises(DatabaseError, match=r"league\.db: no such table: deal$"):
        trio.run(runner.run)


@pytest.mark.parametrize("table", ["deal", "fixture", "attempt", "result"])
def test_so_is_one_while_something_is_read_in_a_run(make_runner: MakeRunner, table: str) -> None:
    runner = make_runner(schedule={"orbits": 8}, more={"budget": Budget(hours=1)})
    run_until(runner, 900)
    runner = make_runner(schedule={"orbits": 8}, more={"budget": Budget(hours=1)})
    with runner.engine.begin() as connection:
        connection.exec_driver_sql(f"alter table {table} rename to gone")
    with pytest.raises(DatabaseError, match=rf"league\.db: no such table: {table}$"):
        trio.run(partial(runner.run, lambda: True))


def test_errors_of_the_database_in_several_tasks_are_one_line(make_runner: MakeRunner) -> None:
    engine = make_runner().engine
    with pytest.raises(DBAPIError) as read:
        rows(engine, "select * from nowhere")
    inner = ExceptionGroup("a table", [read.value, DatabaseError("league.db: database or disk is full")])
    with pytest.raises(DatabaseError, match=r"league\.db: no such table: nowhere$"), in_one_line(engine):
        raise ExceptionGroup("of several", [inner])
    for ours in (Broken(), IntegrityError("insert", None, Exception())):
        with pytest.raises(ExceptionGroup), in_one_line(engine):
            raise ExceptionGroup("one is ours", [DatabaseError("full"), ours])


def test_a_gap_in_the_deals_is_refused_and_not_guessed_over(make_runner: MakeRunner) -> None:
    runner = make_runner()
    run_until(runner, 900)
    (fixture,) = rows(runner.engine, "select min(fixture) from deal where number > 0")[0]
    with runner.engine.begin() as connection:
        connection.exec_driver_sql("delete from seat_result")
        connection.exec_driver_sql("delete from result")
        connection.exec_driver_sql(f"delete from deal where fixture = {fixture} and number = 0")
    before = everything(runner.engine)
    with pytest.raises(DatabaseError, match=rf"fixture {fixture}: there is deal 1, but no deal 0"):
        trio.run(make_runner().run)
    assert everything(runner.engine) == before


IMPOSSIBLE = [
    *WORTHLESS,
    "update league set seats = 11",
    "update league set target = 0",
    "update fixture set round = -1",
    "update deal set number = -1 where fixture = 0 and number = 0",
    "update deal set moon = 10",
    "update deal set fixture = 99 where fixture = 0",
    "update result set deals = 0",
    "update result set \"end\" = 'boredom'",
    "update result set fixture = 99 where fixture = 0",
    "update seat_result set place = 0",
    "update seat_result set place = 11",
    "update seat_result set seat = 10 where seat = 0",
    "update seat_result set entrant = 77 where seat = 0",
    "update seat_result set entrant = 1",
    "update seat_result set moons = -1",
    "update attempt set ended = 'lost'",
    "update attempt set ended = null",
    "update attempt set reason = 'tired'",
    "insert into result (league_id, fixture, deals, \"end\", finished_at, seconds) values (1, 0, 1, 'target', '', 0)",
    "insert into attempt (league_id, fixture, number, started_at, reason) values (1, 0, 0, '', '')",
]


@pytest.mark.parametrize("statement", IMPOSSIBLE)
def test_the_schema_refuses_what_cannot_be(make_runner: MakeRunner, statement: str) -> None:
    runner = make_runner(bots=4)
    trio.run(runner.run)
    before = everything(runner.engine)
    with pytest.raises(IntegrityError), runner.engine.begin() as connection:
        connection.exec_driver_sql(statement)
    assert everything(runner.engine) == before


@pytest.mark.parametrize(("points", "refused"), [("[0, 0, 0, 16]", True), ("[0, 0, 0, 26]", False)])
def test_a_stopped_deal_is_worth_its_penalty_and_nothing_else(
    make_runner: MakeRunner, points: str, refused: bool
) -> None:
    runner = make_runner(bots=4, variant="omnibus", max_deals=2)
    trio.run(runner.run)
    stopped = f"update deal set moon = null, record = '{{\"stopped\": {{\"seat\": 3}}}}', points = '{points}'"
    with pytest.raises(IntegrityError) if refused else nullcontext(), runner.engine.begin() as connection:
        connection.exec_driver_sql(stopped)


@pytest.mark.parametrize("name", VARIANTS)
def test_points_of_a_deal_add_up_and_others_do_not(name: str, make_table: MakeTable, kept: list[PlayedDeal]) -> None:
    for players in VARIANTS[name].players:
        kept.clear()
        table = make_table([FakeSeat(chosen) for _ in range(players)], variant=name, max_deals=4)
        trio.run(table.play)
        assert kept
        for deal in kept:
            assert adds_up(table.rules, deal)
            if name != "widow":
                wrong = PlayedDeal(
                    deal.number,
                    deal.record,
                    (deal.points[0] + 1, *deal.points[1:]),
                    deal.moon,
                    deal.standings,
                    deal.thinking_s,
                    deal.faults,
                )
                assert not adds_up(table.rules, wrong)
