"""Fifty tables of bots that answer at once, over real gRPC: nobody is ever out of time."""

import os
import subprocess
import sys
from pathlib import Path

import trio

from arena.cli.play import play_league
from arena.cli.watch import Watched
from arena.gateway.server import Gateway, News
from arena.league.config import LeagueFile
from arena.league.happenings import Began, DealOver, Finished, Happening
from arena.league.tokens import make_tokens, read_tokens
from tests.chaos.league import ROOT, rows

BOTS, TABLES = 4, 50


class Tables:
    """How many have been in play at once, and how many answers were charged."""

    def __init__(self) -> None:
        self.now, self.most, self.answers = 0, 0, 0

    def news(self, news: News) -> None:
        pass

    def happened(self, what: Happening) -> None:
        self.now += isinstance(what, Began) - isinstance(what, Finished)
        self.most = max(self.most, self.now)
        if isinstance(what, DealOver):
            self.answers += sum(map(len, what.deal.thinking_s))

    async def watch(self, watched: Watched) -> None:
        pass


def test_bots_that_answer_at_once_never_time_out_at_fifty_tables(tmp_path: Path) -> None:
    names = [f"instant {number}" for number in range(BOTS)]
    file = LeagueFile.model_validate(
        {
            "name": "fifty",
            "game": {"target": 10},
            "time": {"move_s": 2.0, "bank_s": 10.0, "increment_s": 0.0, "grace_s": 0.0, "credit_s": 0.0},
            "schedule": {"orbits": TABLES // 2},
            "server": {"address": "127.0.0.1:0", "tables": TABLES},
            "bots": tuple({"name": name} for name in names),
        }
    )
    make_tokens(tmp_path / "tokens.txt", names)
    tokens = [line.partition(" ")[0] for line in (tmp_path / "tokens.txt").read_text().splitlines()]

    async def bring(gateway: Gateway) -> None:
        command = [sys.executable, "-m", "arena.bot.instant", "--arena", f"127.0.0.1:{gateway.port}"]
        command += ["--tables", str(TABLES)]
        async with trio.open_nursery() as nursery:
            for token in tokens:
                nursery.start_soon(_run, command, token)

    tables = Tables()
    play_league(
        file, database=str(tmp_path / "fifty.db"), site=tmp_path / "site", tokens=read_tokens(tmp_path / "tokens.txt"),
        say=lambda _said: None, bots=bring, watchers=[tables],
    )  # fmt: skip
    assert rows(tmp_path / "fifty.db", "select kind, reason from fault") == []
    assert tables.most == TABLES
    assert tables.answers > 50 * TABLES
    assert rows(tmp_path / "fifty.db", "select count(*) from result") == [(2 * TABLES,)]


async def _run(command: list[str], token: str) -> None:
    environment = os.environ | {"ARENA_TOKEN": token}
    await trio.run_process(command, cwd=ROOT, check=False, stderr=subprocess.DEVNULL, env=environment)
