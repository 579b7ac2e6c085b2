"""A league that was played verifies; whatever is changed in it is found and named."""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from arena.league.config import ConfigError
from arena.league.create import extend_league, open_league
from arena.league.importing import read_books
from arena.league.schedule import ScheduleHash
from arena.league.verify import Checked, Difference, verify
from arena.rules.catalogue import VARIANTS
from arena.rules.deck import commitment
from arena.store.database import open_database
from arena.store.league import fixtures_of
from tests.league.played import SEED, Opened, exported, league_file, played

Connection = sqlite3.Connection
Spoil = Callable[[Connection], object]


def check(path: Path) -> Checked:
    with Opened(path) as opened:
        return verify(opened.book(everything=True))


@contextlib.contextmanager
def spoiling(path: Path) -> Iterator[Connection]:
    """For whoever cheats: without what keeps mistakes out of the tables."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for (name,) in connection.execute("select name from sqlite_master where type = 'trigger'").fetchall():
            connection.execute(f"drop trigger {name}")
        yield connection


def check_export(text: str) -> Checked:
    (checked,) = [verify(book) for book in read_books(text.encode(), where="league.jsonl")]
    return checked


def test_a_finished_league_verifies_from_database_and_export(finished: Path) -> None:
    checked = check(finished)
    assert (checked.fixtures, checked.matches, checked.open) == (10, 10, 0)
    assert checked.deals == checked.dealt > 20
    assert checked.faults > 10
    assert checked.seed_known
    assert check_export(exported(finished)) == checked


def test_a_league_in_play_verifies_as_far_as_it_can(in_play: Path) -> None:
    checked = check(in_play)
    assert (checked.finished, checked.matches, checked.begun, checked.open) == (False, 7, 1, 3)
    assert checked.dealt == checked.deals
    outside = check_export(exported(in_play))
    assert (outside.seed_known, outside.matches, outside.open) == (False, 5, 5)
    assert outside.dealt == 0 < outside.deals


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_verifies(variant: str, tmp_path: Path) -> None:
    seats = VARIANTS[variant].players[0]
    game: dict[str, Any] = {"variant": variant, "seats": seats, "max_deals": 2}
    if variant == "black-lady":
        game["options"] = {"settlement": "pot"}
    file = league_file(bots=2, schedule={"orbits": 1}, **game)
    path = played(tmp_path / "league.db", file)
    checked = check(path)
    assert checked.matches == checked.fixtures > 0
    assert checked.dealt == checked.deals >= checked.matches
    assert check_export(exported(path)) == checked


def change_record(fixture: int, deal: int, change: Callable[[dict[str, Any]], object]) -> Spoil:
    """Change the record of one deal."""

    def spoil(connection: Connection) -> None:
        where = (fixture, deal)
        (text,) = connection.execute("select record from deal where fixture = ? and number = ?", where).fetchone()
        record = json.loads(text)
        change(record)
        connection.execute("update deal set record = ? where fixture = ? and number = ?", (json.dumps(record), *where))

    return spoil


def exchange(texts: list[str]) -> None:
    """The first card of the first text for that of the second."""
    first, second = texts[0].split(), texts[1].split()
    first[0], second[0] = second[0], first[0]
    texts[:2] = " ".join(first), " ".join(second)


def other_lead(record: dict[str, Any]) -> None:
    """The first two cards of a trick change places: nobody held what he now plays."""
    first, second, *rest = record["plays"][1].split()
    record["plays"][1] = " ".join((second, first, *rest))


def not_following(record: dict[str, Any]) -> None:
    """In a deal without passing, the second to play keeps a card with which he could follow suit for a later trick."""
    tricks = [trick.split() for trick in record["plays"]]
    hand = next(hand.split() for hand in record["hands"] if tricks[0][1] in hand.split())
    assert tricks[0][0][1] == tricks[0][1][1]
    later, at = next(
        (trick, at) for trick in tricks[1:] for at, card in enumerate(trick) if card in hand and card[1] == "D"
    )
    tricks[0][1], later[at] = later[at], tricks[0][1]
    record["plays"] = [" ".join(trick) for trick in tricks]


def sql(statement: str, *values: object) -> Spoil:
    return lambda connection: connection.execute(statement, values)


def sqls(*statements: str) -> Spoil:
    def spoil(connection: Connection) -> None:
        for one in statements:
            connection.execute(one)

    return spoil


SPOILT: dict[str, tuple[Spoil, tuple[str, ...]]] = {
    # What was committed to.
    "seed": (sql("update league set seed = ?", "ab" * 32), ("commitment", "4971e8a7")),
    "no seed": (sql("update league set seed = ''"), ("seed", "none")),
    "commitment": (sql("update league set commitment = ?", "cd" * 32), ("commitment", "cdcd", "4971e8a7")),
    "seed with its commitment": (
        sql("update league set seed = ?, commitment = ?", "ab" * 32, commitment(bytes.fromhex("ab" * 32)).hex()),
        ("fixture 0: seats",),
    ),
    "beacon": (sql("update league set beacon = '00'"), ("fixture 0", "seats")),
    "name": (sql("update league set name = 'other'"), ("fixture 0", "seats")),
    # The settings.
    "target": (sql("update league set target = 60"), ("settings: target", "60", "50")),
    "max_deals": (sql("update league set max_deals = 60"), ("settings: max_deals", "60", "None")),
    "seats": (sql("update league set seats = 3"), ("settings: players", "3", "4")),
    "variant": (sql("update league set variant = 'hearts', options = '{}'"), ("settings: variant", "hearts")),
    "unknown variant": (sql("update league set variant = 'heart'"), ("did you mean 'hearts'",)),
    "option": (
        sql("update league set options = replace(options, 'false', 'true')"),
        ("settings: options", "jack_of_diamonds"),
    ),
    "settings": (sql("update league set settings = replace(settings, '\"target\"', '\"tarqet\"')"), ("tarqet",)),
    "settings that are no JSON": (sql("update league set settings = '{'"), ("not JSON",)),
    "entrant": (sql("update entrant set name = 'x' where number = 2"), ("settings: entrants", "'x'", "bot 2")),
    "ranked": (sql("update entrant set ranked = 0 where number = 2"), ("ranked entrants",)),
    # The schedule.
    "schedule hash": (sql("update league set schedule_hash = ?", "ef" * 32), ("schedule: hash", "efef")),
    "row of the schedule": (
        sql(
            "update fixture set seats = (select seats from fixture where number = 3) where number = 2",
        ),
        ("fixture 2: seats",),
    ),
    "stream": (sql("update fixture set stream = 'orbit9/rep0' where number = 4"), ("fixture 4: stream", "orbit9")),
    "round": (sql("update fixture set round = 7 where number = 4"), ("fixture 4: round", "7")),
    "bot twice": (sql("update fixture set seats = '0 1 1 2' where number = 4"), ("fixture 4: seats", "different")),
    "seats that are no numbers": (sql("update fixture set seats = '0 a' where number = 4"), ("fixture 4", "0 a")),
    "fixture missing": (sql("delete from fixture where number = 4"), ("fixture 4: schedule", "fixture 5")),
    "last fixture missing": (sql("delete from fixture where number = 9"), ("fixture 9: schedule", "no such")),
    "extra fixture": (
        sql("insert into fixture select league_id, 10, 0, 2, 0, 'orbit2/rep0', seats from fixture where number = 1"),
        ("fixture 10: repetition",),
    ),
    # The cards.
    "hand": (change_record(2, 1, lambda record: exchange(record["hands"])), ("fixture 2, deal 1: hand of seat 0",)),
    "play": (change_record(1, 0, other_lead), ("fixture 1, deal 0: record", "trick 1")),
    "illegal play": (change_record(0, 3, not_following), ("fixture 0, deal 3: play", "G4, legal is")),
    "pass": (change_record(1, 0, lambda record: exchange(record["passes"])), ("fixture 1, deal 0", "G7")),
    "trick missing": (change_record(0, 1, lambda record: record["plays"].pop()), ("fixture 0, deal 1: plays",)),
    "dealer": (change_record(0, 1, lambda record: record.update(dealer=3)), ("fixture 0, deal 1", "dealer")),
    "number of a deal": (change_record(0, 1, lambda record: record.update(deal=3)), ("fixture 0, deal 1", "deal is")),
    "pot": (change_record(0, 1, lambda record: record.update(pot=3)), ("fixture 0, deal 1", "pot")),
    "constructed": (change_record(0, 1, lambda record: record.update(constructed=True)), ("deal 1: constructed",)),
    "stop taken back": (change_record(9, 1, lambda record: record.update(stopped=None)), ("fixture 9, deal 1: plays",)),
    "unknown field": (change_record(0, 1, lambda record: record.update(x=1)), ("fixture 0, deal 1", "'x'")),
    "record that is no JSON": (sql("update deal set record = '{' where fixture = 3"), ("fixture 3, deal 0", "JSON")),
    # What deals were worth.
    "points of a deal": (
        sql("update deal set points = '[0, 0, 0, 26]' where fixture = 3 and number = 1"),
        ("fixture 3, deal 1: points", "(0, 0, 0, 26)"),
    ),
    "moon": (
        sql("update deal set moon = 1 where fixture = 3 and number = 1"), ("fixture 3, deal 1: moon", "None"),
    ),
    "first deal missing": (sql("delete from deal where fixture = 3 and number = 0"), ("fixture 3: deal 0 is missing",)),
    "deal missing": (sql("delete from deal where fixture = 3 and number = 1"), ("fixture 3: deal 1 is missing",)),
    "last deal missing": (
        sql("delete from deal where fixture = 3 and number = (select max(number) from deal where fixture = 3)"),
        ("fixture 3: deal 3: recorded none",),
    ),
    "all deals missing": (sql("delete from deal where fixture = 3"), ("fixture 3: deal 0: recorded none",)),
    "extra deal": (
        sql(
            "insert into deal select league_id, fixture, number + 1, record, points, moon, seats, thinking from deal"
            " where fixture = 3 order by number desc limit 1"
        ),
        ("fixture 3, deal 4: number of deals: recorded 5, computed 4",),
    ),
    "deals of no fixture": (sql("update deal set fixture = 77 where fixture = 3"), ("fixture 3", "deal 0")),
    # Results.
    "number of deals": (sql("update result set deals = deals + 1 where fixture = 6"), ("fixture 6: number of deals",)),
    "end": (sql("update result set end = 'max_deals' where fixture = 6"), ("fixture 6: end", "max_deals", "target")),
    "place": (sql("update seat_result set place = 2 where fixture = 6 and place = 1"), ("fixture 6, seat", "place")),
    "place of a forfeit": (
        sqls(
            "update seat_result set place = 9 where fixture = 2 and place = 4",
            "update seat_result set place = 4 where fixture = 2 and place = 3",
            "update seat_result set place = 3 where fixture = 2 and place = 9",
        ),
        ("fixture 2, seat", "place"),
    ),
    "points": (sql("update seat_result set points = 1 where fixture = 6 and seat = 2"), ("fixture 6, seat 2: points",)),
    "chips": (sql("update seat_result set chips = '1/2' where fixture = 6 and seat = 2"), ("seat 2: chips", "1/2")),
    "moons": (sql("update seat_result set moons = 9 where fixture = 6 and seat = 2"), ("seat 2: moons", "9")),
    "moons suffered": (
        sql("update seat_result set moons_suffered = 9 where fixture = 6 and seat = 1"),
        ("seat 1: moons_suffered",),
    ),
    "forfeited": (
        sql("update seat_result set forfeited = 1 where fixture = 6 and seat = 1"), ("seat 1: forfeited", "True"),
    ),
    "not forfeited": (sql("update seat_result set forfeited = 0 where fixture = 1"), ("fixture 1, seat", "forfeited")),
    "faults": (sql("update seat_result set faults = 1 where fixture = 6 and seat = 1"), ("seat 1: faults",)),
    "somebody else": (
        sql("update seat_result set entrant = 10 - (select sum(entrant) from seat_result where fixture = 6) where"
            " fixture = 6 and seat = 0"),
        ("fixture 6: entrants by seat",),
    ),
    "seat missing": (sql("delete from seat_result where fixture = 6 and seat = 1"), ("fixture 6", "[0, 2, 3]")),
    "all seats missing": (sql("delete from seat_result where fixture = 6"), ("fixture 6", "[]")),
    "result missing": (
        sqls("delete from seat_result where fixture = 6", "delete from result where fixture = 6"),
        ("fixture 6: result: recorded none",),
    ),
    "result of no fixture": (
        sqls(
            "insert into result select league_id, 77, deals, end, finished_at, seconds from result where fixture = 6",
            "insert into seat_result select league_id, 77, seat, entrant, points, place, chips, moons, moons_suffered,"
            " faults, forfeited, thinking from seat_result where fixture = 6",
        ),
        ("fixture 77: schedule",),
    ),
    # Faults.
    "fault missing": (sql("delete from fault where fixture = 1 and consequence = 'retry'"), ("seat 2: faults",)),
    "reason of a stop missing": (
        sql("delete from fault where fixture = 9 and consequence = 'stopped'"), ("fixture 9, deal 1: stopped",),
    ),
    "fault nowhere": (sql("update fault set deal = 40 where fixture = 1 and deal = 2"), ("fixture 1",)),
}  # fmt: skip


@pytest.mark.parametrize("what", SPOILT)
def test_whatever_is_changed_is_found_and_named(finished: Path, what: str) -> None:
    spoil, needles = SPOILT[what]
    with spoiling(finished) as connection:
        before = connection.total_changes
        spoil(connection)
        assert connection.total_changes > before, "the test changes nothing"
    with pytest.raises(ConfigError) as found:
        check(finished)
    assert len(str(found.value).splitlines()) == 1
    for needle in needles:
        assert needle in str(found.value)


def test_a_difference_says_where_and_both_values(finished: Path) -> None:
    with spoiling(finished) as connection:
        connection.execute("update seat_result set points = points + 1000 where fixture = 7 and seat = 3")
        (points,) = connection.execute("select points from seat_result where fixture = 7 and seat = 3").fetchone()
    with pytest.raises(Difference) as found:
        check(finished)
    assert str(found.value) == f"fixture 7, seat 3: points: recorded {points}, computed {points - 1000}"


def test_cards_that_are_still_to_be_played_are_not_told_by_a_difference(in_play: Path) -> None:
    with spoiling(in_play) as connection:
        change_record(6, 0, lambda record: exchange(record["hands"]))(connection)
    with pytest.raises(Difference) as found:
        check(in_play)
    assert str(found.value) == (
        "fixture 6, deal 0: hand of seat 0: recorded otherwise, computed not shown: its stream is still played"
    )


def test_deals_of_a_match_that_is_not_finished_are_checked(in_play: Path) -> None:
    with spoiling(in_play) as connection:
        connection.execute("update deal set points = '[26, 0, 0, 0]' where fixture = 7 and number = 0")
    with pytest.raises(Difference, match="fixture 7, deal 0: points"):
        check(in_play)


def without(text: str, fixture: int) -> list[str]:
    """The lines of an export without those of one match."""
    kept = []
    inside = False
    for line in text.splitlines():
        data = json.loads(line)
        if data["format"] == "hearts-arena/result@1":
            inside = data["fixture"] == fixture
        if not inside:
            kept.append(line)
    return kept


def test_cards_that_are_told_too_early_are_a_difference(finished: Path) -> None:
    """An operator who hands out records of a stream while one of its tables has still to play."""
    header, *rest = without(exported(finished), 8)
    data = json.loads(header) | {"seed": None, "finished": False, "results": 9}
    with pytest.raises(Difference, match=r"fixture 5: record: recorded published, computed withheld, .*orbit0/rep1"):
        check_export("\n".join([json.dumps(data), *rest]))


def grown(path: Path) -> None:
    """Append an orbit to the schedule, as a league with time to spare does."""
    engine = open_database(str(path))
    with Session(engine) as session, session.begin():
        known = ScheduleHash()
        known.add(fixtures_of(session=session, league_id=1))
        league = open_league(session=session, file=league_file(), seed=SEED)
        extend_league(session=session, league=league, known=known)
    engine.dispose()


def test_orbits_that_were_added_are_checked_too(in_play: Path) -> None:
    before = check(in_play)
    assert before.first_hash == before.schedule_hash
    grown(in_play)
    after = check(in_play)
    assert (after.fixtures, after.first_hash) == (15, before.schedule_hash)
    assert after.schedule_hash != before.schedule_hash
    with spoiling(in_play) as connection:
        connection.execute("update fixture set seats = '0 1 2 3' where number = 13")
    with pytest.raises(Difference, match="fixture 13: seats"):
        check(in_play)


def test_a_league_that_claims_more_orbits_than_there_are_is_a_difference(finished: Path, in_play: Path) -> None:
    for text in (exported(finished), exported(in_play)):
        header, *rest = text.splitlines()
        data = json.loads(header)
        data["settings"]["schedule"] |= {"orbits": 1_000_000}
        spoilt = "\n".join([json.dumps(data), *rest])
        if data["seed"]:
            with pytest.raises(Difference, match="fixture 10: schedule: recorded no such fixture"):
                check_export(spoilt)
        else:
            checked = check_export(spoilt)  # nothing to compare it with before the seed is out
            assert checked.first_hash == checked.schedule_hash


def test_a_gauntlet_verifies(tmp_path: Path) -> None:
    file = league_file(bots=4, schedule={"format": "gauntlet", "orbits": 2}, max_deals=2)
    checked = check(played(tmp_path / "gauntlet.db", file))
    assert (checked.fixtures, checked.matches, checked.finished) == (8, 8, True)


@pytest.mark.parametrize(
    ("field", "value", "needle"),
    [
        ("bots", ["a", "b", "c", "d"], "fixture 0: bots"),
        ("target", 60, "fixture 0: target"),
        ("max_deals", 60, "fixture 0: max_deals"),
        ("options", {"jack_of_diamonds": True}, "fixture 0: game"),
    ],
)
def test_a_record_of_another_game_is_a_difference(finished: Path, field: str, value: object, needle: str) -> None:
    kept = exported(finished).splitlines()
    at = next(number for number, line in enumerate(kept) if '"hearts-arena/match@1"' in line)
    kept[at] = json.dumps(json.loads(kept[at]) | {field: value})
    with pytest.raises(Difference, match=needle):
        check_export("\n".join(kept))


def test_a_match_that_is_there_twice_is_a_difference(finished: Path) -> None:
    text = exported(finished)
    kept = text.splitlines()
    twice = [line for line in kept if line not in without(text, 4)]
    kept[0] = json.dumps(json.loads(kept[0]) | {"results": 11})
    with pytest.raises(Difference, match="fixture 4: order"):
        check_export("\n".join(kept + twice))
