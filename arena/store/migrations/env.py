"""Alembic's entry: migrates the connection that `arena.store.database` hands over."""

from alembic import context
from sqlmodel import SQLModel

import arena.store.models  # noqa: F401  fills the metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=SQLModel.metadata)
with context.begin_transaction():
    context.run_migrations()
