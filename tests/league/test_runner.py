"""A league played by scripted seats on a real database, whole and interrupted."""

import random
from collections.abc import Callable

import pytest
import trio
from sqlalchemy import text

from arena.league.config import ConfigError
from arena.league.runner import Runner
from tests.league.scripted import FakeLobby, everything, run_until


def test_every_fixture_is_played_once(make_runner: Callable[..., Runner]) -> None:
    runner = make_runner()
    trio.run(runner.run)
    assert runner.finished == runner.total == 5
    with runner.engine.connect() as connection:
        assert connection.execute(text("select count(*) from result")).scalar() == 5
        assert connection.execute(text("select finished_at is not null from league")).scalar() == 1


def test_a_finished_league_is_not_played_again(make_runner: Callable[..., Runner]) -> None:
    first = make_runner()
    trio.run(first.run)
    before = everything(first.engine)
    again = make_runner()
    trio.run(again.run)
    assert again.decisions.count == 0
    assert everything(again.engine) == before


def test_a_league_that_is_cut_off_anywhere_ends_as_the_uninterrupted_one(make_runner: Callable[..., Runner]) -> None:
    whole = make_runner("whole.db")
    trio.run(whole.run)
    rng = random.Random(1)
    cuts = 0
    while True:
        runner = make_runner("cut.db")
        limit = rng.randrange(1, 400)
        run_until(runner, limit)
        if runner.finished == runner.total:
            break
        cuts += 1
    assert cuts > 3
    assert everything(runner.engine) == everything(whole.engine)


def test_no_bot_is_ever_at_more_tables_than_it_said(make_runner: Callable[..., Runner]) -> None:
    lobby = FakeLobby(capacity=2)
    runner = make_runner(lobby=lobby, bots=8)
    most: list[int] = []

    async def watch() -> None:
        async with trio.open_nursery() as nursery:

            async def look() -> None:
                while True:
                    most.append(max(runner.busy.values(), default=0))
                    await trio.lowlevel.checkpoint()

            nursery.start_soon(look)
            await runner.run()
            nursery.cancel_scope.cancel()

    trio.run(watch)
    assert max(most) == 2
    assert runner.finished == runner.total == 56


def test_a_bot_that_is_away_is_waited_for_while_others_play(make_runner: Callable[..., Runner]) -> None:
    lobby = FakeLobby()
    lobby.capacities["bot 0"] = 0
    runner = make_runner(lobby=lobby)

    async def come_back() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner.run)
            while runner.finished < 1:
                await trio.lowlevel.checkpoint()
            assert runner.waiting_for == ("bot 0",)
            assert all("bot 0" not in names for names in lobby.seated)
            del lobby.capacities["bot 0"]
            lobby.changed.set()

    trio.run(come_back)
    assert runner.finished == runner.total


def test_house_bots_fill_up_and_are_not_ranked(make_runner: Callable[..., Runner]) -> None:
    runner = make_runner(bots=2)
    trio.run(runner.run)
    assert runner.finished == runner.total
    with runner.engine.connect() as connection:
        rows = connection.execute(text("select name, ranked from entrant order by number")).all()
    assert [tuple(row) for row in rows] == [("bot 0", 1), ("bot 1", 1), ("house 1", 0), ("house 2", 0)]


def test_a_league_keeps_its_settings(make_runner: Callable[..., Runner]) -> None:
    make_runner()
    with pytest.raises(ConfigError, match=r"game\.target was 40 and is 50"):
        make_runner(target=50)


def test_a_league_without_its_seed_is_not_played_on_with_other_cards(make_runner: Callable[..., Runner]) -> None:
    with make_runner().engine.begin() as connection:
        connection.execute(text("update league set seed = ''"))
    with pytest.raises(ConfigError, match="without its seed"):
        make_runner()


def test_the_deals_of_a_stream_are_the_same_at_all_its_tables(make_runner: Callable[..., Runner]) -> None:
    runner = make_runner(bots=8)
    trio.run(runner.run)
    with runner.engine.connect() as connection:
        rows = connection.execute(
            text(
                "select f.stream, d.number, d.record from deal d join fixture f"
                " on f.league_id = d.league_id and f.number = d.fixture"
            )
        ).all()
    hands: dict[tuple[str, int], set[str]] = {}
    for stream, number, record in rows:
        hands.setdefault((stream, number), set()).add(record.split('"passes"')[0])
    assert all(len(found) == 1 for found in hands.values())
    assert len(hands) == len({found.pop() for found in hands.values()})
