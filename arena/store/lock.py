"""One arena at a time plays the leagues of a database; whoever reads is never in its way.

The lock goes with the process that holds it, however that ends. For SQLite it is a file beside the database: the
database file itself must not be opened twice by one process, or SQLite's own locks are lost.
"""

import contextlib
import fcntl
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final

from sqlalchemy import Engine, text

from arena.store.database import DatabaseError, inode, name_of

KEY: Final = 0x4865617274  # of PostgreSQL's advisory lock, which is per database
TRIES: Final = 20  # whoever asks whether there is an arena holds the lock for a moment
PAUSE_S: Final = 0.1


class Busy(DatabaseError):  # noqa: N818  a state of things, as much as an error
    """Another arena plays the leagues of this database."""


@contextlib.contextmanager
def sole_arena(engine: Engine) -> Iterator[Callable[[], bool]]:
    """Hold the lock for as long as the block lasts; Busy where another process does.

    What it yields says whether it is held still. Where the lock's file was removed it takes the lock anew, if no other
    arena has: to be asked now and then, and a few times before its no is believed. DatabaseError where that cannot be
    found out.
    """
    path = _path(engine) if engine.dialect.name == "sqlite" else None
    with contextlib.ExitStack() as stack:
        if not any(_tries(_taking(engine, stack))):
            raise busy(engine)
        held = path and inode(path)

        def holds() -> bool:
            nonlocal held
            if path is None or inode(path) == held:
                return True
            try:
                with contextlib.ExitStack() as attempt:
                    if not _taking(engine, attempt)():
                        return False
                    stack.enter_context(attempt.pop_all())
            except OSError as error:
                raise DatabaseError(f"{path}: {error.strerror}") from None
            held = inode(path)
            return True

        yield holds


def busy(engine: Engine) -> Busy:
    """That another arena is playing."""
    return Busy(f"{name_of(engine)}: another arena is playing the leagues of this database")


def _tries(take: Callable[[], bool]) -> Iterator[bool]:
    """Whether the lock could be taken, a number of times."""
    yield take()
    for _ in range(TRIES - 1):
        time.sleep(PAUSE_S)  # nothing is played yet
        yield take()


def has_arena(engine: Engine) -> bool:
    """Whether an arena plays the leagues of this database now."""
    if engine.dialect.name == "sqlite":
        path = _path(engine)
        if path is None or not path.exists():
            return False
        with path.open("rb") as file:  # whoever may only read may ask
            return not _lock(file, fcntl.LOCK_SH)
    with contextlib.ExitStack() as stack:
        return not _taking(engine, stack)()


def _taking(engine: Engine, stack: contextlib.ExitStack) -> Callable[[], bool]:
    """What takes the lock if it is free; it is given back with the stack."""
    if engine.dialect.name == "sqlite":
        path = _path(engine)
        if path is None:
            return lambda: True
        file = stack.enter_context(path.open("ab"))
        return lambda: _lock(file, fcntl.LOCK_EX)

    connection = stack.enter_context(engine.connect())
    connection.execution_options(isolation_level="AUTOCOMMIT")

    def take_advisory() -> bool:
        taken: bool = connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": KEY}).scalar_one()
        if taken:
            # The connection goes back to a pool, and would take the lock with it.
            stack.callback(connection.execute, text("SELECT pg_advisory_unlock(:key)"), {"key": KEY})
        return taken

    return take_advisory


def _lock(file: IO[bytes], kind: int) -> bool:
    """Whether it could be locked; it is until it is closed."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _path(engine: Engine) -> Path | None:
    """Beside the database itself, by whatever link it was named."""
    database = engine.url.database
    return Path(f"{Path(database).resolve()}-arena") if database and database != ":memory:" else None
