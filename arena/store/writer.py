"""The one writer of a running arena, with group commit.

Jobs that come while a transaction is being committed go together into the next one: the more tables, the fewer
commits each costs. A commit waits for the disk in a thread, where every statement waits for Python's lock as well,
which the arena's own thread hardly ever lets go; so what several jobs say with the same statement is said at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import trio
from sqlalchemy import Connection, Engine, Insert, Update
from sqlalchemy.exc import OperationalError

from arena.store.database import explained

BATCH = 512  # jobs in one transaction
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


@dataclass(slots=True)
class Writer:
    """Writes jobs in the order in which they come; run `work` beside those who write, and `close` after them."""

    engine: Engine
    _waiting: list[tuple[Job, trio.Event]] = field(default_factory=list)
    _something: trio.Event = field(default_factory=trio.Event)
    _connection: Connection | None = None  # kept from one commit to the next
    _failed: bool = False

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
        async with trio.open_nursery() as nursery:
            while True:
                await self._something.wait()
                batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
                if not self._waiting:
                    self._something = trio.Event()
                await trio.to_thread.run_sync(self._commit, [job for job, _ in batch])
                nursery.start_soon(self._tell, [done for _, done in batch])

    async def _tell(self, waiting: list[trio.Event]) -> None:
        """One after the other: each deals its next cards now, and answers are read in between."""
        for done in waiting:
            done.set()
            await trio.lowlevel.checkpoint()

    def close(self, *jobs: Job) -> bool:
        """Do what is still waiting, then these, in one transaction, when `work` has ended; whether that was done.

        Those who waited may have been cancelled; what they had to say is written all the same. After an error of the
        database nothing is: that error is the one to be told.
        """
        left, self._waiting = [job for job, _ in self._waiting], []
        self._something = trio.Event()
        if not self._failed:
            self._commit([*left, *jobs])
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        return not self._failed

    def _commit(self, jobs: list[Job]) -> None:
        try:
            if self._connection is None:
                self._connection = self.engine.connect()
            with self._connection.begin():
                transaction = Transaction(self._connection)
                for job in jobs:
                    job(transaction)
                transaction.connection()
        except OperationalError as error:
            self._failed = True
            raise explained(self.engine, error) from None
        except BaseException:
            self._failed = True
            raise
