"""The one writer of a running arena, with group commit.

Jobs that come while a transaction is being committed go together into the next one: the more tables, the fewer
commits each costs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import trio
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from arena.store.database import explained

Job = Callable[[Connection], None]
BATCH = 512  # jobs in one transaction


@dataclass(slots=True)
class Writer:
    """Writes jobs in the order in which they come; run `work` beside those who write, and `close` after them."""

    engine: Engine
    _waiting: list[tuple[Job, trio.Event]] = field(default_factory=list)
    _something: trio.Event = field(default_factory=trio.Event)
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
        if self._failed:
            return False
        self._commit([*left, *jobs])
        return True

    def _commit(self, jobs: list[Job]) -> None:
        try:
            with self.engine.begin() as connection:
                for job in jobs:
                    job(connection)
        except OperationalError as error:
            self._failed = True
            raise explained(self.engine, error) from None
        except BaseException:
            self._failed = True
            raise
