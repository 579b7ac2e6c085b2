"""Who was late: when a question was sent, when its answer came, what the arena lost"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    for name in ("sent_ms", "came_ms", "lag_ms"):
        op.add_column("fault", sa.Column(name, sa.Float(), nullable=True))
