"""A bot that is waited for may be there as another version"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    op.add_column("entrant", sa.Column("here_as", sa.String(), nullable=True))
