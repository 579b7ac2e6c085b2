"""Opening a database: SQLite by a path or URL, PostgreSQL by a URL; brought to this version's tables first.

SQLite keeps a write-ahead log, so that who reads is never in the writer's way, nor the writer in theirs.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, cast

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, NoSuchModuleError, ProgrammingError
from sqlalchemy.pool import NullPool

BUSY_MS = 30_000  # how long one writer waits for another
POSTGRES = {"postgres", "postgresql"}  # without a driver's name in the URL; ours is psycopg 3
REVISION = "0007"  # of the tables: the last one of `migrations`
OURS: Final = (IntegrityError, ProgrammingError, DataError)  # of what we have asked for; others are the machine's


class DatabaseError(Exception):
    """Why a database cannot be used, in one line."""


def open_database(where: str, *, create: bool = False, write: bool = True) -> Engine:
    """An engine on the database at a URL or at the path of an SQLite file, with its tables of this version.

    With ``create`` a new SQLite file is made. With ``write`` a transaction takes the write lock when it begins, so
    that two writers wait for each other instead of failing half-way; without, readers never wait, and what one
    transaction reads is of one moment. DatabaseError says in one line why it cannot be opened.
    """
    try:
        url = make_url(where) if "://" in where else URL.create("sqlite", database=where)
        if url.drivername in POSTGRES:
            url = url.set(drivername="postgresql+psycopg")
        _check(url, where)
        if write:
            engine = create_engine(url)
        else:
            # Who only reads opens a database for one look at it, at one moment, and leaves nothing open.
            moment = {"isolation_level": "REPEATABLE READ"} if url.get_backend_name() == "postgresql" else {}
            engine = create_engine(url, poolclass=NullPool, **moment)
    except ImportError as error:
        raise DatabaseError(
            f"{_shown(where)}: {error.name} is not installed; for PostgreSQL install hearts-arena[postgres]"
        ) from None
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise DatabaseError(f"{_shown(where)}: not a database URL: {_line(error)}") from None
    where = _shown(where)
    if engine.dialect.name == "sqlite":
        path = Path(engine.url.database or "")
        if path.is_dir():
            raise DatabaseError(f"{where}: a directory, not a database")
        if not create and not path.exists():
            raise DatabaseError(f"{where}: there is no such database")
        _set_up_sqlite(engine, write=write)
    try:
        with engine.begin() as connection:
            _migrate(connection, where, write=write)
    except DBAPIError as error:
        engine.dispose()
        raise DatabaseError(f"{where}: {_line(error.orig or error)}") from None
    except DatabaseError:
        engine.dispose()
        raise
    return engine


def open_in_memory() -> Engine:
    """An engine on a new SQLite database, with its tables of this version, which is gone when the engine is."""
    engine = create_engine("sqlite://")
    _set_up_sqlite(engine, write=True)
    with engine.begin() as connection:
        _migrate(connection, "in memory", write=True)
    return engine


def reading(engine: Engine) -> Engine:
    """The same database for transactions that only read, which wait for nobody."""
    return engine.execution_options(reading=True)


def connect_impatient(engine: Engine) -> Connection:
    """A connection of its own to SQLite, whose transactions fail at once where there is another writer."""
    connection = engine.connect()
    connection.detach()
    cursor = connection.connection.cursor()
    cursor.execute("PRAGMA busy_timeout = 0")
    cursor.close()
    return connection


def inode(path: Path) -> tuple[int, int] | None:
    """Which file is there now; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def rescue(engine: Engine, connection: Connection) -> DatabaseError:
    """Copy an SQLite database of which there is only this connection to a new file beside its path; says where."""
    path = f"{engine.url.database}-rescued"
    what = f"{name_of(engine)}: the file was removed or replaced while the arena played"
    old = cast(sqlite3.Connection, connection.connection.dbapi_connection)
    try:
        Path(path).touch(exist_ok=False)  # what was kept before stays
        with closing(sqlite3.connect(path)) as new:
            old.backup(new)
    except (OSError, sqlite3.Error) as error:
        return DatabaseError(f"{what}, and could not be kept as {path}: {error}")
    return DatabaseError(f"{what}; what was in it is kept as {path}")


def is_locked(error: DBAPIError) -> bool:
    """Whether there is nothing wrong but that another writer was there."""
    if not isinstance(error.orig, sqlite3.OperationalError):
        return False
    return error.orig.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # above the first byte stands why: a recovery, say


def explained(engine: Engine, error: DBAPIError) -> DatabaseError:
    """What went wrong in a database that had been opened, in one line: a full disk, a server that has gone."""
    return DatabaseError(f"{name_of(engine)}: {_line(error.orig or error)}")


@contextmanager
def in_one_line(engine: Engine) -> Iterator[None]:
    """Where nothing but the database ends what is done in here: one DatabaseError, however many tasks it has ended."""
    try:
        yield
    except (BaseExceptionGroup, DBAPIError) as error:
        wrong = [_explained(engine, one) for one in _alone(error)]
        if all(isinstance(one, DatabaseError) for one in wrong):
            raise wrong[0] from None
        raise


def _alone(error: BaseException) -> Iterator[BaseException]:
    """The errors of a group, or of groups in it."""
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _alone(one)
    else:
        yield error


def _explained(engine: Engine, error: BaseException) -> BaseException:
    return explained(engine, error) if isinstance(error, DBAPIError) and not isinstance(error, OURS) else error


def name_of(engine: Engine) -> str:
    """The database for a message: the path of an SQLite file, or the URL without its password."""
    url = engine.url
    return (url.get_backend_name() == "sqlite" and url.database) or url.render_as_string()


def _check(url: URL, where: str) -> None:
    """DatabaseError where it is no place for a league: an unknown kind of database, or one that nobody finds again."""
    if url.get_backend_name() not in {"sqlite", "postgresql"}:
        raise DatabaseError(
            f"{_shown(where)}: a database is the path of an SQLite file, or a URL sqlite:/// or postgresql://"
        )
    if url.get_backend_name() == "sqlite":
        if url.database in {None, "", ":memory:"}:
            raise DatabaseError(f"{where!r} names no file")
        if url.query:
            raise DatabaseError(f"{where}: a URL of SQLite has the path only, and no options after a '?'")


def _shown(where: str) -> str:
    """The URL as it may be printed: without its password."""
    try:
        return make_url(where).render_as_string() if "://" in where else where
    except (ArgumentError, ValueError):
        return where


def _migrate(connection: Connection, where: str, *, write: bool) -> None:
    """Bring the tables to this version; one that this program does not know is left alone."""
    has_revision = connection.dialect.has_table(connection, "alembic_version")
    if has_revision and connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == REVISION:
        return
    from arena.store.upgrade import UpgradeError, upgrade  # Alembic takes as long to import as SQLAlchemy

    try:
        upgrade(connection, write=write)
    except UpgradeError as error:
        raise DatabaseError(f"{where}: {error}") from None


def _set_up_sqlite(engine: Engine, *, write: bool) -> None:
    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, _record: Any) -> None:
        connection.isolation_level = None  # sqlalchemy begins transactions, not the driver
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        cursor.execute("PRAGMA foreign_keys = ON")
        if write:
            cursor.execute("PRAGMA journal_mode = WAL")
            cursor.execute("PRAGMA synchronous = FULL")
        else:
            cursor.execute("PRAGMA query_only = ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        reads = not write or connection.get_execution_options().get("reading")
        connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0]
