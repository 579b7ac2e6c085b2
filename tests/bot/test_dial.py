"""The kit against a real gateway: plays, comes back, and stops for a reason."""

import itertools
import threading
from collections.abc import Awaitable, Callable

import pytest
import trio

from arena.bot import Choice, Choose, Refused, Turn, connect, dial
from arena.clock import TimeControl
from arena.fault import Consequence, Fault
from arena.gateway.bridge import Bridge, run
from arena.gateway.connection import Limits
from arena.gateway.server import Gateway, open_gateway
from arena.referee import Referee
from arena.rules.catalogue import rules
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.table import PlayedDeal, Table
from tests.gateway.peers import until


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long pauses."""
    monkeypatch.setattr(dial, "BACKOFF_S", (0.01, 0.02))


def first_legal(turn: Turn) -> Choice:
    return turn.legal[: turn.count]


async def play(
    gateway: Gateway, table: int, variant: str, names: list[str], control: TimeControl | None = None
) -> Table:
    """A match of one deal without a fault."""
    match, _ = await play_on(gateway, table, variant, names, control)
    assert not any(player.faults or player.strikes for player in match.players)
    return match


async def play_on(
    gateway: Gateway, table: int, variant: str, names: list[str], control: TimeControl | None = None
) -> tuple[Table, list[Fault]]:
    """A match of one deal, and its faults."""
    game = rules(variant, len(names))
    faults: list[Fault] = []

    async def keep(deal: PlayedDeal) -> None:
        faults.extend(deal.faults)

    match = Table(
        match_id=f"m{table}",
        rules=game,
        target=100,
        max_deals=1,
        seats=gateway.seats(table, names),
        referee=Referee(control or TimeControl(), itertools.count(1000 * table)),
        dealt=lambda number: dealt(bytes([table]) * 32, game, dealer_of(number, game.players)),
        keep=keep,
    )
    await match.play()
    return match, faults


class Bots:
    """Kits in threads of their own, and how each of them ended."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.ends: dict[str, str | Refused] = {}
        self.threads: list[threading.Thread] = []

    def start(self, name: str, choose: Choose = first_legal, patience_s: float = 0.1) -> None:
        def dial_in() -> None:
            try:
                self.ends[name] = connect(
                    choose, address=f"127.0.0.1:{self.gateway.port}", token=name, software="kit", patience_s=patience_s
                )
            except Refused as error:
                self.ends[name] = error

        self.threads.append(threading.Thread(target=dial_in))
        self.threads[-1].start()

    async def all_in(self, number: int) -> None:
        while sum(player.connected for player in self.gateway.players.values()) < number:
            await self.gateway.wait_change()

    async def ended(self, name: str) -> str | Refused:
        await until(lambda: name in self.ends)
        return self.ends[name]


def with_bots(test: Callable[[Bots], Awaitable[None]], limits: Limits | None = None) -> Bots:
    """Run the test with a gateway; afterwards it is closed and every bot has ended."""
    found = []

    async def main(bridge: Bridge) -> None:
        with trio.fail_after(40):
            async with open_gateway(
                bridge,
                address="127.0.0.1:0",
                authenticate=lambda token: token if token.isalpha() else None,
                league="kit",
                limits=limits,
            ) as gateway:
                found.append(Bots(gateway))
                await test(found[0])

    run(main)
    for thread in found[0].threads:
        thread.join(20)
        assert not thread.is_alive()
    return found[0]


@pytest.mark.parametrize(
    ("variant", "players"), [("classic", 4), ("domino", 4), ("widow", 3), ("cancellation", 7), ("black-lady", 3)]
)
def test_bots_of_the_kit_play_matches_without_a_fault(variant: str, players: int) -> None:
    names = ["ann", "bob", "cem", "dee", "eva", "fay", "gus"][:players]

    async def league(bots: Bots) -> None:
        for name in names:
            bots.start(name)
        await bots.all_in(players)
        async with trio.open_nursery() as nursery:
            for table in range(1, 5):
                nursery.start_soon(play, bots.gateway, table, variant, names[table % 3 :] + names[: table % 3])

    ends = with_bots(league).ends
    assert set(ends) == set(names)
    assert all("out of reach" in str(end) for end in ends.values())


@pytest.mark.parametrize("variant", ["classic", "widow"])
def test_an_author_s_slip_costs_a_retry_and_no_revoke(variant: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Nobody ever chooses what is legal; the kit corrects every answer, and all deals are played to their end."""

    async def league(bots: Bots) -> None:
        bots.start("ann", lambda turn: [face for face in range(52) if face not in turn.legal][: turn.count])
        await bots.all_in(1)
        match, faults = await play_on(bots.gateway, 1, variant, ["ann"] * 4)
        assert match.match.deals == 1
        assert faults
        assert {fault.consequence for fault in faults} == {Consequence.RETRY}
        assert not any(player.strikes or player.stops for player in match.players)

    with_bots(league)
    assert "the lowest legal cards are played instead" in capfd.readouterr().err


def test_the_kit_comes_back_after_a_lost_connection_and_answers_the_open_question() -> None:
    async def scenario(bots: Bots) -> None:
        asked = []

        def choose(turn: Turn) -> Choice:
            asked.append(turn.message.decision)
            return turn.legal[: turn.count]

        bots.start("ann", choose, patience_s=1)
        await bots.all_in(1)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, bots.gateway, 1, "classic", ["ann"] * 4)
            await until(lambda: len(asked) >= 20)
            bots.gateway.close()  # every connection, while the gateway stays
        assert len(asked) >= 56

    bots = with_bots(scenario)
    assert "out of reach" in str(bots.ends["ann"])


def test_a_wrong_token_is_refused_in_one_line() -> None:
    async def scenario(bots: Bots) -> None:
        bots.start("not-a-word")
        end = await bots.ended("not-a-word")
        assert isinstance(end, Refused)
        assert "token" in str(end)
        assert "\n" not in str(end)

    with_bots(scenario)


def test_a_bot_that_another_process_replaces_stops() -> None:
    async def scenario(bots: Bots) -> None:
        bots.start("ann", patience_s=20)
        await bots.all_in(1)
        address = f"127.0.0.1:{bots.gateway.port}"
        second = threading.Thread(target=lambda: connect(first_legal, address=address, token="ann", patience_s=0.1))
        bots.threads.append(second)
        second.start()
        end = await bots.ended("ann")
        assert isinstance(end, Refused)
        assert "newer connection" in str(end)

    with_bots(scenario)


def test_pings_are_answered_while_the_bot_thinks() -> None:
    limits = Limits(ping_s=0.05, dead_s=0.5)

    async def scenario(bots: Bots) -> None:
        thinking, enough = threading.Event(), threading.Event()

        def choose(turn: Turn) -> Choice:
            thinking.set()
            enough.wait(20)
            return turn.legal[: turn.count]

        bots.start("ann", choose)
        await bots.all_in(1)
        player = bots.gateway.players["ann"]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, bots.gateway, 1, "classic", ["ann"] * 4)
            await until(thinking.is_set)
            began = trio.current_time()
            await until(lambda: trio.current_time() > began + 3 * limits.dead_s)
            assert player.connected
            enough.set()

    with_bots(scenario, limits)


def test_an_arena_that_is_not_there_is_refused_after_the_patience() -> None:
    with pytest.raises(Refused, match="out of reach"):
        connect(first_legal, address="127.0.0.1:9", token="ann", patience_s=0.05)
