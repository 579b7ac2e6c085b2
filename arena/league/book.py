"""A league as it is handed out: lines of JSON that hold all that a stranger needs to check it.

The lines come in this order: the league; its fixtures; then, of each finished match whose cards may be shown, the
result, the record and the faults. What varies from run to run is in lines of its own, and only if it is asked for.
docs/operators.md describes the format to its readers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, Field, ValidationError

from arena.league.config import ConfigError, Name, Section
from arena.rules.record import MatchRecord
from arena.rules.variant import OptionValue
from arena.stats.thinking import PER_OCTAVE

LEAGUE: Final = "hearts-arena/league@1"
FIXTURE: Final = "hearts-arena/fixture@1"
RESULT: Final = "hearts-arena/result@1"
FAULT: Final = "hearts-arena/fault@1"
LEAGUE_TIMES: Final = "hearts-arena/league-times@1"
MATCH_TIMES: Final = "hearts-arena/match-times@1"

MOST: Final = 2**31 - 1  # what every database takes for a number
OCTAVES: Final = 63  # of a histogram of answer times: 2⁶³ ns are 292 years

Count = Annotated[int, Field(ge=0, le=MOST)]
Points = Annotated[int, Field(ge=-MOST, le=MOST)]
Time = Annotated[float, Field(allow_inf_nan=False)]
Nanoseconds = Annotated[int, Field(ge=0, lt=2**OCTAVES)]
Bucket = Annotated[int, Field(ge=0, lt=PER_OCTAVE * OCTAVES)]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
_L = TypeVar("_L", bound=Section)


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("printable characters only")
    return text


Word = Annotated[str, AfterValidator(_printable)]


class BadBook(ConfigError):  # noqa: N818  as a bad record is
    """What is wrong with an export, or with rows that cannot be one, in one line."""


class EntrantItem(Section):
    """A bot, or a house bot, which is not ranked. Its number is its place in the list."""

    name: Name
    ranked: bool
    software: str  # what it called itself when it was last here


class LeagueLine(Section):
    """The first line of a league."""

    format: Literal["hearts-arena/league@1"] = LEAGUE
    league: Annotated[Word, Field(min_length=1, max_length=256)]
    variant: str
    options: dict[str, OptionValue]  # every option of the variant
    players: int
    target: Annotated[int, Field(ge=1, le=MOST)]  # points
    max_deals: Annotated[int, Field(ge=1, le=MOST)] | None
    settings: dict[str, Any]  # as the league was created; what decides the results
    entrants: tuple[EntrantItem, ...]
    commitment: Hash
    schedule_hash: Hash
    beacon: Annotated[str, Field(pattern="^([0-9a-f]{2})*$")]
    seed: Hash | None  # published when the league is finished, never before
    finished: bool
    fixtures: Count
    results: Count  # that follow; of a league that is not finished, those whose cards nobody has still to play


class FixtureLine(Section):
    """A match of the schedule."""

    format: Literal["hearts-arena/fixture@1"] = FIXTURE
    fixture: Count
    repetition: Count
    orbit: Count
    round: Count
    stream: Word
    seats: tuple[Count, ...]  # entrant numbers


class SeatItem(Section):
    """How one seat of a match came out."""

    entrant: Count
    points: Points
    place: Annotated[int, Field(ge=1, le=10)]
    chips: str  # an exact fraction
    moons: Count
    moons_suffered: Count
    faults: Count
    forfeited: bool


class ScoreItem(Section):
    """What one deal was worth."""

    points: tuple[Points, ...]  # by seat
    moon: Count | None  # the shooter's seat


class ResultLine(Section):
    """A finished match. Its record is the next line."""

    format: Literal["hearts-arena/result@1"] = RESULT
    fixture: Count
    deals: Annotated[int, Field(ge=1, le=MOST)]
    end: Literal["target", "max_deals"]
    seats: tuple[SeatItem, ...]
    scores: tuple[ScoreItem, ...]  # by deal


class FaultLine(Section):
    """What a bot did wrong, or did not do."""

    format: Literal["hearts-arena/fault@1"] = FAULT
    fixture: Count
    deal: Count
    seat: Count
    trick: Count | None
    kind: str
    ask: str
    clause: str
    reason: str
    consequence: str
    answer: str


class LeagueTimes(Section):
    """When a league was created and finished, UTC, ISO 8601."""

    format: Literal["hearts-arena/league-times@1"] = LEAGUE_TIMES
    created_at: Word
    finished_at: Word | None


class DealTimes(Section):
    """What the clocks of one deal showed, by seat."""

    seats: tuple[tuple[int, int, int, int, bool], ...]  # bank µs, grace µs, strikes, stops, forfeited
    thinking: tuple[tuple[Count, ...], ...]  # the answers, in tenths of a millisecond


class FaultTimes(Section):
    """The limit of an answer that was a fault, its measure, and who was late. `null`: it was not kept, or never was."""

    limit_ms: Time
    measured_ms: Time
    sent_ms: Time | None
    came_ms: Time | None
    lag_ms: Time | None
    thought_ms: Time | None


class MatchTimes(Section):
    """When a match was finished, how long it took, and what its clocks showed."""

    format: Literal["hearts-arena/match-times@1"] = MATCH_TIMES
    fixture: Count
    finished_at: Word
    seconds: Annotated[Time, Field(ge=0)]
    thinking: tuple[tuple[Nanoseconds, Nanoseconds, tuple[tuple[Bucket, Count], ...]], ...]  # histograms by seat
    deals: tuple[DealTimes, ...]
    faults: tuple[FaultTimes, ...]  # in the order of its faults


@dataclass(frozen=True, slots=True)
class Match:
    """What there is of one match."""

    fixture: int
    result: ResultLine | None  # None: not finished
    record: MatchRecord
    scores: tuple[ScoreItem, ...]  # as they were kept, by deal of the record
    faults: tuple[FaultLine, ...]
    times: MatchTimes | None


@dataclass(frozen=True, slots=True)
class Book:
    """A league. ``matches`` can be gone through once, by fixture."""

    line: LeagueLine
    times: LeagueTimes | None
    fixtures: tuple[FixtureLine, ...]
    matches: Iterable[Match]
    seed: bytes | None  # where it is known, which for who holds the database is at any time
    everything: bool  # unfinished matches are there too, and those whose cards are not to be shown
    shown: frozenset[int]  # fixtures whose cards may be shown to anybody
    withheld: int = 0  # finished matches that are left out, as other tables have still to play their cards

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants by number."""
        return tuple(one.name for one in self.line.entrants)


def item(model: type[_L], where: str, **values: object) -> _L:
    """A line or a part of one from these values; BadBook, beginning with ``where``, if they cannot be one."""
    try:
        return model(**values)
    except ValidationError as error:
        raise BadBook(f"{where}: {problem(error)}") from None


def problem(error: ValidationError) -> str:
    """The first thing that is wrong, in one line: the field, what it must be, its value."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"]) or "line"
    match first["type"]:
        case "extra_forbidden":
            return f"unknown field {field!r}"
        case "missing":
            return f"missing field {field!r}"
    return f"{field}: {first['msg'][:1].lower()}{first['msg'][1:]}, not {shown(first['input'])}"


def shown(value: object) -> str:
    """A value for a message: on one line, not too long, nothing in it that a terminal would obey."""
    text = value if isinstance(value, str) and value.isprintable() else repr(value)
    return text if len(text) <= 160 else text[:157] + "..."
