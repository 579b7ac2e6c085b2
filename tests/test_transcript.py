"""`arena transcript`: a league over gRPC, and what was said at its tables."""

import base64
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from arena.gateway.script import read
from arena.league.config import LeagueFile
from arena.v1 import arena_pb2 as pb
from tests.chaos.league import league_file, play, rows
from tests.commands import Arena

BOTS = {"honest one": "honest", "honest two": "honest", "slow": "slow", "revoking": "revoke"}


def file(kept: str) -> LeagueFile:
    plain = league_file("talks", BOTS)
    server = plain.server.model_copy(update={"transcripts": kept})
    return plain.model_copy(update={"server": server, "game": plain.game.model_copy(update={"target": 60})})


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same league, with everything kept, what is usual, and nothing."""
    found = {}
    for kept in ("all", "faults", "off"):
        found[kept], _, _ = play(tmp_path_factory.mktemp(kept), file(kept), BOTS, 1)
    return found


def said(arena: Arena, *words: str) -> str:
    done = arena("transcript", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(arena: Arena, status: int, *words: str) -> str:
    done = arena("transcript", *words)
    assert (done.returncode, done.stdout) == (status, "")
    (line,) = done.stderr.splitlines()
    return line


def test_every_answer_that_counts_is_in_it_and_what_was_asked_before(databases: dict[str, Path], arena: Arena) -> None:
    (seats,) = rows(databases["all"], "select seats from fixture where number = 0")[0]
    names = [name for (name,) in rows(databases["all"], "select name from entrant order by number")]
    for seat, entrant in enumerate(str(seats).split()):
        lines = [
            json.loads(line)
            for line in said(arena, "0", str(seat), "--db", str(databases["all"]), "--json").splitlines()
        ]
        assert {(line["match"], line["seat"]) for line in lines} == {("talks/0", seat)}
        asking = pb.ArenaFrame.FromString(
            b"".join(base64.b64decode(one["bytes"]) for one in lines if one["from"] == "arena")
        )
        bot = pb.BotFrame.FromString(b"".join(base64.b64decode(one["bytes"]) for one in lines if one["from"] == "bot"))
        kinds = [message.WhichOneof("kind") for message in asking.messages]
        assert kinds[0] == "match_start"
        assert kinds[-1] == "match_end"
        asked = [message.question.decision for message in asking.messages if message.HasField("question")]
        answers = [message.answer for message in bot.messages]
        assert {answer.decision for answer in answers} <= set(asked)
        assert set(asking.accepted) == (set() if names[int(entrant)] == "revoking" else set(asked))
        charged = rows(databases["all"], "select thinking from deal where fixture = 0 order by number")
        times = sum(len(json.loads(str(one))[seat]) for (one,) in charged)
        assert len(asked) == times


def test_the_text_has_the_same_frames_and_words_for_them(databases: dict[str, Path], arena: Arena) -> None:
    words = ("talks/0", "revoking", "--db", str(databases["all"]))
    text = said(arena, *words)
    lines = [json.loads(line) for line in said(arena, *words, "--json").splitlines()]
    told = [(one["from"], base64.b64decode(one["bytes"])) for one in lines if one["from"] is not None]
    assert read(text) == [
        pb.ArenaFrame.FromString(data) if whose == "arena" else pb.BotFrame.FromString(data) for whose, data in told
    ]
    for needle in ("(deal 0)", "fault: illegal, ", "illegal, 1 try left", "(the end of the match)", " ms; decision "):
        assert needle in text


def test_usually_deals_with_a_fault_are_kept_and_only_of_who_had_it(databases: dict[str, Path], arena: Arena) -> None:
    faulted = rows(databases["faults"], "select distinct fixture, seat, deal from fault order by 1, 2, 3")
    assert rows(databases["faults"], "select fixture, seat, deal from transcript order by 1, 2, 3") == faulted
    fixture, seat, deal = faulted[0]
    text = said(arena, str(fixture), str(seat), "--db", str(databases["faults"]))
    assert f"(deal {deal})" in text
    line = refused(arena, 1, str(fixture), "honest one", "--db", str(databases["faults"]))
    assert 'transcripts = "all"' in line


def test_where_nothing_is_kept_the_setting_is_named(databases: dict[str, Path], arena: Arena) -> None:
    assert rows(databases["off"], "select count(*) from transcript") == [(0,)]
    line = refused(arena, 1, "0", "revoking", "--db", str(databases["off"]))
    assert "match 'talks/0'" in line
    assert 'transcripts = "all"' in line


@pytest.mark.parametrize(
    ("words", "status", "needle"),
    [
        (("7", "0"), 1, "has no match 7"),
        (("talks/x", "0"), 2, "a match is a number"),
        (("9" * 5000, "0"), 2, "a match is a number"),
        (("0", "9" * 5000), 2, "has the seats"),
        (("other/0", "0"), 1, "no league 'other'"),
        (("talks/0", "0", "--league", "x"), 2, "is not a match of"),
        (("0", "4"), 2, "has the seats 0 ("),
        (("0", "nobody"), 2, "not 'nobody'"),
        (("0", "0", "--deal", "99"), 1, "deal 99: nothing is kept"),
    ],
)
def test_a_wrong_place_is_one_line(
    databases: dict[str, Path], words: Sequence[str], status: int, needle: str, arena: Arena
) -> None:
    assert needle in refused(arena, status, *words, "--db", str(databases["all"]))


def test_cards_that_others_have_still_to_play_are_not_shown(
    databases: dict[str, Path], tmp_path: Path, arena: Arena
) -> None:
    """A match whose deals another table has not finished is secret, though its own result is there."""
    path = tmp_path / "running.db"
    path.write_bytes(databases["all"].read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update fixture set stream = (select stream from fixture where number = 0)")
        connection.execute("delete from seat_result where fixture = 1")
        connection.execute("delete from result where fixture = 1")
    line = refused(arena, 1, "0", "0", "--db", str(path))
    assert "other tables have still to play its cards; --running" in line
    assert "hand: [CARD_" in said(arena, "0", "0", "--db", str(path), "--running")


def test_a_transcript_that_is_spoilt_is_one_line(databases: dict[str, Path], tmp_path: Path, arena: Arena) -> None:
    path = tmp_path / "spoilt.db"
    path.write_bytes(databases["all"].read_bytes())
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update transcript set entries = x'00'")
    assert "match 0, seat 0, deal 0: not a transcript" in refused(arena, 1, "0", "0", "--db", str(path))
