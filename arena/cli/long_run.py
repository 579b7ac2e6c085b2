"""A long league at full speed, with bots in this process that answer at once: does anything grow or slow down?

Paces are by processor time too: whatever else a machine does in the meantime is not the arena's.
"""

import os
import resource
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

import trio
from sqlmodel import Session

from arena.cli.garbage import keep_what_is_there
from arena.cli.play import playing
from arena.house import HouseSeat
from arena.league.config import LeagueFile
from arena.league.create import open_league
from arena.league.runner import Runner
from arena.rules.cards import cards_of
from arena.seat import OpenRequest, Seat
from arena.store.database import open_database
from arena.store.league import count_deals

MIB: Final = 1 << 20
TENTHS: Final = 10


class _Instant(HouseSeat):
    """The first legal cards, at once."""

    def ask(self, request: OpenRequest) -> None:
        question = request.question
        request.hear(tuple(card % 52 for card in cards_of(question.legal)[: question.number]), request.started)


class _Everybody:
    """All bots are there, at eight tables each."""

    def capacity(self, _name: str) -> int:
        return 8

    def seats(self, _table: int, names: Sequence[str]) -> Sequence[Seat]:
        return [_Instant(name) for name in names]

    async def wait_change(self) -> None:
        await trio.sleep_forever()


def bench_league(bots: int, orbits: int) -> Iterator[str]:
    """Play it, in a database on disk; lines with seconds, matches a second at both ends, and memory."""
    file = LeagueFile.model_validate(
        {
            "name": "long",
            "schedule": {"orbits": orbits},
            "bots": tuple({"name": f"bot {number}"} for number in range(bots)),
        }
    )
    with tempfile.TemporaryDirectory() as directory:
        engine = open_database(str(Path(directory) / "long.db"), create=True)
        began = perf_counter()
        with Session(engine) as session, session.begin():
            league = open_league(session=session, file=file, seed=bytes(32))
        runner = Runner(engine, league, playing(file), _Everybody())
        yield f"{bots} bots, {runner.total} matches: created in {perf_counter() - began:.1f} s"
        yield f"resident before the first match: {_resident() / MIB:.0f} MiB"
        ends: list[float] = []
        sizes: list[int] = []

        async def play() -> None:
            keep_what_is_there()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_watch, runner, ends, sizes)
                await runner.run()
                nursery.cancel_scope.cancel()

        began, busy = perf_counter(), process_time()
        trio.run(play)
        seconds = perf_counter() - began
        if len(ends) < TENTHS:
            ends.append(process_time())
            sizes.append(_resident())
        with Session(engine) as session:
            deals = count_deals(session=session, league_id=league.id)
        engine.dispose()
    yield (
        f"played in {seconds:.0f} s: {runner.finished / seconds:.1f} matches/s, {deals} deals,"
        f" {runner.decisions.count / seconds:,.0f} decisions/s"
    )
    if len(ends) == TENTHS:
        paces = [runner.total / TENTHS / (after - before) for before, after in pairwise([busy, *ends])]
        yield (
            f"matches a second of processor time: first tenth {paces[0]:.1f}, last {paces[-1]:.1f}; by tenth "
            + " ".join(f"{pace:.1f}" for pace in paces)
        )
        yield "resident by tenth, MiB: " + " ".join(f"{size / MIB:.0f}" for size in sizes)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    yield f"resident at the end: {_resident() / MIB:.0f} MiB, at most {most / MIB:.0f} MiB"


async def _watch(runner: Runner, ends: list[float], sizes: list[int]) -> None:
    """Note when each tenth of the matches is finished, and the memory then."""
    while len(ends) < TENTHS:
        if runner.finished * TENTHS >= runner.total * (len(ends) + 1):
            ends.append(process_time())
            sizes.append(_resident())
        await trio.sleep(0.05)


def _resident() -> int:
    """Bytes of this process that are in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
