"""The bot in JavaScript in the real arena: every game, whole leagues in both directions, lost connections."""

from collections import defaultdict
from pathlib import Path

import pytest
import trio
from sqlalchemy import text
from sqlmodel import Session

from arena.cli.play import Lobby, playing
from arena.gateway import wire
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Dial, Terms
from arena.gateway.server import Event, Gateway, open_gateway
from arena.league.config import LeagueFile
from arena.league.create import open_league
from arena.league.runner import Runner
from arena.rules.catalogue import rules
from arena.store.database import open_database
from tests.gateway.peers import until
from tests.js.bot import PATIENCE_S, bot, missing, serving
from tests.js.matches import SERVE, arrived, deals
from tests.strategies import TABLES

SEED = bytes(range(32))

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


def test_it_plays_every_game_at_once_legally_and_better_than_chance() -> None:
    points: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            async with open_gateway(
                bridge, address="127.0.0.1:0", authenticate=lambda token: token, league="all"
            ) as gateway:
                with bot("--arena", f"127.0.0.1:{gateway.port}", "--tables", "100"):
                    await arrived(gateway, "ann")
                    assert gateway.player("ann").tables == 100
                    async with trio.open_nursery() as nursery:
                        for table, game in enumerate(TABLES, 1):
                            nursery.start_soon(deals, gateway, table, game, 6, points[game.name])

    run(main)
    assert len(points) == 10
    for name, found in points.items():
        own, others = (sum(found[who]) / len(found[who]) for who in ("ann", "random"))
        assert own < 0.75 * others, f"{name}: {own:.2f} a deal, and {others:.2f} at random"


LEAGUE = {
    "name": "two of them",
    "schedule": {"orbits": 1},
    "time": {"move_s": 60.0, "bank_s": 600.0},
    "bots": ({"name": "ann"}, {"name": "bob"}),  # and two of the house
}


@pytest.mark.parametrize("direction", ["dial-in", "dial-out"])
@pytest.mark.parametrize("variant", ["classic", "domino"])
def test_a_league_is_played_through_both_directions(variant: str, direction: str, tmp_path: Path) -> None:
    """Two processes of the bot; one of them always dials in."""
    file = LeagueFile.model_validate(LEAGUE | {"game": {"variant": variant, "target": 25}})

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            async with open_gateway(
                bridge,
                address="127.0.0.1:0",
                authenticate=lambda token: token,
                league=file.name,
                terms=Terms(allow_private=True),
            ) as gateway:
                arena = f"127.0.0.1:{gateway.port}"
                out = direction == "dial-out"
                with bot("--arena", arena, token="bob"), bot(*(SERVE if out else ("--arena", arena))) as ann:
                    if out:
                        gateway.dial(Dial("ann", serving(ann), wire.key_of("ann")))
                    await play(file, gateway, tmp_path / "league.db")

    run(main)


def test_the_arena_dials_again_and_the_match_goes_on() -> None:
    """Every connection is cut in mid-deal; the service is dialled anew and answers the open question."""
    points: dict[str, list[int]] = defaultdict(list)
    news: list[Event] = []
    game = rules("classic", 4)

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S), bot(*SERVE) as ann:
            async with open_gateway(
                bridge,
                address="127.0.0.1:0",
                authenticate=lambda token: token,
                league="again",
                dial=[Dial("ann", serving(ann), wire.key_of("ann"))],
                terms=Terms(allow_private=True),
                notify=lambda one: news.append(one.event),
            ) as gateway:
                await arrived(gateway, "ann")
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(deals, gateway, 1, game, 30, points)
                    await until(lambda: len(points["ann"]) >= 3)
                    gateway.close()  # every connection, while the gateway stays
                    await until(lambda: Event.DISCONNECTED in news)
                    assert len(points["ann"]) < 30

    run(main)
    assert news[:3] == [Event.CONNECTED, Event.DISCONNECTED, Event.CONNECTED]
    assert len(points["ann"]) == 30


async def play(file: LeagueFile, gateway: Gateway, database: Path) -> None:
    """The whole league; every match has its result, and nobody has a fault."""
    engine = open_database(str(database), create=True)
    try:
        with Session(engine) as session, session.begin():
            league = open_league(session=session, file=file, seed=SEED)
        lobby = Lobby(gateway, file.game.variant)
        runner = Runner(engine, league, playing(file), lobby, software=lobby.software, forget=gateway.forget)
        await runner.run()
        assert (runner.finished, runner.total, runner.parked) == (4, 4, 0)
        with engine.connect() as connection:

            def one(query: str) -> object:
                return connection.execute(text(query)).scalar()

            assert one("select count(*) from result") == 4
            assert one("select count(*) from seat_result where faults > 0") == 0
            assert one("select count(*) from fault") == 0
            assert one("select finished_at is not null from league") == 1
            assert str(one("select software from entrant where name = 'ann'")).startswith("javascript")
    finally:
        engine.dispose()
