"""Faults are found by their match, however many there are"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    op.create_index("fault_of_match", "fault", ["league_id", "fixture"])
