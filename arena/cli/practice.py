"""`arena play`: a bot of one's own against the house, with a score sheet and every fault."""

import itertools
import os
import secrets
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, Final

import trio
import typer

from arena.cli.check import read_token
from arena.cli.child import ENDED_S, split
from arena.cli.options import (
    HOUR_S,
    CaOption,
    CommandOption,
    ConnectOption,
    GameOptions,
    TokenFileOption,
    VariantOption,
    game_option,
)
from arena.cli.words import count
from arena.clock import TimeControl
from arena.fault import Fault
from arena.gateway import wire
from arena.gateway.bridge import Bridge, run
from arena.gateway.dialer import Dial, Terms
from arena.gateway.practice import YOU, Game, wait_there
from arena.gateway.server import open_gateway
from arena.gateway.tls import ClientTls
from arena.league.config import LARGE, ConfigError
from arena.rules.catalogue import VARIANTS, rules
from arena.rules.match import TARGET

_TIME: Final = TimeControl()


@dataclass(frozen=True, slots=True)
class Player:
    """Whose bot it is, and where it comes from."""

    token: str
    connect_s: float  # that it has to be there
    words: tuple[str, ...] = ()  # of a program that dials in
    address: str = ""  # to be dialled


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)


def play(
    address: Annotated[str, typer.Argument(metavar="HOST:PORT", help="The address of a bot to be dialled.")] = "",
    command: CommandOption = "",
    token_file: TokenFileOption = None,
    ca: CaOption = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Dial without TLS.")] = False,
    variant: VariantOption = "classic",
    players: Annotated[int, typer.Option(help="Number of players; 0: four, or as many as the game needs.")] = 0,
    option: GameOptions = None,
    seat: Annotated[int, typer.Option(min=0, help="Your bot's seat.")] = 0,
    seed: Annotated[int, typer.Option(help="Chooses the cards; the same ones for the same seed.")] = 0,
    deals: Annotated[
        int | None, typer.Option(min=1, max=LARGE, help="So many at the most; else a whole match.")
    ] = None,
    target: Annotated[int, typer.Option(min=1, max=LARGE, help="Points at which the match ends.")] = TARGET,
    move: Annotated[
        float, typer.Option(min=0.001, max=HOUR_S, metavar="S", help="Seconds for an answer.")
    ] = _TIME.move_s,
    bank: Annotated[
        float, typer.Option(min=0.001, max=24 * HOUR_S, metavar="S", help="Seconds for the match.")
    ] = _TIME.bank_s,
    connect: ConnectOption = 30.0,
) -> int:
    """Play your bot against the house, with the clocks and rules of a league, and print the score sheet."""
    known = VARIANTS.get(variant)
    wanted = players or (4 if known is None or 4 in known.players else known.players[0])
    try:
        game_rules = rules(variant, wanted, dict(game_option(one) for one in option or []))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if seat >= wanted:
        raise typer.BadParameter(f"--seat {seat}: there are seats 0 to {wanted - 1}")
    if bool(address) == bool(command):
        raise typer.BadParameter("give one of HOST:PORT and --command PROGRAM")
    if address and token_file is None:
        raise typer.BadParameter("a bot that is not started here has a token: give --token-file FILE")
    game = Game(game_rules, seat, seed, target, deals, TimeControl(move_s=move, bank_s=bank))
    words = tuple(split(command)) if command else ()
    player = Player(read_token(token_file), connect, words, address)
    terms = Terms(allow_private=True, tls=ClientTls(ca).checked(), insecure=insecure)

    async def main(bridge: Bridge) -> str:
        return await _play(bridge, game, player, terms)

    ended = run(main)
    for line in sheet(game) if game.played or not ended else ():
        typer.echo(line)
    if ended:
        raise ConfigError(f"{address or command}: {ended}")
    return int(bool(game.faults))


async def _play(bridge: Bridge, game: Game, player: Player, terms: Terms) -> str:
    """The match; why it has not come to its end, "" where it has."""
    ended = ""
    known = player.token.encode()
    async with (
        open_gateway(
            bridge,
            address="127.0.0.1:0",
            authenticate=lambda given: YOU if secrets.compare_digest(given.encode(), known) else None,
            league="practice",
            terms=terms,
        ) as gateway,
        trio.open_nursery() as nursery,
        AsyncExitStack() as stack,
    ):
        if player.words:
            address = f"127.0.0.1:{gateway.port}"
            environment = os.environ | {"ARENA_ADDRESS": address, "ARENA_TOKEN": player.token}
            words = [word.replace("{address}", address) for word in player.words]
            try:
                process = await stack.enter_async_context(_program(words, environment))
            except OSError as error:
                return f"{words[0]} cannot be started: {error.strerror}"

            async def watch() -> None:
                nonlocal ended
                status = await process.wait()
                ended = f"ended with status {status} before the match was over"
                nursery.cancel_scope.cancel()

            nursery.start_soon(watch)
        else:
            gateway.dial(Dial(YOU, player.address, wire.key_of(player.token)))
        with trio.move_on_after(player.connect_s) as waiting:
            await wait_there(gateway, YOU)
        if waiting.cancelled_caught:
            why = f": {gateway.player(YOU).last_reason}" if player.address else ""
            ended = f"was not there within {player.connect_s:g} s{why}"
        else:
            await game.play(gateway)
        nursery.cancel_scope.cancel()
    return ended


@asynccontextmanager
async def _program(words: list[str], environment: dict[str, str]) -> AsyncIterator[trio.Process]:
    """The program, for as long as the block lasts; it is ended with what it has started, and nothing else is."""
    process = await trio.lowlevel.open_process(words, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        with trio.CancelScope(shield=True):
            for number in (signal.SIGTERM, signal.SIGKILL):
                if process.returncode is None or number is signal.SIGKILL:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, number)
                with trio.move_on_after(ENDED_S):
                    await process.wait()


def sheet(game: Game) -> list[str]:
    """The score sheet, one line each: deals, totals, places, time and faults."""
    chosen = "".join(f", {key} {value}" for key, value in game.rules.options.items())
    lines = [f"{game.rules.name}, {game.rules.players} players, seed {game.seed}, to {game.target} points{chosen}", ""]
    widths = [max(9, len(name) + 2) for name in game.names]

    def row(first: str, values: Sequence[object]) -> str:
        return f"{first:<8}" + "".join(f"{value!s:>{width}}" for value, width in zip(values, widths, strict=True))

    lines.append(row("deal", game.names))
    for deal in game.played:
        notes = f"   {game.names[deal.moon]} shot the moon" if deal.moon is not None else ""
        stopped = deal.record.get("stopped")
        if isinstance(stopped, dict):
            notes = f"   stopped by a revoke of {game.names[int(str(stopped['seat']))]}"
        lines.append(row(str(deal.number), deal.points) + notes)
    if game.result is not None:
        match = game.result.match
        lines.append(row("total", match.totals))
        if any(match.chips):
            lines.append(row("chips", match.chips))
        lines.append(row("place", game.result.places))
    thought = sorted(itertools.chain(*(deal.thinking_s[game.seat] for deal in game.played)))
    if thought:
        median, most = thought[len(thought) // 2], thought[-1]
        lines += ["", f"{len(thought)} answers: {1000 * median:.1f} ms in the middle, {1000 * most:.1f} ms at the most"]
    lines.append(count(len(game.faults), "fault") if game.faults else "no faults")
    lines += [f"  {_fault(fault)}" for fault in game.faults]
    if game.result is not None and game.result.forfeited[game.seat]:
        lines.append("the house has played on for you: you are placed last")
    return lines


def _fault(fault: Fault) -> str:
    where = f"deal {fault.deal}" + ("" if fault.trick is None else f", trick {fault.trick + 1}")
    what = f" {fault.answer}" if fault.answer else ""
    time = f"{fault.measured_s:.3f} of {fault.limit_s:.3f} s"
    if fault.thought_s is not None:
        time += f", of which your bot says it thought for {fault.thought_s:.3f} s"
    return f"{where}: {fault.ask}{what}: {fault.kind.value}: {fault.reason} ({time}; {fault.consequence.value})"
