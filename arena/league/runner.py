"""Playing a league: which fixtures are open, who is there, as many tables at once as bots and settings allow."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import trio
from sqlalchemy import Engine
from sqlmodel import Session

from arena.clock import TimeControl
from arena.house import HouseSeat
from arena.lag import LagMeter
from arena.league.create import Opened
from arena.league.schedule import Fixture
from arena.referee import Policy, Referee
from arena.rules.deck import deal_key, dealt
from arena.rules.match import dealer_of
from arena.rules.variant import Rules
from arena.seat import Seat
from arena.store import league as store
from arena.store.writer import Writer
from arena.table import PlayedDeal, Table


class Lobby(Protocol):
    """Who is there. The gateway is one; the tests have their own."""

    def capacity(self, name: str) -> int:
        """At how many tables the bot may be at once; 0 when it is away."""
        ...

    def seats(self, table: int, names: Sequence[str]) -> Sequence[Seat]:
        """Seats for these bots at one table, in this order."""
        ...

    async def wait_change(self) -> None:
        """Until somebody has come or gone."""
        ...


@dataclass(frozen=True, slots=True)
class Play:
    """What a league's matches are played by."""

    rules: Rules
    target: int
    max_deals: int | None
    control: TimeControl
    policy: Policy
    tables: int  # at once


class Decisions:
    """Numbers for questions; `count` is how many there have been."""

    def __init__(self) -> None:
        """From 1."""
        self.count = 0

    def __iter__(self) -> "Decisions":
        """Itself."""
        return self

    def __next__(self) -> int:
        """The next number."""
        self.count += 1
        return self.count


@dataclass(slots=True)
class Runner:
    """A run of a league, from where the database stands to the last result."""

    engine: Engine
    league: Opened
    play: Play
    lobby: Lobby
    decisions: Decisions = field(default_factory=Decisions)
    lag: LagMeter = field(default_factory=LagMeter)
    finished: int = 0
    total: int = 0
    faults: Counter[str] = field(default_factory=Counter)  # by bot, in this run
    playing: dict[int, Table] = field(default_factory=dict)  # by fixture
    busy: Counter[str] = field(default_factory=Counter)  # tables by bot
    open: list[Fixture] = field(default_factory=list)  # not started, in playing order
    _writer: Writer = field(init=False)
    _started: frozenset[int] = frozenset()
    _changed: trio.Event = field(default_factory=trio.Event)
    _tables: int = 0

    def __post_init__(self) -> None:
        """Read what is still to be played."""
        self._writer = Writer(self.engine)
        with Session(self.engine) as session:
            self.finished, self.total = store.count_fixtures(session=session, league_id=self.league.id)
            self.open = list(store.open_fixtures(session=session, league_id=self.league.id))
            self._started = store.started_fixtures(session=session, league_id=self.league.id)

    @property
    def waiting_for(self) -> tuple[str, ...]:
        """Bots of open fixtures that are away, in the order of the league."""
        wanted = {self.league.entrants[number] for one in self.open for number in one.seats if self._is_bot(number)}
        return tuple(name for name in self.league.entrants if name in wanted and not self.lobby.capacity(name))

    async def run(self) -> None:
        """Play everything that is open; returns when the last result is durable."""
        async with trio.open_nursery() as services:
            services.start_soon(self._writer.work)
            services.start_soon(self.lag.watch)
            services.start_soon(self._watch_lobby)
            async with trio.open_nursery() as tables:
                while self.open:
                    self._changed = trio.Event()
                    self._start_what_can(tables)
                    if self.open:
                        await self._changed.wait()
            await self._writer.write(lambda connection: store.finish_league(connection, league_id=self.league.id))
            services.cancel_scope.cancel()

    async def _watch_lobby(self) -> None:
        while True:
            await self.lobby.wait_change()
            self._changed.set()

    def _is_bot(self, number: int) -> bool:
        return number < self.league.ranked

    def _start_what_can(self, tables: trio.Nursery) -> None:
        """Start every open fixture, in order, whose bots all have a place free."""
        free = {
            name: self.lobby.capacity(name) - self.busy[name] for name in self.league.entrants[: self.league.ranked]
        }
        left = []
        for fixture in self.open:
            names = [self.league.entrants[number] for number in fixture.seats if self._is_bot(number)]
            if len(self.playing) >= self.play.tables or any(free[name] <= 0 for name in names):
                left.append(fixture)
                continue
            for name in names:
                free[name] -= 1
                self.busy[name] += 1
            table = self._table(fixture, names)
            self.playing[fixture.number] = table
            tables.start_soon(self._play, fixture, names, table)
        self.open = left

    def _table(self, fixture: Fixture, names: Sequence[str]) -> Table:
        """The table of a fixture, with what has been played of it before."""
        self._tables += 1
        bots = iter(self.lobby.seats(self._tables, names))
        seats = [
            next(bots) if self._is_bot(number) else HouseSeat(self.league.entrants[number]) for number in fixture.seats
        ]
        play, rules = self.play, self.play.rules

        async def keep(deal: PlayedDeal) -> None:
            for fault in deal.faults:
                self.faults[self.league.entrants[fixture.seats[fault.seat]]] += 1
            await self._writer.write(
                lambda connection: store.keep_deal(
                    connection, league_id=self.league.id, fixture=fixture.number, deal=deal
                )
            )

        table = Table(
            match_id=f"{self.league.name}/{fixture.number}",
            rules=rules,
            target=play.target,
            max_deals=play.max_deals,
            seats=seats,
            referee=Referee(play.control, self.decisions, play.policy, lambda: self.lag.total_s),
            dealt=lambda number: dealt(
                deal_key(self.league.event_key, fixture.stream, number), rules, dealer_of(number, rules.players)
            ),
            keep=keep,
        )
        if fixture.number in self._started:
            with Session(self.engine) as session:
                earlier = store.earlier_deals(session=session, league_id=self.league.id, fixture=fixture.number)
            for points, standings in earlier.deals:
                table.resume(points, standings)
        return table

    async def _play(self, fixture: Fixture, names: Sequence[str], table: Table) -> None:
        began = trio.current_time()
        result = await table.play()
        seconds = trio.current_time() - began
        await self._writer.write(
            lambda connection: store.keep_result(
                connection,
                league_id=self.league.id,
                fixture=fixture,
                result=result,
                seconds=seconds,
            )
        )
        del self.playing[fixture.number]
        for name in names:
            self.busy[name] -= 1
        self.finished += 1
        self._changed.set()
