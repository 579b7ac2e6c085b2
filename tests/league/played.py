"""Leagues that scripted bots have played, in databases that a test may spoil."""

import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import trio
from sqlmodel import Session

from arena.clock import TimeControl
from arena.league.book import Book
from arena.league.config import LeagueFile
from arena.league.create import open_league
from arena.league.export import book_of, leagues_of, lines
from arena.league.runner import Play, Runner
from arena.seat import Request, Seat
from arena.store.database import open_database
from tests.fakes import FakeSeat, Says
from tests.league.scripted import chosen

SEED = bytes(range(32))


def league_file(
    name: str = "test", *, bots: int = 5, schedule: dict[str, object] | None = None, **game: object
) -> LeagueFile:
    """Two orbits of five tables; the tables of an orbit play the same cards."""
    return LeagueFile.model_validate(
        {
            "name": name,
            "game": {"target": 50} | game,
            "schedule": schedule or {"orbits": 2, "duplicate": "orbit"},
            "bots": tuple({"name": f"bot {number}"} for number in range(bots)),
        }
    )


def revoking(request: Request, attempt: int) -> Says:
    """As others, but in some questions a card that is not legal, twice."""
    held = request.view.hand & ~request.question.legal
    if held and random.Random(f"{request.view.hand}").random() < 0.025:
        return Says([held.bit_length() % 52 - 1], thought_s=0.025)
    return chosen(request, attempt)


class Lobby:
    """Everybody is there."""

    def capacity(self, _name: str) -> int:
        return 9

    def seats(self, _table: int, names: Sequence[str]) -> Sequence[Seat]:
        return [FakeSeat(revoking if name == "bot 0" else chosen, name=name) for name in names]

    async def wait_change(self) -> None:
        await trio.sleep_forever()


def played(
    path: Path, file: LeagueFile, *, stop: Callable[[Runner], bool] = lambda _runner: False, tables: int = 1
) -> Path:
    """The league, created with `SEED` and played in the database at the path, until ``stop`` or its end."""
    engine = open_database(str(path), create=True)
    with Session(engine) as session, session.begin():
        league = open_league(session=session, file=file, seed=SEED)
    game = file.game
    runner = Runner(
        engine, league, Play(file.rules, game.target, file.max_deals, TimeControl(), file.policy, tables), Lobby()
    )

    async def run() -> None:
        async with trio.open_nursery() as nursery:

            async def watch() -> None:
                while not stop(runner):
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()

            nursery.start_soon(watch)
            await runner.run()
            nursery.cancel_scope.cancel()

    trio.run(run)
    engine.dispose()
    return path


def in_the_eighth_match(runner: Runner) -> bool:
    """Seven are finished, five of them the whole of their stream, and the next has begun."""
    return runner.finished == 7 and any(table.match.deals > 1 for table in runner.playing.values())


class Opened:
    """The books of a database, as long as it is open."""

    def __init__(self, path: Path) -> None:
        self._engine = open_database(str(path), write=False)
        self._session = Session(self._engine)

    def __enter__(self) -> "Opened":
        return self

    def __exit__(self, *_exc: object) -> None:
        self._session.close()
        self._engine.dispose()

    def book(self, *, everything: bool = False, times: bool = False) -> Book:
        (league,) = leagues_of(session=self._session)
        return book_of(session=self._session, league=league, everything=everything, times=times)


def exported(path: Path, *, times: bool = False) -> str:
    """What `arena export` writes of the only league of a database."""
    with Opened(path) as opened:
        return "".join(f"{line}\n" for line in lines(opened.book(times=times)))


@cache
def finished_league() -> bytes:
    """A database: ten matches, with moons, stopped deals and forfeits."""
    with TemporaryDirectory() as directory:
        return played(Path(directory) / "league.db", league_file()).read_bytes()


@cache
def league_in_play() -> bytes:
    """A database of the same league, left in its eighth match."""
    with TemporaryDirectory() as directory:
        return played(Path(directory) / "league.db", league_file(), stop=in_the_eighth_match).read_bytes()
