"""A run of a league: gateway, runner, progress and site side by side.

With a budget, a file's leagues are all played to their minimum first, and then grow in turn, by an orbit each. Ctrl-C
and SIGTERM put aside what is in play, at its last complete deal, and end the run with status 130 or 143.
"""

import math
import secrets
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import trio
from sqlalchemy import Engine
from sqlmodel import Session

from arena.cli.garbage import keep_what_is_there
from arena.cli.progress import Progress
from arena.cli.trials import BookOffice, follow
from arena.cli.watch import Watched, Watcher
from arena.cli.words import count
from arena.gateway import listen
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Terms
from arena.gateway.server import Gateway, News, open_gateway
from arena.gateway.tape import Kept
from arena.gateway.tls import ClientTls, ServerTls
from arena.league.budget import Budget
from arena.league.config import LeagueFile, Server
from arena.league.create import Opened, awaits_beacon, give_beacon, open_league, shown_beacon
from arena.league.decisions import Decisions
from arena.league.happenings import Happening
from arena.league.runner import Play, Runner, unheard
from arena.league.tokens import Tokens
from arena.rules.deck import SEED_BYTES
from arena.seat import Seat
from arena.store.database import in_one_line, open_database
from arena.store.league import count_fixtures, find_league
from arena.store.lock import busy, sole_arena

SITE_EVERY_S = 20.0
KEEP_EVERY_S = 1.0
KEEP_TRIES = 3
PATIENCE_S = 2.0  # without a table in play, until another league has its turn
NO_TOKENS = Tokens()


@dataclass(frozen=True, slots=True)
class Lobby:
    """The gateway's bots that play this variant."""

    gateway: Gateway
    variant: str
    tokens: Tokens = NO_TOKENS

    def capacity(self, name: str) -> int:
        """At how many tables the bot may be at once; 0 when it is away, not admitted, or does not play the variant.

        It is bound by what it says itself and by what was submitted.
        """
        player = self.gateway.players.get(name)
        if player is None or (player.variants and self.variant not in player.variants):
            return 0
        submitted = self.tokens.bot(name)
        if submitted is None:
            return player.tables
        if not submitted.plays:
            return 0
        if submitted.variants and self.variant not in submitted.variants:
            return 0
        return min(player.tables, submitted.tables or player.tables)

    def seats(self, table: int, names: Sequence[str]) -> Sequence[Seat]:
        """Seats at one table."""
        return self.gateway.seats(table, names)

    async def wait_change(self) -> None:
        """Until somebody has come or gone."""
        await self.gateway.wait_change()

    def software(self, name: str) -> str:
        """What the bot calls itself, "" for one that has not been here."""
        player = self.gateway.players.get(name)
        return player.software if player else ""


async def nothing(_gateway: Gateway) -> None:
    """For a league whose bots come by themselves."""


def check_server(server: Server) -> None:
    """OSError in one line where the address or a file of certificates can never be used: before anything is written."""
    tls = _server_tls(server)
    listen.check_address(server.address, plain=tls is None and not server.insecure, host_only=True)
    if tls is not None:
        tls.credentials()
    _client_tls(server).checked()


def play_league(
    file: LeagueFile,
    *,
    database: str,
    site: Path,
    tokens: Tokens,
    say: Callable[[str], None],
    lang: str = "en",
    bots: Callable[[Gateway], Awaitable[None]] = nothing,
    watchers: Sequence[Watcher] = (),
    beacon: bytes | None = None,
) -> None:
    """Create or resume the league, or each of the file's leagues, and play it to its end; see `check_server` before.

    Where a beacon is awaited and none given, the leagues are only created. ``lang`` is the language of the site's
    first page. ``bots`` is started when the gateway listens, for whoever brings the bots along; ``watchers`` are told
    what happens. Errors of the user's are raised as ConfigError, DatabaseError and OSError, each one line.
    """
    site.mkdir(parents=True, exist_ok=True)
    engine = open_database(database, create=True)
    budget = Budget(file.schedule.hours, file.schedule.until)
    progress = Progress(say)

    runners: list[Runner] = []

    def observe(what: Happening) -> None:
        for watcher in watchers:
            watcher.happened(what)

    async def watch(gateway: Gateway) -> None:
        async with trio.open_nursery() as nursery:
            for watcher in watchers:
                nursery.start_soon(watcher.watch, Watched(gateway, runners))

    async def play(gateway: Gateway) -> None:
        for number, league in enumerate(unfinished):
            decisions = Decisions(number)
            runner = make_runner(engine, league, gateway, budget, progress.tell, tokens, decisions, observe)
            runners.append(runner)
        await _play_all(runners, progress, grows=file.schedule.grows)

    async def refresh(_gateway: Gateway) -> None:
        await _refresh(database, site, lang, say)

    try:
        with in_one_line(engine), sole_arena(engine) as holds:
            with Session(engine) as session, session.begin():
                opened = [
                    open_league(session=session, file=one, seed=secrets.token_bytes(SEED_BYTES)) for one in file.leagues
                ]
                if beacon is not None:
                    opened = [give_beacon(session=session, league=one, beacon=beacon) for one in opened]
                waiting = [one for one in opened if awaits_beacon(session=session, league=one)]
            unfinished = [league for league in opened if describe(engine, league, say)]
            if waiting:
                say("publish the commitment; when the beacon is known, play with: arena run LEAGUE.toml --beacon TEXT")
            elif unfinished:
                beside = (refresh, bots, watch, holding(engine, holds))
                serve(file, tokens=tokens, progress=progress, play=play, beside=beside, watchers=watchers)
            else:
                say("everything has been played, and the seeds are out; under another name it can be played anew")
    finally:
        engine.dispose()


def holding(engine: Engine, holds: Callable[[], bool]) -> Callable[[Gateway], Awaitable[None]]:
    """The service that keeps what `sole_arena` holds, also where somebody removes the file of the lock.

    Busy where another arena has it then.
    """

    async def hold(_gateway: Gateway) -> None:
        missed = 0  # times in a row: whoever asks whether there is an arena has the lock for a moment
        while missed < KEEP_TRIES:
            await trio.sleep(KEEP_EVERY_S)
            missed = 0 if holds() else missed + 1
        raise busy(engine)

    return hold


def serve(
    file: LeagueFile,
    *,
    tokens: Tokens,
    progress: Progress,
    play: Callable[[Gateway], Awaitable[None]],
    beside: Sequence[Callable[[Gateway], Awaitable[None]]] = (),
    watchers: Sequence[Watcher] = (),
) -> None:
    """Listen as the file says, and play; what is to be done beside that ends with it."""

    server, registry = file.server, tokens.registry
    terms = Terms(server.allow_private, _client_tls(server), server.insecure)

    def notify(news: News) -> None:
        progress.tell(_words(news))
        for watcher in watchers:
            watcher.news(news)

    async def main(bridge: Bridge) -> None:
        async with open_gateway(
            bridge,
            address=server.address,
            authenticate=tokens.authenticate,
            league=file.name,
            notify=notify,
            tls=_server_tls(server),
            insecure=server.insecure,
            terms=terms,
            office=BookOffice(registry, server.submissions) if registry else None,
            transcripts=Kept(server.transcripts),
        ) as gateway:
            progress.say(f"listening on {server.address.rpartition(':')[0]}:{gateway.port}")
            async with trio.open_nursery() as nursery:
                if registry is not None:
                    nursery.start_soon(follow, bridge, gateway, registry, terms)
                for service in (progress.show, *beside):
                    nursery.start_soon(service, gateway)
                try:
                    keep_what_is_there()
                    await play(gateway)
                finally:
                    progress.close()  # what bots do from here on is no news
                    nursery.cancel_scope.cancel()

    run(main)


def _server_tls(server: Server) -> ServerTls | None:
    """The server's certificate, None where it has none."""
    if server.tls_certificate is None or server.tls_key is None:
        return None
    return ServerTls(Path(server.tls_certificate), Path(server.tls_key), _path(server.tls_client_ca))


def _client_tls(server: Server) -> ClientTls:
    return ClientTls(_path(server.bots_ca))


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)


async def _play_all(runners: Sequence[Runner], progress: Progress, *, grows: bool) -> None:
    """Play each league's minimum, one after the other; where they are to grow, append orbits as long as there is time.

    A league in which nothing can be played for a moment, as bots are away, lets the next one go first. Where that is
    so of all that have not come to their minimum, the others grow, and each of those has its turns meanwhile.
    """
    patience_s = math.inf if len(runners) == 1 else PATIENCE_S
    progress.several = len(runners) > 1

    async def play(runner: Runner, orbits: float) -> None:
        appended = 0

        def more() -> bool:
            nonlocal appended
            appended += 1
            return appended <= orbits

        progress.follow(runner)
        await runner.run(more, finish=not grows, patience_s=patience_s)

    alone = math.inf if len(runners) == 1 and grows else 0
    waiting = deque(runners)
    while waiting:
        await play(waiting[0], alone)
        if not waiting[0].idle:
            waiting.popleft()
            progress.finish()
        elif grows and all(runner.idle for runner in waiting):
            break
        else:
            waiting.rotate(-1)
    if len(runners) > 1 and grows:
        # Each is to see the end of the time, at which it plays its walk-overs.
        while growing := [runner for runner in runners if not runner.over]:
            for runner in growing:
                await play(runner, 1)
        for runner in runners:
            progress.runner = runner
            progress.finish()


def describe(engine: Engine, league: Opened, say: Callable[[str], None]) -> bool:
    """Print what is played in effect; True where the league is not finished."""
    game, rules = league.file.game, league.file.rules
    with Session(engine) as session:
        finished, total = count_fixtures(session=session, league_id=league.id)
        row = find_league(session=session, name=league.name)
        assert row is not None
    most = f" or {league.file.max_deals} deals" if league.file.max_deals else ""
    changed = {key: value for key, value in rules.options.items() if key in game.options}
    say(
        f"league {league.name!r}: {game.variant}{f' {changed}' if changed else ''}, {count(league.ranked, 'bot')} at"
        f" tables of {game.seats}, to {game.target} points{most}; {finished} of {total} matches are finished"
    )
    waits = league.file.beacon and not league.beacon
    schedule = "is drawn with the beacon" if waits else row.schedule_hash[:16]
    say(f"  rules {rules.hash}, schedule {schedule}, deals committed to by {row.commitment}")
    if league.beacon:
        say(f"  beacon {shown_beacon(league.beacon)}")
    if row.finished_at is None and league.file.schedule.has_budget:
        say(f"  {budget_words(league.file)}")
    return row.finished_at is None


def budget_words(file: LeagueFile) -> str:
    """How long a run may take, in words."""
    schedule = file.schedule
    ends = [] if schedule.hours is None else [f"after {schedule.hours:g} {'hour' if schedule.hours == 1 else 'hours'}"]
    ends += [] if schedule.until is None else [f"at {schedule.until}"]
    if not ends:
        return "the run ends with the last match, however long it waits for a bot that is away"
    if schedule.until is not None and Budget(until=schedule.until).is_past:
        return f"the run ends {' or '.join(ends)}, which is past: nothing new is played"
    grows = "; until then, orbits are appended when all have been played" if schedule.grows else ""
    over = "; then matches whose bots are away are walk-overs" if schedule.absent == "walk-over" else ""
    return f"the run ends {' or '.join(ends)}{grows}{over}"


def playing(file: LeagueFile) -> Play:
    """What the tables of a league are played by."""
    game = file.game
    return Play(file.rules, game.target, file.max_deals, file.time.control, file.policy, file.server.tables)


def make_runner(
    engine: Engine,
    league: Opened,
    gateway: Gateway,
    budget: Budget,
    tell: Callable[[str], None],
    tokens: Tokens,
    decisions: Decisions,
    observe: Callable[[Happening], None] = unheard,
) -> Runner:
    """Of a league whose bots are the gateway's; ``tell`` prints a line, ``observe`` is told of its matches."""
    lobby = Lobby(gateway, league.file.game.variant, tokens)
    return Runner(
        engine,
        league,
        playing(league.file),
        lobby,
        budget,
        tell=tell,
        software=lobby.software,
        observe=observe,
        decisions=decisions,
        forget=gateway.forget,
        cut=gateway.cut,
    )


def _words(news: News) -> str:
    repeat = f"; repeat it: {news.repeat}" if news.repeat else ""
    return f"{news.name}: {news.event.value}{': ' + news.reason if news.reason else ''}{repeat}"


async def _refresh(database: str, site: Path, lang: str, say: Callable[[str], None]) -> None:
    """Write the site as the league goes on, in a process of its own: the tables are not to wait for it.

    A page that cannot be written now is said, once as long as the reason is the same, and is no reason to stop playing.
    """
    before = ""
    command = [sys.executable, "-m", "arena.cli", "report", "--db", database, "--site", str(site), "--lang", lang]
    while True:
        await trio.sleep(SITE_EVERY_S)
        try:
            done = await trio.run_process(command, check=False, capture_stdout=True, capture_stderr=True)
        except OSError as error:  # no process can be begun: there are too many, or too little memory
            said = str(error)
        else:
            said = (done.stderr.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
            if not done.returncode:
                said = ""
        if said and said != before:
            say(f"the site was not refreshed: {said}")
        before = said
