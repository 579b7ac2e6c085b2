"""Reading beside a running arena: nobody waits for anybody, and nothing is ever locked."""

import errno
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import pytest
import trio
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from arena.store import attempts, read
from arena.store.database import DatabaseError, is_locked, open_database, reading
from arena.store.league import count_deals, count_fixtures
from arena.store.lock import Busy, has_arena, sole_arena
from tests.league.scripted import FakeLobby, league_file, runner_of

READERS = 4


def test_readers_beside_64_tables_that_write_are_never_locked_out(tmp_path: Path) -> None:
    path = str(tmp_path / "league.db")
    engine = open_database(path, create=True)
    file = league_file(16, {"orbits": 5}, target=30)
    runner = runner_of(engine, file, FakeLobby(capacity=16), tables=64)
    assert runner.total == 80
    over = threading.Event()

    def look() -> int:
        """As `arena status` and the site do it, each time anew."""
        looks = 0
        while True:
            last = over.is_set()
            beside = open_database(path, write=False)
            with Session(beside) as session:
                finished, total = count_fixtures(session=session, league_id=1)
                deals = count_deals(session=session, league_id=1)
                results = read.results(session=session, league=1)
                # One transaction sees one moment.
                assert len(results) == finished <= total
                assert sum(one.deals for one in results.values()) <= deals
                attempts.attempts_by_end(session=session, league_id=1)
            beside.dispose()
            looks += 1
            if last:
                assert finished == total
                return looks

    with ThreadPoolExecutor(READERS) as pool:
        looking = [pool.submit(look) for _ in range(READERS)]
        try:
            trio.run(runner.run)
        finally:
            over.set()
        assert all(one.result() > 1 for one in looking)
    engine.dispose()


def test_a_reader_waits_for_no_writer(tmp_path: Path) -> None:
    path = str(tmp_path / "league.db")
    engine = open_database(path, create=True)
    runner_of(engine, league_file())
    beside = open_database(path, write=False)
    with engine.begin() as connection:
        connection.exec_driver_sql("update league set name = 'other'")
        for reader in (beside, reading(engine)):
            with Session(reader) as session:
                assert [one.name for one in read.leagues(session=session)] == ["test"]


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = str(tmp_path / "league.db")
    open_database(path, create=True).dispose()
    beside = open_database(path, write=False)
    with pytest.raises(Exception, match="readonly"), beside.begin() as connection:
        connection.exec_driver_sql("delete from league")


def test_one_arena_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.lock.PAUSE_S", 0)
    path = str(tmp_path / "league.db")
    engine = open_database(path, create=True)
    assert not has_arena(engine)
    with sole_arena(engine):
        assert has_arena(open_database(path, write=False))
        with pytest.raises(Busy, match=r"league\.db: another arena is playing"), sole_arena(open_database(path)):
            pytest.fail("two arenas play")
    assert not has_arena(engine)
    with sole_arena(engine):
        assert has_arena(engine)


def test_one_arena_at_a_time_by_whatever_name_of_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.lock.PAUSE_S", 0)
    path, link = tmp_path / "league.db", tmp_path / "link.db"
    link.symlink_to(path)
    with sole_arena(open_database(str(path), create=True)):
        other = open_database(str(link))
        assert has_arena(other)
        with pytest.raises(Busy), sole_arena(other):
            pytest.fail("two arenas play")
        monkeypatch.chdir(tmp_path)
        assert has_arena(open_database("league.db"))


def test_an_arena_whose_lock_is_removed_takes_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.lock.PAUSE_S", 0)
    path = str(tmp_path / "league.db")
    with sole_arena(open_database(path, create=True)) as holds:
        for _ in range(2):
            Path(f"{path}-arena").unlink()
            assert holds()
            with pytest.raises(Busy), sole_arena(open_database(path)):
                pytest.fail("two arenas play")
    assert not has_arena(open_database(path))


def test_of_two_arenas_that_a_removed_lock_has_let_in_the_first_does_not_hold_it(tmp_path: Path) -> None:
    path = str(tmp_path / "league.db")
    with sole_arena(open_database(path, create=True)) as holds:
        Path(f"{path}-arena").unlink()
        with sole_arena(open_database(path)) as second_holds:
            assert not holds()
            assert second_holds()
        assert holds(), "the second one has gone"


def test_a_lock_that_cannot_be_taken_again_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "of").mkdir()
    with sole_arena(open_database(str(tmp_path / "of" / "league.db"), create=True)) as holds:
        (tmp_path / "of").rename(tmp_path / "elsewhere")
        with pytest.raises(DatabaseError, match=r"of/league\.db-arena: No such file or directory"):
            holds()


def test_who_may_only_read_may_ask_whether_there_is_an_arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "league.db")
    may_open = Path.open

    def may_only_read(file: Path, mode: str) -> IO[Any]:
        if mode != "rb":
            raise PermissionError(errno.EACCES, "Permission denied", str(file))
        return may_open(file, mode)

    with sole_arena(open_database(path, create=True)):
        monkeypatch.setattr(Path, "open", may_only_read)  # who runs the tests may be root, and write everywhere
        assert has_arena(open_database(path, write=False))


def test_an_arena_of_a_killed_process_is_none(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    engine = open_database(str(path), create=True)
    (tmp_path / "league.db-arena").write_bytes(b"")
    assert not has_arena(engine)


def test_a_database_of_a_later_version_is_refused_with_one_line(tmp_path: Path) -> None:
    path = str(tmp_path / "league.db")
    open_database(path, create=True).dispose()
    with sqlite3.connect(path) as connection:
        connection.execute("update alembic_version set version_num = '0999'")
    connection.close()
    with pytest.raises(DatabaseError, match="another version of the arena"):
        open_database(path)


def test_another_writer_is_known_whatever_more_sqlite_says_of_it(tmp_path: Path) -> None:
    path = str(tmp_path / "league.db")
    first, other = open_database(path, create=True), open_database(path)
    with reading(first).connect() as connection:
        connection.exec_driver_sql("select * from league")
        with other.begin() as writing:
            writing.exec_driver_sql("insert into alembic_version values ('x')")
        with pytest.raises(DBAPIError) as caught:  # it would write what it has not read
            connection.exec_driver_sql("delete from league")
    assert isinstance(caught.value.orig, sqlite3.OperationalError)
    assert caught.value.orig.sqlite_errorname == "SQLITE_BUSY_SNAPSHOT"
    assert is_locked(caught.value)


@pytest.mark.parametrize("url", ["mysql://u:secret@h/db", "nonsense://x", "://"])
def test_what_is_no_database_is_one_line_without_the_password(url: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        open_database(url)
    assert len(str(caught.value).splitlines()) == 1
    assert "secret" not in str(caught.value)
