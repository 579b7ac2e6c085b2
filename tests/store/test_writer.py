"""The one writer: what is told to be durable is, what was taken is written, and other writers are waited for."""

import re
import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from sqlalchemy import Engine, event
from sqlmodel import Session, col, select

from arena.store import attempts
from arena.store.database import DatabaseError, in_one_line, open_database, reading
from arena.store.models import Attempt
from arena.store.writer import EVERY_S, Job, Transaction, Writer
from tests.league.scripted import in_no_thread, league_file, runner_of


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_database(str(tmp_path / "league.db"), create=True)
    runner_of(engine, league_file(5, {"orbits": 8}))  # 40 matches
    yield engine
    engine.dispose()


def writer_on(engine: Engine) -> Writer:
    """That has nothing to say."""
    return Writer(engine, pytest.fail)


def begin(fixture: int) -> Job:
    return lambda transaction: attempts.begin_attempt(transaction, league_id=1, fixture=fixture)


def end(fixture: int) -> Job:
    return lambda transaction: attempts.end_attempt(transaction, league_id=1, fixture=fixture, ended=attempts.FINISHED)


def begun(engine: Engine) -> list[tuple[int, int, str | None]]:
    """What a reader finds: fixture, number, how it ended."""
    with Session(reading(engine)) as session:
        found = session.exec(select(Attempt).order_by(col(Attempt.fixture), col(Attempt.number)))
        return [(one.fixture, one.number, one.ended) for one in found]


def tries_to_begin(engine: Engine) -> list[str]:
    """What went wrong so far, appended to as it does."""
    wrong: list[str] = []

    @event.listens_for(engine, "handle_error")
    def note(context: Any) -> None:
        wrong.append(str(context.original_exception))

    return wrong


async def written(writer: Writer, *jobs: Job) -> None:
    """Have them done, at once if there are several."""
    async with trio.open_nursery() as services:
        services.start_soon(writer.work)
        async with trio.open_nursery() as waiting:
            for job in jobs:
                waiting.start_soon(writer.write, job)
        services.cancel_scope.cancel()


def test_what_is_told_to_be_written_is_there_for_others(engine: Engine) -> None:
    async def main() -> None:
        writer = writer_on(engine)
        await written(writer, begin(0))
        assert begun(engine) == [(0, 0, None)]
        await written(writer, end(0), begin(1))
        await written(writer, begin(0))
        assert begun(engine) == [(0, 0, "finished"), (0, 1, None), (1, 0, None)]
        assert writer.close(end(1))

    trio.run(main)
    assert begun(engine)[-1] == (1, 0, "finished")


def test_a_job_that_asks_finds_what_was_to_be_done_before_it(engine: Engine) -> None:
    found: list[int] = []

    def look(transaction: Transaction) -> None:
        count = transaction.connection().exec_driver_sql("select count(*) from attempt")
        found.append(count.scalar_one())

    writer = writer_on(engine)
    assert writer.close(begin(0), begin(1), look, begin(2), look)
    assert found == [2, 3]


@pytest.mark.parametrize("jobs", [1, 5])
def test_many_jobs_take_no_more_statements_than_one(engine: Engine, jobs: int) -> None:
    said: list[str] = []

    @event.listens_for(engine, "before_cursor_execute")
    def note(_connection: Any, _cursor: Any, statement: str, *_others: Any) -> None:
        said.append(statement.split()[0])

    trio.run(written, writer_on(engine), *map(begin, range(jobs)))
    assert said == ["BEGIN", "INSERT"]
    assert len(begun(engine)) == jobs


def test_jobs_that_come_one_after_the_other_gather(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trio.to_thread, "run_sync", in_no_thread)
    commits: list[float] = []
    event.listen(engine, "commit", lambda _connection: commits.append(trio.current_time()))

    async def main() -> None:
        writer = writer_on(engine)
        async with trio.open_nursery() as services:
            services.start_soon(writer.work)
            before = trio.current_time()
            await writer.write(begin(0))
            assert trio.current_time() == before, "nobody waits where there is nothing to gather"
            async with trio.open_nursery() as waiting:
                for number in range(1, 40):
                    waiting.start_soon(writer.write, begin(number))
                    await trio.sleep(EVERY_S / 4)
            services.cancel_scope.cancel()

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
    assert len(begun(engine)) == 40
    assert 10 <= len(commits) <= 12
    assert min(later - earlier for earlier, later in pairwise(commits)) == pytest.approx(EVERY_S)


def test_another_writer_is_waited_for(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.writer.LOCKED_S", 0)
    wrong = tries_to_begin(engine)
    other = sqlite3.connect(engine.url.database or "", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(written, writer_on(engine), begin(0))
            while len(wrong) < 3:
                await trio.lowlevel.checkpoint()  # everything else goes on meanwhile
            assert begun(engine) == []
            other.execute("COMMIT")

    trio.run(main)
    other.close()
    assert set(wrong) == {"database is locked"}
    assert begun(engine) == [(0, 0, None)]


def test_another_writer_that_does_not_end_is_waited_for_and_told_of(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forgotten transaction in some shell does not end the night."""
    monkeypatch.setattr("arena.store.writer.LOCKED_S", 0)
    monkeypatch.setattr("arena.store.writer.LONG_S", 1e-6)
    told: list[str] = []
    other = sqlite3.connect(engine.url.database or "", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(written, Writer(engine, told.append), begin(0), begin(1))
            while len(told) < 3:
                await trio.lowlevel.checkpoint()
            assert begun(engine) == []
            other.execute("COMMIT")

    trio.run(main)
    other.close()
    *waits, last = told
    assert all(
        re.fullmatch(r".*league\.db: another program .* locked for \d+ s; play waits for it", one) for one in waits
    )
    assert last.endswith("league.db: the other program has let go; play goes on")
    assert len(begun(engine)) == 2


def test_who_waits_for_another_writer_can_be_told_to_end_and_writes_all_the_same_once_it_has_gone(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.store.writer.LOCKED_S", 0)
    wrong = tries_to_begin(engine)
    other = sqlite3.connect(engine.url.database or "", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writer = writer_on(engine)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(written, writer, begin(0))
            while len(wrong) < 3:
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert begun(engine) == []
    other.close()
    assert writer.close(begin(1))
    assert len(begun(engine)) == 2


@pytest.mark.parametrize("replaced", [True, False])
def test_a_database_that_is_taken_away_in_a_run_is_kept_beside(engine: Engine, *, replaced: bool) -> None:
    """What is written to a file without a name is gone with the process, at the end of the night."""
    path = Path(engine.url.database or "")
    writer = writer_on(engine)

    def take_away() -> None:
        if replaced:
            copy = path.with_suffix(".old")
            copy.write_bytes(path.read_bytes())
            copy.rename(path)
        else:
            path.unlink()

    async def main() -> None:
        async with trio.open_nursery() as services:
            services.start_soon(writer.work)
            await writer.write(begin(0))
            take_away()
            await writer.write(begin(1))

    said = r"league\.db: the file was removed or replaced while the arena played; .* kept as .*league\.db-rescued$"
    with pytest.raises(DatabaseError, match=said), in_one_line(engine):
        trio.run(main)
    assert not writer.close()
    rescued = open_database(f"{path}-rescued")
    assert begun(rescued) == [(0, 0, None)]
    rescued.dispose()


def test_a_file_that_is_spoilt_is_an_error_in_one_line(engine: Engine) -> None:
    path = Path(engine.url.database or "")
    with engine.connect() as connection:  # so that all is in the file
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.exec_driver_sql("BEGIN")
    engine.dispose()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)  # behind the first page, which says what tables there are
        file.write(b"\xff" * (size - 4096))
    with pytest.RaisesGroup(
        pytest.RaisesGroup(pytest.RaisesExc(DatabaseError, match=r"league\.db: database disk image is malformed"))
    ):
        trio.run(written, writer_on(engine), begin(0))


def test_what_the_writer_has_taken_is_written_even_if_it_is_cancelled_then(engine: Engine) -> None:
    async def main() -> None:
        writer = writer_on(engine)
        with trio.CancelScope() as scope:

            def cancel(_transaction: Transaction) -> None:
                scope.cancel()

            await written(writer, begin(0), cancel)
        assert scope.cancelled_caught
        assert begun(engine) == [(0, 0, None)]
        assert writer.close()

    trio.run(main)


def test_of_a_job_that_fails_nothing_is_written(engine: Engine) -> None:
    def wrong(transaction: Transaction) -> None:
        transaction.connection()
        raise ValueError("ours")

    writer = writer_on(engine)
    with pytest.RaisesGroup(pytest.RaisesGroup(pytest.RaisesExc(ValueError, match="ours"))):
        trio.run(written, writer, begin(0), wrong)
    assert not writer.close()
    assert begun(engine) == []


def test_who_writes_in_the_arena_s_thread_meanwhile_waits_for_the_commit_and_not_for_ever(engine: Engine) -> None:
    """As a league does at its end, beside the writer of another one."""

    async def beside() -> None:
        for number in range(20):
            with engine.begin() as connection:
                attempts.begin_attempt(joint := Transaction(connection), league_id=1, fixture=number)
                joint.connection()
            await trio.lowlevel.checkpoint()

    async def main() -> None:
        writer = writer_on(engine)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beside)
            await written(writer, *map(begin, range(20, 29)))
            await written(writer, *map(begin, range(29, 40)))

    trio.run(main)
    assert [fixture for fixture, *_ in begun(engine)] == list(range(40))
