"""Every table of the database.

A fixture is open as long as it has no result; a result is written once, keyed by its fixture, in one transaction.
A deal is written before the next one of its match starts, so that a match goes on where it stood. Attempts are apart
from results: how often a match was begun, and why it stopped, decides nothing. What cannot be is kept out by
constraints as far as one row can tell, and what cannot be worth what it says by a trigger on `deal`.
"""

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, UniqueConstraint
from sqlmodel import Field, SQLModel


class League(SQLModel, table=True):
    """A league as it was created. Its settings never change afterwards; orbits may be added to its schedule."""

    __table_args__ = (
        CheckConstraint("seats BETWEEN 2 AND 10"),
        CheckConstraint("target >= 1"),
        CheckConstraint("max_deals >= 1"),
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    settings: str  # the league file, as canonical JSON with defaults filled in
    variant: str
    options: str  # JSON
    seats: int  # players at a table
    target: int  # points
    max_deals: int | None
    commitment: str  # hex; published at once
    seed: str  # hex; secret until the league ends
    beacon: str  # hex, "" where there is none
    schedule_hash: str  # of all fixtures there are
    created_at: str  # UTC, ISO 8601
    finished_at: str | None = None


class Entrant(SQLModel, table=True):
    """A bot of a league, or a house bot that fills up a table."""

    __table_args__ = (UniqueConstraint("league_id", "name"), CheckConstraint("number >= 0"))

    league_id: int = Field(foreign_key="league.id", primary_key=True)
    number: int = Field(primary_key=True)  # its index in the schedule
    name: str
    ranked: bool  # house bots are scheduled, but not ranked
    software: str = ""  # what it called itself when it was last here
    away: bool = False  # a running arena has open matches for it, and it is not there …
    here_as: str | None = None  # … but as another version than the league's, which calls itself so


class Fixture(SQLModel, table=True):
    """A match that is to be played."""

    __table_args__ = (CheckConstraint("number >= 0 AND repetition >= 0 AND orbit >= 0 AND round >= 0"),)

    league_id: int = Field(foreign_key="league.id", primary_key=True)
    number: int = Field(primary_key=True)  # place in the schedule, from 0
    repetition: int
    orbit: int
    round: int
    stream: str  # of deals
    seats: str  # entrant numbers by seat, "3 0 2 1"


class Worth(SQLModel, table=True):
    """What the points of a league's deals may sum to, by how a deal ended: from its rules, when it is created."""

    __table_args__ = (CheckConstraint("ended IN ('complete', 'moon', 'stopped')"),)

    league_id: int = Field(foreign_key="league.id", primary_key=True)
    ended: str = Field(primary_key=True)
    total: int = Field(primary_key=True)  # points of all seats


class PlayedDeal(SQLModel, table=True):
    """A complete deal of a match.

    The trigger `deal_worth` (revision 0004) refuses points that are not of as many seats as the league has or sum to
    what its rules never give, see `Worth`, and a shooter who sits at no seat. Whether the points are those of the
    cards in the record, only a replay tells: `arena verify`.
    """

    __tablename__ = "deal"
    __table_args__ = (
        ForeignKeyConstraint(["league_id", "fixture"], ["fixture.league_id", "fixture.number"]),
        CheckConstraint("number >= 0"),
        CheckConstraint("moon BETWEEN 0 AND 9"),
    )

    league_id: int = Field(primary_key=True)
    fixture: int = Field(primary_key=True)
    number: int = Field(primary_key=True)
    record: str  # the deal record of docs/records.md, JSON, without what its match says for all deals
    points: str  # JSON, by seat
    moon: int | None  # the shooter's seat
    seats: str  # JSON, by seat: [bank µs, grace µs, strikes, stopped deals, forfeited] after the deal
    thinking: str  # JSON, by seat: the answers' times charged, in tenths of a millisecond


class Fault(SQLModel, table=True):
    """What a bot did wrong, or did not do."""

    __table_args__ = (
        ForeignKeyConstraint(["league_id", "fixture"], ["fixture.league_id", "fixture.number"]),
        CheckConstraint("deal >= 0"),
        CheckConstraint("seat BETWEEN 0 AND 9"),
        CheckConstraint("kind IN ('illegal', 'malformed', 'timeout', 'unreachable')"),
        CheckConstraint("consequence IN ('retry', 'fallback', 'stopped', 'stand-in')"),
        Index("fault_of_match", "league_id", "fixture"),
    )

    id: int | None = Field(default=None, primary_key=True)
    league_id: int
    fixture: int
    deal: int
    seat: int
    trick: int | None  # from 0; None before the first lead
    kind: str  # "illegal", "malformed", "timeout" or "unreachable"
    ask: str  # "pass", "play" or "discard"
    clause: str  # of the rules, "" where none is named
    reason: str  # one line
    consequence: str  # "retry", "fallback", "stopped" or "stand-in"
    answer: str  # what came, at most 200 characters
    limit_ms: float
    measured_ms: float
    # From when the question was put; None in rows of before these were kept, and after an import without times.
    sent_ms: float | None = None  # until the transport took it; None: it never did
    came_ms: float | None = None  # until the answer was read, also where that was too late; None: none was
    lag_ms: float | None = None  # that the arena itself lost in the meantime
    thought_ms: float | None = None  # that the bot says it thought about the answer; None: it does not say


class Transcript(SQLModel, table=True):
    """What was said to and by a seat in a deal, as far as it is kept. After the last deal: the end of the match."""

    __table_args__ = (
        ForeignKeyConstraint(["league_id", "fixture"], ["fixture.league_id", "fixture.number"]),
        CheckConstraint("deal >= 0"),
        CheckConstraint("seat BETWEEN 0 AND 9"),
    )

    league_id: int = Field(primary_key=True)
    fixture: int = Field(primary_key=True)
    seat: int = Field(primary_key=True)
    deal: int = Field(primary_key=True)
    entries: bytes  # compressed, see arena/gateway/tape.py


class Attempt(SQLModel, table=True):
    """A match was begun, or gone on with."""

    __table_args__ = (
        ForeignKeyConstraint(["league_id", "fixture"], ["fixture.league_id", "fixture.number"]),
        CheckConstraint("number >= 0"),
        CheckConstraint("ended IN ('finished', 'parked', 'cut', 'fault')"),
        CheckConstraint("(ended IS NULL) = (ended_at IS NULL)"),
        CheckConstraint("ended IS NULL OR ended = 'fault' OR reason = ''"),
    )

    league_id: int = Field(primary_key=True)
    fixture: int = Field(primary_key=True)
    number: int = Field(primary_key=True)  # from 0
    started_at: str  # UTC, ISO 8601
    ended_at: str | None = None
    # None: in play. "finished": there is a result. "parked": put aside, to go on later. "cut": the arena was killed.
    # "fault": the arena's own, and never a bot's.
    ended: str | None = None
    reason: str = ""  # of a fault, one line


class Result(SQLModel, table=True):
    """A finished match."""

    __table_args__ = (
        ForeignKeyConstraint(["league_id", "fixture"], ["fixture.league_id", "fixture.number"]),
        CheckConstraint("deals >= 1"),
        CheckConstraint("\"end\" IN ('target', 'max_deals')"),
        CheckConstraint("seconds >= 0"),
    )

    league_id: int = Field(primary_key=True)
    fixture: int = Field(primary_key=True)
    deals: int
    end: str  # "target" or "max_deals"
    finished_at: str  # UTC, ISO 8601
    seconds: float  # of play, without interruptions


class SeatResult(SQLModel, table=True):
    """How one seat of a finished match came out."""

    __tablename__ = "seat_result"
    __table_args__ = (
        ForeignKeyConstraint(["league_id", "fixture"], ["result.league_id", "result.fixture"]),
        ForeignKeyConstraint(["league_id", "entrant"], ["entrant.league_id", "entrant.number"]),
        UniqueConstraint("league_id", "fixture", "entrant"),
        CheckConstraint("place BETWEEN 1 AND 10"),
        CheckConstraint("seat BETWEEN 0 AND 9"),
        CheckConstraint("moons >= 0 AND moons_suffered >= 0 AND faults >= 0"),
    )

    league_id: int = Field(primary_key=True)
    fixture: int = Field(primary_key=True)
    seat: int = Field(primary_key=True)
    entrant: int
    points: int
    place: int
    chips: str  # an exact fraction, "-13/2"
    moons: int
    moons_suffered: int
    faults: int
    forfeited: bool
    thinking: str  # histogram of answer times, see arena/stats/thinking.py
