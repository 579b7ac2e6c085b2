"""The first tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """To this version."""
    op.create_table(
        "league",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("settings", sa.String(), nullable=False),
        sa.Column("variant", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("target", sa.Integer(), nullable=False),
        sa.Column("max_deals", sa.Integer(), nullable=True),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("beacon", sa.String(), nullable=False),
        sa.Column("schedule_hash", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("finished_at", sa.String(), nullable=True),
        sa.CheckConstraint("seats BETWEEN 2 AND 10"),
        sa.CheckConstraint("target >= 1"),
        sa.CheckConstraint("max_deals >= 1"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "entrant",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("ranked", sa.Boolean(), nullable=False),
        sa.Column("software", sa.String(), nullable=False),
        sa.Column("away", sa.Boolean(), nullable=False),
        sa.CheckConstraint("number >= 0"),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["league.id"],
        ),
        sa.PrimaryKeyConstraint("league_id", "number"),
        sa.UniqueConstraint("league_id", "name"),
    )
    op.create_table(
        "fixture",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("repetition", sa.Integer(), nullable=False),
        sa.Column("orbit", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("stream", sa.String(), nullable=False),
        sa.Column("seats", sa.String(), nullable=False),
        sa.CheckConstraint("number >= 0 AND repetition >= 0 AND orbit >= 0 AND round >= 0"),
        sa.ForeignKeyConstraint(
            ["league_id"],
            ["league.id"],
        ),
        sa.PrimaryKeyConstraint("league_id", "number"),
    )
    op.create_table(
        "deal",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("fixture", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("record", sa.String(), nullable=False),
        sa.Column("points", sa.String(), nullable=False),
        sa.Column("moon", sa.Integer(), nullable=True),
        sa.Column("seats", sa.String(), nullable=False),
        sa.Column("thinking", sa.String(), nullable=False),
        sa.CheckConstraint("number >= 0"),
        sa.CheckConstraint("moon BETWEEN 0 AND 9"),
        sa.ForeignKeyConstraint(
            ["league_id", "fixture"],
            ["fixture.league_id", "fixture.number"],
        ),
        sa.PrimaryKeyConstraint("league_id", "fixture", "number"),
    )
    op.create_table(
        "fault",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("fixture", sa.Integer(), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("trick", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("ask", sa.String(), nullable=False),
        sa.Column("clause", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("consequence", sa.String(), nullable=False),
        sa.Column("answer", sa.String(), nullable=False),
        sa.Column("limit_ms", sa.Float(), nullable=False),
        sa.Column("measured_ms", sa.Float(), nullable=False),
        sa.CheckConstraint("deal >= 0"),
        sa.CheckConstraint("seat BETWEEN 0 AND 9"),
        sa.CheckConstraint("kind IN ('illegal', 'malformed', 'timeout', 'unreachable')"),
        sa.CheckConstraint("consequence IN ('retry', 'fallback', 'stopped', 'stand-in')"),
        sa.ForeignKeyConstraint(
            ["league_id", "fixture"],
            ["fixture.league_id", "fixture.number"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "attempt",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("fixture", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=True),
        sa.Column("ended", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.CheckConstraint("number >= 0"),
        sa.CheckConstraint("ended IN ('finished', 'parked', 'cut', 'fault')"),
        sa.CheckConstraint("(ended IS NULL) = (ended_at IS NULL)"),
        sa.CheckConstraint("ended IS NULL OR ended = 'fault' OR reason = ''"),
        sa.ForeignKeyConstraint(
            ["league_id", "fixture"],
            ["fixture.league_id", "fixture.number"],
        ),
        sa.PrimaryKeyConstraint("league_id", "fixture", "number"),
    )
    op.create_table(
        "result",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("fixture", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("end", sa.String(), nullable=False),
        sa.Column("finished_at", sa.String(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.CheckConstraint("deals >= 1"),
        sa.CheckConstraint("\"end\" IN ('target', 'max_deals')"),
        sa.CheckConstraint("seconds >= 0"),
        sa.ForeignKeyConstraint(
            ["league_id", "fixture"],
            ["fixture.league_id", "fixture.number"],
        ),
        sa.PrimaryKeyConstraint("league_id", "fixture"),
    )
    op.create_table(
        "seat_result",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("fixture", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("chips", sa.String(), nullable=False),
        sa.Column("moons", sa.Integer(), nullable=False),
        sa.Column("moons_suffered", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("forfeited", sa.Boolean(), nullable=False),
        sa.Column("thinking", sa.String(), nullable=False),
        sa.CheckConstraint("place BETWEEN 1 AND 10"),
        sa.CheckConstraint("seat BETWEEN 0 AND 9"),
        sa.CheckConstraint("moons >= 0 AND moons_suffered >= 0 AND faults >= 0"),
        sa.ForeignKeyConstraint(
            ["league_id", "entrant"],
            ["entrant.league_id", "entrant.number"],
        ),
        sa.ForeignKeyConstraint(
            ["league_id", "fixture"],
            ["result.league_id", "result.fixture"],
        ),
        sa.PrimaryKeyConstraint("league_id", "fixture", "seat"),
        sa.UniqueConstraint("league_id", "fixture", "entrant"),
    )
