"""What is written of a deal and of a result, to the unit, and what is read of it when the match goes on."""

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import Session

from arena.fault import Consequence, Fault, Kind
from arena.league.schedule import Fixture
from arena.rules.catalogue import rules
from arena.rules.match import Match
from arena.stats.thinking import Thinking
from arena.store.database import DatabaseError, open_database
from arena.store.league import earlier_deals
from arena.store.played import ANSWER_LENGTH, keep_deal, keep_result
from arena.store.tally import Tally
from arena.store.writer import Transaction
from arena.table import MatchResult, PlayedDeal, Standing
from tests.league.scripted import league_file, rows, runner_of

FIXTURE = Fixture(0, 0, 0, 0, "", (3, 1, 0, 2))
STANDINGS = (
    Standing(60.0, 5.0, 0, 0, forfeited=False),
    Standing(31.4999996, 0.0000016, 2, 1, forfeited=False),
    Standing(0.0, 4.0, 3, 2, forfeited=True),
    Standing(0.25, 1.0, 1, 0, forfeited=False),
)


def fault(seat: int, reason: str, answer: str, *times: float | None) -> Fault:
    limit, measured, sent, came, lag, thought = times
    assert limit is not None
    assert measured is not None
    assert lag is not None
    what = (Kind.ILLEGAL, "play", "C4", reason, Consequence.RETRY, answer)
    return Fault(seat, 7, 3, 41, *what, limit, measured, sent, came, lag, thought)


FAULTS = (
    fault(1, "a\0b", "Q" * 300, 5.0000016, 0.2500016, 0.0010016, 0.2499976, 0.5000016, 0.0250016),
    fault(3, "no", "", 1.5, 2.5, None, None, 0.0, None),
)
THINKING_S = ((0.0001, 0.25, 0.0001), (0.00016, 0.00014), (), (59.99996,))
THINKING = ((1, 2500, 1), (2, 1), (), (600_000,))  # in tenths of a millisecond


def deal(number: int, moon: int | None, faults: tuple[Fault, ...] = ()) -> PlayedDeal:
    points = (0, 1, 2, 23) if moon is None else tuple(0 if seat == moon else 26 for seat in range(4))
    return PlayedDeal(number, {"hands": ["2C", "3C"]}, points, moon, STANDINGS, THINKING_S, faults)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_database(str(tmp_path / "league.db"), create=True)
    runner_of(engine, league_file(4))
    yield engine
    engine.dispose()


def write(engine: Engine, tally: Tally, *deals: PlayedDeal) -> None:
    with engine.begin() as connection:
        transaction = Transaction(connection)
        for one in deals:
            keep_deal(transaction, league_id=1, fixture=0, deal=one, tally=tally)
        transaction.connection()


def test_a_deal_is_written_in_the_units_of_its_columns(engine: Engine) -> None:
    write(engine, Tally.of(4), deal(0, None))
    (row,) = rows(engine, "select league_id, fixture, number, record, points, moon, seats, thinking from deal")
    assert row[:4] == (1, 0, 0, '{"hands":["2C","3C"]}')
    assert (json.loads(str(row[4])), row[5]) == ([0, 1, 2, 23], None)
    assert json.loads(str(row[6])) == [
        [60_000_000, 5_000_000, 0, 0, 0],
        [31_500_000, 2, 2, 1, 0],
        [0, 4_000_000, 3, 2, 1],
        [250_000, 1_000_000, 1, 0, 0],
    ]
    assert json.loads(str(row[7])) == [list(times) for times in THINKING]


def test_a_fault_is_written_in_microseconds_of_milliseconds_and_what_is_not_known_is_null(engine: Engine) -> None:
    write(engine, Tally.of(4), deal(0, 2, FAULTS))
    found = rows(
        engine,
        "select deal, seat, trick, kind, ask, clause, reason, consequence, answer,"
        " limit_ms, measured_ms, sent_ms, came_ms, lag_ms, thought_ms from fault order by id",
    )
    same = (3, "illegal", "play", "C4")
    assert [tuple(row) for row in found] == [
        (7, 1, *same, "ab", "retry", "Q" * ANSWER_LENGTH, 5000.002, 250.002, 1.002, 249.998, 500.002, 25.002),
        (7, 3, *same, "no", "retry", "", 1500.0, 2500.0, None, None, 0.0, None),
    ]


def test_a_match_that_goes_on_has_what_was_written_of_its_deals(engine: Engine) -> None:
    tally = Tally.of(4)
    write(engine, tally, deal(0, None, FAULTS), deal(1, 2))
    with Session(engine) as session:
        earlier = earlier_deals(session=session, league_id=1, fixture=FIXTURE)
    assert earlier.tally == tally
    assert [points for points, _ in earlier.deals] == [(0, 1, 2, 23), (26, 26, 0, 26)]
    for _, standings in earlier.deals:
        assert standings == (STANDINGS[0], Standing(31.5, 0.000002, 2, 1, forfeited=False), *STANDINGS[2:])


@pytest.mark.parametrize("spoiled", ["seats = 'x'", "seats = '[[1, 2]]'", "seats = '7'", "thinking = '[[1]]'"])
def test_what_cannot_be_read_of_an_earlier_deal_is_said_with_its_place(engine: Engine, spoiled: str) -> None:
    write(engine, Tally.of(4), deal(0, None), deal(1, 2))
    with engine.begin() as connection:
        connection.exec_driver_sql(f"update deal set {spoiled} where number = 1")
    with (
        Session(engine) as session,
        pytest.raises(DatabaseError, match=r"^league 1, fixture 0, deal 1: cannot be read: "),
    ):
        earlier_deals(session=session, league_id=1, fixture=FIXTURE)


def test_a_result_has_what_its_deals_add_up_to(engine: Engine) -> None:
    tally, match = Tally.of(4), Match(rules("black-lady", 4), 78)
    deals = deal(0, 2, FAULTS), deal(1, 2), deal(2, 0)
    for one in deals:
        match.enter(one.points)
    result = MatchResult(match, (3, 4, 1, 2), (False, True, False, False))
    with engine.begin() as connection:
        transaction = Transaction(connection)
        for one in deals:
            keep_deal(transaction, league_id=1, fixture=0, deal=one, tally=tally)
        keep_result(transaction, league_id=1, fixture=FIXTURE, result=result, tally=tally, seconds=12.3456)
        transaction.connection()
    assert [tuple(row) for row in rows(engine, 'select fixture, deals, "end", seconds from result')] == [
        (0, 3, "target", 12.346)
    ]
    found = rows(
        engine,
        "select seat, entrant, points, place, chips, moons, moons_suffered, faults, forfeited, thinking"
        " from seat_result order by seat",
    )
    assert [(*row[:4], Fraction(str(row[4])), *row[5:8], bool(row[8])) for row in found] == [
        (seat, FIXTURE.seats[seat], match.totals[seat], result.places[seat], match.chips[seat],
         *((1, 2), (0, 3), (2, 1), (0, 3))[seat], (0, 1, 0, 1)[seat], seat == 1)
        for seat in range(4)
    ]  # fmt: skip
    for seat, times in enumerate(THINKING):
        told = Thinking.from_text(str(found[seat][9]))
        assert (told.count, told.total_ns) == (3 * len(times), 3 * 100_000 * sum(times))
        assert sum(Counter(dict(told.buckets)).values()) == 3 * len(times)
