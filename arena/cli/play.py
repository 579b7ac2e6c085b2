"""A run of a league: gateway, runner, progress and site side by side."""

import secrets
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio
from sqlmodel import Session

from arena.cli.progress import Progress
from arena.gateway.bridge import Bridge, run
from arena.gateway.server import Gateway, News, open_gateway
from arena.league.config import LeagueFile
from arena.league.create import open_league
from arena.league.runner import Play, Runner
from arena.league.tokens import Tokens
from arena.seat import Seat
from arena.store.database import open_database

SITE_EVERY_S = 20.0


@dataclass(frozen=True, slots=True)
class Lobby:
    """The gateway's bots that play this variant."""

    gateway: Gateway
    variant: str

    def capacity(self, name: str) -> int:
        """At how many tables the bot may be at once; 0 when it is away or does not play the variant."""
        player = self.gateway.players.get(name)
        if player is None or (player.variants and self.variant not in player.variants):
            return 0
        return player.tables

    def seats(self, table: int, names: Sequence[str]) -> Sequence[Seat]:
        """Seats at one table."""
        return self.gateway.seats(table, names)

    async def wait_change(self) -> None:
        """Until somebody has come or gone."""
        await self.gateway.wait_change()


async def nothing(_gateway: Gateway) -> None:
    """For a league whose bots come by themselves."""


def play_league(
    file: LeagueFile,
    *,
    database: str,
    site: Path,
    tokens: Tokens,
    say: Callable[[str], None],
    bots: Callable[[Gateway], Awaitable[None]] = nothing,
) -> bool:
    """Create or resume the league and play it to its end; True when it is finished.

    ``bots`` is started when the gateway listens, for whoever brings the bots along. Errors of the user's are raised
    as ConfigError, DatabaseError and OSError, each one line.
    """
    site.mkdir(parents=True, exist_ok=True)
    engine = open_database(database, create=True)
    with Session(engine) as session, session.begin():
        league = open_league(session=session, file=file, seed=secrets.token_bytes(32))
    game, rules = file.game, file.rules
    play = Play(rules, game.target, game.max_deals, file.time.control, file.policy, file.server.tables)
    changed = {key: value for key, value in rules.options.items() if key in game.options}
    say(
        f"league {league.name!r}: {game.variant}{f' {changed}' if changed else ''}, {game.seats} seats,"
        f" to {game.target} points, rules {rules.hash}; {league.ranked} bots"
    )

    async def main(bridge: Bridge) -> bool:
        progress = Progress(say)
        async with open_gateway(
            bridge,
            address=file.server.address,
            authenticate=tokens.authenticate,
            league=league.name,
            notify=lambda news: progress.tell(_words(news)),
        ) as gateway:
            runner = Runner(engine, league, play, Lobby(gateway, game.variant))
            say(f"{runner.finished} of {runner.total} matches are finished; schedule and commitment are in {database}")
            if runner.finished == runner.total:
                await runner.run()
                return True
            say(f"listening on {file.server.address.rpartition(':')[0]}:{gateway.port}")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(progress.show, runner, gateway)
                nursery.start_soon(_refresh, database, site)
                nursery.start_soon(bots, gateway)
                try:
                    await runner.run()
                finally:
                    progress.close(runner)  # what bots do from here on is no news
                    nursery.cancel_scope.cancel()
        return True

    try:
        return run(main)
    finally:
        engine.dispose()


def _words(news: News) -> str:
    return f"{news.name}: {news.event.value}{': ' + news.reason if news.reason else ''}"


async def _refresh(database: str, site: Path) -> None:
    """Write the site as the league goes on, in a process of its own: the tables are not to wait for it."""
    while True:
        await trio.sleep(SITE_EVERY_S)
        await trio.run_process(
            [sys.executable, "-m", "arena.cli", "report", "--db", database, "--site", str(site)]
        )
