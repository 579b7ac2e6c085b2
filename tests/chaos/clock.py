"""Nobody who is in time is ever out of it: ``python -m tests.chaos.clock --minutes 10 --tables 64``.

Bots that take a millisecond for each answer, in processes of their own, at as many tables at once as there are, on a
clock that forgives nothing: no increment, no grace, no credit for the network. It is printed how much more than that
millisecond they were charged. Exit status 1 where one of them had a fault.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import trio

from arena.cli.play import play_league
from arena.cli.watch import Watched
from arena.gateway.server import Gateway, News
from arena.league.config import LeagueFile
from arena.league.happenings import Began, DealOver, Finished, Happening
from arena.league.tokens import make_tokens, read_tokens
from tests.chaos.league import ROOT, rows

BOTS: Final = 4
THINK_MS: Final = 1
TIGHT: Final = {"move_s": 0.5, "bank_s": 5.0, "increment_s": 0.0, "grace_s": 0.0, "credit_s": 0.0}
"""A match has some 160 answers of each bot."""


class Charges:
    """What was charged for each answer, and how many tables have been in play at once."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.most = 0
        self.seconds = array("d")
        self._now = 0

    def news(self, news: News) -> None:
        """Nothing to be counted."""

    def happened(self, what: Happening) -> None:
        """Count tables and answers."""
        self._now += isinstance(what, Began) - isinstance(what, Finished)
        self.most = max(self.most, self._now)
        if isinstance(what, DealOver):
            for seat in what.deal.thinking_s:
                self.seconds.extend(seat)

    async def watch(self, watched: Watched) -> None:
        """It is told enough."""
        await trio.sleep_forever()


def play(
    directory: Path,
    *,
    tables: int,
    time: Mapping[str, float],
    think_ms: int,
    game: Mapping[str, Any],
    schedule: Mapping[str, Any],
) -> tuple[Charges, list[tuple[object, ...]]]:
    """A league of such bots in a database in ``directory``; what they were charged, and their faults."""
    names = [f"punctual {number}" for number in range(BOTS)]
    file = LeagueFile.model_validate(
        {
            "name": "punctual",
            "game": game,
            "time": time,
            "schedule": schedule,
            "server": {"address": "127.0.0.1:0", "tables": tables},
            "bots": tuple({"name": name} for name in names),
        }
    )
    book, database = directory / "tokens.txt", directory / "punctual.db"
    make_tokens(book, names)
    tokens = [line.partition(" ")[0] for line in book.read_text().splitlines()]

    async def bring(gateway: Gateway) -> None:
        command = [sys.executable, "-m", "arena.bot.instant", "--arena", f"127.0.0.1:{gateway.port}"]
        command += ["--tables", str(tables), "--think", str(think_ms)]
        async with trio.open_nursery() as nursery:
            for token in tokens:
                nursery.start_soon(_run, command, token)

    charges = Charges()
    play_league(
        file, database=str(database), site=directory / "site", tokens=read_tokens(book), say=lambda _said: None,
        bots=bring, watchers=[charges],
    )  # fmt: skip
    return charges, rows(database, "select fixture, deal, seat, kind, reason from fault")


async def _run(command: list[str], token: str) -> None:
    environment = os.environ | {"ARENA_TOKEN": token}
    await trio.run_process(command, cwd=ROOT, check=False, stderr=subprocess.DEVNULL, env=environment)


def main() -> int:
    """Exit status 1 where there was a fault."""
    parser = argparse.ArgumentParser(prog="clock")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--tables", type=int, default=64)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        charges, faults = play(
            Path(directory), tables=given.tables, time=TIGHT, think_ms=THINK_MS, game={},
            schedule={"hours": given.minutes / 60},
        )  # fmt: skip
    more = sorted(1e3 * charged - THINK_MS for charged in charges.seconds)
    p50, p99, most = (more[int(share * (len(more) - 1))] for share in (0.5, 0.99, 1.0))
    print(  # noqa: T201
        f"{len(more):,} answers at {charges.most} tables; charged beyond the {THINK_MS} ms that each took:"
        f" median {p50:.2f} ms, p99 {p99:.2f} ms, most {most:.2f} ms; {len(faults)} faults"
    )
    print("\n".join(map(str, faults[:20])))  # noqa: T201
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
