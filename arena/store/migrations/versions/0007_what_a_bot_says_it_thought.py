"""What a bot says that it thought about the answer of a fault"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    op.add_column("fault", sa.Column("thought_ms", sa.Float(), nullable=True))
