"""Scripted bots for whole leagues, and the databases in which they play."""

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import trio
from sqlalchemy import Engine, text
from sqlmodel import Session

from arena.clock import TimeControl
from arena.league.config import LeagueFile
from arena.league.create import open_league
from arena.league.runner import Play, Runner
from arena.seat import Request, Seat
from arena.store.database import open_database
from tests.fakes import FakeSeat, Says, Script

SEED = bytes(range(32))
WORTHLESS = [  # what no deal of a classic league with four seats can be worth
    "update deal set points = '[0, 0, 0, 25]'",
    "update deal set points = '[0, 0, 26]' where moon is null",
    "update deal set points = '[0, 0, 26, 0, 0]' where moon is null",
    "update deal set points = '[0, 26, 26, 26]', moon = null",
    "update deal set points = '[0, 0, 0, 26]', moon = 3",
    "update deal set points = '[26, 26, 26, 0]', moon = 4",
    "insert into deal select league_id, fixture, 99, record, '[0, 0, 0, 13]', moon, seats, thinking from deal"
    " where fixture = 0 and number = 0",
]


def league_file(bots: int = 5, schedule: dict[str, object] | None = None, **game: object) -> LeagueFile:
    return LeagueFile.model_validate(
        {
            "name": "test",
            "game": {"target": 40} | game,
            "schedule": {"repetitions": 1} | (schedule or {}),
            "bots": tuple({"name": f"bot {n}"} for n in range(bots)),
        }
    )


def chosen(request: Request, _attempt: int) -> Says:
    """A legal answer drawn from the question alone: a deterministic bot without memory."""
    question, view = request.question, request.view
    rng = random.Random(f"{view.hand} {view.trick} {question.number} {view.seat}")
    faces = [card for card in range(52) if (question.legal | question.legal >> 52) >> card & 1]
    return Says(rng.sample(faces, question.number))


def slowly(request: Request, attempt: int) -> Says:
    """The same, after a second: a deal takes most of a minute."""
    return Says(chosen(request, attempt).faces, after_s=1.0)


async def in_no_thread(work: Callable[..., object], *args: object, limiter: object = None) -> object:
    """For trio.to_thread.run_sync, as a clock that jumps knows nothing of threads: done before other tasks go on."""
    del limiter
    done = work(*args)
    await trio.lowlevel.checkpoint()
    return done


class FakeLobby:
    """Everybody is there, except who is away."""

    def __init__(self, capacity: int = 3, script: Script = chosen, scripts: Mapping[str, Script] | None = None) -> None:
        self.capacities: dict[str, int] = {}
        self.default = capacity
        self.script = script
        self.scripts = scripts or {}
        self.softwares: dict[str, str] = {}
        self.changed = trio.Event()
        self.seated: list[tuple[str, ...]] = []
        self.tables: set[int] = set()  # not forgotten

    def capacity(self, name: str) -> int:
        return self.capacities.get(name, self.default)

    def seats(self, table: int, names: Sequence[str]) -> Sequence[Seat]:
        self.seated.append(tuple(names))
        self.tables.add(table)
        return [FakeSeat(self.scripts.get(name, self.script), name=name) for name in names]

    async def wait_change(self) -> None:
        await self.changed.wait()
        self.changed = trio.Event()

    def software(self, name: str) -> str:
        return self.softwares.get(name, "")

    def forget(self, table: int) -> None:
        self.tables.discard(table)

    def come(self, name: str) -> None:
        """It is there (again)."""
        del self.capacities[name]
        self.changed.set()


def runner_of(
    engine: Engine, file: LeagueFile, lobby: FakeLobby | None = None, tables: int = 8, **more: object
) -> Runner:
    """A runner of the league, which is created with `SEED` if it is not there."""
    with Session(engine) as session, session.begin():
        league = open_league(session=session, file=file, seed=SEED)
    game = file.game
    play = Play(file.rules, game.target, file.max_deals, TimeControl(), file.policy, tables)
    lobby = lobby or FakeLobby()
    return Runner(
        engine,
        league,
        play,
        lobby,
        software=lobby.software,
        forget=lobby.forget,
        **more,  # type: ignore[arg-type] # a test's shorthand
    )


MakeRunner = Callable[..., Runner]


def maker(directory: Path) -> MakeRunner:
    """Makes runners whose databases are in the directory."""

    def make(
        name: str = "league.db",
        lobby: FakeLobby | None = None,
        tables: int = 8,
        bots: int = 5,
        schedule: dict[str, object] | None = None,
        more: dict[str, object] | None = None,
        **game: object,
    ) -> Runner:
        engine = open_database(str(directory / name), create=True)
        return runner_of(engine, league_file(bots, schedule, **game), lobby, tables, **(more or {}))

    return make


def run_until(runner: Runner, decisions: int) -> None:
    """Run it to its end, but no further than so many decisions, after which it is cut off wherever it is."""

    async def run() -> None:
        async with trio.open_nursery() as nursery:

            async def cut() -> None:
                while runner.decisions.count < decisions:
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()

            nursery.start_soon(cut)
            await runner.run()
            nursery.cancel_scope.cancel()

    trio.run(run)


def rows(engine: Engine, query: str) -> list[tuple[object, ...]]:
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def everything(engine: Engine) -> list[tuple[object, ...]]:
    """All results and deals, without the times of day."""
    return [
        *rows(engine, 'select fixture, deals, "end" from result order by 1'),
        *rows(engine, "select fixture, seat, entrant, points, place, chips, moons from seat_result order by 1, 2"),
        *rows(engine, "select fixture, number, record, points from deal order by 1, 2"),
    ]
