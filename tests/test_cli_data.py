"""`arena leagues`, `standings`, `export`, `import`, `verify` as a stranger runs them."""

import contextlib
import json
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import Session

from arena.store.database import open_database
from reports.site import write_site
from tests.commands import Arena, one_line
from tests.league.played import SEED, league_file, played

# leagues and standings


@pytest.fixture
def both(arena: Arena, finished: Path, tmp_path: Path) -> Path:
    """A database of two leagues."""
    other = played(tmp_path / "other.db", league_file("other", bots=4, schedule={"orbits": 1}, max_deals=1))
    path = tmp_path / "both.db"
    for source in (finished, other):
        out = tmp_path / "out.jsonl"
        assert arena("export", "--db", source, "--out", out, "--times").returncode == 0
        assert arena("import", out, "--db", path).returncode == 0
    return path


def test_leagues_are_listed(arena: Arena, both: Path, in_play: Path) -> None:
    lines = [line.split() for line in arena("leagues", "--db", both).stdout.splitlines()]
    assert lines[1:] == [
        ["test", "classic", "4", "5", "10/10", "finished"],
        ["other", "classic", "4", "4", "4/4", "finished"],
    ]
    assert "7/10" in arena("leagues", "--db", in_play).stdout
    found = json.loads(arena("leagues", "--db", both, "--json").stdout)
    assert [one["league"] for one in found["leagues"]] == ["test", "other"]


def test_standings_are_those_of_the_site(arena: Arena, finished: Path, tmp_path: Path) -> None:
    with contextlib.closing(open_database_session(finished)) as session:
        write_site(session, directory=tmp_path / "site")
    folder = tmp_path / "site" / "league-1"
    assert arena("standings", "--db", finished, "--json").stdout.encode() == (folder / "standings.json").read_bytes()
    assert arena("standings", "--db", finished, "--csv").stdout.encode() == (folder / "standings.csv").read_bytes()
    shown = arena("standings", "--db", finished).stdout
    for line in json.loads((folder / "standings.json").read_text())["standings"]:
        assert any(line["bot"] in row and f"{line['placement']:.3f}" in row for row in shown.splitlines())


def open_database_session(path: Path) -> Session:
    return Session(open_database(str(path), write=False))


def test_one_of_several_leagues_must_be_named(arena: Arena, both: Path) -> None:
    one_line(arena("standings", "--db", both), "--league", "'test'", "'other'", status=2)
    one_line(arena("standings", "--db", both, "--league", "x"), "'x'", "'test'", "'other'")
    assert "other: classic, 4 of 4 matches" in arena("standings", "--db", both, "--league", "other").stdout


def test_wrong_usage_is_one_line_and_status_2(arena: Arena, both: Path) -> None:
    one_line(arena("verify"), "FILE", status=2)
    one_line(arena("verify", "x.jsonl", "--db", both), "FILE", status=2)
    one_line(arena("standings", "--db", both, "--csv", "--json"), "not both", status=2)
    one_line(arena("export", "--db", both, "--times", "--records"), "records have no times", status=2)


@pytest.mark.parametrize("command", ["leagues", "standings", "export", "verify"])
def test_a_database_that_is_not_there_is_one_line(arena: Arena, command: str, tmp_path: Path) -> None:
    one_line(arena(command, "--db", tmp_path / "none.db"), "none.db", "no such database")


@pytest.mark.parametrize("command", ["standings", "export", "verify"])
def test_a_database_without_leagues_is_one_line(arena: Arena, command: str, tmp_path: Path) -> None:
    open_database(str(tmp_path / "empty.db"), create=True).dispose()
    one_line(arena(command, "--db", tmp_path / "empty.db"), "empty.db", "no league")


# export, import, verify


def test_an_export_goes_to_a_file_or_on(arena: Arena, finished: Path, tmp_path: Path) -> None:
    done = arena("export", "--db", finished)
    out = tmp_path / "out.jsonl"
    assert arena("export", "--db", finished, "--out", out).stdout == ""
    assert out.read_text(encoding="utf-8") == done.stdout
    assert done.stderr == "test: 10 of 10 matches\n"


def test_an_export_to_a_pipe_leaves_it_one(arena: Arena, finished: Path, tmp_path: Path) -> None:
    """And so a device, which root would else have made a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert arena("export", "--db", finished, "--out", pipe).returncode == 0
    assert pipe.is_fifo()
    reader.join(timeout=30)
    assert read == [arena("export", "--db", finished).stdout.encode()]
    one_line(arena("export", "--db", finished, "--out", tmp_path), f"{tmp_path}: Is a directory")


def test_an_export_says_how_much_is_withheld(arena: Arena, in_play: Path) -> None:
    done = arena("export", "--db", in_play)
    assert "test: 5 of 10 matches; 2 more are finished and left out" in done.stderr
    assert SEED.hex() not in done.stdout + done.stderr


def test_an_export_that_fails_leaves_the_file_that_was_there(arena: Arena, finished: Path, tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(finished)) as connection, connection:
        connection.execute("delete from deal where fixture = 9 and number = 0")
    out = tmp_path / "out.jsonl"
    out.write_text("before")
    one_line(arena("export", "--db", finished, "--out", out), "fixture 9: deal 0 is missing")
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir() if "out" in path.name) == ["out.jsonl"]


def test_records_of_an_export_replay(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    arena("export", "--db", finished, "--records", "--out", out)
    done = arena("replay", out)
    assert done.returncode == 0
    assert done.stdout.count(": match of ") == 10


@pytest.mark.parametrize("times", [(), ("--times",)])
@pytest.mark.parametrize("which", ["finished", "in_play", "both"])
def test_what_is_imported_is_exported_again(
    arena: Arena, which: str, times: tuple[str, ...], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    source, copy = request.getfixturevalue(which), tmp_path / "copy.db"
    out = tmp_path / "whole.jsonl"
    assert arena("export", "--db", source, "--out", out, *times).returncode == 0
    assert arena("import", out, "--db", copy).returncode == 0
    assert arena("export", "--db", copy, *times).stdout == out.read_text(encoding="utf-8")


def test_the_site_of_an_import_is_that_of_the_original(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out, copy = tmp_path / "out.jsonl", tmp_path / "copy.db"
    arena("export", "--db", finished, "--out", out, "--times")
    arena("import", out, "--db", copy)
    sites = []
    for path in (finished, copy):
        with contextlib.closing(open_database_session(path)) as session:
            write_site(session, directory=tmp_path / path.stem)
        sites.append(
            {
                str(file.relative_to(tmp_path / path.stem)): file.read_bytes()
                for file in (tmp_path / path.stem).rglob("*")
                if file.is_file()
            }
        )
    assert len(sites[0]) > 10
    assert sites[0] == sites[1]


def test_an_import_is_all_or_nothing(arena: Arena, finished: Path, both: Path, tmp_path: Path) -> None:
    """The second league of the file is there already, so the first does not come in either."""
    out, target = tmp_path / "out.jsonl", tmp_path / "target.db"
    arena("export", "--db", both, "--league", "other", "--out", out)
    arena("import", out, "--db", target)
    arena("export", "--db", both, "--out", out)
    one_line(arena("import", out, "--db", target), "league 'other' already")
    assert [line.split()[0] for line in arena("leagues", "--db", target).stdout.splitlines()] == ["league", "other"]


def test_a_league_that_does_not_verify_is_not_imported(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out, target = tmp_path / "out.jsonl", tmp_path / "target.db"
    text = arena("export", "--db", finished).stdout
    out.write_text(text.replace('"place":4', '"place":3', 1))
    one_line(arena("import", out, "--db", target), "'test': fixture 0, seat", "place: recorded 3, computed 4")
    out.write_text(text[: len(text) // 2])
    one_line(arena("import", out, "--db", target), str(out), "line")
    assert not target.exists()


def test_verify_says_what_was_checked(arena: Arena, finished: Path, in_play: Path, tmp_path: Path) -> None:
    done = arena("verify", "--db", finished)
    assert (done.returncode, done.stderr) == (0, "")
    assert "test: finished; everything" in done.stdout
    assert "10 fixtures" in done.stdout
    assert "36 deals" in done.stdout
    assert "36 of them dealt again" in done.stdout
    out = tmp_path / "out.jsonl"
    arena("export", "--db", in_play, "--out", out)
    done = arena("verify", out)
    assert done.returncode == 0
    assert "not finished" in done.stdout
    assert "5 results" in done.stdout
    assert "5 fixtures are open" in done.stdout


def test_verify_says_the_first_difference(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    arena("export", "--db", finished, "--out", out)
    with contextlib.closing(sqlite3.connect(finished)) as connection, connection:
        connection.execute("update seat_result set points = 999 where fixture = 4 and seat = 1")
    one_line(arena("verify", "--db", finished), "league 'test': fixture 4, seat 1: points: recorded 999, computed")
    out.write_text(out.read_text().replace("hearts-arena/fixture@1", "hearts-arena/fixture@2", 1))
    one_line(arena("verify", out), str(out))


def test_verify_takes_one_league_of_several(arena: Arena, both: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    arena("export", "--db", both, "--out", out)
    for source in ((out,), ("--db", both)):
        assert arena("verify", *source).stdout.count("finished; everything") == 2
        assert arena("verify", *source, "--league", "other").stdout.count("finished; everything") == 1
    one_line(arena("verify", out, "--league", "x"), "no league 'x'", status=2)
    one_line(arena("verify", "--db", both, "--league", "x"), "no league 'x'")


def test_published_standings_are_computed_again(arena: Arena, finished: Path, tmp_path: Path) -> None:
    out, published = tmp_path / "out.jsonl", tmp_path / "standings.json"
    arena("export", "--db", finished, "--out", out)
    published.write_text(arena("standings", "--db", finished, "--json").stdout)
    for words in ((out,), ("--db", finished)):
        done = arena("verify", *words, "--standings", published)
        assert (done.returncode, done.stderr) == (0, "")
        assert "5 lines of" in done.stdout
    data: dict[str, Any] = json.loads(published.read_text())
    data["standings"][2]["placement"] = 0.9
    published.write_text(json.dumps(data))
    for words in ((out,), ("--db", finished)):
        one_line(arena("verify", *words, "--standings", published), "standings.2.placement: published 0.9, computed 0.")
    for text in ("[]", 100_000 * "["):
        published.write_text(text)
        one_line(arena("verify", out, "--standings", published), "standings.json", "not a standings.json")


def test_standings_of_a_league_in_play_need_its_database(arena: Arena, in_play: Path, tmp_path: Path) -> None:
    """An export leaves results out that are in them."""
    out, published = tmp_path / "out.jsonl", tmp_path / "standings.json"
    arena("export", "--db", in_play, "--out", out)
    published.write_text(arena("standings", "--db", in_play, "--json").stdout)
    assert arena("verify", "--db", in_play, "--standings", published).returncode == 0
    one_line(arena("verify", out, "--standings", published), "in play", "--db only")
