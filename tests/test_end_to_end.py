"""A real league: bots in processes of their own, over gRPC, killed in the middle and started again."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sqlmodel import Session

from arena.league.config import read_league
from arena.league.create import open_league
from arena.store.database import open_database

LEAGUE = """
name = "small"
[game]
target = 30
[schedule]
orbits = 2
[server]
address = "127.0.0.1:0"
[[bots]]
name = "random"
[[bots]]
name = "random two"
[[bots]]
name = "cautious"
[[bots]]
name = "counting"
"""
SEED = bytes(range(32))


@pytest.fixture
def league(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(LEAGUE)
    return path


def prepare(directory: Path, league: Path) -> Path:
    """A directory with a league whose deals are the same in every run; returns its database."""
    directory.mkdir()
    database = directory / "demo.db"
    engine = open_database(str(database), create=True)
    with Session(engine) as session, session.begin():
        open_league(session=session, file=read_league(league), seed=SEED)
    engine.dispose()
    return database


def demo(directory: Path, league: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "arena.cli", "demo", "--dir", str(directory), "--league", str(league)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)) as reader:
        return reader.execute(query).fetchall()


RESULTS = (
    "select fixture, seat, entrant, points, place, chips, moons, moons_suffered, faults from seat_result order by 1, 2"
)
DEALS = "select fixture, number, record, points, moon from deal order by 1, 2"


def test_a_killed_league_ends_as_the_uninterrupted_one(tmp_path: Path, league: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    database = prepare(whole, league)
    said, _ = demo(whole, league).communicate(timeout=300)
    assert "8 of 8 matches finished" in said, said
    assert (whole / "site" / "index.html").exists()
    expected = rows(database, RESULTS), rows(database, DEALS)
    assert len(expected[0]) == 8 * 4

    database = prepare(cut, league)
    for deals in (3, 11):
        running = demo(cut, league)
        deadline = time.monotonic() + 240
        while rows(database, "select count(*) from deal") < [(deals,)]:
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(timeout=0.05)
            assert running.returncode is None, running.communicate()[0]
            assert time.monotonic() < deadline, "no deal is ever played"
        # The arena alone: its bots are to find out by themselves that it is gone, and do not outlive the test.
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGTERM)
        assert running.stdout is not None
        running.stdout.close()
    said, _ = demo(cut, league).communicate(timeout=300)
    assert "8 of 8 matches finished" in said, said
    assert (rows(database, RESULTS), rows(database, DEALS)) == expected

    said, _ = demo(cut, league).communicate(timeout=300)
    assert "8 of 8 matches are finished" in said
    assert (rows(database, RESULTS), rows(database, DEALS)) == expected
