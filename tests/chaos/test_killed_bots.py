"""A bot is killed in each phase of a match: the arena notices at once, and the match goes on."""

import itertools
import sys
from collections.abc import Awaitable, Callable

import pytest
import trio

from arena.clock import TimeControl
from arena.fault import Consequence, Kind
from arena.gateway.bridge import Bridge, run
from arena.gateway.connection import Limits
from arena.gateway.player import Player
from arena.gateway.server import Event, Gateway, News, open_gateway
from arena.house import HouseSeat
from arena.referee import Referee
from arena.rules.catalogue import rules
from arena.rules.deal import Ask
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.seat import Seat
from arena.table import PlayedDeal, Table
from tests.chaos.league import ROOT
from tests.gateway.peers import until

PATIENCE_S = 60.0  # a test that hangs fails after it; nothing is measured by it
MOVE_S = 3.0  # so long that a connection is missed before it is over, and short enough to be waited for
GAME = rules("classic", 4)


async def with_bot(bridge: Bridge, manner: str, scenario: Callable[["Scene"], Awaitable[None]]) -> None:
    """A gateway, and a process with one bot."""
    news: list[News] = []
    async with open_gateway(
        bridge,
        address="127.0.0.1:0",
        authenticate=lambda token: token,
        league="the test",
        limits=Limits(ping_s=1000.0),  # it is the connection itself that tells
        notify=news.append,
    ) as gateway:
        command = [sys.executable, "-m", "tests.chaos.bots", f"127.0.0.1:{gateway.port}", f"ann:{manner}:1"]
        process = await trio.lowlevel.open_process(command, cwd=ROOT)
        try:
            await scenario(Scene(gateway, news, process))
        finally:
            if process.returncode is None:
                process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()


class Scene:
    """What a scenario may look at."""

    def __init__(self, gateway: Gateway, news: list[News], process: trio.Process) -> None:
        self.gateway, self.news, self.process = gateway, news, process
        self.deals: list[PlayedDeal] = []
        self.between: Callable[[PlayedDeal], Awaitable[None]] | None = None

    @property
    def ann(self) -> Player:
        return self.gateway.player("ann")

    async def play(self) -> Table:
        """A match of three deals against the house."""

        async def keep(deal: PlayedDeal) -> None:
            self.deals.append(deal)
            if self.between is not None:
                await self.between(deal)

        seats: list[Seat] = [*self.gateway.seats(1, ["ann"]), *(HouseSeat(f"house {one}") for one in range(3))]
        table = Table(
            "kill/0", GAME, 1000, 3, seats, Referee(TimeControl(MOVE_S, 60.0, 0.5, 0.1), itertools.count(1)),
            lambda number: dealt(bytes([number]) * 32, GAME, dealer_of(number, 4)), keep,
        )  # fmt: skip
        result = await table.play()
        assert len(self.deals) == 3
        assert result.forfeited == (True, False, False, False)
        assert result.places[0] == 4
        assert self.gateway.players["ann"].pending == {}
        return table

    async def kill(self) -> None:
        """And wait until the arena knows."""
        self.process.kill()
        await until(lambda: not self.ann.connected)


@pytest.mark.parametrize(("manner", "ask"), [("hang_pass", Ask.PASS), ("hang_play", Ask.PLAY)])
def test_killed_while_it_is_asked(manner: str, ask: Ask) -> None:
    async def scenario(scene: Scene) -> None:
        await until(lambda: scene.ann.connected)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(scene.play)
            await until(lambda: scene.ann.pending)
            await until(
                lambda: any(one.request and one.request.question.ask is ask for one in scene.ann.pending.values())
            )
            ((decision, seat),) = scene.ann.pending.items()
            await scene.kill()
            # missed before the question's time was over, which is what would have told otherwise
            assert list(scene.ann.pending.items()) == [(decision, seat)]
        (fault,) = [fault for deal in scene.deals for fault in deal.faults]
        assert (fault.kind, fault.ask, fault.consequence) == (Kind.UNREACHABLE, ask.value, Consequence.STAND_IN)
        assert "connection was lost" in fault.reason

    _run(manner, scenario)


def test_killed_between_two_deals() -> None:
    async def scenario(scene: Scene) -> None:
        await until(lambda: scene.ann.connected)

        async def between(deal: PlayedDeal) -> None:
            if deal.number == 0:
                await scene.kill()

        scene.between = between
        await scene.play()
        assert [len(deal.faults) for deal in scene.deals] == [0, 1, 0]
        assert scene.deals[1].faults[0].kind is Kind.UNREACHABLE

    _run("honest", scenario)


def test_killed_before_it_has_said_hello() -> None:
    async def scenario(scene: Scene) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(scene.play)  # its seat is not refused, and nobody waits for longer than the grace
            await until(lambda: scene.process.returncode is None and scene.deals)
            scene.process.kill()
        await until(lambda: Event.REFUSED in [one.event for one in scene.news])
        assert not scene.ann.connected
        assert Event.CONNECTED not in [one.event for one in scene.news]

    _run("mute", scenario)


def _run(manner: str, scenario: Callable[[Scene], Awaitable[None]]) -> None:
    async def main(bridge: Bridge) -> None:
        with trio.fail_after(PATIENCE_S):
            await with_bot(bridge, manner, scenario)

    run(main)
