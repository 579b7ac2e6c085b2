"""Matches of the bot in JavaScript in a real arena, against players at random."""

import itertools
import random

from arena.clock import TimeControl
from arena.gateway.server import Gateway
from arena.referee import Referee
from arena.rules import cards as c
from arena.rules.deck import dealt
from arena.rules.match import dealer_of
from arena.rules.variant import Rules
from arena.seat import Request, Seat
from arena.table import PlayedDeal, Table
from tests.fakes import FakeSeat, Says

CALM = TimeControl(move_s=60, bank_s=600)  # a busy machine is no fault of the bot's
SERVE = ("--serve", "127.0.0.1:0")


def at_random(request: Request, _attempt: int) -> Says:
    """A legal answer drawn from the question alone."""
    asked = request.question
    rng = random.Random(f"{request.view.hand} {request.view.trick} {asked.number} {asked.seat}")
    return Says(rng.sample(c.faces_of(asked.legal), asked.number))


async def deals(gateway: Gateway, table: int, game: Rules, number: int, points: dict[str, list[int]]) -> None:
    """A match of some deals between the bot and players at random; whoever it is gets the points noted."""
    place = table % game.players
    seats: list[Seat] = [FakeSeat(at_random, name=f"random {seat}") for seat in range(game.players - 1)]
    seats[place:place] = gateway.seats(table, ["ann"])

    async def keep(deal: PlayedDeal) -> None:
        for seat, count in enumerate(deal.points):
            points["ann" if seat == place else "random"].append(count)

    match = Table(
        match_id=f"m{table}",
        rules=game,
        target=10_000,
        max_deals=number,
        seats=seats,
        referee=Referee(CALM, itertools.count(1000 * table)),
        dealt=lambda deal: dealt(bytes([table, deal]) * 16, game, dealer_of(deal, game.players)),
        keep=keep,
    )
    await match.play()
    gateway.forget(table)
    assert not any(player.faults or player.strikes for player in match.players), f"{game.name}-{game.players}"


async def arrived(gateway: Gateway, *names: str) -> None:
    """Wait for bots to be in."""
    while not all(gateway.player(name).connected for name in names):
        await gateway.wait_change()
