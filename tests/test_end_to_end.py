"""A real league: bots in processes of their own, over gRPC, killed in the middle and started again.

``make soak`` kills it many times more; ARENA_KILLS says how often, ARENA_SEED which moments.
"""

import contextlib
import os
import random
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
from tests.ports import kept

LEAGUE = """
name = "small"
[game]
target = 30
[schedule]
orbits = ORBITS
[server]
address = "127.0.0.1:0"
tables = 6
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
KILLS = int(os.environ.get("ARENA_KILLS", "5"))
ORBITS = 3 + KILLS // 2
MATCHES = 4 * ORBITS


@pytest.fixture
def league(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(LEAGUE.replace("ORBITS", str(ORBITS)))
    return path


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A league that is not over before it is stopped."""
    path = tmp_path / "endless.toml"
    path.write_text(LEAGUE.replace("ORBITS", "300"))
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


def end(running: subprocess.Popen[str], number: signal.Signals) -> str:
    """Send the arena alone a signal: its bots are to find out by themselves that it is gone. What it had said."""
    os.kill(running.pid, number)
    said, _ = running.communicate(timeout=120) if number is not signal.SIGKILL else ("", "")
    running.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGTERM)  # bots do not outlive the test
    if running.stdout is not None:
        running.stdout.close()
    return said


def wait_until(running: subprocess.Popen[str], database: Path, deals: int) -> bool:
    """Until so many deals are durable; False when the arena has ended before."""
    deadline = time.monotonic() + 240
    while rows(database, "select count(*) from deal") < [(deals,)]:
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(timeout=0.02)
            return False
        assert time.monotonic() < deadline, "no deal is ever played"
    return True


def arena(*words: str) -> bytes:
    done = subprocess.run([sys.executable, "-m", "arena.cli", *words], capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


# What varies from run to run: what clocks showed. Everything else of a league is to be the same.
STOPPED_CLOCKS = """
    update league set created_at = '2026-03-14T09:00:00+00:00', finished_at = '2026-03-14T10:00:00+00:00';
    update result set finished_at = '2026-03-14T10:00:00+00:00', seconds = 1;
    update seat_result set thinking = '[1000000,1000000,[[318,1]]]';
    update deal set thinking = '[[],[],[],[]]', seats = '[[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0],[0,0,0,0,0]]';
"""


def outcome(database: Path) -> list[object]:
    """All that a league leaves behind, but for the clocks' part: rows, export, standings and every file of the site."""
    copy = database.with_suffix(".copy.db")
    with contextlib.closing(sqlite3.connect(database)) as reader, contextlib.closing(sqlite3.connect(copy)) as writer:
        reader.backup(writer)
        writer.executescript(STOPPED_CLOCKS)
    where, site = ("--db", str(copy)), database.parent / "copy"
    arena("report", *where, "--site", str(site))
    pages = {str(file.relative_to(site)): file.read_bytes() for file in site.rglob("*") if file.is_file()}
    assert len([page for page in pages if page.endswith(".html")]) > MATCHES
    return [
        rows(database, RESULTS),
        rows(database, DEALS),
        arena("export", "--db", str(database)),
        arena("standings", *where, "--csv"),
        pages,
    ]


def test_a_league_that_is_killed_at_any_moment_ends_as_the_uninterrupted_one(tmp_path: Path, league: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    database = prepare(whole, league)
    said, _ = demo(whole, league).communicate(timeout=1800)
    assert f"{MATCHES} of {MATCHES} matches finished" in said, said
    assert (whole / "site" / "index.html").exists()
    expected = outcome(database)
    deals = len(rows(database, DEALS))

    rng = random.Random(int(os.environ.get("ARENA_SEED", "1")))
    database = prepare(cut, league)
    kills = 0
    for moment in sorted(rng.randrange(deals) for _ in range(KILLS)):
        running = demo(cut, league)
        if wait_until(running, database, moment):
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(timeout=rng.random() * 0.2)
        kills += running.poll() is None
        end(running, signal.SIGKILL)
    assert kills >= KILLS * 2 // 3
    for _ in range(2):  # once to its end, and once more, when nothing is left
        said, _ = demo(cut, league).communicate(timeout=1800)
        assert f"{MATCHES} of {MATCHES} matches" in said, said
        assert outcome(database) == expected
    ends = rows(database, "select ended, count(*) from attempt where ended <> 'fault' group by 1 order by 1")
    assert ("finished", MATCHES) in ends
    assert {ended for ended, _ in ends} == {"cut", "finished"}


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_puts_aside_what_is_in_play_and_says_where_it_stands(
    tmp_path: Path, endless: Path, number: signal.Signals, status: int
) -> None:
    directory = tmp_path / "stopped"
    database = prepare(directory, endless)
    running = demo(directory, endless)
    assert wait_until(running, database, 4)
    beside = arena("status", "--db", str(database)).decode()
    said = end(running, number)
    assert running.returncode == status, said
    assert "an arena is playing" in beside
    assert "tables in play" in beside
    finished = len(rows(database, "select * from result"))
    assert f"small: {finished} of 1200 matches finished" in said
    assert f"not played: {1200 - finished} matches" in said
    assert "Traceback" not in said
    assert rows(database, "select count(*) from attempt where ended is null or ended = 'cut'") == [(0,)]
    assert "no arena is playing" in arena("status", "--db", str(database)).decode()


def test_two_arenas_do_not_play_the_same_database(tmp_path: Path, endless: Path) -> None:
    directory = tmp_path / "both"
    database = prepare(directory, endless)
    running = demo(directory, endless)
    try:
        assert wait_until(running, database, 1)
        second = demo(directory, endless)
        said, _ = second.communicate(timeout=120)
        assert second.returncode == 1
        assert said.strip().endswith("another arena is playing the leagues of this database"), said
        assert len(said.splitlines()) == 1
        assert running.poll() is None
    finally:
        end(running, signal.SIGTERM)


def test_a_gauntlet_seats_one_process_of_the_old_bot_several_times(tmp_path: Path) -> None:
    with kept() as port:
        play_a_gauntlet(tmp_path, port)


def play_a_gauntlet(tmp_path: Path, port: int) -> None:
    league = tmp_path / "versions.toml"
    bots = '[[bots]]\nname = "cautious"\n[[bots]]\nname = "random"\n'
    league.write_text(f'name = "versions"\n[game]\ntarget = 20\n[server]\naddress = "127.0.0.1:{port}"\n{bots}')
    arena("tokens", str(league))
    tokens = dict(line.split(" ")[::-1] for line in (tmp_path / "tokens.txt").read_text().splitlines())
    command = ["gauntlet", "cautious", "random", "--league", str(league), "--least", "4", "--gain", "3"]
    with contextlib.ExitStack() as stack:
        for name, token in tokens.items():
            environment = os.environ | {"ARENA_ADDRESS": f"127.0.0.1:{port}", "ARENA_TOKEN": token}
            bot = subprocess.Popen([sys.executable, "-m", f"reference_bots.{name}_bot"], env=environment)
            stack.callback(bot.wait)
            stack.callback(bot.terminate)
        said = arena(*command).decode()
    assert "cautious is better than random" in said
    database = tmp_path / "versions.db"
    assert rows(database, "select name from entrant order by number") == [
        ("cautious",), ("random",), ("random (2)",), ("random (3)",),
    ]  # fmt: skip
    assert rows(database, "select count(*) from fault") == [(0,)]
    assert rows(database, "select count(*) from fixture") == rows(database, "select count(*) from result")
    assert b"everything that could be checked is as it should be" in arena("verify", "--db", str(database))
    again = arena(*command).decode()
    assert "listening" not in again
    assert again.splitlines()[-3:] == said.splitlines()[-3:]
