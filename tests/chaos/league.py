"""A league of honest and dishonest bots in processes of their own, played to its end."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import trio

from arena.cli.play import play_league
from arena.cli.watch import Watcher
from arena.gateway import wire
from arena.gateway.dialer import Dial
from arena.gateway.server import Gateway
from arena.league.config import LeagueFile
from arena.league.tokens import make_tokens, read_tokens
from tests.chaos.malice import MALICE
from tests.js.bot import JS, missing

ROOT: Final = Path(__file__).parent.parent.parent

EIGHT: Final[Mapping[str, str]] = {
    "honest one": "honest", "dialled one": "served", "dialled two": "served", "javascript": "javascript",
    "dropping": "drop", "hanging": "hang", "garbage": "garbage", "revoking": "revoke",
}  # fmt: skip
"""One that is honest and instant, two that are dialled, one in JavaScript, and four that go wrong in four ways."""

PROCESSES: Final = (
    ("tests.chaos.bots", ("honest", "slow")),
    ("tests.chaos.bots", ("drop", "hang", "garbage", "revoke")),
    ("tests.chaos.malice", MALICE),
)
"""Which manners are together in a process, and its module."""

GOOD: Final = ("honest", "slow", "served", "javascript")
"""Manners that no fault comes of."""


def playable() -> Mapping[str, str]:
    """The eight; where JavaScript cannot run, another honest one in its place."""
    return {name: "honest" if how == "javascript" and missing() else how for name, how in EIGHT.items()}


def league_file(name: str, bots: Mapping[str, str], move_s: float = 2.0, **schedule: object) -> LeagueFile:
    """A short league: low target, short clocks."""
    return LeagueFile.model_validate(
        {
            "name": name,
            "game": {"target": 30},
            "time": {"move_s": move_s, "bank_s": 5.0, "increment_s": 0.2, "grace_s": 2.0, "credit_s": 0.0},
            "schedule": {"orbits": 1} | schedule,
            "server": {"address": "127.0.0.1:0", "allow_private": True},
            "bots": tuple({"name": bot} for bot in bots),
        }
    )


@dataclass
class Left:
    """What is there of a process that is used up: nothing of a league that is over."""

    files: int
    threads: int

    @classmethod
    def now(cls) -> "Left":
        """As it is."""
        # trio keeps the threads that it has used for ten seconds more, in case that they are wanted again
        own = [thread for thread in threading.enumerate() if not thread.name.startswith("Trio thread")]
        return cls(len(os.listdir("/proc/self/fd")), len(own))


def play(
    directory: Path, file: LeagueFile, bots: Mapping[str, str], seed: int, watchers: Sequence[Watcher] = ()
) -> tuple[Path, Gateway, list[str]]:
    """Play the league to its end; its database, the gateway as it was left, and what was said."""
    tokens = directory / "tokens.txt"
    if not tokens.exists():
        make_tokens(tokens, list(bots))
    by_name = {name: token for token, _, name in (line.partition(" ") for line in tokens.read_text().splitlines())}
    said: list[str] = []
    gateways: list[Gateway] = []

    async def bring(gateway: Gateway) -> None:
        """Honest bots in one process, others in others, so that they cannot be in each other's way."""
        gateways.append(gateway)
        async with trio.open_nursery() as nursery:
            for module, manners in PROCESSES:
                named = [f"{by_name[name]}:{how}:{seed}" for name, how in bots.items() if how in manners]
                if named:
                    nursery.start_soon(run_bots, gateway.port, named, module)
            for name, how in bots.items():
                if how == "served":
                    nursery.start_soon(run_served, gateway, name, by_name[name])
                elif how == "javascript":
                    nursery.start_soon(run_javascript, gateway.port, by_name[name])

    database = directory / "chaos.db"
    play_league(
        file,
        database=str(database),
        site=directory / "site",
        tokens=read_tokens(tokens),
        say=said.append,
        bots=bring,
        watchers=watchers,
    )
    return database, gateways[0], said


async def run_bots(port: int, bots: list[str], module: str = "tests.chaos.bots") -> None:
    """A process of bots, for as long as the task lasts."""
    command = [sys.executable, "-m", module, f"127.0.0.1:{port}", *bots]
    await trio.run_process(command, cwd=ROOT, check=False, stderr=subprocess.DEVNULL)


async def run_javascript(port: int, token: str) -> None:
    """The same in JavaScript."""
    command = ["node", str(JS / "bot.js"), "--arena", f"127.0.0.1:{port}"]
    await trio.run_process(command, check=False, stderr=subprocess.DEVNULL, env=os.environ | {"ARENA_TOKEN": token})


async def run_served(gateway: Gateway, name: str, token: str) -> None:
    """A bot that is dialled, for as long as the task lasts."""
    command = [sys.executable, "-m", "tests.chaos.served", token]
    process = await trio.lowlevel.open_process(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        port = int(await process.stdout.receive_some())
        gateway.dial(Dial(name, f"127.0.0.1:{port}", wire.key_of(token)))
        await trio.sleep_forever()
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()
            await process.stdout.aclose()


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    """What is in the database."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as reader:
        return reader.execute(query).fetchall()


def complaints(database: Path, bots: Mapping[str, str]) -> list[str]:
    """What is wrong with a finished league, one line each; none is as it should be."""
    found = []
    good = {name for name, how in bots.items() if how in GOOD}
    names = {number: str(name) for number, name in rows(database, "select number, name from entrant")}
    fixtures = [number for (number,) in rows(database, "select number from fixture order by number")]
    results = [number for (number,) in rows(database, "select fixture from result order by fixture")]
    if results != fixtures:
        found.append(f"fixtures {fixtures} have results {results}")
    seats = Counter(fixture for (fixture,) in rows(database, "select fixture from seat_result"))
    if set(seats.values()) != {4} or list(seats) != fixtures:
        found.append(f"seats of results: {seats}")
    for fixture, number, record, points in rows(database, "select fixture, number, record, points from deal"):
        if sum(map(int, str(points).strip("[]").split(","))) not in (26, 78):
            found.append(f"deal {number} of match {fixture}: {points} {record}")
    sums = "select fixture, seat, points from seat_result"
    totals: Counter[tuple[object, int]] = Counter()
    for fixture, points in rows(database, "select fixture, points from deal"):
        for seat, own in enumerate(str(points).strip("[]").split(",")):
            totals[fixture, seat] += int(own)
    found += [
        f"match {fixture}, seat {seat}: {points} points, and its deals have {totals[fixture, int(str(seat))]}"
        for fixture, seat, points in rows(database, sums)
        if totals[fixture, int(str(seat))] != points
    ]
    faults = "select f.fixture, f.seat, f.reason, s.entrant from fault f join seat_result s using (fixture, seat)"
    found += [
        f"match {fixture}, seat {seat}: {names[entrant]} has a fault: {reason}"
        for fixture, seat, reason, entrant in rows(database, faults)
        if names[entrant] in good
    ]
    lost = {names[entrant] for (entrant,) in rows(database, "select distinct entrant from seat_result where forfeited")}
    if lost & good or not {name for name, how in bots.items() if how in ("hang", "revoke", "deaf")} <= lost:
        found.append(f"forfeited: {lost}")
    last = "select fixture, place, forfeited from seat_result order by fixture, forfeited"
    worst: dict[object, int] = {}
    for fixture, place, forfeited in rows(database, last):
        if not forfeited:
            worst[fixture] = max(int(str(place)), worst.get(fixture, 0))
        elif int(str(place)) <= worst.get(fixture, 0):
            found.append(f"match {fixture}: a forfeit is placed {place}, before {worst[fixture]}")
    return found
