"""The new version against the old one: who sits where, when it stops, and what it says."""

from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.testing
from sqlmodel import Session

from arena.clock import TimeControl
from arena.house import choose
from arena.league.config import ConfigError, LeagueFile
from arena.league.create import open_league
from arena.league.gauntlet import Gauntlet, gauntlet_of, standing_words, verdict_words
from arena.league.runner import Play, Runner
from arena.seat import Request
from arena.stats.gauntlet import WATCHED_MIN, Plan, Verdict, group_gains, progress
from arena.store import read
from arena.store.database import open_database
from tests.fakes import Says, legal
from tests.league.scripted import SEED, FakeLobby, chosen, everything, rows

PLAN = Plan(groups_min=8, groups_max=40, groups_expected=20)


def ducking(request: Request, _attempt: int) -> Says:
    """As the house plays, which is better than anything at all."""
    return Says(choose(request.question, request.view))


def file_of(**game: object) -> LeagueFile:
    return LeagueFile.model_validate(
        {"name": "versions", "game": {"target": 20} | game, "bots": ({"name": "ada"}, {"name": "ada next"})}
    )


def make(path: Path, lobby: FakeLobby, plan: Plan = PLAN, tables: int = 4) -> tuple[Runner, Gauntlet]:
    made, players = gauntlet_of(file_of(), "ada next", "ada", plan)
    engine = open_database(str(path), create=True)
    with Session(engine) as session, session.begin():
        league = open_league(session=session, file=made, seed=SEED, players=players)
    play = Play(made.rules, made.game.target, None, TimeControl(), made.policy, tables)
    return Runner(engine, league, play, lobby), Gauntlet(engine, league, plan)


def play(runner: Runner, state: Gauntlet, stop_at: int | None = None) -> None:
    """To the verdict, or until so many matches are finished."""

    async def run() -> None:
        async with trio.open_nursery() as nursery:

            async def stop(matches: int) -> None:
                while runner.finished < matches:
                    await trio.testing.wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()

            if stop_at is not None:
                nursery.start_soon(stop, stop_at)
            await runner.run(lambda: state.wants_more(runner.total // 4))
            nursery.cancel_scope.cancel()

    trio.run(run)


def test_a_better_version_is_found_out_and_the_gauntlet_stops_by_itself(tmp_path: Path) -> None:
    lobby = FakeLobby(scripts={"ada next": ducking, "ada": chosen})
    plan = replace(PLAN, groups_min=WATCHED_MIN)  # late enough for an interval
    runner, state = make(tmp_path / "g.db", lobby, plan)
    play(runner, state)
    found = state.look()
    assert found.verdict is Verdict.BETTER
    assert found.interval is not None
    assert found.interval.low > 0
    assert plan.groups_min <= found.groups < plan.groups_max
    assert runner.finished == runner.total < plan.groups_max * 4
    assert rows(runner.engine, "select finished_at is not null from league") == [(1,)]
    assert sorted({tuple(sorted(names)) for names in lobby.seated}) == [("ada", "ada", "ada", "ada next")]
    said = "\n".join(verdict_words(found, "ada next", "ada", plan))
    assert said.startswith("ada next is better than ada: in these matches it took ")
    low, high = found.interval.low, found.interval.high
    assert f"and between {low:+.2f} and {high:+.2f} with 95 % confidence" in said
    assert f"95 % {low:+.2f} to {high:+.2f}" in standing_words(found)
    assert said.endswith("wrong in at most about 5% of gauntlets")


def test_a_worse_version_is_not_called_better(tmp_path: Path) -> None:
    plan = Plan(better=2.0, groups_min=8, groups_max=40, groups_expected=20)
    runner, state = make(tmp_path / "g.db", FakeLobby(scripts={"ada next": chosen, "ada": ducking}), plan)
    play(runner, state)
    assert state.look().verdict is Verdict.NOT_BETTER
    assert "is not better" in verdict_words(state.look(), "ada next", "ada", plan)[0]


def test_every_deal_is_played_with_the_new_one_in_every_seat(tmp_path: Path) -> None:
    runner, state = make(tmp_path / "g.db", FakeLobby())
    play(runner, state, stop_at=20)
    with Session(runner.engine) as session:
        fixtures = read.fixtures(session=session, league=1)
        names = [one.name for one in read.entrants(session=session, league=1)]
    assert names == ["ada next", "ada", "ada (2)", "ada (3)"]
    by_stream: dict[str, set[int]] = {}
    for one in fixtures:
        by_stream.setdefault(one.stream, set()).add(one.seats.index(0))
    assert set(map(frozenset, by_stream.values())) == {frozenset(range(4))}


def test_a_gauntlet_that_was_stopped_goes_on_to_the_same_verdict(tmp_path: Path) -> None:
    scripts = {"ada next": ducking, "ada": chosen}
    whole, at_once = make(tmp_path / "whole.db", FakeLobby(scripts=scripts), tables=1)
    play(whole, at_once)
    for matches in (5, 17, 30):
        play(*make(tmp_path / "cut.db", FakeLobby(scripts=scripts), tables=1), stop_at=matches)
    runner, state = make(tmp_path / "cut.db", FakeLobby(scripts=scripts), tables=1)
    play(runner, state)
    assert state.look() == at_once.look()
    assert everything(runner.engine) == everything(whole.engine)


def test_tables_that_are_faster_do_not_change_the_verdict(tmp_path: Path) -> None:
    """Groups count in the order of the schedule, however many tables there are."""
    scripts = {"ada next": ducking, "ada": chosen}
    found = set()
    for tables in (1, 3, 16):
        runner, state = make(tmp_path / f"{tables}.db", FakeLobby(capacity=99, scripts=scripts), tables=tables)
        play(runner, state)
        found.add(state.look())
    assert len(found) == 1


def test_what_it_says_is_what_the_statistics_say_of_the_same_rows(tmp_path: Path) -> None:
    runner, state = make(tmp_path / "g.db", FakeLobby(scripts={"ada next": ducking}))
    play(runner, state, stop_at=30)
    found = state.look()
    with Session(runner.engine) as session:
        matches = read.as_match_rows(
            read.entrants(session=session, league=1),
            read.fixtures(session=session, league=1),
            read.results(session=session, league=1),
        )
    complete = [row for row in matches if row.orbit < len(state.gains)]
    assert found == progress(group_gains(complete, "ada next"), PLAN)
    assert f"{found.groups} groups" in standing_words(found)
    assert state.look() == found


def test_no_more_groups_than_the_most(tmp_path: Path) -> None:
    plan = Plan(better=0.0001, groups_min=2, groups_max=4, groups_expected=3)
    runner, state = make(tmp_path / "g.db", FakeLobby(scripts={"ada next": legal}), plan)
    play(runner, state)
    assert state.look().verdict is Verdict.UNDECIDED
    assert runner.total == 16
    assert "too much alike" in verdict_words(state.look(), "ada next", "ada", plan)[0]
    with Session(runner.engine) as session:
        (league,) = read.leagues(session=session)
    assert league.finished_at
    found = progress(state.gains, replace(plan, groups_max=plan.groups_max + 1))
    assert found.verdict is Verdict.OPEN
    said, gain = verdict_words(found, "ada next", "ada", plan, finished=True)
    assert "not known yet; this gauntlet is finished" in said
    assert found.interval is None, "too few groups for one"
    assert gain == f"  after 4 groups the gain is {found.gain:+.2f} points a deal"


@pytest.mark.parametrize(
    ("new", "old", "said"),
    [
        ("ada nxt", "ada", "no bot 'ada nxt'; did you mean 'ada next'"),
        ("ada", "ada", "cannot be both"),
        ("ada", "bob", "no bot 'bob'"),
    ],
)
def test_who_is_not_in_the_league_is_named(new: str, old: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        gauntlet_of(file_of(), new, old, PLAN)


def test_a_new_version_that_is_called_as_a_copy_of_the_old_one_is_said() -> None:
    file = LeagueFile.model_validate({"name": "versions", "bots": ({"name": "ada"}, {"name": "ada (2)"})})
    with pytest.raises(ConfigError, match=r"^bots: the name 'ada \(2\)' is there twice"):
        gauntlet_of(file, "ada (2)", "ada", PLAN)


def test_a_gauntlet_too_long_is_said() -> None:
    with pytest.raises(ConfigError, match=r"^schedule\.orbits: .* not 2000000$"):
        gauntlet_of(file_of(), "ada next", "ada", Plan(groups_min=2_000_000, groups_max=2_000_000))


def test_the_settings_are_those_of_the_file() -> None:
    file = file_of(variant="cancellation", seats=7, revoke="substitute")
    made, players = gauntlet_of(file, "ada", "ada next", PLAN)
    assert (made.game, made.time, made.server, made.tokens) == (file.game, file.time, file.server, file.tokens)
    assert players == ("ada", *["ada next"] * 6)
    assert [bot.name for bot in made.bots][-1] == "ada next (6)"
