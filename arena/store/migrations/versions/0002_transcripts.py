"""What was said to and by a seat"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    op.create_table(
        "transcript",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("fixture", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("entries", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("deal >= 0"),
        sa.CheckConstraint("seat BETWEEN 0 AND 9"),
        sa.ForeignKeyConstraint(
            ["league_id", "fixture"],
            ["fixture.league_id", "fixture.number"],
        ),
        sa.PrimaryKeyConstraint("league_id", "fixture", "seat", "deal"),
    )
