"""A run of a league: gateway, runner, progress and site side by side."""

import secrets
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio
from sqlalchemy import Engine
from sqlmodel import Session

from arena.cli.progress import Progress
from arena.gateway.bridge import Bridge, run
from arena.gateway.server import Gateway, News, open_gateway
from arena.league.config import LeagueFile
from arena.league.create import Opened, open_league
from arena.league.runner import Play, Runner
from arena.league.tokens import Tokens
from arena.rules.deck import SEED_BYTES
from arena.seat import Seat
from arena.store.database import open_database
from arena.store.league import count_fixtures, find_league

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
) -> None:
    """Create or resume the league, or each of the file's leagues, and play it to its end.

    ``bots`` is started when the gateway listens, for whoever brings the bots along. Errors of the user's are raised
    as ConfigError, DatabaseError and OSError, each one line.
    """
    site.mkdir(parents=True, exist_ok=True)
    engine = open_database(database, create=True)
    with Session(engine) as session, session.begin():
        opened = [
            (one, open_league(session=session, file=one, seed=secrets.token_bytes(SEED_BYTES))) for one in file.leagues
        ]

    async def main(bridge: Bridge) -> None:
        progress = Progress(say)
        async with open_gateway(
            bridge,
            address=file.server.address,
            authenticate=tokens.authenticate,
            league=file.name,
            notify=lambda news: progress.tell(_words(news)),
        ) as gateway:
            say(f"listening on {file.server.address.rpartition(':')[0]}:{gateway.port}")
            async with trio.open_nursery() as nursery:
                nursery.start_soon(progress.show, gateway)
                nursery.start_soon(_refresh, database, site, say)
                nursery.start_soon(bots, gateway)
                try:
                    for one, league in unfinished:
                        runner = progress.runner = _runner(engine, one, league, gateway)
                        await runner.run()
                        progress.finish()
                finally:
                    progress.close()  # what bots do from here on is no news
                    nursery.cancel_scope.cancel()

    unfinished = [(one, league) for one, league in opened if _describe(engine, one, league, say)]
    try:
        if unfinished:
            run(main)
        else:
            say("everything has been played")
    finally:
        engine.dispose()


def _describe(engine: Engine, file: LeagueFile, league: Opened, say: Callable[[str], None]) -> bool:
    """Print what is played in effect; True where a match is still open."""
    game, rules = file.game, file.rules
    with Session(engine) as session:
        finished, total = count_fixtures(session=session, league_id=league.id)
        row = find_league(session=session, name=league.name)
        assert row is not None
    changed = {key: value for key, value in rules.options.items() if key in game.options}
    say(
        f"league {league.name!r}: {game.variant}{f' {changed}' if changed else ''}, {league.ranked} bots at tables of"
        f" {game.seats}, to {game.target} points; {finished} of {total} matches are finished"
    )
    say(f"  rules {rules.hash}, schedule {row.schedule_hash[:16]}, deals committed to by {row.commitment}")
    return row.finished_at is None


def _runner(engine: Engine, file: LeagueFile, league: Opened, gateway: Gateway) -> Runner:
    game = file.game
    play = Play(file.rules, game.target, game.max_deals, file.time.control, file.policy, file.server.tables)
    return Runner(engine, league, play, Lobby(gateway, game.variant))


def _words(news: News) -> str:
    return f"{news.name}: {news.event.value}{': ' + news.reason if news.reason else ''}"


async def _refresh(database: str, site: Path, say: Callable[[str], None]) -> None:
    """Write the site as the league goes on, in a process of its own: the tables are not to wait for it.

    A page that cannot be written now is said, and is no reason to stop playing.
    """
    command = [sys.executable, "-m", "arena.cli", "report", "--db", database, "--site", str(site)]
    while True:
        await trio.sleep(SITE_EVERY_S)
        done = await trio.run_process(command, check=False, capture_stdout=True, capture_stderr=True)
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"]
            say(f"the site was not refreshed: {said[-1]}")
