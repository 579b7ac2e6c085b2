"""A bot that plays is put on trial again, and loses no match by it, whoever has dialled whom and whoever examines."""

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
import trio

from arena.bot import Choice, Turn, dial
from arena.bot.status import lines
from arena.cli import trials
from arena.cli.trials import BookOffice, follow
from arena.clock import TimeControl
from arena.gateway import dialer
from arena.gateway.check_exam import Patience
from arena.gateway.server import Event, Gateway, open_gateway
from arena.gateway.trial_check import Bounds
from arena.store.submission import Bot, Registry, Standing
from tests.bot.served import Served
from tests.bot.test_dial import first_legal, play
from tests.gateway.peers import Way, until
from tests.ports import kept
from tests.trials import TERMS, Arena, kit, with_arena

BOUNDS = Bounds(patience=Patience(answer_s=60, quiet_s=0.1), pauses_s=(0.01, 0.02))
DRAINS = "its matches in play come to their end first"
ELSEWHERE = "another arena with this book of bots dials it"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No long pauses."""
    monkeypatch.setattr(trials, "FOLLOW_EVERY_S", 0.01)
    monkeypatch.setattr(dial, "BACKOFF_S", (0.01, 0.02))
    monkeypatch.setattr(dialer, "PAUSES_S", (0.01, 0.02))


@dataclass
class Thinks:
    """A bot that holds back what it says in a league's match until the test lets it go on."""

    asked: threading.Event = field(default_factory=threading.Event)
    free: threading.Event = field(default_factory=threading.Event)

    def __call__(self, turn: Turn) -> Choice:
        """The first legal cards."""
        if turn.match == "m1":
            self.asked.set()
            assert self.free.wait(60)
        return first_legal(turn)


@asynccontextmanager
async def duck(arena: Arena, way: Way, thinks: Thinks) -> AsyncIterator[list[str]]:
    """It is admitted and there, in a thread; why the arena sent it away, where it dials in."""
    ends: list[str] = []
    ports = ExitStack()
    if way is Way.OUT:
        port = ports.enter_context(kept())  # the bot needs its token first
        token = arena.registry.enter(Bot("Duck", "", f"127.0.0.1:{port}"), None)
        stop: Callable[[], None] = Served(thinks, token=token, port=port).stop
    else:
        token = arena.registry.enter(Bot("Duck", ""), None)
        thread = threading.Thread(target=kit, args=(arena.address, token, thinks, ends))
        thread.start()
        stop = thread.join
    arena.tokens["Duck"] = token
    try:
        await until(lambda: arena.capacity("Duck"))
        yield ends
    finally:
        with trio.CancelScope(shield=True):
            thinks.free.set()
            arena.registry.suspend("Duck")
            await until(lambda: not arena.gateway.player("Duck").connected)
            await trio.to_thread.run_sync(stop)
            ports.close()


@asynccontextmanager
async def in_a_match(arena: Arena, thinks: Thinks) -> AsyncIterator[None]:
    """Duck has been asked at a table; at the end of the block it answers, and had no fault when the match is over."""
    control = TimeControl(move_s=300, bank_s=600, grace_s=300)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(play, arena.gateway, 1, "classic", ["Duck"] * 4, control))
        await until(thinks.asked.is_set)
        yield
        thinks.free.set()


def cuts(arena: Arena) -> list[str]:
    """Why connections of Duck have ended so far."""
    return [one.reason for one in arena.news if (one.event, one.name) == (Event.DISCONNECTED, "Duck")]


def doing(gateway: Gateway) -> str:
    return gateway.anteroom.doing("Duck")


async def asked_to_be_examined(arena: Arena) -> None:
    """The operator asks for it, and the arena waits for the bot's matches."""
    arena.registry.examine("Duck")
    await until(lambda: doing(arena.gateway) == DRAINS)


@pytest.mark.parametrize("way", Way, ids=lambda way: way.value)
def test_a_bot_is_examined_when_its_matches_are_over(way: Way, tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        thinks = Thinks()
        async with duck(arena, way, thinks):
            async with in_a_match(arena, thinks):
                await asked_to_be_examined(arena)
                assert lines(await arena.status("Duck")) == [f"Duck is on trial: {DRAINS}"]
                assert arena.capacity("Duck") == 0, "it gets no more matches"
            assert cuts(arena) == []
            arena.gateway.forget(1)
            assert (await arena.judged("Duck")).plays
            assert cuts(arena)[0] == "its trial begins"
            await until(lambda: arena.capacity("Duck"))

    with_arena(tmp_path, test, bounds=BOUNDS)


@pytest.mark.parametrize("way", Way, ids=lambda way: way.value)
def test_a_bot_that_is_to_be_examined_comes_back_to_its_match(way: Way, tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        thinks = Thinks()
        async with duck(arena, way, thinks):
            async with in_a_match(arena, thinks):
                await asked_to_be_examined(arena)
                arena.gateway.close()  # every connection, while the gateway stays
                await until(lambda: cuts(arena))
                thinks.free.set()  # or it does not look up
                await until(lambda: arena.gateway.player("Duck").connected)
                assert doing(arena.gateway) == DRAINS
            arena.gateway.forget(1)
            assert (await arena.judged("Duck")).plays

    with_arena(tmp_path, test, bounds=BOUNDS)


@pytest.mark.parametrize("way", Way, ids=lambda way: way.value)
def test_what_another_arena_finds_ends_no_match_here(way: Way, tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        thinks = Thinks()
        async with duck(arena, way, thinks) as ends:
            async with in_a_match(arena, thinks):
                arena.registry.judge(arena.bot("Duck"), Standing.REFUSED, "ready: never")
                await until(lambda: doing(arena.gateway) == DRAINS)
            assert cuts(arena) == []
            arena.gateway.forget(1)
            await until(lambda: cuts(arena))
            assert cuts(arena) == ["it has failed its trial: ready: never"]
        assert way is Way.OUT or "failed its trial" in ends[0]

    with_arena(tmp_path, test, bounds=BOUNDS)


@asynccontextmanager
async def receiving(arena: Arena) -> AsyncIterator[Gateway]:
    """`arena bots receive` with the same book, as in another process."""
    registry = Registry(arena.registry.path)
    async with (
        open_gateway(
            arena.bridge,
            address="127.0.0.1:0",
            authenticate=registry.authenticate,
            league="submissions",
            terms=TERMS,
            office=BookOffice(registry),
        ) as gateway,
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(partial(follow, arena.bridge, gateway, registry, TERMS, bounds=BOUNDS, seat=False))
        yield gateway
        nursery.cancel_scope.cancel()


def test_another_arena_does_not_dial_a_bot_that_plays_here(tmp_path: Path) -> None:
    """The bot would hang up on the one that it plays with."""

    async def test(arena: Arena) -> None:
        thinks = Thinks()
        async with receiving(arena) as other, duck(arena, Way.OUT, thinks):
            async with in_a_match(arena, thinks):
                await asked_to_be_examined(arena)
                await until(lambda: other.player("Duck").last_reason == ELSEWHERE)
            assert cuts(arena) == []
            arena.gateway.forget(1)
            assert (await arena.judged("Duck")).plays

    with_arena(tmp_path, test, bounds=BOUNDS)


def test_a_bot_is_dialled_to_play_when_no_other_arena_dials_it(tmp_path: Path) -> None:
    async def test(arena: Arena) -> None:
        give_up = Registry(arena.registry.path).claim("Duck")
        assert give_up is not None
        arena.registry.enter(Bot("Duck", "", "127.0.0.1:9"), None)
        await until(lambda: arena.gateway.player("Duck").last_reason == ELSEWHERE)
        give_up()
        await until(lambda: "Connection refused" in arena.gateway.player("Duck").last_reason)

    with_arena(tmp_path, test, bounds=BOUNDS)
