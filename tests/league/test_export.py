"""Exports tell everything that may be told, and nothing else; what they tell comes back."""

import contextlib
import json
import math
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from arena.league.book import BadBook
from arena.league.config import LeagueFile
from arena.league.export import record_lines
from arena.league.importing import enter, read_books
from arena.rules.deck import event_key, public_value
from arena.rules.replay import replay_line
from arena.stats.thinking import Stopwatch
from arena.store.database import open_database
from tests.league.played import (
    SEED,
    Opened,
    exported,
    in_the_eighth_match,
    league_file,
    played,
)

TIMES = ("hearts-arena/league-times@1", "hearts-arena/match-times@1")
NO_TIMES = {"limit_ms": 1.0, "measured_ms": 1.0, "sent_ms": None, "came_ms": None, "lag_ms": None, "thought_ms": None}


def imported(text: str, path: Path) -> Path:
    engine = open_database(str(path), create=True)
    with Session(engine) as session, session.begin():
        for book in read_books(text.encode(), where="league.jsonl"):
            enter(session=session, book=book)
    engine.dispose()
    return path


def parsed(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_a_finished_league_is_exported_whole(finished: Path) -> None:
    found = parsed(exported(finished))
    assert Counter(line["format"].removeprefix("hearts-arena/").partition("@")[0] for line in found) == {
        "league": 1,
        "fixture": 10,
        "result": 10,
        "match": 10,
        "fault": 18,
    }
    header = found[0]
    assert header["seed"] == SEED.hex()
    assert (header["finished"], header["results"]) == (True, 10)


def test_the_records_of_an_export_are_records_that_replay(finished: Path) -> None:
    with Opened(finished) as opened:
        records = list(record_lines(opened.book()))
    assert len(records) == 10
    for record in records:
        result = replay_line(record)
        assert result["ok"] is True
        assert result["complete"] is True
    assert all(record in exported(finished).splitlines() for record in records)


def test_two_runs_are_exported_alike_but_for_their_times(finished: Path, tmp_path: Path) -> None:
    """Neither the order in which matches ended nor a clock is in it."""
    again = played(tmp_path / "again.db", league_file(), tables=4)
    assert exported(again) == exported(finished)
    kept = [line for line in parsed(exported(again, times=True)) if line["format"] not in TIMES]
    assert kept == parsed(exported(finished))


def test_a_league_that_was_interrupted_is_exported_as_the_uninterrupted_one(in_play: Path, finished: Path) -> None:
    assert exported(played(in_play, league_file())) == exported(finished)


@pytest.mark.parametrize("times", [False, True])
def test_nothing_secret_is_in_the_export_of_a_league_in_play(in_play: Path, times: bool) -> None:
    """Neither seed nor key, nor a hand, a play or a fault of a match whose cards others have still to play."""
    with contextlib.closing(sqlite3.connect(in_play)) as connection, connection:
        connection.execute("update fault set fixture = 6, reason = 'he held the KH' where fixture = 1")
        connection.execute("update fault set fixture = 7, reason = 'he held the AH' where fixture = 2")
    text = exported(in_play, times=times)
    assert "he held" not in text
    names = [f"bot {number}" for number in range(5)]
    assert SEED.hex() not in text
    assert event_key(SEED, "test", public_value(names)).hex() not in text
    header, *rest = parsed(text)
    assert (header["finished"], header["seed"], header["results"]) == (False, None, 5)
    assert {line["fixture"] for line in rest if line["format"] == "hearts-arena/result@1"} == {0, 1, 2, 3, 4}
    with contextlib.closing(sqlite3.connect(in_play)) as connection:
        hidden = connection.execute("select record from deal where fixture > 4").fetchall()
    assert len(hidden) > 5
    for (record,) in hidden:
        secret = json.loads(record)
        for words in (*secret["hands"], *secret["plays"], *secret["passes"]):
            assert words not in text
    for line in rest:
        assert line["format"] == "hearts-arena/fixture@1" or line.get("fixture", 0) < 5


def test_tables_that_share_no_deals_are_told_at_once(tmp_path: Path) -> None:
    file = league_file(schedule={"orbits": 2, "duplicate": "off"})
    header, *_ = parsed(exported(played(tmp_path / "off.db", file, stop=in_the_eighth_match)))
    assert (header["finished"], header["results"]) == (False, 7)


@pytest.mark.parametrize("times", [False, True])
@pytest.mark.parametrize("league", ["finished", "in_play"])
def test_an_export_comes_back_as_it_was(
    league: str, times: bool, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    text = exported(request.getfixturevalue(league), times=times)
    assert exported(imported(text, tmp_path / "copy.db"), times=times) == text


def test_a_copy_has_every_row_of_the_original(finished: Path, tmp_path: Path) -> None:
    text = exported(finished, times=True)
    told = [fault["thought_ms"] for one in parsed(text) for fault in one.get("faults", ())]
    assert 25.0 in told
    copy = imported(text, tmp_path / "copy.db")
    tables = ("league", "entrant", "fixture", "deal", "result", "seat_result", "fault")

    def rows(path: Path) -> dict[str, list[Any]]:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            found = {table: connection.execute(f"select * from {table}").fetchall() for table in tables}
        # The numbers of faults are given in the order of writing; what counts is their order within a match.
        found["fault"] = [row[1:] for row in sorted(found["fault"], key=lambda row: (row[2], row[0]))]
        for table in ("deal", "result", "seat_result"):
            found[table].sort()
        return found

    assert rows(copy) == rows(finished)


def test_the_longest_times_come_back(finished: Path, tmp_path: Path) -> None:
    """A day of thinking, which is the most that a league file admits."""
    watch = Stopwatch()
    watch.add(3600.0, 24)
    with contextlib.closing(sqlite3.connect(finished)) as connection, connection:
        connection.execute("update seat_result set thinking = ?", (watch.thinking().to_text(),))
        connection.execute("update result set seconds = ?", (86_400.0,))
    text = exported(finished, times=True)
    assert '"thinking":[[86400000000000,3600000000000,' in text
    assert exported(imported(text, tmp_path / "copy.db"), times=True) == text


def test_a_league_is_not_imported_twice(finished: Path) -> None:
    before = exported(finished, times=True)
    with pytest.raises(BadBook) as error:
        imported(before, finished)
    assert str(error.value) == f"{finished}: there is a league 'test' already"
    assert exported(finished, times=True) == before


def line_of(text: str, form: str, number: int = 0) -> int:
    return [at for at, line in enumerate(parsed(text)) if line["format"] == f"hearts-arena/{form}@1"][number]


def changed(text: str, form: str, number: int = 0, **values: object) -> str:
    """The export with other values in one line."""
    kept = text.splitlines()
    at = line_of(text, form, number)
    kept[at] = json.dumps(json.loads(kept[at]) | values)
    return "\n".join(kept)


def dropped(text: str, form: str, number: int = 0) -> str:
    kept = text.splitlines()
    del kept[line_of(text, form, number)]
    return "\n".join(kept)


def read_through(data: bytes) -> list[tuple[str, int]]:
    """Names and numbers of matches of all leagues."""
    return [(book.line.league, sum(1 for _ in book.matches)) for book in read_books(data, where="x.jsonl")]


@pytest.mark.parametrize(
    ("spoil", "needle"),
    [
        (lambda _text: "", "at its end: a league begins with"),
        (lambda _text: "{}", "line 1: a league begins with"),
        (lambda _text: "[1]", "line 1: not an object"),
        (lambda _text: "nonsense", "line 1: not JSON"),
        (lambda _text: '{"a": ' * 100_000, "line 1: not JSON"),
        (lambda text: text[:-100], "not JSON"),
        (lambda text: text + '{"format": "hearts-arena/league@2"}', "league@2 does not belong here"),
        (lambda text: changed(text, "league", x=1), "line 1: unknown field 'x'"),
        (lambda text: changed(text, "league", seed="ab"), "line 1: seed"),
        (lambda text: changed(text, "league", target=True), "line 1: target: input should be a valid int"),
        (lambda text: changed(text, "league", target=10**30), "line 1: target"),
        (lambda text: changed(text, "league", league="a\x1b[2Jb"), "line 1: league"),
        (lambda text: changed(text, "league", fixtures=11), "11 fixtures, but there are 10"),
        (lambda text: changed(text, "league", results=11), "11 results, but there are 10"),
        (lambda text: changed(text, "fixture", seats=["0", 1, 2, 3]), "line 2: seats.0"),
        (lambda text: changed(text, "fixture", fixture=-1), "line 2: fixture"),
        (lambda text: changed(text, "result", end="tired"), "line 12: end"),
        (lambda text: changed(text, "result", scores=None), "line 12: scores"),
        (lambda text: changed(text, "result", scores=[]), "0 scores for 5 deals"),
        (lambda text: changed(text, "fault", fixture=9), "a line of fixture 9 among those of fixture 1"),
        (lambda text: changed(text, "match", x=1), "line 13: unknown field 'x'"),
        (lambda text: dropped(text, "fixture"), "10 fixtures, but there are 9"),
        (lambda text: dropped(text, "match"), "line 13: after the result of fixture 0 comes its record"),
        (lambda text: dropped(text, "result"), "line 12: the league says that it has 10 results, but there are 0"),
        (lambda text: text.replace('{"format"', '{"format":"hearts-arena/league@1","format"', 1), "comes twice"),
        (lambda text: text.replace('"bot 0"', '"bot \xff"', 1).encode("latin-1"), "line 1"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_export_says_which_line(finished: Path, spoil: Any, needle: str) -> None:
    spoilt = spoil(exported(finished))
    with pytest.raises(BadBook) as found:
        read_through(spoilt if isinstance(spoilt, bytes) else spoilt.encode())
    assert str(found.value).startswith("x.jsonl: ")
    assert len(str(found.value).splitlines()) == 1
    assert needle in str(found.value)
    assert str(found.value).isprintable()


def test_times_that_do_not_fit_are_refused(finished: Path) -> None:
    text = exported(finished, times=True)
    line = json.loads(text.splitlines()[line_of(text, "match-times")])
    for spoilt in (
        {"thinking": line["thinking"][:3]},
        {"deals": line["deals"][:-1]},
        {"deals": [line["deals"][0] | {"seats": []}, *line["deals"][1:]]},
        {"faults": [NO_TIMES]},
    ):
        with pytest.raises(BadBook, match="its times are not of as many"):
            read_through(changed(text, "match-times", **spoilt).encode())


@pytest.mark.parametrize(
    ("field", "value", "needle"),
    [
        ("thinking", [[5, 5, [[2**31 - 1, 1]]]] * 4, "thinking.0.2.0.0: "),  # 2¹³⁴²¹⁷⁷²⁸ ns
        ("thinking", [[10**30, 5, [[5, 1]]]] * 4, "thinking.0.0: "),
        ("seconds", math.inf, "seconds: "),
        ("seconds", -1.0, "seconds: "),
        ("faults", [NO_TIMES | {"limit_ms": math.inf}], "faults.0.limit_ms: "),
    ],
)
def test_times_that_nothing_takes_are_refused(finished: Path, field: str, value: object, needle: str) -> None:
    spoilt = changed(exported(finished, times=True), "match-times", 0, **{field: value}).replace("Infinity", "1e999")
    with pytest.raises(BadBook, match=needle):
        read_through(spoilt.encode())


def test_several_leagues_are_read_from_one_file(finished: Path, in_play: Path, tmp_path: Path) -> None:
    other = played(tmp_path / "other.db", league_file("other", bots=4, schedule={"orbits": 1}, max_deals=1))
    text = exported(finished) + exported(other)
    assert read_through(text.encode()) == [("test", 10), ("other", 4)]


def test_settings_of_a_league_are_those_of_its_file(finished: Path) -> None:
    """What the checks rest on: the settings in the database make a league file again."""
    with Opened(finished) as opened:
        settings = opened.book().line.settings
    assert (
        LeagueFile.model_validate(
            {"name": "test"}
            | {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
        )
        == league_file()
    )
