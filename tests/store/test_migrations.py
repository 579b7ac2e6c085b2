"""The tables that migrations make are those of the models, and a database of an older version goes on."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlmodel import SQLModel

import arena.store.models  # noqa: F401  fills the metadata
from arena.store import migrations
from arena.store.database import REVISION, DatabaseError, open_database
from tests.league.scripted import league_file, runner_of

NEWER = ("transcript", "worth")  # tables that the first version did not have
FAULT_COLUMNS = ("sent_ms", "came_ms", "lag_ms", "thought_ms")
NEWER_COLUMNS = (("entrant", "here_as"), *[("fault", column) for column in FAULT_COLUMNS])


def older(path: Path) -> Path:
    """A league's database as the first version left it."""
    runner_of(open_database(str(path), create=True), league_file(4, {"orbits": 1}))
    with closing(sqlite3.connect(path)) as connection, connection:
        for event in ("insert", "update"):
            connection.execute(f"DROP TRIGGER deal_worth_{event}")
        for table in NEWER:
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DROP INDEX fault_of_match")
        for table, column in NEWER_COLUMNS:
            connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    return path


def tables(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def test_migrations_make_the_tables_of_the_models(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "new.db"), create=True)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []
    engine.dispose()


def test_the_revision_that_needs_no_migration_is_the_last_one() -> None:
    assert ScriptDirectory(migrations.__path__[0]).get_heads() == [REVISION]


def test_a_database_of_this_version_is_opened_without_alembic(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    open_database(str(path), create=True).dispose()
    program = f"""
import sys
from arena.store.database import open_database
open_database({str(path)!r}, write=False).dispose()
print(*[name for name in sys.modules if name.startswith("alembic")])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not done.stdout.strip()


def test_a_database_of_the_first_version_is_upgraded_and_keeps_its_league(tmp_path: Path) -> None:
    path = older(tmp_path / "old.db")
    engine = open_database(str(path))
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM fixture").scalar() == 4
    engine.dispose()
    assert set(NEWER) < tables(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT DISTINCT here_as FROM entrant").fetchall() == [(None,)]
    with closing(sqlite3.connect(path)) as connection:
        worth = connection.execute("SELECT league_id, ended, total FROM worth ORDER BY 2").fetchall()
    assert worth == [(1, "complete", 26), (1, "moon", 78), (1, "stopped", 26)]
    open_database(str(path), write=False).dispose()


def test_who_only_reads_upgrades_nothing_and_says_what_does(tmp_path: Path) -> None:
    path = older(tmp_path / "old.db")
    with pytest.raises(DatabaseError, match=r"tables '0001' are not this version's '0007'; `arena run` upgrades them"):
        open_database(str(path), write=False)
    assert not set(NEWER) & tables(path)
