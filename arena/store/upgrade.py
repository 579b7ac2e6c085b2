"""Bringing a database's tables to this version: the migrations, which most starts of the program do not need."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection


class UpgradeError(Exception):
    """Why the tables are left as they are, in one line."""


def upgrade(connection: Connection, *, write: bool) -> None:
    """Make or change the tables, in the transaction of ``connection``.

    UpgradeError where they are another program's or a newer arena's, or where ``write`` is False.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    scripts = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    head = scripts.get_current_head()
    if current is not None and current not in {script.revision for script in scripts.walk_revisions()}:
        raise UpgradeError(f"made by another version of the arena (tables {current!r}, this one knows {head!r})")
    tables = connection.dialect.get_table_names(connection)
    if current is None and tables:
        raise UpgradeError(f"not a database of the arena (it has a table {tables[0]!r})")
    if not write and current is None:
        raise UpgradeError("an empty database; `arena run` makes the tables")
    if not write:
        raise UpgradeError(f"tables {current!r} are not this version's {head!r}; `arena run` upgrades them")
    command.upgrade(config, "head")
