"""Everything about one league that its pages are made of, read once."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlmodel import Session

from arena.rules.catalogue import rules as rules_of
from arena.rules.variant import Rules
from arena.store import read
from arena.store.read import DealRow, EntrantRow, FaultRow, FixtureRow, LeagueRow, ResultRow


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
    faults_by: Mapping[int, int] = field(init=False)  # their number, by entrant; none for the faultless
    sums: Mapping[str, tuple[tuple[int, tuple[int, ...]], ...]] = field(init=False)
    """By stream and deal: how many finished tables have played it, and the sum of their points by seat."""
    faults_of: Mapping[int, tuple[FaultRow, ...]] = field(init=False)  # by fixture; none for the faultless
    seats_of: Mapping[int, Mapping[int, int]] = field(init=False)
    """By entrant: its seat in each of its fixtures, in schedule order."""
    _elsewhere: dict[int, tuple[tuple[float, ...] | None, ...]] = field(init=False)  # what has been asked for so far

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
        put(self, "faults_by", Counter(self.entrant(fault.fixture, fault.seat) for fault in self.faults))
        put(self, "sums", {stream: self._sums(mates) for stream, mates in tables.items()})
        put(self, "played", tuple(self.results))
        put(self, "places", {fixture: place for place, fixture in enumerate(self.results)})
        put(self, "faults_of", {fixture: tuple(rows) for fixture, rows in by_fixture.items()})
        put(self, "seats_of", seats_of)
        put(self, "_elsewhere", {})

    def _sums(self, mates: Sequence[FixtureRow]) -> tuple[tuple[int, tuple[int, ...]], ...]:
        played = [self.deals[mate.number] for mate in mates if mate.number in self.results]
        return tuple(
            (len(same), tuple([sum(column) for column in zip(*same, strict=True)]))
            for deal in range(max(map(len, played), default=0))
            for same in [[table[deal].points for table in played if deal < len(table)]]
        )

    def elsewhere(self, fixture: int) -> tuple[tuple[float, ...] | None, ...]:
        """By deal and seat: the mean points with these very cards at the other finished tables; None where there are
        none.
        """
        known = self._elsewhere.get(fixture)
        if known is None:
            sums = self.sums[self.fixtures[fixture].stream]
            known = self._elsewhere[fixture] = tuple(
                [
                    tuple([(total - own) / (count - 1) for total, own in zip(total_by_seat, deal.points, strict=True)])
                    if count > 1
                    else None
                    for deal, (count, total_by_seat) in zip(self.deals[fixture], sums, strict=False)
                ]
            )
        return known

    def name(self, entrant: int) -> str:
        """The bot's name as its author wrote it."""
        return self.entrants[entrant].name

    def entrant(self, fixture: int, seat: int) -> int:
        """Who sits there."""
        return self.fixtures[fixture].seats[seat]

    def around(self, fixture: int) -> tuple[int | None, int | None]:
        """The finished matches before and after this one in the schedule."""
        at = self.places[fixture]
        return (self.played[at - 1] if at else None, self.played[at + 1] if at + 1 < len(self.played) else None)


def facts(session: Session, league: LeagueRow) -> Facts:
    """The league as the database has it now."""
    number = league.id
    faults = read.faults(session=session, league=number)
    stopped = {(fault.fixture, fault.deal): fault.seat for fault in faults if fault.consequence == "stopped"}
    # A revoke that is one too many forfeits the match as well; whether it stopped the deal, the record knows.
    forfeits = {(fault.fixture, fault.deal) for fault in faults if fault.consequence == "stand-in"}
    return Facts(
        league,
        rules_of(league.variant, league.seats, league.options),
        read.entrants(session=session, league=number),
        read.fixtures(session=session, league=number),
        read.results(session=session, league=number),
        read.deals(session=session, league=number),
        faults,
        {**stopped, **read.stops(session=session, league=number, deals=forfeits)},
    )
