"""The one writer of a running arena, with group commit.

Jobs that come while a transaction is being committed go together into the next one: the more tables, the fewer
commits each costs. A commit waits for the disk, and so it is made in a thread. All the rest of a transaction is made
in the arena's own thread where the database is SQLite, which answers at once: for every statement of another thread the
two would hand Python's lock to and fro, which costs more than the statement. A server is talked to in the thread.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Final, cast

import trio
from sqlalchemy import Connection, Engine, Insert, RootTransaction, Update
from sqlalchemy.exc import OperationalError

from arena.store.database import connect_impatient, in_one_line, inode, is_locked, name_of, rescue

BATCH = 512  # jobs in one transaction
EVERY_S = 0.008  # a transaction at the most, in which jobs gather: handing one to the commit's thread stops all tables
LOCKED_S = 0.01  # until it is tried again whether another writer has done
LONG_S = 30.0  # that another writer is waited for until it is said, and said again after twice as long each time
Row = Mapping[str, object]


class Transaction:
    """One of the writer's, for the jobs that it does together."""

    def __init__(self, connection: Connection) -> None:
        """Begun on that connection."""
        self._connection: Final = connection
        self._rows: Final[dict[Insert | Update, list[Row]]] = {}

    def do(self, statement: Insert | Update, row: Row) -> None:
        """Have a statement, which is made once and kept, executed with these parameters, at the latest at the commit.

        All rows of the statement that was given first go first.
        """
        self._rows.setdefault(statement, []).append(row)

    def connection(self) -> Connection:
        """For a job that asks what is there; what was to be done before has been done."""
        for statement, rows in self._rows.items():
            self._connection.execute(statement, rows)
        self._rows.clear()
        return self._connection


Job = Callable[[Transaction], None]


class _AtOnce:
    """Of threads, one that lets in without a turn for other tasks.

    Between the begin of a transaction and its commit no other task may run: one that waits for the database's lock
    would keep the commit from being started.
    """

    async def acquire_on_behalf_of(self, _borrower: object) -> None:
        """At once."""

    def release_on_behalf_of(self, _borrower: object) -> None:
        """Nothing is kept."""


_AT_ONCE: Final = cast(trio.CapacityLimiter, _AtOnce())  # trio takes anything that is like one


@dataclass(slots=True)
class Writer:
    """Writes jobs in the order in which they come; run `work` beside those who write, and `close` after them."""

    engine: Engine
    tell: Callable[[str], None]  # a line that somebody should read
    _waiting: list[tuple[Job, trio.Event]] = field(default_factory=list)
    _something: trio.Event = field(default_factory=trio.Event)
    _connection: Connection | None = None  # kept from one transaction to the next
    _failed: bool = False
    _path: Path = field(init=False)  # of an SQLite database
    _file: tuple[int, int] | None = field(init=False)  # that is written to

    def __post_init__(self) -> None:
        """Nothing has been written."""
        self._path = Path(self.engine.url.database or "")
        self._file = inode(self._path)

    @property
    def waiting(self) -> int:
        """How many jobs wait for a transaction."""
        return len(self._waiting)

    async def write(self, job: Job) -> None:
        """Have the job done in a transaction; returns when it is durable."""
        done = trio.Event()
        self._waiting.append((job, done))
        self._something.set()
        await done.wait()

    async def work(self) -> None:
        """Commit for ever; an error of the database ends it, and so the run, visibly."""
        begun = -math.inf
        async with trio.open_nursery() as nursery:
            while True:
                await self._something.wait()
                await trio.sleep_until(begun + EVERY_S)
                begun = trio.current_time()
                with self._failing():
                    transaction = await self._begin() if self.engine.dialect.name == "sqlite" else None
                    batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                    if not self._waiting:
                        self._something = trio.Event()
                    jobs = [job for job, _ in batch]
                    with trio.CancelScope(shield=True):  # what has been taken is written
                        if transaction is not None:
                            await self._commit_here(transaction, jobs)
                        else:
                            await trio.to_thread.run_sync(self._commit, jobs)
                nursery.start_soon(self._say_done, [done for _, done in batch])

    async def _say_done(self, waiting: list[trio.Event]) -> None:
        """One after the other: each deals its next cards now, and answers are read in between."""
        for done in waiting:
            done.set()
            await trio.lowlevel.checkpoint()

    def close(self, *jobs: Job) -> bool:
        """Do what is still waiting, then these, in one transaction, while `work` does not run; whether that was done.

        Those who waited may have been cancelled; what they had to say is written all the same. After an error of the
        database nothing is: that error is the one to be told.
        """
        left, self._waiting = [job for job, _ in self._waiting], []
        self._something = trio.Event()
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._failed:
            return False
        with self._failing():
            self._commit([*left, *jobs])
        return True

    async def _commit_here(self, transaction: RootTransaction, jobs: list[Job]) -> None:
        with transaction:
            _do(jobs, transaction.connection)
            await trio.to_thread.run_sync(transaction.commit, limiter=_AT_ONCE)

    async def _begin(self) -> RootTransaction:
        """A transaction of SQLite, as soon as there is no other writer: a forgotten one must not end the night."""
        if self._connection is None:
            self._connection = connect_impatient(self.engine)
        if inode(self._path) != self._file:  # else all that follows would be written to what nobody finds again
            raise rescue(self.engine, self._connection)
        since, long_s = monotonic(), LONG_S
        while True:
            try:
                transaction = self._connection.begin()
            except OperationalError as error:
                if not is_locked(error):
                    raise
            else:
                if long_s > LONG_S:
                    self.tell(f"{name_of(self.engine)}: the other program has let go; play goes on")
                return transaction
            if monotonic() - since >= long_s:
                said = f"another program has kept the database locked for {monotonic() - since:.0f} s"
                self.tell(f"{name_of(self.engine)}: {said}; play waits for it")
                long_s *= 2
            await trio.to_thread.run_sync(sleep, LOCKED_S)  # the other's time is real, even where a test turns ours

    def _commit(self, jobs: list[Job]) -> None:
        with self.engine.begin() as connection:
            _do(jobs, connection)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Where it goes wrong, nothing more is written; what the database says, in one line."""
        try:
            with in_one_line(self.engine):
                yield
        except trio.Cancelled:
            raise
        except BaseException:
            self._failed = True
            raise


def _do(jobs: list[Job], connection: Connection) -> None:
    transaction = Transaction(connection)
    for job in jobs:
        job(transaction)
    transaction.connection()
