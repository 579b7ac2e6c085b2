"""The one writer of a running arena, with group commit.

Jobs that come while a transaction is being committed go together into the next one: the more tables, the fewer
commits each costs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import trio
from sqlalchemy import Connection, Engine

Job = Callable[[Connection], None]
BATCH = 512  # jobs in one transaction


@dataclass(slots=True)
class Writer:
    """Writes jobs in the order in which they come; run `work` beside those who write."""

    engine: Engine
    _waiting: list[tuple[Job, trio.Event]] = field(default_factory=list)
    _something: trio.Event = field(default_factory=trio.Event)

    async def write(self, job: Job) -> None:
        """Have the job done in a transaction; returns when it is durable."""
        done = trio.Event()
        self._waiting.append((job, done))
        self._something.set()
        await done.wait()

    async def work(self) -> None:
        """Commit for ever; an error of the database ends it, and so the run, visibly."""
        while True:
            await self._something.wait()
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            if not self._waiting:
                self._something = trio.Event()
            await trio.to_thread.run_sync(self._commit, [job for job, _ in batch])
            for _, done in batch:
                done.set()

    def _commit(self, jobs: list[Job]) -> None:
        with self.engine.begin() as connection:
            for job in jobs:
                job(connection)
