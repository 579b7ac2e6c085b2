"""`arena bench`: speed as ratios within one run, because no two machines and no two minutes are alike."""

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated

import trio
import typer
from sqlmodel import Session

from arena.cli.garbage import keep_what_is_there
from arena.cli.long_run import bench_league
from arena.cli.options import HOUR_S
from arena.cli.play import Lobby
from arena.fault import Kind
from arena.gateway import pingpong, wire
from arena.gateway.bridge import Bridge
from arena.gateway.bridge import run as run_bridge
from arena.gateway.server import open_gateway
from arena.gateway.tape import Kept
from arena.league.config import LeagueFile
from arena.league.create import open_league
from arena.league.happenings import DealOver, Happening
from arena.league.runner import Play, Runner
from arena.rules.cards import cards_of
from arena.rules.catalogue import VARIANTS, rules
from arena.rules.deal import Deal
from arena.rules.deck import dealt
from arena.rules.variant import Rules
from arena.store.database import open_database
from reports.bench import bench_site

BOTS = 4
WARM_UP_S = 1.0
CHARGED_TABLES, THINKING_MS = 50, 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(bench)


def bench(
    tables: Annotated[
        list[int] | None,
        typer.Option(min=BOTS, max=wire.TABLES_LIMIT, help="Tables at once; may be given again. Default 32 and 128."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=HOUR_S, help="Seconds of each measurement.")] = 4.0,
    rounds: Annotated[int, typer.Option(min=1, help="Measurements of each; medians are shown.")] = 3,
    rules_only: Annotated[bool, typer.Option("--rules", help="Only the rules, every variant.")] = False,
    league: Annotated[
        bool, typer.Option("--league", help="Only a league of many bots in this process: schedule, pace, memory.")
    ] = False,
    site: Annotated[
        bool, typer.Option("--site", help="Only such a league's site: from nothing and refreshed.")
    ] = False,
    bots: Annotated[int, typer.Option(min=4, help="In the league of --league or --site.")] = 100,
    orbits: Annotated[int, typer.Option(min=1, help="In the league of --league or --site.")] = 25,
) -> int:
    """Measure questions a second through the whole arena beside a raw gRPC ping-pong, and deals of the rules."""
    if league or site:
        for line in bench_site(bots, orbits) if site else bench_league(bots, orbits):
            typer.echo(line)
        return 0
    _bench_rules(seconds, rounds, every=rules_only)
    if not rules_only:
        for number in tables or [32, 128]:
            _bench_wire(number, seconds, rounds)
        if not tables:
            _bench_charges(seconds * rounds)
    return 0


def _bench_rules(seconds: float, rounds: int, *, every: bool) -> None:
    """Random deals, legal lists included, on one core; beside OpenSpiel where it is installed."""
    classic = rules("classic", 4)
    games = [rules(one.name, players) for one in VARIANTS.values() for players in one.players] if every else []
    oracle = _open_spiel()
    own, theirs = [], []
    for _ in range(rounds):
        own.append(_deals_a_second(classic, seconds / 4))
        if oracle:
            theirs.append(_spiel_deals_a_second(oracle, seconds / 4))
    cards = len(classic.pack)
    typer.echo(f"rules: {median(own):,.0f} random classic deals/s, {1e6 / median(own) / cards:.2f} µs a card")
    if oracle:
        ratio = median(one / two for one, two in zip(own, theirs, strict=True))
        typer.echo(f"OpenSpiel in the same run: {median(theirs):,.0f} deals/s; the arena is {ratio:.2f} × that")
    else:
        typer.echo("OpenSpiel is not installed (extra `oracle`), so it is not compared")
    for game in games:
        ratios = []
        for _ in range(rounds):
            base = 1 / _deals_a_second(classic, seconds / 16) / cards
            ratios.append(1 / _deals_a_second(game, seconds / 16) / len(game.pack) / base)
        typer.echo(f"  {game.name:<13} {game.players:>2} players: {median(ratios):.2f} × classic's time a card")


def _deals_a_second(game: Rules, seconds: float) -> float:
    draw = random.Random(1).random  # noqa: S311  a measurement, not a secret
    packs = [dealt(bytes([number]) * 32, game, number % game.players) for number in range(64)]
    done, began = 0, perf_counter()
    while perf_counter() - began < seconds:
        cards = packs[done % len(packs)]
        deal = Deal(game, done % 4, cards.dealer, cards.hands, cards.rest)
        while pending := deal.pending():
            for question in pending:
                legal = cards_of(question.legal)
                first = int(draw() * (len(legal) - question.number + 1))
                deal.answer(question.seat, [card % 52 for card in legal[first : first + question.number]])
        deal.scores()
        done += 1
    return done / (perf_counter() - began)


def _open_spiel() -> object:
    """The oracle's game, None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    return pyspiel.load_game("hearts(qs_breaks_hearts=False)")


def _spiel_deals_a_second(game: object, seconds: float) -> float:
    draw = random.Random(1).random  # noqa: S311  a measurement, not a secret
    done, began = 0, perf_counter()
    while perf_counter() - began < seconds:
        state = game.new_initial_state()  # type: ignore[attr-defined] # it ships no types
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
        state.returns()
        done += 1
    return done / (perf_counter() - began)


def _bench_wire(tables: int, seconds: float, rounds: int) -> None:
    """Raw and arena in turn, so that a slow minute of the machine slows both."""
    raw, arena, charges = [], [], Charges()
    for _ in range(rounds):
        raw.append(run_bridge(lambda bridge: _raw(bridge, tables, seconds)))
        arena.append(run_bridge(lambda bridge: _arena(bridge, tables, seconds, charges)))
    ratio = median(one / two for one, two in zip(arena, raw, strict=True))
    typer.echo(
        f"{tables} tables, {BOTS} bots: {median(arena):,.0f} questions/s through the whole arena,"
        f" {median(raw):,.0f} raw round trips/s; ratio {ratio:.2f}"
    )
    typer.echo(f"  {charges}")


def _bench_charges(seconds: float) -> None:
    """What a bot that answers at once is charged where the arena and the others leave it room to."""
    charges = Charges(of="bot 0")
    rate = run_bridge(lambda bridge: _arena(bridge, CHARGED_TABLES, seconds, charges, THINKING_MS))
    typer.echo(
        f"{CHARGED_TABLES} tables, one bot that answers at once and {BOTS - 1} that think {THINKING_MS} ms:"
        f" {rate:,.0f} questions/s"
    )
    typer.echo(f"  {charges}")


async def _raw(bridge: Bridge, tables: int, seconds: float) -> float:
    """Round trips a second of plain gRPC, one question a message."""
    context = pingpong.serve(tables // BOTS)
    half, port = await bridge.aio(context.__aenter__())
    with _processes(["arena.gateway.pingpong", f"127.0.0.1:{port}"], [{}] * BOTS):
        while half.answers < tables:
            await trio.sleep(0.01)
        await trio.sleep(WARM_UP_S)
        before, began = half.answers, trio.current_time()
        await trio.sleep(seconds)
        rate = (half.answers - before) / (trio.current_time() - began)
    await bridge.aio(context.__aexit__(None, None, None))
    return rate


@dataclass
class Charges:
    """What answers that come at once are charged in the measurements; time-outs also while warming up."""

    of: str | None = None  # of this bot; None: of all of them
    seconds: list[float] = field(default_factory=list)
    timeouts: int = 0

    def add(self, what: Happening) -> None:
        """Those of a deal."""
        if isinstance(what, DealOver):
            for name, seat in zip(what.at.names, what.deal.thinking_s, strict=True):
                if self.of in (None, name):
                    self.seconds += seat
            self.timeouts += sum(fault.kind is Kind.TIMEOUT for fault in what.deal.faults)

    def __str__(self) -> str:
        """In words."""
        if not self.seconds:
            return "no deal was completed"
        times = sorted(self.seconds)
        p50, p99, most = (1e3 * times[int(share * (len(times) - 1))] for share in (0.5, 0.99, 1.0))
        charged = f"median {p50:.2f} ms, p99 {p99:.2f} ms, most {most:.2f} ms"
        return f"charged for an answer at once: {charged} of {len(times):,} answers; {self.timeouts} time-outs"


async def _arena(bridge: Bridge, tables: int, seconds: float, charges: Charges, think_ms: int = 0) -> float:
    """Questions a second through gateway, referee, rules and an SQLite database on disk.

    The first bot answers at once, the others after ``think_ms``.
    """
    names = [f"bot {number}" for number in range(BOTS)]
    file = LeagueFile.model_validate(
        {
            "name": "bench",
            "schedule": {"orbits": 3 * tables},
            "server": {"tables": tables},
            "bots": tuple({"name": name} for name in names),
        }
    )
    with tempfile.TemporaryDirectory() as directory:
        engine = open_database(str(Path(directory) / "bench.db"), create=True)
        with Session(engine) as session, session.begin():
            league = open_league(session=session, file=file, seed=bytes(32))
        play = Play(file.rules, file.game.target, None, file.time.control, file.policy, tables)
        async with open_gateway(
            bridge,
            address="127.0.0.1:0",
            authenticate=lambda token: token if token in names else None,
            league="bench",
            transcripts=Kept(file.server.transcripts),
        ) as gateway:
            lobby = Lobby(gateway, "classic")
            runner = Runner(engine, league, play, lobby, forget=gateway.forget, cut=gateway.cut, observe=charges.add)
            command = ["arena.bot.instant", "--arena", f"127.0.0.1:{gateway.port}", "--tables", str(tables)]
            earlier = len(charges.seconds)
            tokens = [{"ARENA_TOKEN": name} for name in names]
            think = ["--think", str(think_ms)]
            with _processes(command, tokens[:1]), _processes(command + think, tokens[1:]):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(runner.run)
                    while len(runner.playing) < min(tables, runner.total):
                        await trio.sleep(0.01)
                    keep_what_is_there()
                    await trio.sleep(WARM_UP_S)
                    del charges.seconds[earlier:]  # a hundred first questions at once are no fifty tables
                    before, began = runner.decisions.count, trio.current_time()
                    await trio.sleep(seconds)
                    rate = (runner.decisions.count - before) / (trio.current_time() - began)
                    assert runner.open or runner.playing, "the league ended within the measurement"
                    nursery.cancel_scope.cancel()
        engine.dispose()
    return rate


@contextmanager
def _processes(command: list[str], environments: list[dict[str, str]]) -> Iterator[None]:
    """One process for each environment, ended with the block."""
    running = [
        subprocess.Popen([sys.executable, "-m", *command], env=os.environ | one, stderr=subprocess.DEVNULL)
        for one in environments
    ]
    try:
        yield
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()
