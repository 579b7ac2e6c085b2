"""Everything about one league that its pages are made of, read once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from sqlmodel import Session

from arena.rules.catalogue import rules as rules_of
from arena.rules.variant import Rules
from arena.stats.duplicate import Duplicate
from arena.stats.rows import MatchRow
from arena.store import read
from arena.store.read import DealRow, EntrantRow, FaultRow, FixtureRow, LeagueRow, ResultRow, SeatRow

_PLACE: Final = attrgetter("place")


@dataclass(frozen=True, slots=True)
class Facts:
    """A league as the database has it."""

    league: LeagueRow
    rules: Rules
    entrants: tuple[EntrantRow, ...]  # by number
    fixtures: tuple[FixtureRow, ...]  # by number
    results: Mapping[int, ResultRow]  # by fixture, finished matches only
    deals: Mapping[int, tuple[DealRow, ...]]  # by fixture, of unfinished matches too
    faults: tuple[FaultRow, ...]
    stops: Mapping[tuple[int, int], int]  # by fixture and deal that was stopped: the seat whose revoke it was
    streams: Mapping[str, int] = field(init=False)  # their numbers, in the order in which they appear
    tables: Mapping[str, tuple[FixtureRow, ...]] = field(init=False)  # by stream
    published: frozenset[int] = field(init=False)
    """Fixtures whose cards may be shown: every table of their stream is finished, so nobody has yet to play them."""
    played: tuple[int, ...] = field(init=False)  # finished matches, in schedule order
    places: Mapping[int, int] = field(init=False)  # of a finished match in that order
    faults_of: Mapping[int, tuple[FaultRow, ...]] = field(init=False)  # by fixture; none for the faultless
    seats_of: Mapping[int, Mapping[int, int]] = field(init=False)
    """By entrant: its seat in each of its fixtures, in schedule order."""
    duplicate: Duplicate = field(init=False)
    rows: tuple[MatchRow, ...] = field(init=False)  # finished matches as the statistics take them
    _rankings: dict[int, tuple[SeatRow, ...]] = field(init=False)  # that have been asked for

    def __post_init__(self) -> None:
        """Work out what belongs together."""
        put = object.__setattr__
        tables: dict[str, list[FixtureRow]] = {}
        for fixture in self.fixtures:
            tables.setdefault(fixture.stream, []).append(fixture)
        published = [
            fixture.number
            for mates in tables.values()
            if all(mate.number in self.results for mate in mates)
            for fixture in mates
        ]
        seats_of: dict[int, dict[int, int]] = {entrant.number: {} for entrant in self.entrants}
        for fixture in self.fixtures:
            for seat, entrant in enumerate(fixture.seats):
                seats_of[entrant][fixture.number] = seat
        by_fixture: dict[int, list[FaultRow]] = {}
        for fault in self.faults:
            by_fixture.setdefault(fault.fixture, []).append(fault)
        put(self, "streams", {stream: number for number, stream in enumerate(tables)})
        put(self, "tables", {stream: tuple(mates) for stream, mates in tables.items()})
        put(self, "published", frozenset(published))
        put(self, "played", tuple(self.results))
        put(self, "places", {fixture: place for place, fixture in enumerate(self.results)})
        put(self, "faults_of", {fixture: tuple(rows) for fixture, rows in by_fixture.items()})
        put(self, "seats_of", seats_of)
        streams = {fixture.number: self.streams[fixture.stream] for fixture in self.fixtures}
        points = {number: [deal.points for deal in self.deals[number]] for number in self.results}
        put(self, "rows", read.as_match_rows(self.entrants, self.fixtures, self.results))
        put(self, "_rankings", {})
        put(self, "duplicate", Duplicate(points, streams))

    def name(self, entrant: int) -> str:
        """The bot's name as its author wrote it."""
        return self.entrants[entrant].name

    def entrant(self, fixture: int, seat: int) -> int:
        """Who sits there."""
        return self.fixtures[fixture].seats[seat]

    def ranking(self, result: ResultRow) -> tuple[SeatRow, ...]:
        """Its seats by place, and in order at the same one."""
        known = self._rankings.get(result.fixture)
        if known is None:
            known = self._rankings[result.fixture] = tuple(sorted(result.seats, key=_PLACE))
        return known

    def around(self, fixture: int) -> tuple[int | None, int | None]:
        """The finished matches before and after this one in the schedule."""
        at = self.places[fixture]
        return (self.played[at - 1] if at else None, self.played[at + 1] if at + 1 < len(self.played) else None)


def facts(session: Session, league: LeagueRow) -> Facts:
    """The league as the database has it now."""
    number = league.id
    faults = read.faults(session=session, league=number)
    stopped = {(fault.fixture, fault.deal): fault.seat for fault in faults if fault.consequence == "stopped"}
    return Facts(
        league,
        rules_of(league.variant, league.seats, league.options),
        read.entrants(session=session, league=number),
        read.fixtures(session=session, league=number),
        read.results(session=session, league=number),
        read.deals(session=session, league=number),
        faults,
        # A revoke that is one too many forfeits the match as well; whether it stopped the deal, the record knows.
        {**stopped, **read.stops(session=session, league=number)},
    )
