"""Fifty tables of bots that answer at once, over real gRPC: nobody is ever out of time."""

from pathlib import Path

from tests.chaos.clock import play
from tests.chaos.league import rows

TABLES = 50


def test_bots_that_answer_at_once_never_time_out_at_fifty_tables(tmp_path: Path) -> None:
    charges, faults = play(
        tmp_path, tables=TABLES, think_ms=0, game={"target": 10}, schedule={"orbits": TABLES // 2},
        time={"move_s": 2.0, "bank_s": 10.0, "increment_s": 0.0, "grace_s": 0.0, "credit_s": 0.0},
    )  # fmt: skip
    assert faults == []
    assert charges.most == TABLES
    assert len(charges.seconds) > 50 * TABLES
    assert rows(tmp_path / "punctual.db", "select count(*) from result") == [(2 * TABLES,)]
