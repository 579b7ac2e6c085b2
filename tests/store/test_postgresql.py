"""A league in PostgreSQL: a server of the test's own, in a directory of its own, that nobody else can reach."""

import importlib.util
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import trio
from sqlalchemy import Engine
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel

from arena.cli.main import app
from arena.league.budget import Budget
from arena.store import attempts, read
from arena.store.database import DatabaseError, in_one_line, open_database, reading
from arena.store.digest import digests
from arena.store.lock import Busy, has_arena, sole_arena
from arena.store.transcripts import stream_is_over, transcript
from arena.store.writer import Writer
from tests.league.scripted import WORTHLESS, everything, league_file, rows, run_until, runner_of


def server_programs() -> Path | None:
    """Where initdb and pg_ctl are: the newest of Debian's, or on the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of an empty database."""
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: the extra `postgres`")
    programs = server_programs()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed")
    user = None
    if os.getuid() == 0:  # the server refuses to run as root
        try:
            user = pwd.getpwnam("postgres").pw_uid
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    with tempfile.TemporaryDirectory(prefix="arena-pg-", ignore_cleanup_errors=True) as directory:
        if user is not None:
            os.chown(directory, user, -1)
        data = f"{directory}/data"

        def call(program: str, *words: str) -> None:
            done = subprocess.run(
                [programs / program, "-D", data, *words],
                user=user,
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=300,
                check=False,
            )
            assert done.returncode == 0, done.stdout.decode()

        call("initdb", "-U", "arena", "-A", "trust", "-E", "UTF8", "--no-sync")
        # No port: a socket in the directory.
        call("pg_ctl", "-w", "-l", f"{directory}/log", "-o", f"-k {directory} -c listen_addresses=", "start")
        try:
            yield f"postgresql://arena@/postgres?host={directory}"
        finally:
            call("pg_ctl", "-w", "-m", "immediate", "stop")


@pytest.fixture
def engine(server: str) -> Iterator[Engine]:
    """An empty database with our tables."""
    made = open_database(server, create=True)
    yield made
    with made.begin() as connection:
        connection.exec_driver_sql("drop schema public cascade")
        connection.exec_driver_sql("create schema public")
    made.dispose()


def test_a_league_comes_out_as_in_sqlite(engine: Engine, tmp_path: Path) -> None:
    lite = open_database(str(tmp_path / "league.db"), create=True)
    for where in (engine, lite):
        trio.run(runner_of(where, league_file()).run)
    assert everything(engine) == everything(lite)
    with Session(engine) as one, Session(lite) as two:
        for query in (read.fixtures, read.entrants, read.deals, read.faults):
            assert query(session=one, league=1) == query(session=two, league=1)
    assert rows(engine, "select ended, count(*) from attempt group by 1") == [("finished", 5)]


def test_a_server_that_hangs_up_in_a_run_is_one_line_and_the_next_run_goes_on(engine: Engine, tmp_path: Path) -> None:
    lite = open_database(str(tmp_path / "league.db"), create=True)
    trio.run(runner_of(lite, league_file()).run)
    runner = runner_of(engine, league_file())

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner.run)
            while runner.decisions.count < 900:
                await trio.lowlevel.checkpoint()
            hang_up = "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()"
            with engine.begin() as connection:
                connection.exec_driver_sql(hang_up)

    with pytest.raises(DatabaseError, match="connection"), in_one_line(engine), sole_arena(engine):
        trio.run(run)
    kept = rows(engine, "select count(*) from deal")
    assert kept > [(0,)]
    trio.run(runner_of(engine, league_file()).run)
    assert everything(engine) == everything(lite)


def test_a_league_that_is_cut_off_goes_on(engine: Engine, tmp_path: Path) -> None:
    lite = open_database(str(tmp_path / "league.db"), create=True)
    trio.run(runner_of(lite, league_file()).run)
    while True:
        runner = runner_of(engine, league_file())
        limit = runner.finished * 200 + 300
        run_until(runner, limit)
        if runner.finished == runner.total:
            break
    assert everything(engine) == everything(lite)


def test_a_transcript_comes_back_as_its_bytes_and_is_open_when_its_stream_is(engine: Engine) -> None:
    class Part:
        def packed(self) -> bytes:
            return bytes(range(256))

    runner = runner_of(engine, league_file(), cut=lambda _table, _faulted: [(1, Part())])
    with Session(engine) as session:
        assert not stream_is_over(session=session, league_id=1, fixture=0)
    trio.run(runner.run)
    with Session(engine) as session:
        parts = transcript(session=session, league_id=1, fixture=0, seat=1)
        assert [deal for deal, _ in parts] == list(range(len(read.deals(session=session, league=1)[0]) + 1))
        assert {data for _, data in parts} == {bytes(range(256))}
        assert stream_is_over(session=session, league_id=1, fixture=0)


def test_orbits_are_appended(engine: Engine) -> None:
    runner = runner_of(engine, league_file(), budget=Budget(hours=100))
    trio.run(runner.run, lambda: runner.total < 15)
    assert (runner.finished, runner.total) == (15, 15)


def test_the_migrated_tables_are_those_of_the_models(engine: Engine) -> None:
    found = {table: {column["name"] for column in columns} for table, columns in _columns(engine).items()}
    known = {name: {column.name for column in table.columns} for name, table in SQLModel.metadata.tables.items()}
    assert {name: found[name] for name in known} == known


def test_who_is_away_or_there_as_another_version_is_written(engine: Engine) -> None:
    runner_of(engine, league_file())
    for away in ({"bot 3": None, "bot 1": "one 2"}, {"bot 1": None}, {}):
        writer = Writer(engine, pytest.fail)
        assert writer.close(partial(attempts.keep_away, league_id=1, away=away))
        with Session(reading(engine)) as session:
            assert attempts.away(session=session, league_id=1) == away


def test_a_database_of_the_version_before_is_upgraded(engine: Engine, server: str) -> None:
    runner_of(engine, league_file())
    with engine.begin() as connection:
        connection.exec_driver_sql("ALTER TABLE fault DROP COLUMN thought_ms")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0006'")
    upgraded = open_database(server)
    assert "thought_ms" in {column["name"] for column in _columns(upgraded)["fault"]}
    upgraded.dispose()


def _columns(engine: Engine) -> dict[str, list[dict[str, str]]]:
    from sqlalchemy import inspect

    looked = inspect(engine)
    return {table: looked.get_columns(table) for table in looked.get_table_names()}  # type: ignore[misc]


@pytest.mark.parametrize(
    "statement", ["update seat_result set place = 11", "update attempt set ended = 'lost'", *WORTHLESS]
)
def test_the_schema_refuses_what_cannot_be(engine: Engine, statement: str) -> None:
    trio.run(runner_of(engine, league_file()).run)
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.exec_driver_sql(statement)


def test_what_one_transaction_reads_is_of_one_moment(engine: Engine, server: str) -> None:
    runner_of(engine, league_file(4, {"orbits": 1}))
    reader = open_database(server, write=False)
    with Session(reader) as session:
        before = digests(session=session)
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE fixture SET round = round + 1")
        assert digests(session=session) == before
        session.rollback()
        assert digests(session=session) != before
    reader.dispose()


def test_one_arena_at_a_time(engine: Engine, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.lock.PAUSE_S", 0)
    other = open_database(server)
    assert not has_arena(other)
    with sole_arena(engine):
        assert has_arena(other)
        with pytest.raises(Busy), sole_arena(other):
            pytest.fail("two arenas play")
    assert not has_arena(other)
    other.dispose()


def test_the_commands_take_the_url(engine: Engine, server: str, capsys: pytest.CaptureFixture[str]) -> None:
    trio.run(runner_of(engine, league_file()).run)
    for words in (["status"], ["leagues"], ["verify"], ["standings"]):
        assert app([*words, "--db", server], standalone_mode=False) == 0
    said = capsys.readouterr().out
    assert "test: classic, 5 of 5 matches" in said
    with Session(reading(engine)) as session:
        assert attempts.last_activity(session=session, league_id=1)


def test_a_server_that_is_not_there_is_one_line(server: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        open_database("postgresql://arena:secret@/postgres?host=/nowhere")
    assert len(str(caught.value).splitlines()) == 1
    assert "secret" not in str(caught.value)
