"""Points of a deal that its rules never give are refused"""

import json

import sqlalchemy as sa
from alembic import op

from arena.rules.catalogue import rules
from arena.rules.worth import sums

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

MESSAGE = "the points of the deal are not such as its rules can give"
SQLITE = """
CREATE TRIGGER deal_worth_{event} BEFORE {when} ON deal
WHEN NOT EXISTS (
  SELECT 1 FROM worth JOIN league ON league.id = worth.league_id
  WHERE worth.league_id = NEW.league_id
    AND league.seats = json_array_length(NEW.points)
    AND (NEW.moon IS NULL OR NEW.moon < league.seats)
    AND worth.ended = CASE WHEN NEW.moon IS NOT NULL THEN 'moon'
                           WHEN json_extract(NEW.record, '$.stopped') IS NOT NULL THEN 'stopped'
                           ELSE 'complete' END
    AND worth.total = (SELECT sum(value) FROM json_each(NEW.points))
)
BEGIN SELECT RAISE(ABORT, '{message}'); END
"""
POSTGRESQL = """
CREATE FUNCTION deal_worth() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM worth JOIN league ON league.id = worth.league_id
    WHERE worth.league_id = NEW.league_id
      AND league.seats = json_array_length(CAST(NEW.points AS json))
      AND (NEW.moon IS NULL OR NEW.moon < league.seats)
      AND worth.ended = CASE WHEN NEW.moon IS NOT NULL THEN 'moon'
                             WHEN CAST(NEW.record AS json) ->> 'stopped' IS NOT NULL THEN 'stopped'
                             ELSE 'complete' END
      AND worth.total = (
        SELECT sum(CAST(value AS integer)) FROM json_array_elements_text(CAST(NEW.points AS json)) AS value
      )
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'check_violation', MESSAGE = '{message}';
  END IF;
  RETURN NEW;
END $$
"""


def upgrade() -> None:
    """To this version."""
    worth = op.create_table(
        "worth",
        sa.Column("league_id", sa.Integer(), nullable=False),
        sa.Column("ended", sa.String(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.CheckConstraint("ended IN ('complete', 'moon', 'stopped')"),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"]),
        sa.PrimaryKeyConstraint("league_id", "ended", "total"),
    )
    connection = op.get_bind()
    for league, variant, options, seats in connection.execute(
        sa.text("SELECT id, variant, options, seats FROM league")
    ).all():
        found = sums(rules(variant, seats, json.loads(options)))
        rows = [(ended, total) for ended, totals in found.items() for total in sorted(totals)]
        op.bulk_insert(worth, [{"league_id": league, "ended": ended, "total": total} for ended, total in rows])
    if connection.dialect.name == "sqlite":
        for event, when in (("insert", "INSERT"), ("update", "UPDATE OF league_id, record, points, moon")):
            connection.exec_driver_sql(SQLITE.format(event=event, when=when, message=MESSAGE))
    else:
        connection.exec_driver_sql(POSTGRESQL.format(message=MESSAGE))
        connection.exec_driver_sql(
            "CREATE TRIGGER deal_worth BEFORE INSERT OR UPDATE ON deal FOR EACH ROW EXECUTE FUNCTION deal_worth()"
        )
