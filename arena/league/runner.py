"""Playing a league: which fixtures are open, who is there, as many tables at once as bots and settings allow.

A match is attempted. Its deals are durable one by one and its result is written once, whatever becomes of attempts:
one that is put aside or cut off is gone on with at the deal, and one that failed by our own fault is made again, a few
times, and then ends the run. Nobody's score is touched by either.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import trio
from sqlalchemy import Engine
from sqlmodel import Session

from arena.clock import TimeControl
from arena.house import HouseSeat
from arena.lag import LagMeter
from arena.league.agenda import Agenda
from arena.league.budget import Budget
from arena.league.create import Opened
from arena.league.decisions import Decisions
from arena.league.happenings import Began, DealOver, Failed, Finished, Happening, Parked, Sitting
from arena.league.roster import Lobby, Roster, nameless
from arena.league.schedule import Fixture
from arena.referee import Policy, Referee
from arena.rules.deck import deal_key, dealt
from arena.rules.match import dealer_of
from arena.rules.variant import Rules
from arena.store import attempts
from arena.store import league as store
from arena.store.database import in_one_line, reading
from arena.store.played import keep_deal, keep_result
from arena.store.tally import Tally
from arena.store.transcripts import Part, keep_transcripts, pack
from arena.store.writer import Transaction, Writer
from arena.table import PlayedDeal, Table, adds_up

TRIES: Final = 3
"""How often a match is attempted in one run before our own fault in it ends the run."""


@dataclass(frozen=True, slots=True)
class Play:
    """What a league's matches are played by."""

    rules: Rules
    target: int
    max_deals: int | None
    control: TimeControl
    policy: Policy
    tables: int  # at once


def unheard(_said: object) -> None:
    """For a run that tells nobody."""


def _no_transcripts(_table: int, _faulted: Collection[int]) -> Sequence[tuple[int, Part]]:
    return ()


def _no_more() -> bool:
    return False


@dataclass(slots=True)
class Runner:
    """A run of a league, from where the database stands to the last result, or until its time is over."""

    engine: Engine
    league: Opened
    play: Play
    lobby: Lobby
    budget: Budget = field(default_factory=Budget)
    tell: Callable[[str], None] = unheard  # a line that somebody should read
    software: Callable[[str], str] = nameless  # what a bot calls itself
    forget: Callable[[int], None] = unheard  # a table is gone
    cut: Callable[[int, Collection[int]], Sequence[tuple[int, Part]]] = _no_transcripts  # as `Gateway.cut`
    observe: Callable[[Happening], None] = unheard
    decisions: Decisions = field(default_factory=Decisions)
    lag: LagMeter = field(default_factory=LagMeter)
    finished: int = 0
    total: int = 0
    walked_over: int = 0  # matches begun without a bot, when the time was over
    parked: int = 0  # matches that the run has left in the middle
    over: bool = False  # its time is: nothing new is started
    idle: bool = False  # the run has ended as nothing could be played: bots are away
    faults: Counter[str] = field(default_factory=Counter)  # by entrant, in this run
    kinds: Counter[str] = field(default_factory=Counter)  # the same by kind
    playing: dict[int, Table] = field(default_factory=dict)  # by fixture
    failures: Counter[int] = field(default_factory=Counter)  # our own, by fixture
    roster: Roster = field(init=False)
    _agenda: Agenda = field(init=False)
    _writer: Writer = field(init=False)
    _changed: trio.Event = field(default_factory=trio.Event)
    _seated: dict[int, tuple[Sitting, tuple[str, ...], Tally]] = field(default_factory=dict)  # by fixture
    _tables: int = 0
    _away: dict[str, str | None] | None = None  # as it is written down
    _keeps_away: bool = False

    def __post_init__(self) -> None:
        """Read what is still to be played."""
        self._writer = Writer(self.engine, self.tell)
        self._count()
        self._agenda = Agenda(self.engine, self.league)
        self.roster = Roster(self.engine, self.league, self.lobby, self.software, self.tell)

    @property
    def open(self) -> Sequence[Fixture]:
        """The next fixtures that are not started, in playing order."""
        return self._agenda.open

    @property
    def busy(self) -> Counter[str]:
        """At how many tables each bot is."""
        return self.roster.busy

    @property
    def unwritten(self) -> int:
        """How many writes wait for the database."""
        return self._writer.waiting

    @property
    def waiting_for(self) -> tuple[str, ...]:
        """Bots of open fixtures that are away, in the order of the league."""
        return self.roster.missing(self.open)

    async def run(
        self, more: Callable[[], bool] = _no_more, *, finish: bool = True, patience_s: float = math.inf
    ) -> None:
        """Play everything that is open; returns when the last result is durable, or when the time is over; also when
        for ``patience_s`` nothing was in play.

        ``more`` is asked, when everything has been started and there are tables free, whether to append an orbit.
        With ``finish`` the league is finished if every match then has its result. DatabaseError, one line, where the
        database fails.
        """
        self.budget.begin()
        self.over = not self.budget.left_s()
        if self.parked:
            self.parked = 0
            self._agenda = Agenda(self.engine, self.league)
        # Nobody else plays: what is in play there has been cut off.
        self._writer.close(partial(attempts.end_attempts, league_id=self.league.id, ended=attempts.CUT))
        with in_one_line(self.engine):
            try:
                await self._run(more, patience_s)
            finally:
                self._close()
            if finish and self.finished == self.total:
                with self.engine.begin() as connection:
                    store.finish_league(connection, league_id=self.league.id)

    async def _run(self, more: Callable[[], bool], patience_s: float) -> None:
        async with trio.open_nursery() as services:
            services.start_soon(self._writer.work)
            services.start_soon(self.lag.watch)
            services.start_soon(self._watch_lobby)
            async with trio.open_nursery() as tables:
                services.start_soon(self._watch_budget, tables.cancel_scope)
                await self._play_all(tables, services, more, patience_s)
            if self.over and self.league.file.schedule.absent == "walk-over":
                self._put_aside()
                async with trio.open_nursery() as tables:
                    await self._walk_over(tables)
            services.cancel_scope.cancel()

    async def _play_all(
        self, tables: trio.Nursery, services: trio.Nursery, more: Callable[[], bool], patience_s: float
    ) -> None:
        gives_up = math.inf
        self.idle = False
        while not self.over and not self.idle:
            self._changed = trio.Event()
            while self._start_what_can(tables) and more():
                await self._extend()
            if not self._keeps_away:
                self._keeps_away = True
                services.start_soon(self._keep_away)
            if not self.open and not self.playing:
                return
            gives_up = math.inf if self.playing else min(gives_up, trio.current_time() + patience_s)
            with trio.CancelScope(deadline=gives_up) as waiting:
                await self._changed.wait()
            self.idle = waiting.cancelled_caught

    async def _walk_over(self, tables: trio.Nursery) -> None:
        """Play the matches of bots that are away, the house in their seats; where nobody is there, there is none."""
        while True:
            self._changed = trio.Event()
            self._start_what_can(tables, walk_over=True)
            if not self.playing:
                return
            await self._changed.wait()

    async def _watch_lobby(self) -> None:
        while True:
            await self.lobby.wait_change()
            self._changed.set()

    async def _watch_budget(self, tables: trio.CancelScope) -> None:
        """At the end of the time nothing is started any more; what is in play may finish, but not for ever."""
        await self.budget.wait_over()
        self.over = True
        self._changed.set()
        await trio.sleep(self.budget.finish_s)
        tables.cancel()

    async def _extend(self) -> None:
        known = await trio.to_thread.run_sync(self._agenda.extend)
        self.total = known.fixtures
        self._agenda.read_on()
        if self.league.file.schedule.format == "league":
            self.tell(f"an orbit is appended: {self.total} matches, schedule {known.hex()[:16]}")

    def _start_what_can(self, tables: trio.Nursery, *, walk_over: bool = False) -> bool:
        """Start every open fixture, in order, whose bots all have a place free; whether none is left, and there are
        tables and bots for more, or nothing is in play at all: then nobody is there, and more is waited for. As a
        ``walk_over`` those and only those are started of which a bot is away.
        """
        if self.over and not walk_over:
            return False
        free, away = self.roster.free()
        sat = len(self.playing)

        def can_start(fixture: Fixture) -> bool | None:
            nonlocal sat
            if sat >= self.play.tables:
                return None
            if away.isdisjoint(fixture.seats) is walk_over:
                return False
            here = self.roster.players_of(fixture, away)
            if not here or any(free[name] <= 0 for name in here):
                return False
            sat += 1
            for name in here:
                free[name] -= 1
            return True

        while True:
            for fixture in self._agenda.take(can_start):
                self._start(fixture, tables, away)
            if (sat or self.open) and (sat >= self.play.tables or not any(places > 0 for places in free.values())):
                return False
            if not self._agenda.read_on():
                return not self.open

    def _start(self, fixture: Fixture, tables: trio.Nursery, away: Set[int]) -> None:
        self._tables += 1
        players = self.roster.players_of(fixture, away)
        self.walked_over += not away.isdisjoint(fixture.seats)
        names = tuple(self.league.entrants[one] for one in fixture.seats)
        at = Sitting(f"{self.league.name}/{fixture.number}", self._tables, names)
        table, tally = self._table(fixture, at, away)
        self._seated[fixture.number] = at, players, tally
        self.playing[fixture.number] = table
        self.busy.update(players)
        tables.start_soon(self._play, fixture, table)

    def _table(self, fixture: Fixture, at: Sitting, away: Set[int]) -> tuple[Table, Tally]:
        """The table of a fixture, with what was played of it before and its tally; the house sits for who is away."""
        entrants, names = fixture.seats, self.league.players
        here = {one for one in entrants if one < self.league.ranked and one not in away}
        bots = iter(self.lobby.seats(at.table, [names[one] for one in entrants if one in here]))
        seats = [next(bots) if one in here else HouseSeat(self.league.entrants[one]) for one in entrants]
        play, rules = self.play, self.play.rules
        table = Table(
            match_id=at.match,
            rules=rules,
            target=play.target,
            max_deals=play.max_deals,
            seats=seats,
            referee=Referee(play.control, self.decisions, play.policy, self.lag.total_s),
            dealt=lambda number: dealt(
                deal_key(self.league.event_key, fixture.stream, number), rules, dealer_of(number, rules.players)
            ),
            keep=partial(self._keep, fixture),
        )
        tally = Tally.of(rules.players)
        if fixture.number in self._agenda.started:
            with Session(reading(self.engine)) as session:
                earlier = store.earlier_deals(session=session, league_id=self.league.id, fixture=fixture)
            tally = earlier.tally
            for points, standings in earlier.deals:
                table.resume(points, standings)
        for seat, one in enumerate(entrants):
            if one in away and not table.match.end:  # else it has played all of it, and only the result is missing
                table.walk_over(seat)
        return table, tally

    async def _keep(self, fixture: Fixture, deal: PlayedDeal) -> None:
        assert adds_up(self.play.rules, deal), f"fixture {fixture.number}, deal {deal.number}: {deal.points}"
        for fault in deal.faults:
            self.faults[self.league.entrants[fixture.seats[fault.seat]]] += 1
            self.kinds[fault.kind.value] += 1
        (at, _, tally), league_id = self._seated[fixture.number], self.league.id
        self.observe(DealOver(at, deal))
        parts = await pack(self.cut(at.table, {fault.seat for fault in deal.faults}))

        def keep(transaction: Transaction) -> None:
            keep_deal(transaction, league_id=league_id, fixture=fixture.number, deal=deal, tally=tally)
            keep_transcripts(transaction, league_id=league_id, fixture=fixture.number, deal=deal.number, parts=parts)

        await self._writer.write(keep)

    async def _play(self, fixture: Fixture, table: Table) -> None:
        """One attempt. Where it is cancelled, the match stays among those in play, to be put aside."""
        (at, _, tally), league_id = self._seated[fixture.number], self.league.id
        changes, self.roster.changes = self.roster.changes, {}

        def begin(transaction: Transaction) -> None:
            attempts.begin_attempt(transaction, league_id=league_id, fixture=fixture.number)
            for player, software in changes.items():
                entrants = self.roster.entrants_of(player)
                store.keep_software(transaction.connection(), league_id=league_id, entrants=entrants, software=software)

        try:
            await self._writer.write(begin)
            self.observe(Began(at, table.match.deals))
            began = trio.current_time()
            result = await table.play()
            seconds = trio.current_time() - began
            parts = await pack(self.cut(at.table, ()))

            def keep(transaction: Transaction) -> None:
                keep_result(
                    transaction, league_id=league_id, fixture=fixture, result=result, tally=tally, seconds=seconds
                )
                attempts.end_attempt(transaction, league_id=league_id, fixture=fixture.number, ended=attempts.FINISHED)
                keep_transcripts(
                    transaction, league_id=league_id, fixture=fixture.number, deal=result.match.deals, parts=parts
                )

            await self._writer.write(keep)
        except Exception as error:  # noqa: BLE001  ours: written down, said, and raised when it does not go away
            await self._fail(fixture, error)
        else:
            self.finished += 1
            self.observe(Finished(at, result, seconds))
        self._clear(fixture.number)

    async def _fail(self, fixture: Fixture, error: Exception) -> None:
        """The arena's own fault: the fixture stays open, and is attempted again."""
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        await self._writer.write(
            lambda transaction: attempts.end_attempt(
                transaction, league_id=self.league.id, fixture=fixture.number, ended=attempts.FAULT, reason=reason
            )
        )
        self.failures[fixture.number] += 1
        self.observe(Failed(self._seated[fixture.number][0], self.failures[fixture.number], reason))
        if self.failures[fixture.number] >= TRIES:
            error.add_note(f"match {fixture.number} of {self.league.name!r} was attempted {TRIES} times in this run")
            self._clear(fixture.number)  # it is not put aside
            raise error
        self.tell(f"match {fixture.number}: a fault of the arena's own, and it is played again: {reason}")
        self._agenda.put_back(fixture)

    def _clear(self, fixture: int) -> None:
        """The table is gone."""
        del self.playing[fixture]
        at, players, _ = self._seated.pop(fixture)
        self.busy.subtract(players)
        self.forget(at.table)
        self._changed.set()

    async def _keep_away(self) -> None:
        """Write down who is away, for who asks beside the run; of bots that come and go all the time, now and then."""
        while self._away != (away := self.roster.absences(self.waiting_for)):
            self._away = away
            await self._writer.write(partial(attempts.keep_away, league_id=self.league.id, away=away))
        self._keeps_away = False

    def _put_aside(self) -> None:
        """Matches that are still in play, and have been cancelled, stay as they stand at their last deal."""
        self.parked += len(self.playing)
        for fixture, table in tuple(self.playing.items()):
            self.observe(Parked(self._seated[fixture][0], table.match.deals))
            self._clear(fixture)

    def _close(self) -> None:
        """Write what is left to be written."""
        self._put_aside()
        self._away, self._keeps_away = None, False
        last = [partial(attempts.end_attempts, league_id=self.league.id, ended=attempts.PARKED)]
        if not self.idle:  # else it has another turn soon
            last.append(partial(attempts.keep_away, league_id=self.league.id, away={}))
        if self._writer.close(*last):
            self._count()

    def _count(self) -> None:
        with Session(reading(self.engine)) as session:
            self.finished, self.total = store.count_fixtures(session=session, league_id=self.league.id)
