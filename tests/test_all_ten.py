"""One league file that plays all ten variants with the reference bots, each bot a process of its own."""

import contextlib
import sqlite3
import subprocess
import sys
from pathlib import Path

from arena.rules.catalogue import VARIANTS

ROOT = Path(__file__).parent.parent


def test_all_ten_variants_are_played_over_grpc_and_verify(tmp_path: Path) -> None:
    league = ROOT / "reference_bots" / "all-ten.toml"
    said = subprocess.run(
        [sys.executable, "-m", "arena.cli", "demo", "--dir", str(tmp_path), "--league", str(league)],
        capture_output=True,
        text=True,
        timeout=500,
        check=True,
    ).stdout
    assert "site: " in said
    database = tmp_path / "demo.db"
    with contextlib.closing(sqlite3.connect(database)) as reader:
        played = reader.execute("select variant from league where finished_at is not null").fetchall()
        assert {name for (name,) in played} == set(VARIANTS)
        fixtures = reader.execute("select count(*) from fixture").fetchone()
        assert reader.execute("select count(*) from result").fetchone() == fixtures
        assert reader.execute("select kind, reason from fault").fetchall() == []
        chips = dict(
            reader.execute(
                "select variant, max(chips != '0') from seat_result join league on id = league_id group by 1"
            ).fetchall()
        )
    assert {name for name, paid in chips.items() if paid} == {"black-lady", "no-queen"}
    verified = subprocess.run(
        [sys.executable, "-m", "arena.cli", "verify", "--db", str(database)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    assert verified.count("everything that could be checked is as it should be") == len(VARIANTS)
    pages = [path.read_text(encoding="utf-8") for path in (tmp_path / "site").glob("league-*/index.html")]
    assert len(pages) == len(VARIANTS)
    assert sum("Chips" in page for page in pages) == 2
