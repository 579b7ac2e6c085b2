"""What is to be played next. The database is the queue; here is only the part of it that is looked at."""

import bisect
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import Engine
from sqlmodel import Session

from arena.league.create import Opened, extend_league
from arena.league.schedule import Fixture, ScheduleHash
from arena.store import league as store
from arena.store.database import reading


@dataclass(slots=True)
class Agenda:
    """The fixtures without a result, read as far as there are bots to play them."""

    engine: Engine
    league: Opened
    open: list[Fixture] = field(default_factory=list)  # read and not started, in playing order
    started: set[int] = field(default_factory=set)  # fixtures of which there are deals, but no result
    _read: int = -1  # the last one that was read
    _read_all: bool = False
    _hash: ScheduleHash | None = None  # of all fixtures, once one was appended

    def __post_init__(self) -> None:
        """Read the first page."""
        with Session(reading(self.engine)) as session:
            self.started |= store.started_fixtures(session=session, league_id=self.league.id)
        self.read_on()

    def read_on(self) -> bool:
        """Read the next page; False when there is none."""
        if self._read_all:
            return False
        with Session(reading(self.engine)) as session:
            page = store.open_fixtures(session=session, league_id=self.league.id, after=self._read)
        self.open += page
        self._read_all = len(page) < store.PAGE
        if page:
            self._read = page[-1].number
        return bool(page)

    def take(self, can_start: Callable[[Fixture], bool | None]) -> list[Fixture]:
        """Take out those that can be started, in order; ``can_start`` says None where no other one can be, either."""
        taken: list[Fixture] = []
        left: list[Fixture] = []
        for at, fixture in enumerate(self.open):
            can = can_start(fixture)
            if can is None:
                left += self.open[at:]
                break
            (taken if can else left).append(fixture)
        self.open = left
        return taken

    def put_back(self, fixture: Fixture) -> None:
        """It has been started, and is to be started again."""
        self.started.add(fixture.number)
        bisect.insort(self.open, fixture, key=lambda one: one.number)

    def extend(self) -> ScheduleHash:
        """Append an orbit to the schedule, to be read on from; returns the schedule's length and new hash. The first
        time it may take seconds, as the whole design is made again and the whole schedule read: for a thread.
        """
        with Session(self.engine) as session, session.begin():
            if self._hash is None:
                self._hash = ScheduleHash()
                self._hash.add(store.fixtures_of(session=session, league_id=self.league.id))
            extend_league(session=session, league=self.league, known=self._hash)
        self._read_all = False
        return self._hash
