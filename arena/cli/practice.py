"""`arena play`: a bot of one's own against the house, with a score sheet and every fault."""

import hashlib
import itertools
import json
import os
import secrets
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Annotated, Final

import trio
import typer

from arena.cli.child import ENDED_S, split
from arena.clock import TimeControl
from arena.gateway.bridge import Bridge, run
from arena.gateway.server import Gateway, open_gateway
from arena.house import HouseSeat
from arena.league.config import ConfigError
from arena.referee import Fault, Referee
from arena.rules.catalogue import VARIANTS, rules
from arena.rules.deck import Dealt, dealt
from arena.rules.match import TARGET, dealer_of
from arena.rules.variant import OptionValue, Rules
from arena.seat import Seat
from arena.table import MatchResult, PlayedDeal, Table

YOU: Final = "you"
_TIME: Final = TimeControl()


@dataclass
class Game:
    """What is played, and what has come of it."""

    rules: Rules
    seat: int
    seed: int
    target: int
    deals: int | None
    control: TimeControl
    connect_s: float
    played: list[PlayedDeal] = field(default_factory=list)
    result: MatchResult | None = None
    ended: str = ""  # that the program has ended before the match

    @property
    def names(self) -> list[str]:
        """By seat."""
        return [YOU if seat == self.seat else f"house {seat}" for seat in range(self.rules.players)]

    def cards(self, number: int) -> Dealt:
        """The cards of a deal: the same for the same seed."""
        key = hashlib.sha256(f"arena play {self.seed} {number}".encode()).digest()
        return dealt(key, self.rules, dealer_of(number, self.rules.players))

    @property
    def faults(self) -> list[Fault]:
        """The bot's."""
        return [fault for deal in self.played for fault in deal.faults]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(play)


def play(
    command: Annotated[str, typer.Option(help="Your program; it dials in. {address} in it is ours.")],
    variant: Annotated[str, typer.Option(help="See `arena variants`.")] = "classic",
    players: Annotated[int, typer.Option(help="Number of players; 0: four, or as many as the game needs.")] = 0,
    option: Annotated[list[str] | None, typer.Option(help="NAME=VALUE, the value as JSON or plain text.")] = None,
    seat: Annotated[int, typer.Option(min=0, help="Yours.")] = 0,
    seed: Annotated[int, typer.Option(help="Chooses the cards; the same ones for the same seed.")] = 0,
    deals: Annotated[int | None, typer.Option(min=1, help="At the most; a whole match if it is not given.")] = None,
    target: Annotated[int, typer.Option(min=1, help="Points at which the match ends.")] = TARGET,
    move: Annotated[float, typer.Option(min=0.001, metavar="S", help="Seconds for an answer.")] = _TIME.move_s,
    bank: Annotated[float, typer.Option(min=0.001, metavar="S", help="Seconds for the match.")] = _TIME.bank_s,
    connect: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds to be there.")] = 30.0,
) -> int:
    """Play your bot against the house, with the clocks and rules of a league, and print the score sheet."""
    known = VARIANTS.get(variant)
    wanted = players or (4 if known is None or 4 in known.players else known.players[0])
    try:
        game_rules = rules(variant, wanted, dict(_option(one) for one in option or []))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if seat >= wanted:
        raise typer.BadParameter(f"--seat {seat}: there are seats 0 to {wanted - 1}")
    game = Game(game_rules, seat, seed, target, deals, TimeControl(move_s=move, bank_s=bank), connect)
    words = split(command)

    async def main(bridge: Bridge) -> None:
        await _play(bridge, game, words)

    run(main)
    for line in sheet(game):
        typer.echo(line)
    if game.ended:
        raise ConfigError(f"{command}: {game.ended}")
    return int(bool(game.faults))


def _option(text: str) -> tuple[str, OptionValue]:
    name, _, value = text.partition("=")
    try:
        parsed = json.loads(value)
    except ValueError:
        parsed = value
    if parsed is not None and not isinstance(parsed, bool | int | str):
        raise typer.BadParameter(f"--option {name}: {value!r} is no value of an option")
    return name, parsed


async def _play(bridge: Bridge, game: Game, words: Sequence[str]) -> None:
    """The match, until its end or that of the program."""
    token = secrets.token_urlsafe(32)
    async with open_gateway(
        bridge,
        address="127.0.0.1:0",
        authenticate=lambda given: YOU if secrets.compare_digest(given.encode(), token.encode()) else None,
        league="practice",
    ) as gateway:
        address = f"127.0.0.1:{gateway.port}"
        environment = os.environ | {"ARENA_ADDRESS": address, "ARENA_TOKEN": token}
        filled = [word.replace("{address}", address) for word in words]
        async with _program(filled, environment) as process, trio.open_nursery() as nursery:

            async def watch() -> None:
                status = await process.wait()
                game.ended = f"ended with status {status} before the match was over"
                nursery.cancel_scope.cancel()

            nursery.start_soon(watch)
            if await _there(gateway, game):
                game.result = await _table(gateway, game).play()
            nursery.cancel_scope.cancel()


async def _there(gateway: Gateway, game: Game) -> bool:
    with trio.move_on_after(game.connect_s):
        while not gateway.player(YOU).connected:
            await gateway.wait_change()
        return True
    game.ended = f"did not dial in within {game.connect_s:g} s"
    return False


def _table(gateway: Gateway, game: Game) -> Table:
    async def keep(deal: PlayedDeal) -> None:
        game.played.append(deal)

    (bot,) = gateway.seats(1, [YOU])
    seats: list[Seat] = [bot if name == YOU else HouseSeat(name) for name in game.names]
    referee = Referee(game.control, itertools.count(1))
    return Table(f"practice/{game.seed}", game.rules, game.target, game.deals, seats, referee, game.cards, keep)


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
    lines.append(f"{len(game.faults)} faults" if game.faults else "no faults")
    lines += [f"  {_fault(fault)}" for fault in game.faults]
    if game.result is not None and game.result.forfeited[game.seat]:
        lines.append("the house has played on for you: you are placed last")
    return lines


def _fault(fault: Fault) -> str:
    where = f"deal {fault.deal}" + ("" if fault.trick is None else f", trick {fault.trick + 1}")
    what = f" {fault.answer}" if fault.answer else ""
    time = f"{fault.measured_s:.3f} of {fault.limit_s:.3f} s"
    return f"{where}: {fault.ask}{what}: {fault.kind.value}: {fault.reason} ({time}; {fault.consequence.value})"
