"""A league out of the database: its book, and the lines of that."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import BaseModel
from sqlmodel import Session, col, select

from arena.league import book as b
from arena.league.book import Book, Match, item
from arena.rules.catalogue import rules as rules_of
from arena.rules.record import MATCH, MatchRecord, game_fields
from arena.rules.variant import Rules
from arena.store.models import Entrant, Fault, Fixture, League, PlayedDeal, Result, SeatResult

_Row: TypeAlias = tuple[Any, ...]

CHUNK = 64  # matches whose deals are in memory at once


def leagues_of(*, session: Session) -> tuple[League, ...]:
    """The leagues of the database in the order of their creation."""
    return tuple(session.exec(select(League).order_by(col(League.id))))


def book_of(*, session: Session, league: League, everything: bool = False, times: bool = False) -> Book:
    """The league as it may be handed out now, read as its matches are gone through.

    Cards are left out as long as a table has still to play them. With ``everything`` they are not, and the seed is
    there: that is for checking, not for showing. BadBook where the rows cannot be those of a league.
    """
    assert league.id is not None
    where = f"league {league.name!r}"
    entrants = session.exec(select(Entrant).where(Entrant.league_id == league.id).order_by(col(Entrant.number))).all()
    if [one.number for one in entrants] != list(range(len(entrants))):
        raise b.BadBook(f"{where}: the entrants are not numbered from 0 without gaps")
    fixtures = tuple(
        item(
            b.FixtureLine,
            f"{where}: fixture {number}",
            fixture=number,
            repetition=repetition,
            orbit=orbit,
            round=round_,
            stream=stream,
            seats=_numbers(seats, f"{where}: fixture {number}"),
        )
        for number, repetition, orbit, round_, stream, seats in session.exec(
            _columns(Fixture, "number", "repetition", "orbit", "round", "stream", "seats")
            .where(col(Fixture.league_id) == league.id)
            .order_by(col(Fixture.number))
        )
    )
    results = _results(session, league.id)
    waiting = {one.stream for one in fixtures if one.fixture not in results}
    finished = league.finished_at is not None
    # With the seed out, the cards of what was never played are no secret either.
    shown = frozenset(one.fixture for one in fixtures if finished or one.stream not in waiting)
    line = item(
        b.LeagueLine,
        where,
        league=league.name,
        variant=league.variant,
        options=_json(league.options, where),
        players=league.seats,
        target=league.target,
        max_deals=league.max_deals,
        settings=_json(league.settings, where),
        entrants=tuple(
            item(
                b.EntrantItem,
                f"{where}: entrant {one.number}",
                name=one.name,
                ranked=bool(one.ranked),
                software=one.software,
            )
            for one in entrants
        ),
        commitment=league.commitment,
        schedule_hash=league.schedule_hash,
        beacon=league.beacon,
        seed=(league.seed or None) if finished else None,
        finished=finished,
        fixtures=len(fixtures),
        results=sum(number in shown for number in results),
    )
    try:
        rules = rules_of(line.variant, line.players, line.options)
        seed = bytes.fromhex(league.seed) or None
    except ValueError as error:
        raise b.BadBook(f"{where}: {error}") from None
    reading = _Reading(session, league.id, line, rules, fixtures, results, shown, everything, times)
    stamp = b.LeagueTimes(created_at=league.created_at, finished_at=league.finished_at) if times else None
    return Book(
        line,
        stamp,
        fixtures,
        reading.matches(),
        seed if everything or finished else None,
        everything,
        shown,
        withheld=len(results.keys() - shown),
    )


def lines(book: Book) -> Iterator[str]:
    """The book's lines, without their ends; the same for equal leagues, apart from lines of times."""
    yield _text(book.line)
    if book.times:
        yield _text(book.times)
    yield from map(_text, book.fixtures)
    for match in book.matches:
        if match.result:
            yield _text(match.result)
        yield _record(match.record)
        yield from map(_text, match.faults)
        if match.times:
            yield _text(match.times)


def record_lines(book: Book) -> Iterator[str]:
    """The records alone, as `arena replay` reads them."""
    return (_record(match.record) for match in book.matches)


def _record(record: MatchRecord) -> str:
    return _dumped(
        game_fields(record.rules, MATCH)
        | {
            "bots": list(record.bots),
            "target": record.target,
            "max_deals": record.max_deals,
            "deals": list(record.deals),
        }
    )


def _text(line: BaseModel) -> str:
    return _dumped(line.model_dump(mode="json"))


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class _Ended:
    """A result with its seats."""

    deals: int
    end: str
    finished_at: str
    seconds: float
    seats: dict[int, _Row] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Goes through the matches of a league, a few of them in memory at once."""

    session: Session
    league_id: int
    line: b.LeagueLine
    rules: Rules
    fixtures: tuple[b.FixtureLine, ...]
    results: dict[int, _Ended]
    shown: frozenset[int]  # fixtures whose cards may be
    everything: bool
    times: bool

    def matches(self) -> Iterator[Match]:
        """The matches that may be shown, or everything there is, by fixture."""
        seats = {one.fixture: one.seats for one in self.fixtures}
        numbers = set(self.results)
        if self.everything:
            # Also what belongs to no fixture, which the tables' own constraints should have kept out.
            query = select(PlayedDeal.fixture).where(PlayedDeal.league_id == self.league_id).distinct()
            numbers.update(self.session.exec(query))
        else:
            numbers &= self.shown
        ordered = sorted(numbers)
        for start in range(0, len(ordered), CHUNK):
            chunk = ordered[start : start + CHUNK]
            deals, faults = self._deals(chunk), self._faults(chunk)
            for number in chunk:
                yield self._match(number, seats.get(number, ()), deals[number], faults[number])

    def _match(self, number: int, seats: Sequence[int], deals: Sequence[_Row], faults: Sequence[_Row]) -> Match:
        where = f"fixture {number}"
        for index, (found, *_) in enumerate(deals):
            if found != index:
                raise b.BadBook(f"{where}: deal {index} is missing, the next one is deal {found}")
        scores = tuple(
            item(b.ScoreItem, f"{where}, deal {deal}", points=_tuple(_json(points, where)), moon=moon)
            for deal, _, points, moon, *_ in deals
        )
        names = [one.name for one in self.line.entrants]
        record = MatchRecord(
            self.rules,
            tuple(names[entrant] if entrant < len(names) else "" for entrant in seats),
            self.line.target,
            self.line.max_deals,
            tuple(_json(record, f"{where}, deal {deal}") for deal, record, *_ in deals),
        )
        told = tuple(
            item(b.FaultLine, f"{where}: a fault", fixture=number, **dict(zip(_FAULT, row, strict=False)))
            for row in faults
        )
        ended = self.results.get(number)
        if ended is None:
            return Match(number, None, record, scores, told, None)
        times = self._times(number, ended, deals, faults) if self.times else None
        return Match(number, self._result(number, ended, scores), record, scores, told, times)

    def _result(self, number: int, ended: _Ended, scores: tuple[b.ScoreItem, ...]) -> b.ResultLine:
        where = f"fixture {number}"
        if set(ended.seats) != set(range(self.rules.players)):
            raise b.BadBook(f"{where}: there are results of seats {sorted(ended.seats)}, not of {self.rules.players}")
        return item(
            b.ResultLine,
            where,
            fixture=number,
            deals=ended.deals,
            end=ended.end,
            seats=tuple(
                item(b.SeatItem, f"{where}, seat {seat}", **dict(zip(_SEAT, row, strict=False)))
                for seat, row in sorted(ended.seats.items())
            ),
            scores=scores,
        )

    def _times(self, number: int, ended: _Ended, deals: Sequence[_Row], faults: Sequence[_Row]) -> b.MatchTimes:
        where = f"fixture {number}"
        return item(
            b.MatchTimes,
            where,
            fixture=number,
            finished_at=ended.finished_at,
            seconds=ended.seconds,
            thinking=tuple(_tuple(_json(row[-1], where)) for _, row in sorted(ended.seats.items())),
            deals=tuple(
                item(
                    b.DealTimes,
                    f"{where}, deal {deal}",
                    seats=tuple((*seat[:4], bool(seat[4])) for seat in _json(seats, where)),
                    thinking=_tuple(_json(thinking, where)),
                )
                for deal, _, _, _, seats, thinking in deals
            ),
            faults=tuple(
                item(b.FaultTimes, where, **dict(zip(_FAULT_TIMES, row[len(_FAULT) :], strict=True))) for row in faults
            ),
        )

    def _deals(self, numbers: Sequence[int]) -> defaultdict[int, list[_Row]]:
        """By fixture: number, record, points, moon, seats, thinking."""
        found: defaultdict[int, list[_Row]] = defaultdict(list)
        for number, *row in self.session.exec(
            _columns(PlayedDeal, "fixture", "number", "record", "points", "moon", "seats", "thinking")
            .where(col(PlayedDeal.league_id) == self.league_id, col(PlayedDeal.fixture).in_(numbers))
            .order_by(col(PlayedDeal.fixture), col(PlayedDeal.number))
        ):
            found[number].append(tuple(row))
        return found

    def _faults(self, numbers: Sequence[int]) -> defaultdict[int, list[_Row]]:
        """By fixture, as they happened."""
        found: defaultdict[int, list[_Row]] = defaultdict(list)
        for number, *row in self.session.exec(
            _columns(Fault, "fixture", *_FAULT, *_FAULT_TIMES)
            .where(col(Fault.league_id) == self.league_id, col(Fault.fixture).in_(numbers))
            .order_by(col(Fault.fixture), col(Fault.id))
        ):
            found[number].append(tuple(row))
        return found


_FAULT = ("deal", "seat", "trick", "kind", "ask", "clause", "reason", "consequence", "answer")
_FAULT_TIMES = ("limit_ms", "measured_ms", "sent_ms", "came_ms", "lag_ms", "thought_ms")
_SEAT = ("entrant", "points", "place", "chips", "moons", "moons_suffered", "faults", "forfeited")


def _results(session: Session, league_id: int) -> dict[int, _Ended]:
    ended = {
        number: _Ended(*row)
        for number, *row in session.exec(
            _columns(Result, "fixture", "deals", "end", "finished_at", "seconds")
            .where(col(Result.league_id) == league_id)
            .order_by(col(Result.fixture))
        )
    }
    for number, seat, *row in session.exec(
        _columns(SeatResult, "fixture", "seat", *_SEAT, "thinking").where(col(SeatResult.league_id) == league_id)
    ):
        if number in ended:
            ended[number].seats[seat] = tuple(row)
    return ended


def _columns(table: type[Any], *names: str) -> Any:
    """A query for some columns: tuples instead of objects, ten times as fast."""
    return select(*(getattr(table, name) for name in names))


def _numbers(text: str, where: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, text.split()))
    except ValueError:
        raise b.BadBook(f"{where}: seats {b.shown(text)} are not numbers") from None


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise b.BadBook(f"{where}: not JSON: {error}") from None  # without the text, in which there may be cards


def _tuple(value: Any) -> Any:
    """Lists as tuples, all the way down; strict lines take no lists."""
    return tuple(map(_tuple, value)) if isinstance(value, list) else value
