"""An arena with a book of bots, beside which a test submits some."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import trio

from arena.bot import Choice, Refused, Turn, connect
from arena.bot.status import status
from arena.bot.submit import submit
from arena.cli.play import Lobby
from arena.cli.trials import BookOffice, follow
from arena.gateway.bridge import Bridge, run
from arena.gateway.check_exam import Patience
from arena.gateway.dialer import Terms
from arena.gateway.server import Gateway, News, open_gateway
from arena.gateway.trial_check import Bounds
from arena.league.tokens import Tokens
from arena.store.submission import Bot, Registry, Standing
from arena.v1 import arena_pb2 as pb
from tests.broken_bots import Bot as Scripted
from tests.gateway.peers import until

PATIENCE = Patience(connect_s=5.0, answer_s=0.5, slack_s=1.0, pong_s=2.0, quiet_s=0.1)
BOUNDS = Bounds(patience=PATIENCE, pauses_s=(0.01, 0.02))
TERMS = Terms(allow_private=True)


@dataclass
class Arena:
    """An arena with a book."""

    bridge: Bridge
    gateway: Gateway
    registry: Registry
    nursery: trio.Nursery
    news: list[News]
    tokens: dict[str, str] = field(default_factory=dict)
    invites: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.gateway.port}"

    async def submit(self, name: str, **entry: object) -> str:
        """By the kit's call, with the invitation of before where there is one; the token."""
        code = self.invites.setdefault(name, self.registry.invite())
        said = pb.Submission(invite=code, name=name, **entry)  # type: ignore[arg-type] # fields of different types
        admission = await trio.to_thread.run_sync(lambda: submit(said, arena=self.address))
        self.tokens[name] = admission.token
        return admission.token

    async def status(self, name: str) -> pb.BotStatus:
        """As its author asks."""
        return await trio.to_thread.run_sync(lambda: status(arena=self.address, token=self.tokens[name]))

    def bot(self, name: str) -> Bot:
        """Its entry."""
        return self.registry.book().find(name)

    async def judged(self, name: str) -> Bot:
        """Its entry, when its trial is over."""
        await until(lambda: self.bot(name).standing is not Standing.ON_TRIAL)
        return self.bot(name)

    def dial_in(self, name: str, kind: type[Scripted]) -> None:
        """One of the tests' bots, with its token."""
        bot = kind()
        bot.token = self.tokens[name]
        self.nursery.start_soon(self.bridge.aio, bot.run(self.address))

    async def scripted(self, name: str, kind: type[Scripted], **entry: object) -> None:
        """Submit it, and let it dial in."""
        await self.submit(name, **entry)
        self.dial_in(name, kind)

    def capacity(self, name: str) -> int:
        """At how many tables a league would seat it."""
        return Lobby(self.gateway, "classic", Tokens(registry=self.registry)).capacity(name)


def with_arena(
    tmp_path: Path, test: Callable[[Arena], Awaitable[None]], *, bounds: Bounds = BOUNDS, terms: Terms = TERMS
) -> Registry:
    """Run the test beside an arena whose book is empty."""
    registry = Registry(tmp_path / "bots.json")

    async def main(bridge: Bridge) -> None:
        news: list[News] = []
        with trio.fail_after(60):
            async with (
                open_gateway(
                    bridge,
                    address="127.0.0.1:0",
                    authenticate=registry.authenticate,
                    league="trials",
                    notify=news.append,
                    terms=terms,
                    office=BookOffice(registry),
                ) as gateway,
                trio.open_nursery() as nursery,
            ):
                nursery.start_soon(lambda: follow(bridge, gateway, registry, terms, bounds=bounds))
                await test(Arena(bridge, gateway, registry, nursery, news))
                nursery.cancel_scope.cancel()

    run(main)
    return registry


def kit(address: str, token: str, choose: Callable[[Turn], Choice], ends: list[str] | None = None) -> None:
    """A bot of the kit, until it is sent away."""
    try:
        connect(choose, address=address, token=token, patience_s=5)
    except Refused as error:
        if ends is not None:
            ends.append(str(error))
