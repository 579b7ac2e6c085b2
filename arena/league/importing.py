"""A league out of the lines of an export: its book, and a database's rows of that."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import ValidationError
from sqlalchemy import insert
from sqlmodel import Session

from arena.league import book as b
from arena.league.book import BadBook, Book, Match
from arena.league.config import Section
from arena.league.schedule import Fixture as Scheduled
from arena.rules.record import MATCH, BadRecord, Json, MatchRecord, read
from arena.stats.thinking import Stopwatch
from arena.store import league as store
from arena.store.database import name_of
from arena.store.models import Entrant, Fault, League, PlayedDeal, Result, SeatResult

_FORMAT: Final = re.compile(rb'\s*\{\s*"format"\s*:\s*"([^"\\]*)"')
_L = TypeVar("_L", bound=Section)


def read_books(data: bytes, *, where: str) -> Iterator[Book]:
    """The leagues of an export, each to be gone through before the next one is asked for.

    BadBook, in one line that begins with ``where``, at the first line that is wrong or out of place.
    """
    lines = _Lines(data, where)
    if lines.format != b.LEAGUE:
        raise lines.bad(f"a league begins with a line of format {b.LEAGUE}")
    while lines.format == b.LEAGUE:
        line = lines.take(b.LeagueLine)
        times = lines.take(b.LeagueTimes) if lines.format == b.LEAGUE_TIMES else None
        fixtures = []
        while lines.format == b.FIXTURE:
            fixtures.append(lines.take(b.FixtureLine))
        if len(fixtures) != line.fixtures:
            raise lines.bad(f"the league says that it has {line.fixtures} fixtures, but there are {len(fixtures)}")
        seed = bytes.fromhex(line.seed) if line.seed else None
        matches = _matches(lines, line)
        shown = frozenset(one.fixture for one in fixtures)  # what is in a file is out
        yield Book(line, times, tuple(fixtures), matches, seed, False, shown)
        for _ in matches:
            pass  # whoever did not want them
    if lines.format:
        raise lines.bad(f"a line of format {b.shown(lines.format)} does not belong here")


def enter(*, session: Session, book: Book) -> int:
    """Write the league to the database; returns how many matches were written. The book has been checked already.

    Times that it does not have are given as none, and the moments as now. BadBook where the database has a league
    of that name.
    """
    line = book.line
    if store.find_league(session=session, name=line.league) is not None:
        raise BadBook(f"{name_of(session.get_bind().engine)}: there is a league {line.league!r} already")
    now = store.now()
    times = book.times or b.LeagueTimes(created_at=now, finished_at=now)
    league = League(
        name=line.league,
        settings=json.dumps(line.settings, sort_keys=True, ensure_ascii=False),
        variant=line.variant,
        options=json.dumps(line.options, sort_keys=True),
        seats=line.players,
        target=line.target,
        max_deals=line.max_deals,
        commitment=line.commitment,
        seed=line.seed or "",
        beacon=line.beacon,
        schedule_hash=line.schedule_hash,
        created_at=times.created_at,
        finished_at=(times.finished_at or now) if line.finished else None,
    )
    entrants = [
        Entrant(league_id=0, number=number, name=one.name, ranked=one.ranked, software=one.software)
        for number, one in enumerate(line.entrants)
    ]
    fixtures = (
        Scheduled(one.fixture, one.repetition, one.orbit, one.round, one.stream, one.seats) for one in book.fixtures
    )
    league_id = store.create_league(session=session, league=league, entrants=entrants, fixtures=fixtures)
    count = 0
    for match in book.matches:
        _enter_match(session, league_id, match, now)
        count += 1
    return count


def _enter_match(session: Session, league_id: int, match: Match, now: str) -> None:
    connection, times = session.connection(), match.times
    here: dict[str, Any] = {"league_id": league_id, "fixture": match.fixture}
    result = match.result
    assert result is not None, "an export has finished matches only"
    players = range(len(result.seats))
    connection.execute(
        insert(PlayedDeal),
        [
            here
            | {
                "number": number,
                "record": json.dumps(record, separators=(",", ":")),
                "points": json.dumps(score.points),
                "moon": score.moon,
                "seats": json.dumps(
                    [[*seat[:4], int(seat[4])] for seat in times.deals[number].seats]
                    if times
                    else [[0, 0, 0, 0, 0] for _ in players]
                ),
                "thinking": json.dumps(times.deals[number].thinking if times else [[] for _ in players]),
            }
            for number, (record, score) in enumerate(zip(match.record.deals, match.scores, strict=True))
        ],
    )
    if match.faults:
        connection.execute(
            insert(Fault),
            [
                here
                | one.model_dump(exclude={"format", "fixture"})
                | (times.faults[at].model_dump() if times else {"limit_ms": 0.0, "measured_ms": 0.0})
                for at, one in enumerate(match.faults)
            ],
        )
    connection.execute(
        insert(Result),
        here
        | {
            "deals": result.deals,
            "end": result.end,
            "finished_at": times.finished_at if times else now,
            "seconds": times.seconds if times else 0.0,
        },
    )
    nothing = Stopwatch().thinking().to_text()
    connection.execute(
        insert(SeatResult),
        [
            here
            | seat.model_dump()
            | {
                "seat": number,
                "thinking": json.dumps(times.thinking[number], separators=(",", ":")) if times else nothing,
            }
            for number, seat in enumerate(result.seats)
        ],
    )


def _matches(lines: "_Lines", line: b.LeagueLine) -> Iterator[Match]:
    count = 0
    while lines.format == b.RESULT:
        yield _match(lines)
        count += 1
    if count != line.results:
        raise lines.bad(f"the league says that it has {line.results} results, but there are {count}")


def _match(lines: "_Lines") -> Match:
    result = lines.take(b.ResultLine)
    if lines.format != MATCH:
        raise lines.bad(f"after the result of fixture {result.fixture} comes its record, of format {MATCH}")
    record = lines.take_record()
    if len(result.scores) != len(record.deals):
        raise lines.bad(f"fixture {result.fixture}: {len(result.scores)} scores for {len(record.deals)} deals")
    faults = []
    while lines.format == b.FAULT:
        faults.append(lines.take(b.FaultLine))
    times = lines.take(b.MatchTimes) if lines.format == b.MATCH_TIMES else None
    for one in (*faults, *([times] if times else ())):
        if one.fixture != result.fixture:
            raise lines.bad(f"a line of fixture {one.fixture} among those of fixture {result.fixture}")
    if times and not _fit(times, len(result.seats), len(record.deals), len(faults)):
        raise lines.bad(f"fixture {result.fixture}: its times are not of as many seats, deals and faults as it has")
    return Match(result.fixture, result, record, result.scores, tuple(faults), times)


def _fit(times: b.MatchTimes, players: int, deals: int, faults: int) -> bool:
    """As many times as there are things to be timed."""
    return (
        len(times.thinking) == players
        and len(times.deals) == deals
        and len(times.faults) == faults
        and all(len(one.seats) == len(one.thinking) == players for one in times.deals)
    )


@dataclass(slots=True)
class _Lines:
    """The lines of a file, one by one, with their formats told in advance."""

    where: str
    format: str  # of the next line; "" at the end
    _number: int
    _rest: Iterator[tuple[int, bytes]]
    _raw: bytes

    def __init__(self, data: bytes, where: str) -> None:
        self.where = where
        self._number = 0
        self._rest = ((number, raw) for number, raw in enumerate(data.split(b"\n"), 1) if raw.strip())
        self._advance()

    def bad(self, said: str) -> BadBook:
        """The error of the next line, or of the end."""
        return BadBook(f"{self.where}: {f'line {self._number}' if self.format else 'at its end'}: {said}")

    def take(self, model: type[_L]) -> _L:
        """The next line, of this kind."""
        try:
            self._object(self._raw)
            found = model.model_validate_json(self._raw)
        except ValidationError as error:
            raise self.bad(b.problem(error)) from None
        self._advance()
        return found

    def take_record(self) -> MatchRecord:
        """The next line, which is a match record."""
        try:
            record = read(self._raw.decode())
        except (BadRecord, UnicodeDecodeError) as error:
            raise self.bad(str(error)) from None
        assert isinstance(record, MatchRecord)
        self._advance()
        return record

    def _advance(self) -> None:
        self._number, self._raw = next(self._rest, (self._number, b""))
        self.format = ""
        if self._raw:
            found = _FORMAT.match(self._raw)
            self.format = "?"
            self.format = found[1].decode(errors="replace") if found else str(self._object(self._raw).get("format"))

    def _object(self, raw: bytes) -> dict[str, Json]:
        """The line as an object; a key that comes twice would silently lose a value."""
        try:
            data = json.loads(raw, object_pairs_hook=_pairs, parse_constant=_constant)
        except (ValueError, RecursionError) as error:
            raise self.bad(f"not JSON: {b.shown(str(error))}") from None
        if not isinstance(data, dict):
            raise self.bad("not an object")
        return data


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise ValueError("a key comes twice in one object")
    return data


def _constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")
